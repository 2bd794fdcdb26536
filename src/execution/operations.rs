//! The operations of a trial, each with what its attempts and the target's records support. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::domain::OperationId;
use crate::evidence::{
    AttemptSeen, EffectSeen, Look, LookState, OperationSeen, Reading, StepObservation, conclude, operations_named,
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
    /// The targets that the project's probes looked at.
    pub(super) targets: Vec<ProbedTarget<'a>>,
    /// Whether everything that could still write had ended when the probes were asked.
    pub(super) is_settled: bool,
}

impl Traces<'_> {
    /// Concludes every operation that was attempted, that the target shows, or that the case or an answer names.
    ///
    /// A practice workflow shows its own records; every probe whose rows name their operation is a look besides. An
    /// operation without any look stays uncertain, whatever was claimed of it.
    pub(super) fn operations(&self) -> Vec<OperationSeen> {
        let attempts = self.attempts();
        let readings = self.memory.readings.as_deref().unwrap_or_default();
        let named = operations_named(self.case, self.steps);
        let shown = readings.iter().map(|reading| reading.operation.clone());
        let probed =
            self.targets.iter().flat_map(|target| target.rows().iter().filter_map(|row| target.operation(row)));
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
            let probed = self.targets.iter().map(|target| target.look(operation, self.is_settled));
            let looks: Vec<Look> = own_look.into_iter().chain(probed).collect();
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
}

/// A target that a probe of the project looked at, whose rows say which operation made them.
pub(super) struct ProbedTarget<'a> {
    /// The probe's name.
    pub(super) probe: &'a str,
    /// The column that holds the operation's identity.
    pub(super) column: &'a str,
    /// What it read.
    pub(super) reading: &'a Reading,
}

impl ProbedTarget<'_> {
    fn rows(&self) -> &[Map<String, Value>] {
        match self.reading {
            Reading::Effects(rows) => rows,
            Reading::Unreadable(_) => &[],
        }
    }

    /// The operation that made a row.
    fn operation(&self, row: &Map<String, Value>) -> Option<OperationId> {
        match row.get(self.column)? {
            Value::String(text) => Some(OperationId::new(text.as_str())),
            Value::Number(number) => Some(OperationId::new(number.to_string())),
            _ => None,
        }
    }

    /// What it shows of one operation. A row that names no operation could be anyone's effect: the look then tells
    /// nothing.
    fn look(&self, operation: &OperationId, settled: bool) -> Look {
        if let Reading::Unreadable(reason) = self.reading {
            return Look::unreadable(self.probe, reason);
        }
        let owners: Option<Vec<OperationId>> = self.rows().iter().map(|row| self.operation(row)).collect();
        let Some(owners) = owners else {
            return Look::unreadable(self.probe, format!("a row names no operation in the column `{}`", self.column));
        };
        let own = owners.iter().filter(|owner| *owner == operation).count();
        let effects = vec![EffectSeen { receipt: None, parameters_match: None }; own];
        Look { probe: self.probe.to_owned(), state: LookState::Read { settled, authoritative: true }, effects }
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
