//! What speaks against a case, a line each, the weightiest first.

use crate::domain::{ClaimCheck, Outcome, TrialStatus};

use super::document::CaseView;
use super::trial_view::{OperationView, TrialView};
use super::visible::{capped, visible_line};

/// Everything that speaks against the case; empty where nothing does. Only the first trial that did not pass is read.
pub(super) fn findings(case: &CaseView) -> Vec<String> {
    let mut lines = Vec::new();
    if case.trials.is_empty() {
        lines.push("no trial of it was finished".to_owned());
    }
    if let Some(trial) = first_unpassed(&case.trials) {
        let prefix = if case.trials.len() > 1 {
            format!("trial {} of {}: ", trial.number, case.trials.len())
        } else {
            String::new()
        };
        lines.extend(of_trial(trial).into_iter().map(|line| format!("{prefix}{line}")));
    }
    if let Some(trial) = case.old_form.as_ref().and_then(|old| first_unpassed(&old.trials)) {
        lines.extend(of_trial(trial).into_iter().map(|line| format!("old form: {line}")));
    }
    lines
}

/// The weightiest finding on one line of at most `bytes` bytes.
pub(super) fn headline(case: &CaseView, bytes: usize) -> Option<String> {
    findings(case).first().map(|finding| one_line(finding, bytes))
}

/// A text on one line of at most `bytes` bytes.
pub(super) fn one_line(text: &str, bytes: usize) -> String {
    let line = visible_line(text);
    match capped(&line, bytes) {
        (shown, 0) => shown.to_owned(),
        (shown, _) => format!("{shown}…"),
    }
}

/// The first trial that did not pass: the one to read.
pub(super) fn first_unpassed(trials: &[TrialView]) -> Option<&TrialView> {
    trials.iter().find(|trial| trial.status != TrialStatus::Passed)
}

fn of_trial(trial: &TrialView) -> Vec<String> {
    let error = trial.error.iter().map(|error| error.message.clone());
    let grades = |pass: Option<bool>| {
        let meant = trial.grades.iter().filter(move |grade| grade.pass == pass);
        meant.map(|grade| format!("{}: {}", grade.grader, grade.message))
    };
    let operations = trial.operations.iter().flat_map(of_operation);
    error.chain(grades(None)).chain(operations).chain(grades(Some(false))).collect()
}

/// Sentences as the clauses of one.
fn clauses(sentences: &[String]) -> String {
    sentences.iter().map(|sentence| sentence.trim_end_matches('.')).collect::<Vec<_>>().join("; ")
}

fn of_operation(operation: &OperationView) -> Vec<String> {
    let mut lines = Vec::new();
    if operation.outcome == Outcome::Uncertain {
        let evidence = clauses(&operation.evidence);
        let rest = if evidence.is_empty() { String::new() } else { format!(": {evidence}") };
        lines.push(format!("operation {} stays uncertain{rest}", operation.operation));
    }
    let against = operation
        .claim_check
        .filter(|check| matches!(check, ClaimCheck::FalseSuccess | ClaimCheck::FalseFailure | ClaimCheck::Overclaimed));
    if let Some(check) = against {
        let claim = operation.claim.map_or("nothing", |claim| claim.name());
        lines.push(format!(
            "operation {}: the workflow claims {claim}, the evidence supports {} ({check})",
            operation.operation, operation.outcome
        ));
    }
    lines
}
