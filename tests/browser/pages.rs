//! The pages that are opened.

use holdpoint::report::{EscapeView, ReportDocument, ShadowView, render_html};

pub(crate) use crate::documents::{HOSTILE, green, hostile, inconclusive, red};

/// The page of a run.
pub(crate) fn page(document: &ReportDocument) -> String {
    render_html(document, &[]).expect("the shipped template renders").page
}

/// The red run in shadow: the regression is among what the selection would have left out.
pub(crate) fn in_shadow() -> ReportDocument {
    let mut document = red();
    let regressed = document.cases.iter().find(|case| case.id.as_str() == "returns-window").expect("it is there");
    document.shadow = Some(ShadowView {
        would_select: vec!["lost-ack-after-commit".into()],
        left_out: vec!["returns-window".into(), "policy-answer-01".into()],
        escapes: vec![EscapeView {
            case: regressed.id.clone(),
            status: regressed.status,
            comparison: regressed.comparison,
            why: regressed.why.to_string(),
            left_out_because: "no change puts any of its risks at stake".to_owned(),
            exit_code: 10,
        }],
        sentences: vec!["Every case ran.".to_owned()],
    });
    document
}
