//! Parts and risks: what would show each risk that a change of a part puts at stake, and how that last ended.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{CaseId, CaseStatus, PartId, Risk};
use crate::manifest::{PartKind, Project};

use super::stake::Stake;

/// Every part of a project, and every risk of which there is anything to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RiskMatrix {
    /// The risks that a change of any part demands cases for, or that any case shows; in the order in which they were given.
    pub risks: Vec<Risk>,
    /// The parts, those of a kind together.
    pub rows: Vec<MatrixRow>,
    /// All cases, whatever makes them run, by each risk that they show.
    pub every_case: BTreeMap<Risk, CaseTally>,
}

/// One part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixRow {
    /// The part.
    pub part: PartId,
    /// Its kind.
    pub kind: PartKind,
    /// The cases that would run for each risk that a change of it puts at stake. A risk that no rule puts at stake has none,
    /// nor one that is at stake without a case being demanded, where there is no case: an empty one is a gap.
    pub cells: BTreeMap<Risk, CaseTally>,
}

/// Cases, and how they last ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseTally {
    /// How many there are.
    pub cases: usize,
    /// How many of them ended how when they last ran.
    pub last: BTreeMap<CaseStatus, usize>,
}

impl CaseTally {
    /// How many of them never ran.
    pub fn never_ran(&self) -> usize {
        self.cases - self.last.values().sum::<usize>()
    }

    /// Whether it is a gap, where it stands in the row of a part: a rule demands a case, and there is none.
    pub fn is_gap(&self) -> bool {
        self.cases == 0
    }

    /// Counts a case that last ended so.
    pub fn add(&mut self, last: Option<&CaseStatus>) {
        self.cases += 1;
        if let Some(status) = last {
            *self.last.entry(*status).or_default() += 1;
        }
    }
}

/// The matrix of a project. `risks` are all that it knows, in the order in which they are to be shown; `last` says how each
/// case ended that ever ran.
pub fn risk_matrix(project: &Project, risks: &[Risk], last: &BTreeMap<CaseId, CaseStatus>) -> RiskMatrix {
    let mut rows: Vec<MatrixRow> = project
        .parts
        .iter()
        .map(|(id, part)| {
            let stake = Stake::of_any_change(part.kind.into(), Some(id), project);
            MatrixRow { part: id.clone(), kind: part.kind, cells: cells(&stake, project, last) }
        })
        .collect();
    // The parts came sorted by id, and stay so within their kind.
    rows.sort_by_key(|row| row.kind);
    let mut every_case: BTreeMap<Risk, CaseTally> = BTreeMap::new();
    for case in project.cases.values() {
        let shown: BTreeSet<&Risk> = case.risks.iter().chain([&case.set]).collect();
        for risk in shown {
            every_case.entry(risk.clone()).or_default().add(last.get(&case.id));
        }
    }
    let is_of_note =
        |risk: &&Risk| every_case.contains_key(*risk) || rows.iter().any(|row| row.cells.contains_key(*risk));
    let risks = risks.iter().filter(is_of_note).cloned().collect();
    RiskMatrix { risks, rows, every_case }
}

