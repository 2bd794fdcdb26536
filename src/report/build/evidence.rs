//! What is shown of a trial, and of how many cases all of it is kept in memory.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{CaseId, Digest, Outcome, TrialStatus};
use crate::evidence::{Answered, Observation, OperationSeen, StepObservation, TrialError};
use crate::grading::{CaseResult, GradedTrial};

use super::super::changed_answer::answer_changed;
use super::super::document::{CaseView, Lightened};
use super::super::group::Group;
use super::super::html_case::{OPENABLE_PASSES, PAGE_CASES, weight};
use super::super::trial_view::{AttemptView, ErrorView, ExchangeView, GradeView, OperationView, StepView, TrialView};
use super::ReportInput;

/// Bytes of evidence that are kept in memory of cases that did not pass, and of those that did. A page shows less.
const ROOM: [usize; 2] = [64 << 20, 16 << 20];

/// The cases whose evidence stays in memory: those that a page shows in full.
pub(super) struct Room {
    shown: BTreeSet<CaseId>,
    bytes: [usize; 2],
}

impl Room {
    /// As many as a page has room for, in its order: what needs attention first, and of the passes those first whose answer changed.
    pub(super) fn for_cases<'a>(cases: impl Iterator<Item = (&'a CaseId, Group)>, input: &ReportInput) -> Self {
        let results = input.results.iter().map(|result| (&result.case, result)).collect();
        let (mut passes, mut others): (Vec<_>, Vec<_>) = cases.partition(|(_, group)| *group == Group::Passed);
        others.sort_by_key(|(_, group)| *group);
        if passes.len() > OPENABLE_PASSES {
            passes.sort_by_cached_key(|(case, _)| !may_have_changed(case, &results, input.accepted_answers));
        }
        let shown = others.into_iter().take(PAGE_CASES).chain(passes.into_iter().take(OPENABLE_PASSES));
        Self { shown: shown.map(|(case, _)| case.clone()).collect(), bytes: ROOM }
    }

    /// Whether the evidence of this case stays.
    pub(super) fn take(&mut self, case: &CaseView) -> bool {
        if !self.shown.contains(&case.id) {
            return false;
        }
        let left = &mut self.bytes[usize::from(Group::of(case) == Group::Passed)];
        match left.checked_sub(weight(case, usize::MAX)) {
            Some(rest) => {
                *left = rest;
                true
            }
            None => false,
        }
    }
}

/// Whether a trial answered with another text than was accepted. Two texts can differ and read the same; that is seen later.
fn may_have_changed(
    case: &CaseId,
    results: &BTreeMap<&CaseId, &CaseResult>,
    accepted: &BTreeMap<CaseId, Digest>,
) -> bool {
    let Some(accepted) = accepted.get(case) else { return false };
    let trials = results.get(case).into_iter().flat_map(|result| &result.trials);
    trials.filter_map(|trial| trial.answer.as_ref()).any(|answer| answer != accepted)
}

impl CaseView {
    /// Leaves out what it asks and what its trials rest on, and keeps what lists and counts look at.
    pub(super) fn lighten(&mut self) {
        self.lightened = Some(Lightened { answer_changed: answer_changed(self) });
        let old = self.old_form.iter_mut().flat_map(|old| &mut old.trials);
        self.trials.iter_mut().chain(old).for_each(lighten);
        (self.accepted_output, self.input) = (None, None);
    }
}

fn lighten(trial: &mut TrialView) {
    (trial.output, trial.answer) = (None, None);
    (trial.steps, trial.readings, trial.looks) = Default::default();
    // That a call fits no operation is counted for the whole run.
    trial.exchanges.retain(|exchange| exchange.operation.is_none());
    for exchange in &mut trial.exchanges {
        exchange.request.text.clear();
        exchange.answer = None;
    }
    if trial.status == TrialStatus::Passed {
        trial.grades = Vec::new();
        for operation in &mut trial.operations {
            (operation.evidence, operation.grounds, operation.attempts_seen) = Default::default();
        }
    }
    trial.exchanges.shrink_to_fit();
}

