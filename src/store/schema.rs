//! Databases of the store: how they are opened and how their format moves on.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

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

/// Opens a database of which something is to be read, also where nothing can be written.
pub(super) fn open_to_read(path: &Path, migrations: &[&str]) -> Result<Connection, StoreError> {
    let refused = match open(path, migrations) {
        Err(StoreError::Database { source, .. })
            if matches!(
                source.sqlite_error_code(),
                Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied)
            ) =>
        {
            source
        }
        other => return other,
    };
    // What is wrong with the file itself has been told above; here it only is not to be written to.
    let connection = match only_to_read(path) {
        Some(connection) => connection,
        None => return Err(StoreError::Database { path: path.to_owned(), source: refused }),
    };
    let (found, known) = (version(&connection), format(migrations));
    match found {
        Ok(found) if found == known => Ok(connection),
        Ok(found) if found > known => Err(StoreError::Newer { path: path.to_owned(), found, known }),
        // One of an older format would have to be brought up to date first.
        _ => Err(StoreError::Database { path: path.to_owned(), source: refused }),
    }
}

/// A connection that writes nothing. The log beside a database is read with it where that can be done; a database that nobody has open
/// and that has no log is read as the file that it is.
fn only_to_read(path: &Path) -> Option<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let text = path.to_str()?.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let has_log = std::fs::metadata(log).is_ok_and(|file| file.len() > 0);
    let ways: &[&str] = if has_log { &["mode=ro"] } else { &["mode=ro", "mode=ro&immutable=1"] };
    ways.iter().find_map(|way| {
        let connection = Connection::open_with_flags(format!("file:{text}?{way}"), flags).ok()?;
        version(&connection).ok().map(|_| connection)
    })
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
    let transaction = connection.transaction().map_err(fail)?;
    fill(&transaction)?;
    transaction.commit().map_err(fail)?;
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
    fn a_database_is_read_without_a_word_written_whatever_its_folder_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("a?b#c%25 d");
        std::fs::create_dir(&inside).unwrap();
        let path = inside.join("x.sqlite");
        open(&path, &["CREATE TABLE a (x)"]).unwrap().execute("INSERT INTO a VALUES (7)", []).unwrap();
        let count = |connection: &Connection| connection.query_row("SELECT x FROM a", [], |row| row.get::<_, i64>(0));
        let read = only_to_read(&path).unwrap();
        assert_eq!(count(&read).unwrap(), 7);
        assert!(read.execute("INSERT INTO a VALUES (8)", []).is_err());
        drop(read);
        assert_eq!(count(&open_to_read(&path, &["CREATE TABLE a (x)"]).unwrap()).unwrap(), 7);
        assert!(only_to_read(&inside.join("none.sqlite")).is_none());
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
