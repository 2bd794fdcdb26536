//! What a case can expect of the calls that a workflow makes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{OperationId, Outcome, PartId, Rule};
use crate::manifest::part::CallName;

/// How often an operation is tried, and how long that takes together. Names an operation, or a call: then each operation that
/// makes that call is held against the bounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttemptBounds {
    /// One operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Every operation that makes this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallName>,
    /// At least so many attempts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<u32>,
    /// At most so many attempts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u32>,
    /// Seconds from the beginning of the first attempt to the end of the last, at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub within_s: Option<f64>,
}

/// How long the waits between attempts are. A wait lies between an attempt that did not succeed and the next one in the same
/// step; one that follows a `Retry-After` is `retry_after`'s business and left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackoffCheck {
    /// One operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Every operation that makes this call. Without either, all calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallName>,
    /// No wait is shorter than the one before, and the last is longer than the first, as far as the cap in the manifest
    /// allows. Tolerance: 5 %, at least 10 ms. Needs two waits, and a manifest whose jitter lets each wait be told from the one before.
    #[serde(default)]
    pub grows: bool,
    /// The waits are not exactly what the manifest's backoff gives without chance: at least one falls short of it by more
    /// than 5 % and 10 ms. Needs two waits and a base in the manifest.
    #[serde(default)]
    pub jitter: bool,
    /// Each wait is one that the manifest's backoff and jitter allow. A wait may be 5 % or 10 ms shorter, and half as long again
    /// or 0.5 s longer, for what the machine adds.
    #[serde(default)]
    pub follows_manifest: bool,
    /// Seconds that each wait has at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub at_least_s: Option<f64>,
    /// Seconds that each wait has at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub at_most_s: Option<f64>,
}

/// `retry_after`: `honoured`, or the same for some calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RetryAfterForm {
    /// By every call.
    Word(RetryAfterWord),
    /// By some.
    Some(CallsMeant),
}

/// The one word that `retry_after` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RetryAfterWord {
    /// After a 429 or 503 with `Retry-After` nobody came again sooner.
    Honoured,
}

/// Some calls: an operation's, or those of a connector's operation. Without either, all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallsMeant {
    /// One operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Every operation that makes this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallName>,
}

/// What must not be tried again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoRetry {
    /// One operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Every operation that makes this call. Without either, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallName>,
    /// After what. By default after both.
    #[serde(default = "NoRetryAfter::all")]
    pub after: Vec<NoRetryAfter>,
}

/// After what nothing is to be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoRetryAfter {
    /// After a refusal that the connector's manifest documents, unless it asks to come again later.
    Refused,
    /// After anything that may have been done, where the target would take another attempt for a new request and no look came
    /// before it.
    MayHaveBeenDone,
}

impl NoRetryAfter {
    fn all() -> Vec<Self> {
        vec![Self::Refused, Self::MayHaveBeenDone]
    }
}

/// The one word that `parameters` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParametersWord {
    /// One key never goes with two payloads.
    Unchanged,
}

/// One call that comes before another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Precedence {
    /// The call that comes first: it had ended.
    pub call: CallName,
    /// The call before whose first attempt it had to end.
    pub before: CallName,
}

/// A call that rests on another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// The call that depends: `messaging/send`.
    pub call: CallName,
    /// What it depends on: `inventory/reserve`. Before the call began the workflow had to know that it is done, by its own
    /// answer or by a look.
    pub on: CallName,
    /// What the evidence supports for it in the end, where the call was made.
    #[serde(default = "Dependency::done")]
    pub being: Vec<Outcome>,
}

impl Dependency {
    fn done() -> Vec<Outcome> {
        vec![Outcome::Committed, Outcome::Replayed]
    }
}

/// Every call is one that an action of the permissions manifest consists of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermittedCalls {
    /// The permissions manifest; by default the only one among the parts of the case's workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<PartId>,
    /// Only the actions of this actor count. By default those of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
}

/// How many layers try again: a client library inside a loop multiplies its attempts. A library's own count of retries, which it sends
/// in a header and which begins at 0 again within one intention, shows the layer around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryLayers {
    /// One operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// Every operation that makes this call. Without either, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallName>,
    /// So many layers at the most: 0 for no retry at all, 1 for those of one layer.
    pub at_most: u32,
    /// The header in which the library sends its count, in lower case. It must be recorded.
    #[serde(default = "RetryLayers::default_header")]
    pub header: String,
}

impl RetryLayers {
    fn default_header() -> String {
        "x-stainless-retry-count".to_owned()
    }
}

/// `contract`: `kept`, or some rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ContractForm {
    /// The rules that follow from what targets promise of a request that they get twice.
    Word(ContractWord),
    /// These rules.
    Some(ContractCheck),
}

/// The one word that `contract` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContractWord {
    /// The ten that follow from what targets promise of a request that they get twice.
    Kept,
}

/// Rules that must be kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContractCheck {
    /// The rules.
    #[schemars(length(min = 1))]
    pub keeps: Vec<Rule>,
}

impl ContractForm {
    /// The rules that it means.
    pub fn rules(&self) -> Vec<Rule> {
        match self {
            Self::Word(ContractWord::Kept) => Rule::ALL[..Rule::OF_CONTRACT].to_vec(),
            Self::Some(check) => check.keeps.clone(),
        }
    }
}

impl RetryAfterForm {
    /// The calls that it means.
    pub fn calls(&self) -> CallsMeant {
        match self {
            Self::Word(RetryAfterWord::Honoured) => CallsMeant::default(),
            Self::Some(calls) => calls.clone(),
        }
    }
}
