//! Files that probes read in a trial's state directory, whose names may be links that lead elsewhere.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::BYTE_CAP;

/// Whether nothing stands there at all. A link that leads nowhere is something.
pub(super) fn is_missing(name: &str, state_dir: &Path) -> bool {
    let missing = |path: &Path| matches!(path.symlink_metadata(), Err(error) if error.kind() == ErrorKind::NotFound);
    // Without the state directory itself nothing can be said about what is in it.
    state_dir.is_dir() && missing(&state_dir.join(name))
}

/// The file, which must lie in the state directory when every link was followed.
pub(super) fn file_in(name: &str, state_dir: &Path) -> Result<PathBuf, String> {
    let is_inside = Path::new(name).components().all(|component| matches!(component, Component::Normal(_)));
    if !is_inside || name.is_empty() {
        return Err(format!("`{name}` does not lie in the state directory"));
    }
    let itself = state_dir.join(name);
    // Directly in the folder, and no link: it is where it seems to be, and nothing on its way need be looked at.
    if Path::new(name).components().count() == 1 && itself.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return Ok(itself);
    }
    let path = itself.canonicalize().map_err(|error| format!("`{name}`: {error}"))?;
    let inside = state_dir.canonicalize().map_err(|error| format!("the state directory: {error}"))?;
    if !path.starts_with(inside) {
        return Err(format!("`{name}` is a link that leads out of the state directory"));
    }
    if path.is_file() { Ok(path) } else { Err(format!("`{name}` is no file")) }
}

/// The whole content of such a file. Whatever may have taken its place meanwhile is neither followed nor waited for.
pub(super) fn content(name: &str, state_dir: &Path) -> Result<Vec<u8>, String> {
    let path = file_in(name, state_dir)?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = rustix::fs::open(&path, flags, Mode::empty()).map_err(|error| format!("`{name}`: {error}"))?;
    let file = File::from(opened);
    if !file.metadata().is_ok_and(|found| found.is_file()) {
        return Err(format!("`{name}` is no file"));
    }
    let mut content = Vec::new();
    file.take(BYTE_CAP as u64 + 1).read_to_end(&mut content).map_err(|error| format!("`{name}`: {error}"))?;
    if content.len() > BYTE_CAP { Err(format!("`{name}` is longer than {BYTE_CAP} bytes")) } else { Ok(content) }
}
