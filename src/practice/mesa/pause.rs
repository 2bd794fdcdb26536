//! The pause: kept in the database, so that it survives a restart and holds for every process on that database.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _};

use super::refusal::{Reason, Refusal};

/// A pause in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pause {
    pub(super) actor: String,
    pub(super) reason: String,
}

impl Pause {
    /// The pause in force, where there is one.
    pub(super) fn find(connection: &Connection) -> rusqlite::Result<Option<Self>> {
        let mut select = connection
            .prepare_cached("SELECT actor, reason FROM pauses WHERE resumed_s IS NULL ORDER BY id LIMIT 1")?;
        select.query_row([], |row| Ok(Self { actor: row.get(0)?, reason: row.get(1)? })).optional()
    }

    /// Begins a pause, unless one is in force already.
    pub(super) fn begin(connection: &Connection, actor: &str, reason: &str, now: Timestamp) -> rusqlite::Result<()> {
        connection
            .execute(
                "INSERT INTO pauses (actor, reason, paused_s) \
                 SELECT ?1, ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM pauses WHERE resumed_s IS NULL)",
                (actor, reason, now.as_second()),
            )
            .map(drop)
    }

    /// Ends every pause in force.
    pub(super) fn end(connection: &Connection, actor: &str, now: Timestamp) -> rusqlite::Result<()> {
        connection
            .execute(
                "UPDATE pauses SET resumed_s = ?2, resumed_by = ?1 WHERE resumed_s IS NULL",
                (actor, now.as_second()),
            )
            .map(drop)
    }

    /// Who paused and why.
    pub(super) fn sentence(&self) -> String {
        format!("new staging is paused by {}: {}", self.actor, self.reason)
    }

    /// The refusal of new staging.
    pub(super) fn refusal(&self) -> Refusal {
        Refusal::new(Reason::Paused, self.sentence())
    }
}
