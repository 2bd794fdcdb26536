//! Which damage concerns a grader: what it is told to look at.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::domain::{Claim, OperationId, Rule};
use crate::evidence::{Call, Observation, OperationSeen, Reading};
use crate::grading::json_equality::json_equal;
use crate::manifest::{AttemptBounds, CallName, EffectCount, Grader};

use super::Mutation;

/// Whether a mutation damages what a grader looks at. A grader of the answer is concerned where nothing is left of that, and
/// not by words that are another, which may say the same. One of several calls that is gone concerns none that another of
/// them still satisfies.
pub(super) fn concerns(grader: &Grader, expectation: usize, mutation: &Mutation, observation: &Observation) -> bool {
    match (grader, mutation) {
        (Grader::Effects(count), _) => concerns_effects(count, expectation, mutation, observation),
        (_, Mutation::EmptyAnswer) => asks_for_words(grader),
        (Grader::Length(_), Mutation::LengthenAnswer { expectation: meant })
        | (Grader::Duration(_), Mutation::Delay { expectation: meant })
        | (Grader::HttpStatus(_), Mutation::AlterStatus { expectation: meant }) => *meant == expectation,
        (Grader::Outcome(outcome), Mutation::FlipOutcome { operation, .. }) => outcome.operation == *operation,
        (Grader::Claim(claim), Mutation::FlipClaim { operation, .. }) => claim.operation == *operation,
        (Grader::ClaimMatchesEvidence, Mutation::FlipClaim { .. }) => true,
        (Grader::ClaimMatchesEvidence, Mutation::FlipOutcome { operation, .. }) => {
            // To say that it is unknown matches whatever is true.
            matches!(observation.last_claim(operation), Some(Claim::Completed | Claim::Rejected | Claim::Failed))
        }
        (Grader::Attempts(bounds), Mutation::DropExchange { exchange }) => is_missed(bounds, *exchange, observation),
        (Grader::Attempts(bounds), Mutation::DropCalls { call }) => {
            bounds.at_least.is_some_and(|least| least > 0) && are_all_of(bounds, call, observation)
        }
        (Grader::Attempts(_), Mutation::RepeatAttempts { expectation: meant }) => *meant == expectation,
        (Grader::Order(pairs), Mutation::DropExchange { exchange }) => {
            let is_only = |call: &CallName| is_only_call(*exchange, call, observation);
            pairs.iter().any(|pair| is_only(&pair.call) && was_called(&pair.before, observation))
        }
        (Grader::Order(pairs), Mutation::DropCalls { call }) => {
            pairs.iter().any(|pair| is_named(call, &pair.call) && was_called(&pair.before, observation))
        }
        (Grader::Order(pairs), Mutation::AdvanceCalls { call, before }) => {
            pairs.iter().any(|pair| is_named(before, &pair.call) && is_named(call, &pair.before))
        }
        (Grader::Depends(depends), Mutation::DropExchange { exchange }) => {
            is_only_call(*exchange, &depends.on, observation) && was_called(&depends.call, observation)
        }
        (Grader::Depends(depends), Mutation::DropCalls { call }) => {
            is_named(call, &depends.on) && was_called(&depends.call, observation)
        }
        (Grader::Depends(depends), Mutation::AdvanceCalls { call, before }) => {
            is_named(call, &depends.call) && is_named(before, &depends.on)
        }
        (Grader::Depends(depends), Mutation::FlipOutcome { operation, to }) => {
            let is_on = |seen: &OperationSeen| seen.operation == *operation && calls_of(seen, &depends.on);
            !depends.being.contains(to)
                && was_called(&depends.call, observation)
                && observation.operations.iter().any(is_on)
        }
        (Grader::ParametersUnchanged | Grader::Identity(_), Mutation::AlterArgument { exchange, .. }) => {
            shares_its_key(*exchange, observation)
        }
        (Grader::Contract(rules), Mutation::AlterArgument { exchange, .. }) => {
            rules.contains(&Rule::KeyFollowsPayload) && shares_its_key(*exchange, observation)
        }
        _ => false,
    }
}

/// Whether an answer without a word cannot be what the grader wants.
pub(super) fn asks_for_words(grader: &Grader) -> bool {
    match grader {
        Grader::Equals(_)
        | Grader::Json(_)
        | Grader::JsonSchema(_)
        | Grader::Similar(_)
        | Grader::Number(_)
        | Grader::Cites(_) => true,
        Grader::Contains(contains) => !contains.all.is_empty() || !contains.any.is_empty(),
        Grader::Regex(regex) => regex.count != Some(0),
        Grader::Length(length) => length.at_least.is_some_and(|least| least > 0),
        _ => false,
    }
}

