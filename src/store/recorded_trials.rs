//! The trials of a record, read one after the other: nobody has to hold all of them.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Params, params};

use crate::domain::CaseId;
use crate::evidence::Form;
use crate::grading::GradedTrial;

use super::run_record::{MIGRATIONS, content_error};
use super::{StoreError, schema};

/// A run's record, opened for its trials.
#[derive(Debug)]
pub struct RecordedTrials {
    connection: Connection,
    path: PathBuf,
}

impl RecordedTrials {
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { connection: schema::open(path, MIGRATIONS)?, path: path.to_owned() })
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The trials of one form of a case, by number.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn of(&self, case: &CaseId, form: Form) -> Result<Vec<GradedTrial>, StoreError> {
        let query = "SELECT content FROM trial WHERE case_id = ?1 AND form = ?2 ORDER BY number";
        let mut trials = Vec::new();
        self.read(query, params![case.as_str(), form.name()], |trial| trials.push(trial))?;
        Ok(trials)
    }

    /// Every trial, by case, form and number.
    pub(super) fn each(&self, take: impl FnMut(GradedTrial)) -> Result<(), StoreError> {
        self.read("SELECT content FROM trial ORDER BY case_id, form, number", [], take)
    }

    fn read(&self, query: &str, of: impl Params, mut take: impl FnMut(GradedTrial)) -> Result<(), StoreError> {
        let fail = |source| StoreError::Database { path: self.path.clone(), source };
        let mut select = self.connection.prepare_cached(query).map_err(fail)?;
        let mut rows = select.query(of).map_err(fail)?;
        while let Some(row) = rows.next().map_err(fail)? {
            let text = row.get_ref(0).map_err(fail)?.as_str().map_err(|error| fail(error.into()))?;
            take(serde_json::from_str(text).map_err(|source| content_error(&self.path, "a trial", source))?);
        }
        Ok(())
    }
}
