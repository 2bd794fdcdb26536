//! One attempt at staging: decide, write, commit, and what the caller gets to see of it.

use rusqlite::{Connection, TransactionBehavior};
use serde_json::Value;

use crate::evidence::Answered;
use crate::manifest::FaultName;

use super::approvals::Present;
use super::calls::Calls;
use super::conduct::Conduct;
use super::guard::{self, Decision};
use super::parts::STAGE;
use super::proposals::Proposal;
use super::refusal::Refusal;
use super::staging::Staging;

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
    pub(super) retention_s: i64,
}

/// Makes one attempt. A scheduled fault falls between the first row and the commit, or on the way back.
pub(super) fn make(
    connection: &mut Connection,
    calls: &mut Calls<'_>,
    intent: Intent<'_>,
    conduct: &Conduct,
) -> rusqlite::Result<Ended> {
    let Intent { proposal, actor, present, needs_approval, .. } = intent;
    let mut attempt = calls.begin(&proposal.operation, STAGE);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let ended = match guard::decide(&transaction, proposal, actor, present, needs_approval, conduct)? {
        Decision::Refuse(refusal) => {
            transaction.commit()?;
            Ended::Refused(refusal)
        }
        Decision::Replay(receipt) => {
            transaction.commit()?;
            Ended::Replayed(receipt)
        }
        Decision::Stage(approval) => {
            let breaks = calls.fires(&mut attempt, FaultName::FailBeforeCommit);
            let staging = Staging { proposal, actor, approval, now: present.now, retention_s: intent.retention_s };
            let receipt = if conduct.stages_in_one_transaction {
                let receipt = staging.write(&transaction, breaks)?;
                if receipt.is_some() {
                    transaction.commit()?
                } else {
                    transaction.rollback()?
                }
                receipt
            } else {
                transaction.commit()?;
                staging.write(connection, breaks)?
            };
            receipt.map_or(Ended::Failed, Ended::Committed)
        }
    };
    let lost = calls.fires(&mut attempt, FaultName::LostAck);
    calls.end(attempt, ended.answered());
    Ok(if lost { Ended::Lost } else { ended })
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
