//! The cases of two sides.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use crate::domain::CaseId;
use crate::manifest::HeldCase;

use super::compare_parts::{direction_of, modes_of};
use super::listing::{Aspect, PathChange};
use super::model::{CaseChange, Change, ChangeKind, Direction};

/// What differs between the cases of two sides.
#[derive(Clone, Debug, Default)]
pub(super) struct CaseChanges {
    pub(super) changes: Vec<Change>,
    pub(super) cases: BTreeMap<CaseId, CaseChange>,
}

/// Compares the cases by id. `touched` holds what git says of paths, for fixtures whose mode changed.
pub(super) fn compare_cases(
    base: &BTreeMap<CaseId, HeldCase>,
    head: &BTreeMap<CaseId, HeldCase>,
    touched: &BTreeMap<&str, &PathChange>,
) -> CaseChanges {
    let mut found = CaseChanges::default();
    let ids: BTreeSet<&CaseId> = base.keys().chain(head.keys()).collect();
    for id in ids {
        let changes = match (base.get(id), head.get(id)) {
            (Some(old), Some(new)) => both_sides(old, new, touched),
            (Some(old), None) => vec![change(old, None, Direction::Removed)],
            (None, Some(new)) => vec![change(new, None, Direction::Added)],
            (None, None) => Vec::new(),
        };
        // A probe is the project file's change, and all the same the case is to run as it was judged before.
        let judged_otherwise = base.get(id).zip(head.get(id)).is_some_and(|(old, new)| old.question != new.question);
        if changes.is_empty() && !judged_otherwise {
            continue;
        }
        let expectation_only =
            !changes.is_empty() && changes.iter().all(|change| change.facet.as_deref() == Some("expect"));
        found.cases.insert(id.clone(), CaseChange { base: base.get(id).cloned(), expectation_only });
        found.changes.extend(changes);
    }
    found
}

fn both_sides(old: &HeldCase, new: &HeldCase, touched: &BTreeMap<&str, &PathChange>) -> Vec<Change> {
    let mut changes = Vec::new();
    if !has_same_aspects(old, new) {
        let pairs = aspects(old).into_iter().zip(aspects(new));
        changes.extend(pairs.filter(|((_, from), (_, to))| from != to).map(|((facet, from), (_, to))| Change {
            paths: paths_of(old, new),
            from: Some(from),
            to: Some(to),
            ..change(new, Some(facet.to_owned()), Direction::Modified)
        }));
    }
    changes.extend(fixture_changes(old, new, touched));
    changes.extend(grader_changes(old, new, touched));
    if changes.is_empty() && old.digest != new.digest {
        changes.push(Change { paths: paths_of(old, new), ..change(new, Some("*".to_owned()), Direction::Modified) });
    }
    changes
}

fn paths_of(old: &HeldCase, new: &HeldCase) -> Vec<String> {
    let paths: BTreeSet<&String> = [&old.path, &new.path].into();
    paths.into_iter().cloned().collect()
}

/// Everything of a case but its identity, its title, its place and its fixtures.
fn aspects(case: &HeldCase) -> [(&'static str, Value); 11] {
    fn value(aspect: &impl Serialize) -> Value {
        serde_json::to_value(aspect).unwrap_or_default()
    }
    let case = case.open();
    let risks: BTreeSet<_> = case.risks.iter().collect();
    [
        ("always", value(&case.always)),
        ("expect", value(&case.expect)),
        ("faults", value(&case.faults)),
        ("input", case.input.clone()),
        ("now", value(&case.now)),
        ("risks", value(&risks)),
        ("set", value(&case.set)),
        ("sources", value(&case.sources)),
        ("steps", value(&case.steps)),
        ("trials", value(&case.trials)),
        ("workflow", value(&case.workflow)),
    ]
}

/// Whether no aspect can differ, told without writing them out: a digest covers most, and here stands the rest.
fn has_same_aspects(old: &HeldCase, new: &HeldCase) -> bool {
    old.digest == new.digest && old.always == new.always && old.set == new.set && old.risks == new.risks
}

fn fixture_changes(old: &HeldCase, new: &HeldCase, touched: &BTreeMap<&str, &PathChange>) -> Vec<Change> {
    let by_name = |case: &HeldCase| -> BTreeMap<String, (String, crate::domain::Digest)> {
        let fixtures = case.fixtures.iter();
        fixtures
            .map(|fixture| (fixture.name.clone(), (fixture.path.clone(), crate::domain::Digest::of(&fixture.content))))
            .collect()
    };
    if old.fixtures.is_empty() && new.fixtures.is_empty() {
        return Vec::new();
    }
    let (old_fixtures, new_fixtures) = (by_name(old), by_name(new));
    let names: BTreeSet<&String> = old_fixtures.keys().chain(new_fixtures.keys()).collect();
    let mut changes = Vec::new();
    for name in names {
        let (from, to) = (old_fixtures.get(name), new_fixtures.get(name));
        let paths: BTreeSet<&String> = [from, to].into_iter().flatten().map(|(path, _)| path).collect();
        let touch = paths.iter().find_map(|path| touched.get(path.as_str()));
        let is_same = from.map(|(_, digest)| digest) == to.map(|(_, digest)| digest);
        if is_same && touch.is_none() {
            continue;
        }
        let value = |digest: &crate::domain::Digest| Value::from(digest.as_str());
        let values = match touch {
            Some(touch) if is_same => modes_of(touch),
            _ => (from.map(|(_, digest)| value(digest)), to.map(|(_, digest)| value(digest))),
        };
        let direction = direction_of(from.is_some(), to.is_some());
        let path = to.or(from).map(|(path, _)| path.as_str()).unwrap_or_default();
        changes.push(Change {
            from: values.0,
            to: values.1,
            paths: paths.into_iter().cloned().collect(),
            ..change(new, Some(format!("file:{path}")), direction)
        });
    }
    changes
}

/// A file with which a grader is started: an edit of it can turn the case's result.
fn grader_changes(old: &HeldCase, new: &HeldCase, touched: &BTreeMap<&str, &PathChange>) -> Vec<Change> {
    let paths: BTreeSet<&str> = old.programs().chain(new.programs()).collect();
    let touches = paths.into_iter().filter_map(|path| Some((path, touched.get(path)?)));
    let changes = touches.map(|(path, touch)| {
        let (from, to) = if touch.aspect == Aspect::Content { (None, None) } else { modes_of(touch) };
        let paths = vec![path.to_owned()];
        Change { from, to, paths, ..change(new, Some(format!("file:{path}")), touch.direction) }
    });
    changes.collect()
}

fn change(case: &HeldCase, facet: Option<String>, direction: Direction) -> Change {
    Change {
        kind: ChangeKind::Case,
        part: None,
        case: Some(case.id.clone()),
        facet,
        direction,
        from: None,
        to: None,
        paths: vec![case.path.clone()],
    }
}
