//! JUnit XML, as GitLab, Jenkins, Surefire and CircleCI read it.
//!
//! A viewer that only counts tests must not show green where the gate does not pass: the verdict is a test of its own,
//! and whatever keeps the gate from passing is a failure or an error.

use std::collections::BTreeMap;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::verdict::VerdictWord;

use super::document::{CaseView, ExcludedView, ReportDocument};
use super::findings::{findings, one_line};
use super::group::Group;
use super::visible::{capped, visible};

/// Bytes of one message at the most; viewers break above.
const MESSAGE_CAP: usize = 64_000;

/// Bytes of a message's first line.
const SHORT_CAP: usize = 500;

/// The JUnit file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the JUnit report could not be written: {0}")]
pub struct JunitError(#[from] quick_junit::SerializeError);

/// The run as JUnit XML: a suite for each case set, and one for the gate itself.
pub fn render_junit(document: &ReportDocument) -> Result<String, JunitError> {
    let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
    for case in &document.cases {
        let set = case.set.as_str();
        suites.entry(set).or_insert_with(|| TestSuite::new(shown(set))).add_test_case(case_test(case));
    }
    for excluded in &document.excluded {
        let set = excluded.set.as_str();
        suites.entry(set).or_insert_with(|| TestSuite::new(shown(set))).add_test_case(excluded_test(excluded));
    }
    let mut report = Report::new(shown(&document.project));
    report.add_test_suite(gate_suite(document));
    report.add_test_suites(suites.into_values());
    Ok(report.to_string()?)
}

fn gate_suite(document: &ReportDocument) -> TestSuite {
    let reasons: Vec<&str> = document.verdict_reasons.iter().map(|reason| reason.text.as_str()).collect();
    let status = match document.verdict {
        VerdictWord::Pass => TestCaseStatus::success(),
        VerdictWord::Fail => not_passed(NonSuccessKind::Failure, "fail", &reasons),
        VerdictWord::Inconclusive => not_passed(NonSuccessKind::Error, "inconclusive", &reasons),
    };
    let mut test = TestCase::new("verdict", status);
    test.set_classname("gate");
    let mut suite = TestSuite::new("gate");
    suite.add_test_case(test);
    suite
}

fn case_test(case: &CaseView) -> TestCase {
    let group = Group::of(case);
    let findings = findings(case);
    let lines: Vec<&str> = std::iter::once(case.why.as_str()).chain(findings.iter().map(String::as_str)).collect();
    let kind = case.comparison.name();
    let status = match group {
        Group::Fixed | Group::Passed => TestCaseStatus::success(),
        Group::KnownFailures => skipped(&format!("known failure: {}", case.why)),
        Group::Regressions | Group::NewFailures | Group::Failures | Group::ExpectationChanges => {
            not_passed(NonSuccessKind::Failure, kind, &lines)
        }
        Group::NotComparable => not_passed(NonSuccessKind::Error, kind, &lines),
        Group::Uncertain | Group::Flaky | Group::Errored => {
            not_passed(NonSuccessKind::Error, case.status.name(), &lines)
        }
    };
    let mut test = TestCase::new(shown(case.id.as_str()), status);
    test.set_classname(shown(case.set.as_str()));
    test.set_time(Duration::from_millis(case.trials.iter().map(|trial| trial.duration_ms).sum()));
    if let Some(path) = &case.path {
        test.extra.insert("file".into(), shown(path).into());
    }
    test
}

/// A case that did not run is skipped: neither passed nor failed here.
fn excluded_test(excluded: &ExcludedView) -> TestCase {
    let inherits = match &excluded.inherited {
        Some(inherited) => format!("inherits {}, accepted {}", inherited.status, inherited.accepted),
        None => "inherits nothing".to_owned(),
    };
    let mut test = TestCase::new(shown(excluded.case.as_str()), skipped(&format!("{}; {inherits}", excluded.reason)));
    test.set_classname(shown(excluded.set.as_str()));
    test
}

/// The message is for lists, so it has the first two lines; the description has all.
fn not_passed(kind: NonSuccessKind, name: &str, lines: &[&str]) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(name.to_owned());
    let message: Vec<&str> = lines.iter().copied().take(2).collect();
    status.set_message(one_line(&message.join("; "), SHORT_CAP));
    status.set_description(shown(&lines.join("\n")));
    status
}

fn skipped(text: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(one_line(text, SHORT_CAP));
    status
}

/// A text without what XML 1.0 refuses: control characters and noncharacters are spelled out.
fn shown(text: &str) -> String {
    visible(capped(text, MESSAGE_CAP).0).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    fn xml(document: &ReportDocument) -> String {
        render_junit(document).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_run_with_one_of_everything_reads_so() {
        insta::assert_snapshot!(xml(&Sample::full().document()));
    }

    #[test]
    fn it_is_never_all_green_where_the_gate_does_not_pass() {
        let mut document = Sample::full().document();
        document.cases.clear();
        let text = xml(&document);
        assert!(text.contains("<failure") && text.contains("type=\"fail\""), "{text}");
    }

    #[test]
    fn no_character_is_left_that_xml_refuses() {
        let mut document = Sample::full().document();
        document.cases[0].why = "a\u{fffe}\u{ffff}\0\u{1b}]]>".to_owned();
        let text = xml(&document);
        let refused = |character: char| {
            matches!(character, '\u{fffe}' | '\u{ffff}') || character.is_control() && !matches!(character, '\n' | '\t')
        };
        assert!(!text.contains(refused));
    }
}
