//! What the targets' own databases show of each step: the independent look that claims are held against.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use crate::domain::OperationId;
use crate::practice::targets::Target;
use crate::practice::{Agreement, PracticeError, TargetReading};

use super::record::Record;
use super::request::Wanted;
use super::steps::Step;

/// Reads every step of the request, and those of `named` operations that are steps of other requests besides.
///
/// # Errors
/// When a database cannot be read.
pub(super) fn read(
    state_dir: &Path,
    record: &Record,
    request: &str,
    named: &BTreeSet<OperationId>,
) -> Result<Vec<TargetReading>, PracticeError> {
    let of_named = named.iter().filter_map(|operation| operation.as_str().rsplit_once('/').map(|(request, _)| request));
    let requests: BTreeSet<&str> = of_named.chain([request]).collect();
    let mut readings = Vec::new();
    for target in Target::ALL {
        let path = state_dir.join(target.database());
        let failed = |source| PracticeError::Store { path: path.clone(), doing: "reading it back", source };
        let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
        for request in &requests {
            let wanted = record.wanted(request).map_err(failed)?;
            for step in Step::ALL.into_iter().filter(|step| step.target() == target) {
                let reading = one(&connection, step, request, wanted.as_ref()).map_err(failed)?;
                let is_undo = !Step::FORWARD.contains(&step);
                if !is_undo || reading.effects > 0 || named.contains(&reading.operation) {
                    readings.push(reading);
                }
            }
        }
    }
    readings.sort_by(|one, other| one.operation.cmp(&other.operation));
    Ok(readings)
}

fn one(connection: &Connection, step: Step, request: &str, wanted: Option<&Wanted>) -> rusqlite::Result<TargetReading> {
    let records = records(connection, step, request)?;
    let pending: i64 = connection.query_row(
        "SELECT count(*) FROM pending WHERE request = ?1 AND call = ?2",
        params![request, step.call()],
        |row| row.get(0),
    )?;
    let stock_named = records.iter().all(|record| wanted.is_none_or(|wanted| record.fits(step, wanted)));
    let target = step.target().name();
    let mut evidence = vec![match records.len() {
        0 => format!("{target} holds no record of it"),
        1 => format!("{target} holds one record of it: {}", records[0].id),
        many => format!("{target} holds {many} records of it"),
    }];
    if !stock_named {
        evidence.push(format!("{target} holds other parameters than were asked for"));
    }
    if pending > 0 {
        evidence.push(format!("{target} has {pending} of its requests on the way"));
    }
    Ok(TargetReading {
        operation: OperationId::new(step.reference(request)),
        effects: records.len(),
        agreement: if stock_named { Agreement::Agrees } else { Agreement::OtherParameters },
        settled: pending == 0,
        evidence,
    })
}

/// A record, with what can be compared to what was wanted.
struct Shown {
    id: String,
    /// The customer, the component or the recipient.
    whom: Option<String>,
    quantity: Option<i64>,
}

impl Shown {
    fn fits(&self, step: Step, wanted: &Wanted) -> bool {
        let whom = self.whom.as_deref();
        match step {
            Step::Case => whom == Some(wanted.customer.as_str()),
            Step::Reservation => whom == Some(wanted.component.as_str()) && self.quantity == Some(wanted.quantity),
            Step::Confirmation => whom == Some(wanted.contact.as_str()),
            Step::Release | Step::Closure => true,
        }
    }
}

fn records(connection: &Connection, step: Step, request: &str) -> rusqlite::Result<Vec<Shown>> {
    let select = match step {
        Step::Case => "SELECT case_id, customer, NULL FROM cases WHERE request = ?1",
        Step::Reservation => "SELECT allocation, component, quantity FROM allocations WHERE request = ?1",
        Step::Confirmation => "SELECT message, recipient, NULL FROM messages WHERE request = ?1",
        Step::Release => "SELECT release, NULL, NULL FROM releases WHERE request = ?1",
        Step::Closure => "SELECT closure, NULL, NULL FROM closures WHERE request = ?1",
    };
    let mut statement = connection.prepare(select)?;
    let rows = statement
        .query_map([request], |row| Ok(Shown { id: row.get(0)?, whom: row.get(1)?, quantity: row.get(2)? }))?;
    rows.collect()
}

/// Whether the file is there to be read at all.
pub(super) fn last_call_in(state_dir: &Path, target: Target) -> rusqlite::Result<i64> {
    let path = state_dir.join(target.database());
    if !path.exists() {
        return Ok(0);
    }
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection
        .query_row("SELECT coalesce(max(id), 0) FROM calls", [], |row| row.get(0))
        .optional()
        .map(Option::unwrap_or_default)
}
