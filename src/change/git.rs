//! A project inside a git repository: where it lies, its revisions, and its working tree.
//!
//! Two stores can answer: the git library ([`super::git_library`]), and, for repositories that the library refuses
//! (partial clones, SHA-256 names, reftables), the git command ([`super::git_command`]).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::git_attributes::personal_file;
use super::git_command::CommandStore;
use super::git_error::{GitError, GitErrorKind, with_owner_hint};
use super::git_library::LibraryStore;
use super::listing::{Listing, ObjectId};
use super::path_name::PathName;

/// A commit that a revision names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its name.
    pub id: ObjectId,
    /// When it was committed, in seconds since 1970.
    pub seconds: i64,
}

/// The working tree as git would store it now: what is committed, staged, edited or untracked, but not what is ignored.
#[derive(Clone, Debug, Default)]
pub struct WorkingTree {
    /// Every file.
    pub listing: Listing,
    /// The files whose content git does not have: edited, or untracked.
    pub uncommitted: BTreeSet<PathName>,
}

/// What a history took away from a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// The names of files that some commit had and one that follows it had no longer.
    pub names: BTreeSet<PathName>,
    /// Whether all of the history that is here was looked at, and not only its newest commits.
    pub is_whole: bool,
}

/// So many commits' lists of files are kept: a head, and the bases of a criss-cross history.
const KEPT_TREES: usize = 4;

/// So many commits are looked at for what a history took away.
const HISTORY: usize = 50_000;

/// What this room asks of git. Paths are relative to the repository's top folder.
pub(super) trait Store: Send + Sync {
    /// The repository's top folder.
    fn top(&self) -> &Path;
    /// The commit that a revision names.
    fn commit(&self, revision: &str) -> Result<Commit, GitError>;
    /// The commit that is checked out; `None` before the first commit.
    fn head(&self) -> Result<Option<Commit>, GitError>;
    /// The best common ancestors; never empty: without any it is an error of kind `NoMergeBase`.
    fn merge_bases(&self, one: ObjectId, other: ObjectId) -> Result<Vec<ObjectId>, GitError>;
    /// Whether the clone's history was cut off.
    fn is_shallow(&self) -> bool;
    /// Every file of a commit.
    fn tree(&self, commit: ObjectId) -> Result<Listing, GitError>;
    /// The working tree.
    fn working_tree(&self) -> Result<WorkingTree, GitError>;
    /// The bytes of a blob.
    fn blob(&self, id: ObjectId) -> Result<Vec<u8>, GitError>;
    /// The files that the history of `head` took away from a folder, over at most `commits` commits.
    fn removed_from(&self, head: ObjectId, folder: &PathName, commits: usize) -> Result<Removed, GitError>;
    /// The commit that this one followed first; `None` for a root.
    fn first_parent(&self, commit: ObjectId) -> Result<Option<Commit>, GitError>;
    /// Whether git ignores this path where it does not know it yet; a folder's ends in `/`.
    fn ignores(&self, path: &Path) -> Result<bool, GitError>;
}

/// A project inside a git repository. Cheap to clone.
#[derive(Clone)]
pub struct GitProject {
    store: Arc<dyn Store>,
    root: PathBuf,
    /// The project's folder inside the repository: empty, or ending in `/`.
    prefix: Vec<u8>,
    /// The commits that were listed last, the newest at the end: one run asks for the same few several times.
    trees: Arc<Mutex<VecDeque<(ObjectId, Listing)>>>,
}

impl GitProject {
    /// Finds the repository around a project's folder.
    ///
    /// # Errors
    /// When there is none, when neither the library nor the git command can read it, and when it ignores the folder.
    pub fn open(project_root: &Path) -> Result<Self, GitError> {
        Self::open_within(project_root, &BTreeMap::new())
    }

