//! What stands before a staging: the record of an earlier one, the pause, the approval. Read in the transaction that
//! would write, so that nothing can change between the look and the act.

use jiff::Timestamp;
use rusqlite::Connection;
use serde_json::Value;

use super::approvals;
use super::attempt::Intent;
use super::conduct::Conduct;
use super::pause::Pause;
use super::refusal::{Reason, Refusal};
use super::staging::{self, OperationRecord, is_of};

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

/// Decides about one attempt at staging.
pub(super) fn decide(connection: &Connection, intent: &Intent<'_>, conduct: &Conduct) -> rusqlite::Result<Decision> {
    let Intent { proposal, present, .. } = *intent;
    let record = OperationRecord::find(connection, &proposal.operation)?;
    if let Some(record) = record.filter(|record| is_known(record, present.now, conduct)) {
        return repeat(connection, intent, &record, conduct);
    }
    if conduct.respects_pause
        && let Some(pause) = Pause::find(connection)?
    {
        return Ok(Decision::Refuse(pause.refusal()));
    }
    if proposal.customer.is_some() && proposal.record_version.is_none() {
        let text = "the customer's record could not be read, so no approval can be bound to its version";
        return Ok(Decision::Refuse(Refusal::new(Reason::RecordUnreadable, text)));
    }
    Ok(match approval_of(connection, intent, conduct)? {
        Ok(approval) => Decision::Stage(approval),
        Err(refusal) => Decision::Refuse(refusal),
    })
}

/// Whether an operation's record is to be heeded. On the sound desk it always is.
pub(super) fn is_known(record: &OperationRecord, now: Timestamp, conduct: &Conduct) -> bool {
    conduct.looks_up_operation && (conduct.remembers_past_retention || !record.is_retired(now))
}

/// The approval that covers the staging, where it needs one.
fn approval_of(
    connection: &Connection,
    intent: &Intent<'_>,
    conduct: &Conduct,
) -> rusqlite::Result<Result<Option<i64>, Refusal>> {
    let Intent { proposal, actor, present, needs_approval, .. } = *intent;
    if !(needs_approval && conduct.needs_approval) {
        return Ok(Ok(None));
    }
    let approval = approvals::find(connection, proposal, actor)?;
    Ok(approvals::check(approval, present, conduct).map(|approval| Some(approval.id)))
}

/// An operation that was staged before. Whoever may see results gets its first receipt; nothing is written but the
/// forgetting of a receipt whose time is over.
fn repeat(
    connection: &Connection,
    intent: &Intent<'_>,
    record: &OperationRecord,
    conduct: &Conduct,
) -> rusqlite::Result<Decision> {
    let Intent { proposal, present, may_see, .. } = *intent;
    let refuse = |reason, text: &str| Ok(Decision::Refuse(Refusal::new(reason, text)));
    if conduct.hides_receipts && !may_see {
        return refuse(Reason::MissingRight, "the permissions do not let the actor see what became of an operation");
    }
    if conduct.checks_proposal_of_operation && !is_of(record, &proposal.digest) {
        return refuse(Reason::OperationMismatch, "the operation's identity already stands for another proposal");
    }
    if !conduct.replays_without_authority
        && let Err(refusal) = approval_of(connection, intent, conduct)?
    {
        return Ok(Decision::Refuse(refusal));
    }
    let retired = record.is_retired(present.now);
    if retired {
        OperationRecord::retire(connection, &proposal.operation)?;
    }
    match record.receipt.clone().filter(|_| !retired && conduct.keeps_receipt) {
        Some(receipt) => Ok(Decision::Replay(receipt)),
        None => Ok(Decision::Refuse(staging::retired())),
    }
}
