//! The desk's database: its tables, and how a connection to it is opened.
//!
//! Times are whole seconds since 1970 in UTC. Only `proposals` and `review_queue` hold the text of a draft: it is the
//! work item itself. Every other table holds references.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use crate::practice::{Durability, PracticeError};

use super::waypoints::{Waypoints, Write, around};

/// The database file in the state directory.
pub(super) const DATABASE: &str = "mesa.db";

/// Migrations by `user_version`: the first makes version 1 from an empty file, and so on. Only ever appended to.
const MIGRATIONS: [&str; 2] = [
    "
CREATE TABLE proposals (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, operation TEXT NOT NULL, customer TEXT,
    record_version INTEGER, sources TEXT NOT NULL, draft TEXT NOT NULL, proposed_s INTEGER NOT NULL
) STRICT;
CREATE TABLE approvals (
    id INTEGER PRIMARY KEY, proposal TEXT NOT NULL, approver TEXT NOT NULL, actor TEXT NOT NULL,
    record_version INTEGER, sources TEXT NOT NULL, approved_s INTEGER NOT NULL, expires_s INTEGER NOT NULL,
    revoked_s INTEGER, revoked_by TEXT
) STRICT;
CREATE TABLE review_queue (
    item INTEGER PRIMARY KEY, operation TEXT NOT NULL, proposal TEXT NOT NULL, customer TEXT,
    status TEXT NOT NULL, draft TEXT NOT NULL, staged_s INTEGER NOT NULL
) STRICT;
CREATE TABLE operation_records (
    operation TEXT PRIMARY KEY, proposal TEXT NOT NULL, item INTEGER NOT NULL, actor TEXT NOT NULL,
    receipt TEXT, recorded_s INTEGER NOT NULL, keep_until_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE action_audit (
    id INTEGER PRIMARY KEY, operation TEXT NOT NULL, action TEXT NOT NULL, actor TEXT NOT NULL,
    proposal TEXT NOT NULL, approval INTEGER, item INTEGER NOT NULL, destination TEXT NOT NULL, acted_s INTEGER NOT NULL
) STRICT;
CREATE TABLE refusals (
    id INTEGER PRIMARY KEY, operation TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
    reason TEXT NOT NULL, refused_s INTEGER NOT NULL
) STRICT;
CREATE TABLE pauses (
    id INTEGER PRIMARY KEY, actor TEXT NOT NULL, reason TEXT NOT NULL, paused_s INTEGER NOT NULL,
    resumed_s INTEGER, resumed_by TEXT
) STRICT;
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY, operation TEXT NOT NULL, customer TEXT, sent_s INTEGER NOT NULL
) STRICT;
",
    "
CREATE TABLE open_questions (
    id INTEGER PRIMARY KEY, operation TEXT NOT NULL, customer TEXT, what TEXT NOT NULL, owner TEXT NOT NULL,
    opened_s INTEGER NOT NULL, answered_s INTEGER
) STRICT;
",
];

/// Opens the database in `state_dir` and brings it to the newest version.
///
/// For [`Durability::Trial`] nothing waits for the disk and the rollback journal stays in memory: a rollback works as
/// ever, and a process killed inside a commit takes with it the only reader that the file would have had. A trial's
/// invocations follow one another, and its probes come after the last.
/// For [`Durability::Process`] SQLite's own full guarantee holds.
///
/// # Errors
/// When the file cannot be opened or is no database of this desk.
pub(super) fn open(
    state_dir: &Path,
    durability: Durability,
    waypoints: &dyn Waypoints,
) -> Result<Connection, PracticeError> {
    let path = state_dir.join(DATABASE);
    let failed = |doing| {
        let path = path.clone();
        move |source| PracticeError::Store { path, doing, source }
    };
    if durability == Durability::Trial {
        lay_image(&path);
    }
    let mut connection = Connection::open(&path).map_err(failed("opening it"))?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(failed("opening it"))?;
    let pragmas = match durability {
        // The first lock is kept until the connection is closed: nobody else is there to wait for it.
        Durability::Trial => "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;",
        Durability::Process => "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;",
    };
    connection.execute_batch(pragmas).map_err(failed("setting its durability"))?;
    let began_empty = migrate(&mut connection, waypoints).map_err(failed("bringing its tables up to date"))?;
    if began_empty && durability == Durability::Trial {
        keep_image(&path);
    }
    Ok(connection)
}

/// The file of a database with every table and no row, once a trial has made one: to copy it takes a fraction of the
/// time of making the tables again.
static IMAGE: OnceLock<Vec<u8>> = OnceLock::new();

/// Writes the image where there is no file yet. Where that fails, SQLite meets what is there, and says so.
fn lay_image(path: &Path) {
    if let (Some(image), Ok(mut file)) = (IMAGE.get(), File::create_new(path)) {
        let _ = file.write_all(image);
    }
}

/// Keeps the image of a database that was made just now. With the journal in memory the file is all of it.
fn keep_image(path: &Path) {
    if let Ok(image) = fs::read(path) {
        let _ = IMAGE.set(image);
    }
}

/// Answers whether there was no table before.
fn migrate(connection: &mut Connection, waypoints: &dyn Waypoints) -> rusqlite::Result<bool> {
    if version_of(connection)? == MIGRATIONS.len() {
        return Ok(false);
    }
    // The version is read again under the write lock: another process may have come first.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = version_of(&transaction)?;
    for (index, migration) in MIGRATIONS.iter().enumerate().skip(version) {
        transaction.execute_batch(migration)?;
        transaction.execute_batch(&format!("PRAGMA user_version = {}", index + 1))?;
    }
    around(waypoints, Write::Tables, || transaction.commit())?;
    Ok(version == 0)
}

fn version_of(connection: &Connection) -> rusqlite::Result<usize> {
    let version: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::super::waypoints::Unwatched;
    use super::*;

    #[test]
    fn opening_twice_keeps_what_the_first_connection_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let first = open(folder.path(), Durability::Process, &Unwatched).unwrap();
        first.execute("INSERT INTO outbox (operation, sent_s) VALUES ('op-1', 0)", []).unwrap();
        drop(first);
        let second = open(folder.path(), Durability::Trial, &Unwatched).unwrap();
        let rows: i64 = second.query_row("SELECT count(*) FROM outbox", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 1);
    }

    #[test]
    fn a_trial_that_begins_from_the_image_has_the_same_empty_tables_as_one_that_made_them() {
        let tables = |durability| {
            let folder = tempfile::tempdir().unwrap();
            let connection = open(folder.path(), durability, &Unwatched).unwrap();
            connection.execute("INSERT INTO outbox (operation, sent_s) VALUES ('op-1', 0)", []).unwrap();
            let version = version_of(&connection).unwrap();
            let mut select = connection.prepare("SELECT sql FROM sqlite_schema ORDER BY name").unwrap();
            let tables: Vec<Option<String>> =
                select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
            let rows: i64 = connection.query_row("SELECT count(*) FROM outbox", [], |row| row.get(0)).unwrap();
            (version, tables, rows)
        };
        let made = tables(Durability::Process);
        for _ in 0..3 {
            assert_eq!(tables(Durability::Trial), made);
        }
        assert!(IMAGE.get().is_some());
    }

    #[test]
    fn a_file_that_is_no_database_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(DATABASE), "no database, but long enough to be looked at").unwrap();
        let error = open(folder.path(), Durability::Trial, &Unwatched).unwrap_err();
        assert!(error.to_string().contains(DATABASE), "{error}");
    }
}
