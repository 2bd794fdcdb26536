//! A run that is done in parts by several processes, and put together: the real binary, from outside.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test that cannot set up has to fail")]
#![allow(dead_code, reason = "what it shares with the end-to-end tests it does not use to the last function")]

mod brought;
mod merged;
mod queries;
#[path = "../end_to_end/sandbox.rs"]
mod sandbox;
#[path = "../runner/scene.rs"]
mod scene;
#[path = "../end_to_end/small_project.rs"]
mod small_project;
