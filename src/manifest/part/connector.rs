//! The manifest of a connector: a system that the workflow acts on, and what that system promises.
//!
//! Targets promise different things (how long an idempotency key holds, whether a failure is kept, how a replay
//! shows), so a contract is stated here for each operation and never assumed.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::PartId;

use super::PartKind;

/// A system that the workflow acts on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectorManifest {
    /// The part's identity. It never changes, and no other part has it, whatever the letter case.
    pub id: PartId,
    /// Always `connector` here.
    #[schemars(extend("const" = "connector"))]
    pub kind: PartKind,
    /// The version of this record, raised with every change.
    pub version: String,
    /// What the part is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Further settings, of the provider or of a practice workflow. Each leaf is a facet like any other.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// The release of the target's own interface, as the target names it.
    pub release: String,
    /// Where the target listens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// What can be asked of it, by name.
    #[schemars(extend("minProperties" = 1))]
    pub operations: BTreeMap<String, Operation>,
}

/// One operation of a connector, and its contract.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// What it leaves behind in the target.
    pub effect: Effect,
    /// What the target promises of a request that it gets twice.
    #[serde(default)]
    pub idempotency: Idempotency,
    /// How to find out afterwards what happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookup: Option<Lookup>,
    /// When the target is done with what it took in. Not stated: nothing bounds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processing: Option<Processing>,
    /// How the workflow tries again.
    #[serde(default)]
    pub retry: Retry,
    /// How its calls look on the wire, so that each can be told from the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<Wire>,
    /// What must be known to be done before this may be asked for, as `connector/operation`: no confirmation before the
    /// reservation that it confirms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<CallName>,
}

/// The name of a connector's operation: the id of the connector's manifest, a slash, and the operation as that manifest
/// names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CallName(String);

impl CallName {
    /// Takes the text as it is; whether it leads anywhere is checked over the whole project.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The connector and the operation; `None` where the text is not of that form.
    pub fn parts(&self) -> Option<(&str, &str)> {
        let (connector, operation) = self.0.split_once('/')?;
        (!connector.is_empty() && !operation.is_empty()).then_some((connector, operation))
    }
}

impl fmt::Display for CallName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// How a call looks on the wire. Where `intention` says where the business identity stands, the calls that carry the
/// same one are attempts at one operation, called `<operation>:<identity>`. Where it does not, the same request is taken
/// for the same intention.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    /// The request's method, in capitals.
    pub method: String,
    /// The request's path below the connector's address. A segment in braces, as in `/orders/{order}`, stands for any
    /// one segment and gives it a name; a last segment `**` stands for any rest. The query takes no part.
    pub path: String,
    /// Where the request carries the identity of what is intended: the same over all attempts at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intention: Option<Place>,
    /// Where the request carries its idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Place>,
    /// Where the answer carries the receipt: a JSON pointer (RFC 6901).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    /// The statuses by which the target refuses, and leaves nothing behind. Any other status from 400 on says nothing of
    /// whether something was done.
    #[serde(default)]
    pub refused: Vec<u16>,
    /// The status by which the target says that the first request with this key still runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<u16>,
}

/// Where a request carries a value: exactly one of its fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Place {
    /// In a header of this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// In the JSON body, at this JSON pointer (RFC 6901).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// In the segment of the path that `path` gives this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<String>,
    /// In the query, under this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

/// What an operation leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing: it only reads.
    None,
    /// A new record.
    Create,
    /// A changed record.
    Update,
    /// A record less.
    Delete,
    /// A message to someone, which nothing takes back.
    Send,
}

/// What the target promises of a request that it gets twice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Idempotency {
    /// Who names the request.
    #[serde(default)]
    pub key: IdempotencyKey,
    /// What the key is unique within, in the target's words: an account, an endpoint, a region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Seconds for which the target remembers a key. Past them a retry is a new request, so look instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub window_s: Option<u64>,
    /// The most characters that a key may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_key_length: Option<u32>,
    /// Which answers the target keeps for a key and gives again.
    #[serde(default)]
    pub keeps: KeptAnswers,
    /// How the target answers the same key with another payload.
    #[serde(default)]
    pub mismatch: AnswerToMismatch,
    /// How the target answers the same key while the first request still runs.
    #[serde(default)]
    pub in_flight: AnswerInFlight,
    /// How an answer shows that it is a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_signal: Option<ReplaySignal>,
}

