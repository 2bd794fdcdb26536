//! Differences and policy, summed up: pass, fail or inconclusive, with the exit code and every reason. Pure.

mod judgement;

pub use judgement::{Verdict, VerdictReason, VerdictWord};
