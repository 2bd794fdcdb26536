//! Annotations for GitHub: workflow commands that put a finding at a line of the case's file.

use super::document::{CaseView, ReportDocument};
use super::findings::{headline, one_line};
use super::group::Group;
use super::words::baseline_heads;

/// GitHub shows ten annotations of a kind for a step and drops the rest without a word: nine, and one that counts.
const SHOWN: usize = 9;

/// Bytes of one message at the most.
const MESSAGE_CAP: usize = 1_000;

/// The annotations, each on a line that a line feed ends: what needs attention, and the baseline's head, so that the log
/// of every run vouches for it. `project_folder` is the
/// project's folder relative to the repository, empty or without a `/` at its end.
///
/// Nothing that a workflow or a project wrote can begin a command: all of it is escaped and on one line, behind `::`.
pub fn github_annotations(document: &ReportDocument, project_folder: &str) -> String {
    let groups = Group::ALL.into_iter().filter(|group| group.needs_attention());
    let cases: Vec<(Group, &CaseView)> =
        groups.flat_map(|group| group.cases(document).into_iter().map(move |case| (group, case))).collect();
    let mut text: String =
        cases.iter().take(SHOWN).map(|(group, case)| annotation(*group, case, project_folder)).collect();
    if let Some(more) = cases.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        text.push_str(&format!("::error title=holdpoint::{more} more, all of them in the report\n"));
    }
    text.push_str(&format!("::notice title=holdpoint::baseline head: {}\n", data(&baseline_heads(document))));
    text
}

fn annotation(group: Group, case: &CaseView, project_folder: &str) -> String {
    let level = match group {
        Group::Regressions | Group::NewFailures | Group::Failures => "error",
        _ => "warning",
    };
    let place = case.path.as_ref().map(|path| {
        let path = if project_folder.is_empty() { path.clone() } else { format!("{project_folder}/{path}") };
        format!("file={},line={},", property(&path), case.line.unwrap_or(1))
    });
    let title = format!("{}: {}", group.title(), case.id);
    let message = match headline(case, MESSAGE_CAP) {
        Some(headline) => format!("{}; {headline}", case.why),
        None => case.why.clone(),
    };
    format!("::{level} {}title={}::{}\n", place.unwrap_or_default(), property(&title), data(&message))
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The text of a command.
fn data(text: &str) -> String {
    one_line(text, MESSAGE_CAP).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    #[test]
    fn each_line_is_one_annotation_whatever_the_answers_say() {
        let mut document = Sample::full().document();
        document.cases.iter_mut().for_each(|case| case.why = "100 %\r\n::error::owned".to_owned());
        let text = github_annotations(&document, "desk");
        let (lines, head) = text.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(head, format!("::notice title=holdpoint::baseline head: {}", document.baseline_heads[0]));
        for line in lines.lines() {
            assert!(
                line.starts_with("::error file=desk/cases/") || line.starts_with("::warning file=desk/cases/"),
                "{line}"
            );
            assert!(line.contains("::100 %25[U+000D]\\n::error::owned"), "{line}");
        }
        assert_eq!(lines.lines().count(), 6);
    }

    #[test]
    fn a_property_cannot_end_early() {
        assert_eq!(property("a,b:c%"), "a%2Cb%3Ac%25");
    }

    #[test]
    fn the_tenth_counts_the_rest() {
        let mut document = Sample::full().document();
        let one = document.cases.iter().find(|case| Group::of(case) == Group::Regressions).cloned().unwrap();
        document.cases = vec![one; 12];
        let text = github_annotations(&document, "");
        let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("::error")).collect();
        assert_eq!(errors.len(), 10);
        assert_eq!(errors[9], "::error title=holdpoint::3 more, all of them in the report");
    }
}
