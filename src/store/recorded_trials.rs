//! The trials of a record, read one after the other: nobody has to hold all of them.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use crate::domain::CaseId;
use crate::evidence::Form;
use crate::grading::GradedTrial;

use super::run_record::{MIGRATIONS, content_error};
use super::{StoreError, schema};

/// So many trials are read ahead of the one that is looked at.
const READ_AHEAD: usize = 64;

/// Calls `take` with every trial of a record, by case, form and number, until it answers false.
pub(super) fn each_trial(
    connection: &Connection,
    path: &Path,
    mut take: impl FnMut(GradedTrial) -> bool,
) -> Result<(), StoreError> {
    let fail = |source| StoreError::Database { path: path.to_owned(), source };
    let mut select = connection.prepare("SELECT content FROM trial ORDER BY case_id, form, number").map_err(fail)?;
    let mut rows = select.query([]).map_err(fail)?;
    while let Some(row) = rows.next().map_err(fail)? {
        let text = row.get_ref(0).map_err(fail)?.as_str().map_err(|error| fail(error.into()))?;
        let trial = serde_json::from_str(text).map_err(|source| content_error(path, "a trial", source))?;
        if !take(trial) {
            break;
        }
    }
    Ok(())
}

/// The trials of a record in order, read by a thread of its own while those before are looked at.
#[derive(Debug)]
pub struct RecordedTrials {
    path: PathBuf,
    ahead: Option<Receiver<Result<GradedTrial, StoreError>>>,
    reader: Option<JoinHandle<()>>,
    next: Option<GradedTrial>,
}

impl RecordedTrials {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = schema::open_to_read(path, MIGRATIONS)?;
        let (sender, ahead) = sync_channel(READ_AHEAD);
        let thread_path = path.to_owned();
        let reader = std::thread::spawn(move || read_ahead(&connection, &thread_path, &sender));
        Ok(Self { path: path.to_owned(), ahead: Some(ahead), reader: Some(reader), next: None })
    }

    /// The trials of one form of a case, which are `count`; what lies before them is passed over. They are to be asked for by case, and of one
    /// case the base's form first: what was passed over does not come again.
    ///
    /// # Errors
    /// When the record cannot be read, or holds fewer or more of them.
    pub fn of(&mut self, case: &CaseId, form: Form, count: usize) -> Result<Vec<GradedTrial>, StoreError> {
        let mut trials = Vec::with_capacity(count);
        while let Some(trial) = self.next()? {
            let place = (trial.observation.case.as_str(), trial.observation.form.name());
            match place.cmp(&(case.as_str(), form.name())) {
                Ordering::Less => {}
                Ordering::Equal => trials.push(trial),
                Ordering::Greater => {
                    self.next = Some(trial);
                    break;
                }
            }
        }
        if trials.len() == count { Ok(trials) } else { Err(StoreError::Vanished { path: self.path.clone() }) }
    }

    fn next(&mut self) -> Result<Option<GradedTrial>, StoreError> {
        match self.next.take() {
            Some(trial) => Ok(Some(trial)),
            // The reader ends with the record, or after its error.
            None => self.ahead.as_ref().and_then(|ahead| ahead.recv().ok()).transpose(),
        }
    }
}

impl Drop for RecordedTrials {
    /// Its connection is closed when it is gone: whoever writes to the record next meets nobody who is just leaving.
    fn drop(&mut self) {
        self.ahead = None;
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

/// Whoever listens may have heard enough.
fn read_ahead(connection: &Connection, path: &Path, sender: &SyncSender<Result<GradedTrial, StoreError>>) {
    if let Err(error) = each_trial(connection, path, |trial| sender.send(Ok(trial)).is_ok()) {
        let _ = sender.send(Err(error));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rusqlite::params;

    use super::*;
    use crate::domain::TrialStatus;
    use crate::evidence::Observation;

    /// A record of these trials, in this order.
    fn record(trials: &[(&str, Form, u32)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let connection = schema::open(&folder.path().join("run.sqlite"), MIGRATIONS).unwrap();
        for (case, form, number) in trials {
            let trial = GradedTrial {
                observation: Observation::begun(&CaseId::from(*case), *form, *number, String::new()),
                grades: Vec::new(),
                claim_checks: BTreeMap::new(),
                status: TrialStatus::Passed,
            };
            let row = params![case, form.name(), number, "passed", serde_json::to_string(&trial).unwrap()];
            let insert = "INSERT INTO trial (case_id, form, number, status, content) VALUES (?1, ?2, ?3, ?4, ?5)";
            connection.execute(insert, row).unwrap();
        }
        folder
    }

    fn open(folder: &tempfile::TempDir) -> RecordedTrials {
        RecordedTrials::open(&folder.path().join("run.sqlite")).unwrap()
    }

    fn numbers(trials: Vec<GradedTrial>) -> Vec<u32> {
        trials.iter().map(|trial| trial.observation.trial).collect()
    }

    #[test]
    fn each_case_gets_its_own_trials_by_number_and_what_nobody_asks_for_is_passed_over() {
        let (head, base) = (Form::Head, Form::Base);
        let folder =
            record(&[("c", head, 2), ("c", head, 1), ("a", head, 1), ("b", base, 1), ("b", head, 1), ("c", base, 3)]);
        let mut trials = open(&folder);
        assert_eq!(numbers(trials.of(&"a".into(), head, 1).unwrap()), [1]);
        assert_eq!(numbers(trials.of(&"aa".into(), head, 0).unwrap()), [0; 0]);
        assert_eq!(numbers(trials.of(&"c".into(), base, 1).unwrap()), [3]);
        assert_eq!(numbers(trials.of(&"c".into(), head, 2).unwrap()), [1, 2]);
    }

    #[test]
    fn more_trials_than_are_read_ahead_all_arrive() {
        let many: Vec<(String, Form, u32)> = (0..500).map(|number| (format!("{number:03}"), Form::Head, 1)).collect();
        let folder =
            record(&many.iter().map(|(case, form, number)| (case.as_str(), *form, *number)).collect::<Vec<_>>());
        let mut trials = open(&folder);
        for (case, ..) in &many {
            assert_eq!(trials.of(&CaseId::from(case.as_str()), Form::Head, 1).unwrap().len(), 1, "{case}");
        }
        // One that is not heard to its end holds nobody up.
        drop(open(&folder));
    }

    #[test]
    fn trials_that_are_missing_or_cannot_be_read_are_an_error() {
        let folder = record(&[("a", Form::Head, 1)]);
        assert!(matches!(open(&folder).of(&"a".into(), Form::Head, 2), Err(StoreError::Vanished { .. })));
        assert!(matches!(open(&folder).of(&"b".into(), Form::Head, 1), Err(StoreError::Vanished { .. })));
        let connection = Connection::open(folder.path().join("run.sqlite")).unwrap();
        connection.execute("UPDATE trial SET content = '{'", []).unwrap();
        assert!(matches!(open(&folder).of(&"a".into(), Form::Head, 1), Err(StoreError::Content { .. })));
    }
}
