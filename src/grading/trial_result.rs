//! What of a trial is kept at hand once its evidence is on record: what comparison, acceptance and counting look at, and none of the
//! evidence itself. A run of many cases holds one of these for each trial.

use crate::domain::{Digest, OperationId, Outcome, TrialStatus};
use crate::evidence::{Answer, Observation, Reading};

use super::grade::{Grade, GradedTrial};

/// A trial without its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialResult {
    /// Its number, from 1.
    pub number: u32,
    /// How it ended.
    pub status: TrialStatus,
    /// How long its steps took together, in milliseconds.
    pub duration_ms: u64,
    /// What each grader said, in the order of the case's expectations.
    pub grades: Box<[GraderResult]>,
    /// What the evidence supports for each operation that was seen.
    pub outcomes: Box<[(OperationId, Outcome)]>,
    /// The digest of the text of its last answer, where it answered.
    pub answer: Option<Digest>,
    /// Whether the workflow did nothing that could be seen: no word and no claim in an answer, no call, no attempt, and no effect
    /// that a probe shows.
    pub did_nothing: bool,
}

/// What one grader said, without its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraderResult {
    /// The grader's name, as in [`Grade::grader`].
    pub grader: Box<str>,
    /// Whether it passes, as in [`Grade::pass`].
    pub pass: Option<bool>,
}

impl TrialResult {
    /// What is kept of this trial.
    pub fn of(trial: &GradedTrial) -> Self {
        let observation = &trial.observation;
        let of_grade = |grade: &Grade| GraderResult { grader: grade.grader.as_str().into(), pass: grade.pass };
        let outcomes = observation.operations.iter().map(|seen| (seen.operation.clone(), seen.outcome));
        Self {
            number: observation.trial,
            status: trial.status,
            duration_ms: observation.duration_ms,
            grades: trial.grades.iter().map(of_grade).collect(),
            outcomes: outcomes.collect(),
            answer: observation.last_answer().map(|answer| Digest::of(answer.text.as_bytes())),
            did_nothing: did_nothing(observation),
        }
    }
}

fn did_nothing(seen: &Observation) -> bool {
    let is_silent = |answer: &Answer| {
        answer.claims.is_empty() && answer.output.as_str().is_some_and(|output| output.trim().is_empty())
    };
    let shows_nothing = |reading: &Reading| matches!(reading, Reading::Effects(effects) if effects.is_empty());
    seen.steps.iter().filter_map(|step| step.answer.as_ref()).all(is_silent)
        && seen.exchanges.is_empty()
        && seen.operations.iter().all(|operation| operation.attempts.is_empty() && operation.effects == 0)
        && seen.readings.values().all(shows_nothing)
}
