//! The desk itself: one request, from the question to the answer.

use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::Connection;
use serde_json::json;

use crate::domain::{Claim, OperationId, PartId};
use crate::practice::{Agreement, PracticeAnswer, PracticeCall, PracticeError};

use super::answer::Answer;
use super::approvals::{self, Present};
use super::attempt::{self, Ended, Intent};
use super::calls::Calls;
use super::conduct::Conduct;
use super::defects;
use super::drafter::{self, Draft, Material};
use super::guard;
use super::library::{self, PolicySource};
use super::parts::DeskParts;
use super::permissions::Permissions;
use super::prompt::{self, Prompt};
use super::proposals::Proposal;
use super::reading;
use super::records::{self, Lookup};
use super::refusal::{self, Reason, Refusal};
use super::request::{self, Action, Request};
use super::retrieval;
use super::schema;
use super::staging::{OperationRecord, STAGED};
use super::waypoints::{Point, Waypoints, Write, around};

/// Why a request came to no plain answer.
pub(super) enum Stop {
    /// The desk refuses.
    Refused(Refusal),
    /// The database failed.
    Database(rusqlite::Error),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

/// The desk, open for one invocation.
pub(super) struct Desk<'c> {
    call: &'c PracticeCall<'c>,
    pub(super) parts: DeskParts,
    pub(super) calls: Calls<'c>,
    pub(super) connection: Connection,
    pub(super) conduct: Conduct,
    pub(super) permissions: Permissions,
    sources: Vec<PolicySource>,
    prompt: Prompt,
    pub(super) now: Timestamp,
    today: Date,
    waypoints: &'c dyn Waypoints,
}

impl<'c> Desk<'c> {
    /// Opens the desk on its parts and its database.
    pub(super) fn open(call: &'c PracticeCall<'c>, waypoints: &'c dyn Waypoints) -> Result<Self, PracticeError> {
        let now = request::time_of(call.invocation)?;
        let parts = DeskParts::read(call.parts)?;
        Ok(Self {
            call,
            calls: Calls::new(call, parts.connector.clone()),
            connection: schema::open(call.state_dir, call.durability, waypoints)?,
            conduct: defects::conduct_of(call.parts)?,
            permissions: Permissions::read(&parts.permissions),
            sources: library::read(&parts.sources, call.texts)?,
            prompt: prompt::read(&parts.prompts, call.texts),
            parts,
            now,
            today: jiff::tz::TimeZone::UTC.to_datetime(now).date(),
            waypoints,
        })
    }

    /// Serves the one request of the invocation, and looks at the database afterwards.
    pub(super) fn serve(mut self) -> Result<PracticeAnswer, PracticeError> {
        let (operation, answer) = match request::read(self.call.invocation) {
            Ok(request) => (request.operation.clone(), self.act(&request)),
            Err(refusal) => {
                let operation = request::named_operation(self.call.invocation);
                let counted = self.count(&refusal, &operation, "unread", "unread");
                let answer = Answer::refused(&refusal).claiming_refusal(&operation, &refusal, false);
                (operation, counted.map(|()| answer))
            }
        };
        let path = || self.call.state_dir.join(schema::DATABASE);
        let answer =
            answer.map_err(|source| PracticeError::Store { path: path(), doing: "serving the request", source })?;
        let attempted = self.call.attempts_so_far.iter().map(|attempt| attempt.operation.clone());
        let named = attempted.chain(Some(operation)).filter(|operation| !operation.as_str().is_empty());
        let readings = reading::read(&self.connection, named, self.call.state_dir)?;
        self.waypoints.reach(Point::Before(Write::Answer));
        let (attempts, fired) = self.calls.into_parts();
        Ok(PracticeAnswer { text: answer.into_text(), attempts, fired, readings })
    }

    /// Does what is asked; a refusal is counted and becomes the answer.
    fn act(&mut self, request: &Request) -> rusqlite::Result<Answer> {
        let done = match request.action {
            Action::Answer => self.answer(request),
            Action::Draft => self.draft_only(request),
            Action::Fallback => self.fall_back(request),
            Action::Propose => self.propose(request),
            Action::Approve => self.approve(request),
            Action::Revoke => self.revoke(request),
            Action::Stage => self.stage_kept(request),
            Action::Send => self.send(request),
            Action::Status => self.status(request),
            Action::Reconcile => self.reconcile(request),
            Action::Pause | Action::Resume => self.pause_or_resume(request),
        };
        match done {
            Ok(answer) => Ok(answer),
            Err(Stop::Database(error)) => Err(error),
            Err(Stop::Refused(refusal)) => {
                if !self.conduct.counts_refusals_apart {
                    return Ok(Answer::new("failed", "It failed.").claiming(&request.operation, Claim::Failed));
                }
                self.count(&refusal, &request.operation, &request.actor, request.action.name())?;
                let staged_before = OperationRecord::find(&self.connection, &request.operation)?.is_some();
                Ok(Answer::refused(&refusal).claiming_refusal(&request.operation, &refusal, staged_before))
            }
        }
    }

