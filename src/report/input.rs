//! What the pipeline hands in for a report.

use std::collections::BTreeMap;

use crate::comparison::Compared;
use crate::domain::{BaselineHealth, CaseId, Digest, RunId, WorkflowId};
use crate::grading::{CaseResult, DoNothing};
use crate::operations::{FailureTable, Scorecard};
use crate::selection::Plan;
use crate::verdict::{Shadow, Verdict};

use super::document::PartView;
use super::trend_view::TrendPoint;

/// Everything that a report is made of. Nothing else is read: the same input gives the same report.
#[derive(Clone, Copy, Debug)]
pub struct ReportInput<'a> {
    /// The run.
    pub run: &'a RunId,
    /// What the project is called.
    pub project: &'a str,
    /// When the run began, RFC 3339.
    pub started: &'a str,
    /// When it ended, RFC 3339.
    pub finished: &'a str,
    /// What was to run, and why.
    pub plan: &'a Plan,
    /// The digest over all manifests and the files that they name.
    pub fingerprint: &'a Digest,
    /// The newest records of the baseline that the run was held against; none where nothing was accepted.
    pub baseline_heads: &'a [Digest],
    /// Whether what was accepted can be read and relied on.
    pub baseline_state: BaselineHealth,
    /// The gate's answer.
    pub verdict: &'a Verdict,
    /// The digest by which an acceptance names the results; none where nothing ran.
    pub results_digest: Option<&'a Digest>,
    /// What the selection would have done, where every case ran to see what it would have missed.
    pub shadow: Option<&'a Shadow>,
    /// Which part of a run this is; `None` for a whole one.
    pub part: Option<&'a PartView>,
    /// Each case's standing, the removed ones among them.
    pub compared: &'a [Compared],
    /// The results of the head forms. A selected case that is missing here is reported as errored: nothing was shown.
    pub results: &'a [CaseResult],
    /// The results of the base forms of edited cases.
    pub old_forms: &'a [CaseResult],
    /// The digest of the answer's text that was accepted earlier, by case.
    pub accepted_answers: &'a BTreeMap<CaseId, Digest>,
    /// Whether a workflow that does nothing would pass, by case.
    pub do_nothing: &'a BTreeMap<CaseId, DoNothing>,
    /// Whether a trial can leave something behind in a target that outlives it, by workflow.
    pub outlives_trials: &'a BTreeMap<WorkflowId, bool>,
    /// How the runs before this one ended on this machine, oldest first.
    pub earlier_runs: &'a [TrendPoint],
    /// What this run does not show, beyond what the report can tell by itself; a sentence each.
    pub limits: &'a [String],
    /// The command that accepts this run, where accepting it is a sensible next step.
    pub accept_command: Option<&'a str>,
    /// What the commands that the report prints need to find the project: empty, or ` --project DIR`.
    pub project_option: &'a str,
}

/// The operator's papers that a report shows.
#[derive(Clone, Debug)]
pub struct Papers {
    /// The scorecard.
    pub scorecard: Scorecard,
    /// The failure table, of the operations that are worth a look.
    pub failures: FailureTable,
}
