//! Writing files of a project where nothing is: nothing that exists is touched, and no link is followed, since what a link
//! leads to is not the project's.

use std::io::Write as _;
use std::path::Path;

use crate::manifest::{DiskFiles, EntryKind, FileSource as _};

use super::PipelineError;

/// The first folder on the way to `path` that is none: something else stands there, or a link.
pub(super) fn barrier<'p>(root: &Path, path: &'p str) -> Option<&'p str> {
    let files = DiskFiles::new(root);
    let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    folders.find(|folder| !matches!(files.kind(folder), None | Some(EntryKind::Directory)))
}

/// Refuses a path with something other than folders on the way to it.
pub(super) fn require_way(root: &Path, path: &str) -> Result<(), PipelineError> {
    let Some(folder) = barrier(root, path) else { return Ok(()) };
    Err(PipelineError::InTheWay { path: root.join(path), folder: folder.to_owned() })
}

/// Writes a file below `root`, whole or not at all, and answers whether it did: not where something stands already.
///
/// # Errors
/// When something that is no folder stands in the way, or the file cannot be written.
pub(super) fn write_new(root: &Path, path: &str, content: &[u8]) -> Result<bool, PipelineError> {
    require_way(root, path)?;
    let whole = root.join(path);
    match place(&whole, content) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(source) => Err(PipelineError::NewFile { path: whole, source }),
    }
}

fn place(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".new-").permissions(permissions()).tempfile_in(folder)?;
    file.write_all(content)?;
    file.persist_noclobber(path).map(drop).map_err(|error| error.error)
}

/// As any other file's: the umask takes from it what it takes from all.
fn permissions() -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::Permissions::from_mode(0o666)
}
