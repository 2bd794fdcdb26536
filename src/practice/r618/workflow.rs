//! The workflow: one invocation, from what is asked to the report of where things stand.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use crate::domain::PartId;
use crate::manifest::{Operation, Part};
use crate::practice::targets::{Clock, Contract, Target};
use crate::practice::{Durability, PracticeError};

use super::caller::{Answer, Caller};
use super::conduct::Conduct;
use super::defects;
use super::matching::Expected;
use super::record::{Hold, Record, State};
use super::report::Report;
use super::request::{Action, Request, Wanted};
use super::rights::Rights;
use super::steps::{Point, Step, StepPoint, Waypoints};

/// A refusal by the workflow itself: the code and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: &'static str,
    pub(super) text: String,
}

impl Refusal {
    pub(super) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }
}

/// What every part of a workflow's surroundings gives it.
pub(super) struct Surroundings<'s> {
    pub(super) parts: &'s BTreeMap<PartId, Part>,
    /// The address of each target.
    pub(super) addresses: &'s BTreeMap<Target, String>,
    /// The file of the record.
    pub(super) record: &'s Path,
    pub(super) durability: Durability,
    pub(super) clock: Clock,
    pub(super) waypoints: &'s mut dyn Waypoints,
}

/// The workflow, open for one invocation.
pub(super) struct Workflow<'s> {
    pub(super) request: Request,
    pub(super) record: Record,
    pub(super) conduct: Conduct,
    pub(super) rights: Rights,
    pub(super) clock: Clock,
    pub(super) contracts: BTreeMap<Target, Contract>,
    callers: BTreeMap<Target, Caller>,
    waypoints: &'s mut dyn Waypoints,
    /// What the stock was when the conditions of the reservation were checked.
    pub(super) stock_before: Option<i64>,
}

/// The contract of each target among the parts: the manifest whose id is the target's name.
pub(super) fn contracts(parts: &BTreeMap<PartId, Part>) -> Result<BTreeMap<Target, Contract>, PracticeError> {
    let contract = |target: Target| {
        let part = parts.get(target.name()).ok_or_else(|| PracticeError::Setup {
            what: format!("no part has the id `{}`", target.name()),
            hint: "list the connector under the workflow's `parts`".to_owned(),
        })?;
        Ok((target, Contract::of(part)?))
    };
    Target::ALL.into_iter().map(contract).collect()
}

impl<'s> Workflow<'s> {
    /// Opens the workflow on its record.
    pub(super) fn open(request: Request, around: Surroundings<'s>) -> Result<Self, PracticeError> {
        let contracts = contracts(around.parts)?;
        let mut callers = BTreeMap::new();
        for (target, contract) in &contracts {
            let address = around.addresses.get(target).ok_or_else(|| PracticeError::Setup {
                what: format!("nothing says where `{}` listens", target.name()),
                hint: "give its address".to_owned(),
            })?;
            let caller = Caller::new(address, around.clock.clone(), contract.timeout_ms(), &request.actor);
            callers.insert(*target, caller);
        }
        Ok(Self {
            record: Record::open(around.record, around.durability)?,
            conduct: defects::conduct_of(around.parts)?,
            rights: Rights::read(around.parts),
            clock: around.clock,
            contracts,
            callers,
            waypoints: around.waypoints,
            stock_before: None,
            request,
        })
    }

    /// Does what is asked and reports where things stand.
    pub(super) fn serve(mut self) -> rusqlite::Result<Report> {
        self.waypoints.reach(Point::Begun);
        let refusal = self.act()?;
        if let Some(refusal) = &refusal {
            let Request { reference, actor, action, .. } = &self.request;
            self.record.count_refusal(reference, actor, action.name(), refusal.code, self.clock.now_ms())?;
        }
        self.record.keep_waited_until(self.clock.now_ms())?;
        let report = Report::make(&self, refusal)?;
        self.waypoints.reach(Point::Finished);
        Ok(report)
    }

