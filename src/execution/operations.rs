//! The operations of a trial, each with what its attempts and the target's records support. Pure.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::OperationId;
use crate::evidence::{
    AttemptSeen, EffectSeen, Exchange, Look, LookState, OperationSeen, ProbedTarget, SeenOnTheWay, StepObservation,
    conclude, operations_named,
};
use crate::manifest::Case;
use crate::practice::{Agreement, TargetReading};

use super::practice_workflow::PracticeMemory;

/// What the look at a practice workflow's own records is called in the evidence.
const RECORDS: &str = "the target's own records";

/// What a trial has left to conclude from.
pub(super) struct Traces<'a> {
    pub(super) case: &'a Case,
    pub(super) steps: &'a [StepObservation],
    pub(super) memory: &'a PracticeMemory,
    /// The attempts that were seen on their way to a target.
    pub(super) attempts: BTreeMap<OperationId, Vec<AttemptSeen>>,
    /// The calls that were seen.
    pub(super) exchanges: &'a [Exchange],
    /// The targets that the project's probes looked at.
    pub(super) targets: Vec<ProbedTarget<'a>>,
}

impl Traces<'_> {
    /// Concludes every operation that was attempted, that the target shows, or that the case or an answer names.
    ///
    /// A practice workflow shows its own records; every probe whose effects name their operation is a look besides. An
    /// operation without any look stays uncertain, whatever was claimed or answered.
    pub(super) fn operations(&self) -> Vec<OperationSeen> {
        let attempts = self.all_attempts();
        let readings = self.memory.readings.as_deref().unwrap_or_default();
        let named = operations_named(self.case, self.steps);
        let shown = readings.iter().map(|reading| reading.operation.clone());
        let probed = self.targets.iter().flat_map(ProbedTarget::operations);
        let mut operations: BTreeSet<OperationId> = named.into_iter().chain(shown).chain(probed).collect();
        operations.extend(attempts.keys().copied().cloned());

        let seen = operations.iter().map(|operation| {
            let reading = readings.iter().find(|reading| reading.operation == *operation);
            let own_look = match (reading, &self.memory.readings) {
                (Some(reading), _) => Some(look(reading)),
                // The target was read and knows nothing of this operation.
                (None, Some(_)) => Some(Look::settled(RECORDS, Vec::new())),
                (None, None) => None,
            };
            let attempts = attempts.get(operation).map_or(&[][..], Vec::as_slice);
            let on_the_way = SeenOnTheWay { attempts, exchanges: self.exchanges };
            let probed = self.targets.iter().filter_map(|target| target.look(operation, &on_the_way));
            let looks: Vec<Look> = own_look.into_iter().chain(probed).collect();
            let mut seen = conclude(operation, attempts, &looks);
            if let Some(reading) = reading {
                seen.evidence.splice(0..0, reading.evidence.iter().cloned());
            }
            seen
        });
        seen.collect()
    }

    fn all_attempts(&self) -> BTreeMap<&OperationId, Vec<AttemptSeen>> {
        let seen = self.attempts.iter().map(|(operation, attempts)| (operation, attempts.clone()));
        let mut attempts: BTreeMap<&OperationId, Vec<AttemptSeen>> = seen.collect();
        for attempt in &self.memory.attempts {
            attempts.entry(&attempt.operation).or_default().push(attempt.seen.clone());
        }
        attempts
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
