//! Mutants of the calls that a trial made: all of an operation gone, those of one before those of another, attempts without
//! end.

use crate::evidence::{Answered, AttemptSeen, Call, Exchange, Observation, OperationSeen};
use crate::manifest::{AttemptBounds, Case, Grader};

use super::Mutation;
use super::mutants::drop_exchange;

/// How often attempts are repeated: more often than any workflow with a bound that deserves the name.
const REPEATS: u32 = 100;

/// Operations that are put in another order at the most: the pairs of them grow fast.
const REORDERED: usize = 12;

/// Microseconds between two repeated attempts.
const PAUSE_US: u64 = 1_000;

/// The operations that were called, in the order of their first calls.
fn called(observation: &Observation) -> Vec<Call> {
    let mut called: Vec<Call> = Vec::new();
    for call in observation.exchanges.iter().filter_map(call_of) {
        if !called.contains(&call) {
            called.push(call);
        }
    }
    called
}

fn call_of(exchange: &Exchange) -> Option<Call> {
    Some(Call { connector: exchange.connector.clone(), operation: exchange.operation.clone()? })
}

fn is_of(exchange: &Exchange, call: &Call) -> bool {
    call_of(exchange).as_ref() == Some(call)
}

pub(super) fn dropped(observation: &Observation) -> impl Iterator<Item = Mutation> {
    called(observation).into_iter().map(|call| Mutation::DropCalls { call })
}

pub(super) fn advanced(observation: &Observation) -> impl Iterator<Item = Mutation> {
    let mut called = called(observation);
    called.truncate(REORDERED);
    let pairs = (0..called.len()).flat_map(|before| (before + 1..called.len()).map(move |call| (call, before)));
    pairs
        .map(|(call, before)| Mutation::AdvanceCalls { call: called[call].clone(), before: called[before].clone() })
        .collect::<Vec<_>>()
        .into_iter()
}

/// For every expectation that bounds attempts from above.
pub(super) fn repeated<'c>(case: &'c Case, observation: &'c Observation) -> impl Iterator<Item = Mutation> + 'c {
    (0..case.expect.len()).filter_map(|expectation| {
        let bounds = bounds(case, expectation)?;
        let can_be_repeated = specimen(&bounds, observation).is_some() || told(&bounds, observation).is_some();
        can_be_repeated.then_some(Mutation::RepeatAttempts { expectation })
    })
}

fn bounds(case: &Case, expectation: usize) -> Option<AttemptBounds> {
    match case.expect.get(expectation)?.grader()? {
        (Grader::Attempts(bounds), false) if bounds.at_most.is_some() => Some(bounds),
        _ => None,
    }
}

/// An exchange that is such an attempt; where none was made, another attempt made into one.
fn specimen(bounds: &AttemptBounds, observation: &Observation) -> Option<Exchange> {
    let named = bounds.call.as_ref().and_then(|call| call.parts());
    let is_called = |exchange: &&Exchange| {
        named.is_none_or(|(connector, operation)| {
            exchange.connector.as_str() == connector && exchange.operation.as_deref() == Some(operation)
        })
    };
    let is_meant = |exchange: &&Exchange| {
        let is_own = bounds.operation.as_ref().is_none_or(|operation| exchange.intention.as_ref() == Some(operation));
        is_called(exchange) && is_own
    };
    let attempts = || observation.exchanges.iter().filter(|exchange| exchange.intention.is_some());
    if let Some(meant) = attempts().find(is_meant) {
        return Some(meant.clone());
    }
    let mut made = attempts().find(is_called).or_else(|| attempts().next())?.clone();
    if let Some((connector, operation)) = named {
        (made.connector, made.operation) = (connector.into(), Some(operation.to_owned()));
    }
    if let Some(operation) = &bounds.operation {
        made.intention = Some(operation.clone());
    }
    Some(made)
}

/// Such an attempt and its operation's place, of a workflow in process: it tells of its attempts, and there are no exchanges.
fn told(bounds: &AttemptBounds, observation: &Observation) -> Option<(usize, AttemptSeen)> {
    let named = bounds.call.as_ref().and_then(|call| call.parts());
    let is_called = |attempt: &&AttemptSeen| {
        let made = attempt.call.as_ref().map(|call| (call.connector.as_str(), call.operation.as_str()));
        named.is_none() || made == named
    };
    let is_own = |seen: &OperationSeen| bounds.operation.as_ref().is_none_or(|operation| seen.operation == *operation);
    let mut own = observation.operations.iter().enumerate().filter(|(_, seen)| is_own(seen));
    own.find_map(|(place, seen)| Some((place, seen.attempts.iter().find(is_called)?.clone())))
}

