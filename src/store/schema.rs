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
    // To write the version of a file that has it already would cost whoever only reads three flushes of the disk.
    if version(&connection).map_err(fail)? != format(migrations) {
        migrate(&mut connection, path, migrations)?;
    }
    Ok(connection)
}

/// Makes a database that nobody else knows of yet, with what `fill` puts into it, and returns once it is on disk. What is left of
/// it when this process is killed meanwhile is no database.
pub(super) fn begin(
    path: &Path,
    migrations: &[&str],
    fill: impl FnOnce(&Connection) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let fail = |source| StoreError::Database { path: path.to_owned(), source };
    let mut connection = Connection::open(path).map_err(fail)?;
    // One flush at the end is worth as much as one for each step: until then there is nothing to lose.
    connection.pragma_update(None, "journal_mode", "MEMORY").map_err(fail)?;
    connection.pragma_update(None, "synchronous", "OFF").map_err(fail)?;
    migrate(&mut connection, path, migrations)?;
    fill(&connection)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(fail)?;
    connection.close().map_err(|(_, source)| fail(source))?;
    let flushed = std::fs::File::open(path).and_then(|file| file.sync_all());
    flushed.map_err(|source| StoreError::Files { path: path.to_owned(), source })
}

/// The format that these migrations lead to.
fn format(migrations: &[&str]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn migrate(connection: &mut Connection, path: &Path, migrations: &[&str]) -> Result<(), StoreError> {
    let fail = |source| StoreError::Database { path: path.to_owned(), source };
    let known = format(migrations);
    // IMMEDIATE, so that of two processes that find an old file only one migrates it.
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(fail)?;
    let found = version(&transaction).map_err(fail)?;
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

    #[test]
    fn a_database_that_was_begun_is_whole_and_whoever_only_reads_it_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sqlite");
        let fill = |connection: &Connection| {
            connection
                .execute("INSERT INTO a VALUES (7)", [])
                .map(drop)
                .map_err(|source| StoreError::Database { path: path.clone(), source })
        };
        begin(&path, &["CREATE TABLE a (x)"], fill).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no journal is left");
        let before = std::fs::read(&path).unwrap();
        let connection = open(&path, &["CREATE TABLE a (x)"]).unwrap();
        assert_eq!(connection.query_row("SELECT x FROM a", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
        let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
        assert_eq!(std::fs::metadata(folder.path().join("x.sqlite-wal")).map(|file| file.len()).unwrap_or(0), 0);
        drop(connection);
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}
