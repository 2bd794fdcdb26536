//! SQL probes: one question to a SQLite file in a trial's state directory. The only user of SQLite in this room.
//!
//! The query is the project's; the file is the workflow's, and so hostile: its schema may hold views that never
//! end, its rows may be endless, and its name may be a link that leads elsewhere.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Number, Value};

use crate::evidence::Reading;
use crate::manifest::{IfMissing, SqlProbe};

use super::inside::{file_in, is_missing};
use super::{BYTE_CAP, EFFECT_CAP};

/// How long one query may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait for a lock. Whoever held one was ended with its process group.
const LOCK_WAIT: Duration = Duration::from_millis(500);

/// How many steps of SQLite's machine pass between two looks at the time.
const STEPS_BETWEEN_LOOKS: i32 = 10_000;

/// Asks `probe` in `state_dir`. Nothing is created or changed, and every failure is a reading of its own.
pub(super) fn ask(probe: &SqlProbe, state_dir: &Path) -> Reading {
    if probe.if_missing == IfMissing::Empty && is_missing(&probe.database, state_dir) {
        return Reading::Effects(Vec::new());
    }
    match file_in(&probe.database, state_dir).and_then(|path| effects(&path, &probe.query)) {
        Ok(effects) => Reading::Effects(effects),
        Err(reason) => Reading::Unreadable(reason),
    }
}

fn effects(path: &Path, query: &str) -> Result<Vec<Map<String, Value>>, String> {
    let connection = open(path).map_err(|error| error.to_string())?;
    let mut statement = connection.prepare(query).map_err(|error| format!("the query: {error}"))?;
    if !statement.readonly() || statement.column_count() == 0 {
        return Err("the query is no SELECT".to_owned());
    }
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    if let Some(twice) = columns.iter().enumerate().find(|(index, name)| columns[..*index].contains(name)) {
        return Err(format!("the query gives two columns the name `{}`; name one of them with AS", twice.1));
    }
    let mut rows = statement.query([]).map_err(|error| error.to_string())?;
    let mut effects = Vec::new();
    let mut bytes = 0;
    while let Some(row) = rows.next().map_err(|error| error.to_string())? {
        let mut effect = Map::with_capacity(columns.len());
        for (index, column) in columns.iter().enumerate() {
            let cell = row.get_ref(index).map_err(|error| error.to_string())?;
            bytes += size(cell);
            effect.insert(column.clone(), json(cell));
        }
        effects.push(effect);
        if effects.len() > EFFECT_CAP || bytes > BYTE_CAP {
            return Err(format!("the query gives more than {EFFECT_CAP} rows or {BYTE_CAP} bytes"));
        }
    }
    Ok(effects)
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(LOCK_WAIT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(BYTE_CAP).unwrap_or(i32::MAX))?;
    let deadline = Instant::now() + TIMEOUT;
    connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || Instant::now() >= deadline))?;
    Ok(connection)
}

fn size(cell: ValueRef<'_>) -> usize {
    match cell {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
        _ => size_of::<i64>(),
    }
}

