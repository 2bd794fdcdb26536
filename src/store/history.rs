//! The last result of each case on this machine, so that what did not pass runs again whatever changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use crate::domain::{CaseId, CaseStatus, Digest, RunId};

use super::{StoreError, schema};

/// Append only: see [`schema::open`].
const MIGRATIONS: &[&str] = &["
    CREATE TABLE last_result (
        case_id TEXT PRIMARY KEY, digest TEXT NOT NULL, status TEXT NOT NULL, run TEXT NOT NULL
    ) STRICT;
"];

/// The history of one project on this machine.
#[derive(Debug)]
pub struct History {
    path: PathBuf,
    connection: Connection,
}

impl History {
    pub(super) fn open(folder: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder).map_err(|source| StoreError::Files { path: folder.to_owned(), source })?;
        let path = folder.join("history.sqlite");
        let connection = schema::open(&path, MIGRATIONS)?;
        Ok(Self { path, connection })
    }

    fn fail(&self, source: rusqlite::Error) -> StoreError {
        StoreError::Database { path: self.path.clone(), source }
    }

    /// The last status of each case. A status that this holdpoint does not know counts as errored: it did not pass.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last(&self) -> Result<BTreeMap<CaseId, CaseStatus>, StoreError> {
        let mut select =
            self.connection.prepare("SELECT case_id, status FROM last_result").map_err(|source| self.fail(source))?;
        let rows = select
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
            .map_err(|source| self.fail(source))?;
        rows.map(|row| {
            let (case, status) = row.map_err(|source| self.fail(source))?;
            let status = serde_json::from_value(status.into()).unwrap_or(CaseStatus::Errored);
            Ok((CaseId::new(case), status))
        })
        .collect()
    }

    /// Notes how the cases of `run` ended, all or none.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn note<'a>(
        &mut self,
        run: &RunId,
        results: impl IntoIterator<Item = (&'a CaseId, &'a Digest, CaseStatus)>,
    ) -> Result<(), StoreError> {
        let path = self.path.clone();
        let fail = |source| StoreError::Database { path: path.clone(), source };
        let transaction = self.connection.transaction().map_err(fail)?;
        {
            let mut upsert = transaction
                .prepare("INSERT OR REPLACE INTO last_result (case_id, digest, status, run) VALUES (?1, ?2, ?3, ?4)")
                .map_err(fail)?;
            for (case, digest, status) in results {
                upsert.execute(params![case.as_str(), digest.as_str(), status.name(), run.as_str()]).map_err(fail)?;
            }
        }
        transaction.commit().map_err(fail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_result_of_a_case_is_kept_over_reopening() {
        let folder = tempfile::tempdir().unwrap();
        let (case, digest) = (CaseId::from("a"), Digest::of(b"a"));
        for status in [CaseStatus::Failed, CaseStatus::Flaky] {
            let mut history = History::open(folder.path()).unwrap();
            history.note(&RunId::from("r"), [(&case, &digest, status)]).unwrap();
        }
        let last = History::open(folder.path()).unwrap().last().unwrap();
        assert_eq!(last.get("a"), Some(&CaseStatus::Flaky));
    }
}
