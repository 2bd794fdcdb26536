//! Writing a run's record while the run goes on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction, params};

use crate::domain::TrialStatus;
use crate::grading::{CaseMutation, GradedTrial};

use super::run_header::{RunHeader, RunSummary};
use super::run_record::{MIGRATIONS, Resumption, TrialKey, content_error, write_fact, write_header};
use super::{StoreError, schema};

/// How long a finished trial waits for others to share a transaction with, and its flush of the disk. While a flush goes on, file
/// systems with a journal let nobody make or remove a folder, which every trial does: fewer of them keep fewer trials waiting.
const GATHERED_FOR: Duration = Duration::from_millis(50);

/// How many entries wait for no others.
const GATHERED: usize = 256;

/// Writes a run's record while it goes on. Entries are written by a thread of their own, those that come shortly after
/// each other in one transaction, so that durability costs one disk flush for many trials.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    sender: Option<Sender<Entry>>,
    writer: Option<JoinHandle<Result<(), StoreError>>>,
}

/// A trial whose row is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Which trial.
    pub trial: TrialKey,
    /// How it ended.
    pub status: TrialStatus,
}

/// What changes in a record when its run goes on: all of it or nothing.
#[derive(Clone, Copy, Debug)]
pub struct TakeUp<'a> {
    /// What is known of the run now.
    pub header: &'a RunHeader,
    /// Trials that run anew. What was recorded of them is set aside, not removed.
    pub anew: &'a BTreeSet<TrialKey>,
    /// What is said of it.
    pub resumption: &'a Resumption,
}

#[derive(Debug)]
enum Entry {
    Finished(Row),
    Starting { trial: TrialKey, at: String, written: Sender<()> },
}

/// A finished trial as it is written. The thread that ran the trial makes the text: the writer, of which there is one,
/// has less to do, and nothing of the trial is kept twice.
#[derive(Debug)]
struct Row {
    kept: Kept,
    content: String,
    mutation: Option<String>,
}

impl Recorder {
    /// A record that does not exist yet. What was written is told through the receiver, which ends with the record.
    pub(super) fn begin(path: &Path, header: &RunHeader) -> Result<(Self, Receiver<Kept>), StoreError> {
        // Made under another name: a record that stands there under its own says which run it is of.
        let fresh = path.with_extension("new");
        schema::begin(&fresh, MIGRATIONS, |connection| write_header(connection, &fresh, header))?;
        let placed = std::fs::rename(&fresh, path).and_then(|()| match path.parent() {
            Some(folder) => std::fs::File::open(folder)?.sync_all(),
            None => Ok(()),
        });
        placed.map_err(|source| StoreError::Files { path: path.to_owned(), source })?;
        Ok(Self::over(schema::open(path, MIGRATIONS)?, path))
    }

    /// The record of a run that goes on.
    pub(super) fn take_up(path: &Path, take_up: TakeUp<'_>) -> Result<(Self, Receiver<Kept>), StoreError> {
        let fail = |source| StoreError::Database { path: path.to_owned(), source };
        let mut connection = schema::open(path, MIGRATIONS)?;
        let transaction = connection.transaction().map_err(fail)?;
        write_header(&transaction, path, take_up.header)?;
        let text =
            serde_json::to_string(take_up.resumption).map_err(|source| content_error(path, "a resumption", source))?;
        transaction.execute("DELETE FROM fact WHERE name = 'summary'", []).map_err(fail)?;
        transaction.execute("INSERT INTO resumption (content) VALUES (?1)", [text]).map_err(fail)?;
        set_aside(&transaction, take_up.anew).map_err(fail)?;
        transaction.commit().map_err(fail)?;
        Ok(Self::over(connection, path))
    }

