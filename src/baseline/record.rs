//! One acceptance, and what a chain of them adds up to.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::Snapshot;
use crate::domain::{CaseId, CaseStatus, Digest, Question, Risk, RunId, canonical_json};
use crate::manifest::Project;
use crate::selection::Inherited;

use super::recorded_parts::RecordedSnapshot;

/// The format of records that this version writes.
pub const RECORD_SCHEMA: &str = "holdpoint.baseline/2";

/// The formats of records that this version reads: every one that was ever written. Format 1 has the parts in full.
pub const READ_SCHEMAS: [&str; 2] = ["holdpoint.baseline/1", RECORD_SCHEMA];

/// What records refer to by digest, each kept once in a file of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The texts of accepted answers.
    pub outputs: BTreeMap<Digest, String>,
    /// The texts of parts.
    pub parts: BTreeMap<Digest, String>,
}

/// One acceptance as it stands in `baselines/<digest>.json`, in canonical JSON. The file's name is the digest of
/// its bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// [`RECORD_SCHEMA`], or an older one.
    pub schema: String,
    /// The records that it follows: none for the first, two or more where a fork is joined.
    pub parents: Vec<Digest>,
    /// Who accepted.
    pub by: String,
    /// Why.
    pub reason: String,
    /// When, RFC 3339 in UTC.
    pub accepted: String,
    /// The run whose results were accepted; in a revocation that of the first record it revokes.
    pub run: RunId,
    /// The digest of the run's results as they were reviewed; `None` in revocations, and in records that were written before
    /// it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed: Option<Digest>,
    /// The commit that was run, as provenance only: a squash merge may erase it.
    pub commit: Option<String>,
    /// The fingerprint of the parts that were run.
    pub fingerprint: Digest,
    /// How much of the run was accepted.
    pub scope: Scope,
    /// The parts as they were; `None` where cases were left out that a change since the earlier snapshot puts at risk,
    /// by naming others or by a run that did not cover them: the earlier snapshot stays in force.
    pub snapshot: Option<RecordedSnapshot>,
    /// The accepted results, by case.
    pub cases: BTreeMap<CaseId, AcceptedCase>,
    /// Cases that the project no longer has and that this acceptance takes out.
    pub removed: Vec<CaseId>,
    /// Earlier records that this one takes out of force again: what they accepted counts as never accepted, and what
    /// was in force before them is in force again. A revocation can be revoked in turn.
    pub revokes: Vec<Digest>,
}

impl Record {
    /// The record's text, byte for byte as it stands in its file.
    ///
    /// # Errors
    /// Never for a record that was built here; JSON has no form for some values that a hand-made one could hold.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_value(self).map(|value| canonical_json(&value))
    }
}

/// How much of a run was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// All of it.
    Run,
    /// Named cases alone.
    Cases,
    /// None of it: earlier records are taken out of force.
    Revocation,
}

/// One case's accepted result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptedCase {
    /// Its set.
    pub set: Risk,
    /// The digest of the case as it ran.
    pub digest: Digest,
    /// How it ended.
    pub status: CaseStatus,
    /// Trials by how they ended: passed, of how many.
    pub passed: u32,
    /// Trials in all.
    pub trials: u32,
    /// The digest of the last answer's text of the first trial, kept in `baselines/outputs/<digest>.txt`.
    pub output: Option<Digest>,
    /// The outcome of each operation, by its id: of the first trial, unless a later one shows more harm.
    pub outcomes: BTreeMap<String, String>,
    /// Which of the case's expectations some trial failed, by index, sorted. Empty for a case that passed, and in records
    /// that were written before it was kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<usize>,
    /// What the result was judged by; unknown in records that were written before it was kept.
    #[serde(default, skip_serializing_if = "Question::is_unknown")]
    pub question: Question,
}

/// What a chain of records adds up to.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Baseline {
    /// The records that no other follows. One, but for a fork; none where nothing was ever accepted.
    pub heads: Vec<Digest>,
    /// The accepted results in force, by case.
    pub cases: BTreeMap<CaseId, BaselineEntry>,
    /// The parts as the newest acceptance recorded them that covered all changes since the one before.
    pub snapshot: Option<Snapshot>,
    /// How many records the chain has.
    pub records: usize,
    /// What two branches of a fork accepted differently. Until a later acceptance joins them, the newer one counts.
    pub conflicts: Vec<ForkConflict>,
}

impl Baseline {
    /// Whether no accepted result is in force: none was ever accepted, or all were revoked.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// What each case of the project can inherit, as the plan needs it.
    pub fn inherited(&self, project: &Project) -> BTreeMap<CaseId, Inherited> {
        let same_file = self.recorded_project_file(&project.file_digest);
        let inherited = |id: &CaseId, entry: &BaselineEntry| Inherited {
            record: entry.record.clone(),
            accepted: entry.accepted.clone(),
            acceptances_since: entry.acceptances_since,
            status: entry.case.status,
            digest: entry.case.digest.clone(),
            judged_otherwise: project
                .cases
                .get(id)
                .is_some_and(|case| !entry.case.judged_otherwise(&case.question, same_file).is_empty()),
        };
        self.cases.iter().map(|(id, entry)| (id.clone(), inherited(id, entry))).collect()
    }

    /// Whether the project file is the one that was accepted.
    pub fn recorded_project_file(&self, now: &Digest) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.project_file == *now)
    }
}

/// Something that records on different branches say differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkConflict {
    /// The case; `None` for the snapshot of the parts.
    pub case: Option<CaseId>,
    /// The record that counts.
    pub taken: Digest,
    /// The records that say otherwise.
    pub others: Vec<Digest>,
}

/// One case's accepted result with where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineEntry {
    /// The record.
    pub record: Digest,
    /// When it was accepted.
    pub accepted: String,
    /// Who accepted it.
    pub by: String,
    /// How many acceptances and revocations came after it.
    pub acceptances_since: usize,
    /// The result.
    pub case: AcceptedCase,
}