fn concerns_effects(count: &EffectCount, expectation: usize, mutation: &Mutation, seen: &Observation) -> bool {
    let bounds_below = count.count.is_some_and(|exact| exact > 0) || count.at_least.is_some_and(|least| least > 0);
    let bounds_above = count.count.is_some() || count.at_most.is_some();
    let counts = |probe: &String, row: usize| {
        let Some(Reading::Effects(rows)) = seen.readings.get(probe) else { return false };
        *probe == count.probe && rows.get(row).is_some_and(|row| is_counted(count, row))
    };
    match mutation {
        Mutation::DropEffect { probe, row } => bounds_below && counts(probe, *row),
        Mutation::CopyEffect { probe, row } => bounds_above && counts(probe, *row),
        Mutation::AddEffect { expectation: meant, .. } => *meant == expectation,
        Mutation::AlterField { probe, row, field } => {
            let looks_at = (count.r#where.contains_key(field) && bounds_below) || count.fields.contains_key(field);
            looks_at && counts(probe, *row)
        }
        _ => false,
    }
}

fn is_counted(count: &EffectCount, row: &Map<String, Value>) -> bool {
    count.r#where.iter().all(|(field, value)| row.get(field).is_some_and(|found| json_equal(found, value)))
}

/// The numbers of the calls that bounds count, row by row as the grader does; `None` of an attempt whose call was not seen.
fn counted(bounds: &AttemptBounds, observation: &Observation) -> Vec<Vec<Option<u32>>> {
    if let Some(operation) = &bounds.operation {
        let own = observation.operations.iter().filter(|seen| seen.operation == *operation);
        return own.map(|seen| seen.attempts.iter().map(|attempt| attempt.exchange).collect()).collect();
    }
    let Some(call) = &bounds.call else { return Vec::new() };
    let mut rows: BTreeMap<Option<&OperationId>, Vec<Option<u32>>> = BTreeMap::new();
    for exchange in observation.exchanges.iter().filter(|exchange| makes(exchange.number, call, observation)) {
        rows.entry(exchange.intention.as_ref()).or_default().push(Some(exchange.number));
    }
    rows.into_values().collect()
}

/// Whether there are too few attempts without this call. Where several operations make the same call, one of which no
/// attempt is left is no longer counted at all.
fn is_missed(bounds: &AttemptBounds, number: u32, observation: &Observation) -> bool {
    let rows = counted(bounds, observation);
    let Some(row) = rows.iter().find(|row| row.contains(&Some(number))) else { return false };
    let left = row.len() - 1;
    let is_counted = left > 0 || rows.len() == 1;
    is_counted && usize::try_from(bounds.at_least.unwrap_or(0)).is_ok_and(|least| left < least)
}

/// Whether what bounds count are calls of this operation and nothing else.
fn are_all_of(bounds: &AttemptBounds, call: &Call, observation: &Observation) -> bool {
    let is_of = |number: u32| {
        let mut exchanges = observation.exchanges.iter().filter(|exchange| exchange.number == number);
        exchanges.any(|exchange| {
            exchange.connector == call.connector && exchange.operation.as_ref() == Some(&call.operation)
        })
    };
    let rows = counted(bounds, observation);
    !rows.is_empty() && rows.iter().flatten().all(|number| number.is_some_and(is_of))
}

fn is_named(call: &Call, name: &CallName) -> bool {
    name.parts() == Some((call.connector.as_str(), call.operation.as_str()))
}

/// Whether a call is the only one that a name means.
fn is_only_call(number: u32, call: &CallName, observation: &Observation) -> bool {
    makes(number, call, observation)
        && !observation.exchanges.iter().any(|other| other.number != number && makes(other.number, call, observation))
}

/// Whether a call is one of those that a name means.
fn makes(number: u32, call: &CallName, observation: &Observation) -> bool {
    let mut exchanges = observation.exchanges.iter().filter(|exchange| exchange.number == number);
    exchanges.any(|exchange| {
        call.parts() == Some((exchange.connector.as_str(), exchange.operation.as_deref().unwrap_or_default()))
    })
}

fn was_called(call: &CallName, observation: &Observation) -> bool {
    observation.exchanges.iter().any(|exchange| makes(exchange.number, call, observation))
}

fn calls_of(seen: &OperationSeen, call: &CallName) -> bool {
    let is_one = |made: &Call| made.to_string() == call.as_str();
    seen.attempts.iter().filter_map(|attempt| attempt.call.as_ref()).any(is_one)
}

/// Whether another call to the same operation carried the same key.
fn shares_its_key(number: u32, observation: &Observation) -> bool {
    let Some(one) = observation.exchanges.iter().find(|exchange| exchange.number == number) else { return false };
    one.key.is_some()
        && observation.exchanges.iter().any(|other| {
            other.number != number
                && (&other.key, &other.connector, &other.operation) == (&one.key, &one.connector, &one.operation)
        })
}
