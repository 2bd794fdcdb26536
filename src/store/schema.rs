//! Databases of the store: how they are opened and how their format moves on.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use super::StoreError;

/// How long a process waits for another one that writes.
const BUSY: Duration = Duration::from_secs(30);

/// Opens a database that several processes may use, and brings its format up to date.
///
/// `migrations` only ever grows: the n-th entry leads from format n to format n + 1, and `user_version` says which
/// format a file has. WAL with `synchronous = FULL` makes each commit durable before it returns.
pub(super) fn open(path: &Path, migrations: &[&str]) -> Result<Connection, StoreError> {
    let fail = |source| StoreError::Database { path: path.to_owned(), source };
    let mut connection = Connection::open(path).map_err(fail)?;
    connection.busy_timeout(BUSY).map_err(fail)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(fail)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(fail)?;
    migrate(&mut connection, path, migrations)?;
    Ok(connection)
}

fn migrate(connection: &mut Connection, path: &Path, migrations: &[&str]) -> Result<(), StoreError> {
    let fail = |source| StoreError::Database { path: path.to_owned(), source };
    let known = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    // IMMEDIATE, so that of two processes that find an old file only one migrates it.
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(fail)?;
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(fail)?;
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    for migration in migrations.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(migration).map_err(fail)?;
    }
    transaction.pragma_update(None, "user_version", known).map_err(fail)?;
    transaction.commit().map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_file_moves_on_and_a_newer_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sqlite");
        open(&path, &["CREATE TABLE a (x)"]).unwrap();
        let connection = open(&path, &["CREATE TABLE a (x)", "CREATE TABLE b (y)"]).unwrap();
        connection.execute("INSERT INTO b VALUES (1)", []).unwrap();
        drop(connection);
        let refused = open(&path, &["CREATE TABLE a (x)"]).unwrap_err();
        assert!(matches!(refused, StoreError::Newer { found: 2, known: 1, .. }), "{refused}");
    }
}