    fn count(&self, refusal: &Refusal, operation: &OperationId, actor: &str, action: &str) -> rusqlite::Result<()> {
        let record = || refusal::record(&self.connection, refusal, operation, actor, action, self.now);
        self.durably(Write::Refusal, record)
    }

    /// Makes a write that must survive the process.
    pub(super) fn durably<T>(&self, write: Write, make: impl FnOnce() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
        around(self.waypoints, write, make)
    }

    /// Drafts, by these rules of conduct.
    pub(super) fn drafted(&self, request: &Request, conduct: &Conduct) -> (Draft, Lookup) {
        let Self { call, parts, permissions, prompt, today, .. } = self;
        let lookup = records::look_up(request, parts, call.texts, permissions, conduct);
        let may_read = |source: &PartId| permissions.may_read(&request.actor, source.as_str());
        let findings = retrieval::find(&request.question, &self.sources, may_read, *today, conduct);
        let question = &request.question;
        let material = Material { question, findings: &findings, lookup: &lookup, prompt, today: *today, conduct };
        (drafter::draft(&material), lookup)
    }

    fn draft_only(&self, request: &Request) -> Result<Answer, Stop> {
        self.permissions.demand(request, Action::Draft, &self.conduct)?;
        let (draft, lookup) = self.drafted(request, &self.conduct);
        Ok(Answer::new("drafted", draft.text.clone()).with_draft(&draft, &lookup))
    }

    /// Drafts, and keeps the proposal.
    fn proposed(&self, request: &Request) -> Result<(Proposal, Draft, Lookup), Stop> {
        self.permissions.demand(request, Action::Draft, &self.conduct)?;
        let (draft, lookup) = self.drafted(request, &self.conduct);
        let record_version = lookup.record.as_ref().map(|record| record.version);
        let proposal = Proposal::new(&request.operation, request.customer.as_deref(), record_version, &draft);
        self.durably(Write::Proposal, || proposal.keep(&self.connection, self.now))?;
        Ok((proposal, draft, lookup))
    }

    fn propose(&self, request: &Request) -> Result<Answer, Stop> {
        let (proposal, draft, lookup) = self.proposed(request)?;
        let answer = Answer::new("awaiting_approval", draft.text.clone()).with_draft(&draft, &lookup);
        Ok(answer.with_proposal(&proposal.digest).claiming(&request.operation, Claim::Held))
    }

    /// The whole way in one request: draft, propose, approve where someone does, stage.
    fn answer(&mut self, request: &Request) -> Result<Answer, Stop> {
        let known = self.demand_to_stage(request)?;
        let (proposal, draft, lookup) = self.proposed(request)?;
        let needs_approval = self.permissions.staging_needs_approval() && self.conduct.needs_approval;
        match &request.approved_by {
            // What is staged already needs no further authority to be reported.
            Some(approver) if !known => {
                self.grant(request, &proposal, approver, &request.actor)?;
            }
            None if !known && needs_approval => return self.propose(request),
            _ => {}
        }
        let answer = self.stage(request, &proposal, &draft.text)?;
        Ok(answer.with_draft(&draft, &lookup).with_proposal(&proposal.digest))
    }

    fn stage_kept(&mut self, request: &Request) -> Result<Answer, Stop> {
        self.demand_to_stage(request)?;
        let proposal = self.kept(request)?;
        Ok(self.stage(request, &proposal, &proposal.draft)?.with_proposal(&proposal.digest))
    }

    /// Refuses who may neither stage nor, where the operation is known already, see what became of it. Answers whether
    /// it is known: to report what is done takes the right to see it, and no right to act.
    fn demand_to_stage(&self, request: &Request) -> Result<bool, Stop> {
        let record = OperationRecord::find(&self.connection, &request.operation)?;
        let known = record.is_some_and(|record| guard::is_known(&record, self.now, &self.conduct));
        if !known {
            self.permissions.demand(request, Action::Stage, &self.conduct)?;
        } else if self.conduct.hides_receipts {
            self.permissions.demand(request, Action::Status, &self.conduct)?;
        }
        Ok(known)
    }

