//! One attempt at staging: decide, write, commit, and what the caller gets to see of it.

use rusqlite::{Connection, Transaction, TransactionBehavior};
use serde_json::Value;

use crate::evidence::Answered;
use crate::manifest::FaultName;

use super::approvals::{self, Present};
use super::calls::Calls;
use super::conduct::Conduct;
use super::guard::{self, Decision};
use super::parts::STAGE;
use super::proposals::Proposal;
use super::refusal::{Reason, Refusal};
use super::staging::Staging;
use super::waypoints::{Waypoints, Write, around};

/// How an attempt ended, as its caller sees it.
#[derive(Clone, Debug)]
pub(super) enum Ended {
    /// Committed now, with the first receipt.
    Committed(Value),
    /// Committed earlier, with the first receipt again.
    Replayed(Value),
    /// Refused.
    Refused(Refusal),
    /// The target broke before its commit.
    Failed,
    /// No answer came.
    Lost,
}

/// What an attempt is made with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Intent<'i> {
    pub(super) proposal: &'i Proposal,
    pub(super) actor: &'i str,
    pub(super) present: &'i Present,
    pub(super) needs_approval: bool,
    /// Whether the actor may see what became of an operation.
    pub(super) may_see: bool,
    pub(super) retention_s: i64,
}

/// Makes one attempt. A scheduled fault falls between the first row and the commit, or on the way back.
pub(super) fn make(
    connection: &mut Connection,
    calls: &mut Calls<'_>,
    intent: Intent<'_>,
    conduct: &Conduct,
    waypoints: &dyn Waypoints,
) -> rusqlite::Result<Ended> {
    let mut attempt = calls.begin(&intent.proposal.operation, STAGE);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let ended = match guard::decide(&transaction, &intent, conduct)? {
        Decision::Refuse(refusal) => {
            if refusal.reason == Reason::RecordRetired {
                around(waypoints, Write::Retirement, || transaction.commit())?;
            } else {
                transaction.commit()?;
            }
            Ended::Refused(refusal)
        }
        Decision::Replay(receipt) => {
            transaction.commit()?;
            Ended::Replayed(receipt)
        }
        Decision::Stage(approval) => {
            let breaks = calls.fires(&mut attempt, FaultName::FailBeforeCommit);
            let ended = stage(transaction, &intent, approval, breaks, conduct, waypoints)?;
            if let (Ended::Failed, Some(id), false) = (&ended, approval, conduct.keeps_approval_on_failure) {
                approvals::spend(connection, id, intent.present.now)?;
            }
            ended
        }
    };
    let lost = calls.fires(&mut attempt, FaultName::LostAck);
    calls.end(attempt, ended.answered());
    Ok(if lost { Ended::Lost } else { ended })
}

/// Writes a staging: the whole of it, or none where the target breaks on the way.
fn stage(
    transaction: Transaction<'_>,
    intent: &Intent<'_>,
    approval: Option<i64>,
    breaks: bool,
    conduct: &Conduct,
    waypoints: &dyn Waypoints,
) -> rusqlite::Result<Ended> {
    let Intent { proposal, actor, present, retention_s, .. } = *intent;
    let by_reference = conduct.records_references_only;
    let staging = Staging { proposal, actor, approval, now: present.now, retention_s, by_reference };
    let Some(receipt) = staging.write(&transaction, breaks, waypoints)? else {
        if conduct.stages_in_one_transaction {
            transaction.rollback()?
        } else {
            transaction.commit()?
        }
        return Ok(Ended::Failed);
    };
    around(waypoints, Write::Staging, || transaction.commit())?;
    Ok(Ended::Committed(receipt))
}

impl Ended {
    /// What the target answered.
    fn answered(&self) -> Answered {
        let name_of = |receipt: &Value| Some(format!("item {}", receipt["item"]));
        match self {
            Self::Committed(receipt) => Answered::Committed { receipt: name_of(receipt) },
            Self::Replayed(receipt) => Answered::Replayed { receipt: name_of(receipt) },
            Self::Refused(refusal) => Answered::Refused { reason: refusal.reason.name().to_owned() },
            Self::Failed => Answered::Error { detail: "it broke before its commit".to_owned() },
            Self::Lost => Answered::NoAnswer,
        }
    }
}
