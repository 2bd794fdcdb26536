//! SQLite files of the practice: how one is opened.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use crate::practice::{Durability, PracticeError};

/// Opens the database at `path` and makes its tables, if they are not there.
///
/// For [`Durability::Trial`] nothing waits for the disk and the rollback journal stays in memory; for
/// [`Durability::Process`] SQLite's own full guarantee holds.
///
/// # Errors
/// When the file cannot be opened or is no such database.
pub(crate) fn open(path: &Path, tables: &[&str], durability: Durability) -> Result<Connection, PracticeError> {
    let failed = |doing| move |source| PracticeError::Store { path: path.to_owned(), doing, source };
    let mut connection = Connection::open(path).map_err(failed("opening it"))?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(failed("opening it"))?;
    let pragmas = match durability {
        Durability::Trial => "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;",
        Durability::Process => "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;",
    };
    connection.execute_batch(pragmas).map_err(failed("setting its durability"))?;
    make_tables(&mut connection, tables).map_err(failed("making its tables"))?;
    Ok(connection)
}

fn make_tables(connection: &mut Connection, tables: &[&str]) -> rusqlite::Result<()> {
    if version_of(connection)? > 0 {
        return Ok(());
    }
    // The version is read again under the write lock: another process may have come first.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if version_of(&transaction)? == 0 {
        for each in tables {
            transaction.execute_batch(each)?;
        }
        transaction.execute_batch("PRAGMA user_version = 1")?;
    }
    transaction.commit()
}

fn version_of(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_made_once_and_a_file_that_is_no_database_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let tables = ["CREATE TABLE t (a) STRICT, WITHOUT ROWID"];
        assert!(open(&path, &tables, Durability::Trial).is_err(), "a table without types is no table");
        let tables = ["CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t VALUES (1)"];
        drop(open(&path, &tables, Durability::Process).unwrap());
        let again = open(&path, &tables, Durability::Trial).unwrap();
        let rows: i64 = again.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 1);
        std::fs::write(folder.path().join("b.db"), "no database, but long enough to be looked at").unwrap();
        let error = open(&folder.path().join("b.db"), &tables, Durability::Trial).unwrap_err();
        assert!(error.to_string().contains("b.db"), "{error}");
    }
}
