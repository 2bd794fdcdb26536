//! From changes to a plan by rules that are data: which cases run and why, which do not and why that is safe. Pure.

mod coverage;
mod matrix;
mod partition;
mod plan;
mod rules;
mod select;
mod stake;
mod unreached;

pub use coverage::{Coverage, coverage};
pub use matrix::{CaseTally, MatrixRow, RiskMatrix, risk_matrix};
pub use partition::{PartitionBy, RunPart, part_by_hash, parts_by_durations};
pub use plan::{Excluded, ExclusionReason, Inherited, Mode, Plan, PlannedChange, Selected, SelectionReason, Uncovered};
pub use rules::{RuleRow, RuleScope, risks_at_stake, rule_rows};
pub use select::{PlanRequest, plan};
pub use unreached::never_selected;
