//! Trials of which nobody knows what they did to targets that outlive them, of runs that did not come to their end.

use rusqlite::Connection;

use crate::domain::RunId;

use super::run_header::{RunHeader, RunKind};
use super::run_record::{FILE, MIGRATIONS, read_ends};
use super::{Store, StoreError, schema};

/// So many of the newest runs are looked at: what was left open before them has been passed over as often.
const RUNS: usize = 20;

/// A run that was cut off with trials in flight on targets that outlive them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsettledRun {
    /// The run.
    pub run: RunId,
    /// Gate or run.
    pub kind: RunKind,
    /// How many such trials.
    pub trials: usize,
}

impl Store {
    /// How many trials of a run are held for a person, or will be once it goes on.
    ///
    /// # Errors
    /// When its record cannot be read.
    pub fn held_trials(&self, run: &RunId) -> Result<usize, StoreError> {
        let path = self.run_folder(run).join(FILE);
        let connection = schema::open_to_read(&path, MIGRATIONS)?;
        held(&connection).map_err(|source| StoreError::Database { path, source })
    }

    /// The newest run that was cut off with trials in flight on targets that outlive them, and that nobody carries out at the moment. A
    /// record that cannot be read is passed over: this only reminds of what the run itself would say.
    pub fn unsettled_run(&self) -> Option<UnsettledRun> {
        let runs = self.runs().ok()?;
        runs.into_iter().rev().take(RUNS).find_map(|run| self.unsettled(run).ok().flatten())
    }

    fn unsettled(&self, run: RunId) -> Result<Option<UnsettledRun>, StoreError> {
        let path = self.run_folder(&run).join(FILE);
        let connection = schema::open_to_read(&path, MIGRATIONS)?;
        let trials = held(&connection).map_err(|source| StoreError::Database { path: path.clone(), source })?;
        if trials == 0 {
            return Ok(None);
        }
        let (RunHeader { kind, .. }, summary) = read_ends(&connection, &path)?;
        let ended = summary.is_some_and(|summary| summary.came_to_its_end());
        Ok((!ended && self.is_dead(&run)).then_some(UnsettledRun { run, kind, trials }))
    }
}

/// Trials of which a start is on record and no end, and those that are on record as stopped in the middle.
fn held(connection: &Connection) -> rusqlite::Result<usize> {
    let query = "SELECT count(*) FROM started LEFT JOIN trial USING (case_id, form, number) WHERE content IS NULL
                 OR json_extract(content, '$.observation.error.kind') IN ('cancelled', 'interrupted')";
    let count: i64 = connection.query_row(query, [], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use rusqlite::params;

    use super::*;
    use crate::evidence::ErrorKind;

    #[test]
    fn what_has_no_end_on_record_is_held_and_what_has_one_is_not() {
        let connection = Connection::open_in_memory().unwrap();
        let of_kind = |kind: ErrorKind| serde_json::json!({"observation": {"error": {"kind": kind}}}).to_string();
        MIGRATIONS.iter().for_each(|migration| connection.execute_batch(migration).unwrap());
        for (number, content) in [
            (1, None),
            (2, Some(of_kind(ErrorKind::Cancelled))),
            (3, Some(of_kind(ErrorKind::Interrupted))),
            (4, Some(of_kind(ErrorKind::Timeout))),
            (5, Some(r#"{"observation": {}}"#.to_owned())),
        ] {
            let start = "INSERT INTO started (case_id, form, number, at) VALUES ('a', 'head', ?1, '')";
            connection.execute(start, [number]).unwrap();
            if let Some(content) = content {
                let end = "INSERT INTO trial (case_id, form, number, status, content) VALUES ('a', 'head', ?1, '', ?2)";
                connection.execute(end, params![number, content]).unwrap();
            }
        }
        // Of a trial that has its targets for itself no start is written.
        let other = "INSERT INTO trial (case_id, form, number, status, content) VALUES ('b', 'head', 1, '', ?1)";
        connection.execute(other, [of_kind(ErrorKind::Cancelled)]).unwrap();
        assert_eq!(held(&connection).unwrap(), 3);
    }
}
