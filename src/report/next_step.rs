//! What to do after a run, in the order in which it should be done.

use crate::domain::{CaseId, ExitCode};

use super::document::ReportDocument;
use super::group::Group;
use super::limits::counted;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NextStep {
    /// What, in one sentence.
    pub(super) text: String,
    /// The command that does it or begins it.
    pub(super) command: Option<String>,
    /// Where the report says more: a fragment without `#`.
    pub(super) anchor: &'static str,
    /// The cases it is about, as many as are named one by one.
    pub(super) cases: Vec<CaseId>,
}

/// Commands for uncovered risks that are named one by one; the report has them all.
const NAMED_UNCOVERED: usize = 3;

/// Cases that are named one by one.
const NAMED_CASES: usize = 3;

/// Paths that are named one by one.
const NAMED_PATHS: usize = 3;

/// What to do after this run; empty where there is nothing to do.
pub(super) fn next_steps(document: &ReportDocument) -> Vec<NextStep> {
    if let Some(step) = interrupted(document) {
        return vec![step];
    }
    let groups = Group::ALL.into_iter().filter(|group| group.needs_attention());
    let mut steps: Vec<NextStep> = baseline_restored(document).into_iter().collect();
    steps.extend(groups.filter_map(|group| step(document, group)));
    steps.extend(removal_accepted(document));
    steps.extend(uncovered_steps(document));
    steps.extend(inert_named(document));
    if let Some(command) = &document.accept_command {
        steps.push(NextStep {
            text: "When every result has been read and is right, accept the run.".to_owned(),
            command: Some(command.clone()),
            anchor: "verdict",
            cases: Vec::new(),
        });
    }
    steps
}

/// A baseline that was changed behind the back of the ledger cannot be accepted over: there is no command for that.
fn baseline_restored(document: &ReportDocument) -> Option<NextStep> {
    let broken = document.exit_code == ExitCode::Baseline.number() && document.accept_command.is_none();
    broken.then(|| NextStep {
        text: "Restore the accepted results, then run again.".to_owned(),
        command: Some("git checkout -- baselines".to_owned()),
        anchor: "verdict",
        cases: Vec::new(),
    })
}

/// Only where the removal may be what keeps the gate from passing.
fn removal_accepted(document: &ReportDocument) -> Option<NextStep> {
    let undecided = document.verdict_reasons.iter().any(|one| one.exit_code == ExitCode::Inconclusive.number());
    (undecided && document.accept_command.is_some() && !document.removed.is_empty()).then(|| NextStep {
        text: format!("Have the removal of {} accepted.", counted(document.removed.len(), "case")),
        command: None,
        anchor: "not-run",
        cases: Vec::new(),
    })
}

/// Everything ran because no rule knows these paths; only the project can say that they do not matter.
fn inert_named(document: &ReportDocument) -> Option<NextStep> {
    let named: Vec<&str> = document.unclassified.iter().take(NAMED_PATHS).map(String::as_str).collect();
    if document.mode != "all" || named.is_empty() {
        return None;
    }
    let more = match document.unclassified.len() - named.len() {
        0 => String::new(),
        more => format!(" and {}", counted(more, "more path")),
    };
    let them = if document.unclassified.len() == 1 { "it" } else { "them" };
    // A folder that is new as a whole is named by its path alone, which as a pattern would match no file in it.
    let is_file = |path: &&str| path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let folders = if named.iter().all(is_file) { "" } else { ", a folder with `/**` behind its name" };
    let named = named.join(", ");
    Some(NextStep {
        text: format!("If {named}{more} cannot change behaviour, add {them} to `inert` in holdpoint.yaml{folders}."),
        command: None,
        anchor: "changes",
        cases: Vec::new(),
    })
}

fn uncovered_steps(document: &ReportDocument) -> Vec<NextStep> {
    let mut steps = Vec::new();
    for uncovered in document.uncovered.iter().take(NAMED_UNCOVERED) {
        steps.push(NextStep {
            text: format!(
                "Write a case for {} of {}: a change puts it at risk, and none exists.",
                uncovered.risk, uncovered.part
            ),
            command: Some(uncovered.command.clone()),
            anchor: "uncovered",
            cases: Vec::new(),
        });
    }
    if let Some(more) = document.uncovered.len().checked_sub(NAMED_UNCOVERED).filter(|more| *more > 0) {
        steps.push(NextStep {
            text: format!("Write cases for {more} more uncovered {}.", if more == 1 { "risk" } else { "risks" }),
            command: None,
            anchor: "uncovered",
            cases: Vec::new(),
        });
    }
    steps
}

/// A run that was kept from its work shows nothing that could be repaired or accepted.
fn interrupted(document: &ReportDocument) -> Option<NextStep> {
    let (text, command) = if document.exit_code == ExitCode::Paused.number() {
        ("When the reason for the pause is gone, end it and run again.", "holdpoint pause off")
    } else if document.exit_code == ExitCode::Cancelled.number() {
        ("The run was cancelled: run it again to its end.", "holdpoint gate")
    } else {
        return None;
    };
    Some(NextStep { text: text.to_owned(), command: Some(command.to_owned()), anchor: "verdict", cases: Vec::new() })
}

