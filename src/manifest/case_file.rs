//! A case as it stands in its file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::{CaseId, PartId, Risk, WorkflowId};

use super::expectation::Expectation;

/// One case: what goes in, what is done to the workflow meanwhile, and what must hold afterwards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// The case's identity. It never changes, and no other case has it, whatever the letter case.
    pub id: CaseId,
    /// One sentence that says what holds when the case passes.
    pub title: String,
    /// The workflow that the case runs against.
    pub workflow: WorkflowId,
    /// Risks that the case shows beside that of its folder.
    #[serde(default)]
    pub risks: Vec<Risk>,
    /// The sources that the case rests on: ids of source manifests. A case that names none rests on all.
    #[serde(default)]
    pub sources: Vec<PartId>,
    /// How often the case is executed.
    #[serde(default = "one_trial")]
    #[schemars(range(min = 1, max = 10_000))]
    pub trials: u32,
    /// Whether the case is selected whatever changed.
    #[serde(default)]
    pub always: bool,
    /// What the workflow gets as `input`: any data, passed on as it stands and never read as a template.
    pub input: Value,
    /// Files that are copied into the trial's state directory before the first step: the name there, and the
    /// path of the file relative to the case's own folder.
    #[serde(default)]
    pub fixtures: BTreeMap<String, String>,
    /// What is done, in order. By default one invoke.
    #[serde(default = "one_invoke")]
    #[schemars(length(min = 1))]
    pub steps: Vec<Step>,
    /// What is done to the workflow's calls.
    #[serde(default)]
    pub faults: Vec<FaultSpec>,
    /// The time that the workflow is told as `now` at the first step. RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// What must hold. A case that expects nothing is an error.
    #[schemars(length(min = 1))]
    pub expect: Vec<Expectation>,
}

fn one_trial() -> u32 {
    1
}

fn one_invoke() -> Vec<Step> {
    vec![Step { invoke: Some(InvokeStep::default()), restart: None, clock: None }]
}

/// One step: exactly one of its fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub struct Step {
    /// The workflow is invoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invoke: Option<InvokeStep>,
    /// The workflow's process ends and starts anew on the same state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<RestartStep>,
    /// The time that the workflow is told moves on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockStep>,
}

/// An invocation of the workflow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvokeStep {
    /// Fields laid over the case's input for this step alone; the case's input must then be a map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<serde_json::Map<String, Value>>,
    /// Whether the trial goes on where the workflow ends badly or too late in this step. Its answer then counts as
    /// none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_fail: bool,
}

/// A restart: it has no settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestartStep {}

/// Time that passes for the workflow, and for nobody else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockStep {
    /// Seconds to move on by.
    #[schemars(range(min = 1, max = 3_153_600_000_u64))]
    pub advance_s: u64,
}

/// A fault: what is done to one call of the workflow to a connector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultSpec {
    /// The connector's name: the id of its manifest.
    pub connector: PartId,
    /// The operation, as the connector's manifest names it.
    pub operation: String,
    /// Which attempt at that operation, from 1, counted over all steps of the trial.
    #[serde(default = "first_attempt")]
    #[schemars(range(min = 1, max = 1000))]
    pub attempt: u32,
    /// The last attempt on which it falls, for an outage that lasts; by default `attempt` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub through: Option<u32>,
    /// Where the call fails, relative to the target's commit.
    pub fault: FaultName,
    /// Seconds, for the faults that take time: after how long a `late_commit` lands, how long a `delay` or a `stall` is,
    /// how long an `out_of_order` call waits for another one, what `Retry-After` a `status` carries. Each has its own
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 86_400.0))]
    pub seconds: Option<f64>,
    /// How the answer is withheld, for `drop_before`, `lost_ack` and `late_commit`. By default the connection ends;
    /// of a `late_commit` nothing comes until the caller gives up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Withheld>,
    /// The status that is answered, for `status` and for what is withheld by a status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 200, max = 599))]
    pub status: Option<u16>,
    /// The body that is answered, for `replace_body` and `status`: a text as it is, any other value as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// Where in the answer, for `inject_text`: a JSON pointer (RFC 6901) to a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The text that `inject_text` adds there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How many bytes of the answer's body are let through, for the truncations and `stall`. By default about half.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_bytes: Option<u64>,
}

