//! The parts of two sides, facet by facet and file by file.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::domain::PartId;

use super::facets::diff_facets;
use super::listing::PathChange;
use super::model::{Change, Direction, PartSnapshot};

/// What differs between the parts of two sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PartChanges {
    pub(super) changes: Vec<Change>,
    pub(super) bumps_without_change: BTreeSet<PartId>,
    pub(super) changes_without_bump: BTreeSet<PartId>,
}

/// Compares the parts. `touched` holds what git says of paths: a named file counts as changed where its content differs
/// or where git sees any difference, such as a new mode.
pub(super) fn compare_parts(
    base: &BTreeMap<PartId, PartSnapshot>,
    head: &BTreeMap<PartId, PartSnapshot>,
    touched: &BTreeMap<&str, &PathChange>,
) -> PartChanges {
    let mut found = PartChanges::default();
    let ids: BTreeSet<&PartId> = base.keys().chain(head.keys()).collect();
    for id in ids {
        match (base.get(id), head.get(id)) {
            (Some(old), Some(new)) if old.kind == new.kind => found.compare(id, old, new, touched),
            (old, new) => {
                found.changes.extend(old.map(|part| whole(id, part, Direction::Removed)));
                found.changes.extend(new.map(|part| whole(id, part, Direction::Added)));
            }
        }
    }
    found
}

impl PartChanges {
    fn compare(&mut self, id: &PartId, old: &PartSnapshot, new: &PartSnapshot, touched: &BTreeMap<&str, &PathChange>) {
        let mut changes = facet_changes(id, old, new);
        changes.extend(file_changes(id, old, new, touched));
        match (changes.is_empty(), old.version == new.version) {
            (true, false) => {
                self.bumps_without_change.insert(id.clone());
                changes.push(version_change(id, old, new));
            }
            (false, true) => {
                self.changes_without_bump.insert(id.clone());
            }
            _ => {}
        }
        self.changes.append(&mut changes);
    }
}

/// The facet under which a version that was raised alone shows.
pub(super) const VERSION: &str = "version";

/// A version that was raised alone. Answers may quote it and graders hold it against what is in force, so it is a change
/// like any other; beside others it says nothing more and is left out.
fn version_change(id: &PartId, old: &PartSnapshot, new: &PartSnapshot) -> Change {
    Change {
        kind: new.kind.into(),
        part: Some(id.clone()),
        case: None,
        facet: Some(VERSION.to_owned()),
        direction: Direction::Modified,
        from: Some(Value::from(old.version.as_str())),
        to: Some(Value::from(new.version.as_str())),
        paths: vec![new.path.clone()],
    }
}

/// A part that only one side has.
fn whole(id: &PartId, part: &PartSnapshot, direction: Direction) -> Change {
    let version = Some(Value::from(part.version.as_str()));
    let (from, to) = if direction == Direction::Added { (None, version) } else { (version, None) };
    let paths = std::iter::once(&part.path).chain(part.files.keys()).cloned().collect();
    Change { kind: part.kind.into(), part: Some(id.clone()), case: None, facet: None, direction, from, to, paths }
}

fn facet_changes(id: &PartId, old: &PartSnapshot, new: &PartSnapshot) -> Vec<Change> {
    let paths: BTreeSet<&String> = [&old.path, &new.path].into();
    let changes = diff_facets(&old.facets, &new.facets).into_iter().map(|(facet, from, to)| Change {
        kind: new.kind.into(),
        part: Some(id.clone()),
        case: None,
        facet: Some(facet),
        direction: direction_of(from.is_some(), to.is_some()),
        from,
        to,
        paths: paths.iter().map(|path| (*path).clone()).collect(),
    });
    changes.collect()
}

fn file_changes(
    id: &PartId,
    old: &PartSnapshot,
    new: &PartSnapshot,
    touched: &BTreeMap<&str, &PathChange>,
) -> Vec<Change> {
    let paths: BTreeSet<&String> = old.files.keys().chain(new.files.keys()).collect();
    let changes = paths.into_iter().filter_map(|path| {
        let (from, to) = (old.files.get(path), new.files.get(path));
        let touch = touched.get(path.as_str());
        if from == to && touch.is_none() {
            return None;
        }
        let value = |digest: &crate::domain::Digest| Value::from(digest.as_str());
        let (from_value, to_value) = match touch {
            Some(touch) if from == to => modes_of(touch),
            _ => (from.map(value), to.map(value)),
        };
        Some(Change {
            kind: new.kind.into(),
            part: Some(id.clone()),
            case: None,
            facet: Some(format!("file:{path}")),
            direction: direction_of(from.is_some(), to.is_some()),
            from: from_value,
            to: to_value,
            paths: vec![path.clone()],
        })
    });
    changes.collect()
}

/// What stood at a path and what stands there, for a change that is none of the bytes.
pub(super) fn modes_of(change: &PathChange) -> (Option<Value>, Option<Value>) {
    let name = |mode: Option<super::listing::EntryMode>| mode.map(|mode| Value::from(mode.name()));
    (name(change.from), name(change.to))
}

pub(super) fn direction_of(base_has_it: bool, head_has_it: bool) -> Direction {
    match (base_has_it, head_has_it) {
        (false, true) => Direction::Added,
        (true, false) => Direction::Removed,
        _ => Direction::Modified,
    }
}
