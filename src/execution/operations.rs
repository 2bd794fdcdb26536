//! The operations of a trial, each with what its attempts and the target's records support. Pure.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::OperationId;
use crate::evidence::{
    AttemptSeen, EffectSeen, Look, LookState, OperationSeen, StepObservation, conclude, operations_named,
};
use crate::manifest::Case;
use crate::practice::{Agreement, TargetReading};

use super::practice_workflow::PracticeMemory;

/// What the look at a practice workflow's own records is called in the evidence.
const RECORDS: &str = "the target's own records";

/// Concludes every operation that was attempted, that the target shows, or that the case or an answer names.
///
/// An operation without any look at a target stays uncertain, whatever was claimed of it.
pub(super) fn operations_seen(case: &Case, steps: &[StepObservation], memory: &PracticeMemory) -> Vec<OperationSeen> {
    let mut attempts: BTreeMap<&OperationId, Vec<AttemptSeen>> = BTreeMap::new();
    for attempt in &memory.attempts {
        attempts.entry(&attempt.operation).or_default().push(attempt.seen.clone());
    }
    let readings: BTreeMap<&OperationId, &TargetReading> =
        memory.readings.iter().flatten().map(|reading| (&reading.operation, reading)).collect();
    let named = operations_named(case, steps);
    let operations: BTreeSet<&OperationId> =
        named.iter().chain(attempts.keys().copied()).chain(readings.keys().copied()).collect();

    let seen = operations.into_iter().map(|operation| {
        let reading = readings.get(operation).copied();
        let looks = match (reading, &memory.readings) {
            (Some(reading), _) => vec![look(reading)],
            // The target was read and knows nothing of this operation.
            (None, Some(_)) => vec![Look::settled(RECORDS, Vec::new())],
            (None, None) => Vec::new(),
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
