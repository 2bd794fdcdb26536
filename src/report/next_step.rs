//! What to do after a run, in the order in which it should be done.

use crate::domain::ExitCode;

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
}

/// Commands for uncovered risks that are named one by one; the report has them all.
const NAMED_UNCOVERED: usize = 3;

/// What to do after this run; empty where there is nothing to do.
pub(super) fn next_steps(document: &ReportDocument) -> Vec<NextStep> {
    if let Some(step) = interrupted(document) {
        return vec![step];
    }
    let mut steps: Vec<NextStep> = Group::ALL
        .into_iter()
        .filter(|group| group.needs_attention())
        .filter_map(|group| step(document, group))
        .collect();
    for uncovered in document.uncovered.iter().take(NAMED_UNCOVERED) {
        steps.push(NextStep {
            text: format!(
                "Write a case for {} of {}: a change puts it at risk, and none exists.",
                uncovered.risk, uncovered.part
            ),
            command: Some(uncovered.command.clone()),
            anchor: "uncovered",
        });
    }
    if let Some(more) = document.uncovered.len().checked_sub(NAMED_UNCOVERED).filter(|more| *more > 0) {
        steps.push(NextStep {
            text: format!("Write cases for {more} more uncovered {}.", if more == 1 { "risk" } else { "risks" }),
            command: None,
            anchor: "uncovered",
        });
    }
    if let Some(command) = &document.accept_command {
        steps.push(NextStep {
            text: "When every result has been read and is right, accept the run.".to_owned(),
            command: Some(command.clone()),
            anchor: "verdict",
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
    Some(NextStep { text: text.to_owned(), command: Some(command.to_owned()), anchor: "verdict" })
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
        Group::Fixed | Group::KnownFailures | Group::Passed => return None,
    };
    Some(NextStep { text, command: None, anchor: group.name() })
}