    fn act(&mut self) -> rusqlite::Result<Option<Refusal>> {
        let Request { action, actor, .. } = self.request.clone();
        let undoes = matches!(action, Action::Release | Action::Close);
        let waived = (undoes && !self.conduct.undoes_with_authority)
            || (action == Action::Resume && !self.conduct.resumes_with_role);
        if !waived && !self.rights.allow(&actor, action) {
            let text = format!("the permissions do not let `{actor}` {}", action.name());
            return Ok(Some(Refusal::new("not_permitted", text)));
        }
        match action {
            Action::Run => self.run(),
            Action::Resume => self.resume(),
            Action::Approve => self.approve(),
            Action::Revoke => self.revoke(),
            Action::Release => self.release(),
            Action::Close => self.close(),
            Action::Recall => {
                let text = "a message that was sent cannot be taken back; a correction is a new message, \
                            with an approval of its own";
                Ok(self.conduct.reports_sent_as_sent.then(|| Refusal::new("cannot_be_recalled", text)))
            }
            Action::Status => Ok(None),
        }
    }

    fn run(&mut self) -> rusqlite::Result<Option<Refusal>> {
        if let Some(refusal) = self.take_up()? {
            return Ok(Some(refusal));
        }
        if !self.conduct.continues_from_record {
            self.record.forget_steps(&self.request.reference)?;
        }
        if self.record.hold(&self.request.reference)?.is_none() {
            self.forward()?;
        }
        Ok(None)
    }

    /// Records the request and the approval that it brings, or recognizes it as one that was recorded.
    fn take_up(&mut self) -> rusqlite::Result<Option<Refusal>> {
        let Request { reference, wanted, actor, .. } = self.request.clone();
        match self.record.wanted(&reference)? {
            None => self.record.ask(&reference, &wanted, &actor, self.clock.now_ms())?,
            Some(recorded) if recorded == wanted => {}
            Some(_) if !self.conduct.refuses_changed_request => self.record.replace_wanted(&reference, &wanted)?,
            Some(_) => {
                let text = "the reference stands for a request with other parameters; what is wanted now is a new \
                            decision under a reference of its own";
                return Ok(Some(Refusal::new("request_changed", text)));
            }
        }
        self.waypoints.reach(Point::Recorded);
        if self.record.step(&reference, Step::Closure)?.is_some_and(|closure| closure.state == State::Verified) {
            return Ok(Some(Refusal::new("case_closed", "the case of this request was closed")));
        }
        if let Some(approver) = self.request.approved_by.clone()
            && self.record.approval(&reference)?.is_none()
        {
            if !self.rights.may_approve(&approver, &actor) {
                let text = format!("`{approver}` may not approve what `{actor}` runs");
                return Ok(Some(Refusal::new("approver_not_permitted", text)));
            }
            self.grant(&approver, &wanted)?;
        }
        self.waypoints.reach(Point::Approved);
        Ok(None)
    }

    fn grant(&self, approver: &str, wanted: &Wanted) -> rusqlite::Result<()> {
        let now_ms = self.clock.now_ms();
        let valid_ms = self.rights.approval_s(self.request.approval_valid_s).saturating_mul(1000);
        self.record.approve(&self.request.reference, approver, wanted, now_ms, now_ms.saturating_add(valid_ms))
    }

    fn approve(&mut self) -> rusqlite::Result<Option<Refusal>> {
        let Request { reference, actor, .. } = self.request.clone();
        let Some(wanted) = self.record.wanted(&reference)? else { return Ok(Some(unknown_request())) };
        if !self.rights.may_approve(&actor, "") {
            let text = format!("`{actor}` is no approver");
            return Ok(Some(Refusal::new("approver_not_permitted", text)));
        }
        self.grant(&actor, &wanted)?;
        let awaited = self.record.hold(&reference)?.is_some_and(|hold| hold.reason.starts_with("approval_"));
        if awaited {
            self.record.end_hold(&reference, &actor, self.clock.now_ms())?;
        }
        Ok(None)
    }

    fn revoke(&mut self) -> rusqlite::Result<Option<Refusal>> {
        let revoked = self.record.revoke(&self.request.reference, &self.request.actor)?;
        Ok((revoked == 0).then(|| Refusal::new("nothing_to_revoke", "no approval of this request is in force")))
    }

    fn resume(&mut self) -> rusqlite::Result<Option<Refusal>> {
        let Request { reference, actor, .. } = self.request.clone();
        let Some(hold) = self.record.hold(&reference)? else {
            return Ok(Some(Refusal::new("nothing_held", "nothing of this request waits for a person")));
        };
        let owns = hold.role.as_deref().is_some_and(|role| self.rights.holds_role(&actor, role));
        if self.conduct.resumes_with_role && !owns {
            let role = hold.role.unwrap_or_default();
            return Ok(Some(Refusal::new("not_the_owner", format!("the open question is `{role}`'s"))));
        }
        self.record.end_hold(&reference, &actor, self.clock.now_ms())?;
        // A refusal left nothing behind; that somebody has looked into it makes another attempt a decision.
        if let Some(step) = self.record.step(&reference, hold.step)?
            && step.state == State::Refused
        {
            self.record.settle(&reference, hold.step, State::Absent, None)?;
        }
        self.forward()?;
        Ok(None)
    }

