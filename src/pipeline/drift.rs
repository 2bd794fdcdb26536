//! What lies between the accepted parts and a base revision, and so is in nobody's change. Pure.

use std::collections::BTreeSet;

use crate::change::{BaseKind, ChangeKind, ChangeSet, Snapshot};
use crate::domain::PartId;

/// A sentence that names what differs between the accepted parts and the head, and is no change between base and head:
/// cases that did not run stand on results from before it. `None` where there is no such thing.
pub(super) fn drift(accepted: Option<&Snapshot>, head: &Snapshot, changes: &ChangeSet) -> Option<String> {
    let (Some(accepted), BaseKind::Revisions(_)) = (accepted, &changes.base_kind) else { return None };
    let looked_at: BTreeSet<&PartId> = changes.changes.iter().filter_map(|change| change.part.as_ref()).collect();
    let ids: BTreeSet<&PartId> = accepted.parts.keys().chain(head.parts.keys()).collect();
    let differs = |id: &&PartId| accepted.parts.get(*id) != head.parts.get(*id);
    let mut names: Vec<String> =
        ids.into_iter().filter(differs).filter(|id| !looked_at.contains(id)).map(PartId::to_string).collect();
    let code_changed = changes.changes.iter().any(|change| change.kind == ChangeKind::Code);
    if accepted.rest.code != head.rest.code && !code_changed {
        names.push("the workflows' code".to_owned());
    }
    let changed = |kind: ChangeKind| changes.changes.iter().any(|change| change.kind == kind);
    if accepted.project_file != head.project_file && !changed(ChangeKind::Project) {
        names.push("the project file".to_owned());
    }
    let (before, now) = (&accepted.rest.other, &head.rest.other);
    let paths: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let is_shown =
        |path: &str| changes.changes.iter().any(|change| change.paths.iter().any(|one| first_name(one) == path));
    let others = paths.into_iter().filter(|path| before.get(*path) != now.get(*path) && !is_shown(path));
    names.extend(others.cloned());
    (!names.is_empty()).then(|| {
        format!(
            "between what was accepted and the base, other things changed: {}; cases that did not run stand on results \
             from before that, and `holdpoint gate` without --base runs what it puts at risk",
            names.join(", ")
        )
    })
}

/// What is accepted of paths that no rule knows is kept by the first name of each.
fn first_name(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use crate::change::{Change, Direction, PartSnapshot, RestDigests, Side};
    use crate::domain::Digest;
    use crate::manifest::PartKind;

    fn snapshot(versions: &[(&str, &str)], code: &str) -> Snapshot {
        let part = |version: &str| PartSnapshot {
            kind: PartKind::Prompt,
            version: version.to_owned(),
            path: String::new(),
            facets: BTreeMap::new(),
            files: BTreeMap::new(),
        };
        let code = BTreeMap::from([("src".to_owned(), Digest::of(code.as_bytes()))]);
        Snapshot {
            parts: versions.iter().map(|(id, version)| (PartId::from(*id), part(version))).collect(),
            project_file: Digest::of(b""),
            policy: None,
            rest: RestDigests { code, other: BTreeMap::new() },
        }
    }

    fn changes(base_kind: BaseKind, part: &str) -> ChangeSet {
        let side = Side { name: String::new(), commit: None, note: None };
        let change = Change {
            kind: ChangeKind::Prompt,
            part: Some(PartId::from(part)),
            case: None,
            facet: None,
            direction: Direction::Modified,
            from: None,
            to: None,
            paths: Vec::new(),
        };
        ChangeSet {
            base: side.clone(),
            base_kind,
            head: side,
            base_files: Vec::new(),
            changes: vec![change],
            cases: BTreeMap::new(),
            bumps_without_change: Vec::new(),
            changes_without_bump: Vec::new(),
            outside_project: 0,
        }
    }

    #[test]
    fn what_differs_from_the_acceptance_and_is_in_no_change_is_named() {
        let accepted = snapshot(&[("a", "1"), ("b", "1"), ("c", "1")], "one");
        let head = snapshot(&[("a", "2"), ("b", "2"), ("c", "1")], "two");
        let revisions = changes(BaseKind::Revisions(Vec::new()), "a");
        let told = drift(Some(&accepted), &head, &revisions).unwrap();
        assert!(told.contains("changed: b, the workflows' code;"), "{told}");
    }

    #[test]
    fn the_project_file_and_what_no_rule_knows_are_named_too() {
        let accepted = snapshot(&[("a", "1")], "one");
        let mut head = Snapshot { project_file: Digest::of(b"other"), ..accepted.clone() };
        head.rest.other.insert("tone".to_owned(), Digest::of(b"rude"));
        let mut revisions = changes(BaseKind::Revisions(Vec::new()), "a");
        let told = drift(Some(&accepted), &head, &revisions).unwrap();
        assert!(told.contains("changed: the project file, tone;"), "{told}");
        revisions.changes[0].paths = vec!["tone/low.cfg".to_owned()];
        let told = drift(Some(&accepted), &head, &revisions).unwrap();
        assert!(told.contains("changed: the project file;"), "what the change shows is looked at: {told}");
    }

    #[test]
    fn nothing_is_said_where_the_acceptance_is_the_base_or_all_of_it_is_looked_at() {
        let (accepted, head) = (snapshot(&[("a", "1")], "one"), snapshot(&[("a", "2")], "one"));
        assert_eq!(drift(Some(&accepted), &head, &changes(BaseKind::Baseline, "a")), None);
        assert_eq!(drift(Some(&accepted), &head, &changes(BaseKind::Revisions(Vec::new()), "a")), None);
        assert_eq!(drift(None, &head, &changes(BaseKind::Revisions(Vec::new()), "a")), None);
    }
}