/// Who names a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdempotencyKey {
    /// Nobody: each request stands for itself.
    #[default]
    None,
    /// The caller sends a key.
    Caller,
    /// The target takes the request's own content for its key.
    Content,
    /// The record's own identity is the key: to write it twice is to write it once.
    Resource,
}

/// Which answers a target keeps for a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeptAnswers {
    /// Not stated.
    #[default]
    Unstated,
    /// Only answers that report success; after a failure the request runs again.
    Successes,
    /// Every answer of a request that began to run, failures included.
    All,
}

/// How a target answers the same key with another payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerToMismatch {
    /// Not stated.
    #[default]
    Unstated,
    /// It refuses.
    Refuse,
    /// It gives the first answer, whatever the second request says.
    FirstAnswer,
    /// It runs the second request as a new one.
    RunAgain,
}

/// How a target answers the same key while the first request still runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerInFlight {
    /// Not stated.
    #[default]
    Unstated,
    /// It says that the first is under way; the caller asks again later.
    Conflict,
    /// It waits, and gives the first one's answer.
    Wait,
    /// It runs both.
    RunAgain,
}

/// How an answer shows that it is a replay: a header or a field of the body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct ReplaySignal {
    /// The name of a header that says `true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// The name of a field of the answer that says `true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

/// How to find out what became of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lookup {
    /// What it looks by: an idempotency key, a record's id, a field of the request.
    pub by: String,
    /// Whether the answer is the system of record's own, or a view that may lag or leave out.
    #[serde(default)]
    pub authoritative: bool,
    /// Seconds by which the view may lag behind a write.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub lag_s: f64,
}

/// When a target is done with what it took in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Processing {
    /// Whether it answers as soon as it has taken a request in (202), before the effect exists.
    #[serde(default)]
    pub accepts_first: bool,
    /// Seconds after which nothing that it was sent can still take effect, whether or not an answer arrived.
    #[schemars(range(min = 0.0))]
    pub within_s: f64,
}

/// How the workflow tries again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// How often it tries in all; 1 means no retry.
    #[serde(default = "one_attempt")]
    #[schemars(range(min = 1, max = 1000))]
    pub attempts: u32,
    /// Seconds that all attempts and the waits between them may take together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub budget_s: Option<f64>,
    /// How long it waits in between.
    #[serde(default)]
    pub backoff: Backoff,
    /// How chance spreads the waits.
    #[serde(default)]
    pub jitter: Jitter,
    /// Whether it waits as long as the target's `Retry-After` says.
    #[serde(default)]
    pub honour_retry_after: bool,
    /// What it tries again after. An empty list means after any failure.
    #[serde(default)]
    pub on: Vec<RetryOn>,
}

fn one_attempt() -> u32 {
    1
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: one_attempt(),
            budget_s: None,
            backoff: Backoff::default(),
            jitter: Jitter::default(),
            honour_retry_after: false,
            on: Vec::new(),
        }
    }
}

/// How long a retry waits: min(cap, base · factor^n) before retry n, counted from 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Backoff {
    /// Seconds before the first retry.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub base_s: f64,
    /// By how much each wait is longer than the one before; 1 means that all are equal.
    #[serde(default = "doubling")]
    #[schemars(range(min = 1.0))]
    pub factor: f64,
    /// The longest wait in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub cap_s: Option<f64>,
}

fn doubling() -> f64 {
    2.0
}

impl Default for Backoff {
    fn default() -> Self {
        Self { base_s: 0.0, factor: doubling(), cap_s: None }
    }
}

/// How chance spreads a wait v.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Jitter {
    /// Not at all: v.
    #[default]
    None,
    /// Anything from 0 to v.
    Full,
    /// Half of v, and anything up to the other half.
    Equal,
    /// Anything from the base to three times the wait before, at most the cap.
    Decorrelated,
}

/// What a retry follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RetryOn {
    /// No connection came about: the target saw nothing.
    ConnectFailed,
    /// The connection ended without an answer: the target may have acted.
    ConnectionLost,
    /// No answer came in time: the target may have acted.
    Timeout,
    /// The target says that the first request still runs.
    InFlight,
    /// The target asks to slow down (429).
    RateLimited,
    /// The target failed inside (5xx): it may have acted.
    ServerError,
}
