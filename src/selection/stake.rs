//! What each change puts at stake, and for which cases.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::{Change, ChangeKind, ChangeSet, Direction};
use crate::domain::{PartId, Risk, WorkflowId};
use crate::manifest::{HeldCase, Project};

use super::plan::Uncovered;
use super::rules::{Asked, RuleScope, Ruling, ruling};

/// Up to so many changes of one part are named one by one in a case's reasons; more are summed up in one phrase,
/// so that a source of thousands of files does not give every case thousands of reasons. The plan's list of
/// changes names each of them in any case.
const NAMED_ONE_BY_ONE: usize = 8;

/// All changes of one part, and whom they reach.
pub(super) struct Stake<'a> {
    part: Option<&'a PartId>,
    /// What the rules say.
    ruling: Ruling,
    reach: Reach<'a>,
    /// The changes, a phrase each.
    pub(super) phrases: Vec<String>,
}

/// Which cases a stake reaches.
enum Reach<'a> {
    /// All of them.
    All,
    /// Those of these workflows.
    Workflows(BTreeSet<&'a WorkflowId>),
    /// Those that name the source, and those of these workflows that name none.
    Citing { source: &'a PartId, workflows: BTreeSet<&'a WorkflowId> },
}

impl Reach<'_> {
    fn reaches(&self, case: &HeldCase) -> bool {
        match self {
            Self::All => true,
            Self::Workflows(workflows) => workflows.contains(&case.workflow),
            Self::Citing { workflows, .. } if case.sources.is_empty() => workflows.contains(&case.workflow),
            // A case that names the source says itself that it rests on it, whatever its workflow lists.
            Self::Citing { source, .. } => case.sources.contains(source),
        }
    }
}

impl<'a> Stake<'a> {
    /// What any change of this part would put at stake, and for which cases.
    pub(super) fn of_any_change(kind: ChangeKind, part: Option<&'a PartId>, project: &'a Project) -> Self {
        Self::new(ruling(&project.file, kind, Asked::Any), part, project)
    }

    fn new(ruling: Ruling, part: Option<&'a PartId>, project: &'a Project) -> Self {
        Self { reach: reach(ruling.scope, part, project), part, ruling, phrases: Vec::new() }
    }

    /// How many of the project's cases show each risk that is at stake, sorted by risk. Only what a rule
    /// demands counts: a risk of the project's own is at stake with every part, and need not be shown for each.
    pub(super) fn shown(&self, project: &Project) -> BTreeMap<&Risk, usize> {
        let mut shown: BTreeMap<&Risk, usize> = self.ruling.demanded.iter().map(|risk| (risk, 0)).collect();
        for case in project.cases.values().filter(|case| self.reaches(case)) {
            let risks: BTreeSet<&Risk> = self.risks_of(case).collect();
            for risk in risks {
                if let Some(cases) = shown.get_mut(risk) {
                    *cases += 1;
                }
            }
        }
        shown
    }

    /// The risks for which a rule demands a case, sorted.
    pub(super) fn demanded(&self) -> impl Iterator<Item = &Risk> {
        self.ruling.demanded.iter()
    }

    /// Whether the changes are such that this case could be affected, whatever its risks.
    pub(super) fn reaches(&self, case: &HeldCase) -> bool {
        self.reach.reaches(case)
    }

    /// Those of the case's risks that are at stake here, if the case is reached.
    pub(super) fn risks_of<'c>(&'c self, case: &'c HeldCase) -> impl Iterator<Item = &'c Risk> {
        case.risks.iter().chain([&case.set]).filter(|risk| self.ruling.risks.contains(*risk))
    }
}

/// The stakes of all changes of parts: one for each part, kind, and what the rules say of its changes.
pub(super) fn stakes<'a>(changes: &'a ChangeSet, project: &'a Project) -> Vec<Stake<'a>> {
    let mut by_part: BTreeMap<(ChangeKind, Option<&PartId>, Ruling), Vec<&Change>> = BTreeMap::new();
    for change in &changes.changes {
        let ruling = ruling(&project.file, change.kind, Asked::Facet(change.facet.as_deref()));
        if matches!(ruling.scope, RuleScope::UsingWorkflows | RuleScope::CitingCases) {
            by_part.entry((change.kind, change.part.as_ref(), ruling)).or_default().push(change);
        }
    }
    let stake = |((kind, part, ruling), changes): ((_, _, _), Vec<&Change>)| Stake {
        phrases: phrases(kind, part, &changes),
        ..Stake::new(ruling, part, project)
    };
    by_part.into_iter().map(stake).collect()
}

/// A part that the head no longer has was used by workflows that no longer say so, and a part that no workflow
/// lists may be used all the same: both reach every case.
fn reach<'a>(scope: RuleScope, part: Option<&'a PartId>, project: &'a Project) -> Reach<'a> {
    let Some(part) = part.filter(|part| project.parts.contains_key(*part)) else { return Reach::All };
    let workflows: BTreeSet<&WorkflowId> =
        project.file.workflows.iter().filter(|(_, spec)| spec.parts.contains(part)).map(|(id, _)| id).collect();
    match scope {
        RuleScope::CitingCases if workflows.is_empty() => {
            Reach::Citing { source: part, workflows: project.file.workflows.keys().collect() }
        }
        RuleScope::CitingCases => Reach::Citing { source: part, workflows },
        _ if workflows.is_empty() => Reach::All,
        _ => Reach::Workflows(workflows),
    }
}

/// The risks that changes put on a part and that no case shows, sorted.
pub(super) fn uncovered(stakes: &[Stake<'_>], project: &Project) -> Vec<Uncovered> {
    let mut uncovered = BTreeSet::new();
    for stake in stakes {
        let Some(part) = stake.part else { continue };
        let is_used = project.file.uses(part);
        let unused = project.parts.contains_key(part) && !is_used;
        let missing = stake.shown(project).into_iter().filter(|(_, cases)| *cases == 0);
        uncovered.extend(missing.map(|(risk, _)| Uncovered { part: part.clone(), risk: risk.clone(), unused }));
    }
    uncovered.into_iter().collect()
}

fn phrases(kind: ChangeKind, part: Option<&PartId>, changes: &[&Change]) -> Vec<String> {
    if changes.len() > NAMED_ONE_BY_ONE {
        let first = changes.first().map(|change| facet_phrase(change)).unwrap_or_default();
        return vec![format!("{}: {} changes, the first of them {first}", part_phrase(kind, part), changes.len())];
    }
    let mut phrases: Vec<String> =
        changes.iter().map(|change| format!("{} {}", part_phrase(kind, part), facet_phrase(change))).collect();
    phrases.sort_unstable();
    phrases.dedup();
    phrases
}

fn part_phrase(kind: ChangeKind, part: Option<&PartId>) -> String {
    match part {
        Some(part) => format!("{} {part}", kind.name()),
        None => format!("a {}", kind.name()),
    }
}

fn facet_phrase(change: &Change) -> String {
    let direction = match change.direction {
        Direction::Added => "added",
        Direction::Removed => "removed",
        Direction::Modified => "modified",
    };
    match change.facet.as_deref() {
        None => direction.to_owned(),
        Some("*") => format!("{direction} as a whole"),
        Some(facet) => format!("{facet} {direction}"),
    }
}
