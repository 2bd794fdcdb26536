//! A project's files as they stand in a revision, and as they stand on disk with git's bytes where git has them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::manifest::{DiskFiles, EntryKind, FileError, FileSource, NEVER_LISTED, readable};

use super::git::{GitProject, WorkingTree};
use super::git_error::GitError;
use super::git_rewritten::LFS_POINTER;
use super::listing::{Entry, EntryMode, Listing};
use super::path_name::PathName;

/// The files of a project in one revision.
pub struct GitTreeFiles {
    project: GitProject,
    listing: Listing,
}

impl GitTreeFiles {
    /// The files below the project's folder in a listing of the whole repository.
    pub fn new(project: &GitProject, whole_repository: &Listing) -> Self {
        Self { project: project.clone(), listing: whole_repository.below(project.prefix()) }
    }
}

impl FileSource for GitTreeFiles {
    fn list(&self, prefix: &str) -> Result<Vec<String>, FileError> {
        let folder = if prefix.is_empty() { String::new() } else { format!("{}/", prefix.trim_end_matches('/')) };
        let files = self.listing.starting_with(folder.as_bytes());
        let files = files.filter(|(_, entry)| entry.mode != EntryMode::Submodule);
        let is_own = |path: &PathName| {
            let first = path.first_name();
            prefix.is_empty() && NEVER_LISTED.iter().any(|own| first.as_bytes() == own.as_bytes())
        };
        let files = files.filter(|(path, _)| !is_own(path));
        Ok(files.filter_map(|(path, _)| path.as_str().map(str::to_owned)).collect())
    }

    fn unnameable(&self, prefix: &str) -> Result<Vec<String>, FileError> {
        let folder = if prefix.is_empty() { String::new() } else { format!("{}/", prefix.trim_end_matches('/')) };
        let files = self.listing.starting_with(folder.as_bytes());
        let foreign = files.filter(|(path, _)| path.as_str().is_none());
        Ok(foreign.map(|(path, _)| readable(path.as_bytes())).collect())
    }

    fn kind(&self, path: &str) -> Option<EntryKind> {
        match self.listing.get(path.as_bytes()) {
            Some(entry) => Some(kind_of(entry.mode)),
            None => is_folder(&self.listing, path).then_some(EntryKind::Directory),
        }
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        match self.listing.get(path.as_bytes()) {
            None if is_folder(&self.listing, path) => Err(no_file(path)),
            None => Err(FileError::Missing(path.to_owned())),
            Some(entry) if !entry.mode.is_file() => Err(no_file(path)),
            Some(entry) => read_blob(&self.project, *entry, path),
        }
    }

    fn content_name(&self, path: &str) -> Option<Vec<u8>> {
        let entry = self.listing.get(path.as_bytes()).filter(|entry| entry.mode.is_file())?;
        Some(entry.id.as_bytes().to_vec())
    }
}

/// The files of a project on disk. What git considers unmodified is read from git, so that line ends which a checkout
/// converts do not count as a change; what is edited, untracked or ignored is read from disk.
pub struct WorkingTreeFiles {
    project: GitProject,
    disk: DiskFiles,
    listing: Listing,
    uncommitted: BTreeSet<PathName>,
    submodules: BTreeSet<PathName>,
    /// Whether some file was read from disk though git has its name: then a name tells nothing of what is read.
    follows_pointers: AtomicBool,
}

impl WorkingTreeFiles {
    /// The files below the project's folder.
    pub fn new(project: &GitProject, working_tree: &WorkingTree) -> Self {
        let prefix = project.prefix();
        let listing = working_tree.listing.below(prefix);
        let submodules = listing.iter().filter(|(_, entry)| entry.mode == EntryMode::Submodule);
        Self {
            project: project.clone(),
            disk: DiskFiles::new(project.root()),
            submodules: submodules.map(|(path, _)| path.clone()).collect(),
            listing,
            follows_pointers: AtomicBool::new(false),
            uncommitted: working_tree.uncommitted.iter().filter_map(|path| path.below(prefix)).collect(),
        }
    }

    /// What git has for a path, where that is what counts.
    fn committed(&self, path: &str) -> Option<&Entry> {
        let committed = self.listing.get(path.as_bytes()).filter(|entry| entry.mode.is_file());
        committed.filter(|_| self.uncommitted.is_empty() || !self.uncommitted.contains(&PathName::from(path)))
    }

    fn is_in_submodule(&self, path: &str) -> bool {
        !self.submodules.is_empty()
            && Path::new(path)
                .ancestors()
                .filter_map(Path::to_str)
                .any(|folder| self.submodules.contains(&folder.into()))
    }
}

impl FileSource for WorkingTreeFiles {
    fn list(&self, prefix: &str) -> Result<Vec<String>, FileError> {
        let mut files = self.disk.list(prefix)?;
        files.retain(|path| !self.is_in_submodule(path));
        Ok(files)
    }

    fn unnameable(&self, prefix: &str) -> Result<Vec<String>, FileError> {
        self.disk.unnameable(prefix)
    }

    fn kind(&self, path: &str) -> Option<EntryKind> {
        if self.submodules.contains(&path.into()) { Some(EntryKind::Submodule) } else { self.disk.kind(path) }
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        let Some(entry) = self.committed(path).filter(|_| self.disk.kind(path) == Some(EntryKind::File)) else {
            return self.disk.read(path);
        };
        let content = read_blob(&self.project, *entry, path)?;
        // Git's own blob of such a file is no content that a workflow could have read.
        if !content.starts_with(LFS_POINTER) {
            return Ok(content);
        }
        self.follows_pointers.store(true, Ordering::Relaxed);
        self.disk.read(path)
    }

    fn content_name(&self, path: &str) -> Option<Vec<u8>> {
        let is_telling = !self.follows_pointers.load(Ordering::Relaxed);
        self.committed(path).filter(|_| is_telling).map(|entry| entry.id.as_bytes().to_vec())
    }
}

fn is_folder(listing: &Listing, path: &str) -> bool {
    path.is_empty() || listing.starting_with(format!("{path}/").as_bytes()).next().is_some()
}

fn kind_of(mode: EntryMode) -> EntryKind {
    match mode {
        EntryMode::Regular | EntryMode::Executable => EntryKind::File,
        EntryMode::Symlink => EntryKind::Symlink,
        EntryMode::Submodule => EntryKind::Submodule,
    }
}

fn no_file(path: &str) -> FileError {
    FileError::Unreadable { path: path.to_owned(), reason: "it is no regular file".to_owned() }
}

fn read_blob(project: &GitProject, entry: Entry, path: &str) -> Result<Vec<u8>, FileError> {
    let content = project.store().blob(entry.id);
    content.map_err(|error: GitError| FileError::Unreadable { path: path.to_owned(), reason: error.sentence() })
}
