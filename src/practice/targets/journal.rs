//! The target's own memory of every call that reached its door: who, what, which attempt, what came back.

use rusqlite::{Connection, OptionalExtension, params};

use crate::evidence::Answered;

/// Tables that every target has beside its own.
///
/// `early` marks a call that came before an earlier `Retry-After` was over. In `pending` lies what was taken in and
/// has not taken effect: `known` tells what an operation-status lookup can see from what nobody can see yet.
pub(super) const TABLES: &str = "
CREATE TABLE calls (
    id INTEGER PRIMARY KEY, call TEXT NOT NULL, number INTEGER NOT NULL, operation TEXT, identity TEXT,
    actor TEXT NOT NULL, fault TEXT, status INTEGER NOT NULL, answered TEXT, at_ms INTEGER NOT NULL,
    early INTEGER NOT NULL
) STRICT;
CREATE TABLE retry_after (call TEXT PRIMARY KEY, not_before_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE revoked_access (actor TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE keys (
    call TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, running INTEGER NOT NULL, status INTEGER NOT NULL,
    answer TEXT NOT NULL, receipt TEXT, since_ms INTEGER NOT NULL, PRIMARY KEY (call, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE pending (
    id INTEGER PRIMARY KEY, call TEXT NOT NULL, request TEXT NOT NULL, reference TEXT NOT NULL, body TEXT NOT NULL,
    key TEXT, known INTEGER NOT NULL, lands_ms INTEGER NOT NULL
) STRICT;
";

/// One call as the target saw it.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSeen {
    /// Its place in the target's order of calls, from 1.
    pub id: i64,
    /// The connector's operation.
    pub call: String,
    /// Which attempt at that operation, from 1.
    pub number: u32,
    /// The business action, where the call is an attempt at one.
    pub operation: Option<String>,
    /// The idempotency key that it carried.
    pub identity: Option<String>,
    /// The fault that fell on it.
    pub fault: Option<String>,
    /// What came back, for calls that write.
    pub answered: Option<Answered>,
}

/// What is to be remembered of a call.
pub(super) struct Entry<'e> {
    pub(super) call: &'e str,
    pub(super) number: u32,
    pub(super) operation: Option<&'e str>,
    pub(super) identity: Option<&'e str>,
    pub(super) actor: &'e str,
    pub(super) fault: Option<&'static str>,
    /// 0 where no answer was given.
    pub(super) status: u16,
    pub(super) answered: Option<&'e Answered>,
    pub(super) at_ms: i64,
}

/// How many calls of that name have come.
pub(super) fn calls_of(connection: &Connection, call: &str) -> rusqlite::Result<u32> {
    connection.query_row("SELECT count(*) FROM calls WHERE call = ?1", [call], |row| row.get(0))
}

pub(super) fn remember(connection: &Connection, entry: &Entry<'_>) -> rusqlite::Result<()> {
    let not_before: Option<i64> = connection
        .query_row("SELECT not_before_ms FROM retry_after WHERE call = ?1", [entry.call], |row| row.get(0))
        .optional()?;
    connection.execute(
        "INSERT INTO calls (call, number, operation, identity, actor, fault, status, answered, at_ms, early) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            entry.call,
            entry.number,
            entry.operation,
            entry.identity,
            entry.actor,
            entry.fault,
            entry.status,
            entry.answered.map(text_of),
            entry.at_ms,
            not_before.is_some_and(|not_before| entry.at_ms < not_before)
        ],
    )?;
    Ok(())
}

pub(super) fn ask_to_wait(connection: &Connection, call: &str, not_before_ms: i64) -> rusqlite::Result<()> {
    let upsert =
        "INSERT INTO retry_after VALUES (?1, ?2) ON CONFLICT DO UPDATE SET not_before_ms = excluded.not_before_ms";
    connection.execute(upsert, params![call, not_before_ms])?;
    Ok(())
}

/// A value as JSON text. Writing plain data as JSON does not fail.
pub(crate) fn text_of<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The place of the last call in the target's order, 0 before the first.
///
/// # Errors
/// When the database cannot be read.
pub fn last_call(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT coalesce(max(id), 0) FROM calls", [], |row| row.get(0))
}

/// The calls after that place, in order.
///
/// # Errors
/// When the database cannot be read.
pub fn calls_since(connection: &Connection, id: i64) -> rusqlite::Result<Vec<CallSeen>> {
    let mut select = connection.prepare(
        "SELECT id, call, number, operation, identity, fault, answered FROM calls WHERE id > ?1 ORDER BY id",
    )?;
    let rows = select.query_map([id], |row| {
        let answered: Option<String> = row.get(6)?;
        Ok(CallSeen {
            id: row.get(0)?,
            call: row.get(1)?,
            number: row.get(2)?,
            operation: row.get(3)?,
            identity: row.get(4)?,
            fault: row.get(5)?,
            answered: answered.and_then(|text| serde_json::from_str(&text).ok()),
        })
    })?;
    rows.collect()
}
