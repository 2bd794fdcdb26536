//! What stands before a staging: the record of an earlier one, the pause, the approval. Read in the transaction that
//! would write, so that nothing can change between the look and the act.

use rusqlite::Connection;
use serde_json::Value;

use super::approvals::{self, Present};
use super::conduct::Conduct;
use super::pause::Pause;
use super::proposals::Proposal;
use super::refusal::{Reason, Refusal};
use super::staging::{OperationRecord, is_of};

/// What may be done about a proposal.
#[derive(Clone, Debug)]
pub(super) enum Decision {
    /// Stage it, under this approval.
    Stage(Option<i64>),
    /// It was staged before: give the first receipt again. No authority is used.
    Replay(Value),
    /// Neither.
    Refuse(Refusal),
}

/// Decides about staging `proposal` for `actor`.
pub(super) fn decide(
    connection: &Connection,
    proposal: &Proposal,
    actor: &str,
    present: &Present,
    needs_approval: bool,
    conduct: &Conduct,
) -> rusqlite::Result<Decision> {
    let record = OperationRecord::find(connection, &proposal.operation)?;
    if let Some(record) = record.filter(|_| conduct.looks_up_operation) {
        return repeat(connection, proposal, &record, present, conduct);
    }
    if let Some(pause) = Pause::find(connection)? {
        return Ok(Decision::Refuse(pause.refusal()));
    }
    if proposal.customer.is_some() && proposal.record_version.is_none() {
        let text = "the customer's record could not be read, so no approval can be bound to its version";
        return Ok(Decision::Refuse(Refusal::new(Reason::RecordUnreadable, text)));
    }
    if !(needs_approval && conduct.needs_approval) {
        return Ok(Decision::Stage(None));
    }
    let approval = approvals::find(connection, proposal, actor)?;
    Ok(match approvals::check(approval, present, conduct) {
        Ok(approval) => Decision::Stage(Some(approval.id)),
        Err(refusal) => Decision::Refuse(refusal),
    })
}

fn repeat(
    connection: &Connection,
    proposal: &Proposal,
    record: &OperationRecord,
    present: &Present,
    conduct: &Conduct,
) -> rusqlite::Result<Decision> {
    if conduct.checks_proposal_of_operation && !is_of(record, &proposal.digest) {
        let text = "the operation's identity already stands for another proposal";
        return Ok(Decision::Refuse(Refusal::new(Reason::OperationMismatch, text)));
    }
    let retired = record.is_retired(present.now);
    if retired {
        OperationRecord::retire(connection, &proposal.operation)?;
    }
    let receipt = record.receipt.clone().filter(|_| !retired && conduct.keeps_receipt);
    Ok(receipt.map_or_else(
        || {
            let text = "the operation was staged, and its receipt is no longer kept; a person has to reconcile it";
            Decision::Refuse(Refusal::new(Reason::RecordRetired, text))
        },
        Decision::Replay,
    ))
}