    fn over(mut connection: Connection, path: &Path) -> (Self, Receiver<Kept>) {
        let (sender, receiver) = channel();
        let (kept, told) = channel();
        let thread_path = path.to_owned();
        let writer = std::thread::spawn(move || {
            let record = Record { path: &thread_path, kept: &kept };
            record.write(&mut connection, &receiver)
        });
        (Self { path: path.to_owned(), sender: Some(sender), writer: Some(writer) }, told)
    }

    /// Hands a finished trial to the writer, with what damaging it showed.
    ///
    /// # Errors
    /// When the writer has stopped; [`Recorder::wait`] then says why.
    pub fn record(&self, trial: &GradedTrial, mutation: Option<&CaseMutation>) -> Result<(), StoreError> {
        let content_error = |source| content_error(&self.path, "a trial", source);
        let content = serde_json::to_string(trial).map_err(content_error)?;
        let mutation = mutation.map(serde_json::to_string).transpose().map_err(content_error)?;
        let kept = Kept { trial: TrialKey::of(trial), status: trial.status };
        self.send(Entry::Finished(Row { kept, content, mutation }))
    }

    /// Puts on record that a trial starts, and returns once that is on disk: from then on it can never be taken for one
    /// that did not run.
    ///
    /// # Errors
    /// When it could not be written: the trial must not start.
    pub fn starting(&self, trial: TrialKey, at: String) -> Result<(), StoreError> {
        let (written, is_written) = channel();
        self.send(Entry::Starting { trial, at, written })?;
        is_written.recv().map_err(|_| StoreError::WriterGone)
    }

    fn send(&self, entry: Entry) -> Result<(), StoreError> {
        let sender = self.sender.as_ref().ok_or(StoreError::WriterGone)?;
        sender.send(entry).map_err(|_| StoreError::WriterGone)
    }

    /// Waits until everything that was handed over is on disk.
    ///
    /// # Errors
    /// When something could not be written.
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
        still_there(&self.path)?;
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

/// Moves rows out of the way of those that come in their place.
fn set_aside(transaction: &Transaction<'_>, trials: &BTreeSet<TrialKey>) -> rusqlite::Result<()> {
    const KEY: &str = "case_id = ?1 AND form = ?2 AND number = ?3";
    let mut moved = transaction.prepare(&format!(
        "INSERT INTO superseded SELECT (SELECT max(number) FROM resumption), case_id, form, number, status, content
         FROM trial WHERE {KEY}"
    ))?;
    let mut removed = transaction.prepare(&format!("DELETE FROM trial WHERE {KEY}"))?;
    let mut forgotten = transaction.prepare(&format!("DELETE FROM started WHERE {KEY}"))?;
    for TrialKey { case, form, number } in trials {
        let key = params![case.as_str(), form.name(), number];
        moved.execute(key)?;
        removed.execute(key)?;
        forgotten.execute(key)?;
    }
    Ok(())
}

/// A record whose file was taken away takes every further row without an error, and none of them can be found again.
fn still_there(path: &Path) -> Result<(), StoreError> {
    if path.exists() { Ok(()) } else { Err(StoreError::Vanished { path: path.to_owned() }) }
}

/// Where the writing thread writes to, and whom it tells.
struct Record<'a> {
    path: &'a Path,
    kept: &'a Sender<Kept>,
}

