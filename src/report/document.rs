//! `holdpoint.report/1`: the document of a run that every form of the report is rendered from.
//!
//! The field names are a contract: fields are added, never renamed or taken away.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::change::{ChangeKind, Direction, Side};
use crate::comparison::{Ended, GradeChange, OutcomeChange, Standing, Tries};
use crate::domain::{Aspect, BaselineHealth, CaseId, CaseStatus, Digest, PartId, Risk, RunId, WorkflowId};
use crate::grading::DoNothing;
use crate::operations::{FailureRow, Scorecard};
use crate::verdict::VerdictWord;

use super::input::Papers;
use super::set_view::SetView;
use super::shadow_view::ShadowView;
use super::trend_view::TrendPoint;
use super::trial_view::TrialView;

/// The value of [`ReportDocument::schema`].
pub const REPORT_SCHEMA: &str = "holdpoint.report/1";

/// A whole run as its readers see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportDocument {
    /// [`REPORT_SCHEMA`].
    pub schema: String,
    /// The run.
    pub run: RunId,
    /// What the project is called.
    pub project: String,
    /// When the run began, RFC 3339.
    pub started: String,
    /// When it ended, RFC 3339.
    pub finished: String,
    /// The gate's answer in a word.
    pub verdict: VerdictWord,
    /// The exit code that goes with it.
    pub exit_code: u8,
    /// Every reason against a pass, strongest first.
    pub verdict_reasons: Vec<ReasonView>,
    /// What is no reason against a pass and a reader should know all the same, a sentence each.
    pub verdict_notes: Vec<String>,
    /// The base.
    pub base: Side,
    /// The head.
    pub head: Side,
    /// The digest over all manifests and the files that they name.
    pub fingerprint: Digest,
    /// The newest records of the baseline that the run was held against.
    pub baseline_heads: Vec<Digest>,
    /// Whether what was accepted can be read and relied on.
    #[serde(default)]
    pub baseline_state: BaselineHealth,
    /// The digest by which `baseline accept --reviewed` names these results; none where nothing ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results_digest: Option<Digest>,
    /// What the selection would have done, where every case ran to see what it would have missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<ShadowView>,
    /// Which part of a run this is. A part is no verdict of the whole; absent where the run is whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartView>,
    /// `selective` or `all`.
    pub mode: String,
    /// Why, in one sentence.
    pub mode_reason: String,
    /// What changed, with the risks that the rules read from it.
    pub changes: Vec<ChangeView>,
    /// Paths that no rule knows.
    pub unclassified: Vec<String>,
    /// Risks without a case.
    pub uncovered: Vec<UncoveredView>,
    /// Parts whose version was raised though nothing else in them changed.
    pub bumps_without_change: Vec<PartId>,
    /// Parts that changed though their version did not.
    pub changes_without_bump: Vec<PartId>,
    /// Changed paths outside the project's folder; they were not looked at.
    pub outside_project: usize,
    /// How many cases ended how.
    pub counts: Counts,
    /// How many cases stand how against the baseline.
    pub comparison: ComparisonCounts,
    /// What the passes say of the workflow, in one sentence: never more than their number supports.
    #[serde(default)]
    pub evidence_statement: String,
    /// What the counts of each set support, by set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<SetView>,
    /// The cases that were to run, by id.
    pub cases: Vec<CaseView>,
    /// The cases that did not run, by id.
    pub excluded: Vec<ExcludedView>,
    /// The cases that the baseline knows and the project no longer has, by id.
    pub removed: Vec<RemovedView>,
    /// How the runs on this machine ended, oldest first, this one last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trend: Vec<TrendPoint>,
    /// What came of the work and what it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scorecard: Option<Scorecard>,
    /// The operations that are worth a look, with what to do about each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure_table: Vec<FailureRow>,
    /// What this run does not show, a sentence each.
    pub limits: Vec<String>,
    /// The command that accepts this run, where that is a sensible next step.
    pub accept_command: Option<String>,
    /// What commands need behind `holdpoint` to find the project: empty, or ` --project DIR`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub project_option: String,
}

impl ReportDocument {
    /// Puts the operator's papers of the run into it.
    pub fn show_papers(&mut self, papers: Papers) {
        self.scorecard = Some(papers.scorecard);
        self.failure_table = papers.failures.rows;
    }
}

/// Which part of a run a report is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartView {
    /// Which part, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
    /// By what the run was divided: `hash` or `durations`.
    pub by: String,
    /// The digest over every case of the whole run and its content.
    pub selection: Digest,
    /// How many cases other parts run. The report's counts are of this part's own cases.
    pub elsewhere: usize,
}

/// One reason against a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReasonView {
    /// The exit code that this reason alone would give.
    pub exit_code: u8,
    /// The reason in one sentence.
    pub text: String,
}

/// One change. The same in `holdpoint.plan/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeView {
    /// What kind of thing changed.
    pub kind: ChangeKind,
    /// The part, where it is one's.
    pub part: Option<PartId>,
    /// The case, where it is one's.
    pub case: Option<CaseId>,
    /// The facet's path, `file:<path>`, or `*` for everything.
    pub facet: Option<String>,
    /// Which way.
    pub change: Direction,
    /// The base's value; for a file its digest.
    pub from: Option<Value>,
    /// The head's value; for a file its digest.
    pub to: Option<Value>,
    /// The paths it shows in.
    pub paths: Vec<String>,
    /// The risks it brings.
    pub risks: Vec<Risk>,
}

/// A risk that a change puts on a part, for which no case exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UncoveredView {
    /// The part.
    pub part: PartId,
    /// The risk.
    pub risk: Risk,
    /// The command that scaffolds the missing case.
    pub command: String,
    /// Whether no workflow lists the part: then it may only have to be listed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unused: bool,
}

