//! Where a case stands against its baseline, and what the counts support. Pure.

mod compare;
mod evidence_statement;
mod power;
mod same_form;
mod sets;
mod standing;
pub mod statistics;
mod two_sides;

pub use compare::{ACCEPTED_FORM_NOT_RUN, CompareInput, compare};
pub use evidence_statement::evidence_statement;
pub use power::{TestLevel, power_sentence};
pub use sets::{ALPHA, CONFIDENCE, Paired, SetComparison, TrialRate, Tries, Unpaired, case_tries, set_comparisons};
pub use standing::{Compared, Ended, GradeChange, OutcomeChange, Standing};
pub use two_sides::{ComparedSide, SideCase, compare_sides};
