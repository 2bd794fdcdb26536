//! What is known of a run before its first trial, and how it ended.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::Snapshot;
use crate::domain::{CaseId, CaseStatus, Digest, ExitCode, Question, Risk, RunId, WorkflowId};
use crate::grading::DoNothing;
use crate::selection::{PartitionBy, RunPart};

/// How the ids of imported runs begin, and what their kind and their verdict are called.
pub const IMPORTED: &str = "imported";

/// What kind of run it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Chosen by changes, and judged against the baseline.
    Gate,
    /// Chosen by hand.
    Run,
    /// What another tool carried out: it can be compared, and it is nobody's baseline.
    Imported,
}

impl RunKind {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Run => "run",
            Self::Imported => IMPORTED,
        }
    }
}

/// A case that a run set out to execute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedCase {
    /// Its set.
    pub set: Risk,
    /// The digest of its head form.
    pub digest: Digest,
    /// What its head form is judged by; unknown in records that were written before it was kept.
    #[serde(default, skip_serializing_if = "Question::is_unknown")]
    pub question: Question,
    /// How many trials of it.
    pub trials: u32,
    /// What holds when it passes; `None` in records that were written before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Arc<str>>,
    /// The workflow it runs against; as `title`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowId>,
    /// Whether the runner sees this workflow's calls, so that no attempt seen means that none was made.
    #[serde(default)]
    pub calls_seen: bool,
    /// Whether a workflow that does nothing would pass it; as `title`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub do_nothing: Option<DoNothing>,
    /// Its form at the base, where that runs too; not in records that were written before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_form: Option<PlannedForm>,
}

/// The form of an edited case that the base has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedForm {
    /// Its digest.
    pub digest: Digest,
    /// What it is judged by.
    pub question: Question,
    /// How many trials of it.
    pub trials: u32,
}

/// What is known of a run before its first trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// The run.
    pub run: RunId,
    /// Gate or run.
    pub kind: RunKind,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// The commit it ran on, where there is one.
    pub commit: Option<String>,
    /// The fingerprint of its parts.
    pub fingerprint: Digest,
    /// Its parts, so that an acceptance can record them.
    pub snapshot: Snapshot,
    /// The digest of its inert files, which the snapshot leaves out; `None` in records that were written before it was kept,
    /// and of imported runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inert: Option<Digest>,
    /// The baseline's heads when it began.
    pub baseline_heads: Vec<Digest>,
    /// The cases that it set out to run. A record has a row for each of them, beside the JSON of the rest.
    #[serde(skip)]
    pub cases: BTreeMap<CaseId, PlannedCase>,
    /// Whether every case was run that any change since the accepted parts puts at risk, so that the run can become the
    /// base of later ones. Not where cases were chosen by hand, or by a base that is not what was accepted.
    pub covers: bool,
    /// Whether the project was paused, so that nothing ran.
    pub paused: bool,
    /// Every case that the project had.
    pub project_cases: BTreeSet<CaseId>,
    /// Where an imported run comes from, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<String>,
    /// What was asked for, so that a run which was cut off can go on; `None` in records that were written before it was
    /// kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
    /// The names of the variables that each workflow was given because they were set, never their values; `None` in records that were
    /// written before it was kept, and of imported runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<BTreeMap<WorkflowId, BTreeSet<String>>>,
    /// Which part of a run this is, where it is not a whole one: `cases` are those of this part alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOfRun>,
    /// The runs that this one was put together from, in the order of their parts; empty for a run that was carried out here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<RunId>,
}

/// Which part of a run it is, and of which run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartOfRun {
    /// Which of how many.
    #[serde(flatten)]
    pub part: RunPart,
    /// By what the run was divided.
    pub by: PartitionBy,
    /// The digest over every case of the whole run and its content: parts of one run have the same.
    pub selection: Digest,
    /// The digest of the durations by which the run was divided, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durations: Option<Digest>,
}

/// What a run was asked for, and what its plan rests on that lies in no file of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The base, as it was named.
    pub base: Option<String>,
    /// The head, as it was named; the working tree where it was not.
    pub head: Option<String>,
    /// The commit that the base came to, whoever named it.
    pub base_commit: Option<String>,
    /// Which cases.
    pub choice: Choice,
    /// Records that must be among the accepted ones.
    pub expected_heads: Vec<Digest>,
    /// At least so many trials of each case.
    pub trials: Option<u32>,
    /// Whether the trials that pass are damaged and graded again.
    pub mutate: bool,
    /// How the cases had ended that did not pass the last time before this run.
    pub not_passed: BTreeMap<CaseId, CaseStatus>,
}

/// Which cases are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Those that the changes put at risk.
    #[default]
    AtRisk,
    /// All of them.
    Everything,
    /// All of them, and the report says what the changes would have chosen and what of the rest failed.
    Shadow,
    /// These, and every case of these sets.
    Named {
        /// Cases by id.
        cases: Vec<String>,
        /// Sets by risk.
        sets: Vec<String>,
    },
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSummary {
    /// When it ended, RFC 3339 in UTC.
    pub finished: String,
    /// The exit code.
    pub exit_code: u8,
    /// The verdict in a word, or `cancelled`, `paused` or `time_limit` where the run ended before its time.
    pub verdict: String,
    /// The digest by which an acceptance names the results; `None` where nothing ran, and in records that were written
    /// before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Digest>,
    /// Why the results say nothing of what was to be tested, a sentence each; empty for a run whose results do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_evidence: Vec<String>,
}

impl RunSummary {
    /// The word for a run that started no more trials because its time was up.
    pub const TIME_LIMIT: &str = "time_limit";

    /// Whether nothing was left of the run to do: it was neither cancelled nor paused, nor was its time up.
    pub fn came_to_its_end(&self) -> bool {
        let unfinished = [ExitCode::Cancelled, ExitCode::Paused].map(ExitCode::number);
        !unfinished.contains(&self.exit_code) && self.verdict != Self::TIME_LIMIT
    }
}
