//! The messaging service: it takes messages and hands them on. That one was taken does not say that it was read.

use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};

use super::target::{Done, Moment, Refusal, next_id, rows, text};

pub(super) const TABLES: &str = "
CREATE TABLE messages (
    message TEXT PRIMARY KEY, request TEXT NOT NULL, case_id TEXT NOT NULL, allocation TEXT NOT NULL,
    recipient TEXT NOT NULL, template TEXT NOT NULL, status TEXT NOT NULL, reference TEXT NOT NULL,
    actor TEXT NOT NULL, created_ms INTEGER NOT NULL, visible_ms INTEGER NOT NULL
) STRICT;
";

/// The records made under one reference, as the view shows them.
pub(super) const BY_REFERENCE: &str = "SELECT message, request, case_id AS 'case', allocation, recipient, template, status, reference \
     FROM messages WHERE reference = ?1 ORDER BY created_ms, message";

pub(super) fn act(
    connection: &Connection,
    call: &str,
    body: &Map<String, Value>,
    moment: Moment,
) -> rusqlite::Result<Result<Done, Refusal>> {
    if call != "send" {
        return Ok(Err(Refusal::new(404, "unknown_operation")));
    }
    if text(body, "recipient").is_empty() || text(body, "template").is_empty() {
        return Ok(Err(Refusal::new(422, "field_missing")));
    }
    if !text(body, "recipient").contains('@') {
        return Ok(Err(Refusal::new(422, "recipient_invalid")));
    }
    let message = next_id(connection, "M", "messages")?;
    connection.execute(
        "INSERT INTO messages (message, request, case_id, allocation, recipient, template, status, reference, actor, \
         created_ms, visible_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'accepted', ?7, ?8, ?9, ?10)",
        params![
            message,
            text(body, "request"),
            text(body, "case"),
            text(body, "allocation"),
            text(body, "recipient"),
            text(body, "template"),
            text(body, "reference"),
            text(body, "actor"),
            moment.now_ms,
            moment.visible_ms
        ],
    )?;
    Ok(Ok(Done { answer: json!({"message": message, "status": "accepted"}), receipt: message }))
}

pub(super) fn read(
    connection: &Connection,
    call: &str,
    body: &Map<String, Value>,
    now_ms: i64,
) -> rusqlite::Result<Option<Value>> {
    if call != "messages" {
        return Ok(None);
    }
    let messages = rows(
        connection,
        "SELECT message, request, case_id AS 'case', allocation, recipient, template, status, reference \
         FROM messages WHERE request = ?1 AND visible_ms <= ?2 ORDER BY created_ms, message",
        params![text(body, "request"), now_ms],
    )?;
    Ok(Some(json!({"messages": messages})))
}