/// A cell as JSON: a blob as hexadecimal digits; a number that JSON cannot write as text.
fn json(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::from(number),
        ValueRef::Real(number) => {
            Number::from_f64(number).map_or_else(|| Value::from(number.to_string()), Value::Number)
        }
        ValueRef::Text(bytes) => Value::from(String::from_utf8_lossy(bytes)),
        ValueRef::Blob(bytes) => Value::from(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FILE: &str = "desk.db";

    fn with_database(sql: &str) -> tempfile::TempDir {
        let state_dir = tempfile::tempdir().unwrap();
        Connection::open(state_dir.path().join(FILE)).unwrap().execute_batch(sql).unwrap();
        state_dir
    }

    fn ask_in(state_dir: &Path, database: &str, query: &str) -> Reading {
        let probe =
            SqlProbe { database: database.to_owned(), query: query.to_owned(), if_missing: IfMissing::Unreadable };
        ask(&probe, state_dir)
    }

    fn unreadable(reading: Reading) -> String {
        match reading {
            Reading::Unreadable(reason) => reason,
            Reading::Effects(effects) => panic!("read {effects:?}"),
        }
    }

    #[test]
    fn each_row_is_an_effect_with_its_columns() {
        let state_dir = with_database(
            "CREATE TABLE queue (operation, n, r, b, missing);
             INSERT INTO queue VALUES ('op-7', 3, 0.5, x'00ff', NULL), ('op-8', -1, 9e999, '', NULL);",
        );
        let Reading::Effects(effects) = ask_in(state_dir.path(), FILE, "SELECT * FROM queue ORDER BY n DESC") else {
            panic!("unreadable")
        };
        let expected = json!([
            {"operation": "op-7", "n": 3, "r": 0.5, "b": "00ff", "missing": null},
            {"operation": "op-8", "n": -1, "r": "inf", "b": "", "missing": null},
        ]);
        assert_eq!(json!(effects), expected);
    }

    #[test]
    fn a_missing_file_is_unreadable_and_stays_missing() {
        let state_dir = tempfile::tempdir().unwrap();
        unreadable(ask_in(state_dir.path(), FILE, "SELECT 1"));
        assert_eq!(std::fs::read_dir(state_dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_that_is_no_database_a_missing_table_and_a_bad_query_are_unreadable() {
        let state_dir = with_database("CREATE TABLE queue (operation);");
        std::fs::write(state_dir.path().join("text"), "no database, and long enough to be looked at".repeat(50))
            .unwrap();
        unreadable(ask_in(state_dir.path(), "text", "SELECT * FROM sqlite_schema"));
        unreadable(ask_in(state_dir.path(), FILE, "SELECT * FROM other"));
        unreadable(ask_in(state_dir.path(), FILE, "SELEKT 1"));
        unreadable(ask_in(state_dir.path(), FILE, "SELECT 1; SELECT 2"));
        assert!(unreadable(ask_in(state_dir.path(), FILE, "SELECT 1 AS a, 2 AS a")).contains("`a`"));
    }

    #[test]
    fn nothing_is_changed_by_any_query() {
        let state_dir = with_database("CREATE TABLE queue (operation); INSERT INTO queue VALUES ('op-7');");
        for query in ["DELETE FROM queue", "DELETE FROM queue RETURNING operation", "ATTACH 'new.db' AS new", "VACUUM"]
        {
            unreadable(ask_in(state_dir.path(), FILE, query));
        }
        let reading = ask_in(state_dir.path(), FILE, "SELECT count(*) AS n FROM queue");
        assert_eq!(reading, Reading::Effects(vec![json!({"n": 1}).as_object().unwrap().clone()]));
    }

    #[test]
    fn a_link_or_a_path_out_of_the_state_directory_is_not_followed() {
        let outside = with_database("CREATE TABLE queue (operation);");
        let state_dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path().join(FILE), state_dir.path().join("link.db")).unwrap();
        std::os::unix::fs::symlink(outside.path(), state_dir.path().join("folder")).unwrap();
        let absolute = outside.path().join(FILE);
        for name in ["link.db", "folder/desk.db", "../desk.db", absolute.to_str().unwrap(), ""] {
            unreadable(ask_in(state_dir.path(), name, "SELECT * FROM queue"));
        }
    }

    #[test]
    fn more_rows_than_are_read_are_no_reading() {
        let state_dir = with_database("CREATE TABLE t (a);");
        let series = |n| {
            let query = format!(
                "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {n}) SELECT n FROM s"
            );
            ask_in(state_dir.path(), FILE, &query)
        };
        assert!(matches!(series(EFFECT_CAP), Reading::Effects(effects) if effects.len() == EFFECT_CAP));
        assert!(unreadable(series(EFFECT_CAP + 1)).contains("more than 10000 rows"));
    }

    #[test]
    fn a_write_ahead_log_that_nobody_has_checkpointed_is_read_too() {
        let state_dir = tempfile::tempdir().unwrap();
        let writer = Connection::open(state_dir.path().join(FILE)).unwrap();
        writer.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE q (a); INSERT INTO q VALUES (1);").unwrap();
        let reading = ask_in(state_dir.path(), FILE, "SELECT a FROM q");
        assert!(matches!(reading, Reading::Effects(effects) if effects.len() == 1));
    }
}
