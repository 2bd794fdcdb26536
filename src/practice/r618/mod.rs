//! a case is created, a component is reserved for it, the customer is told. Three systems, none of which knows
//! of the others, and any call to which can end without an answer.
//!
//! A step counts as made when its target's record shows it ([`matching`]), and never because a call was answered. What
//! was requested, answered and verified stands in the durable [`record`], from which a process that was killed at any
//! [`Point`] goes on. [`attempts`] makes a step: one identity, the same parameters, waits by [`retry`], and a look at
//! the target after every answer that leaves something open. [`conditions`] asks before each attempt whether the step
//! still serves. What stays open is held for a named role. [`undo`] is an action of its own. [`report`] says where
//! case, reservation and communication stand, together.

mod attempts;
mod caller;
mod conditions;
mod conduct;
mod defects;
mod embedded;
mod matching;
mod reading;
mod record;
mod report;
mod request;
mod retry;
mod rights;
mod steps;
mod undo;
mod workflow;
mod world;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::domain::PartId;
use crate::manifest::Part;

use super::targets::{Clock, Target};
use super::{Durability, PracticeAnswer, PracticeCall, PracticeError};

pub use defects::Defect;
pub use steps::{Point, Step, StepPoint, Unwatched, Waypoints};

/// Invokes the workflow once inside a trial, with targets of its own.
///
/// # Errors
/// When the parts or the input describe no such workflow, or a database cannot be used.
pub fn invoke(call: &PracticeCall<'_>) -> Result<PracticeAnswer, PracticeError> {
    embedded::invoke(call)
}

/// The workflow as a process of its own, beside target services that run elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Process<'p> {
    /// The parts of the workflow.
    pub parts: &'p BTreeMap<PartId, Part>,
    /// Where each target listens: `http://127.0.0.1:4711`.
    pub addresses: &'p BTreeMap<Target, String>,
    /// The file of the durable record.
    pub record: &'p Path,
}

impl Process<'_> {
    /// Serves one input in real time; answers with the report as JSON text.
    ///
    /// # Errors
    /// When the parts or the input describe no such workflow, or the record cannot be used.
    pub fn serve(&self, input: &Value, waypoints: &mut dyn Waypoints) -> Result<String, PracticeError> {
        let surroundings = workflow::Surroundings {
            parts: self.parts,
            addresses: self.addresses,
            record: self.record,
            durability: Durability::Process,
            clock: Clock::System,
            waypoints,
        };
        let workflow = workflow::Workflow::open(request::read(input)?, surroundings)?;
        let failed =
            |source| PracticeError::Store { path: self.record.to_owned(), doing: "serving the request", source };
        Ok(workflow.serve().map_err(failed)?.into_text())
    }
}
