//! The documentation is held to the binary: its commands are run, and its reference is made from the code.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test that cannot set up has to fail")]

mod first_page;
mod how_to;
mod page;
mod reference;
mod said;
mod settings;
mod tutorial;
