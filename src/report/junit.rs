//! JUnit XML, as GitLab, Jenkins, Surefire and CircleCI read it.
//!
//! A viewer that only counts tests must not show green where the gate does not pass: the verdict is a test of its own,
//! and whatever keeps the gate from passing is a failure or an error.

use std::collections::BTreeMap;
use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use crate::verdict::VerdictWord;

use super::document::{CaseView, ExcludedView, ReportDocument};
use super::findings::{findings, one_line};
use super::group::Group;
use super::visible::{capped, visible};
use super::words::baseline_heads;

/// Bytes of one message at the most; viewers break above.
const MESSAGE_CAP: usize = 64_000;

/// Bytes of a message's first line.
const SHORT_CAP: usize = 500;

/// One test, in the few words that all dialects share.
struct Test {
    name: String,
    /// The suite's name; GitLab shows it as the suite.
    classname: String,
    millis: Option<u64>,
    end: End,
}

/// How a test ended.
enum End {
    Passed,
    Skipped { message: String },
    NotPassed { element: &'static str, kind: String, message: String, text: String },
}

/// The run as JUnit XML: a suite for each case set, and one for the gate itself.
pub fn render_junit(document: &ReportDocument) -> io::Result<String> {
    let mut suites: BTreeMap<&str, Vec<Test>> = BTreeMap::new();
    for case in &document.cases {
        suites.entry(case.set.as_str()).or_default().push(case_test(case));
    }
    for excluded in &document.excluded {
        suites.entry(excluded.set.as_str()).or_default().push(excluded_test(excluded));
    }
    let gate = ("gate".to_owned(), vec![verdict_test(document)]);
    let sets = suites.into_iter().map(|(set, tests)| (shown(set), tests));
    let suites: Vec<(String, Vec<Test>)> = std::iter::once(gate).chain(sets).collect();

    let mut bytes = Vec::new();
    let mut writer = Writer::new_with_indent(&mut bytes, b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all = || suites.iter().flat_map(|(_, tests)| tests);
    // Surefire's schema refuses `skipped` here.
    writer
        .create_element("testsuites")
        .with_attribute(("name", shown(&document.project).as_str()))
        .with_attribute(("tests", all().count().to_string().as_str()))
        .with_attribute(("failures", ended(all(), "failure").to_string().as_str()))
        .with_attribute(("errors", ended(all(), "error").to_string().as_str()))
        .write_inner_content(|writer| {
            suites.iter().enumerate().try_for_each(|(index, (name, tests))| {
                write_suite(writer, name, tests, (index == 0).then_some(document))
            })
        })?;
    bytes.push(b'\n');
    String::from_utf8(bytes).map_err(io::Error::other)
}

fn verdict_test(document: &ReportDocument) -> Test {
    let reasons: Vec<&str> = document.verdict_reasons.iter().map(|reason| reason.text.as_str()).collect();
    let end = match document.verdict {
        VerdictWord::Pass => End::Passed,
        VerdictWord::Fail => not_passed("failure", "fail", &reasons),
        VerdictWord::Inconclusive => not_passed("error", "inconclusive", &reasons),
    };
    Test { name: "verdict".to_owned(), classname: "gate".to_owned(), millis: None, end }
}

fn case_test(case: &CaseView) -> Test {
    let findings = findings(case);
    // No schema knows an attribute for the file, so it stands in the text.
    let place = case.path.as_ref().map(|path| format!("{path}:{}", case.line.unwrap_or(1)));
    let all = std::iter::once(&*case.why).chain(findings.iter().map(String::as_str));
    let lines: Vec<&str> = all.chain(place.as_deref()).collect();
    let kind = case.comparison.name();
    let end = match Group::of(case) {
        Group::Fixed | Group::Passed => End::Passed,
        Group::Tolerated => {
            End::Skipped { message: one_line(&format!("tolerated by policy: {}", case.why), SHORT_CAP) }
        }
        Group::KnownFailures => End::Skipped { message: one_line(&format!("known failure: {}", case.why), SHORT_CAP) },
        Group::Regressions | Group::NewFailures | Group::Failures | Group::ExpectationChanges => {
            not_passed("failure", kind, &lines)
        }
        Group::NotComparable => not_passed("error", kind, &lines),
        Group::Uncertain | Group::Flaky | Group::Errored => not_passed("error", case.status.name(), &lines),
    };
    Test {
        name: shown(case.id.as_str()),
        classname: shown(case.set.as_str()),
        millis: Some(case.trials.iter().map(|trial| trial.duration_ms).sum()),
        end,
    }
}

/// A case that did not run is skipped: neither passed nor failed here.
fn excluded_test(excluded: &ExcludedView) -> Test {
    let inherits = match &excluded.inherited {
        Some(inherited) => format!("inherits {}, accepted {}", inherited.status, inherited.accepted),
        None => "inherits nothing".to_owned(),
    };
    Test {
        name: shown(excluded.case.as_str()),
        classname: shown(excluded.set.as_str()),
        millis: None,
        end: End::Skipped { message: one_line(&format!("{}; {inherits}", excluded.reason), SHORT_CAP) },
    }
}

/// The message is for lists, so it has the first two lines; the text has all.
fn not_passed(element: &'static str, kind: &str, lines: &[&str]) -> End {
    let message: Vec<&str> = lines.iter().take(2).map(|line| line.trim_end_matches('.')).collect();
    End::NotPassed {
        element,
        kind: kind.to_owned(),
        message: one_line(&message.join("; "), SHORT_CAP),
        text: shown(&lines.join("\n")),
    }
}

fn ended<'a>(tests: impl Iterator<Item = &'a Test>, wanted: &str) -> usize {
    let element = |test: &Test| match &test.end {
        End::Passed => "",
        End::Skipped { .. } => "skipped",
        End::NotPassed { element, .. } => element,
    };
    tests.filter(|test| element(test) == wanted).count()
}

/// `gate` is there for the gate's own suite: what the passes say of the workflow, and the baseline's head, stand in it.
fn write_suite<W: io::Write>(
    writer: &mut Writer<W>,
    name: &str,
    tests: &[Test],
    gate: Option<&ReportDocument>,
) -> io::Result<()> {
    let millis = tests.iter().filter_map(|test| test.millis).sum();
    writer
        .create_element("testsuite")
        .with_attribute(("name", name))
        .with_attribute(("tests", tests.len().to_string().as_str()))
        .with_attribute(("failures", ended(tests.iter(), "failure").to_string().as_str()))
        .with_attribute(("errors", ended(tests.iter(), "error").to_string().as_str()))
        .with_attribute(("skipped", ended(tests.iter(), "skipped").to_string().as_str()))
        .with_attribute(("time", seconds(millis).as_str()))
        .write_inner_content(|writer| {
            if let Some(document) = gate {
                write_properties(writer, document)?;
            }
            tests.iter().try_for_each(|test| write_test(writer, test))
        })?;
    Ok(())
}

fn write_properties<W: io::Write>(writer: &mut Writer<W>, document: &ReportDocument) -> io::Result<()> {
    let properties = [("evidence", shown(&document.evidence_statement)), ("baseline_head", baseline_heads(document))];
    writer.create_element("properties").write_inner_content(|writer| {
        properties.iter().try_for_each(|(name, value)| {
            let property = writer.create_element("property").with_attribute(("name", *name));
            property.with_attribute(("value", value.as_str())).write_empty().map(|_| ())
        })
    })?;
    Ok(())
}

fn write_test<W: io::Write>(writer: &mut Writer<W>, test: &Test) -> io::Result<()> {
    let element = writer
        .create_element("testcase")
        .with_attribute(("name", test.name.as_str()))
        .with_attribute(("classname", test.classname.as_str()))
        .with_attribute(("time", seconds(test.millis.unwrap_or(0)).as_str()));
    match &test.end {
        End::Passed => element.write_empty()?,
        End::Skipped { message } => element.write_inner_content(|writer| {
            writer.create_element("skipped").with_attribute(("message", message.as_str())).write_empty()?;
            Ok(())
        })?,
        End::NotPassed { element: name, kind, message, text } => element.write_inner_content(|writer| {
            writer
                .create_element(*name)
                .with_attribute(("message", message.as_str()))
                .with_attribute(("type", kind.as_str()))
                .write_text_content(BytesText::new(text))?;
            Ok(())
        })?,
    };
    Ok(())
}

/// Seconds with three decimals, the most that Surefire's schema takes.
fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
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
        document.cases[0].why = "a\u{fffe}\u{ffff}\0\u{1b}]]>".into();
        let text = xml(&document);
        let refused = |character: char| {
            matches!(character, '\u{fffe}' | '\u{ffff}') || character.is_control() && !matches!(character, '\n' | '\t')
        };
        assert!(!text.contains(refused));
    }
}
