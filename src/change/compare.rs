//! Two sides of a project, compared: from what their files say and from what git says of their paths. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::domain::{CaseId, Digest, PartId};
use crate::manifest::{HeldCase, Part, Project, ProjectFile};

use super::compare_cases::compare_cases;
use super::compare_parts::{VERSION, compare_parts, direction_of, modes_of};
use super::listing::{Aspect, PathChange};
use super::model::{CaseChange, Change, ChangeKind, Direction, PartSnapshot};
use super::path_name::PathName;
use super::path_rules::{PROJECT_FILE, PathOwner, PathRules};

/// What could be read of the base.
#[derive(Clone, Copy)]
pub(super) struct BaseContents<'a> {
    pub(super) project_file: Option<&'a ProjectFile>,
    pub(super) project_file_digest: Option<&'a Digest>,
    pub(super) parts: &'a BTreeMap<PartId, Part>,
    pub(super) cases: &'a BTreeMap<CaseId, HeldCase>,
    /// Paths of files with errors in them: everything in them counts as changed.
    pub(super) unreadable: &'a BTreeSet<String>,
}

/// What differs.
#[derive(Clone, Debug, Default)]
pub(super) struct Differences {
    pub(super) changes: Vec<Change>,
    pub(super) cases: BTreeMap<CaseId, CaseChange>,
    pub(super) bumps_without_change: BTreeSet<PartId>,
    pub(super) changes_without_bump: BTreeSet<PartId>,
}

impl Differences {
    /// Adds what differs from a further base.
    pub(super) fn unite(&mut self, other: Self) {
        self.changes.extend(other.changes);
        for (id, change) in other.cases {
            self.cases.entry(id).or_insert(change);
        }
        self.bumps_without_change.extend(other.bumps_without_change);
        self.changes_without_bump.extend(other.changes_without_bump);
    }

    /// Puts the changes in their order, each once. What changed against any base was no mere bump.
    pub(super) fn settle(&mut self) {
        let direction = |change: &Change| match change.direction {
            Direction::Added => 0,
            Direction::Removed => 1,
            Direction::Modified => 2,
        };
        self.changes.sort_by(|one, other| {
            let key = |change: &Change| {
                let text = |value: &Option<Value>| value.as_ref().map(Value::to_string);
                (text(&change.from), text(&change.to))
            };
            (one.kind, &one.part, &one.case, &one.facet, &one.paths)
                .cmp(&(other.kind, &other.part, &other.case, &other.facet, &other.paths))
                .then_with(|| direction(one).cmp(&direction(other)))
                .then_with(|| key(one).cmp(&key(other)))
        });
        self.changes.dedup();
        let is_bump = |change: &Change| change.facet.as_deref() == Some(VERSION);
        let others = self.changes.iter().filter(|change| !is_bump(change));
        let changed: BTreeSet<PartId> = others.filter_map(|change| change.part.clone()).collect();
        self.changes
            .retain(|change| !is_bump(change) || !change.part.as_ref().is_some_and(|part| changed.contains(part)));
        self.bumps_without_change.retain(|part| !changed.contains(part));
    }
}

/// The parts as a snapshot holds them.
pub(super) fn part_snapshots(parts: &BTreeMap<PartId, Part>) -> BTreeMap<PartId, PartSnapshot> {
    parts.iter().map(|(id, part)| (id.clone(), PartSnapshot::of(part))).collect()
}

/// Compares a base with the head. `paths` are what git says has changed, relative to the project's folder.
pub(super) fn compare_sides(base: BaseContents<'_>, head: &Project, paths: &[PathChange]) -> Differences {
    let touched: BTreeMap<&str, &PathChange> =
        paths.iter().filter_map(|change| Some((change.path.as_str()?, change))).collect();
    let parts = compare_parts(&part_snapshots(base.parts), &part_snapshots(&head.parts), &touched);
    let cases = compare_cases(base.cases, &head.cases, &touched);
    let mut found = Differences {
        changes: parts.changes,
        cases: cases.cases,
        bumps_without_change: parts.bumps_without_change,
        changes_without_bump: parts.changes_without_bump,
    };
    found.changes.extend(cases.changes);
    found.changes.extend(project_change(base, head));
    let rules = PathRules::new(
        base.project_file.into_iter().chain([&head.file]),
        &head.file.inert,
        base.parts.values().chain(head.parts.values()),
        base.cases.values().chain(head.cases.values()),
    );
    found.changes.extend(paths.iter().filter_map(|change| path_change(&rules, change)));
    for path in base.unreadable {
        found.count_whole(path, base, head);
    }
    found
}

