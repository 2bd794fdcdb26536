//! The table of `holdpoint case list --sets`: sets and workflows, with counts, how the cases last ended, and gaps.

use std::collections::BTreeMap;

use crate::domain::{CaseStatus, Risk, WorkflowId};
use crate::pipeline::{CaseCell, CaseOverview};
use crate::report::{ListedSet, SetCell, counts_by_name};

use super::console::{FAINT, STRONG, paint};

/// What a person should look at first stands first.
const WORST_FIRST: [CaseStatus; 5] =
    [CaseStatus::Failed, CaseStatus::Errored, CaseStatus::Uncertain, CaseStatus::Flaky, CaseStatus::Passed];

pub(super) fn lines(overview: &CaseOverview) -> Vec<String> {
    let workflows: Vec<&WorkflowId> = overview.project.file.workflows.keys().collect();
    let names = workflows.iter().map(|workflow| workflow.to_string());
    let mut rows: Vec<Vec<String>> = vec![["cases".to_owned()].into_iter().chain(names).collect()];
    rows[0].push("total".to_owned());
    let mut totals = vec![0_usize; workflows.len() + 1];
    let mut shows_more = false;
    for risk in &overview.risks {
        let cells: Vec<CaseCell> = workflows.iter().map(|workflow| overview.cell(risk, workflow)).collect();
        let of_set = cells.iter().map(|cell| cell.own.cases).sum::<usize>();
        shows_more |= cells.iter().any(|cell| cell.of_other_sets > 0);
        for (total, cases) in totals.iter_mut().zip(cells.iter().map(|cell| cell.own.cases).chain([of_set])) {
            *total += cases;
        }
        let mut row = vec![risk.to_string()];
        row.extend(cells.iter().map(text));
        row.push(number(of_set));
        rows.push(row);
    }
    rows.push(["total".to_owned()].into_iter().chain(totals.into_iter().map(number)).collect());
    let widths: Vec<usize> = (0..=workflows.len() + 1)
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default())
        .collect();
    let aligned = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    let mut lines: Vec<String> = rows.iter().map(aligned).collect();
    lines[0] = paint(STRONG, &lines[0]);
    if shows_more {
        lines.push(paint(
            FAINT,
            "+N: cases of other sets that list the risk under `risks`; they count in their own set's row",
        ));
    }
    lines
}

fn number(cases: usize) -> String {
    if cases == 0 { "-".to_owned() } else { cases.to_string() }
}

/// `12 passed`, `12, 1 failed`, `3 never ran`, `+2`, `gap`.
fn text(cell: &CaseCell) -> String {
    let own = &cell.own;
    let never = (own.never_ran() > 0).then(|| (own.never_ran(), "never ran"));
    let ended = WORST_FIRST.into_iter().filter_map(|status| Some((*own.last.get(&status)?, status.name())));
    let mut of_note: Vec<(usize, &str)> = ended.collect();
    // What never ran is of more note than a pass, and of less than all else.
    let before_pass = of_note.iter().filter(|(_, name)| *name != CaseStatus::Passed.name()).count();
    of_note.splice(before_pass..before_pass, never);
    let counted = match of_note.first() {
        None => None,
        Some((cases, name)) if *cases == own.cases => Some(format!("{cases} {name}")),
        Some((cases, name)) => Some(format!("{}, {cases} {name}", own.cases)),
    };
    let more = (cell.of_other_sets > 0).then(|| format!("+{}", cell.of_other_sets));
    let gap = (!cell.gaps.is_empty()).then(|| "gap".to_owned());
    let parts: Vec<String> = counted.into_iter().chain(more).chain(gap).collect();
    if parts.is_empty() { number(0) } else { parts.join(", ") }
}

/// One set in `holdpoint.cases/1`.
pub(super) fn set(overview: &CaseOverview, risk: &Risk) -> ListedSet {
    let workflows = overview.project.file.workflows.keys();
    let cells: BTreeMap<WorkflowId, CaseCell> =
        workflows.map(|workflow| (workflow.clone(), overview.cell(risk, workflow))).collect();
    let workflows: BTreeMap<WorkflowId, usize> =
        cells.iter().map(|(workflow, cell)| (workflow.clone(), cell.own.cases)).collect();
    let view = |cell: CaseCell| SetCell {
        cases: cell.own.cases,
        of_other_sets: cell.of_other_sets,
        last: counts_by_name(&cell.own),
        gaps: cell.gaps,
    };
    ListedSet {
        set: risk.clone(),
        total: workflows.values().sum(),
        workflows,
        cells: cells.into_iter().map(|(workflow, cell)| (workflow, view(cell))).collect(),
    }
}
