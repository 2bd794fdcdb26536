//! A trial's own folder: made with its fixtures, handed to its programs, and taken away.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use crate::domain::CaseId;
use crate::evidence::{ErrorKind, Form, TrialError};
use crate::manifest::Fixture;

/// A state directory. It is removed when dropped, unless it is to be kept.
#[derive(Debug)]
pub(super) struct StateDir {
    path: PathBuf,
    keep: bool,
}

impl StateDir {
    /// Makes the folder `name` below `parent`, which must exist, readable for this user alone. It must not exist yet:
    /// what an earlier trial left there would be taken for this one's.
    ///
    /// # Errors
    /// When it exists or cannot be made, or a fixture cannot be written into it.
    pub(super) fn create(parent: &Path, name: &str, fixtures: &[Fixture], keep: bool) -> Result<Self, TrialError> {
        let path = parent.join(name);
        fs::DirBuilder::new().mode(0o700).create(&path).map_err(|error| unusable(&path, &error))?;
        let state_dir = Self { path, keep };
        state_dir.fill(fixtures)?;
        Ok(state_dir)
    }

    /// Makes it as it was at first: what a target that never became ready has left there is nothing that the next try
    /// may find.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub(super) fn renew(&self, fixtures: &[Fixture]) -> Result<(), TrialError> {
        let made_anew = remove(&self.path).and_then(|()| fs::DirBuilder::new().mode(0o700).create(&self.path));
        made_anew.map_err(|error| unusable(&self.path, &error))?;
        self.fill(fixtures)
    }

    fn fill(&self, fixtures: &[Fixture]) -> Result<(), TrialError> {
        fixtures.iter().try_for_each(|fixture| self.write(fixture))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn write(&self, fixture: &Fixture) -> Result<(), TrialError> {
        let name = Path::new(&fixture.name);
        let is_inside = name.components().all(|component| matches!(component, Component::Normal(_)));
        if !is_inside || fixture.name.is_empty() {
            let message = format!("the fixture `{}` would not lie in the state directory", fixture.name);
            return Err(TrialError { kind: ErrorKind::Setup, message });
        }
        let target = self.path.join(name);
        let folder = target.parent().unwrap_or(&self.path);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&target, &fixture.content))
            .map_err(|error| unusable(&target, &error))
    }
}

impl Drop for StateDir {
    /// A folder that cannot be removed stays below the run's own folder; the trial's result does not depend on it.
    fn drop(&mut self) {
        if !self.keep {
            let _ = remove(&self.path);
        }
    }
}

/// Removes a folder with all that is in it, also where that was made unreadable.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    // Most trials leave nothing behind, and then one call does it.
    if fs::remove_dir(path).is_ok() {
        return Ok(());
    }
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            unlock(path)?;
            fs::remove_dir_all(path)
        }
        result => result,
    }
}

/// Gives back the permissions without which a folder cannot be emptied. Links are not followed.
fn unlock(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            unlock(&entry.path())?;
        }
    }
    Ok(())
}

fn unusable(path: &Path, error: &io::Error) -> TrialError {
    let message = format!("the state directory cannot be set up: `{}`: {error}", path.display());
    TrialError { kind: ErrorKind::Setup, message }
}

/// A folder name that tells a person which trial it is, and that no other trial of the run has: `index` sees to that.
pub(super) fn folder_name(index: usize, case: &CaseId, form: Form, trial: u32) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let case: String = case.as_str().chars().take(64).map(plain).collect();
    format!("{index:05}-{case}-{}-{trial}", form.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(name: &str) -> Fixture {
        Fixture { name: name.to_owned(), path: "cases/x".to_owned(), content: b"content".to_vec() }
    }

    #[test]
    fn fixtures_are_there_and_everything_goes_with_the_folder() {
        let parent = tempfile::tempdir().unwrap();
        let state_dir = StateDir::create(parent.path(), "one", &[fixture("a"), fixture("b/c")], false).unwrap();
        assert_eq!(fs::read(state_dir.path().join("b/c")).unwrap(), b"content");
        let mode = fs::metadata(state_dir.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        drop(state_dir);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_is_to_be_kept_stays() {
        let parent = tempfile::tempdir().unwrap();
        drop(StateDir::create(parent.path(), "one", &[fixture("a")], true).unwrap());
        assert!(parent.path().join("one/a").exists());
    }

    #[test]
    fn removing_follows_no_link_and_gives_back_permissions() {
        let parent = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("precious"), b"").unwrap();
        let state_dir = StateDir::create(parent.path(), "one", &[], false).unwrap();
        std::os::unix::fs::symlink(outside.path(), state_dir.path().join("link")).unwrap();
        let locked = state_dir.path().join("locked");
        fs::create_dir(&locked).unwrap();
        fs::write(locked.join("file"), b"").unwrap();
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
        drop(state_dir);
        assert!(!parent.path().join("one").exists());
        assert!(outside.path().join("precious").exists());
    }

    #[test]
    fn a_fixture_never_leaves_the_folder_and_a_folder_is_never_used_twice() {
        let parent = tempfile::tempdir().unwrap();
        for name in ["../out", "/tmp/out", "", "a/../../out"] {
            let error = StateDir::create(parent.path(), "one", &[fixture(name)], false).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Setup, "{name}");
        }
        let _first = StateDir::create(parent.path(), "two", &[], false).unwrap();
        assert!(StateDir::create(parent.path(), "two", &[], false).is_err());
    }

    #[test]
    fn a_folder_name_is_harmless_whatever_the_case_is_called() {
        assert_eq!(folder_name(7, &"a/../b c".into(), Form::Base, 2), "00007-a____b_c-base-2");
    }
}
