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
    /// Where the call fails, relative to the target's commit.
    pub fault: FaultName,
    /// Seconds, for the faults that take time: after how long a `late_commit` lands, how long a `delay` is, what
    /// `Retry-After` an `unavailable` or `rate_limited` carries. Each has its own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 86_400.0))]
    pub seconds: Option<f64>,
}

fn first_attempt() -> u32 {
    1
}

/// Faults, named by where they fall relative to the target's commit.
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
}

impl FaultName {
    /// Every fault.
    pub const ALL: [Self; 8] = [
        Self::FailBeforeCommit,
        Self::LostAck,
        Self::LostRequest,
        Self::LateCommit,
        Self::ErrorAfterCommit,
        Self::Unavailable,
        Self::RateLimited,
        Self::Delay,
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
        }
    }
}
