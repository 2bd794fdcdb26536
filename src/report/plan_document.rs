//! `holdpoint.plan/1`: the plan as `plan --json` prints it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change::Side;
use crate::domain::{CaseId, PartId, Risk};
use crate::selection::Plan;

use super::build::{change_view, excluded_view, mode_name, uncovered_view};
use super::document::{ChangeView, ExcludedView, UncoveredView};

/// The value of [`PlanDocument::schema`].
pub const PLAN_SCHEMA: &str = "holdpoint.plan/1";

/// A plan as scripts read it. The field names are a contract: fields are added, never renamed or taken away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanDocument {
    /// [`PLAN_SCHEMA`].
    pub schema: String,
    /// The base.
    pub base: Side,
    /// The head.
    pub head: Side,
    /// `selective` or `all`.
    pub mode: String,
    /// Why, in one sentence.
    pub mode_reason: String,
    /// Every change with its risks.
    pub changes: Vec<ChangeView>,
    /// The cases that run, by id.
    pub selected: Vec<SelectedView>,
    /// The other cases, by id.
    pub excluded: Vec<ExcludedView>,
    /// Paths that no rule knows.
    pub unclassified: Vec<String>,
    /// Risks without a case.
    pub uncovered: Vec<UncoveredView>,
    /// Parts whose version was raised though nothing else in them changed.
    pub bumps_without_change: Vec<PartId>,
    /// Parts that changed though their version did not.
    pub changes_without_bump: Vec<PartId>,
    /// Changed paths outside the project's folder; they were not looked at.
    pub outside_project: usize,
}

/// A case that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelectedView {
    /// The case.
    pub case: CaseId,
    /// Its set.
    pub set: Risk,
    /// Why it runs; never empty.
    pub reasons: Vec<String>,
}

impl PlanDocument {
    /// The document of a plan. `project_option` is what the commands in it need to find the project: empty, or
    /// ` --project DIR`.
    pub fn new(plan: &Plan, project_option: &str) -> Self {
        Self {
            schema: PLAN_SCHEMA.to_owned(),
            base: plan.base.clone(),
            head: plan.head.clone(),
            mode: mode_name(plan.mode).to_owned(),
            mode_reason: plan.mode_reason.clone(),
            changes: plan.changes.iter().map(change_view).collect(),
            selected: plan
                .selected
                .iter()
                .map(|selected| SelectedView {
                    case: selected.case.clone(),
                    set: selected.set.clone(),
                    reasons: selected.reasons.iter().map(ToString::to_string).collect(),
                })
                .collect(),
            excluded: plan.excluded.iter().map(|excluded| excluded_view(excluded, None)).collect(),
            unclassified: plan.unclassified.clone(),
            uncovered: plan.uncovered.iter().map(|uncovered| uncovered_view(uncovered, project_option)).collect(),
            bumps_without_change: plan.bumps_without_change.clone(),
            changes_without_bump: plan.changes_without_bump.clone(),
            outside_project: plan.outside_project,
        }
    }
}
