//! The git library's answers: revisions, history, trees, blobs.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use git2::{ErrorCode, ObjectType, Oid, Repository};

use super::git::{Commit, Removed, Store, WorkingTree};
use super::git_command::CommandStore;
use super::git_error::{GitError, GitErrorKind};
use super::git_history::removed_from;
use super::git_working_tree::read_working_tree;
use super::listing::{Entry, EntryMode, Listing, ObjectId};
use super::path_name::PathName;

/// A repository that the git library can read. The library's handle may move between threads and may not be shared.
pub(super) struct LibraryStore {
    repository: Mutex<Repository>,
    /// Further handles, for threads that read contents at the same time. Each is taken out while it is used.
    readers: Mutex<Vec<Repository>>,
    top: PathBuf,
    /// Where the user's own attributes lie, if that is known.
    personal_attributes: Option<PathBuf>,
}

impl LibraryStore {
    /// Finds and opens the repository around a folder. What git writes into its own environment variables for hooks is
    /// not consulted.
    pub(super) fn open(folder: &Path, personal_attributes: Option<PathBuf>) -> Result<Self, GitError> {
        let what = || format!("the repository of `{}` cannot be opened", folder.display());
        let repository = Repository::discover(folder).map_err(|error| GitError::from_library(what(), &error))?;
        let Some(workdir) = repository.workdir() else {
            return Err(GitError::new(GitErrorKind::Bare, what(), "the repository is bare"));
        };
        let top =
            workdir.canonicalize().map_err(|error| GitError::new(GitErrorKind::Other, what(), &error.to_string()))?;
        if let Some(setting) = promisor(&repository) {
            return Err(GitError::new(GitErrorKind::Unsupported, what(), &setting));
        }
        let (repository, readers) = (Mutex::new(repository), Mutex::default());
        Ok(Self { repository, readers, top, personal_attributes })
    }

    /// The working tree over an index of a form that the library does not know. It is found out here: reading a long index
    /// takes its time, and what concerns revisions alone needs none.
    fn asked_of_the_command(&self, refusal: GitError) -> Result<WorkingTree, GitError> {
        if refusal.kind != GitErrorKind::Unsupported {
            return Err(refusal);
        }
        match CommandStore::open(&self.top).and_then(|command| command.working_tree()) {
            Err(error) if error.kind == GitErrorKind::NoCommand => Err(refusal),
            answer => answer,
        }
    }

