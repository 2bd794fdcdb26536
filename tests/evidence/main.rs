//! A workflow and a target as people write them, with the runner between the two: real processes, real calls.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test that cannot set up has to fail")]

mod documented;
mod outcomes;
mod probes;
mod scene;
mod trouble;
