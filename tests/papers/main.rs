//! The papers from outside: the real binary, on recorded runs of a practice workflow and on an operation ledger.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test that cannot set up has to fail")]

mod ledgers;
mod runs;
mod scene;