/// The trials as they are shown.
pub(super) fn trial_views(trials: &[GradedTrial]) -> Vec<TrialView> {
    trials.iter().map(trial_view).collect()
}

fn trial_view(trial: &GradedTrial) -> TrialView {
    let observation = &trial.observation;
    let last = observation.last_answer();
    let output = last.map(|answer| Box::new(answer.output.clone()));
    TrialView {
        number: observation.trial,
        status: trial.status,
        duration_ms: observation.duration_ms,
        answer: last
            .filter(|answer| answer.output.as_str() != Some(answer.text.as_str()))
            .map(|answer| answer.text.clone()),
        output,
        unreached: observation.unreached.clone(),
        error: observation.error.as_ref().map(error_view),
        operations: operation_views(trial),
        grades: trial
            .grades
            .iter()
            .map(|grade| GradeView { grader: grade.grader.clone(), pass: grade.pass, message: grade.message.clone() })
            .collect(),
        steps: step_views(observation),
        readings: observation.readings.clone(),
        looks: observation.looks.clone(),
        exchanges: observation.exchanges.iter().map(ExchangeView::from).collect(),
    }
}

fn error_view(error: &TrialError) -> ErrorView {
    ErrorView { kind: error.kind, message: error.message.clone() }
}

/// The steps; the last answer is not repeated in them.
fn step_views(observation: &Observation) -> Vec<StepView> {
    let last_answering = observation.steps.iter().rposition(|step| step.answer.is_some());
    let view = |(index, step): (usize, &StepObservation)| StepView {
        number: step.number,
        kind: step.kind.clone(),
        duration_ms: step.duration_ms,
        http_status: step.http_status,
        answer: step.answer.as_ref().filter(|_| Some(index) != last_answering).map(|answer| answer.text.clone()),
        stderr: step.stderr.clone(),
        failure: step.failure.as_ref().map(error_view),
    };
    observation.steps.iter().enumerate().map(view).collect()
}

fn operation_views(trial: &GradedTrial) -> Vec<OperationView> {
    let seen: BTreeSet<_> = trial.observation.operations.iter().map(|seen| &seen.operation).collect();
    let unseen = trial.claim_checks.keys().filter(|operation| !seen.contains(operation)).map(|operation| {
        // A claim about something that was never observed supports nothing, so nothing is concluded from it.
        OperationSeen {
            operation: operation.clone(),
            outcome: Outcome::Uncertain,
            attempts: Vec::new(),
            effects: 0,
            evidence: vec!["it is claimed, and nothing of it was observed".to_owned()],
        }
    });
    let all: Vec<OperationSeen> = trial.observation.operations.iter().cloned().chain(unseen).collect();
    all.into_iter().map(|seen| operation_view(trial, seen)).collect()
}

fn operation_view(trial: &GradedTrial, seen: OperationSeen) -> OperationView {
    let claim_check = trial.claim_checks.get(&seen.operation).copied();
    OperationView {
        outcome: seen.outcome,
        claim: trial.observation.last_claim(&seen.operation),
        claim_check,
        attempts: seen.attempts.len(),
        effects: seen.effects,
        grounds: seen.grounds().map(str::to_owned).collect(),
        evidence: seen.evidence,
        attempts_seen: seen
            .attempts
            .into_iter()
            .map(|attempt| AttemptView {
                number: attempt.number,
                step: attempt.step,
                identity: attempt.identity,
                fault: attempt.fault,
                answered: (attempt.answered != Answered::NoAnswer).then(|| attempt.answered.to_string()),
                call: attempt.call.as_ref().map(ToString::to_string),
                exchange: attempt.exchange,
                behind: attempt.behind,
            })
            .collect(),
        operation: seen.operation,
    }
}
