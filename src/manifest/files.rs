//! Where a project's files are read from: a folder on disk here, a git tree in the change room.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A symbolic link, whatever it leads to.
    Symlink,
    /// A folder.
    Directory,
    /// A git submodule.
    Submodule,
    /// A pipe, a socket or a device: whoever opens one may wait for ever.
    Special,
}

/// A file that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Nothing stands at that path.
    #[error("`{0}` does not exist")]
    Missing(String),
    /// Something stands there and cannot be read.
    #[error("`{path}` cannot be read: {reason}")]
    Unreadable {
        /// The path, relative to the project's folder.
        path: String,
        /// The system's own words.
        reason: String,
    },
}

/// One side of a comparison: the files of a project as they stand on disk or in a revision.
///
/// Paths are relative to the project's folder with `/` between names. Names that are not UTF-8 are
/// never listed: no manifest can name them, and git's diff reports their changes as unclassified.
/// [`Self::unnameable`] tells of them, for the folders in which nothing may be left out unseen.
pub trait FileSource: Sync {
    /// Every file below the folder `prefix` (the empty text for the whole project), sorted: symbolic links too, and on disk
    /// what is no regular file.
    /// A folder that does not exist has no files.
    ///
    /// # Errors
    /// When a folder exists and cannot be read.
    fn list(&self, prefix: &str) -> Result<Vec<String>, FileError>;

    /// The names below the folder `prefix` that are not UTF-8, sorted, with `\xNN` for each byte that does not fit.
    /// What lies in a folder of such a name may go by the folder's name alone.
    ///
    /// # Errors
    /// When a folder exists and cannot be read.
    fn unnameable(&self, prefix: &str) -> Result<Vec<String>, FileError>;

    /// What stands at `path` itself, without following a link; `None` where there is nothing.
    fn kind(&self, path: &str) -> Option<EntryKind>;

    /// The bytes of the file at `path`. A symbolic link is not followed.
    ///
    /// # Errors
    /// When it is missing, or no regular file, or cannot be read.
    fn read(&self, path: &str) -> Result<Vec<u8>, FileError>;

    /// A name of the bytes that [`Self::read`] gives for `path`, where one is known without reading them: where two
    /// sources of one repository give the same, they read the same. What it says of a path that was not read may change
    /// with reading it.
    fn content_name(&self, path: &str) -> Option<Vec<u8>> {
        let _ = path;
        None
    }
}

/// The files of a folder on disk.
#[derive(Clone, Debug)]
pub struct DiskFiles {
    root: PathBuf,
}

/// Folders of a project that hold what holdpoint or git wrote; they are never part of its sources. Every source of
/// files leaves them out of the list of the whole project, so that all sides list alike.
pub const NEVER_LISTED: [&str; 3] = [".git", ".holdpoint", "reports"];

impl DiskFiles {
    /// The files below `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn walk(&self, relative: &str, found: &mut Found) -> io::Result<()> {
        let folder = if relative.is_empty() { self.root.clone() } else { self.root.join(relative) };
        let path_of = |name: &str| if relative.is_empty() { name.to_owned() } else { format!("{relative}/{name}") };
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = match entry.file_name().into_string() {
                Ok(name) => name,
                Err(name) => {
                    found.unnameable.push(path_of(&readable(name.as_bytes())));
                    continue;
                }
            };
            if relative.is_empty() && NEVER_LISTED.contains(&name.as_str()) {
                continue;
            }
            let path = path_of(&name);
            if entry.file_type()?.is_dir() {
                self.walk(&path, found)?;
            } else {
                found.paths.push(path);
            }
        }
        Ok(())
    }

    fn found(&self, prefix: &str) -> Result<Found, FileError> {
        let mut found = Found::default();
        match self.walk(prefix, &mut found) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(unreadable(prefix, &error)),
        }
        found.paths.sort_unstable();
        found.unnameable.sort_unstable();
        Ok(found)
    }
}

/// What a walk over a folder on disk comes upon.
#[derive(Default)]
struct Found {
    paths: Vec<String>,
    unnameable: Vec<String>,
}

/// A name for a reader: `\xNN` for each byte that is no UTF-8.
pub fn readable(name: &[u8]) -> String {
    let mut text = String::new();
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

impl FileSource for DiskFiles {
    fn list(&self, prefix: &str) -> Result<Vec<String>, FileError> {
        Ok(self.found(prefix)?.paths)
    }

    fn unnameable(&self, prefix: &str) -> Result<Vec<String>, FileError> {
        Ok(self.found(prefix)?.unnameable)
    }

    fn kind(&self, path: &str) -> Option<EntryKind> {
        let metadata = self.root.join(path).symlink_metadata().ok()?;
        Some(if metadata.is_symlink() {
            EntryKind::Symlink
        } else if metadata.is_dir() {
            EntryKind::Directory
        } else if metadata.is_file() {
            EntryKind::File
        } else {
            EntryKind::Special
        })
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        match self.kind(path) {
            None => Err(FileError::Missing(path.to_owned())),
            Some(EntryKind::File) => std::fs::read(self.root.join(path)).map_err(|error| unreadable(path, &error)),
            Some(_) => Err(FileError::Unreadable { path: path.to_owned(), reason: "it is no regular file".to_owned() }),
        }
    }
}

fn unreadable(path: &str, error: &io::Error) -> FileError {
    FileError::Unreadable { path: path.to_owned(), reason: error.to_string() }
}

/// Files held in memory: a project in a test, or one that is about to be written.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles {
    entries: BTreeMap<String, (EntryKind, Vec<u8>)>,
}

impl MemoryFiles {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a regular file at `path`.
    #[must_use]
    pub fn with(mut self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.entries.insert(path.to_owned(), (EntryKind::File, content.as_ref().to_vec()));
        self
    }

    /// The same with an entry of another kind at `path`.
    #[must_use]
    pub fn with_entry(mut self, path: &str, kind: EntryKind) -> Self {
        self.entries.insert(path.to_owned(), (kind, Vec::new()));
        self
    }
}

impl FileSource for MemoryFiles {
    fn list(&self, prefix: &str) -> Result<Vec<String>, FileError> {
        let inside =
            |path: &str| prefix.is_empty() || path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'));
        let listed = |kind: EntryKind| matches!(kind, EntryKind::File | EntryKind::Symlink | EntryKind::Special);
        let found = self.entries.iter().filter(|(path, (kind, _))| inside(path) && listed(*kind));
        Ok(found.map(|(path, _)| path.clone()).collect())
    }

    fn unnameable(&self, _prefix: &str) -> Result<Vec<String>, FileError> {
        Ok(Vec::new())
    }

    fn kind(&self, path: &str) -> Option<EntryKind> {
        let folder =
            || self.entries.keys().any(|other| other.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')));
        self.entries.get(path).map(|(kind, _)| *kind).or_else(|| folder().then_some(EntryKind::Directory))
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        match self.entries.get(path) {
            None => Err(FileError::Missing(path.to_owned())),
            Some((EntryKind::File, content)) => Ok(content.clone()),
            Some(_) => Err(FileError::Unreadable { path: path.to_owned(), reason: "it is no regular file".to_owned() }),
        }
    }

    fn content_name(&self, path: &str) -> Option<Vec<u8>> {
        self.entries.get(path).filter(|(kind, _)| *kind == EntryKind::File).map(|(_, content)| content.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_name_that_are_no_utf_8_are_spelt_out() {
        assert_eq!(readable(b"cases/caf\xe9/\xff.yaml"), r"cases/caf\xe9/\xff.yaml");
    }
}
