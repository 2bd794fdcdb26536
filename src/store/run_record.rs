//! One run's record: a SQLite file of its own, written while the run goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::change::Snapshot;
use crate::domain::{CaseId, CaseStatus, Digest, Question, Risk, RunId, TrialStatus, WorkflowId};
use crate::evidence::Form;
use crate::grading::{DoNothing, GradedTrial};

use super::{StoreError, schema};

pub(super) const FILE: &str = "run.sqlite";

/// How the ids of imported runs begin, and what their kind and their verdict are called.
pub const IMPORTED: &str = "imported";

/// Append only: see [`schema::open`].
const MIGRATIONS: &[&str] = &["
    CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE trial (
        case_id TEXT NOT NULL, form TEXT NOT NULL, number INTEGER NOT NULL,
        status TEXT NOT NULL, content TEXT NOT NULL,
        PRIMARY KEY (case_id, form, number)
    ) STRICT;
"];

/// What kind of run it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Chosen by changes, and judged against the baseline.
    Gate,
    /// Chosen by hand.
    Run,
    /// What another tool carried out: it can be compared, and it is nobody's baseline.
    Imported,
}

impl RunKind {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Run => "run",
            Self::Imported => IMPORTED,
        }
    }
}

/// A case that a run set out to execute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedCase {
    /// Its set.
    pub set: Risk,
    /// The digest of its head form.
    pub digest: Digest,
    /// What its head form is judged by; unknown in records that were written before it was kept.
    #[serde(default, skip_serializing_if = "Question::is_unknown")]
    pub question: Question,
    /// How many trials of it.
    pub trials: u32,
    /// What holds when it passes; `None` in records that were written before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The workflow it runs against; as `title`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowId>,
    /// Whether the runner sees this workflow's calls, so that no attempt seen means that none was made.
    #[serde(default)]
    pub calls_seen: bool,
    /// Whether a workflow that does nothing would pass it; as `title`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub do_nothing: Option<DoNothing>,
}

/// What is known of a run before its first trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// The run.
    pub run: RunId,
    /// Gate or run.
    pub kind: RunKind,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// The commit it ran on, where there is one.
    pub commit: Option<String>,
    /// The fingerprint of its parts.
    pub fingerprint: Digest,
    /// Its parts, so that an acceptance can record them.
    pub snapshot: Snapshot,
    /// The baseline's heads when it began.
    pub baseline_heads: Vec<Digest>,
    /// The cases that it set out to run.
    pub cases: BTreeMap<CaseId, PlannedCase>,
    /// Whether every case was run that any change since the accepted parts puts at risk, so that the run can become the
    /// base of later ones. Not where cases were chosen by hand, or by a base that is not what was accepted.
    pub covers: bool,
    /// Whether the project was paused, so that nothing ran.
    pub paused: bool,
    /// Every case that the project had.
    pub project_cases: BTreeSet<CaseId>,
    /// Where an imported run comes from, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<String>,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSummary {
    /// When it ended, RFC 3339 in UTC.
    pub finished: String,
    /// The exit code.
    pub exit_code: u8,
    /// The verdict in a word, or `cancelled` or `paused`.
    pub verdict: String,
    /// The digest by which an acceptance names the results; `None` where nothing ran, and in records that were written
    /// before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Digest>,
    /// Why the results say nothing of what was to be tested, a sentence each; empty for a run whose results do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_evidence: Vec<String>,
}

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

/// Writes a run's record while it goes on. Trials are written by a thread of their own, as many as are waiting in one
/// transaction, so that durability costs one disk flush for many trials.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    sender: Option<Sender<GradedTrial>>,
    writer: Option<JoinHandle<Result<(), StoreError>>>,
}

impl Recorder {
    pub(super) fn begin(path: &Path, header: &RunHeader) -> Result<Self, StoreError> {
        let mut connection = schema::open(path, MIGRATIONS)?;
        write_fact(&connection, path, "header", header)?;
        let (sender, receiver) = channel();
        let thread_path = path.to_owned();
        let writer = std::thread::spawn(move || write_trials(&mut connection, &thread_path, &receiver));
        Ok(Self { path: path.to_owned(), sender: Some(sender), writer: Some(writer) })
    }

