//! Making one step: attempts, waits between them, and the look at the target that alone says what came of them.

use serde_json::{Map, Value, json};

use crate::domain::Digest;
use crate::manifest::{IdempotencyKey, RetryOn};
use crate::practice::targets::{Target, bound_ms, has_key, lag_ms, ms};

use super::caller::Answer;
use super::matching::{Found, find};
use super::record::State;
use super::retry::{Bounds, Round, next_wait};
use super::steps::{Step, StepPoint};
use super::workflow::Workflow;

/// The time for all attempts together where the contract sets none, in milliseconds.
const DEFAULT_BUDGET_MS: i64 = 300_000;

/// Attempts after which even a workflow without bounds stops, so that the practice ends.
const END_OF_PRACTICE: u32 = 12;

/// What the looks at a target established.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// Its record shows the step.
    Verified,
    /// Nothing came of the attempts so far, and nothing can.
    Absent,
    /// Neither is established.
    Unknown,
    /// What it shows is for a person to sort out; the step is held.
    Held,
}

/// Why a step is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// An attempt had no clear answer.
    Uncertain(RetryOn),
    /// The target answered that it is done, or taken in.
    Claimed,
}

impl Workflow<'_> {
    /// Makes a step, or finds that it is made. `false` where the way ends here for now.
    pub(super) fn make(&mut self, step: Step) -> rusqlite::Result<bool> {
        let recorded = self.record.step(&self.request.reference, step)?;
        let mut open = match recorded.map(|record| record.state) {
            Some(State::Verified) => return Ok(true),
            Some(State::Refused) => return Ok(false),
            Some(State::Answered) => Some(Open::Claimed),
            Some(State::Requested) => Some(Open::Uncertain(RetryOn::ConnectionLost)),
            Some(State::Absent) | None => None,
        };
        loop {
            if let Some(open) = open.take()
                && let Some(reached) = self.close_question(step, open)?
            {
                return Ok(reached);
            }
            if !self.still_serves(step)? {
                return Ok(false);
            }
            let answer = self.attempt(step)?;
            open = match &answer {
                Answer::Done(_) => Some(Open::Claimed),
                Answer::Accepted if !self.conduct.verifies_at_target => {
                    self.record.settle(&self.request.reference, step, State::Verified, None)?;
                    return Ok(true);
                }
                Answer::Accepted => Some(Open::Claimed),
                Answer::Broken { .. } | Answer::Silent(_) => Some(Open::Uncertain(answer.trouble())),
                Answer::InFlight if !self.conduct.waits_for_first_request => {
                    let (request, now_ms) = (&self.request.reference, self.clock.now_ms());
                    self.record.note_answer(request, step, "refused", State::Refused, Some("in_flight"), now_ms)?;
                    return Ok(false);
                }
                Answer::Refused { status, code } => {
                    if !self.insists(step, *status)? {
                        self.refused(step, code)?;
                        return Ok(false);
                    }
                    None
                }
                Answer::SlowDown { retry_after_ms, .. } => {
                    let asked = retry_after_ms.filter(|_| self.conduct.honours_retry_after);
                    if !self.wait_for_another(step, answer.trouble(), asked, true)? {
                        return Ok(false);
                    }
                    None
                }
                Answer::InFlight | Answer::NotConnected => {
                    let nothing_there = answer == Answer::NotConnected;
                    if !self.wait_for_another(step, answer.trouble(), None, nothing_there)? {
                        return Ok(false);
                    }
                    None
                }
            };
        }
    }

    /// Looks what came of the attempts so far. `Some` where that ends the step; `None` where another may be made.
    fn close_question(&mut self, step: Step, open: Open) -> rusqlite::Result<Option<bool>> {
        if let Open::Uncertain(trouble) = open
            && !self.conduct.looks_before_repeating
        {
            return Ok(if self.wait_for_another(step, trouble, None, false)? { None } else { Some(false) });
        }
        let settled = self.settle(step)?;
        match (settled, open) {
            (Settled::Verified, _) => Ok(Some(true)),
            (Settled::Held, _) => Ok(Some(false)),
            (Settled::Absent | Settled::Unknown, Open::Claimed) => {
                self.hold_for_owner(step, "answered_without_record", false)?;
                Ok(Some(false))
            }
            (Settled::Absent, Open::Uncertain(trouble)) => {
                Ok(if self.wait_for_another(step, trouble, None, true)? { None } else { Some(false) })
            }
            (Settled::Unknown, Open::Uncertain(trouble)) => {
                if !self.is_protected(step)? {
                    self.hold_for_owner(step, "unresolved", false)?;
                    return Ok(Some(false));
                }
                Ok(if self.wait_for_another(step, trouble, None, false)? { None } else { Some(false) })
            }
        }
    }

    /// Whether the target's contract makes another attempt harmless: it knows the key, and still does.
    fn is_protected(&self, step: Step) -> rusqlite::Result<bool> {
        let Some(operation) = self.operation(step.target(), step.call()) else { return Ok(false) };
        let first_ms = self.record.step(&self.request.reference, step)?.map_or(0, |record| record.first_ms);
        let window_ms = operation.idempotency.window_s.map(|window_s| ms(window_s as f64));
        let in_window = window_ms.is_none_or(|window_ms| self.clock.now_ms() - first_ms < window_ms);
        Ok(has_key(&operation.idempotency) && (in_window || !self.conduct.minds_key_window))
    }

    /// One attempt: recorded before it is made, its answer recorded before anything follows from it.
    fn attempt(&mut self, step: Step) -> rusqlite::Result<Answer> {
        self.reach(step, StepPoint::Decided);
        let request = self.request.reference.clone();
        let before = self.record.step(&request, step)?;
        let was_open = before.as_ref().is_some_and(|record| matches!(record.state, State::Requested | State::Answered));
        let earlier = before.map_or(0, |record| record.attempts);
        let key = self.key(step, earlier);
        self.record.begin_attempt(&request, step, key.as_deref(), self.clock.now_ms())?;
        self.reach(step, StepPoint::Requested);
        let body = self.body(step, earlier)?;
        let answer = self.call(step.target(), step.call(), &body, key.as_deref());
        self.reach(step, StepPoint::Called);
        let state = match answer {
            Answer::Done(_) | Answer::Accepted => State::Answered,
            // Not taken up: the step is where it was before.
            Answer::SlowDown { .. } | Answer::NotConnected if !was_open => State::Absent,
            _ => State::Requested,
        };
        self.record.note_answer(&request, step, &answer.words(), state, None, self.clock.now_ms())?;
        self.reach(step, StepPoint::Answered);
        Ok(answer)
    }

    /// The key of a step: the same over all attempts, since it is the intention's.
    fn key(&self, step: Step, earlier: u32) -> Option<String> {
        let idempotency = &self.operation(step.target(), step.call())?.idempotency;
        if idempotency.key != IdempotencyKey::Caller {
            return None;
        }
        let reference = step.reference(&self.request.reference);
        if !self.conduct.keeps_key {
            return Some(format!("{reference}#{}", earlier + 1));
        }
        if !self.conduct.continues_from_record {
            return Some(format!("{reference}@{}", self.clock.now_ms()));
        }
        let longest = idempotency.max_key_length.and_then(|most| usize::try_from(most).ok());
        let fits = longest.is_none_or(|longest| reference.chars().count() <= longest);
        // A key that is too long is replaced by its digest, which is as stable.
        Some(if fits { reference } else { Digest::of(reference.as_bytes()).hex().chars().take(longest?).collect() })
    }

    /// What a step asks for: always the same, from what was recorded and verified.
    fn body(&self, step: Step, earlier: u32) -> rusqlite::Result<Map<String, Value>> {
        let wanted = self.wanted()?;
        let quantity =
            if self.conduct.keeps_parameters { wanted.quantity } else { wanted.quantity + i64::from(earlier) };
        let (case, allocation) = (self.receipt(Step::Case)?, self.receipt(Step::Reservation)?);
        let (case, allocation) = (case.unwrap_or_default(), allocation.unwrap_or_default());
        let mut body = match step {
            Step::Case => {
                json!({"customer": wanted.customer, "matter": wanted.matter, "contact": wanted.contact})
            }
            Step::Reservation => json!({"case": case, "component": wanted.component, "quantity": quantity}),
            Step::Confirmation => json!({
                "case": case, "allocation": allocation, "recipient": wanted.contact, "template": "reservation_confirmed",
            }),
            Step::Release => json!({"allocation": allocation}),
            Step::Closure => json!({"case": case, "reason": "closed by decision"}),
        };
        body["request"] = Value::from(self.request.reference.as_str());
        body["reference"] = Value::from(step.reference(&self.request.reference));
        body["actor"] = Value::from(self.request.actor.as_str());
        Ok(body.as_object().cloned().unwrap_or_default())
    }

    /// Whether a refusal is asked for again, as only a defect does: no attempt repairs a parameter or restores a right.
    fn insists(&mut self, step: Step, status: u16) -> rusqlite::Result<bool> {
        let denied = matches!(status, 401 | 403);
        let is_final = if denied { self.conduct.takes_denial_as_final } else { self.conduct.takes_refusal_as_final };
        Ok(!is_final && self.wait_for_another(step, RetryOn::ServerError, None, true)?)
    }

    fn refused(&mut self, step: Step, code: &str) -> rusqlite::Result<()> {
        let request = self.request.reference.clone();
        let words = format!("refused: {code}");
        self.record.note_answer(&request, step, &words, State::Refused, Some(code), self.clock.now_ms())?;
        if Step::FORWARD.contains(&step) {
            let question = format!("{} refuses: {code}. What is to be corrected?", step.target().name());
            self.hold_for_decision(step, code, &question)?;
        }
        Ok(())
    }

    /// Waits before another attempt, as the policy allows. `false` where it allows none: the step is then held.
    fn wait_for_another(
        &mut self,
        step: Step,
        trouble: RetryOn,
        retry_after_ms: Option<i64>,
        nothing_there: bool,
    ) -> rusqlite::Result<bool> {
        let request = self.request.reference.clone();
        let Some(record) = self.record.step(&request, step)? else { return Ok(true) };
        let retry = self.operation(step.target(), step.call()).map(|operation| operation.retry.clone());
        let round = Round { attempts: record.round_attempts, since_ms: record.round_ms };
        let mut bounds = Bounds { attempts: self.conduct.limits_attempts, time: self.conduct.limits_time };
        if record.round_attempts >= END_OF_PRACTICE {
            bounds.attempts = true;
        }
        let seed = step.reference(&request);
        let now_ms = self.clock.now_ms();
        match next_wait(&retry.unwrap_or_default(), trouble, round, now_ms, retry_after_ms, &seed, bounds) {
            Ok(wait_ms) => {
                self.clock.wait_ms(wait_ms);
                Ok(true)
            }
            Err(_) => {
                self.hold_for_owner(
                    step,
                    if nothing_there { "attempts_exhausted" } else { "unresolved" },
                    nothing_there,
                )?;
                Ok(false)
            }
        }
    }

    /// Looks at the target until it shows the step's record, or until nothing can follow any more and a second look
    /// still shows none, or until the time for it is over.
    pub(super) fn settle(&mut self, step: Step) -> rusqlite::Result<Settled> {
        let request = self.request.reference.clone();
        let Some(record) = self.record.step(&request, step)? else { return Ok(Settled::Absent) };
        let Some(operation) = self.operation(step.target(), step.call()) else { return Ok(Settled::Unknown) };
        let budget_ms = operation.retry.budget_s.map_or(DEFAULT_BUDGET_MS, ms);
        let bound_ms = bound_ms(operation);
        let lag_ms = lag_ms(operation);
        // What a process that died had sent it had sent by the time at which this one looks, and no earlier time is
        // known.
        let ended_ms = record.ended_ms.unwrap_or_else(|| self.clock.now_ms());
        let mut looks = 0;
        loop {
            let Some((found, lags)) = self.look(step)? else { return Ok(Settled::Unknown) };
            looks += 1;
            match found {
                Found::Match(id) => {
                    self.record.settle(&request, step, State::Verified, Some(&id))?;
                    self.reach(step, StepPoint::Verified);
                    return Ok(Settled::Verified);
                }
                Found::Several(_) | Found::Other => {
                    let reason = if found == Found::Other { "other_parameters" } else { "duplicated" };
                    self.hold_for_owner(step, reason, false)?;
                    return Ok(Settled::Held);
                }
                Found::Nothing | Found::InProgress => {}
            }
            if found == Found::Nothing && !self.conduct.looks_again {
                self.record.settle(&request, step, State::Absent, None)?;
                return Ok(Settled::Absent);
            }
            let quiet_ms = ended_ms + bound_ms.unwrap_or(0) + if lags { lag_ms } else { 0 };
            let now_ms = self.clock.now_ms();
            if now_ms >= quiet_ms && looks > 1 {
                let absent = found == Found::Nothing && bound_ms.is_some();
                if absent {
                    self.record.settle(&request, step, State::Absent, None)?;
                }
                return Ok(if absent { Settled::Absent } else { Settled::Unknown });
            }
            if quiet_ms - record.round_ms > budget_ms && quiet_ms > now_ms {
                return Ok(Settled::Unknown);
            }
            self.clock.wait_ms(quiet_ms - now_ms);
        }
    }

    /// One look: at the operation's status where the target has such a lookup, at its view otherwise. Answers what
    /// was found and whether the place may lag; `None` where there is nowhere to look or it could not be read.
    fn look(&mut self, step: Step) -> rusqlite::Result<Option<(Found, bool)>> {
        let target = step.target();
        let by_status = Step::FORWARD.contains(&step) && self.operation(target, "status").is_some();
        let place = if by_status { "status" } else { step.view() };
        if self.operation(target, place).is_none() {
            return Ok(None);
        }
        let wanted = self.wanted()?;
        let body = json!({
            "request": self.request.reference,
            "reference": step.reference(&self.request.reference),
            "component": wanted.component,
        });
        let body = body.as_object().cloned().unwrap_or_default();
        let Some(mut shown) = self.read(target, place, &body) else { return Ok(None) };
        self.reach(step, StepPoint::Looked);
        let defective = !self.conduct.matches_whole_record || !self.conduct.ignores_stock_changes;
        if by_status && defective && shown["state"] == "unknown" {
            shown = self.read(target, step.view(), &body).unwrap_or(shown);
        }
        let found = self.expecting(|expected| find(step, &shown, expected, &self.conduct))?;
        let request = &self.request.reference;
        self.record.note_look(request, step, place, &found.words(), self.clock.now_ms())?;
        let lookup = self.operation(target, step.call()).and_then(|operation| operation.lookup.as_ref());
        let lags = !by_status && !lookup.is_some_and(|lookup| lookup.authoritative);
        Ok(Some((found, lags)))
    }

    /// Reads from a target, with as many attempts as the reading's own policy allows.
    pub(super) fn read(&self, target: Target, place: &str, body: &Map<String, Value>) -> Option<Value> {
        let retry = self.operation(target, place)?.retry.clone();
        let mut round = Round { attempts: 0, since_ms: self.clock.now_ms() };
        loop {
            round.attempts += 1;
            let answer = self.call(target, place, body, None);
            let asked = match &answer {
                Answer::Done(shown) => return Some(shown.clone()),
                Answer::SlowDown { retry_after_ms, .. } => *retry_after_ms,
                _ if answer.is_uncertain() || answer == Answer::NotConnected => None,
                _ => return None,
            };
            let bounds = Bounds { attempts: true, time: true };
            let now_ms = self.clock.now_ms();
            let wait = next_wait(&retry, answer.trouble(), round, now_ms, asked, place, bounds).ok()?;
            self.clock.wait_ms(wait);
        }
    }
}
