//! The values of this room: a grade, a graded trial, and what graders may look at.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::{CaseId, CaseStatus, ClaimCheck, Digest, OperationId, PartId, Question, Risk, TrialStatus};
use crate::evidence::Observation;
use crate::manifest::Part;

use super::trial_result::TrialResult;

/// What a grader may look at beside the observation and the case.
#[derive(Clone, Copy, Debug)]
pub struct GradingContext<'a> {
    /// The head's parts.
    pub parts: &'a BTreeMap<PartId, Part>,
    /// The texts of the parts' files, by part and path.
    pub texts: &'a BTreeMap<PartId, BTreeMap<String, String>>,
}

/// One grader's judgement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grade {
    /// The grader's name, `not ` before it where it was turned round.
    pub grader: String,
    /// Whether it passes; `None` where the grader came to no judgement, which makes the trial errored, also under `not`.
    pub pass: Option<bool>,
    /// What was expected and what was found, in a sentence.
    pub message: String,
}

/// One trial with its grades.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradedTrial {
    /// What was observed.
    pub observation: Observation,
    /// The grades, in the order of the case's expectations.
    pub grades: Vec<Grade>,
    /// Each operation's claim against the evidence.
    pub claim_checks: BTreeMap<OperationId, ClaimCheck>,
    /// How the trial ended.
    pub status: TrialStatus,
}

/// A case that ran, with all trials of one form.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseResult {
    /// The case.
    pub case: CaseId,
    /// Its set.
    pub set: Risk,
    /// The digest of the form that ran.
    pub digest: Digest,
    /// What it was judged by, as it ran.
    pub question: Question,
    /// The trials, by number. What they rest on is on record.
    pub trials: Vec<TrialResult>,
    /// How it ended.
    pub status: CaseStatus,
}
