//! Where a case stands against its baseline. Pure.

mod compare;
mod evidence_statement;
mod standing;
pub mod statistics;

pub use compare::{CompareInput, compare};
pub use evidence_statement::evidence_statement;
pub use standing::{Compared, Standing};
