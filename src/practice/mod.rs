//! The built-in practice workflows: real enough to be tested, small enough to be read, and with nothing outside.
//!
//! A practice workflow gets the same invocation as any other and answers with the same JSON. What it does beyond
//! that a command could not: it says which calls to its connectors it attempted, which scheduled faults fell on
//! them, and what its target's own records show afterwards.

pub mod mesa;
pub mod r618;
pub mod targets;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::domain::{OperationId, PartId};
use crate::evidence::AttemptSeen;
use crate::manifest::{FaultSpec, Part, PracticeName};

/// One invocation of a practice workflow.
#[derive(Clone, Copy, Debug)]
pub struct PracticeCall<'a> {
    /// The invocation, `holdpoint.invoke/1`.
    pub invocation: &'a Value,
    /// The parts of this workflow alone.
    pub parts: &'a BTreeMap<PartId, Part>,
    /// The texts of the parts' files, by part and path. Parts of other workflows may be among them and are not read.
    pub texts: &'a BTreeMap<PartId, BTreeMap<String, String>>,
    /// The trial's own folder. Everything the workflow keeps lies in it.
    pub state_dir: &'a Path,
    /// The faults of the whole trial; each falls on the attempt that it names.
    pub faults: &'a [FaultSpec],
    /// The attempts that earlier invocations of the same trial returned, in order.
    pub attempts_so_far: &'a [PracticeAttempt],
    /// How much the state must survive.
    pub durability: Durability,
}

/// How much a practice workflow's state must survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The state lives as long as the trial, inside one process that throws it away when it ends or is killed.
    /// Nothing could ever read it after a power cut, so nothing waits for the disk.
    Trial,
    /// The state must survive a kill of the process at any point: every commit waits for the disk.
    Process,
}

/// One attempt at a call to a connector.
#[derive(Clone, Debug, PartialEq)]
pub struct PracticeAttempt {
    /// The intended business action.
    pub operation: OperationId,
    /// The connector that was called: the id of its manifest.
    pub connector: PartId,
    /// The connector's operation, as its manifest names it. Faults count attempts by connector and call.
    pub call: String,
    /// What was seen of it. Its number counts the attempts at `operation` over the whole trial.
    pub seen: AttemptSeen,
}

/// What the target's own records show of one operation, read after the invocation was over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetReading {
    /// The intended business action.
    pub operation: OperationId,
    /// How many effects the target holds for it.
    pub effects: usize,
    /// How the target's records stand to what was intended, and to each other.
    pub agreement: Agreement,
    /// Whether the reading is final: no write is in flight and no view lags.
    pub settled: bool,
    /// What the reading rests on, a sentence each, without personal content.
    pub evidence: Vec<String>,
}

/// How the target's records stand to what was intended, and to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// They tell one story, and it is the one that was intended.
    Agrees,
    /// An effect exists with other parameters than were intended.
    OtherParameters,
    /// They contradict each other, so neither presence nor absence is supported.
    Contradictory,
}

/// What a practice workflow answered.
#[derive(Clone, Debug, PartialEq)]
pub struct PracticeAnswer {
    /// The answer as a command would have printed it: one JSON object with `output` and `claims`, unless a seeded
    /// defect spoils it.
    pub text: String,
    /// The attempts of this invocation, in order.
    pub attempts: Vec<PracticeAttempt>,
    /// The indexes in [`PracticeCall::faults`] of the faults that fired.
    pub fired: Vec<usize>,
    /// What the target shows of every operation that it or this trial knows, sorted by operation.
    pub readings: Vec<TargetReading>,
}

/// Why a practice workflow came to no answer at all. A refusal is an answer; this is an outage.
#[derive(Debug, thiserror::Error)]
pub enum PracticeError {
    /// The parts do not describe a workflow that could run.
    #[error("the practice workflow cannot run: {what} ({hint})")]
    Setup {
        /// What is wrong.
        what: String,
        /// What to do about it.
        hint: String,
    },
    /// The state database could not be used.
    #[error("the state database `{path}` cannot be used while {doing}: {source}")]
    Store {
        /// The database file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// SQLite's own words.
        source: rusqlite::Error,
    },
}

/// Invokes a practice workflow once. Pure but for the files in `state_dir`: the time is the invocation's `now`.
///
/// # Errors
/// When the parts do not describe a workflow, or its state cannot be kept.
pub fn invoke(name: PracticeName, call: &PracticeCall<'_>) -> Result<PracticeAnswer, PracticeError> {
    match name {
        PracticeName::Mesa => mesa::invoke(call),
        PracticeName::R618 => r618::invoke(call),
    }
}
