//! State directories that trials have left empty, for later trials of the run.
//!
//! A trial finds a folder of its own that is empty, whatever was done before it. To make one and to remove it again costs a file
//! system with a journal several times what it costs to give an empty one another name.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::state_dir;

/// The permissions of a state directory: it is for this user alone.
const MODE: u32 = 0o700;

/// The folders that wait for a trial.
#[derive(Debug, Default)]
pub(super) struct SpareDirs {
    waiting: Mutex<Vec<PathBuf>>,
}

impl SpareDirs {
    /// Makes a folder, which must not exist: from one that waits, or else a new one.
    ///
    /// # Errors
    /// When it exists or cannot be made.
    pub(super) fn make(&self, path: &Path) -> io::Result<()> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match waiting {
            Some(waiting) if rename(&waiting, path).is_ok() => Ok(()),
            _ => make(path),
        }
    }

    /// Takes the folder of a trial that has ended, and of which nothing runs any more that could still write there.
    pub(super) fn take(&self, path: PathBuf) {
        if is_as_new(&path).unwrap_or(false) {
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(path);
        } else {
            // What cannot be removed stays below the run's own folder; no result depends on it.
            let _ = state_dir::remove(&path);
        }
    }
}

impl Drop for SpareDirs {
    /// What nobody took goes: a trial of a later run that had its name would find it.
    fn drop(&mut self) {
        for waiting in self.waiting.get_mut().unwrap_or_else(PoisonError::into_inner) {
            let _ = state_dir::remove(waiting);
        }
    }
}

/// Makes a new folder, readable for this user alone.
///
/// # Errors
/// When it exists or cannot be made.
pub(super) fn make(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(MODE).create(path)
}

/// Whether a trial that gets this folder could tell it from a new one: by what is in it, its permissions, or its attributes, among which
/// are permissions that files in it would inherit.
fn is_as_new(path: &Path) -> io::Result<bool> {
    let folder = fs::symlink_metadata(path)?;
    let is_plain =
        folder.is_dir() && folder.mode() & 0o7777 == MODE && folder.uid() == rustix::process::geteuid().as_raw();
    Ok(is_plain && !has_attributes(path) && fs::read_dir(path)?.next().is_none())
}

/// Whether the folder has attributes beside its permissions, or might have.
fn has_attributes(path: &Path) -> bool {
    rustix::fs::llistxattr(path, &mut [0_u8; 0][..]).is_ok_and(|length| length > 0)
}

/// Gives a folder another name that nothing has.
#[cfg(target_os = "linux")]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

/// Elsewhere a folder could take the place of another that is empty.
#[cfg(not(target_os = "linux"))]
fn rename(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_folder_that_was_left_empty_is_the_next_ones_under_its_name() {
        let parent = tempfile::tempdir().unwrap();
        let (one, two, dirs) = (parent.path().join("one"), parent.path().join("two"), SpareDirs::default());
        dirs.make(&one).unwrap();
        let number = fs::metadata(&one).unwrap().ino();
        dirs.take(one);
        dirs.make(&two).unwrap();
        assert_eq!((names(parent.path()), fs::metadata(&two).unwrap().ino()), (vec!["two".to_owned()], number));
        dirs.make(&parent.path().join("three")).unwrap();
        assert_eq!(names(parent.path()), ["three", "two"], "it is given away once");
        dirs.take(two);
        drop(dirs);
        assert_eq!(names(parent.path()), ["three"], "what nobody took goes");
    }

    #[test]
    fn what_a_trial_could_tell_from_a_new_folder_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let spoil: [&dyn Fn(&Path); 4] = [
            &|path| fs::write(path.join("file"), "").unwrap(),
            &|path| fs::create_dir(path.join("folder")).unwrap(),
            &|path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap(),
            &|path| fs::set_permissions(path, fs::Permissions::from_mode(0o1700)).unwrap(),
        ];
        for (number, spoil) in spoil.into_iter().enumerate() {
            let (path, dirs) = (parent.path().join("one"), SpareDirs::default());
            dirs.make(&path).unwrap();
            spoil(&path);
            dirs.take(path);
            assert!(dirs.waiting.lock().unwrap().is_empty(), "{number}");
            assert_eq!(names(parent.path()), Vec::<String>::new(), "{number}");
        }
    }

    #[test]
    fn a_link_in_the_place_of_a_folder_is_not_taken_for_one() {
        let (parent, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (path, dirs) = (parent.path().join("one"), SpareDirs::default());
        fs::set_permissions(outside.path(), fs::Permissions::from_mode(MODE)).unwrap();
        std::os::unix::fs::symlink(outside.path(), &path).unwrap();
        dirs.take(path);
        assert!(dirs.waiting.lock().unwrap().is_empty());
        assert!(outside.path().exists());
    }

    #[test]
    fn a_folder_that_is_there_is_never_used_twice_and_one_that_went_meanwhile_is_made() {
        let parent = tempfile::tempdir().unwrap();
        let (one, two, dirs) = (parent.path().join("one"), parent.path().join("two"), SpareDirs::default());
        dirs.make(&one).unwrap();
        dirs.make(&two).unwrap();
        dirs.take(one.clone());
        assert!(dirs.make(&two).is_err());
        dirs.take(two.clone());
        fs::remove_dir(&two).unwrap();
        dirs.make(&two).unwrap();
        assert!(two.is_dir());
    }
}
