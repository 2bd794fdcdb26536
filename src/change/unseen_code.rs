//! Code that a project declares and that a listing does not show: files that git ignores, and what stands behind
//! symbolic links.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::git_disk::disk_entry;
use super::listing::{Entry, EntryMode, Listing};
use super::path_name::PathName;
use super::path_rules::{PathRules, is_written};

/// What the Python interpreter derives from the sources beside it, and writes anew with every run.
pub(super) const DERIVED: &str = "__pycache__";

/// A file of declared code that the listing does not have.
#[derive(Clone, Debug)]
pub(super) struct UnseenFile {
    /// Its path below the project's folder, through links where there are any.
    pub(super) path: PathName,
    /// Where it really stands.
    pub(super) real: PathBuf,
    /// What stands there, as git would store it without any filter.
    pub(super) entry: Entry,
}

/// Every file below `root` that a rule declares as code and that `listing` does not have as a file.
///
/// # Errors
/// When a folder or a file cannot be read.
pub(super) fn unseen_code(root: &Path, listing: &Listing, rules: &PathRules) -> io::Result<Vec<UnseenFile>> {
    let mut walk = Walk { root, listing, rules, found: BTreeMap::new(), open: Vec::new() };
    for start in rules.declared_roots() {
        let is_in_submodule =
            start.match_indices('/').any(|(end, _)| walk.is_submodule(&PathName::from(&start[..end])));
        if !is_in_submodule {
            walk.visit(&PathName::from(start.as_str()))?;
        }
    }
    let files = walk.found.into_iter().map(|(path, real)| {
        let entry = disk_entry(&real)?;
        Ok(entry.map(|entry| UnseenFile { path, real, entry }))
    });
    files.filter_map(Result::transpose).collect()
}

struct Walk<'a> {
    root: &'a Path,
    listing: &'a Listing,
    rules: &'a PathRules,
    found: BTreeMap<PathName, PathBuf>,
    /// The folders on the way, where they really stand: a link that leads back to one of them is not followed.
    open: Vec<PathBuf>,
}

impl Walk<'_> {
    fn is_submodule(&self, path: &PathName) -> bool {
        self.listing.get(path.as_bytes()).is_some_and(|entry| entry.mode == EntryMode::Submodule)
    }

    fn visit(&mut self, path: &PathName) -> io::Result<()> {
        let full = self.root.join(path.as_path());
        // A link that leads nowhere has no content to miss.
        let Ok(metadata) = full.metadata() else { return Ok(()) };
        if metadata.is_dir() {
            return self.folder(path, &full);
        }
        let is_seen = self.listing.get(path.as_bytes()).is_some_and(|entry| entry.mode.is_file());
        if metadata.is_file() && !is_seen && self.rules.is_declared(path) {
            self.found.insert(path.clone(), full.canonicalize()?);
        }
        Ok(())
    }

    fn folder(&mut self, path: &PathName, full: &Path) -> io::Result<()> {
        let real = full.canonicalize()?;
        if self.is_submodule(path) || self.open.contains(&real) {
            return Ok(());
        }
        self.open.push(real);
        for item in fs::read_dir(full)? {
            let name = item?.file_name();
            let child = child(path, &name);
            let is_own = is_written(&child) && path.as_bytes().is_empty();
            if name != ".git" && name != DERIVED && !is_own {
                self.visit(&child)?;
            }
        }
        self.open.pop();
        Ok(())
    }
}

fn child(folder: &PathName, name: &OsStr) -> PathName {
    if folder.as_bytes().is_empty() {
        return PathName::new(name.as_bytes());
    }
    PathName::new([folder.as_bytes(), b"/", name.as_bytes()].concat())
}