    fn repository(&self) -> MutexGuard<'_, Repository> {
        self.repository.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for LibraryStore {
    fn top(&self) -> &Path {
        &self.top
    }

    fn commit(&self, revision: &str) -> Result<Commit, GitError> {
        let repository = self.repository();
        let commit = repository.revparse_single(revision).and_then(|object| object.peel_to_commit());
        commit.map(|commit| commit_of(&commit)).map_err(|error| {
            GitError::from_library(format!("`{revision}` names no commit"), &error).with_kind(GitErrorKind::Revision)
        })
    }

    fn head(&self) -> Result<Option<Commit>, GitError> {
        let repository = self.repository();
        match repository.head().and_then(|reference| reference.peel_to_commit()) {
            Ok(commit) => Ok(Some(commit_of(&commit))),
            Err(error) if matches!(error.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound) => Ok(None),
            Err(error) => Err(GitError::from_library("HEAD cannot be read", &error)),
        }
    }

    fn merge_bases(&self, one: ObjectId, other: ObjectId) -> Result<Vec<ObjectId>, GitError> {
        let what = || format!("{} and {} have no common commit", one.short(), other.short());
        let found = self.repository().merge_bases(oid(one)?, oid(other)?);
        let bases = found.map_err(|error| GitError::from_library(what(), &error))?;
        let bases: Vec<ObjectId> = bases.iter().map(|base| object_id(*base)).collect();
        if bases.is_empty() {
            return Err(GitError::new(GitErrorKind::NoMergeBase, what(), "no merge base found"));
        }
        Ok(bases)
    }

    fn is_shallow(&self) -> bool {
        self.repository().is_shallow()
    }

    fn tree(&self, commit: ObjectId) -> Result<Listing, GitError> {
        let repository = self.repository();
        let tree = oid(commit).and_then(|id| {
            let tree = repository.find_commit(id).and_then(|commit| commit.tree());
            tree.map_err(|error| GitError::from_library(tree_failure(commit), &error))
        })?;
        let mut entries = Vec::new();
        flatten(&repository, &tree, &mut Vec::new(), &mut entries)
            .map_err(|error| GitError::from_library(tree_failure(commit), &error))?;
        Ok(Listing::new(entries))
    }

    fn working_tree(&self) -> Result<WorkingTree, GitError> {
        read_working_tree(&self.repository(), &self.top, self.personal_attributes.as_deref())
            .map_err(|error| GitError::from_library("the working tree cannot be read", &error))
            .or_else(|refusal| self.asked_of_the_command(refusal))
    }

    fn blob(&self, id: ObjectId) -> Result<Vec<u8>, GitError> {
        let id_of_blob = oid(id)?;
        let readers = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = readers().pop();
        let reader = taken.map_or_else(|| Repository::open(&self.top), Ok);
        let content = reader.and_then(|reader| {
            let content = reader.find_blob(id_of_blob).map(|blob| blob.content().to_vec());
            readers().push(reader);
            content
        });
        content.map_err(|error| GitError::from_library(format!("the content {} cannot be read", id.short()), &error))
    }

    fn removed_from(&self, head: ObjectId, folder: &PathName, commits: usize) -> Result<Removed, GitError> {
        let removed = removed_from(&self.repository(), oid(head)?, folder.as_bytes(), commits);
        removed
            .map_err(|error| GitError::from_library(format!("the history of {} cannot be read", head.short()), &error))
    }

    fn first_parent(&self, commit: ObjectId) -> Result<Option<Commit>, GitError> {
        let repository = self.repository();
        let id = oid(commit)?;
        let parent = repository.find_commit(id).and_then(|found| match found.parent(0) {
            Ok(parent) => Ok(Some(commit_of(&parent))),
            Err(_) if found.parent_count() == 0 => Ok(None),
            Err(error) => Err(error),
        });
        let what = || format!("the commit before {} cannot be read", commit.short());
        parent.map_err(|error| GitError::from_library(what(), &error))
    }

    fn ignores(&self, path: &Path) -> Result<bool, GitError> {
        self.repository()
            .is_path_ignored(path)
            .map_err(|error| GitError::from_library(format!("the rules for `{}`", path.display()), &error))
    }
}

/// The setting that makes this a partial clone: objects may be missing that only the git command can fetch.
fn promisor(repository: &Repository) -> Option<String> {
    let config = repository.config().ok()?;
    let mut entries = config.entries(Some(r"remote\..*\.promisor")).ok()?;
    while let Some(Ok(entry)) = entries.next() {
        if let (Ok(name), Ok(value)) = (entry.name(), entry.value()) {
            return Some(format!("{name} = {value}")).filter(|_| value != "false");
        }
    }
    None
}

fn tree_failure(commit: ObjectId) -> String {
    format!("the files of {} cannot be listed", commit.short())
}

fn commit_of(commit: &git2::Commit<'_>) -> Commit {
    Commit { id: object_id(commit.id()), seconds: commit.time().seconds() }
}

fn flatten(
    repository: &Repository,
    tree: &git2::Tree<'_>,
    folder: &mut Vec<u8>,
    entries: &mut Vec<(PathName, Entry)>,
) -> Result<(), git2::Error> {
    for entry in tree {
        let length = folder.len();
        folder.extend_from_slice(entry.name_bytes());
        if entry.kind() == Some(ObjectType::Tree) {
            folder.push(b'/');
            flatten(repository, &repository.find_tree(entry.id())?, folder, entries)?;
        } else if let Some(mode) = mode_from(entry.filemode_raw()) {
            entries.push((PathName::new(folder.clone()), Entry { mode, id: object_id(entry.id()) }));
        }
        folder.truncate(length);
    }
    Ok(())
}

fn mode_from(bits: i32) -> Option<EntryMode> {
    u32::try_from(bits).ok().and_then(EntryMode::from_bits)
}

pub(super) fn object_id(id: Oid) -> ObjectId {
    ObjectId::from_bytes(id.as_bytes())
}

fn oid(id: ObjectId) -> Result<Oid, GitError> {
    Oid::from_bytes(id.as_bytes())
        .map_err(|error| GitError::from_library(format!("`{id}` is no name that the git library knows"), &error))
}
