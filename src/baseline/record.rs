//! One acceptance, and what a chain of them adds up to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::change::Snapshot;
use crate::domain::{CaseId, CaseStatus, Digest, Risk, RunId};

/// One acceptance as it stands in `baselines/<digest>.json`, in canonical JSON. The file's name is the digest of
/// its bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// `holdpoint.baseline/1`.
    pub schema: String,
    /// The records that it follows: none for the first, two or more where a fork is joined.
    pub parents: Vec<Digest>,
    /// Who accepted.
    pub by: String,
    /// Why.
    pub reason: String,
    /// When, RFC 3339 in UTC.
    pub accepted: String,
    /// The run whose results were accepted.
    pub run: RunId,
    /// The commit that was run, as provenance only: a squash merge may erase it.
    pub commit: Option<String>,
    /// The fingerprint of the parts that were run.
    pub fingerprint: Digest,
    /// Whether the whole run was accepted.
    pub scope: Scope,
    /// The parts as they were; `None` in a partial acceptance, which leaves the earlier snapshot in force.
    pub snapshot: Option<Snapshot>,
    /// The accepted results, by case.
    pub cases: BTreeMap<CaseId, AcceptedCase>,
    /// Cases that the project no longer has and that this acceptance takes out.
    pub removed: Vec<CaseId>,
}

/// How much of a run was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// All of it.
    Run,
    /// Named cases alone.
    Cases,
}

/// One case's accepted result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The outcome of each operation, by its id, of the first trial.
    pub outcomes: BTreeMap<String, String>,
}

/// What a chain of records adds up to.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Baseline {
    /// The records that no other follows. One, but for a fork; none where nothing was ever accepted.
    pub heads: Vec<Digest>,
    /// The accepted results in force, by case.
    pub cases: BTreeMap<CaseId, BaselineEntry>,
    /// The parts as the newest whole acceptance recorded them.
    pub snapshot: Option<Snapshot>,
    /// How many records the chain has.
    pub records: usize,
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
    /// The result.
    pub case: AcceptedCase,
}
