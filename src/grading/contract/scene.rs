//! A trial as rules look at it: each operation with its attempts, each attempt with its call and its contract.

use crate::domain::{Claim, OperationId, Outcome};
use crate::evidence::{Answered, AttemptSeen, Call, Delivered, Exchange, Observation, OperationSeen};
use crate::manifest::{Effect, Operation};

use super::payload::Payload;
use super::terms::Terms;

/// Microseconds in a second.
const SECOND_US: f64 = 1_000_000.0;

/// A trial and what it is held against.
pub(super) struct Scene<'a> {
    pub(super) observation: &'a Observation,
    pub(super) terms: &'a Terms,
    /// The calls, in the order in which they arrived.
    pub(super) exchanges: Vec<&'a Exchange>,
    pub(super) intents: Vec<Intent<'a>>,
}

/// One operation and the attempts at it, in order.
pub(super) struct Intent<'a> {
    pub(super) seen: &'a OperationSeen,
    pub(super) tries: Vec<Try<'a>>,
}

/// One attempt.
#[derive(Clone, Copy)]
pub(super) struct Try<'a> {
    pub(super) attempt: &'a AttemptSeen,
    pub(super) exchange: Option<&'a Exchange>,
    pub(super) contract: Option<&'a Operation>,
    /// Seconds by which the workflow's time had been moved on before it.
    advanced_s: u64,
}

/// What an attempt told the workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// That it is done, now or before.
    Done,
    /// That it is refused and left nothing.
    Refused,
    /// That it is refused for now: to come again later.
    NotNow,
    /// That the first request still runs.
    InFlight,
    /// That something broke inside the target (5xx), which leaves open what happened.
    Failed,
    /// Something else that leaves it open: taken in and not yet done, or a status that the contract does not name.
    Open,
    /// Nothing: no answer arrived as a whole.
    Nothing,
    /// What arrived was not seen.
    Unseen,
}

/// Seconds that lie between two moments, as far as they are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Elapsed {
    pub(super) least_s: f64,
    pub(super) most_s: f64,
}

impl Elapsed {
    /// Whether it was longer than so many seconds; `None` where that is not known.
    pub(super) fn exceeds(self, seconds: f64) -> Option<bool> {
        if self.least_s > seconds {
            Some(true)
        } else if self.most_s <= seconds {
            Some(false)
        } else {
            None
        }
    }
}

impl<'a> Scene<'a> {
    pub(super) fn of(observation: &'a Observation, terms: &'a Terms) -> Self {
        Self::of_some(observation, terms, |_| true)
    }

    /// Some of the operations. Every call is still there, since a look at one of them concerns an operation too.
    pub(super) fn of_some(
        observation: &'a Observation,
        terms: &'a Terms,
        is_meant: impl Fn(&OperationSeen) -> bool,
    ) -> Self {
        let mut exchanges: Vec<&Exchange> = observation.exchanges.iter().collect();
        exchanges.sort_by_key(|exchange| exchange.number);
        let intents = observation.operations.iter().filter(|seen| is_meant(seen)).map(|seen| {
            let tries = seen.attempts.iter().map(|attempt| {
                let exchange = attempt.exchange.and_then(|number| {
                    let place = exchanges.binary_search_by_key(&number, |exchange| exchange.number).ok()?;
                    exchanges.get(place).copied()
                });
                let call = attempt.call.as_ref();
                let contract = call.and_then(|call| terms.operation(&call.connector, &call.operation));
                let step = exchange.map_or(attempt.step, |exchange| step_of(&exchanges, exchange));
                Try { attempt, exchange, contract, advanced_s: terms.advanced_s(step) }
            });
            Intent { seen, tries: tries.collect() }
        });
        let intents = intents.collect();
        Self { observation, terms, exchanges, intents }
    }

    /// Whether a call is an attempt at one of the operations.
    pub(super) fn is_meant(&self, exchange: &Exchange) -> bool {
        let meant = self.intents.len() == self.observation.operations.len();
        meant || self.intents.iter().any(|intent| exchange.intention.as_ref() == Some(intent.id()))
    }

    /// The contract of an exchange's operation.
    pub(super) fn contract(&self, exchange: &Exchange) -> Option<&'a Operation> {
        self.terms.operation(&exchange.connector, exchange.operation.as_deref()?)
    }

    /// Whether an exchange only reads.
    pub(super) fn reads(&self, exchange: &Exchange) -> bool {
        self.contract(exchange).is_some_and(|contract| contract.effect == Effect::None)
    }

    /// When an exchange began by the workflow's own time, in seconds since the first step began.
    pub(super) fn begun_s(&self, exchange: &Exchange) -> f64 {
        seconds(exchange.begun_us, self.terms.advanced_s(step_of(&self.exchanges, exchange)))
    }

    /// The last claim that each step's answer makes of an operation, with the step's number.
    pub(super) fn claims(&self, operation: &OperationId) -> impl Iterator<Item = (u32, Claim)> {
        self.observation.steps.iter().filter_map(move |step| {
            let claims = &step.answer.as_ref()?.claims;
            let last = claims.iter().rfind(|made| made.operation == *operation)?;
            Some((step.number, last.claim))
        })
    }

    /// The seconds between the beginnings of two attempts at one operation, by the workflow's own time.
    pub(super) fn elapsed(&self, earlier: &Try<'a>, later: &Try<'a>) -> Elapsed {
        if let (Some(from), Some(to)) = (earlier.begun_s(), later.begun_s()) {
            return Elapsed { least_s: to - from, most_s: to - from };
        }
        let least_s = float(later.advanced_s.saturating_sub(earlier.advanced_s));
        Elapsed { least_s, most_s: least_s + float(self.observation.duration_ms) / 1_000.0 }
    }
}

