//! Every single fault at every call of a workflow: which trials that takes, and what each of them shows. Pure.
//!
//! The calls are learned from one clean run ([`learn`]). Each call is then failed in each way once ([`rows`]), since
//! faults are found by going through all of a bounded number, not by chance. A row has two trials on targets of their own: one
//! ends after the workflow's run under the fault, so that what it claims then is held against what is there then; the
//! other goes on with a restart and a second run on the same state.

mod calls;
mod judge;
mod kept;
mod points;
mod row;
mod table;

pub use calls::{Learned, LearnedCall, learn};
pub use judge::row_result;
pub use kept::{KeptRow, keep};
pub use row::{Row, Subject, clean, pairs, rows};
pub use table::{EXERCISE_SCHEMA, ExerciseTable, Finding, OperationShown, RowResult, RowVerdict, RunShown};