    /// As [`Self::open`], where the environment is known: its variables say where the user's own settings lie, and what is
    /// known to be unset need not be looked up file by file.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_within(project_root: &Path, environment: &BTreeMap<String, String>) -> Result<Self, GitError> {
        let root = project_root.canonicalize().map_err(|error| {
            let what = format!("the project's folder `{}` cannot be opened", project_root.display());
            GitError::new(GitErrorKind::Other, what, &error.to_string())
        })?;
        let store = open_store(&root, environment).map_err(|error| with_owner_hint(error, &root))?;
        let prefix = prefix_of(store.top(), &root)?;
        let project = Self { store, root, prefix, trees: Arc::default() };
        project.refuse_ignored_folder()?;
        Ok(project)
    }

    /// The project's folder inside the repository: empty, or ending in `/`.
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// The project's own folder on disk.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The commit that a revision names.
    ///
    /// # Errors
    /// When it names none.
    pub fn commit(&self, revision: &str) -> Result<Commit, GitError> {
        if revision.len() >= 40 && revision.bytes().all(|byte| byte == b'0') {
            let what = "a revision of zeros names no commit (CI writes it where a branch is new)";
            return Err(GitError::new(GitErrorKind::Revision, what, "bad object 0000000"));
        }
        self.store.commit(revision)
    }

    /// The commit that is checked out; `None` before the first one.
    ///
    /// # Errors
    /// When git cannot tell.
    pub fn head(&self) -> Result<Option<Commit>, GitError> {
        self.store.head()
    }

    /// The best common ancestors of two commits; more than one where history was merged criss-cross.
    ///
    /// # Errors
    /// When there is none, and when history cannot be read.
    pub fn merge_bases(&self, one: ObjectId, other: ObjectId) -> Result<Vec<ObjectId>, GitError> {
        self.store.merge_bases(one, other)
    }

    /// Whether the clone's history was cut off (`git clone --depth`).
    pub fn is_shallow(&self) -> bool {
        self.store.is_shallow()
    }

    /// Every file of a commit, in the whole repository.
    ///
    /// # Errors
    /// When an object is missing.
    pub fn tree(&self, commit: ObjectId) -> Result<Listing, GitError> {
        let trees = || self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, listing)) = trees().iter().find(|(listed, _)| *listed == commit) {
            return Ok(listing.clone());
        }
        let listing = self.store.tree(commit)?;
        let mut trees = trees();
        trees.push_back((commit, listing.clone()));
        if trees.len() > KEPT_TREES {
            trees.pop_front();
        }
        Ok(listing)
    }

    /// The files that the history of a commit took away from a folder of the project, without those of its subfolders.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn removed_from(&self, head: ObjectId, folder: &str) -> Result<Removed, GitError> {
        let folder = PathName::new([self.prefix(), folder.as_bytes()].concat());
        self.store.removed_from(head, &folder, HISTORY)
    }

    /// The commit that this one followed first; `None` for a root.
    ///
    /// # Errors
    /// When the commit cannot be read.
    pub fn first_parent(&self, commit: ObjectId) -> Result<Option<Commit>, GitError> {
        self.store.first_parent(commit)
    }

    /// The working tree of the whole repository.
    ///
    /// # Errors
    /// When the index or a file cannot be read.
    pub fn working_tree(&self) -> Result<WorkingTree, GitError> {
        self.store.working_tree()
    }

    /// Whether a revision's files are exactly those that are checked out, with nothing uncommitted.
    ///
    /// # Errors
    /// When the revision names no commit or the working tree cannot be read.
    pub fn head_is_working_tree(&self, revision: &str) -> Result<bool, GitError> {
        let tree = self.tree(self.commit(revision)?.id)?;
        let working_tree = self.working_tree()?;
        Ok(super::listing::diff_listings(&tree, &working_tree.listing).is_empty())
    }

    /// Whether git ignores a file at this path, seen from the repository's top folder. Of a file that git knows already this
    /// says nothing: it goes on being seen.
    ///
    /// # Errors
    /// When the rules cannot be read.
    pub fn ignores(&self, path: &PathName) -> Result<bool, GitError> {
        self.store.ignores(path.as_path())
    }

    /// A repository around the project that ignores its folder sees none of its changes: it is no help, and
    /// a danger where it says that nothing changed.
    fn refuse_ignored_folder(&self) -> Result<(), GitError> {
        let Some(folder) = self.prefix.strip_suffix(b"/") else { return Ok(()) };
        if !self.store.ignores(&PathName::new(folder).as_path().join(""))? {
            return Ok(());
        }
        if self.working_tree()?.listing.starting_with(&self.prefix).next().is_some() {
            return Ok(());
        }
        let what = format!("the project's folder `{}` is ignored", PathName::new(folder));
        Err(GitError::new(GitErrorKind::Ignored, what, "ignored"))
    }
}

fn open_store(root: &Path, environment: &BTreeMap<String, String>) -> Result<Arc<dyn Store>, GitError> {
    match LibraryStore::open(root, personal_file(environment)) {
        Ok(store) => Ok(Arc::new(store)),
        Err(refusal) if refusal.kind == GitErrorKind::Unsupported => match CommandStore::open(root) {
            Ok(store) => Ok(Arc::new(store)),
            Err(error) if error.kind == GitErrorKind::NoCommand => Err(refusal),
            Err(error) => Err(error),
        },
        Err(refusal) => Err(refusal),
    }
}

fn prefix_of(top: &Path, root: &Path) -> Result<Vec<u8>, GitError> {
    let Ok(relative) = root.strip_prefix(top) else {
        let what = format!("`{}` lies outside of its repository's working tree", root.display());
        return Err(GitError::new(GitErrorKind::Other, what, &top.display().to_string()));
    };
    let mut prefix = relative.as_os_str().as_bytes().to_vec();
    if !prefix.is_empty() {
        prefix.push(b'/');
    }
    Ok(prefix)
}
