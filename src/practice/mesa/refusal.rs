//! Refusals: the desk working right. They are counted by themselves, apart from failures and bad answers.

use jiff::Timestamp;
use rusqlite::Connection;

use crate::domain::OperationId;

/// Why the desk refuses. The name goes into records and answers; each is one thing that a caller can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The request does not have the form that the desk reads.
    MalformedRequest,
    /// The actor is not among those whom the permissions name.
    UnknownActor,
    /// The permissions do not allow the action to the actor.
    MissingRight,
    /// Someone would approve what they themselves stage.
    SelfApproval,
    /// The desk never sends.
    SendingNotPermitted,
    /// No proposal of that digest was kept for the operation.
    UnknownProposal,
    /// Nobody approved this exact proposal for this actor.
    NotApproved,
    /// The approval's time is over.
    ApprovalExpired,
    /// The approval was taken back.
    ApprovalRevoked,
    /// The customer's record is no longer the one that was approved.
    RecordChanged,
    /// The sources that rule are no longer those that were approved.
    SourceChanged,
    /// The operation's identity already stands for another proposal.
    OperationMismatch,
    /// Nothing is known of the operation.
    UnknownOperation,
    /// The customer's record could not be read, so no approval could be bound to its version.
    RecordUnreadable,
    /// New staging is paused.
    Paused,
    /// The operation's record has left its retention window; a person has to reconcile it.
    RecordRetired,
}

impl Reason {
    /// The name used in answers and records.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::MalformedRequest => "malformed_request",
            Self::UnknownActor => "unknown_actor",
            Self::MissingRight => "missing_right",
            Self::SelfApproval => "self_approval",
            Self::SendingNotPermitted => "sending_not_permitted",
            Self::UnknownProposal => "unknown_proposal",
            Self::NotApproved => "not_approved",
            Self::ApprovalExpired => "approval_expired",
            Self::ApprovalRevoked => "approval_revoked",
            Self::RecordChanged => "record_changed",
            Self::SourceChanged => "source_changed",
            Self::OperationMismatch => "operation_mismatch",
            Self::UnknownOperation => "unknown_operation",
            Self::RecordUnreadable => "record_unreadable",
            Self::Paused => "paused",
            Self::RecordRetired => "operation_record_retired",
        }
    }

    /// Whether a person has to act before the operation can go on, so that it is held and not simply refused.
    pub(super) fn holds(self) -> bool {
        matches!(self, Self::RecordUnreadable | Self::Paused | Self::RecordRetired)
    }
}

/// One refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) reason: Reason,
    /// The reason in one sentence without a full stop, without personal content.
    pub(super) text: String,
}

impl Refusal {
    pub(super) fn new(reason: Reason, text: impl Into<String>) -> Self {
        Self { reason, text: text.into() }
    }
}

/// Counts a refusal. It goes into a table of its own: the action audit holds actions alone.
pub(super) fn record(
    connection: &Connection,
    refusal: &Refusal,
    operation: &OperationId,
    actor: &str,
    action: &str,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO refusals (operation, actor, action, reason, refused_s) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    insert.execute((operation.as_str(), actor, action, refusal.reason.name(), now.as_second()))?;
    Ok(())
}
