//! What stays on this machine: each run as it goes, the last result of each case, the pause. Git ignores all of it.

mod brought;
mod durations;
mod error;
mod history;
mod pause;
mod recorded_trials;
mod recorder;
mod room;
mod run_header;
mod run_hold;
mod run_record;
mod schema;
mod unsettled;

pub use durations::{DURATIONS, Durations};
pub use error::StoreError;
pub use history::{EndedRun, History, ShadowRun};
pub use pause::{Pause, PauseError, PauseSwitch};
pub use recorded_trials::RecordedTrials;
pub use recorder::{Kept, Recorder, TakeUp};
pub use run_header::{Asked, Choice, IMPORTED, PartOfRun, PlannedCase, PlannedForm, RunHeader, RunKind, RunSummary};
pub use run_hold::{DeadRun, RunHold};
pub use run_record::{Resumption, RunRecord, RunStatuses, TrialKey, UnfinishedRun};
pub use unsettled::UnsettledRun;

use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;

use crate::domain::RunId;

/// The folder in which the store lives, below the project's folder.
pub const STORE_FOLDER: &str = ".holdpoint";

/// The local store of one project.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// The store of the project in `project_root`. Nothing is made yet.
    pub fn of_project(project_root: &Path) -> Self {
        Self { root: project_root.join(STORE_FOLDER) }
    }

    /// Where trials of `run` keep their state while they run.
    pub fn state_folder(&self, run: &RunId) -> PathBuf {
        self.run_folder(run).join("state")
    }

    /// Where a run's own checkout of a revision lies.
    pub fn checkout_folder(&self, run: &RunId) -> PathBuf {
        self.run_folder(run).join("head")
    }

    /// Where the base's files lie while a run judges by the programs that the base has.
    pub fn base_folder(&self, run: &RunId) -> PathBuf {
        self.run_folder(run).join("base")
    }

    fn runs_folder(&self) -> PathBuf {
        self.root.join("runs")
    }

    fn run_folder(&self, run: &RunId) -> PathBuf {
        self.runs_folder().join(run.as_str())
    }

    /// Starts the record of a run.
    ///
    /// # Errors
    /// When the record cannot be made: a run without a record is not begun.
    pub fn begin_run(&self, header: &RunHeader) -> Result<(Recorder, Receiver<Kept>), StoreError> {
        let folder = self.run_folder(&header.run);
        std::fs::create_dir_all(&folder).map_err(|source| StoreError::Files { path: folder.clone(), source })?;
        Recorder::begin(&folder.join(run_record::FILE), header)
    }

    /// Goes on with the record of a run that did not come to its end.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub fn take_up_run(&self, take_up: TakeUp<'_>) -> Result<(Recorder, Receiver<Kept>), StoreError> {
        Recorder::take_up(&self.run_folder(&take_up.header.run).join(run_record::FILE), take_up)
    }

    /// Reads a recorded run with all that it needs to go on.
    ///
    /// # Errors
    /// As [`Self::read_run`].
    pub fn read_unfinished(&self, run: &RunId) -> Result<UnfinishedRun, StoreError> {
        UnfinishedRun::read(&self.run_folder(run).join(run_record::FILE))
    }

    /// The ids of all recorded runs, oldest first.
    ///
    /// # Errors
    /// When the folder exists and cannot be read.
    pub fn runs(&self) -> Result<Vec<RunId>, StoreError> {
        let folder = self.runs_folder();
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(StoreError::Files { path: folder, source }),
        };
        let mut runs: Vec<RunId> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.path().join(run_record::FILE).is_file())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .map(RunId::new)
            .collect();
        runs.sort_unstable();
        Ok(runs)
    }

    /// The one run whose id is `text` or begins with it; `latest` is the newest.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn find_run(&self, text: &str) -> Result<RunId, StoreError> {
        let runs = self.runs()?;
        if text == "latest" {
            // What another tool ran is only meant where it is named.
            return runs.iter().rfind(|run| !is_imported(run)).cloned().ok_or_else(|| {
                StoreError::NoSuchRun("no run is recorded here yet; `holdpoint gate` makes one".into())
            });
        }
        // A whole id is meant as it stands, whatever else begins with it.
        if let Some(run) = runs.iter().find(|run| run.as_str() == text) {
            return Ok(run.clone());
        }
        let mut found = runs.iter().filter(|run| !text.is_empty() && run.as_str().starts_with(text));
        match (found.next(), found.next()) {
            (Some(run), None) => Ok(run.clone()),
            (None, _) => {
                Err(StoreError::NoSuchRun(format!("no recorded run is called `{text}`; `holdpoint runs` lists them")))
            }
            (Some(_), Some(_)) => {
                Err(StoreError::NoSuchRun(format!("more than one recorded run begins with `{text}`")))
            }
        }
    }

    /// Reads a recorded run back.
    ///
    /// # Errors
    /// When it cannot be read, or was written by a newer holdpoint.
    pub fn read_run(&self, run: &RunId) -> Result<RunRecord, StoreError> {
        RunRecord::read(&self.run_folder(run).join(run_record::FILE))
    }

    /// A recorded run's trials, to be read one after the other.
    ///
    /// # Errors
    /// As [`Self::read_run`].
    pub fn recorded_trials(&self, run: &RunId) -> Result<RecordedTrials, StoreError> {
        RecordedTrials::open(&self.run_folder(run).join(run_record::FILE))
    }

    /// Reads how the cases of a recorded run ended.
    ///
    /// # Errors
    /// As [`Self::read_run`].
    pub fn read_statuses(&self, run: &RunId) -> Result<RunStatuses, StoreError> {
        RunStatuses::read(&self.run_folder(run).join(run_record::FILE))
    }

    /// The last result of each case on this machine.
    ///
    /// # Errors
    /// When the history cannot be opened.
    pub fn history(&self) -> Result<History, StoreError> {
        History::open(&self.root)
    }

    /// The same where nothing is to be noted: none where there is none yet, and nothing is made.
    ///
    /// # Errors
    /// When there is one that cannot be read.
    pub fn history_to_read(&self) -> Result<Option<History>, StoreError> {
        History::open_to_read(&self.root)
    }

    /// The project's pause.
    pub fn pause_switch(&self) -> PauseSwitch {
        PauseSwitch::new(self.root.join("pause.json"))
    }
}

fn is_imported(run: &RunId) -> bool {
    run.as_str().strip_prefix(IMPORTED).is_some_and(|rest| rest.starts_with('-'))
}
