//! Staging: queue row, operation record and audit row in one transaction, and the first receipt for every repetition.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::{Value, json};

use crate::domain::{Digest, OperationId};

use super::proposals::{DESTINATION, Proposal};
use super::refusal::{Reason, Refusal};
use super::waypoints::{Waypoints, Write, around};

/// What a completed staging amounts to: one item waits for local review, and nothing was sent.
pub(super) const STAGED: &str = "staged_local_review_only";

/// What is kept of an operation that was staged.
#[derive(Clone, Debug)]
pub(super) struct OperationRecord {
    pub(super) proposal: String,
    /// The first receipt; `None` once the record left its retention window.
    pub(super) receipt: Option<Value>,
    pub(super) keep_until_s: i64,
}

/// One staging, ready to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Staging<'s> {
    pub(super) proposal: &'s Proposal,
    pub(super) actor: &'s str,
    pub(super) approval: Option<i64>,
    pub(super) now: Timestamp,
    /// For how long the operation's record is kept, in seconds.
    pub(super) retention_s: i64,
    /// Whether the audit names the draft by its digest alone.
    pub(super) by_reference: bool,
}

impl OperationRecord {
    /// The record of an operation.
    pub(super) fn find(connection: &Connection, operation: &OperationId) -> rusqlite::Result<Option<Self>> {
        let mut select = connection
            .prepare_cached("SELECT proposal, receipt, keep_until_s FROM operation_records WHERE operation = ?1")?;
        let read = |row: &rusqlite::Row<'_>| {
            let receipt: Option<String> = row.get(1)?;
            let receipt = receipt.and_then(|text| serde_json::from_str(&text).ok());
            Ok(Self { proposal: row.get(0)?, receipt, keep_until_s: row.get(2)? })
        };
        select.query_row([operation.as_str()], read).optional()
    }

    /// Whether its retention window is over.
    pub(super) fn is_retired(&self, now: Timestamp) -> bool {
        self.receipt.is_none() || self.keep_until_s <= now.as_second()
    }

    /// Forgets the receipt of a record whose window is over. The identity stays, so that it is never staged anew.
    pub(super) fn retire(connection: &Connection, operation: &OperationId) -> rusqlite::Result<()> {
        connection
            .execute("UPDATE operation_records SET receipt = NULL WHERE operation = ?1", [operation.as_str()])
            .map(drop)
    }

    /// Writes a receipt anew from the queue, for an operation that a person has reconciled.
    pub(super) fn reinstate(
        connection: &Connection,
        operation: &OperationId,
        keep_until_s: i64,
    ) -> rusqlite::Result<Value> {
        let (item, proposal, staged_s) = connection.query_row(
            "SELECT item, proposal, staged_s FROM review_queue WHERE operation = ?1",
            [operation.as_str()],
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?)),
        )?;
        let receipt = receipt(operation, item, &proposal, staged_s);
        connection.execute(
            "UPDATE operation_records SET receipt = ?2, keep_until_s = ?3 WHERE operation = ?1",
            (operation.as_str(), receipt.to_string(), keep_until_s),
        )?;
        Ok(receipt)
    }
}

impl Staging<'_> {
    /// Writes the three rows. `breaks` says that the target breaks after the first; then there is no receipt, and the
    /// caller's transaction must be rolled back.
    pub(super) fn write(
        &self,
        connection: &Connection,
        breaks: bool,
        waypoints: &dyn Waypoints,
    ) -> rusqlite::Result<Option<Value>> {
        let item = around(waypoints, Write::Item, || self.write_item(connection))?;
        if breaks {
            return Ok(None);
        }
        let receipt = around(waypoints, Write::Record, || self.write_record(connection, item))?;
        around(waypoints, Write::Audit, || self.write_audit(connection, item))?;
        Ok(Some(receipt))
    }

    fn write_item(&self, connection: &Connection) -> rusqlite::Result<i64> {
        let mut insert = connection.prepare_cached(
            "INSERT INTO review_queue (operation, proposal, customer, status, draft, staged_s) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let Proposal { operation, digest, customer, draft, .. } = self.proposal;
        insert.insert((operation.as_str(), digest.as_str(), customer, STAGED, draft, self.now.as_second()))
    }

    fn write_record(&self, connection: &Connection, item: i64) -> rusqlite::Result<Value> {
        let Proposal { operation, digest, .. } = self.proposal;
        let receipt = receipt(operation, item, digest.as_str(), self.now.as_second());
        // The sound desk has looked the operation up in this same transaction, so nothing is ever replaced; a desk
        // that does not look (a seeded defect) then shows two items under one identity, and not an SQL error.
        let mut insert = connection.prepare_cached(
            "INSERT OR REPLACE INTO operation_records \
             (operation, proposal, item, actor, receipt, recorded_s, keep_until_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        let now_s = self.now.as_second();
        let keep_until_s = now_s.saturating_add(self.retention_s);
        let receipt_text = receipt.to_string();
        insert.execute((operation.as_str(), digest.as_str(), item, self.actor, receipt_text, now_s, keep_until_s))?;
        Ok(receipt)
    }

    fn write_audit(&self, connection: &Connection, item: i64) -> rusqlite::Result<()> {
        let mut insert = connection.prepare_cached(
            "INSERT INTO action_audit (operation, action, actor, proposal, approval, item, destination, acted_s) \
             VALUES (?1, 'stage', ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        let Proposal { operation, digest, draft, .. } = self.proposal;
        let now_s = self.now.as_second();
        let destination = if self.by_reference { DESTINATION.to_owned() } else { format!("{DESTINATION}: {draft}") };
        insert.execute((operation.as_str(), self.actor, digest.as_str(), self.approval, item, destination, now_s))?;
        Ok(())
    }
}

/// The receipt of a staging. It holds references alone.
fn receipt(operation: &OperationId, item: i64, proposal: &str, staged_s: i64) -> Value {
    let staged = Timestamp::from_second(staged_s).map(|time| time.to_string()).unwrap_or_default();
    json!({ "operation": operation, "item": item, "proposal": proposal, "status": STAGED, "staged": staged })
}

/// The refusal of a repetition whose first receipt is no longer kept.
pub(super) fn retired() -> Refusal {
    let text = "the operation was staged, and its receipt is no longer kept; a person has to reconcile it";
    Refusal::new(Reason::RecordRetired, text)
}

/// Whether a record stands for this proposal.
pub(super) fn is_of(record: &OperationRecord, digest: &Digest) -> bool {
    record.proposal == digest.as_str()
}
