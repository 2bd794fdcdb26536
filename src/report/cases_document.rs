//! `holdpoint.cases/1`: what `case list --json` prints.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{CaseId, CaseStatus, PartId, Risk, WorkflowId};
use crate::grading::DoNothing;
use crate::manifest::{CaseOutline, PartKind};
use crate::selection::{CaseTally, Coverage, RiskMatrix};

use super::build::case_new_command;

/// The value of [`CasesDocument::schema`].
pub const CASES_SCHEMA: &str = "holdpoint.cases/1";

/// The cases of a project, what they would show, and what none of them does. Fields are added, never renamed or taken away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CasesDocument {
    /// [`CASES_SCHEMA`].
    pub schema: String,
    /// Every case, by id.
    pub cases: Vec<ListedCase>,
    /// Every risk that the project knows, and the cases of its set by workflow.
    pub sets: Vec<ListedSet>,
    /// Each risk for which a change of a part demands a case, by part and risk.
    pub coverage: Vec<CoverageView>,
    /// Parts and risks: the cases that a change of the part would run for the risk, by part and risk.
    pub matrix: Vec<MatrixView>,
    /// How many cases last ended how on this machine, by status, and `never_ran`.
    pub last: BTreeMap<String, usize>,
}

/// One case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedCase {
    /// The case.
    pub case: CaseId,
    /// Its set.
    pub set: Risk,
    /// The further risks that it shows.
    pub risks: Vec<Risk>,
    /// The workflow that it runs against.
    pub workflow: WorkflowId,
    /// What holds when it passes.
    pub title: String,
    /// Its file.
    pub path: String,
    /// The sources that it names.
    pub sources: Vec<PartId>,
    /// How often it runs.
    pub trials: u32,
    /// Whether every plan selects it.
    pub always: bool,
    /// How it last ended on this machine; `null` where it never ran.
    pub last: Option<CaseStatus>,
    /// Whether a workflow that does nothing would pass it.
    pub do_nothing: Option<DoNothing>,
}

/// One risk's set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedSet {
    /// The risk.
    pub set: Risk,
    /// How many cases lie in it.
    pub total: usize,
    /// How many by workflow.
    pub workflows: BTreeMap<WorkflowId, usize>,
    /// More of the same, by workflow.
    pub cells: BTreeMap<WorkflowId, SetCell>,
}

/// One risk's set and one workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetCell {
    /// How many cases the set has for the workflow.
    pub cases: usize,
    /// How many cases of other sets show the risk too.
    pub of_other_sets: usize,
    /// How many of the set's cases last ended how, by status, and `never_ran`.
    pub last: BTreeMap<String, usize>,
    /// The parts whose change would leave the risk uncovered.
    pub gaps: Vec<PartId>,
}

/// A part and a risk for which a change of it demands a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageView {
    /// The part.
    pub part: PartId,
    /// Its kind.
    pub kind: PartKind,
    /// The risk.
    pub risk: Risk,
    /// How many cases show it.
    pub cases: usize,
    /// What begins a case, where there is none.
    pub command: Option<String>,
}

/// A part and a risk that a change of it puts at stake, with a case that shows it or a case missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatrixView {
    /// The part.
    pub part: PartId,
    /// Its kind.
    pub kind: PartKind,
    /// The risk.
    pub risk: Risk,
    /// How many cases a change of the part would run for it.
    pub cases: usize,
    /// How many of them last ended how on this machine, by status, and `never_ran`.
    pub last: BTreeMap<String, usize>,
    /// Whether a change of the part would be uncovered: a rule demands a case, and there is none.
    pub gap: bool,
    /// What begins a case, where one is missing.
    pub command: Option<String>,
}

impl ListedCase {
    /// A case, how it last ended, and whether doing nothing would pass it.
    pub fn new(case: &CaseOutline, last: Option<CaseStatus>, do_nothing: Option<DoNothing>) -> Self {
        Self {
            case: case.id.clone(),
            set: case.set.clone(),
            risks: case.risks.clone(),
            workflow: case.workflow.clone(),
            title: case.title.to_string(),
            path: case.path.clone(),
            sources: case.sources.clone(),
            trials: case.trials,
            always: case.always,
            last,
            do_nothing,
        }
    }
}

impl CoverageView {
    /// `project_option` is what the command needs to find the project: empty, or ` --project DIR`.
    pub fn new(row: &Coverage, project_option: &str) -> Self {
        Self {
            part: row.part.clone(),
            kind: row.kind,
            risk: row.risk.clone(),
            cases: row.cases,
            command: (row.cases == 0).then(|| case_new_command(project_option, &row.part, &row.risk)),
        }
    }
}

impl MatrixView {
    /// Every cell of a matrix, by part and risk.
    pub fn all(matrix: &RiskMatrix, project_option: &str) -> Vec<Self> {
        let cells = matrix.rows.iter().flat_map(|row| row.cells.iter().map(move |(risk, cell)| (row, risk, cell)));
        let mut views: Vec<Self> = cells
            .map(|(row, risk, cell)| Self {
                part: row.part.clone(),
                kind: row.kind,
                risk: risk.clone(),
                cases: cell.cases,
                last: counts_by_name(cell),
                gap: cell.is_gap(),
                command: cell.is_gap().then(|| case_new_command(project_option, &row.part, risk)),
            })
            .collect();
        views.sort_by(|one, other| (&one.part, &one.risk).cmp(&(&other.part, &other.risk)));
        views
    }
}

/// How many cases ended how, by the status's name, and how many never ran.
pub fn counts_by_name(tally: &CaseTally) -> BTreeMap<String, usize> {
    let ended = tally.last.iter().map(|(status, cases)| (status.name().to_owned(), *cases));
    ended.chain([("never_ran".to_owned(), tally.never_ran())]).collect()
}
