//! The case desk: service cases, who has cancelled, and what other coordinators have arranged.

use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};

use super::target::{Done, Moment, Refusal, next_id, rows, text};

pub(super) const TABLES: &str = "
CREATE TABLE cases (
    case_id TEXT PRIMARY KEY, request TEXT NOT NULL, customer TEXT NOT NULL, matter TEXT NOT NULL,
    contact TEXT NOT NULL, status TEXT NOT NULL, cancelled INTEGER NOT NULL DEFAULT 0, reference TEXT NOT NULL,
    actor TEXT NOT NULL, created_ms INTEGER NOT NULL, visible_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE closures (
    closure TEXT PRIMARY KEY, request TEXT NOT NULL, case_id TEXT NOT NULL, reason TEXT NOT NULL,
    reference TEXT NOT NULL, actor TEXT NOT NULL, closed_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE arrangements (
    id INTEGER PRIMARY KEY, request TEXT NOT NULL, coordinator TEXT NOT NULL, arrangement TEXT NOT NULL
) STRICT;
";

/// The records made under one reference, as the view shows them.
pub(super) const BY_REFERENCE: &str = "SELECT case_id AS 'case', request, customer, matter, contact, status, cancelled, reference \
     FROM cases WHERE reference = ?1 ORDER BY created_ms, case_id";

pub(super) fn act(
    connection: &Connection,
    call: &str,
    body: &Map<String, Value>,
    moment: Moment,
) -> rusqlite::Result<Result<Done, Refusal>> {
    match call {
        "create" => create(connection, body, moment),
        "close" => close(connection, body, moment),
        _ => Ok(Err(Refusal::new(404, "unknown_operation"))),
    }
}

fn create(
    connection: &Connection,
    body: &Map<String, Value>,
    moment: Moment,
) -> rusqlite::Result<Result<Done, Refusal>> {
    let request = text(body, "request");
    if [request, text(body, "customer"), text(body, "matter")].contains(&"") {
        return Ok(Err(Refusal::new(422, "field_missing")));
    }
    let case_id = case_id(connection, request)?;
    connection.execute(
        "INSERT INTO cases (case_id, request, customer, matter, contact, status, reference, actor, created_ms, visible_ms) \
         VALUES (?1, ?2, ?3, ?4, ?5, 'open', ?6, ?7, ?8, ?9)",
        params![
            case_id,
            request,
            text(body, "customer"),
            text(body, "matter"),
            text(body, "contact"),
            text(body, "reference"),
            text(body, "actor"),
            moment.now_ms,
            moment.visible_ms
        ],
    )?;
    Ok(Ok(Done { answer: json!({"case": case_id, "request": request, "status": "open"}), receipt: case_id }))
}

/// The case of request R-618 is C-618; a second one of the same request is C-618-2.
fn case_id(connection: &Connection, request: &str) -> rusqlite::Result<String> {
    let number = request.split_once('-').map_or(request, |(_, number)| number);
    let of_request = "SELECT count(*) FROM cases WHERE request = ?1";
    let earlier: i64 = connection.query_row(of_request, [request], |row| row.get(0))?;
    Ok(if earlier == 0 { format!("C-{number}") } else { format!("C-{number}-{}", earlier + 1) })
}

fn close(
    connection: &Connection,
    body: &Map<String, Value>,
    moment: Moment,
) -> rusqlite::Result<Result<Done, Refusal>> {
    let case_id = text(body, "case");
    let closed = connection
        .execute("UPDATE cases SET status = 'closed' WHERE case_id = ?1 AND status = 'open'", params![case_id])?;
    if closed == 0 {
        return Ok(Err(Refusal::new(409, "no_open_case")));
    }
    let closure = next_id(connection, "X", "closures")?;
    connection.execute(
        "INSERT INTO closures (closure, request, case_id, reason, reference, actor, closed_ms) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![
            closure,
            text(body, "request"),
            case_id,
            text(body, "reason"),
            text(body, "reference"),
            text(body, "actor"),
            moment.now_ms
        ],
    )?;
    Ok(Ok(Done { answer: json!({"closure": closure, "case": case_id, "status": "closed"}), receipt: closure }))
}

pub(super) fn read(
    connection: &Connection,
    call: &str,
    body: &Map<String, Value>,
    now_ms: i64,
) -> rusqlite::Result<Option<Value>> {
    if call != "cases" {
        return Ok(None);
    }
    let request = text(body, "request");
    let cases = rows(
        connection,
        "SELECT case_id AS 'case', request, customer, matter, contact, status, cancelled, reference \
         FROM cases WHERE request = ?1 AND visible_ms <= ?2 ORDER BY created_ms, case_id",
        params![request, now_ms],
    )?;
    let arrangements = rows(
        connection,
        "SELECT coordinator, arrangement FROM arrangements WHERE request = ?1 ORDER BY id",
        params![request],
    )?;
    Ok(Some(json!({"cases": cases, "arrangements": arrangements})))
}
