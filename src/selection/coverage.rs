//! What the cases would show of each part, whatever may change in it one day.

use crate::domain::{PartId, Risk};
use crate::manifest::{PartKind, Project};

use super::stake::Stake;

/// A risk that a change of a part would put at stake, and how many cases show it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coverage {
    /// The part.
    pub part: PartId,
    /// Its kind.
    pub kind: PartKind,
    /// The risk.
    pub risk: Risk,
    /// How many cases would run for it; with none, a change of the part is uncovered.
    pub cases: usize,
}

/// Every risk that a change of any part of the project would put at stake, sorted by part and risk.
pub fn coverage(project: &Project) -> Vec<Coverage> {
    let mut coverage = Vec::new();
    for (id, part) in &project.parts {
        let stake = Stake::of_any_change(part.kind.into(), Some(id), project);
        coverage.extend(stake.shown(project).into_iter().map(|(risk, cases)| Coverage {
            part: id.clone(),
            kind: part.kind,
            risk: risk.clone(),
            cases,
        }));
    }
    coverage
}
