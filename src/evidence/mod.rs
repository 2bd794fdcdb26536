//! What was observed in a trial, and what it supports: answers, claims, exchanges with targets, what probes read,
//! and from all that the outcome of each operation.

mod attempts;
mod excerpt;
mod exchange;
mod looks;
mod markdown;
mod observation;
mod open_call;
mod outcome;
pub(crate) mod strict_json;
#[cfg(test)]
mod whole_way;
mod wire;

pub use attempts::attempts_at_operations;
pub use excerpt::excerpt;
pub use exchange::{Delivered, Exchange, FaultLaid, Forwarded, Message};
pub use looks::{ProbedTarget, SeenOnTheWay};
pub use markdown::escape_markdown;
pub use observation::{
    Answer, Answered, AttemptSeen, Call, ClaimMade, ErrorKind, Form, Judgement, LookHad, Observation, OperationSeen,
    Reading, StepObservation, TrialError, Unreached,
};
pub use open_call::{MayLand, may_land};
pub use outcome::{EffectSeen, Look, LookState, check_claim, conclude, operations_named};
pub use wire::{RequestSeen, WireMatch, WireTable};
