//! One run's record: a SQLite file of its own. How it is read.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::domain::{CaseId, CaseStatus, TrialStatus};
use crate::evidence::Form;
use crate::grading::{CaseMutation, GradedTrial};

use super::recorded_trials::each_trial;
use super::run_header::{RunHeader, RunSummary};
use super::{StoreError, schema};

pub(super) const FILE: &str = "run.sqlite";

/// Append only: see [`schema::open`].
pub(super) const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE trial (
        case_id TEXT NOT NULL, form TEXT NOT NULL, number INTEGER NOT NULL,
        status TEXT NOT NULL, content TEXT NOT NULL,
        PRIMARY KEY (case_id, form, number)
    ) STRICT;
",
    "
    ALTER TABLE trial ADD COLUMN mutation TEXT;
    CREATE TABLE started (
        case_id TEXT NOT NULL, form TEXT NOT NULL, number INTEGER NOT NULL, at TEXT NOT NULL,
        PRIMARY KEY (case_id, form, number)
    ) STRICT;
    CREATE TABLE resumption (number INTEGER PRIMARY KEY, content TEXT NOT NULL) STRICT;
    CREATE TABLE superseded (
        resumption INTEGER NOT NULL, case_id TEXT NOT NULL, form TEXT NOT NULL, number INTEGER NOT NULL,
        status TEXT NOT NULL, content TEXT NOT NULL
    ) STRICT;
",
];

/// A run read back.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// What was known before its first trial.
    pub header: RunHeader,
    /// How it ended; `None` for a run that was cut off.
    pub summary: Option<RunSummary>,
    /// The trials that were recorded, by case, form and number.
    pub trials: Vec<GradedTrial>,
}

/// A recorded run with all that it needs to go on.
#[derive(Clone, Debug)]
pub struct UnfinishedRun {
    /// The record.
    pub record: RunRecord,
    /// What damaging a trial showed, by the trial, where that was asked for.
    pub mutated: BTreeMap<TrialKey, CaseMutation>,
    /// The trials on targets that outlive them of which a start is on record, with its time; most of them have ended.
    pub started: BTreeMap<TrialKey, String>,
    /// What was said each time when it went on, oldest first.
    pub resumptions: Vec<Resumption>,
}

/// Which trial.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TrialKey {
    /// Its case.
    pub case: CaseId,
    /// The form of it.
    pub form: Form,
    /// Its number, from 1.
    pub number: u32,
}

impl TrialKey {
    /// The key of a trial that has ended.
    pub fn of(trial: &GradedTrial) -> Self {
        let observation = &trial.observation;
        Self { case: observation.case.clone(), form: observation.form, number: observation.trial }
    }
}

/// One time that a run went on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumption {
    /// When, RFC 3339 in UTC.
    pub at: String,
    /// What it found and did, a sentence each.
    pub sentences: Vec<String>,
}

pub(super) fn write_fact<T: Serialize>(
    connection: &Connection,
    path: &Path,
    name: &str,
    value: &T,
) -> Result<(), StoreError> {
    let text = serde_json::to_string(value).map_err(|source| content_error(path, name, source))?;
    connection
        .execute("INSERT OR REPLACE INTO fact (name, value) VALUES (?1, ?2)", params![name, text])
        .map(|_| ())
        .map_err(|source| StoreError::Database { path: path.to_owned(), source })
}

fn read_fact<T: DeserializeOwned>(connection: &Connection, path: &Path, name: &str) -> Result<Option<T>, StoreError> {
    let text: Option<String> = connection
        .query_row("SELECT value FROM fact WHERE name = ?1", [name], |row| row.get(0))
        .optional()
        .map_err(|source| StoreError::Database { path: path.to_owned(), source })?;
    text.map(|text| serde_json::from_str(&text).map_err(|source| content_error(path, name, source))).transpose()
}

pub(super) fn content_error(path: &Path, what: &str, source: serde_json::Error) -> StoreError {
    StoreError::Content { path: path.to_owned(), what: what.to_owned(), source }
}

