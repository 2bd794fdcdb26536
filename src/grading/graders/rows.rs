//! The calls of a trial in rows: those that are attempts at the same thing, in order.

use std::collections::BTreeMap;

use crate::domain::OperationId;
use crate::evidence::{AttemptSeen, Call, Delivered, Exchange, OperationSeen};
use crate::grading::contract::Terms;
use crate::grading::judge::{NoJudgement, Subject, quoted};
use crate::manifest::{CallName, CallsMeant, Retry};

/// Attempts at the same thing.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    /// What they are attempts at, for messages.
    pub(super) name: String,
    /// What they call, where that is known.
    pub(super) call: Option<Call>,
    /// The attempts, in order.
    pub(super) attempts: Vec<RowAttempt<'a>>,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowAttempt<'a> {
    /// Its number in the row, from 1.
    pub(super) number: usize,
    /// The step in which it fell.
    pub(super) step: u32,
    /// The call, where the runner saw it.
    pub(super) exchange: Option<&'a Exchange>,
}

impl RowAttempt<'_> {
    /// Whether the caller got a whole answer below 400.
    pub(super) fn succeeded(&self) -> Option<bool> {
        let exchange = self.exchange?;
        let is_whole = exchange.delivered == Delivered::Whole;
        Some(is_whole && exchange.delivered_status.is_some_and(|status| status < 400))
    }
}

impl Row<'_> {
    /// How the manifest says that it is tried again.
    pub(super) fn retry<'t>(&self, terms: &'t Terms) -> Option<&'t Retry> {
        let call = self.call.as_ref()?;
        terms.connectors.get(&call.connector)?.operations.get(&call.operation).map(|operation| &operation.retry)
    }
}

/// Whether an operation is one of those meant.
pub(super) fn is_meant(meant: &CallsMeant, seen: &OperationSeen) -> bool {
    let makes = |call: &CallName| {
        let mut calls = seen.attempts.iter().filter_map(|attempt| attempt.call.as_ref());
        calls.any(|made| made.to_string() == call.as_str())
    };
    meant.operation.as_ref().is_none_or(|operation| *operation == seen.operation)
        && meant.call.as_ref().is_none_or(makes)
}

/// The rows of the calls meant; those of the calls themselves where the runner saw them, else of the attempts.
///
/// # Errors
/// Where one operation is meant of which nothing was gathered.
pub(super) fn rows<'a>(subject: &Subject<'a>, meant: &CallsMeant) -> Result<Vec<Row<'a>>, NoJudgement> {
    let observation = subject.observation;
    if let Some(operation) = &meant.operation {
        let seen = observation.operations.iter().find(|seen| seen.operation == *operation);
        let row = seen.map(|seen| of_operation(subject, seen));
        let missing = || {
            let operation = quoted(operation.as_str());
            NoJudgement::new(format!("no evidence was gathered on the operation {operation}"))
        };
        return Ok(vec![row.ok_or_else(missing)?]);
    }
    if observation.exchanges.is_empty() {
        let operations = observation.operations.iter().filter(|seen| is_meant(meant, seen));
        let tried = operations.filter(|seen| !seen.attempts.is_empty());
        return Ok(tried.map(|seen| of_operation(subject, seen)).collect());
    }
    Ok(of_exchanges(subject, meant))
}

fn of_operation<'a>(subject: &Subject<'a>, seen: &'a OperationSeen) -> Row<'a> {
    let exchanges = &subject.observation.exchanges;
    let attempt = |(number, attempt): (usize, &'a AttemptSeen)| RowAttempt {
        number,
        step: attempt.step,
        exchange: exchanges.iter().find(|exchange| Some(exchange.number) == attempt.exchange),
    };
    Row {
        name: quoted(seen.operation.as_str()),
        call: seen.attempts.iter().find_map(|attempt| attempt.call.clone()),
        attempts: (1..).zip(&seen.attempts).map(attempt).collect(),
    }
}

/// Calls with the same intention, or, where a call has none, to the same address.
fn of_exchanges<'a>(subject: &Subject<'a>, meant: &CallsMeant) -> Vec<Row<'a>> {
    type Key<'k> = (&'k str, &'k str, Option<&'k OperationId>, &'k str);
    let mut in_order: Vec<&Exchange> = subject.observation.exchanges.iter().collect();
    in_order.sort_by_key(|exchange| exchange.number);
    let mut rows: BTreeMap<Key<'a>, Vec<&'a Exchange>> = BTreeMap::new();
    for exchange in in_order {
        let operation = exchange.operation.as_deref().unwrap_or_default();
        let is_meant =
            meant.call.as_ref().is_none_or(|call| call.parts() == Some((exchange.connector.as_str(), operation)));
        if is_meant {
            let target = if exchange.intention.is_none() { exchange.target.as_str() } else { "" };
            let key = (exchange.connector.as_str(), operation, exchange.intention.as_ref(), target);
            rows.entry(key).or_default().push(exchange);
        }
    }
    let row = |((connector, operation, intention, target), exchanges): (Key<'a>, Vec<&'a Exchange>)| {
        let attempt = |(number, exchange): (usize, &'a Exchange)| RowAttempt {
            number,
            step: exchange.step,
            exchange: Some(exchange),
        };
        let name = intention.map_or_else(|| format!("{connector}{target}"), |id| id.as_str().to_owned());
        let call =
            (!operation.is_empty()).then(|| Call { connector: connector.into(), operation: operation.to_owned() });
        Row { name: quoted(&name), call, attempts: (1..).zip(exchanges).map(attempt).collect() }
    };
    rows.into_iter().map(row).collect()
}
