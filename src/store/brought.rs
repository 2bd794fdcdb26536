//! Records that were brought from another machine: found below a folder, and read without touching them.

use std::path::{Path, PathBuf};

use super::run_record::FILE;
use super::{Store, StoreError, UnfinishedRun};

/// Folders are looked through so deep; artifacts are unpacked a few levels down.
const DEPTH: usize = 12;

impl Store {
    /// The record files that `named` stands for: a record file, every one below a folder, or that of the run with this id.
    ///
    /// # Errors
    /// When there is none, or a folder cannot be read.
    pub fn records_at(&self, named: &str) -> Result<Vec<PathBuf>, StoreError> {
        let path = Path::new(named);
        if path.is_file() {
            return Ok(vec![path.to_owned()]);
        }
        if !path.is_dir() {
            return match self.find_run(named) {
                Ok(run) => Ok(vec![self.run_folder(&run).join(FILE)]),
                Err(StoreError::NoSuchRun(_)) => Err(StoreError::NoSuchRun(format!(
                    "`{named}` is neither a record file, nor a folder with one in it, nor a run that is recorded here"
                ))),
                Err(other) => Err(other),
            };
        }
        let mut found = Vec::new();
        collect(path, DEPTH, &mut found)?;
        if found.is_empty() {
            return Err(StoreError::NoSuchRun(format!("there is no {FILE} in the folder `{named}` or below it")));
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Reads a record wherever it lies. A copy is read, with what had not been written back into the file yet: the original
    /// may lie where nothing can be written, and stays as it is.
    ///
    /// # Errors
    /// As [`Self::read_run`].
    pub fn read_brought(&self, path: &Path) -> Result<UnfinishedRun, StoreError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| StoreError::Files { path, source }
        };
        std::fs::create_dir_all(&self.root).map_err(failed(&self.root))?;
        let folder = tempfile::Builder::new().prefix("merge-").tempdir_in(&self.root).map_err(failed(&self.root))?;
        let copy = folder.path().join(FILE);
        std::fs::copy(path, &copy).map_err(failed(path))?;
        make_writable(&copy).map_err(failed(&copy))?;
        let log = with_suffix(path, "-wal");
        if log.is_file() {
            let copied = with_suffix(&copy, "-wal");
            std::fs::copy(&log, &copied).map_err(failed(&log))?;
            make_writable(&copied).map_err(failed(&copied))?;
        }
        UnfinishedRun::read(&copy).map_err(|error| renamed(error, &copy, path))
    }
}

fn collect(folder: &Path, depth: usize, into: &mut Vec<PathBuf>) -> Result<(), StoreError> {
    let failed = |source| StoreError::Files { path: folder.to_owned(), source };
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // Of the entry itself, so that no link leads out of the folder or round in it.
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_file() && entry.file_name() == FILE {
            into.push(entry.path());
        } else if kind.is_dir() && depth > 0 {
            collect(&entry.path(), depth - 1, into)?;
        }
    }
    Ok(())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// A copy has the rights of its original, which may be to read alone.
fn make_writable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
}

/// An error that names the file that was given, not the copy that was read.
fn renamed(error: StoreError, copy: &Path, original: &Path) -> StoreError {
    let path = original.to_owned();
    match error {
        StoreError::Database { source, .. } => StoreError::Database { path, source },
        StoreError::Newer { found, known, .. } => StoreError::Newer { path, found, known },
        StoreError::Content { what, source, .. } => StoreError::Content { path, what, source },
        StoreError::NoSuchRun(text) => {
            StoreError::NoSuchRun(text.replace(&copy.display().to_string(), &original.display().to_string()))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_every_record_below_it_and_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::of_project(&folder.path().join("project"));
        let given = folder.path().join("given");
        for name in ["b/.holdpoint/runs/two", "a/one"] {
            std::fs::create_dir_all(given.join(name)).unwrap();
            std::fs::write(given.join(name).join(FILE), "").unwrap();
        }
        std::os::unix::fs::symlink(&given, given.join("round")).unwrap();
        let found = store.records_at(given.to_str().unwrap()).unwrap();
        assert_eq!(found, [given.join("a/one").join(FILE), given.join("b/.holdpoint/runs/two").join(FILE)]);
        assert_eq!(store.records_at(found[0].to_str().unwrap()).unwrap(), found[..1]);
        let none = folder.path().join("none");
        std::fs::create_dir(&none).unwrap();
        for named in [none.to_str().unwrap(), "nothing"] {
            assert!(matches!(store.records_at(named), Err(StoreError::NoSuchRun(_))), "{named}");
        }
    }

    #[test]
    fn what_is_no_record_is_named_where_it_lies_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::of_project(folder.path());
        let path = folder.path().join("given.sqlite");
        for content in ["", "no database at all, though it is long enough to be looked at as one"] {
            std::fs::write(&path, content).unwrap();
            let error = store.read_brought(&path).unwrap_err().to_string();
            assert!(error.contains(path.to_str().unwrap()), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
        let left: Vec<_> = std::fs::read_dir(folder.path().join(".holdpoint")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
