//! The inventory: components, their stock, and which case each reserved one is allocated to.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value, json};

use super::target::{Done, Moment, Refusal, next_id, rows, text};

/// The shelf on the first day is part of the practice: three components, one of them scarce, one of them gone.
pub(super) const TABLES: &str = "
CREATE TABLE components (
    component TEXT PRIMARY KEY, stock INTEGER NOT NULL, suitable INTEGER NOT NULL
) STRICT;
INSERT INTO components VALUES ('PUMP-7', 5, 1), ('VALVE-2', 1, 1), ('SEAL-9', 0, 1);
CREATE TABLE allocations (
    allocation TEXT PRIMARY KEY, request TEXT NOT NULL, case_id TEXT NOT NULL, component TEXT NOT NULL,
    quantity INTEGER NOT NULL, status TEXT NOT NULL, reference TEXT NOT NULL, actor TEXT NOT NULL,
    created_ms INTEGER NOT NULL, visible_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE releases (
    release TEXT PRIMARY KEY, request TEXT NOT NULL, allocation TEXT NOT NULL, reference TEXT NOT NULL,
    actor TEXT NOT NULL, released_ms INTEGER NOT NULL
) STRICT;
";

/// The records made under one reference, as the view shows them.
pub(super) const BY_REFERENCE: &str = "SELECT allocation, request, case_id AS 'case', component, quantity, status, reference \
     FROM allocations WHERE reference = ?1 ORDER BY created_ms, allocation";

pub(super) fn act(
    connection: &Connection,
    call: &str,
    body: &Map<String, Value>,
    moment: Moment,
) -> rusqlite::Result<Result<Done, Refusal>> {
    match call {
        "reserve" => reserve(connection, body, moment),
        "release" => release(connection, body, moment),
        _ => Ok(Err(Refusal::new(404, "unknown_operation"))),
    }
}

fn reserve(
    connection: &Connection,
    body: &Map<String, Value>,
    moment: Moment,
) -> rusqlite::Result<Result<Done, Refusal>> {
    let component = text(body, "component");
    let quantity = body.get("quantity").and_then(Value::as_i64).unwrap_or(0);
    let shelf = connection
        .query_row("SELECT stock, suitable FROM components WHERE component = ?1", [component], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?))
        })
        .optional()?;
    let refused = match shelf {
        None => Some(Refusal::new(422, "unknown_component")),
        Some(_) if quantity < 1 => Some(Refusal::new(422, "quantity_invalid")),
        Some((_, false)) => Some(Refusal::new(422, "component_unsuitable")),
        Some((stock, true)) if stock < quantity => Some(Refusal::new(409, "insufficient_stock")),
        Some(_) => None,
    };
    if let Some(refusal) = refused {
        return Ok(Err(refusal));
    }
    let allocation = next_id(connection, "A", "allocations")?;
    let take = "UPDATE components SET stock = stock - ?2 WHERE component = ?1";
    connection.execute(take, params![component, quantity])?;
    connection.execute(
        "INSERT INTO allocations \
         (allocation, request, case_id, component, quantity, status, reference, actor, created_ms, visible_ms) \
         VALUES (?1, ?2, ?3, ?4, ?5, 'reserved', ?6, ?7, ?8, ?9)",
        params![
            allocation,
            text(body, "request"),
            text(body, "case"),
            component,
            quantity,
            text(body, "reference"),
            text(body, "actor"),
            moment.now_ms,
            moment.visible_ms
        ],
    )?;
    let answer = json!({"allocation": allocation, "component": component, "quantity": quantity, "status": "reserved"});
    Ok(Ok(Done { answer, receipt: allocation }))
}

/// Gives an allocation back. What has left the house is no longer the inventory's to release.
fn release(
    connection: &Connection,
    body: &Map<String, Value>,
    moment: Moment,
) -> rusqlite::Result<Result<Done, Refusal>> {
    let allocation = text(body, "allocation");
    let status: Option<String> = connection
        .query_row("SELECT status FROM allocations WHERE allocation = ?1", [allocation], |row| row.get(0))
        .optional()?;
    let refused = match status.as_deref() {
        None => Some("unknown_allocation"),
        Some("dispatched") => Some("already_dispatched"),
        Some("released") => Some("already_released"),
        Some(_) => None,
    };
    if let Some(code) = refused {
        return Ok(Err(Refusal::new(409, code)));
    }
    let release = next_id(connection, "L", "releases")?;
    connection.execute("UPDATE allocations SET status = 'released' WHERE allocation = ?1", [allocation])?;
    connection.execute(
        "UPDATE components SET stock = stock + (SELECT quantity FROM allocations WHERE allocation = ?1) \
         WHERE component = (SELECT component FROM allocations WHERE allocation = ?1)",
        [allocation],
    )?;
    connection.execute(
        "INSERT INTO releases (release, request, allocation, reference, actor, released_ms) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            release,
            text(body, "request"),
            allocation,
            text(body, "reference"),
            text(body, "actor"),
            moment.now_ms
        ],
    )?;
    Ok(Ok(Done {
        answer: json!({"release": release, "allocation": allocation, "status": "released"}),
        receipt: release,
    }))
}

pub(super) fn read(
    connection: &Connection,
    call: &str,
    body: &Map<String, Value>,
    now_ms: i64,
) -> rusqlite::Result<Option<Value>> {
    let component = text(body, "component");
    match call {
        "components" => {
            let select = "SELECT component, stock, suitable FROM components WHERE component = ?1";
            Ok(Some(json!({"components": rows(connection, select, [component])?})))
        }
        // Allocations of the component, and all of the request: a view that a workflow must read with care.
        "allocations" => {
            let select = "SELECT allocation, request, case_id AS 'case', component, quantity, status, reference \
                          FROM allocations WHERE (request = ?1 OR component = ?2) AND visible_ms <= ?3 \
                          ORDER BY created_ms, allocation";
            let found = rows(connection, select, params![text(body, "request"), component, now_ms])?;
            let stock = "SELECT stock FROM components WHERE component = ?1";
            let stock: Option<i64> = connection.query_row(stock, [component], |row| row.get(0)).optional()?;
            Ok(Some(json!({"allocations": found, "stock": stock})))
        }
        _ => Ok(None),
    }
}
