//! Until when a call may still take effect after it ended. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::PartId;
use crate::manifest::{ConnectorManifest, Effect, Operation};

use super::attempts::answered;
use super::exchange::{Exchange, Forwarded};
use super::observation::Answered;

/// Until when a call whose answer does not say whether it was done may still take effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MayLand {
    /// Until so long after the trial's first step began: so its contract says, by `processing.within_s`.
    Until(Duration),
    /// Nothing says until when.
    Whenever,
}

/// Until when a call may still take effect; `None` where it was not passed on, or its end is known: the target said that
/// it is done, or refused as its contract documents. A missing answer, a 500 and a 202 of a target that answers first leave
/// it open. A call that only reads, by its contract or, where none describes it, by its method, never takes effect. Any other
/// that none describes is ended by a 2xx, and by a 4xx that says that the request itself was wrong: nobody can document its
/// refusals.
pub fn may_land(exchange: &Exchange, connectors: &BTreeMap<PartId, Arc<ConnectorManifest>>) -> Option<MayLand> {
    if exchange.forwarded == Forwarded::No {
        return None;
    }
    let operation = described(exchange, connectors);
    let is_open = match operation {
        Some(operation) if operation.effect == Effect::None => false,
        Some(operation) => matches!(answered(exchange, operation), Answered::Error { .. } | Answered::NoAnswer),
        None if exchange.is_safe() => false,
        None => {
            let is_whole = exchange.answer.as_ref().is_some_and(|answer| answer.digest.is_some());
            !is_whole || !exchange.status.is_some_and(says_the_end)
        }
    };
    if !is_open {
        return None;
    }
    let Some(processing) = operation.and_then(|operation| operation.processing) else { return Some(MayLand::Whenever) };
    let Exchange { sent_us, answered_us, ended_us, .. } = exchange;
    let ended = (*ended_us).max(sent_us.unwrap_or_default()).max(answered_us.unwrap_or_default());
    let within = Duration::try_from_secs_f64(processing.within_s).ok();
    let until = within.and_then(|within| within.checked_add(Duration::from_micros(ended)));
    Some(until.map_or(MayLand::Whenever, MayLand::Until))
}

/// Whether a status says what became of a request: it was done, or was wrong in itself. One that is about the moment (408, 409,
/// 425, 429) does not.
fn says_the_end(status: u16) -> bool {
    matches!(status, 200..300 | 400..500) && !matches!(status, 408 | 409 | 425 | 429)
}

fn described<'a>(
    exchange: &Exchange,
    connectors: &'a BTreeMap<PartId, Arc<ConnectorManifest>>,
) -> Option<&'a Operation> {
    connectors.get(&exchange.connector)?.operations.get(exchange.operation.as_ref()?)
}

#[cfg(test)]
mod tests;
