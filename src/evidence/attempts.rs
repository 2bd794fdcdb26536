//! From the calls that were seen to the attempts at each operation. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::domain::{OperationId, PartId};
use crate::manifest::{ConnectorManifest, Effect, Operation, ReplaySignal, Wire};

use super::excerpt::excerpt;
use super::exchange::{Delivered, Exchange, Forwarded, Message};
use super::observation::{Answered, AttemptSeen, Call};

/// How much of a target's own reason is kept, in characters.
const REASON: usize = 300;

/// The fields of an answer in which targets commonly say why they refuse, the most telling first.
const REASON_FIELDS: [&str; 6] = ["reason", "message", "detail", "error_description", "error", "title"];

/// The attempts at each operation that has an effect, in the order of their calls and numbered from 1 for each. A call
/// that only reads, or that belongs to no operation of its manifest, is no attempt at anything.
pub fn attempts_at_operations(
    exchanges: &[Exchange],
    connectors: &BTreeMap<PartId, Arc<ConnectorManifest>>,
) -> BTreeMap<OperationId, Vec<AttemptSeen>> {
    let mut in_order: Vec<&Exchange> = exchanges.iter().collect();
    in_order.sort_by_key(|exchange| exchange.number);
    let mut attempts: BTreeMap<OperationId, Vec<(Option<u64>, AttemptSeen)>> = BTreeMap::new();
    for exchange in in_order {
        let Some((intention, operation)) = effectful(exchange, connectors) else { continue };
        let of_operation = attempts.entry(intention.clone()).or_default();
        let number = u32::try_from(of_operation.len()).unwrap_or(u32::MAX).saturating_add(1);
        of_operation.push((
            exchange.sent_us,
            AttemptSeen {
                number,
                step: exchange.step,
                call: exchange
                    .operation
                    .as_ref()
                    .map(|operation| Call { connector: exchange.connector.clone(), operation: operation.clone() }),
                identity: exchange.key.clone(),
                fault: exchange.fault.as_ref().map(|fault| fault.name.clone()),
                answered: answered(exchange, operation),
                exchange: Some(exchange.number),
                behind: None,
            },
        ));
    }
    attempts.into_iter().map(|(operation, attempts)| (operation, in_arrival(attempts))).collect()
}

/// The attempts at one operation, each with the later one that overtook it on the way to the target.
fn in_arrival(attempts: Vec<(Option<u64>, AttemptSeen)>) -> Vec<AttemptSeen> {
    let sent: Vec<Option<u64>> = attempts.iter().map(|(sent_us, _)| *sent_us).collect();
    let overtaken = attempts.into_iter().enumerate().map(|(index, (sent_us, attempt))| {
        let before = |later: &Option<u64>| later.zip(sent_us).is_some_and(|(later, own)| later < own);
        let behind = (index + 1..).zip(&sent[index + 1..]).find(|(_, later)| before(later)).map(|(later, _)| later);
        // Numbers count from 1.
        let behind = behind.and_then(|later| u32::try_from(later + 1).ok());
        AttemptSeen { behind, ..attempt }
    });
    overtaken.collect()
}

/// What an exchange is an attempt at, with the contract of that operation.
fn effectful<'a>(
    exchange: &'a Exchange,
    connectors: &'a BTreeMap<PartId, Arc<ConnectorManifest>>,
) -> Option<(&'a OperationId, &'a Operation)> {
    let intention = exchange.intention.as_ref()?;
    let operation = connectors.get(&exchange.connector)?.operations.get(exchange.operation.as_ref()?)?;
    (operation.effect != Effect::None).then_some((intention, operation))
}

/// What the target said, as its contract reads it.
///
/// | seen | means |
/// |---|---|
/// | a fault answered in its place with a status that the contract documents as a refusal | `refused`: to the caller it is one |
/// | nothing else was forwarded | `not_forwarded` |
/// | no whole answer came back | `no_answer` |
/// | the status that says that the first request still runs | `error`: it says nothing of the first |
/// | a status that the contract documents as a refusal | `refused` |
/// | 202 of a target that answers before the effect exists | `error`: accepted is not done |
/// | 2xx with the contract's signal of a replay | `replayed` |
/// | any other 2xx | `committed` |
/// | all else, a 500 above all | `error` |
pub(super) fn answered(exchange: &Exchange, operation: &Operation) -> Answered {
    let refused = |status: &u16| operation.wire.as_ref().is_some_and(|wire| wire.refused.contains(status));
    if exchange.forwarded == Forwarded::No {
        let told = exchange.delivered_status.filter(refused);
        return match told.filter(|_| exchange.fault.is_some() && exchange.delivered == Delivered::Whole) {
            Some(status) => {
                Answered::Refused { reason: format!("status {status}, by the fault in the target's place") }
            }
            None => Answered::NotForwarded,
        };
    }
    // The digest is there only where the whole body is.
    let whole = exchange.answer.as_ref().filter(|answer| answer.digest.is_some());
    let (Some(answer), Some(status)) = (whole, exchange.status) else { return Answered::NoAnswer };
    let wire = operation.wire.as_ref();
    if wire.and_then(|wire| wire.in_flight) == Some(status) {
        return Answered::Error { detail: format!("status {status}: the first request with this key still runs") };
    }
    if refused(&status) {
        return Answered::Refused { reason: reason(answer, status) };
    }
    if !(200..300).contains(&status) {
        return Answered::Error { detail: format!("status {status}") };
    }
    if status == 202 && operation.processing.is_some_and(|processing| processing.accepts_first) {
        return Answered::Error { detail: "status 202: accepted, and not yet done".to_owned() };
    }
    let receipt = wire.and_then(|wire| receipt(wire, answer));
    match &operation.idempotency.replay_signal {
        Some(signal) if shows(signal, answer) => Answered::Replayed { receipt },
        _ => Answered::Committed { receipt },
    }
}

/// The body of a message as JSON; `None` where it is none, or only its beginning was recorded.
pub(super) fn json_body(message: &Message) -> Option<Value> {
    if message.is_cut { None } else { serde_json::from_str(&message.text).ok() }
}

/// A text or a number, as the identity or the receipt that it is.
pub(super) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn receipt(wire: &Wire, answer: &Message) -> Option<String> {
    plain(json_body(answer)?.pointer(wire.receipt.as_deref()?)?)
}

fn shows(signal: &ReplaySignal, answer: &Message) -> bool {
    let says_true = |value: &Value| match value {
        Value::Bool(flag) => *flag,
        Value::String(text) => text.eq_ignore_ascii_case("true"),
        _ => false,
    };
    let in_header = signal.header.as_ref().is_some_and(|name| {
        let value = answer.header(&name.to_ascii_lowercase());
        value.is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
    });
    let in_field = || {
        let Some(name) = &signal.field else { return false };
        json_body(answer).is_some_and(|body| body.get(name).is_some_and(says_true))
    };
    in_header || in_field()
}

/// Why a target refused, in its own words where it has any.
fn reason(answer: &Message, status: u16) -> String {
    let words = match json_body(answer) {
        Some(Value::Object(fields)) => REASON_FIELDS.iter().find_map(|name| words(fields.get(*name)?)),
        Some(other) => words(&other),
        None => None,
    };
    let text = words.unwrap_or_else(|| answer.text.trim().to_owned());
    if text.is_empty() { format!("status {status}") } else { excerpt(&text, REASON) }
}

/// A text as it is; of a map, as in `{"error": {"message": …}}`, what it says in turn.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Object(fields) => REASON_FIELDS.iter().find_map(|name| fields.get(*name)?.as_str().map(str::to_owned)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