impl FaultSpec {
    /// A fault with nothing but its place and its name.
    pub fn new(connector: impl Into<PartId>, operation: impl Into<String>, attempt: u32, fault: FaultName) -> Self {
        Self {
            connector: connector.into(),
            operation: operation.into(),
            attempt,
            through: None,
            fault,
            seconds: None,
            by: None,
            status: None,
            body: None,
            pointer: None,
            text: None,
            keep_bytes: None,
        }
    }
}

/// How an answer is withheld from the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Withheld {
    /// The connection ends without an answer.
    Reset,
    /// Nothing comes until the caller gives up.
    Timeout,
    /// A gateway's status comes in its place: 504, or what `status` says.
    Status,
}

fn first_attempt() -> u32 {
    1
}

/// Faults, named by where they fall relative to the target's commit.
///
/// The practice workflows and their targets know the first eight, in the target itself. On the way between any other
/// workflow and its targets all work but `fail_before_commit`, which only a target can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultName {
    /// The call fails inside the target before it commits: nothing may remain.
    FailBeforeCommit,
    /// The target commits, and the answer never arrives.
    LostAck,
    /// The request never arrives, and no answer comes: to the caller the same sight as `lost_ack`.
    LostRequest,
    /// No answer comes, and the write lands only after the caller has given up.
    LateCommit,
    /// The target commits, and answers with a 500.
    ErrorAfterCommit,
    /// The target answers 503 with `Retry-After`, and commits nothing.
    Unavailable,
    /// The target answers 429 with `Retry-After`, and commits nothing.
    RateLimited,
    /// The answer comes later than usual; if later than the caller waits, it never sees it.
    Delay,
    /// The request is never forwarded, and the connection ends without an answer.
    DropBefore,
    /// The connection ends as soon as it is made: the request is not even read.
    Refuse,
    /// A status is answered in the target's place, and nothing is forwarded.
    Status,
    /// The target gets the request twice; the caller gets the first answer.
    DuplicateDelivery,
    /// The answer begins and then stands still.
    Stall,
    /// The answer's body ends early, and its end looks like an end.
    TruncateClean,
    /// The answer's body ends early because the connection breaks.
    TruncateAbrupt,
    /// The answer's body is no JSON any more.
    CorruptJson,
    /// The answer has another body.
    ReplaceBody,
    /// A text in the answer says something more.
    InjectText,
    /// The request is forwarded only after a later one was.
    OutOfOrder,
}

impl FaultName {
    /// Every fault.
    pub const ALL: [Self; 19] = [
        Self::FailBeforeCommit,
        Self::LostAck,
        Self::LostRequest,
        Self::LateCommit,
        Self::ErrorAfterCommit,
        Self::Unavailable,
        Self::RateLimited,
        Self::Delay,
        Self::DropBefore,
        Self::Refuse,
        Self::Status,
        Self::DuplicateDelivery,
        Self::Stall,
        Self::TruncateClean,
        Self::TruncateAbrupt,
        Self::CorruptJson,
        Self::ReplaceBody,
        Self::InjectText,
        Self::OutOfOrder,
    ];

    /// The name used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::FailBeforeCommit => "fail_before_commit",
            Self::LostAck => "lost_ack",
            Self::LostRequest => "lost_request",
            Self::LateCommit => "late_commit",
            Self::ErrorAfterCommit => "error_after_commit",
            Self::Unavailable => "unavailable",
            Self::RateLimited => "rate_limited",
            Self::Delay => "delay",
            Self::DropBefore => "drop_before",
            Self::Refuse => "refuse",
            Self::Status => "status",
            Self::DuplicateDelivery => "duplicate_delivery",
            Self::Stall => "stall",
            Self::TruncateClean => "truncate_clean",
            Self::TruncateAbrupt => "truncate_abrupt",
            Self::CorruptJson => "corrupt_json",
            Self::ReplaceBody => "replace_body",
            Self::InjectText => "inject_text",
            Self::OutOfOrder => "out_of_order",
        }
    }

    /// Whether the practice workflows and their targets can do it.
    pub fn is_known_to_practice(self) -> bool {
        matches!(
            self,
            Self::FailBeforeCommit
                | Self::LostAck
                | Self::LostRequest
                | Self::LateCommit
                | Self::ErrorAfterCommit
                | Self::Unavailable
                | Self::RateLimited
                | Self::Delay
        )
    }
}
