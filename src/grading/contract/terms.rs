//! What was agreed: the connectors' contracts, how long approvals hold, and the time that a case lets pass.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::PartId;
use crate::grading::grade::GradingContext;
use crate::manifest::{Case, ConnectorManifest, Manifest, Operation};

/// What a trial's calls are held against.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terms {
    /// The connectors, by id.
    pub connectors: BTreeMap<PartId, ConnectorManifest>,
    /// Seconds for which an approval of a call holds, by `connector/operation`; where several actions consist of the same
    /// call, the longest.
    pub approvals: BTreeMap<String, u64>,
    /// The seconds by which each clock step of the case moves the workflow's time on, by the step's number.
    pub clock_steps: BTreeMap<u32, u64>,
    /// The invokes that say something else than the case's own input, by the step's number: each may be a new approval.
    pub other_inputs: BTreeSet<u32>,
}

impl Terms {
    /// The terms of a case.
    pub fn of(case: &Case, context: &GradingContext<'_>) -> Self {
        let mut terms = Self::default();
        for manifest in context.parts.values().filter_map(|part| part.manifest().ok()) {
            match manifest {
                Manifest::Connector(connector) => {
                    terms.connectors.insert(connector.id.clone(), connector.clone());
                }
                Manifest::Permissions(permissions) => {
                    for action in permissions.actions.values().filter(|action| action.needs_approval) {
                        let Some(seconds) = action.approval_expires_s else { continue };
                        for call in &action.calls {
                            let held = terms.approvals.entry(call.as_str().to_owned()).or_default();
                            *held = seconds.max(*held);
                        }
                    }
                }
                _ => {}
            }
        }
        for (number, step) in (1..).zip(&case.steps) {
            if let Some(clock) = &step.clock {
                terms.clock_steps.insert(number, clock.advance_s);
            }
            if step.invoke.as_ref().is_some_and(|invoke| invoke.input.is_some()) {
                terms.other_inputs.insert(number);
            }
        }
        terms
    }

    /// The contract of a connector's operation.
    pub(super) fn operation(&self, connector: &PartId, operation: &str) -> Option<&Operation> {
        self.connectors.get(connector)?.operations.get(operation)
    }

    /// Seconds by which the workflow's time had been moved on before a step.
    pub(in crate::grading) fn advanced_s(&self, step: u32) -> u64 {
        self.clock_steps.range(..step).map(|(_, seconds)| seconds).sum()
    }
}
