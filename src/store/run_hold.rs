//! Which runs are alive: each holds a lock on a file in its folder, which goes with its process, however that ends.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::domain::RunId;

use super::{Store, StoreError};

const FILE: &str = "alive.lock";

/// A run's sign of life, for as long as it is kept.
#[derive(Debug)]
pub struct RunHold {
    _lock: File,
}

/// A run whose process is gone and has left something behind. Kept, it keeps others from clearing the same run.
#[derive(Debug)]
pub struct DeadRun {
    /// Where its trials kept their state.
    pub state_folder: PathBuf,
    /// Its checkout of a revision.
    pub checkout_folder: PathBuf,
    /// Its copy of the base.
    pub base_folder: PathBuf,
    _hold: RunHold,
}

impl Store {
    /// Makes the folder of a run that is about to begin, or to go on, and shows that it lives.
    ///
    /// # Errors
    /// When the folder cannot be made or the lock not be had: others would take the run for a dead one. The lock is the
    /// system's, so a process that was killed holds none.
    pub fn hold_run(&self, run: &RunId) -> Result<RunHold, StoreError> {
        let folder = self.run_folder(run);
        std::fs::create_dir_all(&folder).map_err(|source| StoreError::Files { path: folder.clone(), source })?;
        let path = folder.join(FILE);
        let failed = |source| StoreError::Files { path: path.clone(), source };
        let lock = File::create(&path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(RunHold { _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Alive(run.clone())),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    /// The runs that were killed and have left their trials' state or their checkout behind. A run that cannot be told
    /// to be dead is not among them.
    pub fn dead_runs(&self) -> Vec<DeadRun> {
        let Ok(entries) = std::fs::read_dir(self.runs_folder()) else { return Vec::new() };
        let runs = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).map(RunId::new);
        runs.filter_map(|run| self.dead_run(&run)).collect()
    }

    /// Whether a run has been carried out here and is no longer.
    pub(super) fn is_dead(&self, run: &RunId) -> bool {
        take_over(&self.run_folder(run).join(FILE)).is_some()
    }

    fn dead_run(&self, run: &RunId) -> Option<DeadRun> {
        let (state_folder, base_folder) = (self.state_folder(run), self.base_folder(run));
        let checkout_folder = self.checkout_folder(run);
        if ![&state_folder, &checkout_folder, &base_folder].into_iter().any(|folder| folder.exists()) {
            return None;
        }
        let hold = take_over(&self.run_folder(run).join(FILE))?;
        Some(DeadRun { state_folder, checkout_folder, base_folder, _hold: hold })
    }
}

/// The lock of a run that does not hold it any more.
fn take_over(path: &Path) -> Option<RunHold> {
    let lock = File::open(path).ok()?;
    match lock.try_lock() {
        Ok(()) => Some(RunHold { _lock: lock }),
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_run_that_lives_no_more_and_left_something_is_dead() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::of_project(folder.path());
        assert!(store.dead_runs().is_empty());
        let run = RunId::new("one".to_owned());
        let hold = store.hold_run(&run).unwrap();
        assert!(store.hold_run(&run).is_err());
        std::fs::create_dir(store.state_folder(&run)).unwrap();
        assert!(store.dead_runs().is_empty(), "it lives");
        drop(hold);
        let dead = store.dead_runs();
        assert_eq!(dead.len(), 1);
        assert_eq!(dead[0].state_folder, store.state_folder(&run));
        assert!(store.dead_runs().is_empty(), "somebody clears it already");
        drop(dead);
        std::fs::remove_dir(store.state_folder(&run)).unwrap();
        assert!(store.dead_runs().is_empty(), "nothing is left of it");
    }

    #[test]
    fn a_run_of_which_nobody_can_say_whether_it_lives_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::of_project(folder.path());
        std::fs::create_dir_all(store.state_folder(&RunId::new("one".to_owned()))).unwrap();
        assert!(store.dead_runs().is_empty());
    }
}