fn project_change(base: BaseContents<'_>, head: &Project) -> Option<Change> {
    let from = base.project_file_digest;
    if from == Some(&head.file_digest) && !base.unreadable.contains(PROJECT_FILE) {
        return None;
    }
    let is_unreadable = base.unreadable.contains(PROJECT_FILE);
    Some(Change {
        kind: ChangeKind::Project,
        part: None,
        case: None,
        facet: is_unreadable.then(|| "*".to_owned()),
        direction: direction_of(from.is_some() || is_unreadable, true),
        from: from.map(|digest| Value::from(digest.as_str())),
        to: Some(Value::from(head.file_digest.as_str())),
        paths: vec![PROJECT_FILE.to_owned()],
    })
}

/// The change that a path means by itself; `None` where the contents of parts, cases and the project file tell.
fn path_change(rules: &PathRules, change: &PathChange) -> Option<Change> {
    let kind = match rules.owner(&change.path) {
        PathOwner::Project | PathOwner::Part | PathOwner::Grader | PathOwner::Written => return None,
        PathOwner::Code => ChangeKind::Code,
        PathOwner::Inert => ChangeKind::Inert,
        PathOwner::Unknown => ChangeKind::Unclassified,
    };
    let (from, to) = if change.aspect == Aspect::Content { (None, None) } else { modes_of(change) };
    Some(file_change(kind, &change.path, change.direction, from, to))
}

/// The change of a path that stands for itself.
pub(super) fn file_change(
    kind: ChangeKind,
    path: &PathName,
    direction: Direction,
    from: Option<Value>,
    to: Option<Value>,
) -> Change {
    let path = path.to_string();
    Change { kind, part: None, case: None, facet: Some(format!("file:{path}")), direction, from, to, paths: vec![path] }
}

impl Differences {
    /// Counts everything in a file of the base that has errors in it as changed, in place of what a comparison with
    /// the little that could be read would say.
    fn count_whole(&mut self, path: &str, base: BaseContents<'_>, head: &Project) {
        if path == PROJECT_FILE {
            return;
        }
        let parts = base.parts.values().chain(head.parts.values()).filter(|part| is_of_part(part, path));
        let parts: BTreeMap<&PartId, &Part> = parts.map(|part| (&part.id, part)).collect();
        let cases = base.cases.values().chain(head.cases.values()).filter(|case| is_of_case(case, path));
        let cases: BTreeSet<&CaseId> = cases.map(|case| &case.id).collect();
        for part in parts.values() {
            self.changes.retain(|change| change.part.as_ref() != Some(&part.id));
            self.bumps_without_change.remove(&part.id);
            self.changes.push(Change { part: Some(part.id.clone()), ..unread(part.kind.into(), path) });
        }
        for id in &cases {
            self.changes.retain(|change| change.case.as_ref() != Some(*id));
            self.changes.push(Change { case: Some((*id).clone()), ..unread(ChangeKind::Case, path) });
            let form = base.cases.get(*id).cloned();
            self.cases.insert((*id).clone(), CaseChange { base: form, expectation_only: false });
        }
        if parts.is_empty() && cases.is_empty() {
            // No side knows whose it was, so it may have been anything's.
            self.changes.push(unread(ChangeKind::Unclassified, path));
        }
    }
}

fn unread(kind: ChangeKind, path: &str) -> Change {
    Change {
        kind,
        part: None,
        case: None,
        facet: Some("*".to_owned()),
        direction: Direction::Modified,
        from: None,
        to: None,
        paths: vec![path.to_owned()],
    }
}

fn is_of_part(part: &Part, path: &str) -> bool {
    part.path == path || part.files.contains_key(path)
}

fn is_of_case(case: &HeldCase, path: &str) -> bool {
    case.path == path || case.fixtures.iter().any(|fixture| fixture.path == path)
}

#[cfg(test)]
mod tests;
