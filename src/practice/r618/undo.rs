//! Undoing: an action of its own, with its own right, on what is known and on nothing else.

use super::record::State;
use super::steps::Step;
use super::workflow::{Refusal, Workflow, unknown_request};

/// What is known of a forward step, for one who wants to undo something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Made,
    NotMade,
    Unknown,
}

impl Workflow<'_> {
    /// Gives the reservation back.
    pub(super) fn release(&mut self) -> rusqlite::Result<Option<Refusal>> {
        if self.record.wanted(&self.request.reference)?.is_none() {
            return Ok(Some(unknown_request()));
        }
        match self.standing(Step::Reservation)? {
            Standing::Unknown => Ok(Some(unknown("reservation"))),
            Standing::NotMade => Ok(Some(Refusal::new("nothing_to_release", "no reservation was made"))),
            Standing::Made => self.undo(Step::Release),
        }
    }

    /// Closes the case. A reservation that still stands would be left behind by it.
    pub(super) fn close(&mut self) -> rusqlite::Result<Option<Refusal>> {
        if self.record.wanted(&self.request.reference)?.is_none() {
            return Ok(Some(unknown_request()));
        }
        for (step, name) in
            [(Step::Case, "case"), (Step::Reservation, "reservation"), (Step::Confirmation, "confirmation")]
        {
            match self.standing(step)? {
                Standing::Unknown => return Ok(Some(unknown(name))),
                Standing::NotMade if step == Step::Case => {
                    return Ok(Some(Refusal::new("nothing_to_close", "no case was created")));
                }
                Standing::Made if step == Step::Reservation && self.standing(Step::Release)? != Standing::Made => {
                    return Ok(Some(Refusal::new("reservation_stands", "the reservation has to be released first")));
                }
                Standing::Made | Standing::NotMade => {}
            }
        }
        let refusal = self.undo(Step::Closure)?;
        if refusal.is_none() {
            self.record.end_hold(&self.request.reference, &self.request.actor, self.clock.now_ms())?;
        }
        Ok(refusal)
    }

    fn undo(&mut self, step: Step) -> rusqlite::Result<Option<Refusal>> {
        if self.make(step)? {
            return Ok(None);
        }
        let refused = self.record.step(&self.request.reference, step)?.and_then(|record| record.reason);
        Ok(Some(match refused.as_deref() {
            Some("already_dispatched") => {
                Refusal::new("already_dispatched", "what has left the house cannot be released any more")
            }
            Some(code) => Refusal::new("refused_by_target", format!("{} refuses: {code}", step.target().name())),
            None => unknown(step.name()),
        }))
    }

    /// What is known of a step. What is open is looked at first: reading needs no authority to act.
    fn standing(&mut self, step: Step) -> rusqlite::Result<Standing> {
        let state = |workflow: &Self| {
            let record = workflow.record.step(&workflow.request.reference, step)?;
            Ok::<_, rusqlite::Error>(record.map(|record| record.state))
        };
        if matches!(state(self)?, Some(State::Requested | State::Answered)) {
            self.settle(step)?;
        }
        Ok(match state(self)? {
            Some(State::Verified) => Standing::Made,
            None | Some(State::Absent | State::Refused) => Standing::NotMade,
            Some(State::Requested | State::Answered) => Standing::Unknown,
        })
    }
}

fn unknown(what: &'static str) -> Refusal {
    Refusal::new("outcome_unknown", format!("what became of the {what} is not known; it has to be settled first"))
}
