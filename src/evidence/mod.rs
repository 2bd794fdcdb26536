//! What was observed in a trial, and what it supports: answers, claims, exchanges with targets, what probes read,
//! and from all that the outcome of each operation.

mod excerpt;
mod observation;
mod outcome;

pub use excerpt::excerpt;
pub use observation::{
    Answer, Answered, AttemptSeen, ClaimMade, ErrorKind, Form, Judgement, Observation, OperationSeen, Reading,
    StepObservation, TrialError,
};
pub use outcome::{EffectSeen, Look, LookState, check_claim, conclude, operations_named};
