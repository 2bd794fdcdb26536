//! One trial as it was observed. Nothing here is judged yet.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::{CaseId, Claim, OperationId, Outcome, PartId};

use super::excerpt::excerpt;
use super::exchange::Exchange;
use super::outcome::attempt_sentence;

/// How much of a target's own words is shown where an answer is named in passing, in characters.
const SHORT: usize = 120;

/// Which form of a case was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The case as the head has it.
    Head,
    /// The case as the base has it, run because it was edited.
    Base,
}

impl Form {
    /// The name used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Base => "base",
        }
    }
}

/// One execution of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The case.
    pub case: CaseId,
    /// Which form of it.
    pub form: Form,
    /// The trial's number, from 1.
    pub trial: u32,
    /// When it began, RFC 3339.
    pub started: String,
    /// How long its steps took together, in milliseconds.
    pub duration_ms: u64,
    /// The steps, in order, up to the first that errored.
    pub steps: Vec<StepObservation>,
    /// The operations that were seen, by what the evidence shows.
    pub operations: Vec<OperationSeen>,
    /// What the probes read after the last step, by the probe's name.
    pub readings: BTreeMap<String, Reading>,
    /// How each of those looks was had.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub looks: BTreeMap<String, LookHad>,
    /// The calls to connectors that the runner passed on, in the order in which they arrived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<Exchange>,
    /// What the `command` graders answered, by the index of their expectation.
    pub judgements: BTreeMap<usize, Judgement>,
    /// The tries that reached neither the workflow nor a target of the trial, in order: nothing was sent in any of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreached: Vec<Unreached>,
    /// Why the trial did not come to an answer.
    pub error: Option<TrialError>,
}

/// A try that reached nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unreached {
    /// What was met instead, in one sentence.
    pub why: String,
    /// What followed: another try after so long, or none and why.
    pub then: String,
}

impl Observation {
    /// Of a trial that began at `started` and of which nothing was seen yet.
    pub fn begun(case: &CaseId, form: Form, trial: u32, started: String) -> Self {
        Self {
            case: case.clone(),
            form,
            trial,
            started,
            duration_ms: 0,
            steps: Vec::new(),
            operations: Vec::new(),
            readings: BTreeMap::new(),
            looks: BTreeMap::new(),
            exchanges: Vec::new(),
            judgements: BTreeMap::new(),
            unreached: Vec::new(),
            error: None,
        }
    }

    /// The answer of the last invoke, where there is one.
    pub fn last_answer(&self) -> Option<&Answer> {
        self.steps.iter().rev().find_map(|step| step.answer.as_ref())
    }

    /// What the workflow last claimed of an operation: a later answer, and a later claim in one answer, stand for
    /// what it holds to be true at the end.
    pub fn last_claim(&self, operation: &OperationId) -> Option<Claim> {
        let answers = self.steps.iter().filter_map(|step| step.answer.as_ref());
        let mut claims = answers.flat_map(|answer| &answer.claims).filter(|made| made.operation == *operation);
        claims.next_back().map(|made| made.claim)
    }
}

/// One step as it was observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepObservation {
    /// Its number, from 1.
    pub number: u32,
    /// `invoke`, `restart` or `clock`.
    pub kind: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// What the workflow answered.
    pub answer: Option<Answer>,
    /// The status of the HTTP answer.
    pub http_status: Option<u16>,
    /// What the program wrote to standard error, capped.
    pub stderr: String,
    /// How it failed, where the case lets the trial go on after that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<TrialError>,
}

/// What a workflow answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The answer as text. Bytes that are no UTF-8 show as U+FFFD.
    pub text: String,
    /// The answer as JSON, where it was read as such.
    pub json: Option<Value>,
    /// What its `output` field says; the whole answer where it has none. What most graders look at.
    pub output: Value,
    /// The claims it makes.
    pub claims: Vec<ClaimMade>,
}

