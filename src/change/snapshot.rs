//! One side in a form that a baseline can record, and the comparison with a recorded one, which needs no git.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::domain::Digest;
use crate::manifest::{Part, Project};

use super::compare::{Differences, file_change, part_snapshots};
use super::compare_parts::{compare_parts, direction_of};
use super::facets::{facets_of, path_of};
use super::listing::{Entry, EntryMode, Listing};
use super::model::{Change, ChangeKind, PartSnapshot, RestDigests, Snapshot};
use super::path_name::PathName;
use super::path_rules::{PROJECT_FILE, PathOwner, PathRules};

impl PartSnapshot {
    /// The snapshot of one part.
    pub fn of(part: &Part) -> Self {
        Self {
            kind: part.kind,
            version: part.version.clone(),
            path: part.path.clone(),
            facets: facets_of(&part.document),
            files: part.files.clone(),
        }
    }
}

impl PartSnapshot {
    /// The value of the facet under these keys, outermost first.
    pub fn facet(&self, keys: &[&str]) -> Option<&Value> {
        self.facets.get(&path_of(keys))
    }

    /// The texts of the list under these keys.
    pub fn texts(&self, keys: &[&str]) -> Vec<&str> {
        let path = path_of(keys);
        let entries = (0..).map_while(|index| self.facets.get(&format!("{path}[{index}]")));
        entries.filter_map(Value::as_str).collect()
    }
}

impl Snapshot {
    /// The snapshot of a project, with the digests of all else.
    pub fn of(project: &Project, rest: RestDigests) -> Self {
        Self {
            parts: part_snapshots(&project.parts),
            project_file: project.file_digest.clone(),
            policy: Some(project.file.policy()),
            rest,
        }
    }
}

/// The digests over what is neither part, case, inert nor written by holdpoint. `listing` has paths relative to the
/// project's folder.
///
/// A digest covers each file's path, whether it can be executed, and the name that git would give to its content.
pub fn rest_digests(listing: &Listing, project: &Project) -> RestDigests {
    let rules = PathRules::of(project);
    let mut code: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut other = code.clone();
    for (path, entry) in listing.iter() {
        let texts = match rules.owner(path) {
            PathOwner::Code | PathOwner::Grader => &mut code,
            PathOwner::Unknown => &mut other,
            PathOwner::Project | PathOwner::Part | PathOwner::Written | PathOwner::Inert => continue,
        };
        push_entry(texts.entry(path.first_name().to_string()).or_default(), path, entry);
    }
    let digests = |texts: BTreeMap<String, Vec<u8>>| {
        texts.into_iter().map(|(name, text)| (name, Digest::of(&text))).collect::<BTreeMap<_, _>>()
    };
    RestDigests { code: digests(code), other: digests(other) }
}

/// The digest over the project's inert files: their paths, modes and contents. They put nothing at risk, and a workflow can
/// read them all the same; whoever asks for results of exactly one state has to ask for theirs too.
pub(super) fn inert_digest(listing: &Listing, project: &Project) -> Digest {
    let rules = PathRules::of(project);
    let inert = listing.iter().filter(|(path, _)| rules.owner(path) == PathOwner::Inert);
    let mut text = Vec::new();
    inert.for_each(|(path, entry)| push_entry(&mut text, path, entry));
    Digest::of(&text)
}

/// A NUL can stand in no path, so no two listings have the same text.
fn push_entry(text: &mut Vec<u8>, path: &PathName, entry: &Entry) {
    text.extend_from_slice(path.as_bytes());
    text.extend_from_slice(&[0, mode_letter(entry.mode)]);
    text.extend_from_slice(format!("{}\n", entry.id).as_bytes());
}

fn mode_letter(mode: EntryMode) -> u8 {
    match mode {
        EntryMode::Regular => b'f',
        EntryMode::Executable => b'x',
        EntryMode::Symlink => b'l',
        EntryMode::Submodule => b's',
    }
}

/// Compares a recorded snapshot with the head's. Cases are not in a snapshot: the baseline's record has their digests.
pub(super) fn compare_snapshots(base: &Snapshot, head: &Snapshot) -> Differences {
    let parts = compare_parts(&base.parts, &head.parts, &BTreeMap::new());
    let mut changes = parts.changes;
    if base.project_file != head.project_file {
        changes.push(Change {
            kind: ChangeKind::Project,
            part: None,
            case: None,
            facet: None,
            direction: direction_of(true, true),
            from: Some(Value::from(base.project_file.as_str())),
            to: Some(Value::from(head.project_file.as_str())),
            paths: vec![PROJECT_FILE.to_owned()],
        });
    }
    changes.extend(rest_changes(ChangeKind::Code, &base.rest.code, &head.rest.code));
    changes.extend(rest_changes(ChangeKind::Unclassified, &base.rest.other, &head.rest.other));
    Differences {
        changes,
        cases: BTreeMap::new(),
        bumps_without_change: parts.bumps_without_change,
        changes_without_bump: parts.changes_without_bump,
    }
}

fn rest_changes(kind: ChangeKind, base: &BTreeMap<String, Digest>, head: &BTreeMap<String, Digest>) -> Vec<Change> {
    let names: BTreeSet<&String> = base.keys().chain(head.keys()).collect();
    let differing = names.into_iter().filter(|name| base.get(*name) != head.get(*name));
    let value = |digest: &Digest| Value::from(digest.as_str());
    let changes = differing.map(|name| {
        let (from, to) = (base.get(name), head.get(name));
        let direction = direction_of(from.is_some(), to.is_some());
        let change = file_change(kind, &PathName::from(""), direction, from.map(value), to.map(value));
        Change { facet: Some(format!("file:{name}")), paths: vec![name.clone()], ..change }
    });
    changes.collect()
}
