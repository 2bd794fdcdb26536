//! One trial in `holdpoint.report/1`: its answer, its grades, its operations, and what was seen on the way.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::{Claim, ClaimCheck, Digest, OperationId, Outcome, PartId, TrialStatus};
use crate::evidence::{Delivered, ErrorKind, Exchange, Forwarded, LookHad, Message, Reading, Unreached};

/// One trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialView {
    /// Its number, from 1.
    pub number: u32,
    /// How it ended.
    pub status: TrialStatus,
    /// How long its steps took together, in milliseconds.
    pub duration_ms: u64,
    /// The output of the last answer: a text, or any JSON value; `None` where no answer came.
    pub output: Option<Box<Value>>,
    /// The whole text of the last answer, where that is more than the output.
    pub answer: Option<String>,
    /// The tries that reached neither the workflow nor a target of the trial, in order: nothing was sent in any of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreached: Vec<Unreached>,
    /// Why the trial did not come to an answer.
    pub error: Option<ErrorView>,
    /// The operations, by what the evidence shows.
    pub operations: Vec<OperationView>,
    /// The grades, in the order of the case's expectations.
    pub grades: Vec<GradeView>,
    /// The steps, in order.
    pub steps: Vec<StepView>,
    /// What the probes read after the last step, by the probe's name.
    pub readings: BTreeMap<String, Reading>,
    /// How each of those looks was had.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub looks: BTreeMap<String, LookHad>,
    /// The calls to connectors that the runner passed on, in the order in which they arrived.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<ExchangeView>,
}

/// Why a trial did not come to an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorView {
    /// The kind.
    pub kind: ErrorKind,
    /// What happened, in one sentence.
    pub message: String,
}

/// One step of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepView {
    /// Its number, from 1.
    pub number: u32,
    /// `invoke`, `restart` or `clock`.
    pub kind: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The status of the HTTP answer.
    pub http_status: Option<u16>,
    /// The answer's text, where a later step answered too.
    pub answer: Option<String>,
    /// What the program wrote to standard error, capped.
    pub stderr: String,
    /// How it failed, where the case lets the trial go on after that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ErrorView>,
}

/// One operation: what the evidence supports, and what the workflow claims.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationView {
    /// The operation.
    pub operation: OperationId,
    /// What the evidence supports.
    pub outcome: Outcome,
    /// What the workflow claims of it.
    pub claim: Option<Claim>,
    /// The claim against the evidence.
    pub claim_check: Option<ClaimCheck>,
    /// How many attempts were seen.
    pub attempts: usize,
    /// How many effects the target shows.
    pub effects: usize,
    /// What the outcome rests on, a sentence each.
    pub evidence: Vec<String>,
    /// Of these, what looks at the target showed, and the conclusion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grounds: Vec<String>,
    /// The attempts, in order.
    pub attempts_seen: Vec<AttemptView>,
}

/// One attempt at an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptView {
    /// Its number, from 1, over the whole trial.
    pub number: u32,
    /// The step in which it fell.
    pub step: u32,
    /// The identity that it carried on the wire, where it carried one.
    pub identity: Option<String>,
    /// The fault that was laid on it.
    pub fault: Option<String>,
    /// What the target answered; `None` where no answer came.
    pub answered: Option<String>,
    /// What was called, as `connector/operation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The number of the exchange that shows it in full, where the runner stood between the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<u32>,
    /// The first later attempt whose request went on to the target before this one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<u32>,
}

/// One grade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GradeView {
    /// The grader.
    pub grader: String,
    /// Whether it passes; `None` where the grader came to no judgement.
    pub pass: Option<bool>,
    /// What was expected and what was found.
    pub message: String,
}

/// One call to a connector, as the runner saw it from between the two. Times are microseconds since the trial's first step
/// began. Headers are left out; they stand in the run's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeView {
    /// Its number, from 1, over the whole trial.
    pub number: u32,
    /// The step in which it arrived; 0 where it came between two.
    pub step: u32,
    /// The connector.
    pub connector: PartId,
    /// The operation of its contract; `None` where the contract knows none such.
    pub operation: Option<String>,
    /// The intended operation that it is an attempt at; `None` where it belongs to none.
    pub intention: Option<OperationId>,
    /// The idempotency key that it carried.
    pub key: Option<String>,
    /// The method.
    pub method: String,
    /// The path with its query.
    pub target: String,
    /// When the request arrived.
    pub begun_us: u64,
    /// When the request began to go on to the target; `None` where it never did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_us: Option<u64>,
    /// When the target's answer had arrived as a whole, or was given up.
    pub answered_us: Option<u64>,
    /// When the workflow had its answer, or had gone.
    pub ended_us: u64,
    /// The request's body.
    pub request: BodyView,
    /// Whether the request went on to the target.
    pub forwarded: Forwarded,
    /// The status of the target's answer.
    pub status: Option<u16>,
    /// The body of the target's answer, whether or not it was passed on.
    pub answer: Option<BodyView>,
    /// How much of an answer the workflow got.
    pub delivered: Delivered,
    /// The status that the workflow got.
    pub delivered_status: Option<u16>,
    /// The `Retry-After` that the workflow got with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<String>,
    /// The fault that was laid on it.
    pub fault: Option<String>,
    /// What went wrong on the way, where that was no fault.
    pub problem: Option<String>,
}

/// The body of a request or an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BodyView {
    /// How many bytes it had.
    pub bytes: u64,
    /// The digest of the whole; `None` where it did not arrive as a whole.
    pub digest: Option<Digest>,
    /// The beginning, as text.
    pub text: String,
    /// Whether `text` is less than the whole.
    pub is_cut: bool,
}

impl From<&Message> for BodyView {
    fn from(message: &Message) -> Self {
        Self {
            bytes: message.bytes,
            digest: message.digest.clone(),
            text: message.text.clone(),
            is_cut: message.is_cut,
        }
    }
}

impl From<&Exchange> for ExchangeView {
    fn from(exchange: &Exchange) -> Self {
        Self {
            number: exchange.number,
            step: exchange.step,
            connector: exchange.connector.clone(),
            operation: exchange.operation.clone(),
            intention: exchange.intention.clone(),
            key: exchange.key.clone(),
            method: exchange.method.clone(),
            target: exchange.target.clone(),
            begun_us: exchange.begun_us,
            sent_us: exchange.sent_us,
            answered_us: exchange.answered_us,
            ended_us: exchange.ended_us,
            request: BodyView::from(&exchange.request),
            forwarded: exchange.forwarded,
            status: exchange.status,
            answer: exchange.answer.as_ref().map(BodyView::from),
            delivered: exchange.delivered,
            delivered_status: exchange.delivered_status,
            retry_after: exchange.retry_after.clone(),
            fault: exchange.fault.as_ref().map(|fault| fault.name.clone()),
            problem: exchange.problem.clone(),
        }
    }
}
