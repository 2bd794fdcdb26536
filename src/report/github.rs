//! Annotations for GitHub: workflow commands that put a finding at a line of the case's file.

use crate::verdict::VerdictWord;

use super::document::{CaseView, ReportDocument, UncoveredView};
use super::findings::{headline, one_line};
use super::group::Group;
use super::words::{baseline_heads, exit_code_meaning, verdict_title};

/// GitHub shows ten annotations of a kind for a step and drops the rest without a word: nine, and one that counts.
const SHOWN: usize = 9;

/// Bytes of one message at the most.
const MESSAGE_CAP: usize = 1_000;

/// The annotations, each on a line that a line feed ends: the verdict where it is no pass, what needs attention, the
/// uncovered risks, and the baseline's head, so that the log of every run vouches for it. `project_folder` is the
/// project's folder relative to the repository, empty or without a `/` at its end.
///
/// Nothing that a workflow or a project wrote can begin a command: all of it is escaped and on one line, behind `::`.
pub fn github_annotations(document: &ReportDocument, project_folder: &str) -> String {
    let groups = Group::ALL.into_iter().filter(|group| group.needs_attention());
    let cases: Vec<(Group, &CaseView)> =
        groups.flat_map(|group| group.cases(document).into_iter().map(move |case| (group, case))).collect();
    let cases = cases.into_iter().map(|(group, case)| annotation(group, case, project_folder));
    let uncovered = document.uncovered.iter().map(|one| uncovered_annotation(document, one, project_folder));
    let all: Vec<String> = verdict_annotation(document).into_iter().chain(cases).chain(uncovered).collect();
    let mut text = all[..all.len().min(SHOWN)].concat();
    if let Some(more) = all.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        text.push_str(&format!("::error title=holdpoint::{more} more, all of them in the report\n"));
    }
    text.push_str(&format!("::notice title=holdpoint::baseline head: {}\n", data(&baseline_heads(document))));
    text
}

/// Why the step ends as it does; nothing where it passes.
fn verdict_annotation(document: &ReportDocument) -> Option<String> {
    let level = match document.verdict {
        VerdictWord::Pass => return None,
        VerdictWord::Fail => "error",
        VerdictWord::Inconclusive => "warning",
    };
    let title = format!("holdpoint: {}", verdict_title(document));
    let code = format!("exit code {}: {}", document.exit_code, exit_code_meaning(document.exit_code));
    let reasons: Vec<&str> = document.verdict_reasons.iter().map(|reason| reason.text.trim_end_matches('.')).collect();
    let message = [&[code.as_str()], reasons.as_slice()].concat().join("; ");
    Some(format!("::{level} title={}::{}\n", property(&title), data(&message)))
}

/// A risk without a case, at the first file of the change that brings it.
fn uncovered_annotation(document: &ReportDocument, uncovered: &UncoveredView, project_folder: &str) -> String {
    let mut changes = document.changes.iter();
    let change =
        changes.find(|change| change.part.as_ref() == Some(&uncovered.part) && change.risks.contains(&uncovered.risk));
    let place = change.and_then(|change| change.paths.first()).map(|path| place(project_folder, path, 1));
    let title = format!("Uncovered: {} of {}", uncovered.risk, uncovered.part);
    let message = format!("a change puts it at risk, and no case would show it: {}", uncovered.command);
    format!("::warning {}title={}::{}\n", place.unwrap_or_default(), property(&title), data(&message))
}

fn place(project_folder: &str, path: &str, line: usize) -> String {
    let path = if project_folder.is_empty() { path.to_owned() } else { format!("{project_folder}/{path}") };
    format!("file={},line={line},", property(&path))
}

fn annotation(group: Group, case: &CaseView, project_folder: &str) -> String {
    let level = match group {
        Group::Regressions | Group::NewFailures | Group::Failures => "error",
        _ => "warning",
    };
    let place = case.path.as_ref().map(|path| place(project_folder, path, case.line.unwrap_or(1)));
    let title = format!("{}: {}", group.title(), case.id);
    let message = match headline(case, MESSAGE_CAP) {
        Some(headline) => format!("{}; {headline}", case.why),
        None => case.why.to_string(),
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
        document.uncovered.clear();
        document.cases.iter_mut().for_each(|case| case.why = "100 %\r\n::error::owned".into());
        let text = github_annotations(&document, "desk");
        let (verdict, text) = text.split_once('\n').unwrap();
        assert!(verdict.starts_with("::error title=holdpoint%3A "), "{verdict}");
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
        document.uncovered.clear();
        let text = github_annotations(&document, "");
        let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("::error")).collect();
        assert_eq!(errors.len(), 10);
        assert_eq!(errors[9], "::error title=holdpoint::4 more, all of them in the report");
    }

    #[test]
    fn the_verdict_says_why_and_each_uncovered_risk_stands_at_the_change_that_brings_it() {
        let full = Sample::full().document();
        let document = ReportDocument { cases: Vec::new(), verdict: VerdictWord::Inconclusive, exit_code: 11, ..full };
        let text = github_annotations(&document, "desk");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("::warning title=holdpoint%3A Inconclusive::exit code 11: "), "{}", lines[0]);
        assert!(lines[0].ends_with("; 1 case is uncertain; 1 risk is uncovered"), "{}", lines[0]);
        assert!(lines[1].starts_with("::warning file=desk/"), "{}", lines[1]);
        assert!(lines[1].contains("title=Uncovered%3A partial_failure of review::"), "{}", lines[1]);
        assert!(lines[1].ends_with("holdpoint case new --for review/partial_failure"), "{}", lines[1]);
        assert_eq!(lines.len(), 3);
        let passed = ReportDocument { verdict: VerdictWord::Pass, uncovered: Vec::new(), ..document };
        assert!(github_annotations(&passed, "").starts_with("::notice "));
    }
}
