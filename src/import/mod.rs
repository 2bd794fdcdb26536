//! What one has, brought over: the tests, runs and records of other tools. One pure function for each format; what could not be
//! brought is named with its file and line, and where it was an assertion it stays in its case as a placeholder that fails.

mod brought;
mod case_draft;
mod inspect;
mod json_line;
mod ledger_lines;
mod names;
mod openai_evals;
mod operations;
mod otel;
mod promptfoo;
mod reading;
mod recorded;
mod table;
mod written;

pub use brought::{Brought, Kind, NewFile, Note, Tally, WorkflowPiece};
pub use inspect::{ImportedRun, InspectOptions, inspect};
pub use names::slug;
pub use openai_evals::openai_evals;
pub use operations::operations;
pub use otel::otel;
pub use promptfoo::{ASSERTION_TYPES, promptfoo};
pub use recorded::{EXPECT, IncidentGround, TrialGround, concerned_case, of_incident, of_trial, risk_of};
pub use table::{MatchBy, TableOptions, csv, jsonl};

use crate::domain::{Risk, WorkflowId};

/// Where imported cases go.
#[derive(Clone, Debug)]
pub struct Aim {
    /// The set, and so the folder below `cases/`.
    pub set: Risk,
    /// The workflow that all cases run against; without one, a workflow is brought along or begun.
    pub workflow: Option<WorkflowId>,
}
