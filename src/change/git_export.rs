//! Writing a revision's files into a folder, for a head that is not checked out.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use super::git::GitProject;
use super::git_error::{GitError, GitErrorKind};
use super::listing::{Entry, EntryMode, Listing, ObjectId};
use super::path_name::PathName;

impl GitProject {
    /// Writes every file of a commit's whole repository into `into`, which must be empty, as git stores them: no
    /// line ends are converted and no filter runs. A submodule becomes an empty folder. Gives the project's folder
    /// in there.
    ///
    /// # Errors
    /// When an object is missing, a name would lead out of the folder, or a file cannot be written.
    pub fn export_tree(&self, commit: ObjectId, into: &Path) -> Result<PathBuf, GitError> {
        self.export_listing(&self.tree(commit)?, into)
    }

    /// As [`Self::export_tree`], for a tree that was listed already.
    ///
    /// # Errors
    /// As there.
    pub fn export_listing(&self, listing: &Listing, into: &Path) -> Result<PathBuf, GitError> {
        // Links come last: until every file is written there is none that a file's path could lead through.
        let (links, files): (Vec<_>, Vec<_>) = listing.iter().partition(|(_, entry)| entry.mode == EntryMode::Symlink);
        for (path, entry) in files.into_iter().chain(links) {
            self.export_entry(path, *entry, into)?;
        }
        let folder = into.join(PathName::new(self.prefix()).as_path());
        fs::create_dir_all(&folder).map_err(|error| export_failure(&PathName::new(self.prefix()), &error))?;
        Ok(folder)
    }

    fn export_entry(&self, path: &PathName, entry: Entry, into: &Path) -> Result<(), GitError> {
        if !stays_inside(path) {
            let what = format!("`{path}` cannot be written");
            return Err(GitError::new(GitErrorKind::Other, what, "the name leads out of the folder, or into .git"));
        }
        let target = into.join(path.as_path());
        let content = if entry.mode == EntryMode::Submodule { Vec::new() } else { self.store().blob(entry.id)? };
        write_entry(&target, entry.mode, &content).map_err(|error| export_failure(path, &error))
    }
}

fn write_entry(target: &Path, mode: EntryMode, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    match mode {
        EntryMode::Submodule => fs::create_dir_all(target),
        EntryMode::Symlink => symlink(PathName::new(content).as_path(), target),
        EntryMode::Regular | EntryMode::Executable => {
            let bits = if mode == EntryMode::Executable { 0o755 } else { 0o644 };
            OpenOptions::new().write(true).create_new(true).mode(bits).open(target)?.write_all(content)
        }
    }
}

/// A tree is data from elsewhere: git itself never writes such names, and a forged tree may hold them.
fn stays_inside(path: &PathName) -> bool {
    path.as_bytes()
        .split(|byte| *byte == b'/')
        .all(|name| !matches!(name, b"" | b"." | b"..") && !name.eq_ignore_ascii_case(b".git"))
}

fn export_failure(path: &PathName, error: &io::Error) -> GitError {
    GitError::new(GitErrorKind::Other, format!("`{path}` cannot be written"), &error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forged_name_does_not_leave_the_folder() {
        for name in ["../x", "/x", "a/../x", "a//x", ".git/hooks/x", "a/.GIT/config", "./x", ""] {
            assert!(!stays_inside(&PathName::from(name)), "{name}");
        }
        assert!(stays_inside(&PathName::from("a/..b/.gitignore")));
    }
}
