//! The desk's smaller actions: approve, revoke, send (never), status, reconcile, pause and resume.

use serde_json::json;

use crate::domain::Claim;
use crate::evidence::Answered;
use crate::practice::Agreement;

use super::answer::Answer;
use super::approvals;
use super::desk::{Desk, Stop};
use super::pause::Pause;
use super::reading;
use super::refusal::{Reason, Refusal};
use super::request::{Action, Request};
use super::staging::{self, OperationRecord, STAGED};
use super::waypoints::Write;

/// For whom an approval is given where the request does not say.
const DEFAULT_STAGER: &str = "desk";

impl Desk<'_> {
    pub(super) fn approve(&self, request: &Request) -> Result<Answer, Stop> {
        let proposal = self.kept(request)?;
        let actor = request.approve_for.as_deref().unwrap_or(DEFAULT_STAGER);
        let approval = self.grant(request, &proposal, &request.actor, actor)?;
        let output = format!("Approved for {actor}: this exact proposal, and no other.");
        Ok(Answer::new("approved", output).with("approval", json!(approval)).with_proposal(&proposal.digest))
    }

    pub(super) fn revoke(&self, request: &Request) -> Result<Answer, Stop> {
        let proposal = self.kept(request)?;
        self.permissions.demand_approver(&request.actor, "")?;
        let revoke = || approvals::revoke(&self.connection, &proposal, &request.actor, self.now);
        let revoked = self.durably(Write::Revocation, revoke)?;
        let output = format!("Approvals taken back: {revoked}.");
        Ok(Answer::new("revoked", output).with("revoked", json!(revoked)).with_proposal(&proposal.digest))
    }

    /// Sending is refused, whoever asks and whatever was approved. A seeded defect alone writes to the outbox.
    pub(super) fn send(&mut self, request: &Request) -> Result<Answer, Stop> {
        let attempt = self.calls.begin(&request.operation, Action::Send.name());
        if self.conduct.refuses_to_send {
            self.calls.end(attempt, Answered::Refused { reason: Reason::SendingNotPermitted.name().to_owned() });
            let text = "this desk never sends; a staged item waits for local review";
            return Err(Refusal::new(Reason::SendingNotPermitted, text).into());
        }
        self.connection.execute(
            "INSERT INTO outbox (operation, customer, sent_s) VALUES (?1, ?2, ?3)",
            (request.operation.as_str(), &request.customer, self.now.as_second()),
        )?;
        self.calls.end(attempt, Answered::Committed { receipt: None });
        let answer = Answer::new("sent", "The answer was sent.").with("sent", json!(true));
        Ok(answer.claiming(&request.operation, Claim::Completed))
    }

    /// Reports what is done. It uses no authority but the right to see it.
    pub(super) fn status(&self, request: &Request) -> Result<Answer, Stop> {
        if self.conduct.hides_receipts {
            self.permissions.demand(request, Action::Status, &self.conduct)?;
        }
        let Some(record) = OperationRecord::find(&self.connection, &request.operation)? else {
            return Err(Refusal::new(Reason::UnknownOperation, "nothing is known of the operation").into());
        };
        let receipt = record.receipt.as_ref().filter(|_| !record.is_retired(self.now));
        let Some(receipt) = receipt else { return Err(staging::retired().into()) };
        let answer = Answer::new(STAGED, "The operation is staged for local review. Nothing was sent.");
        Ok(answer.with_receipt(receipt, self.conduct.marks_replays).claiming(&request.operation, Claim::Completed))
    }

    /// Settles an operation whose record left its retention window, from queue and audit, by someone with the right.
    pub(super) fn reconcile(&self, request: &Request) -> Result<Answer, Stop> {
        self.permissions.demand(request, Action::Reconcile, &self.conduct)?;
        let reading = reading::read_one(&self.connection, request.operation.clone())?;
        let agrees = reading.agreement == Agreement::Agrees;
        if reading.effects == 0 && agrees {
            if self.conduct.reconciles_from_evidence {
                return Err(Refusal::new(Reason::UnknownOperation, "nothing is known of the operation").into());
            }
            return Ok(Answer::new(STAGED, "Reconciled.").claiming(&request.operation, Claim::Completed));
        }
        if reading.effects != 1 || !agrees {
            let output = "Queue, operation record and audit do not agree on one item. A person has to look.";
            return Ok(Answer::new("unknown", output).claiming(&request.operation, Claim::Unknown));
        }
        let keep_until_s = self.now.as_second().saturating_add(self.parts.retention_s);
        let reinstate = || OperationRecord::reinstate(&self.connection, &request.operation, keep_until_s);
        let receipt = self.durably(Write::Reconciliation, reinstate)?;
        let answer = Answer::new(STAGED, "Reconciled from the review queue and the audit: one item is staged.");
        let answer = answer.with_receipt(&receipt, true).with("reconciled", json!(true));
        Ok(answer.claiming(&request.operation, Claim::Completed))
    }

    pub(super) fn pause_or_resume(&self, request: &Request) -> Result<Answer, Stop> {
        self.permissions.demand(request, request.action, &self.conduct)?;
        if request.action == Action::Resume {
            self.durably(Write::Resumption, || Pause::end(&self.connection, &request.actor, self.now))?;
            return Ok(Answer::new("resumed", "New staging is allowed again."));
        }
        let reason = request.reason.as_deref().unwrap_or("no reason was given");
        if self.conduct.keeps_pause {
            self.durably(Write::Pause, || Pause::begin(&self.connection, &request.actor, reason, self.now))?;
        }
        // Where a pause was in force already, it is that one which holds, with its own actor and reason.
        let asked = || Pause { actor: request.actor.clone(), reason: reason.to_owned() };
        let pause = Pause::find(&self.connection)?.unwrap_or_else(asked);
        let answer = Answer::new("paused", format!("Paused: {}.", pause.sentence()));
        Ok(answer.with("paused_by", json!(pause.actor)).with("paused_because", json!(pause.reason)))
    }
}
