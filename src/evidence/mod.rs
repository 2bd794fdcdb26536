//! What was observed in a trial: answers, claims, exchanges with targets, what probes read.

mod observation;

pub use observation::{
    Answer, AttemptSeen, ClaimMade, ErrorKind, Form, Judgement, Observation, OperationSeen, Reading, StepObservation,
    TrialError,
};