impl<'a> Intent<'a> {
    pub(super) fn id(&self) -> &'a OperationId {
        &self.seen.operation
    }

    /// What tells this operation apart from others of the same kind: what stands behind the kind's name.
    pub(super) fn business_identity(&self) -> &'a str {
        let id = self.seen.operation.as_str();
        id.split_once(':').map_or(id, |(_, rest)| rest)
    }

    /// The contract of what its attempts call.
    pub(super) fn contract(&self) -> Option<&'a Operation> {
        self.tries.iter().find_map(|one| one.contract)
    }

    /// What its attempts call.
    pub(super) fn call(&self) -> Option<&'a Call> {
        self.tries.iter().find_map(|one| one.attempt.call.as_ref())
    }

    /// Whether the evidence shows that it is done, once.
    pub(super) fn is_done(&self) -> bool {
        matches!(self.seen.outcome, Outcome::Committed | Outcome::Replayed)
    }

    /// Each attempt with the one before it.
    pub(super) fn retries(&self) -> impl Iterator<Item = (&Try<'a>, &Try<'a>)> {
        self.tries.iter().zip(self.tries.iter().skip(1))
    }
}

impl<'a> Try<'a> {
    pub(super) fn number(&self) -> u32 {
        self.attempt.number
    }

    pub(super) fn step(&self) -> u32 {
        self.attempt.step
    }

    /// The key that it carried.
    pub(super) fn key(&self) -> Option<&'a str> {
        self.attempt.identity.as_deref().or_else(|| self.exchange?.key.as_deref())
    }

    /// What it asked for; `None` where that was not seen as a whole.
    pub(super) fn payload(&self) -> Option<Payload<'a>> {
        Payload::of(self.exchange?, self.contract)
    }

    /// When it began by the workflow's own time, in seconds since the first step began.
    pub(super) fn begun_s(&self) -> Option<f64> {
        self.exchange.map(|exchange| seconds(exchange.begun_us, self.advanced_s))
    }

    /// When the workflow had its answer or gave up, by its own time.
    pub(super) fn ended_s(&self) -> Option<f64> {
        self.exchange.map(|exchange| seconds(exchange.ended_us, self.advanced_s))
    }

    pub(super) fn told(&self) -> Told {
        match self.exchange {
            Some(exchange) => told_on_the_wire(exchange, self.attempt, self.contract),
            None => told_in_practice(self.attempt),
        }
    }

    /// Whether, for all that the workflow was told, the target may have acted on it.
    pub(super) fn may_have_been_done(&self) -> bool {
        !matches!(self.told(), Told::Refused | Told::NotNow)
    }
}

/// What the caller of an exchange was told, by what was delivered and not by what the target said.
fn told_on_the_wire(exchange: &Exchange, attempt: &AttemptSeen, contract: Option<&Operation>) -> Told {
    let (Delivered::Whole, Some(status)) = (exchange.delivered, exchange.delivered_status) else {
        return Told::Nothing;
    };
    let wire = contract.and_then(|contract| contract.wire.as_ref());
    if wire.and_then(|wire| wire.in_flight) == Some(status) {
        return Told::InFlight;
    }
    if status == 429 {
        return Told::NotNow;
    }
    if wire.is_some_and(|wire| wire.refused.contains(&status)) {
        return if exchange.retry_after.is_some() { Told::NotNow } else { Told::Refused };
    }
    let is_damaged = exchange.fault.as_ref().is_some_and(|fault| damages(&fault.name));
    match status {
        200..300 if exchange.status == Some(status) && attempt.answered.says_done() && !is_damaged => Told::Done,
        500.. => Told::Failed,
        _ => Told::Open,
    }
}

/// Whether a fault leaves nothing of an answer that says what became of the request.
fn damages(fault: &str) -> bool {
    ["corrupt_json", "replace_body", "truncate_clean"].contains(&first_word(fault))
}

/// What an attempt told a practice workflow. Its targets record what they answered and not what arrived; the fault says
/// whether it did.
fn told_in_practice(attempt: &AttemptSeen) -> Told {
    match attempt.fault.as_deref().map(first_word) {
        Some("lost_ack" | "lost_request" | "late_commit") => return Told::Nothing,
        Some("rate_limited") => return Told::NotNow,
        Some("fail_before_commit" | "error_after_commit" | "unavailable") => return Told::Failed,
        Some(_) => return Told::Unseen,
        None => {}
    }
    match attempt.answered {
        Answered::Committed { .. } | Answered::Replayed { .. } => Told::Done,
        Answered::Refused { .. } => Told::Refused,
        Answered::Error { .. } => Told::Failed,
        Answered::NoAnswer | Answered::NotForwarded | Answered::NotRecorded => Told::Nothing,
    }
}

/// The step that a call belongs to; one that came between two belongs to the earlier.
fn step_of(exchanges: &[&Exchange], exchange: &Exchange) -> u32 {
    if exchange.step > 0 {
        return exchange.step;
    }
    let earlier = exchanges.iter().take_while(|other| other.number < exchange.number);
    earlier.map(|other| other.step).max().unwrap_or_default()
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

fn seconds(micros: u64, advanced_s: u64) -> f64 {
    float(micros) / SECOND_US + float(advanced_s)
}

/// A count as a float: times of trials are far below 2^53.
#[expect(clippy::cast_precision_loss, reason = "times of trials are far below 2^53 microseconds")]
pub(super) fn float(number: u64) -> f64 {
    number as f64
}
