//! The three targets, and where each says what it does.

use rusqlite::Connection;
use serde_json::{Map, Value};

use super::{case_desk, inventory, messaging};

/// A target service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Keeps service cases.
    CaseDesk,
    /// Keeps components and who they are allocated to.
    Inventory,
    /// Takes messages to customers.
    Messaging,
}

/// What a target did.
pub(super) struct Done {
    /// The receipt: the id of the record.
    pub(super) receipt: String,
    /// The answer to the caller.
    pub(super) answer: Value,
}

/// A refusal that the target documents as leaving nothing behind.
pub(super) struct Refusal {
    /// The HTTP status.
    pub(super) status: u16,
    /// Its code, for programs.
    pub(super) code: &'static str,
}

impl Refusal {
    pub(super) fn new(status: u16, code: &'static str) -> Self {
        Self { status, code }
    }
}

/// When something happens, and from when on the target's views show it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) now_ms: i64,
    pub(super) visible_ms: i64,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 3] = [Self::CaseDesk, Self::Inventory, Self::Messaging];

    /// The name used on the command line and as the connector's id.
    pub fn name(self) -> &'static str {
        match self {
            Self::CaseDesk => "case-desk",
            Self::Inventory => "inventory",
            Self::Messaging => "messaging",
        }
    }

    /// The database file in a trial's state directory.
    pub fn database(self) -> &'static str {
        match self {
            Self::CaseDesk => "case-desk.db",
            Self::Inventory => "inventory.db",
            Self::Messaging => "messaging.db",
        }
    }

    /// The tables of its own, beside those that every target has.
    pub(super) fn tables(self) -> &'static str {
        match self {
            Self::CaseDesk => case_desk::TABLES,
            Self::Inventory => inventory::TABLES,
            Self::Messaging => messaging::TABLES,
        }
    }

    /// Does what a call asks, or refuses.
    pub(super) fn act(
        self,
        connection: &Connection,
        call: &str,
        body: &Map<String, Value>,
        moment: Moment,
    ) -> rusqlite::Result<Result<Done, Refusal>> {
        match self {
            Self::CaseDesk => case_desk::act(connection, call, body, moment),
            Self::Inventory => inventory::act(connection, call, body, moment),
            Self::Messaging => messaging::act(connection, call, body, moment),
        }
    }

    /// What a read shows now; `None` where there is no such read.
    pub(super) fn read(
        self,
        connection: &Connection,
        call: &str,
        body: &Map<String, Value>,
        now_ms: i64,
    ) -> rusqlite::Result<Option<Value>> {
        match self {
            Self::CaseDesk => case_desk::read(connection, call, body, now_ms),
            Self::Inventory => inventory::read(connection, call, body, now_ms),
            Self::Messaging => messaging::read(connection, call, body, now_ms),
        }
    }

    /// Every record that was made under a reference, whether or not a view shows it yet.
    pub(super) fn records_of(self, connection: &Connection, reference: &str) -> rusqlite::Result<Vec<Value>> {
        let select = match self {
            Self::CaseDesk => case_desk::BY_REFERENCE,
            Self::Inventory => inventory::BY_REFERENCE,
            Self::Messaging => messaging::BY_REFERENCE,
        };
        rows(connection, select, [reference])
    }

    /// The field under which its view, and an operation's status, list records.
    pub(crate) fn records(self) -> &'static str {
        match self {
            Self::CaseDesk => "cases",
            Self::Inventory => "allocations",
            Self::Messaging => "messages",
        }
    }
}

/// The business action that a call is an attempt at: `R-618/reservation`. A call that only reads is none.
pub(crate) fn operation_of(call: &str, request: &str) -> Option<String> {
    let action = match call {
        "create" => "case",
        "reserve" => "reservation",
        "send" => "confirmation",
        "release" => "release",
        "close" => "closure",
        _ => return None,
    };
    Some(format!("{request}/{action}"))
}

/// A text field of a call.
pub(super) fn text<'b>(body: &'b Map<String, Value>, field: &str) -> &'b str {
    body.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The rows of a query as JSON objects, a field for each column.
pub(super) fn rows(
    connection: &Connection,
    select: &str,
    parameters: impl rusqlite::Params,
) -> rusqlite::Result<Vec<Value>> {
    let mut statement = connection.prepare_cached(select)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut found = Vec::new();
    let mut rows = statement.query(parameters)?;
    while let Some(row) = rows.next()? {
        let mut object = Map::new();
        for (index, column) in columns.iter().enumerate() {
            let value = match row.get_ref(index)? {
                rusqlite::types::ValueRef::Integer(number) => Value::from(number),
                rusqlite::types::ValueRef::Text(_) => Value::from(row.get::<_, String>(index)?),
                _ => Value::Null,
            };
            object.insert(column.clone(), value);
        }
        found.push(Value::Object(object));
    }
    Ok(found)
}

/// The next id of a kind: `A-1`, `A-2`.
pub(super) fn next_id(connection: &Connection, prefix: &str, table: &str) -> rusqlite::Result<String> {
    let count: i64 = connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
    Ok(format!("{prefix}-{}", count + 1))
}