    /// Approves a proposal for an actor.
    pub(super) fn grant(
        &self,
        request: &Request,
        proposal: &Proposal,
        approver: &str,
        actor: &str,
    ) -> Result<i64, Stop> {
        self.permissions.demand_approver(approver, actor)?;
        let valid_s = self.permissions.approval_seconds(request.approval_valid_s);
        let grant = || approvals::grant(&self.connection, proposal, approver, actor, self.now, valid_s);
        Ok(self.durably(Write::Approval, grant)?)
    }

    /// The proposal that the request names, or the newest of its operation.
    pub(super) fn kept(&self, request: &Request) -> Result<Proposal, Stop> {
        let kept = Proposal::kept(&self.connection, &request.operation, request.proposal.as_ref())?;
        let unknown = || Refusal::new(Reason::UnknownProposal, "no such proposal was kept for the operation");
        Ok(kept.ok_or_else(unknown)?)
    }

    /// What is true now of the things that an approval of the proposal was bound to.
    fn present(&self, request: &Request, proposal: &Proposal) -> Present {
        let asked = Request { customer: proposal.customer.clone(), ..request.clone() };
        let lookup = records::look_up(&asked, &self.parts, self.call.texts, &self.permissions, &self.conduct);
        let may_read = |source: &PartId| self.permissions.may_read(&request.actor, source.as_str());
        let topics = proposal.sources.as_array().into_iter().flatten().filter_map(|topic| topic[0].as_str());
        let ruling = topics.map(|topic| {
            let ruling = retrieval::ruling_on(topic, &self.sources, may_read, self.today, &self.conduct);
            ruling.map_or_else(|| json!([topic]), |(source, version)| json!([topic, source, version]))
        });
        Present { now: self.now, record_version: lookup.record.map(|record| record.version), sources: ruling.collect() }
    }

    fn stage(&mut self, request: &Request, proposal: &Proposal, draft: &str) -> Result<Answer, Stop> {
        let present = self.present(request, proposal);
        let intent = Intent {
            proposal,
            actor: &request.actor,
            present: &present,
            needs_approval: self.permissions.staging_needs_approval(),
            may_see: self.permissions.demand(request, Action::Status, &self.conduct).is_ok(),
            retention_s: self.parts.retention_s,
        };
        let operation = &proposal.operation;
        let Self { connection, calls, conduct, waypoints, .. } = self;
        let (receipt, replayed) = match attempt::make(connection, calls, intent, conduct, *waypoints)? {
            Ended::Refused(refusal) => return Err(refusal.into()),
            Ended::Lost => return Ok(self.lost(operation)),
            Ended::Failed => return Ok(self.broken(operation)?),
            Ended::Committed(receipt) => (receipt, false),
            Ended::Replayed(receipt) => (receipt, self.conduct.marks_replays),
        };
        let reading = reading::read_one(&self.connection, operation.clone())?;
        if reading.effects == 1 && reading.agreement == Agreement::Agrees {
            let answer = Answer::new(STAGED, draft).with_receipt(&receipt, replayed);
            return Ok(answer.claiming(operation, Claim::Completed));
        }
        let output = "The staging was answered, but queue, operation record and audit do not agree on one item.";
        Ok(Answer::new("unconfirmed", output).claiming(operation, Claim::Unknown))
    }

    /// An answer never came: neither success nor failure is known.
    fn lost(&self, operation: &OperationId) -> Answer {
        if !self.conduct.presumes_no_success {
            return Answer::new(STAGED, "The operation is staged for local review.")
                .claiming(operation, Claim::Completed);
        }
        if !self.conduct.presumes_no_failure {
            return Answer::new("failed", "The staging failed.").claiming(operation, Claim::Failed);
        }
        let output = "The staging was submitted and no answer came back: its result is unknown. \
                      Submit the same operation again; it is staged once.";
        Answer::new("unknown", output).claiming(operation, Claim::Unknown)
    }

    /// The target broke: the desk looks before it says that nothing was kept.
    fn broken(&self, operation: &OperationId) -> rusqlite::Result<Answer> {
        if !self.conduct.admits_failure {
            return Ok(
                Answer::new(STAGED, "The operation is staged for local review.").claiming(operation, Claim::Completed)
            );
        }
        let reading = reading::read_one(&self.connection, operation.clone())?;
        if reading.effects == 0 && reading.agreement == Agreement::Agrees {
            let output = "The staging failed before its commit. Nothing of it was kept; the approval stays.";
            return Ok(Answer::new("failed", output).claiming(operation, Claim::Failed));
        }
        let output = "The staging failed, and what it left behind is not consistent.";
        Ok(Answer::new("unknown", output).claiming(operation, Claim::Unknown))
    }
}