fn step(document: &ReportDocument, group: Group) -> Option<NextStep> {
    let count = group.cases(document).len();
    let text = match group {
        _ if count == 0 => return None,
        Group::Regressions => format!("Repair {}, or have the new result accepted.", counted(count, "regression")),
        Group::NewFailures => format!("Repair {}: a new case must pass.", counted(count, "new failure")),
        Group::Failures => format!("Repair {}.", counted(count, "failing case")),
        Group::ExpectationChanges => {
            format!(
                "Have {} read and accepted by someone who knows the right answer.",
                counted(count, "changed expectation")
            )
        }
        Group::Uncertain => {
            format!("Look into the target system for {} before anything is repeated.", counted(count, "uncertain case"))
        }
        Group::Flaky => format!("Find what varies in {}.", counted(count, "flaky case")),
        Group::Errored => format!("Repair the set-up of {} and run again.", counted(count, "errored case")),
        Group::NotComparable => {
            format!("Read {} that cannot be compared, and accept what is right.", counted(count, "case"))
        }
        Group::Tolerated | Group::Fixed | Group::KnownFailures | Group::Passed => return None,
    };
    let cases: Vec<CaseId> = group.cases(document).into_iter().take(NAMED_CASES).map(|case| case.id.clone()).collect();
    let command = accept_edited(document, group, &cases, count);
    Some(NextStep { text, command, anchor: group.name(), cases })
}

/// The command that accepts edited expectations alone, where all of them are named.
fn accept_edited(document: &ReportDocument, group: Group, cases: &[CaseId], count: usize) -> Option<String> {
    let command = document.accept_command.as_ref()?;
    let named: String = cases.iter().map(|case| format!(" --case {case}")).collect();
    (group == Group::ExpectationChanges && cases.len() == count).then(|| format!("{command}{named}"))
}

#[cfg(test)]
mod tests {
    use super::super::document::{ReasonView, RemovedView};
    use super::super::sample::Sample;
    use super::*;

    fn texts(document: &ReportDocument) -> Vec<String> {
        next_steps(document).into_iter().map(|step| step.text).collect()
    }

    #[test]
    fn what_is_to_be_done_names_the_cases_and_an_edited_expectation_is_accepted_alone() {
        let document = Sample::full().document();
        let steps = next_steps(&document);
        let of = |anchor: &str| steps.iter().find(|step| step.anchor == anchor).unwrap();
        assert_eq!(of("regressions").cases, ["returns-window".into()]);
        assert_eq!(of("uncertain").cases, ["lost-ack-after-commit".into()]);
        assert_eq!(of("regressions").command, None, "a regression is repaired, not accepted by rote");
        let command = of("changed-expectations").command.as_ref().unwrap();
        assert!(
            command.starts_with("holdpoint baseline accept 2026") && command.ends_with(" --case conflicting-hours")
        );
        let many = ReportDocument { cases: [&document.cases[..], &document.cases].concat(), ..document.clone() };
        let many = ReportDocument { cases: [&many.cases[..], &many.cases].concat(), ..many };
        let steps = next_steps(&many);
        let edited = steps.iter().find(|step| step.anchor == "changed-expectations").unwrap();
        assert_eq!((edited.cases.len(), &edited.command), (3, &None), "what is not named is not accepted");
    }

    #[test]
    fn a_broken_baseline_is_restored_first_and_a_missing_one_accepted() {
        let mut document = ReportDocument { exit_code: 12, accept_command: None, ..Sample::full().document() };
        let first = &next_steps(&document)[0];
        assert_eq!(first.text, "Restore the accepted results, then run again.");
        assert_eq!(first.command.as_deref(), Some("git checkout -- baselines"));
        document.accept_command = Some("holdpoint baseline accept R".to_owned());
        assert!(!texts(&document).contains(&"Restore the accepted results, then run again.".to_owned()));
        document = ReportDocument { exit_code: 10, accept_command: None, ..document };
        assert!(!texts(&document).contains(&"Restore the accepted results, then run again.".to_owned()));
    }

    #[test]
    fn a_removal_that_keeps_the_gate_from_passing_is_to_be_accepted() {
        let removed = RemovedView { case: "gone".into(), set: "access".into(), why: "it is gone".to_owned() };
        let reason = ReasonView { exit_code: 11, text: "it cannot be said".to_owned() };
        let mut document = ReportDocument {
            removed: vec![removed],
            verdict_reasons: vec![reason],
            accept_command: Some("holdpoint baseline accept R".to_owned()),
            ..Sample::full().document()
        };
        let wanted = "Have the removal of 1 case accepted.".to_owned();
        assert!(texts(&document).contains(&wanted));
        document.verdict_reasons.clear();
        assert!(!texts(&document).contains(&wanted), "nothing is undecided");
    }

    #[test]
    fn a_path_that_made_everything_run_can_be_named_inert() {
        let unclassified = |paths: &[&str], mode: &str| {
            let unclassified = paths.iter().map(|path| (*path).to_owned()).collect();
            ReportDocument { unclassified, mode: mode.to_owned(), ..Sample::full().document() }
        };
        let hints = |document| {
            let texts: Vec<String> = texts(&document);
            texts.into_iter().filter(|text| text.contains("inert")).collect::<Vec<_>>()
        };
        let one = "If notes.txt cannot change behaviour, add it to `inert` in holdpoint.yaml.";
        assert_eq!(hints(unclassified(&["notes.txt"], "all")), [one]);
        let five = "If a.x, b.x, c.x and 2 more paths cannot change behaviour, add them to `inert` in holdpoint.yaml.";
        assert_eq!(hints(unclassified(&["a.x", "b.x", "c.x", "d.x", "e.x"], "all")), [five]);
        let folder = "If new/tools cannot change behaviour, add it to `inert` in holdpoint.yaml, a folder with `/**` behind its name.";
        assert_eq!(hints(unclassified(&["new/tools"], "all")), [folder]);
        assert!(hints(unclassified(&["notes.txt"], "selective")).is_empty());
        assert!(hints(unclassified(&[], "all")).is_empty());
    }
}
