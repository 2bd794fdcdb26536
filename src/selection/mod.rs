//! From changes to a plan by rules that are data: which cases run and why, which do not and why that is safe. Pure.

mod coverage;
mod plan;
mod rules;
mod select;
mod stake;
mod unreached;

pub use coverage::{Coverage, coverage};
pub use plan::{Excluded, ExclusionReason, Inherited, Mode, Plan, PlannedChange, Selected, SelectionReason, Uncovered};
pub use rules::{RuleRow, RuleScope, rule_rows};
pub use select::{PlanRequest, plan};
pub use unreached::never_selected;