/// How a run's cases ended, without what was observed of them.
#[derive(Clone, Debug, PartialEq)]
pub struct RunStatuses {
    /// What was known before its first trial.
    pub header: RunHeader,
    /// How it ended; `None` for a run that was cut off.
    pub summary: Option<RunSummary>,
    /// The cases of which every trial of the head form is there.
    pub statuses: BTreeMap<CaseId, CaseStatus>,
}

impl RunStatuses {
    pub(super) fn read(path: &Path) -> Result<Self, StoreError> {
        let fail = |source| StoreError::Database { path: path.to_owned(), source };
        let connection = schema::open_to_read(path, MIGRATIONS)?;
        let (header, summary) = read_ends(&connection, path)?;
        let query = "SELECT case_id, status FROM trial WHERE form = ?1 ORDER BY case_id, number";
        let mut select = connection.prepare(query).map_err(fail)?;
        let rows = select
            .query_map([Form::Head.name()], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
            .map_err(fail)?;
        let mut trials: BTreeMap<CaseId, Vec<TrialStatus>> = BTreeMap::new();
        for row in rows {
            let (case, status) = row.map_err(fail)?;
            // A status that this holdpoint does not know did not pass.
            let status = serde_json::from_value(status.into()).unwrap_or(TrialStatus::Errored);
            trials.entry(CaseId::new(case)).or_default().push(status);
        }
        trials.retain(|case, trials| header.cases.get(case).is_some_and(|case| case.trials as usize == trials.len()));
        let statuses = trials.into_iter().map(|(case, trials)| (case, CaseStatus::of_trials(&trials))).collect();
        Ok(Self { header, summary, statuses })
    }
}

pub(super) fn read_ends(connection: &Connection, path: &Path) -> Result<(RunHeader, Option<RunSummary>), StoreError> {
    let header = read_fact(connection, path, "header")?
        .ok_or_else(|| StoreError::NoSuchRun(format!("{} holds no run", path.display())))?;
    Ok((header, read_fact(connection, path, "summary")?))
}

impl RunRecord {
    pub(super) fn read(path: &Path) -> Result<Self, StoreError> {
        let connection = schema::open_to_read(path, MIGRATIONS)?;
        let (header, summary) = read_ends(&connection, path)?;
        let mut trials = Vec::new();
        each_trial(&connection, path, |trial| {
            trials.push(trial);
            true
        })?;
        Ok(Self { header, summary, trials })
    }
}

impl UnfinishedRun {
    pub(super) fn read(path: &Path) -> Result<Self, StoreError> {
        let fail = |source| StoreError::Database { path: path.to_owned(), source };
        let record = RunRecord::read(path)?;
        let connection = schema::open(path, MIGRATIONS)?;
        let mut select = connection
            .prepare("SELECT case_id, form, number, mutation FROM trial WHERE mutation IS NOT NULL")
            .map_err(fail)?;
        let rows = select.query_map([], |row| Ok((key_of(row)?, row.get::<_, String>(3)?))).map_err(fail)?;
        let mut mutated = BTreeMap::new();
        for row in rows {
            let (key, text) = row.map_err(fail)?;
            let read = serde_json::from_str(&text).map_err(|source| content_error(path, "a mutation", source))?;
            mutated.insert(key, read);
        }
        let mut select = connection.prepare("SELECT case_id, form, number, at FROM started").map_err(fail)?;
        let started = select.query_map([], |row| Ok((key_of(row)?, row.get(3)?))).map_err(fail)?;
        let started = started.collect::<Result<_, _>>().map_err(fail)?;
        let mut select = connection.prepare("SELECT content FROM resumption ORDER BY number").map_err(fail)?;
        let rows = select.query_map([], |row| row.get::<_, String>(0)).map_err(fail)?;
        let resumptions = rows
            .map(|row| {
                let text = row.map_err(fail)?;
                serde_json::from_str(&text).map_err(|source| content_error(path, "a resumption", source))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { record, mutated, started, resumptions })
    }
}

/// The first three columns of a row, as the trial that they name.
fn key_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<TrialKey> {
    let form: String = row.get(1)?;
    let form = if form == Form::Base.name() { Form::Base } else { Form::Head };
    Ok(TrialKey { case: CaseId::new(row.get::<_, String>(0)?), form, number: row.get(2)? })
}
