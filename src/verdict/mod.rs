//! Differences and policy, summed up: pass, fail or inconclusive, with the exit code and every reason. Pure.

mod judge;
mod judgement;
mod set_policy;
mod shadow;

pub use judge::{BaselineState, Interruption, OUT_OF_TIME, Purpose, VerdictInput, verdict};
pub use judgement::{Verdict, VerdictReason, VerdictWord};
pub use set_policy::{PolicyDecision, SetJudgement};
pub use shadow::Shadow;
