//! The pages that are opened: a red run, a green one, one that cannot be decided, and a hostile one.

use holdpoint::report::{ReportDocument, render_html};

/// The sample run that the unit tests keep in `report.snap`: one of everything, hostile in a title, a reason, an answer, a
/// grade and on standard error.
pub(crate) fn red() -> ReportDocument {
    let snapshot = include_str!("report.snap");
    let json = snapshot.splitn(3, "---\n").nth(2).expect("a snapshot has a head");
    serde_json::from_str(json).expect("the snapshot is a report")
}

/// The page of a run.
pub(crate) fn page(document: &ReportDocument) -> String {
    render_html(document, None).expect("the shipped template renders")
}
