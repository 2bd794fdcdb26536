//! What the desk's own records show of each operation: the independent look that a claim is held against.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::Connection;

use crate::domain::OperationId;
use crate::practice::{Agreement, PracticeError, TargetReading};

use super::schema::DATABASE;

/// The rows that one operation has in each table, and the proposals that they name.
#[derive(Clone, Debug, Default)]
struct Rows {
    queue: usize,
    records: usize,
    audit: usize,
    outbox: usize,
    refusals: usize,
    proposals: BTreeSet<String>,
}

/// Reads every operation that the database knows, and those in `named` besides, sorted by operation.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn read(
    connection: &Connection,
    named: impl IntoIterator<Item = OperationId>,
    state_dir: &Path,
) -> Result<Vec<TargetReading>, PracticeError> {
    let failed = |source| PracticeError::Store { path: state_dir.join(DATABASE), doing: "reading it back", source };
    let mut operations: BTreeSet<OperationId> = named.into_iter().collect();
    operations.extend(operations_in(connection).map_err(failed)?);
    operations.into_iter().map(|operation| read_one(connection, operation).map_err(failed)).collect()
}

/// Reads one operation. The database is the target itself and every write to it is over: the reading is settled.
pub(super) fn read_one(connection: &Connection, operation: OperationId) -> rusqlite::Result<TargetReading> {
    let rows = rows_of(connection, &operation)?;
    Ok(TargetReading {
        effects: rows.queue + rows.outbox,
        agreement: rows.agreement(),
        settled: true,
        evidence: rows.evidence(),
        operation,
    })
}

fn operations_in(connection: &Connection) -> rusqlite::Result<Vec<OperationId>> {
    let mut select = connection.prepare_cached(
        "SELECT operation FROM review_queue UNION SELECT operation FROM operation_records \
         UNION SELECT operation FROM action_audit UNION SELECT operation FROM outbox",
    )?;
    let rows = select.query_map([], |row| row.get::<_, String>(0).map(OperationId::new))?;
    rows.collect()
}

fn rows_of(connection: &Connection, operation: &OperationId) -> rusqlite::Result<Rows> {
    let mut select = connection.prepare_cached(
        "SELECT 'queue', proposal FROM review_queue WHERE operation = ?1 \
         UNION ALL SELECT 'record', proposal FROM operation_records WHERE operation = ?1 \
         UNION ALL SELECT 'audit', proposal FROM action_audit WHERE operation = ?1 \
         UNION ALL SELECT 'outbox', NULL FROM outbox WHERE operation = ?1 \
         UNION ALL SELECT 'refusal', NULL FROM refusals WHERE operation = ?1",
    )?;
    let mut found = Rows::default();
    let mut rows = select.query([operation.as_str()])?;
    while let Some(row) = rows.next()? {
        match row.get_ref(0)?.as_str()? {
            "queue" => found.queue += 1,
            "record" => found.records += 1,
            "audit" => found.audit += 1,
            "outbox" => found.outbox += 1,
            _ => found.refusals += 1,
        }
        found.proposals.extend(row.get::<_, Option<String>>(1)?);
    }
    Ok(found)
}

impl Rows {
    fn agreement(&self) -> Agreement {
        if self.outbox > 0 {
            return Agreement::OtherParameters;
        }
        let tell_one_story = self.queue == self.audit && self.records == self.queue.min(1) && self.proposals.len() <= 1;
        if tell_one_story { Agreement::Agrees } else { Agreement::Contradictory }
    }

    fn evidence(&self) -> Vec<String> {
        let mut evidence = vec![format!(
            "the desk's database shows {} in the review queue, {} and {}",
            counted(self.queue, "item"),
            counted(self.records, "operation record"),
            counted(self.audit, "audit row"),
        )];
        if self.outbox > 0 {
            evidence.push(format!("its outbox shows {}, though the desk never sends", counted(self.outbox, "message")));
        }
        if self.refusals > 0 {
            evidence.push(format!("it counted {}", counted(self.refusals, "refusal")));
        }
        evidence
    }
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
