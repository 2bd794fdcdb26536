//! What happens at the targets while the workflow is about something else: customers, colleagues, the warehouse.
//!
//! `input.world` is a list of events, each a map with one event and, optionally, `after`: the call after which it
//! happens (`{connector, operation, attempt}`). Without `after` it happens before the invocation.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, params};
use serde_json::{Map, Value};

use crate::practice::PracticeError;
use crate::practice::targets::Target;

use super::record::DATABASE;

/// The events of one invocation.
pub(super) struct World {
    state_dir: PathBuf,
    request: String,
    events: Vec<Event>,
    /// The first event that could not be brought about.
    failed: Mutex<Option<rusqlite::Error>>,
}

struct Event {
    name: String,
    details: Map<String, Value>,
    after: Option<(String, String, u32)>,
}

/// Every event with what it changes and where.
const EVENTS: [(&str, &str); 8] = [
    ("customer_cancelled", "case-desk.db"),
    ("contact_changed", "case-desk.db"),
    ("arrangement", "case-desk.db"),
    ("component_unsuitable", "inventory.db"),
    ("stock_changed", "inventory.db"),
    ("other_reservation", "inventory.db"),
    ("dispatched", "inventory.db"),
    ("approval_revoked", DATABASE),
];

impl World {
    /// Reads the events of an input.
    ///
    /// # Errors
    /// When one is no event: it would silently not happen.
    pub(super) fn read(input: &Value, state_dir: &Path) -> Result<Self, PracticeError> {
        let listed = input.get("world").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let events = listed.iter().map(event).collect::<Result<_, _>>()?;
        let request = input["request"].as_str().unwrap_or_default().to_owned();
        Ok(Self { state_dir: state_dir.to_owned(), request, events, failed: Mutex::new(None) })
    }

    /// Brings about what happens before the invocation.
    pub(super) fn begin(&self) -> rusqlite::Result<()> {
        self.events.iter().filter(|event| event.after.is_none()).try_for_each(|event| self.happen(event))
    }

    /// Brings about what happens after this call.
    pub(super) fn after(&self, connector: &str, call: &str, number: u32) {
        let is_due = |event: &&Event| {
            let after = event.after.as_ref();
            after.is_some_and(|(at, name, attempt)| at == connector && name == call && *attempt == number)
        };
        for event in self.events.iter().filter(is_due) {
            if let Err(error) = self.happen(event) {
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    }

    /// The error of the first event that could not be brought about.
    pub(super) fn failure(&self) -> Option<rusqlite::Error> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn happen(&self, event: &Event) -> rusqlite::Result<()> {
        let text = |field: &str| event.details.get(field).and_then(Value::as_str).unwrap_or_default();
        let number = |field: &str| event.details.get(field).and_then(Value::as_i64).unwrap_or_default();
        if event.name == "access_revoked" {
            let target = Target::ALL.into_iter().find(|target| target.name() == text("connector"));
            let file = target.map_or("", Target::database);
            let insert = "INSERT OR IGNORE INTO revoked_access VALUES (?1)";
            return self.write(file, insert, params![text("actor")]);
        }
        if event.name == "access_restored" {
            let target = Target::ALL.into_iter().find(|target| target.name() == text("connector"));
            let delete = "DELETE FROM revoked_access WHERE actor = ?1";
            return self.write(target.map_or("", Target::database), delete, params![text("actor")]);
        }
        let file = EVENTS.iter().find(|(name, _)| *name == event.name).map_or("", |(_, file)| *file);
        let request = &self.request;
        match event.name.as_str() {
            "customer_cancelled" => {
                self.write(file, "UPDATE cases SET cancelled = 1 WHERE request = ?1", params![request])
            }
            "contact_changed" => {
                let update = "UPDATE cases SET contact = ?2 WHERE request = ?1";
                self.write(file, update, params![request, text("contact")])
            }
            "arrangement" => {
                let insert = "INSERT INTO arrangements (request, coordinator, arrangement) VALUES (?1, ?2, ?3)";
                self.write(file, insert, params![request, text("coordinator"), text("arrangement")])
            }
            "component_unsuitable" => {
                let update = "UPDATE components SET suitable = 0 WHERE component = ?1";
                self.write(file, update, params![text("component")])
            }
            "stock_changed" => {
                let update = "UPDATE components SET stock = stock + ?2 WHERE component = ?1";
                self.write(file, update, params![text("component"), number("by")])
            }
            "dispatched" => {
                self.write(file, "UPDATE allocations SET status = 'dispatched' WHERE request = ?1", params![request])
            }
            "other_reservation" => self.write(
                file,
                "INSERT INTO allocations (allocation, request, case_id, component, quantity, status, reference, actor, \
                 created_ms, visible_ms) SELECT 'A-' || (count(*) + 1), ?1, ?2, ?3, ?4, 'reserved', ?1, 'other', 0, 0 \
                 FROM allocations",
                params![text("request"), text("case"), text("component"), number("quantity")],
            ),
            _ => {
                let update = "UPDATE approvals SET revoked_by = 'the approver' WHERE request = ?1";
                self.write(file, update, params![request])
            }
        }
    }

    fn write(&self, file: &str, sql: &str, parameters: impl rusqlite::Params) -> rusqlite::Result<()> {
        let connection = Connection::open(self.state_dir.join(file))?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;")?;
        connection.execute(sql, parameters)?;
        Ok(())
    }
}

fn event(listed: &Value) -> Result<Event, PracticeError> {
    let wrong = |what: String| PracticeError::Setup {
        what,
        hint: format!(
            "an event is a map with one of {}, access_revoked, access_restored, and optionally `after`",
            EVENTS.map(|(name, _)| name).join(", ")
        ),
    };
    let map = listed.as_object().ok_or_else(|| wrong(format!("the event {listed} is no map")))?;
    let mut names = map.keys().filter(|name| *name != "after");
    let (Some(name), None) = (names.next(), names.next()) else {
        return Err(wrong(format!("the event {listed} is not one event")));
    };
    let is_known = EVENTS.iter().any(|(known, _)| known == name) || name.starts_with("access_re");
    let (true, Some(details)) = (is_known, map[name].as_object()) else {
        return Err(wrong(format!("`{name}` is no event")));
    };
    let after = match map.get("after") {
        None => None,
        Some(after) => {
            let attempt = after["attempt"].as_u64().and_then(|attempt| u32::try_from(attempt).ok()).unwrap_or(1);
            let (Some(connector), Some(call)) = (after["connector"].as_str(), after["operation"].as_str()) else {
                return Err(wrong(format!("`after` of `{name}` names no connector and operation")));
            };
            Some((connector.to_owned(), call.to_owned(), attempt))
        }
    };
    Ok(Event { name: name.clone(), details: details.clone(), after })
}
