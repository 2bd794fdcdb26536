//! What a history took away: the names that a folder had in some commit and no longer had in one that follows it.

use std::collections::{BTreeSet, HashMap};

use git2::{ErrorCode, ObjectType, Oid, Repository};

use super::git::Removed;
use super::path_name::PathName;

/// Walks from `head` to the roots, or over so many commits. `folder` is relative to the repository's top folder, without
/// a `/` at its end; only what lies in it directly is looked at.
pub(super) fn removed_from(
    repository: &Repository,
    head: Oid,
    folder: &[u8],
    commits: usize,
) -> Result<Removed, git2::Error> {
    let mut walk = repository.revwalk()?;
    walk.push(head)?;
    let mut folders = Folders { repository, folder, known: HashMap::new() };
    let mut removed = Removed { names: BTreeSet::new(), is_whole: true };
    for (number, id) in walk.enumerate() {
        if number == commits {
            removed.is_whole = false;
            break;
        }
        let commit = repository.find_commit(id?)?;
        let own = folders.of(&commit)?;
        for parent in commit.parent_ids() {
            let parent = match repository.find_commit(parent) {
                Ok(parent) => parent,
                // Where a clone was cut off there is nothing to compare with.
                Err(error) if error.code() == ErrorCode::NotFound && repository.is_shallow() => continue,
                Err(error) => return Err(error),
            };
            let before = folders.of(&parent)?;
            if before == own {
                continue;
            }
            let (before, now) = (names(repository, before)?, names(repository, own)?);
            removed.names.extend(before.difference(&now).cloned());
        }
    }
    Ok(removed)
}

/// The folder's tree in each commit; each commit is asked for twice, as itself and as a parent.
struct Folders<'r> {
    repository: &'r Repository,
    folder: &'r [u8],
    known: HashMap<Oid, Option<Oid>>,
}

impl Folders<'_> {
    fn of(&mut self, commit: &git2::Commit<'_>) -> Result<Option<Oid>, git2::Error> {
        if let Some(known) = self.known.get(&commit.id()) {
            return Ok(*known);
        }
        let mut tree = commit.tree_id();
        let mut found = Some(tree);
        for name in self.folder.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            let entries = self.repository.find_tree(tree)?;
            let entry = entries.iter().find(|entry| entry.name_bytes() == name);
            found = entry.filter(|entry| entry.kind() == Some(ObjectType::Tree)).map(|entry| entry.id());
            match found {
                Some(id) => tree = id,
                None => break,
            }
        }
        self.known.insert(commit.id(), found);
        Ok(found)
    }
}

fn names(repository: &Repository, tree: Option<Oid>) -> Result<BTreeSet<PathName>, git2::Error> {
    let Some(tree) = tree else { return Ok(BTreeSet::new()) };
    let tree = repository.find_tree(tree)?;
    let files = tree.iter().filter(|entry| entry.kind() == Some(ObjectType::Blob));
    Ok(files.map(|entry| PathName::new(entry.name_bytes().to_vec())).collect())
}
