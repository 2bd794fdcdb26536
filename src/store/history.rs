//! The last result of each case on this machine, so that what did not pass runs again whatever changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use crate::domain::{CaseId, CaseStatus, Digest, RunId};

use super::{RunKind, RunSummary, StoreError, schema};

/// Append only: see [`schema::open`].
const MIGRATIONS: &[&str] = &["
    CREATE TABLE last_result (
        case_id TEXT PRIMARY KEY, digest TEXT NOT NULL, status TEXT NOT NULL, run TEXT NOT NULL
    ) STRICT;
", "
    CREATE TABLE ended_run (
        run TEXT PRIMARY KEY, kind TEXT NOT NULL, finished TEXT NOT NULL, verdict TEXT NOT NULL, exit_code INTEGER NOT NULL,
        selected INTEGER NOT NULL, passed INTEGER NOT NULL
    ) STRICT;
", "
    CREATE TABLE shadow_run (
        run TEXT PRIMARY KEY, would_select INTEGER NOT NULL, left_out INTEGER NOT NULL, escapes TEXT NOT NULL
    ) STRICT;
"];

/// How a run ended, in a few figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedRun {
    /// The run.
    pub run: RunId,
    /// Gate or run.
    pub kind: RunKind,
    /// How it ended.
    pub summary: RunSummary,
    /// Cases that were to run.
    pub selected: usize,
    /// Those that passed.
    pub passed: usize,
}

/// What a run in shadow showed of the selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShadowRun {
    /// The run.
    pub run: RunId,
    /// Cases that the selection would have run.
    pub would_select: usize,
    /// Cases that it would have left out.
    pub left_out: usize,
    /// Those of the left out whose results would not have let the gate pass.
    pub escapes: Vec<CaseId>,
}

/// The name of its file.
pub(super) const FILE: &str = "history.sqlite";

/// The history of one project on this machine.
#[derive(Debug)]
pub struct History {
    path: PathBuf,
    connection: Connection,
}