    /// Makes every step that is not made yet, each only after the one before.
    fn forward(&mut self) -> rusqlite::Result<()> {
        for step in Step::FORWARD {
            let reached = self.make(step)?;
            if reached {
                continue;
            }
            if step == Step::Reservation && !self.conduct.keeps_finished_steps {
                self.make(Step::Closure)?;
            }
            let goes_on = step == Step::Reservation && !self.conduct.blocks_while_unknown;
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn reach(&mut self, step: Step, point: StepPoint) {
        self.waypoints.reach(Point::In(step, point));
    }

    /// Calls a target of its contract.
    pub(super) fn call(&self, target: Target, call: &str, body: &Map<String, Value>, key: Option<&str>) -> Answer {
        match self.callers.get(&target) {
            Some(caller) => caller.call(call, body, key),
            None => Answer::NotConnected,
        }
    }

    /// The contract of a target's operation, where it has that operation.
    pub(super) fn operation(&self, target: Target, call: &str) -> Option<&Operation> {
        self.contracts.get(&target)?.operation(call)
    }

    /// What is wanted, as it was first recorded.
    pub(super) fn wanted(&self) -> rusqlite::Result<Wanted> {
        Ok(self.record.wanted(&self.request.reference)?.unwrap_or_else(|| self.request.wanted.clone()))
    }

    /// The verified id of a step's record.
    pub(super) fn receipt(&self, step: Step) -> rusqlite::Result<Option<String>> {
        let step = self.record.step(&self.request.reference, step)?;
        Ok(step.filter(|step| step.state == State::Verified).and_then(|step| step.receipt))
    }

    /// What a step's record must say, handed to `judge`.
    pub(super) fn expecting<T>(&self, judge: impl FnOnce(&Expected<'_>) -> T) -> rusqlite::Result<T> {
        let wanted = self.wanted()?;
        let (case, allocation) = (self.receipt(Step::Case)?, self.receipt(Step::Reservation)?);
        Ok(judge(&Expected {
            request: &self.request.reference,
            wanted: &wanted,
            case: case.as_deref(),
            allocation: allocation.as_deref(),
            stock_before: self.stock_before,
        }))
    }

    /// Holds a step for the role that can settle what its target did.
    pub(super) fn hold_for_owner(&mut self, step: Step, reason: &str, may_retry: bool) -> rusqlite::Result<()> {
        let role = self.contracts.get(&step.target()).and_then(|contract| contract.owner_role()).map(str::to_owned);
        let (target, reference) = (step.target().name(), step.reference(&self.request.reference));
        let question = format!("What does {target} hold under `{reference}`?");
        let resumes_with = if may_retry {
            format!("{target} takes requests again; it holds nothing under `{reference}`")
        } else {
            format!("one record at {target} under `{reference}`, or its word that there is none and none can follow")
        };
        self.hold(step, reason, question, role, may_retry, resumes_with)
    }

    /// Holds a step for the role that decides whether it still serves.
    pub(super) fn hold_for_decision(&mut self, step: Step, reason: &str, question: &str) -> rusqlite::Result<()> {
        let role = self.rights.decision_role().map(str::to_owned);
        let resumes_with = "a decision on this step, linked to the request".to_owned();
        self.hold(step, reason, question.to_owned(), role, false, resumes_with)
    }

    fn hold(
        &mut self,
        step: Step,
        reason: &str,
        question: String,
        role: Option<String>,
        may_retry: bool,
        resumes_with: String,
    ) -> rusqlite::Result<()> {
        let role = role.filter(|_| self.conduct.names_an_owner);
        let since_ms = self.clock.now_ms();
        let hold = Hold { step, reason: reason.to_owned(), question, role, may_retry, resumes_with, since_ms };
        self.record.put_on_hold(&self.request.reference, &hold)
    }
}

pub(super) fn unknown_request() -> Refusal {
    Refusal::new("unknown_request", "nothing is recorded under this reference")
}
