//! What a project says of trying again to reach a workflow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often a workflow, or a target that a trial starts, is tried again that could not be reached. Only that is tried
/// again: once anything was sent, an effect may exist, and what came of it is evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetryPolicy {
    /// Tries in all for one start. 1 is no second try.
    #[schemars(range(min = 1, max = 10))]
    pub tries: u32,
    /// Milliseconds before the second try, at the most; each further pause may be twice as long.
    #[schemars(range(min = 0, max = 60_000))]
    pub base_ms: u64,
    /// Milliseconds that no pause exceeds.
    #[schemars(range(min = 0, max = 600_000))]
    pub cap_ms: u64,
    /// Further tries for each trial begun, over the whole run.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub budget_ratio: f64,
    /// Further tries that a run has whatever its size.
    #[schemars(range(min = 0, max = 10_000))]
    pub budget_minimum: u32,
    /// After so many failed tries of one workflow in a row its remaining trials are errored at once.
    #[schemars(range(min = 1, max = 10_000))]
    pub circuit: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { tries: 3, base_ms: 200, cap_ms: 5_000, budget_ratio: 0.2, budget_minimum: 10, circuit: 8 }
    }
}