impl History {
    pub(super) fn open(folder: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder).map_err(|source| StoreError::Files { path: folder.to_owned(), source })?;
        let path = folder.join(FILE);
        let connection = schema::open(&path, MIGRATIONS)?;
        Ok(Self { path, connection })
    }

    pub(super) fn open_to_read(folder: &Path) -> Result<Option<Self>, StoreError> {
        let path = folder.join(FILE);
        match path.try_exists() {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(source) => return Err(StoreError::Files { path, source }),
        }
        let connection = schema::open_to_read(&path, MIGRATIONS)?;
        Ok(Some(Self { path, connection }))
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

    /// Notes how the cases of `run` ended, all or none. Run ids sort by time, and the newest run's word stands, in
    /// whatever order runs at the same time come to their ends.
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
                .prepare(
                    "INSERT INTO last_result (case_id, digest, status, run) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (case_id) DO UPDATE
                     SET digest = excluded.digest, status = excluded.status, run = excluded.run
                     WHERE excluded.run >= last_result.run",
                )
                .map_err(fail)?;
            for (case, digest, status) in results {
                upsert.execute(params![case.as_str(), digest.as_str(), status.name(), run.as_str()]).map_err(fail)?;
            }
        }
        transaction.commit().map_err(fail)
    }

    /// Notes how a run ended.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn note_end(&self, ended: &EndedRun) -> Result<(), StoreError> {
        let EndedRun { run, kind, summary, selected, passed } = ended;
        let count = |count: &usize| i64::try_from(*count).unwrap_or(i64::MAX);
        self.connection
            .execute(
                "INSERT OR REPLACE INTO ended_run (run, kind, finished, verdict, exit_code, selected, passed)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    run.as_str(),
                    kind.name(),
                    summary.finished,
                    summary.verdict,
                    summary.exit_code,
                    count(selected),
                    count(passed)
                ],
            )
            .map(|_| ())
            .map_err(|source| self.fail(source))
    }

    /// Notes what a run in shadow showed.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn note_shadow(&self, shadow: &ShadowRun) -> Result<(), StoreError> {
        let ShadowRun { run, would_select, left_out, escapes } = shadow;
        let count = |count: &usize| i64::try_from(*count).unwrap_or(i64::MAX);
        let escapes = serde_json::to_string(escapes).map_err(|source| StoreError::Content {
            path: self.path.clone(),
            what: "a shadow".to_owned(),
            source,
        })?;
        self.connection
            .execute(
                "INSERT OR REPLACE INTO shadow_run (run, would_select, left_out, escapes) VALUES (?1, ?2, ?3, ?4)",
                params![run.as_str(), count(would_select), count(left_out), escapes],
            )
            .map(|_| ())
            .map_err(|source| self.fail(source))
    }

    /// Every run in shadow, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn shadows(&self) -> Result<Vec<ShadowRun>, StoreError> {
        let fail = |source| self.fail(source);
        let query = "SELECT run, would_select, left_out, escapes FROM shadow_run ORDER BY run";
        let mut select = self.connection.prepare(query).map_err(fail)?;
        let rows = select
            .query_map([], |row| {
                let count = |count: i64| usize::try_from(count).unwrap_or(0);
                Ok((RunId::new(row.get::<_, String>(0)?), count(row.get(1)?), count(row.get(2)?), row.get(3)?))
            })
            .map_err(fail)?;
        rows.map(|row| {
            let (run, would_select, left_out, escapes): (RunId, usize, usize, String) = row.map_err(fail)?;
            let content = |source| StoreError::Content { path: self.path.clone(), what: run.to_string(), source };
            let escapes = serde_json::from_str(&escapes).map_err(content)?;
            Ok(ShadowRun { run, would_select, left_out, escapes })
        })
        .collect()
    }

    /// The newest `limit` runs of a kind that ended, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn ended(&self, kind: RunKind, limit: u32) -> Result<Vec<EndedRun>, StoreError> {
        let fail = |source| self.fail(source);
        let mut select = self
            .connection
            .prepare(
                "SELECT run, finished, verdict, exit_code, selected, passed FROM ended_run WHERE kind = ?1
                 ORDER BY run DESC LIMIT ?2",
            )
            .map_err(fail)?;
        let rows = select
            .query_map(params![kind.name(), limit], |row| {
                let count = |count: i64| usize::try_from(count).unwrap_or(0);
                Ok(EndedRun {
                    run: RunId::new(row.get::<_, String>(0)?),
                    kind,
                    summary: RunSummary {
                        finished: row.get(1)?,
                        verdict: row.get(2)?,
                        exit_code: row.get(3)?,
                        ..RunSummary::default()
                    },
                    selected: count(row.get(4)?),
                    passed: count(row.get(5)?),
                })
            })
            .map_err(fail)?;
        let mut ended = rows.collect::<Result<Vec<_>, _>>().map_err(fail)?;
        ended.reverse();
        Ok(ended)
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

    #[test]
    fn whoever_only_reads_makes_none() {
        let folder = tempfile::tempdir().unwrap();
        assert!(History::open_to_read(folder.path()).unwrap().is_none());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let (case, digest) = (CaseId::from("a"), Digest::of(b"a"));
        History::open(folder.path()).unwrap().note(&RunId::from("r"), [(&case, &digest, CaseStatus::Failed)]).unwrap();
        let read = History::open_to_read(folder.path()).unwrap().unwrap().last().unwrap();
        assert_eq!(read.get("a"), Some(&CaseStatus::Failed));
    }

    #[test]
    fn the_newest_runs_of_a_kind_stand_in_the_order_in_which_they_ended() {
        let folder = tempfile::tempdir().unwrap();
        let history = History::open(folder.path()).unwrap();
        let ended = |run: &str, kind: RunKind| EndedRun {
            run: RunId::from(run),
            kind,
            summary: RunSummary {
                finished: "2026-03-02T09:00:00Z".into(),
                exit_code: 10,
                verdict: "fail".into(),
                ..RunSummary::default()
            },
            selected: 3,
            passed: 2,
        };
        for (run, kind) in [("r2", RunKind::Gate), ("r1", RunKind::Gate), ("r3", RunKind::Run), ("r4", RunKind::Gate)] {
            history.note_end(&ended(run, kind)).unwrap();
        }
        let newest = history.ended(RunKind::Gate, 2).unwrap();
        assert_eq!(newest, [ended("r2", RunKind::Gate), ended("r4", RunKind::Gate)]);
    }

    #[test]
    fn what_a_shadow_showed_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let shadow = ShadowRun {
            run: RunId::from("r-1"),
            would_select: 2,
            left_out: 7,
            escapes: vec![CaseId::from("a"), CaseId::from("b")],
        };
        History::open(folder.path()).unwrap().note_shadow(&shadow).unwrap();
        assert_eq!(History::open(folder.path()).unwrap().shadows().unwrap(), [shadow]);
    }
}