    /// Hands a finished trial to the writer.
    ///
    /// # Errors
    /// When the writer has stopped; [`Recorder::wait`] then says why.
    pub fn record(&self, trial: GradedTrial) -> Result<(), StoreError> {
        let sender = self.sender.as_ref().ok_or(StoreError::WriterGone)?;
        sender.send(trial).map_err(|_| StoreError::WriterGone)
    }

    /// Waits until every trial that was handed over is on disk.
    ///
    /// # Errors
    /// When one could not be written.
    pub fn wait(&mut self) -> Result<(), StoreError> {
        drop(self.sender.take());
        match self.writer.take() {
            Some(writer) => writer.join().map_err(|_| StoreError::WriterGone)?,
            None => Ok(()),
        }
    }

    /// Waits as [`Recorder::wait`] does, and writes how the run ended.
    ///
    /// # Errors
    /// When anything could not be written.
    pub fn finish(mut self, summary: &RunSummary) -> Result<(), StoreError> {
        self.wait()?;
        let connection = schema::open(&self.path, MIGRATIONS)?;
        write_fact(&connection, &self.path, "summary", summary)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // A recorder that is dropped early still lets its writer finish; the error has no one left to go to.
        let _ = self.wait();
    }
}

fn write_trials(connection: &mut Connection, path: &Path, receiver: &Receiver<GradedTrial>) -> Result<(), StoreError> {
    let fail = |source| StoreError::Database { path: path.to_owned(), source };
    while let Ok(first) = receiver.recv() {
        let transaction = connection.transaction().map_err(fail)?;
        {
            let mut insert = transaction
                .prepare_cached(
                    "INSERT INTO trial (case_id, form, number, status, content) VALUES (?1, ?2, ?3, ?4, ?5)",
                )
                .map_err(fail)?;
            for trial in std::iter::once(first).chain(receiver.try_iter()) {
                let observation = &trial.observation;
                let content = serde_json::to_string(&trial).map_err(|source| content_error(path, "a trial", source))?;
                let case = observation.case.as_str();
                let row = params![case, observation.form.name(), observation.trial, trial.status.name(), content];
                insert.execute(row).map_err(fail)?;
            }
        }
        transaction.commit().map_err(fail)?;
    }
    Ok(())
}

fn write_fact<T: Serialize>(connection: &Connection, path: &Path, name: &str, value: &T) -> Result<(), StoreError> {
    let text = serde_json::to_string(value).map_err(|source| content_error(path, name, source))?;
    connection
        .execute("INSERT INTO fact (name, value) VALUES (?1, ?2)", params![name, text])
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

fn content_error(path: &Path, what: &str, source: serde_json::Error) -> StoreError {
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
        let connection = schema::open(path, MIGRATIONS)?;
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

fn read_ends(connection: &Connection, path: &Path) -> Result<(RunHeader, Option<RunSummary>), StoreError> {
    let header = read_fact(connection, path, "header")?
        .ok_or_else(|| StoreError::NoSuchRun(format!("{} holds no run", path.display())))?;
    Ok((header, read_fact(connection, path, "summary")?))
}

impl RunRecord {
    pub(super) fn read(path: &Path) -> Result<Self, StoreError> {
        let fail = |source| StoreError::Database { path: path.to_owned(), source };
        let connection = schema::open(path, MIGRATIONS)?;
        let (header, summary) = read_ends(&connection, path)?;
        let mut select =
            connection.prepare("SELECT content FROM trial ORDER BY case_id, form, number").map_err(fail)?;
        let rows = select.query_map([], |row| row.get::<_, String>(0)).map_err(fail)?;
        let trials = rows
            .map(|row| {
                let text = row.map_err(fail)?;
                serde_json::from_str(&text).map_err(|source| content_error(path, "a trial", source))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { header, summary, trials })
    }
}
