//! Proposals: one exact draft for one operation. Its digest is what an approval approves.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row};
use serde_json::{Value, json};

use crate::domain::{Digest, OperationId};

use super::drafter::Draft;

/// Where a staging goes. There is no other destination.
pub(super) const DESTINATION: &str = "review_queue";

/// A proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proposal {
    /// The digest over everything below and the destination.
    pub(super) digest: Digest,
    pub(super) operation: OperationId,
    pub(super) customer: Option<String>,
    pub(super) record_version: Option<i64>,
    /// The topics with the source and version that ruled, as `[[topic, source, version], ...]`.
    pub(super) sources: Value,
    pub(super) draft: String,
}

impl Proposal {
    /// The proposal to stage this draft.
    pub(super) fn new(
        operation: &OperationId,
        customer: Option<&str>,
        record_version: Option<i64>,
        draft: &Draft,
    ) -> Self {
        let sources = json!(draft.topics);
        let whole = json!({
            "action": "stage",
            "destination": DESTINATION,
            "operation": operation,
            "customer": customer,
            "record_version": record_version,
            "sources": sources,
            "draft": draft.text,
        });
        Self {
            digest: Digest::of_json(&whole),
            operation: operation.clone(),
            customer: customer.map(str::to_owned),
            record_version,
            sources,
            draft: draft.text.clone(),
        }
    }

    /// Keeps the proposal. To keep it twice is to keep it once: its digest is its identity.
    pub(super) fn keep(&self, connection: &Connection, now: Timestamp) -> rusqlite::Result<()> {
        let mut insert = connection.prepare_cached(
            "INSERT INTO proposals (digest, operation, customer, record_version, sources, draft, proposed_s) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (digest) DO NOTHING",
        )?;
        let sources = self.sources.to_string();
        insert.execute((
            self.digest.as_str(),
            self.operation.as_str(),
            &self.customer,
            self.record_version,
            sources,
            &self.draft,
            now.as_second(),
        ))?;
        Ok(())
    }

    /// The proposal kept for an operation: the one of that digest, or the newest.
    pub(super) fn kept(
        connection: &Connection,
        operation: &OperationId,
        digest: Option<&Digest>,
    ) -> rusqlite::Result<Option<Self>> {
        let mut select = connection.prepare_cached(
            "SELECT digest, operation, customer, record_version, sources, draft FROM proposals \
             WHERE operation = ?1 AND (?2 IS NULL OR digest = ?2) ORDER BY id DESC LIMIT 1",
        )?;
        select.query_row((operation.as_str(), digest.map(Digest::as_str)), read_row).optional()
    }
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<Proposal> {
    let invalid = |index: usize, reason: Box<dyn std::error::Error + Send + Sync>| {
        rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Text, reason)
    };
    let digest = Digest::try_from(row.get::<_, String>(0)?).map_err(|error| invalid(0, error.into()))?;
    let sources: String = row.get(4)?;
    Ok(Proposal {
        digest,
        operation: OperationId::new(row.get::<_, String>(1)?),
        customer: row.get(2)?,
        record_version: row.get(3)?,
        sources: serde_json::from_str(&sources).map_err(|error| invalid(4, error.into()))?,
        draft: row.get(5)?,
    })
}