impl Answer {
    /// The output as text: a JSON string as it is, any other value in its JSON form.
    pub fn output_text(&self) -> String {
        match &self.output {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimMade {
    /// The operation.
    pub operation: OperationId,
    /// What is claimed of it.
    pub claim: Claim,
}

/// An operation, its attempts, and what the evidence supports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationSeen {
    /// The operation.
    pub operation: OperationId,
    /// What the evidence supports.
    pub outcome: Outcome,
    /// The attempts that were seen, in order.
    pub attempts: Vec<AttemptSeen>,
    /// How many effects the target shows.
    pub effects: usize,
    /// What the outcome rests on, a sentence each.
    pub evidence: Vec<String>,
}

impl OperationSeen {
    /// What the outcome rests on beside the attempts: what looks at the target showed, and the conclusion. These are
    /// the runner's own words; what a target said of an attempt stands in [`OperationSeen::attempts`].
    pub fn grounds(&self) -> impl Iterator<Item = &str> {
        let of_attempts: BTreeSet<String> = self.attempts.iter().map(attempt_sentence).collect();
        self.evidence.iter().map(String::as_str).filter(move |sentence| !of_attempts.contains(*sentence))
    }
}

/// One attempt at an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttemptSeen {
    /// Its number, from 1, over the whole trial.
    pub number: u32,
    /// The step in which it fell.
    pub step: u32,
    /// What was called; `None` in records that were written before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// The identity that it carried on the wire (an idempotency key, an operation id), where it carried one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// The fault that was laid on it.
    pub fault: Option<String>,
    /// What came back from the target, whether or not it was passed on to the workflow.
    pub answered: Answered,
    /// The number of the exchange that shows it in full, where the runner stood between the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<u32>,
    /// The first later attempt whose request went on to the target before this one's; `None` where they went on in the
    /// order in which they were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<u32>,
}

/// What an attempt called: a connector's operation, whose contract says whether another attempt is permitted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    /// The connector: the id of its manifest.
    pub connector: PartId,
    /// The operation, as that manifest names it.
    pub operation: String,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.connector, self.operation)
    }
}

/// What came back from a target on one attempt, as the runner saw it between the two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answered {
    /// The target says that it is done.
    Committed {
        /// Its receipt, where the answer holds one.
        receipt: Option<String>,
    },
    /// The target says, by its documented signal, that this was done before and gives the earlier result.
    Replayed {
        /// The receipt in it, where there is one.
        receipt: Option<String>,
    },
    /// A refusal that the target's contract documents as leaving nothing behind.
    Refused {
        /// The target's reason.
        reason: String,
    },
    /// Any other answer, a 500 above all: it says nothing of whether the operation was committed.
    Error {
        /// What came, in a few words.
        detail: String,
    },
    /// The attempt reached the target, or may have, and no answer came back.
    NoAnswer,
    /// A fault kept the attempt from the target.
    NotForwarded,
    /// What came back was not written down.
    NotRecorded,
}

impl Answered {
    /// The receipt in the answer, where there is one.
    pub fn receipt(&self) -> Option<&str> {
        match self {
            Self::Committed { receipt } | Self::Replayed { receipt } => receipt.as_deref(),
            _ => None,
        }
    }

    /// Whether the target said that the operation is done, now or before.
    pub fn says_done(&self) -> bool {
        matches!(self, Self::Committed { .. } | Self::Replayed { .. })
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Committed { receipt: None } => f.write_str("committed"),
            Self::Committed { receipt: Some(receipt) } => write!(f, "committed: {}", excerpt(receipt, SHORT)),
            Self::Replayed { receipt: None } => f.write_str("replayed"),
            Self::Replayed { receipt: Some(receipt) } => write!(f, "replayed: {}", excerpt(receipt, SHORT)),
            Self::Refused { reason } => write!(f, "refused: {}", excerpt(reason, SHORT)),
            Self::Error { detail } => write!(f, "error: {}", excerpt(detail, SHORT)),
            Self::NoAnswer => f.write_str("no answer"),
            Self::NotForwarded => f.write_str("not forwarded"),
            Self::NotRecorded => f.write_str("not recorded"),
        }
    }
}

/// What a probe read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// The effects: a row each, by column.
    Effects(Vec<Map<String, Value>>),
    /// The target could not be read; an expectation on it is an error, never a zero.
    Unreadable(String),
}

/// How a look at a target was had.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LookHad {
    /// When its last reading was had, in microseconds since the trial's first step began.
    pub at_us: u64,
    /// How many readings it took.
    pub readings: u32,
    /// Whether it was settled.
    pub settled: bool,
    /// Whether the target is the system of record.
    pub authoritative: bool,
    /// How it settled or why it did not, in one sentence.
    pub why: String,
}

/// What a `command` grader answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// A clear verdict.
    Verdict {
        /// Whether it passes.
        pass: bool,
        /// Its reason.
        message: String,
    },
    /// No clear verdict; the text says what came instead.
    Unclear(String),
}

/// Why a trial did not come to an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialError {
    /// The kind.
    pub kind: ErrorKind,
    /// What happened, in one sentence.
    pub message: String,
}

/// The kinds of error of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The program or the connection could not be started.
    Start,
    /// It took too long.
    Timeout,
    /// It ended with a non-zero exit status or by a signal.
    Exit,
    /// The answer's status was outside 2xx and no expectation is about the status.
    HttpStatus,
    /// The connection failed.
    Transport,
    /// The answer was longer than allowed.
    OutputCap,
    /// The answer could not be read as what it must be.
    Malformed,
    /// A fault that was scheduled never fired.
    FaultNotFired,
    /// The workflow made writing calls after its last step had ended.
    WentOn,
    /// The trial was set up wrongly or its state could not be kept.
    Setup,
    /// The run was cancelled.
    Cancelled,
    /// The run was cut off while the trial was in flight on a target that outlives it: what it did there is not known.
    Interrupted,
}
