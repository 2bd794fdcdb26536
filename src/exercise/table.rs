//! What an exercise found: `holdpoint.exercise/1`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{Claim, ClaimCheck, OperationId, Outcome, Risk, WorkflowId};
use crate::manifest::FaultSpec;

use super::calls::LearnedCall;

/// The schema that the table names.
pub const EXERCISE_SCHEMA: &str = "holdpoint.exercise/1";

/// The failure table of a workflow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExerciseTable {
    /// Always [`EXERCISE_SCHEMA`].
    pub schema: String,
    /// The workflow.
    pub workflow: WorkflowId,
    /// The digest over all parts.
    pub fingerprint: String,
    /// What the workflow was given.
    pub input: serde_json::Value,
    /// The files that lay in its state directory, by their paths in the project.
    pub fixtures: Vec<String>,
    /// The same files, by their names in the state directory.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// The time that the workflow was told, where its case fixes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// Whether the workflow was started anew between the two runs of a row.
    #[serde(default = "restarts")]
    pub restarts: bool,
    /// When it began and ended, RFC 3339 in UTC.
    pub started: String,
    /// See `started`.
    pub finished: String,
    /// The calls of the clean run.
    pub calls: Vec<LearnedCall>,
    /// Calls that may leave something behind and that no manifest describes, as `connector: METHOD path`: what would become of
    /// them under faults was not asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_failed: Vec<String>,
    /// The rows, the clean one first.
    pub rows: Vec<RowResult>,
    /// What a reader should know, a sentence each.
    pub remarks: Vec<String>,
}

/// Of a table that does not say.
fn restarts() -> bool {
    true
}

impl ExerciseTable {
    /// How many rows came to this.
    pub fn count(&self, verdict: RowVerdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RowResult {
    /// Its name.
    pub id: String,
    /// The set that a case of it belongs to.
    pub risk: Risk,
    /// Its faults.
    pub faults: Vec<FaultSpec>,
    /// What it came to.
    pub verdict: RowVerdict,
    /// The run under the fault, and what was there after it.
    pub first: RunShown,
    /// The same, and what was there after a restart and a second run.
    pub again: RunShown,
    /// What the second run did about the operations whose calls were failed.
    pub second_run: String,
    /// The rules that could have been broken over both runs and were not, by name.
    pub kept: Vec<String>,
    /// What is wrong under the faults and not without them, each thing once.
    pub findings: Vec<Finding>,
}

/// What a row came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RowVerdict {
    /// Something is wrong.
    Found,
    /// The evidence supports neither that all is well nor that something is wrong.
    Uncertain,
    /// A trial did not come about.
    Errored,
    /// Nothing is wrong that is not wrong without the fault too.
    AsClean,
    /// The fault never fell: the workflow does not get there.
    NotFired,
    /// Nothing is wrong.
    Sound,
}

impl RowVerdict {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Uncertain => "uncertain",
            Self::Errored => "errored",
            Self::AsClean => "as_clean",
            Self::NotFired => "not_fired",
            Self::Sound => "sound",
        }
    }
}

/// What one trial of a row showed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunShown {
    /// The operations.
    pub operations: Vec<OperationShown>,
    /// How runs of the workflow ended badly, where they did: a fault may bring that about.
    pub failures: Vec<String>,
    /// Why the trial itself did not come about.
    pub problem: Option<String>,
}

/// What one trial showed of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationShown {
    /// The operation.
    pub operation: OperationId,
    /// What the evidence supports.
    pub outcome: Outcome,
    /// How many effects the target shows.
    pub effects: usize,
    /// How many attempts were made.
    pub attempts: usize,
    /// What the workflow claims.
    pub claim: Option<Claim>,
    /// The claim against the evidence.
    pub claim_check: ClaimCheck,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The rule that is broken, by name.
    pub rule: String,
    /// The operation.
    pub operation: Option<OperationId>,
    /// Whether the first run shows it already, or the second one only.
    pub after_second_run: bool,
    /// What was seen, in a sentence.
    pub message: String,
}