impl UncoveredView {
    /// What may be all that is lacking, where no workflow lists the part.
    pub(super) fn unlisted(&self) -> Option<String> {
        let part = &self.part;
        self.unused
            .then(|| format!("no workflow uses {part}: list it under the `parts` of the one that does, or remove it"))
    }
}

/// How many cases ended how. `passed + failed + errored + uncertain + flaky = selected` and
/// `selected + inherited + not_run = total`: an errored case never leaves the denominator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Cases that were to run.
    pub selected: usize,
    /// All trials passed.
    pub passed: usize,
    /// All trials failed.
    pub failed: usize,
    /// At least one trial errored, or none was finished.
    pub errored: usize,
    /// At least one trial was uncertain.
    pub uncertain: usize,
    /// Some trials passed and some failed.
    pub flaky: usize,
    /// Cases that did not run and stand on an accepted result.
    pub inherited: usize,
    /// Cases that did not run and have no accepted result to stand on.
    pub not_run: usize,
    /// Cases of the project.
    pub total: usize,
    /// Trials that were executed, of the head forms.
    pub trials: usize,
}

/// How many cases stand how against the baseline. The sum of all fields but `removed` is [`Counts::total`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonCounts {
    /// See [`Standing::Regressed`].
    pub regressed: usize,
    /// See [`Standing::Fixed`].
    pub fixed: usize,
    /// See [`Standing::Unchanged`].
    pub unchanged: usize,
    /// See [`Standing::KnownFailure`].
    pub known_failure: usize,
    /// See [`Standing::New`].
    pub new: usize,
    /// See [`Standing::Removed`].
    pub removed: usize,
    /// See [`Standing::ExpectationChanged`].
    pub expectation_changed: usize,
    /// See [`Standing::Flaky`].
    #[serde(default)]
    pub flaky: usize,
    /// See [`Standing::Errored`].
    #[serde(default)]
    pub errored: usize,
    /// See [`Standing::Uncertain`].
    #[serde(default)]
    pub uncertain: usize,
    /// See [`Standing::NotComparable`].
    pub not_comparable: usize,
    /// See [`Standing::Inherited`].
    pub inherited: usize,
    /// See [`Standing::NoBaseline`].
    pub no_baseline: usize,
}

/// One case that was to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseView {
    /// The case.
    pub id: CaseId,
    /// Its set.
    pub set: Risk,
    /// What holds when it passes.
    pub title: Arc<str>,
    /// The workflow it runs against; `None` where the head no longer has the case.
    pub workflow: Option<WorkflowId>,
    /// Its file.
    pub path: Option<String>,
    /// The line of its `id`.
    pub line: Option<usize>,
    /// Why it ran.
    pub reasons: Vec<String>,
    /// How it ended.
    pub status: CaseStatus,
    /// How it stands against its baseline.
    pub comparison: Standing,
    /// Why it stands so, in one sentence.
    pub why: Arc<str>,
    /// In what the result and the accepted one do not speak of the same thing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<Aspect>,
    /// The expectations that held at acceptance and do not now, or the other way round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_grades: Vec<GradeChange>,
    /// The operations that came out otherwise than at acceptance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_outcomes: Vec<OutcomeChange>,
    /// How it ended at acceptance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Ended>,
    /// How many of its trials passed; `None` where none was finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<Ended>,
    /// What further tries would come to, where it has several trials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tries: Vec<Tries>,
    /// Whether a workflow that does nothing would pass it too: then its pass shows nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub do_nothing: Option<DoNothing>,
    /// Whether it did not pass and its set's policy tolerates that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tolerated: bool,
    /// What the workflow got.
    #[schemars(with = "Value")]
    pub input: Option<Box<Value>>,
    /// What was done to its calls, in words.
    pub faults: Vec<String>,
    /// Whether a trial can leave something behind in a target that outlives it; nothing where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlives_trials: Option<bool>,
    /// The answer that was accepted earlier.
    pub accepted_output: Option<String>,
    /// The trials, by number.
    pub trials: Vec<TrialView>,
    /// The case in the form that the base has, where it was edited.
    pub old_form: Option<OldFormView>,
    /// Set where the evidence is not at hand: it stands in the document as it was written, and is left out here.
    #[serde(skip)]
    pub(super) lightened: Option<Lightened>,
}

impl CaseView {
    /// What the workflow got; nothing where that is not at hand.
    pub(super) fn asked(&self) -> &Value {
        self.input.as_deref().unwrap_or(&Value::Null)
    }
}

/// What is known of a case from the evidence that is not at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lightened {
    /// Whether a trial answered otherwise than was accepted.
    pub(super) answer_changed: bool,
}

/// An edited case as it ran in its old form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OldFormView {
    /// How it ended.
    pub status: CaseStatus,
    /// The trials, by number.
    pub trials: Vec<TrialView>,
}

/// A case that did not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExcludedView {
    /// The case.
    pub case: CaseId,
    /// Its set.
    pub set: Risk,
    /// Why it did not run.
    pub reason: String,
    /// The accepted result that it stands on. It is inherited, and never counted as passed.
    pub inherited: Option<InheritedView>,
}

/// An accepted result that a case stands on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InheritedView {
    /// The record that holds it.
    pub record: Digest,
    /// When it was accepted, RFC 3339.
    pub accepted: String,
    /// How many days before this run ended; `None` where that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_days: Option<u64>,
    /// How many acceptances and revocations came after it.
    #[serde(default)]
    pub acceptances_since: usize,
    /// What it was.
    pub status: CaseStatus,
}

/// A case that the baseline knows and the project no longer has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemovedView {
    /// The case.
    pub case: CaseId,
    /// Its set.
    pub set: Risk,
    /// What is known of it, in one sentence.
    pub why: String,
}
