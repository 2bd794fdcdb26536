//! A folder without git, listed as git would: the same names for the same contents, with no filter and nothing ignored.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use git2::{ObjectType, Oid};

use crate::manifest::NEVER_LISTED;

use super::git_library::object_id;
use super::listing::{Entry, EntryMode, Listing};
use super::path_name::PathName;

/// Lists every file and link below `root`, but for what git and holdpoint keep there themselves.
///
/// # Errors
/// When a folder or a file cannot be read.
pub(super) fn list_disk(root: &Path) -> io::Result<Listing> {
    let mut entries = Vec::new();
    walk(root, &mut Vec::new(), &mut entries)?;
    Ok(Listing::new(entries))
}

fn walk(folder: &Path, prefix: &mut Vec<u8>, entries: &mut Vec<(PathName, Entry)>) -> io::Result<()> {
    for item in fs::read_dir(folder)? {
        let item = item?;
        let name = item.file_name();
        if name == ".git" || (prefix.is_empty() && NEVER_LISTED.iter().any(|own| name == *own)) {
            continue;
        }
        let length = prefix.len();
        prefix.extend_from_slice(name.as_bytes());
        if item.file_type()?.is_dir() {
            prefix.push(b'/');
            walk(&item.path(), prefix, entries)?;
        } else if let Some(entry) = disk_entry(&item.path())? {
            entries.push((PathName::new(prefix.clone()), entry));
        }
        prefix.truncate(length);
    }
    Ok(())
}

/// What git would keep for what stands there, with no filter. A pipe or a socket is no file that git would keep.
pub(super) fn disk_entry(path: &Path) -> io::Result<Option<Entry>> {
    let metadata = path.symlink_metadata()?;
    let (mode, id) = if metadata.is_symlink() {
        let target = fs::read_link(path)?;
        (EntryMode::Symlink, Oid::hash_object(ObjectType::Blob, target.as_os_str().as_bytes()))
    } else if metadata.is_file() {
        let is_executable = metadata.permissions().mode() & 0o100 != 0;
        let mode = if is_executable { EntryMode::Executable } else { EntryMode::Regular };
        (mode, Oid::hash_file(ObjectType::Blob, path))
    } else {
        return Ok(None);
    };
    let id = id.map_err(|error| io::Error::other(format!("`{}`: {}", path.display(), error.message())))?;
    Ok(Some(Entry { mode, id: object_id(id) }))
}
