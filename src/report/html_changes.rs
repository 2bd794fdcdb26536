//! What changed, as the HTML page shows it.

use serde::Serialize;
use serde_json::Value;

use super::change_values::{differences, placed};
use super::document::{ChangeView, ReportDocument};
use super::words::{change_value, direction_name, shell_word, unnamed_paths};

/// Paths that the command that shows the change names; where there are more, it shows all of it.
const NAMED_PATHS: usize = 8;

/// One place that changed.
#[derive(Debug, Serialize)]
pub(super) struct ChangeRow {
    kind: String,
    subject: String,
    facet: String,
    direction: &'static str,
    from: String,
    to: String,
    paths: Vec<String>,
    risks: String,
}

/// The rows of the changes, in their order: of a value that holds others, one for each of those that differ.
pub(super) fn change_rows(document: &ReportDocument) -> Vec<ChangeRow> {
    document.changes.iter().flat_map(rows).collect()
}

fn rows(change: &ChangeView) -> Vec<ChangeRow> {
    let part = change.part.as_ref().map(ToString::to_string);
    let subject = part.or_else(|| change.case.as_ref().map(ToString::to_string)).unwrap_or_default();
    let facet = match change.facet.as_deref() {
        Some("*") => "everything",
        // The path stands below it.
        Some(facet) if facet.starts_with("file:") => "content",
        facet => facet.unwrap_or_default(),
    };
    let text = |value: Option<&Value>| value.map(change_value).unwrap_or_default();
    let differences = differences(change.from.as_ref(), change.to.as_ref());
    let row = |(index, one): (usize, super::change_values::Difference<'_>)| ChangeRow {
        kind: change.kind.name().to_owned(),
        subject: subject.clone(),
        facet: placed(facet, &one.place),
        direction: direction_name(change.change),
        from: text(one.from),
        to: text(one.to),
        // Once is enough.
        paths: if index == 0 { paths(change) } else { Vec::new() },
        risks: change.risks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    };
    differences.into_iter().enumerate().map(row).collect()
}

/// The path of a file, and the others that a change shows in.
fn paths(change: &ChangeView) -> Vec<String> {
    let named = change.facet.as_deref().and_then(|facet| facet.strip_prefix("file:"));
    named.map(str::to_owned).into_iter().chain(unnamed_paths(change).cloned()).collect()
}

/// The command that shows the change line by line; nothing where git does not have the base, or nothing changed.
pub(super) fn diff_command(document: &ReportDocument) -> Option<String> {
    let base = document.base.commit.as_deref()?;
    let mut paths: Vec<&str> = document
        .changes
        .iter()
        .flat_map(|change| &change.paths)
        .chain(&document.unclassified)
        .map(String::as_str)
        .collect();
    paths.sort_unstable();
    paths.dedup();
    if paths.is_empty() {
        return None;
    }
    let named =
        if paths.len() > NAMED_PATHS { vec![".".to_owned()] } else { paths.into_iter().map(shell_word).collect() };
    Some(format!("git diff {} -- {}", shell_word(&base[..base.floor_char_boundary(12)]), named.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_that_holds_others_has_a_row_for_each_that_differs() {
        let mut document = Sample::full().document();
        let mut change = document.changes[1].clone();
        change.facet = Some("expect".to_owned());
        change.from = Some(json!([{"contains": "12 days"}, {"length": {"at_most": 5}}]));
        change.to = Some(json!([{"contains": "5 days"}, {"length": {"at_most": 9}}]));
        document.changes = vec![change];
        let rows = change_rows(&document);
        let told: Vec<_> = rows.iter().map(|row| [row.facet.as_str(), &row.from, &row.to]).collect();
        assert_eq!(told, [["expect[0].contains", "12 days", "5 days"], ["expect[1].length.at_most", "5", "9"]]);
        assert_eq!((rows[0].paths.len(), rows[1].paths.len()), (1, 0));
    }

    #[test]
    fn the_change_can_be_read_with_git_where_git_has_the_base() {
        let mut document = Sample::full().document();
        let command = "git diff 4be1d2a09c6f -- manifests/review.yaml policies/returns.md";
        assert_eq!(diff_command(&document).as_deref(), Some(command));
        document.changes[0].paths = vec!["a file's $(name)".to_owned()];
        let command = diff_command(&document).unwrap();
        assert!(command.starts_with("git diff 4be1d2a09c6f -- 'a file'\\''s $(name)' "), "{command}");
        document.changes[0].paths = (0..9).map(|number| format!("{number}.md")).collect();
        assert_eq!(diff_command(&document).as_deref(), Some("git diff 4be1d2a09c6f -- ."));
        document.base.commit = None;
        assert_eq!(diff_command(&document), None);
    }
}
