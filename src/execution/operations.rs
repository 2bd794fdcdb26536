//! The operations of a trial, each with what its attempts and the target's records support. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::domain::OperationId;
use crate::evidence::{
    AttemptSeen, EffectSeen, Look, LookState, OperationSeen, Reading, StepObservation, conclude, operations_named,
};
use crate::manifest::{Case, EffectCount, Grader};
use crate::practice::{Agreement, TargetReading};

use super::practice_workflow::PracticeMemory;

/// What the look at a practice workflow's own records is called in the evidence.
const RECORDS: &str = "the target's own records";

/// The field by which an effect, and an expectation on effects, names its operation.
const OPERATION: &str = "operation";

/// What a trial has left to conclude from.
pub(super) struct Traces<'a> {
    pub(super) case: &'a Case,
    pub(super) steps: &'a [StepObservation],
    pub(super) memory: &'a PracticeMemory,
    pub(super) readings: &'a BTreeMap<String, Reading>,
    /// Whether everything that could still write had ended when the probes were asked.
    pub(super) is_settled: bool,
}

impl Traces<'_> {
    /// Concludes every operation that was attempted, that the target shows, or that the case or an answer names.
    ///
    /// A practice workflow shows its own records. Elsewhere an `effects` expectation whose `where` names the operation,
    /// and which allows at most one effect, is a look at it: its author says that this probe shows the operation's
    /// effects. An operation without any look stays uncertain, whatever was claimed of it.
    pub(super) fn operations(&self) -> Vec<OperationSeen> {
        let attempts = self.attempts();
        let readings = self.memory.readings.as_deref().unwrap_or_default();
        let named = operations_named(self.case, self.steps);
        let shown = readings.iter().map(|reading| &reading.operation);
        let operations: BTreeSet<&OperationId> = named.iter().chain(attempts.keys().copied()).chain(shown).collect();

        let seen = operations.into_iter().map(|operation| {
            let reading = readings.iter().find(|reading| reading.operation == *operation);
            let looks = match (reading, &self.memory.readings) {
                (Some(reading), _) => vec![look(reading)],
                // The target was read and knows nothing of this operation.
                (None, Some(_)) => vec![Look::settled(RECORDS, Vec::new())],
                (None, None) => self.probe_looks(operation),
            };
            let attempts = attempts.get(operation).map_or(&[][..], Vec::as_slice);
            let mut seen = conclude(operation, attempts, &looks);
            if let Some(reading) = reading {
                seen.evidence.splice(0..0, reading.evidence.iter().cloned());
            }
            seen
        });
        seen.collect()
    }

    fn attempts(&self) -> BTreeMap<&OperationId, Vec<AttemptSeen>> {
        let mut attempts: BTreeMap<&OperationId, Vec<AttemptSeen>> = BTreeMap::new();
        for attempt in &self.memory.attempts {
            attempts.entry(&attempt.operation).or_default().push(attempt.seen.clone());
        }
        attempts
    }

    fn probe_looks(&self, operation: &OperationId) -> Vec<Look> {
        let graders = self.case.expect.iter().filter_map(|expectation| expectation.grader());
        let expectations = graders.filter_map(|(grader, negated)| match grader {
            Grader::Effects(effects) if !negated => Some(effects),
            _ => None,
        });
        expectations.filter_map(|effects| self.probe_look(&effects, operation)).collect()
    }

    fn probe_look(&self, expected: &EffectCount, operation: &OperationId) -> Option<Look> {
        let names_it = expected.r#where.get(OPERATION).and_then(Value::as_str) == Some(operation.as_str());
        let at_most_one = expected.count.or(expected.at_most).is_some_and(|most| most <= 1);
        if !names_it || !at_most_one {
            return None;
        }
        let effects = match self.readings.get(&expected.probe)? {
            Reading::Unreadable(reason) => return Some(Look::unreadable(&expected.probe, reason)),
            Reading::Effects(effects) => effects,
        };
        if !effects.is_empty() && effects.iter().all(|effect| !effect.contains_key(OPERATION)) {
            return None;
        }
        let of_operation = || effects.iter().filter(|effect| effect.get(OPERATION) == expected.r#where.get(OPERATION));
        let is_expected = |effect: &&serde_json::Map<String, Value>| {
            expected.r#where.iter().all(|(field, value)| effect.get(field) == Some(value))
        };
        let matching = of_operation().filter(is_expected).count();
        let others = of_operation().count() - matching;
        let state = if others > 0 {
            // A record of something else, or this effect with other parameters: it cannot be told which.
            LookState::Unreadable(format!("it shows {others} more of this operation with other fields"))
        } else {
            LookState::Read { settled: self.is_settled, authoritative: true }
        };
        let parameters_match = if expected.r#where.len() > 1 { Some(true) } else { None };
        let effect = EffectSeen { receipt: None, parameters_match };
        Some(Look { probe: expected.probe.clone(), state, effects: vec![effect; matching] })
    }
}

fn look(reading: &TargetReading) -> Look {
    let state = match reading.agreement {
        Agreement::Contradictory => LookState::Unreadable("its records contradict each other".to_owned()),
        Agreement::Agrees | Agreement::OtherParameters => {
            LookState::Read { settled: reading.settled, authoritative: true }
        }
    };
    let parameters_match = Some(reading.agreement != Agreement::OtherParameters);
    let effect = EffectSeen { receipt: None, parameters_match };
    Look { probe: RECORDS.to_owned(), state, effects: vec![effect; reading.effects] }
}
