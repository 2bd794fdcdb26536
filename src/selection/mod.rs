//! From changes to a plan by rules that are data: which cases run and why, which do not and why that is safe. Pure.

mod plan;

pub use plan::{Excluded, ExclusionReason, Inherited, Mode, Plan, PlannedChange, Selected, SelectionReason, Uncovered};
