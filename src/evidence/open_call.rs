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
/// it open. A call to what only reads, or to what no manifest describes, is ended by any whole answer.
pub fn may_land(exchange: &Exchange, connectors: &BTreeMap<PartId, Arc<ConnectorManifest>>) -> Option<MayLand> {
    if exchange.forwarded == Forwarded::No {
        return None;
    }
    let operation = described(exchange, connectors);
    let is_open = match operation.filter(|operation| operation.effect != Effect::None) {
        Some(operation) => matches!(answered(exchange, operation), Answered::Error { .. } | Answered::NoAnswer),
        None => exchange.answer.as_ref().is_none_or(|answer| answer.digest.is_none()),
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

fn described<'a>(
    exchange: &Exchange,
    connectors: &'a BTreeMap<PartId, Arc<ConnectorManifest>>,
) -> Option<&'a Operation> {
    connectors.get(&exchange.connector)?.operations.get(exchange.operation.as_ref()?)
}

#[cfg(test)]
mod tests;