pub(super) fn drop_all(mutant: &mut Observation, call: &Call) {
    let numbers: Vec<u32> =
        mutant.exchanges.iter().filter(|exchange| is_of(exchange, call)).map(|exchange| exchange.number).collect();
    numbers.into_iter().for_each(|number| drop_exchange(mutant, number));
}

/// All calls of `call` come, with their numbers and times, where the first of `before` was, and begin before it does.
pub(super) fn advance(mutant: &mut Observation, call: &Call, before: &Call) {
    let first =
        mutant.exchanges.iter().filter(|exchange| is_of(exchange, before)).map(|exchange| exchange.begun_us).min();
    let own = mutant.exchanges.iter().filter(|exchange| is_of(exchange, call)).map(|exchange| exchange.begun_us).min();
    let (Some(first), Some(own)) = (first, own) else { return };
    let earlier_us = own.saturating_sub(first).saturating_add(1);
    let place = mutant.exchanges.iter().position(|exchange| is_of(exchange, before)).unwrap_or(0);
    let (mut moved, mut order): (Vec<Exchange>, Vec<Exchange>) =
        std::mem::take(&mut mutant.exchanges).into_iter().partition(|exchange| is_of(exchange, call));
    for exchange in &mut moved {
        exchange.begun_us = exchange.begun_us.saturating_sub(earlier_us);
        exchange.ended_us = exchange.ended_us.saturating_sub(earlier_us);
        exchange.sent_us = exchange.sent_us.map(|sent| sent.saturating_sub(earlier_us));
        exchange.answered_us = exchange.answered_us.map(|answered| answered.saturating_sub(earlier_us));
    }
    order.splice(place..place, moved);
    let numbers: Vec<(u32, u32)> = order.iter().zip(1..).map(|(exchange, number)| (exchange.number, number)).collect();
    let renumbered = |old: u32| numbers.iter().find(|(number, _)| *number == old).map(|(_, new)| *new);
    for exchange in &mut order {
        exchange.number = renumbered(exchange.number).unwrap_or(exchange.number);
    }
    for attempt in mutant.operations.iter_mut().flat_map(|seen| &mut seen.attempts) {
        attempt.exchange = attempt.exchange.and_then(renumbered);
    }
    mutant.exchanges = order;
}

/// A hundred more of the attempts that an expectation bounds, after all else.
pub(super) fn repeat(mutant: &mut Observation, case: &Case, expectation: usize) {
    let Some(bounds) = bounds(case, expectation) else { return };
    let Some(made) = specimen(&bounds, mutant) else { return repeat_told(mutant, &bounds) };
    let last = mutant.exchanges.iter().map(|exchange| exchange.number).max().unwrap_or(0);
    let ended_us = mutant.exchanges.iter().map(|exchange| exchange.ended_us).max().unwrap_or(0);
    let took_us = made.ended_us.saturating_sub(made.begun_us);
    let mut begun_us = ended_us;
    for number in last + 1..=last + REPEATS {
        begun_us += took_us + PAUSE_US;
        let again = Exchange { number, begun_us, ended_us: begun_us + took_us, ..made.clone() };
        attempt_too(mutant, &again);
        mutant.exchanges.push(again);
    }
}

/// The same of attempts that are told of.
fn repeat_told(mutant: &mut Observation, bounds: &AttemptBounds) {
    let Some((place, made)) = told(bounds, mutant) else { return };
    let Some(seen) = mutant.operations.get_mut(place) else { return };
    let last = seen.attempts.iter().map(|attempt| attempt.number).max().unwrap_or(0);
    let again = |number| AttemptSeen { number, fault: None, answered: Answered::NoAnswer, ..made.clone() };
    seen.attempts.extend((last + 1..=last + REPEATS).map(again));
}

/// The attempt that an exchange is, at its operation.
fn attempt_too(mutant: &mut Observation, exchange: &Exchange) {
    let Some(intention) = &exchange.intention else { return };
    let seen = mutant.operations.iter_mut().find(|seen| seen.operation == *intention);
    let Some(seen) = seen else { return };
    let number = u32::try_from(seen.attempts.len()).unwrap_or(u32::MAX).saturating_add(1);
    seen.attempts.push(AttemptSeen {
        number,
        step: exchange.step,
        call: call_of(exchange),
        identity: exchange.key.clone(),
        fault: None,
        answered: Answered::NoAnswer,
        exchange: Some(exchange.number),
        behind: None,
    });
}
