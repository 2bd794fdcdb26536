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

/// The name of the fact that is known before the first trial.
const HEADER: &str = "header";

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
    // One text with all cases in it would have to be held, as it is written and as it is read, several times over.
    "
    CREATE TABLE planned (case_id TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO planned (case_id, content)
        SELECT planned_case.key, planned_case.value FROM fact, json_each(fact.value, '$.cases') AS planned_case
        WHERE fact.name = 'header';
    UPDATE fact SET value = json_remove(value, '$.cases') WHERE name = 'header';
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

/// Writes what is known of a run before its first trial, in place of what stood there.
pub(super) fn write_header(connection: &Connection, path: &Path, header: &RunHeader) -> Result<(), StoreError> {
    let fail = |source| StoreError::Database { path: path.to_owned(), source };
    write_fact(connection, path, HEADER, header)?;
    connection.execute("DELETE FROM planned", []).map_err(fail)?;
    let mut insert = connection.prepare("INSERT INTO planned (case_id, content) VALUES (?1, ?2)").map_err(fail)?;
    for (id, planned) in &header.cases {
        let text = serde_json::to_string(planned).map_err(|source| content_error(path, "a planned case", source))?;
        insert.execute(params![id.as_str(), text]).map_err(fail)?;
    }
    Ok(())
}

fn read_header(connection: &Connection, path: &Path) -> Result<RunHeader, StoreError> {
    let fail = |source| StoreError::Database { path: path.to_owned(), source };
    let mut header: RunHeader = read_fact(connection, path, HEADER)?
        .ok_or_else(|| StoreError::NoSuchRun(format!("{} holds no run", path.display())))?;
    let mut select = connection.prepare("SELECT case_id, content FROM planned ORDER BY case_id").map_err(fail)?;
    let mut rows = select.query([]).map_err(fail)?;
    while let Some(row) = rows.next().map_err(fail)? {
        let (id, text): (String, String) = (row.get(0).map_err(fail)?, row.get(1).map_err(fail)?);
        let planned = serde_json::from_str(&text).map_err(|source| content_error(path, "a planned case", source))?;
        header.cases.insert(CaseId::new(id), planned);
    }
    Ok(header)
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
    Ok((read_header(connection, path)?, read_fact(connection, path, "summary")?))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    /// A header as records of format 2 have it, with two cases in it: their ids are what an import can bring.
    const HEADER_OF_FORMAT_2: &str = r#"{"run": "20261201-020843068-4ffe6b", "kind": "gate", "started": "2026-12-01T02:08:43.068Z",
        "commit": null, "fingerprint": "sha256:7f2e20a74dd2fcf8b8d4612074312c0f2c3ad69e693633097b70bfb78d61326c",
        "snapshot": {"parts": {"m": {"kind": "model", "version": "1", "path": "m.yaml", "facets": {"temperature": 0.10, "n": 12345678901234567890},
            "files": {}}}, "project_file": "sha256:e91d65ee947e5e94d1a1dd03adba8dbdd6c0de2e4392538eacfe660c7d6ddb8d",
            "rest": {"code": {}, "other": {}}},
        "baseline_heads": [], "cases": {
            "plain": {"set": "policy_accuracy", "digest": "sha256:3862ad3f561d8a3ba742d0d001322379fb05b61ffe31c498cc228c740b0c4890",
                "trials": 2, "title": "Says \"Gr\u00fc\u00dfe\"\nand no more", "workflow": "echo", "calls_seen": true, "do_nothing": "fails"},
            "s\u00e4ys \"\\ 'x'\" $[0].a": {"set": "action",
                "digest": "sha256:9d3bdf6f3886cd3fae281ca01267759c4bad1df7c6d3add6373ed133bfd9cb44", "trials": 1}},
        "covers": true, "paused": false, "project_cases": ["plain"], "merged_from": ["r1"]}"#;

    /// What format 2 made of it.
    fn header_of_format_2() -> RunHeader {
        let mut document: serde_json::Value = serde_json::from_str(HEADER_OF_FORMAT_2).unwrap();
        let cases = document.as_object_mut().unwrap().remove("cases").unwrap();
        let cases = serde_json::from_value(cases).unwrap();
        RunHeader { cases, ..serde_json::from_value(document).unwrap() }
    }

    #[test]
    fn a_record_of_format_2_keeps_all_that_its_header_said_and_has_a_row_for_each_case() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let connection = schema::open(&path, &MIGRATIONS[..2]).unwrap();
        connection.execute("INSERT INTO fact VALUES ('header', ?1)", [HEADER_OF_FORMAT_2]).unwrap();
        connection.execute("INSERT INTO fact VALUES ('summary', '{\"cases\": {}}')", []).unwrap();
        let expected = header_of_format_2();
        assert_eq!(expected.cases.len(), 2);
        assert_eq!(expected.cases["säys \"\\ 'x'\" $[0].a"].trials, 1);
        let moved = schema::open(&path, MIGRATIONS).unwrap();
        assert_eq!(read_header(&moved, &path).unwrap(), expected);
        let left = "SELECT value FROM fact WHERE name = ?1";
        let header: String = moved.query_row(left, ["header"], |row| row.get(0)).unwrap();
        assert!(!header.contains("\"cases\"") && header.contains("0.10"), "{header}");
        let summary: String = moved.query_row(left, ["summary"], |row| row.get(0)).unwrap();
        assert_eq!(summary, "{\"cases\": {}}", "nothing else was touched");
    }

    #[test]
    fn a_header_is_read_as_it_was_written_and_one_that_takes_its_place_leaves_none_of_its_cases() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::of_project(folder.path());
        let first = header_of_format_2();
        drop(store.begin_run(&first).unwrap());
        let read = || store.read_run(&first.run).unwrap().header;
        assert_eq!(read(), first);
        let mut second = first.clone();
        let mut planned = second.cases.pop_first().unwrap().1;
        planned.trials = 7;
        second.cases.insert("another".into(), planned);
        let resumption = Resumption { at: String::new(), sentences: Vec::new() };
        let take_up = super::super::TakeUp { header: &second, anew: &Default::default(), resumption: &resumption };
        drop(store.take_up_run(take_up).unwrap());
        assert_eq!(read(), second);
    }
}
