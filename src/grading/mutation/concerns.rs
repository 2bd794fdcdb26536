//! Which damage concerns a grader: what it is told to look at.

use serde_json::{Map, Value};

use crate::domain::{Claim, OperationId, Rule};
use crate::evidence::{Call, Observation, OperationSeen, Reading};
use crate::grading::json_equality::json_equal;
use crate::manifest::{AttemptBounds, CallName, EffectCount, Grader};

use super::Mutation;

/// Whether a mutation damages what a grader looks at. A grader of the answer's text is concerned by none; nor is one
/// that only bounds how many calls there are from above, since no mutation adds one.
pub(super) fn concerns(grader: &Grader, expectation: usize, mutation: &Mutation, observation: &Observation) -> bool {
    match (grader, mutation) {
        (Grader::Effects(count), _) => concerns_effects(count, expectation, mutation, observation),
        (Grader::Outcome(outcome), Mutation::FlipOutcome { operation, .. }) => outcome.operation == *operation,
        (Grader::Claim(claim), Mutation::FlipClaim { operation, .. }) => claim.operation == *operation,
        (Grader::ClaimMatchesEvidence, Mutation::FlipClaim { .. }) => true,
        (Grader::ClaimMatchesEvidence, Mutation::FlipOutcome { operation, .. }) => {
            // To say that it is unknown matches whatever is true.
            matches!(observation.last_claim(operation), Some(Claim::Completed | Claim::Rejected | Claim::Failed))
        }
        (Grader::Attempts(bounds), Mutation::DropExchange { exchange }) => {
            bounds.at_least.is_some_and(|least| least > 0) && is_attempt(bounds, *exchange, observation)
        }
        (Grader::Order(pairs), Mutation::DropExchange { exchange }) => {
            let needed = |first: &CallName, then: &CallName| {
                makes(*exchange, first, observation) && was_called(then, observation)
            };
            pairs.iter().any(|pair| needed(&pair.call, &pair.before))
        }
        (Grader::Depends(depends), Mutation::DropExchange { exchange }) => {
            makes(*exchange, &depends.on, observation) && was_called(&depends.call, observation)
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

fn is_attempt(bounds: &AttemptBounds, number: u32, observation: &Observation) -> bool {
    let is_own = |operation: &OperationId| {
        let mut seen = observation.operations.iter().filter(|seen| seen.operation == *operation);
        seen.any(|seen| seen.attempts.iter().any(|attempt| attempt.exchange == Some(number)))
    };
    bounds.operation.as_ref().is_some_and(is_own)
        || bounds.call.as_ref().is_some_and(|call| makes(number, call, observation))
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