impl Record<'_> {
    fn write(&self, connection: &mut Connection, entries: &Receiver<Entry>) -> Result<(), StoreError> {
        let fail = |source| StoreError::Database { path: self.path.to_owned(), source };
        while let Ok(first) = entries.recv() {
            let gathered = gather(first, entries);
            let transaction = connection.transaction().map_err(fail)?;
            let (mut kept, mut started) = (Vec::new(), Vec::new());
            for entry in gathered {
                match entry {
                    Entry::Finished(row) => kept.push(self.insert(&transaction, row)?),
                    Entry::Starting { trial: TrialKey { case, form, number }, at, written } => {
                        let insert =
                            "INSERT OR REPLACE INTO started (case_id, form, number, at) VALUES (?1, ?2, ?3, ?4)";
                        let row = params![case.as_str(), form.name(), number, at];
                        transaction.prepare_cached(insert).and_then(|mut insert| insert.execute(row)).map_err(fail)?;
                        started.push(written);
                    }
                }
            }
            transaction.commit().map_err(fail)?;
            still_there(self.path)?;
            // Nobody has to listen: what is on disk is on disk.
            for written in started {
                let _ = written.send(());
            }
            kept.into_iter().for_each(|kept| drop(self.kept.send(kept)));
        }
        Ok(())
    }

    fn insert(&self, transaction: &Transaction<'_>, row: Row) -> Result<Kept, StoreError> {
        let fail = |source| StoreError::Database { path: self.path.to_owned(), source };
        let Row { kept, content, mutation } = row;
        let insert = "INSERT INTO trial (case_id, form, number, status, content, mutation)
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let TrialKey { case, form, number } = &kept.trial;
        let row = params![case.as_str(), form.name(), number, kept.status.name(), content, mutation];
        transaction.prepare_cached(insert).and_then(|mut insert| insert.execute(row)).map_err(fail)?;
        Ok(kept)
    }
}

/// The entries of one transaction. Whoever waits for a start to be on disk makes it begin at once.
fn gather(first: Entry, entries: &Receiver<Entry>) -> Vec<Entry> {
    let until = Instant::now() + GATHERED_FOR;
    let mut gathered = vec![first];
    while gathered.len() < GATHERED && matches!(gathered.last(), Some(Entry::Finished(_))) {
        match entries.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(entry) => gathered.push(entry),
            Err(_) => break,
        }
    }
    gathered.extend(entries.try_iter().take(GATHERED));
    gathered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Form;

    fn finished(number: u32) -> Entry {
        let trial = TrialKey { case: "one".into(), form: Form::Head, number };
        let kept = Kept { trial, status: TrialStatus::Passed };
        Entry::Finished(Row { kept, content: String::new(), mutation: None })
    }

    fn starting(number: u32) -> Entry {
        let trial = TrialKey { case: "one".into(), form: Form::Head, number };
        Entry::Starting { trial, at: String::new(), written: channel().0 }
    }

    fn numbers(entries: &[Entry]) -> Vec<u32> {
        let number = |entry: &Entry| match entry {
            Entry::Finished(row) => row.kept.trial.number,
            Entry::Starting { trial, .. } => trial.number,
        };
        entries.iter().map(number).collect()
    }

    #[test]
    fn trials_that_end_while_one_waits_are_written_with_it_and_the_last_ones_wait_for_nobody() {
        let (sender, entries) = channel();
        let late = std::thread::spawn(move || (2..5).for_each(|number| sender.send(finished(number)).unwrap()));
        let mut gathered = numbers(&gather(finished(1), &entries));
        // However slow the other thread is, nothing is lost between two transactions.
        while let Ok(next) = entries.recv() {
            gathered.extend(numbers(&gather(next, &entries)));
        }
        late.join().unwrap();
        assert_eq!(gathered, [1, 2, 3, 4]);
    }

    #[test]
    fn a_start_takes_along_what_is_there_and_waits_for_nothing_more() {
        let (sender, entries) = channel();
        (2..5).for_each(|number| sender.send(finished(number)).unwrap());
        assert_eq!(numbers(&gather(starting(1), &entries)), [1, 2, 3, 4]);
        assert_eq!(numbers(&gather(starting(5), &entries)), [5]);
        sender.send(starting(7)).unwrap();
        assert_eq!(numbers(&gather(finished(6), &entries)), [6, 7]);
    }

    #[test]
    fn a_transaction_has_an_end_however_many_are_waiting() {
        let (sender, entries) = channel();
        (0..3_000).for_each(|number| sender.send(finished(number)).unwrap());
        assert!(gather(finished(0), &entries).len() <= 2 * GATHERED);
    }
}
