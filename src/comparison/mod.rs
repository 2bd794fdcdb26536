//! Where a case stands against its baseline, and what the counts support. Pure.

mod compare;
mod evidence_statement;
mod same_form;
mod standing;
pub mod statistics;

pub use compare::{CompareInput, compare};
pub use evidence_statement::evidence_statement;
pub use standing::{Compared, Ended, GradeChange, OutcomeChange, Standing};
