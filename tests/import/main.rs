//! Imports: what is written for files of other tools, what is refused, and the real binary on them.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test that cannot set up has to fail")]

mod assertion_types;
mod binary;
mod documented;
mod golden;
mod hostile;
mod inspect_log;
mod odd_forms;