fn cells(stake: &Stake<'_>, project: &Project, last: &BTreeMap<CaseId, CaseStatus>) -> BTreeMap<Risk, CaseTally> {
    let mut cells: BTreeMap<Risk, CaseTally> =
        stake.demanded().map(|risk| (risk.clone(), CaseTally::default())).collect();
    for case in project.cases.values().filter(|case| stake.reaches(case)) {
        let shown: BTreeSet<&Risk> = stake.risks_of(case).collect();
        for risk in shown {
            cells.entry(risk.clone()).or_default().add(last.get(&case.id));
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{MemoryFiles, load_project};
    use crate::selection::coverage;

    const PROJECT: &str = "schema: holdpoint.project/1\nname: x\nrisks: [tone]\nworkflows:\n  desk:\n    command: {run: [w]}\n    \
                           parts: [words, orders]\n  other:\n    command: {run: [w]}\n    parts: []\n";

    fn project() -> Project {
        let case = |id: &str, workflow: &str, set: &str, more: &str| {
            let text =
                format!("id: {id}\ntitle: t\nworkflow: {workflow}\n{more}input: {{}}\nexpect:\n  - contains: {id}\n");
            (format!("cases/{set}/{id}.yaml"), text)
        };
        let cases = [
            case("asked", "desk", "policy_accuracy", "risks: [duplicate, policy_accuracy]\n"),
            case("sent", "desk", "duplicate", ""),
            case("kind", "desk", "tone", ""),
            case("far", "other", "action", ""),
        ];
        let mut files = MemoryFiles::new()
            .with("holdpoint.yaml", PROJECT)
            .with("words.txt", "Be kind.")
            .with("manifests/words.yaml", "kind: prompt\nid: words\nversion: '1'\nfiles: [words.txt]\n")
            .with(
                "manifests/orders.yaml",
                "kind: connector\nid: orders\nversion: '1'\nrelease: '1'\noperations: {order: {effect: create}}\n",
            );
        for (path, text) in cases {
            files = files.with(&path, text);
        }
        load_project(&files, &BTreeMap::new()).unwrap_or_else(|errors| panic!("{errors:?}")).project
    }

    fn matrix() -> RiskMatrix {
        let known = crate::domain::BUILT_IN_RISKS.into_iter().chain(["tone"]).map(Risk::from).collect::<Vec<_>>();
        let last = BTreeMap::from([("asked".into(), CaseStatus::Failed), ("kind".into(), CaseStatus::Passed)]);
        risk_matrix(&project(), &known, &last)
    }

    fn cell<'m>(matrix: &'m RiskMatrix, part: &str, risk: &str) -> Option<&'m CaseTally> {
        let row = matrix.rows.iter().find(|row| row.part.as_str() == part).unwrap();
        row.cells.get(&Risk::from(risk))
    }

    #[test]
    fn a_cell_counts_the_cases_that_a_change_of_the_part_would_run_and_how_they_last_ended() {
        let matrix = matrix();
        let duplicate = cell(&matrix, "orders", "duplicate").unwrap();
        assert_eq!((duplicate.cases, duplicate.never_ran(), duplicate.is_gap()), (2, 1, false));
        assert_eq!(duplicate.last, BTreeMap::from([(CaseStatus::Failed, 1)]));
        let policy = cell(&matrix, "words", "policy_accuracy").unwrap();
        assert_eq!(policy.cases, 1, "a case that lists its own set is one case");
    }

    #[test]
    fn a_gap_is_what_a_rule_demands_and_no_case_of_a_workflow_that_uses_the_part_shows() {
        let matrix = matrix();
        assert!(cell(&matrix, "orders", "action").unwrap().is_gap(), "the only case is of a workflow without the part");
        assert!(cell(&matrix, "words", "malformed_output").unwrap().is_gap());
        let gaps = matrix.rows.iter().flat_map(|row| row.cells.iter().map(|(risk, cell)| (&row.part, risk, cell)));
        let gaps: BTreeSet<_> = gaps.filter(|(.., cell)| cell.is_gap()).map(|(part, risk, _)| (part, risk)).collect();
        let coverage = coverage(&project());
        let uncovered = coverage.iter().filter(|row| row.cases == 0).map(|row| (&row.part, &row.risk));
        assert_eq!(gaps, uncovered.collect(), "what a plan would call uncovered, and nothing else");
    }

    #[test]
    fn what_no_rule_puts_at_stake_is_nothing_and_what_none_demands_is_no_gap() {
        let matrix = matrix();
        assert_eq!(cell(&matrix, "words", "duplicate"), None, "a prompt puts no duplicates at stake");
        assert_eq!(cell(&matrix, "words", "tone").unwrap().cases, 1);
        assert_eq!(cell(&matrix, "orders", "access"), None, "at stake, with no case and none demanded");
    }

    #[test]
    fn the_risks_stand_in_the_order_given_those_alone_of_which_there_is_anything_to_say_and_parts_stand_by_kind() {
        let matrix = matrix();
        let risks: Vec<&str> = matrix.risks.iter().map(Risk::as_str).collect();
        let expected = [
            "policy_accuracy",
            "missing_availability",
            "injected_instructions",
            "malformed_output",
            "source_conflict",
            "context_boundaries",
            "action",
            "duplicate",
            "uncertain_outcome",
            "partial_failure",
            "tone",
        ];
        assert_eq!(risks, expected);
        let parts: Vec<&str> = matrix.rows.iter().map(|row| row.part.as_str()).collect();
        assert_eq!(parts, ["words", "orders"], "a prompt comes before a connector");
        assert_eq!(
            matrix.every_case[&Risk::from("action")].cases,
            1,
            "a case that only a change of the code would run"
        );
    }
}
