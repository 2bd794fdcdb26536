//! A run that is killed, cancelled, paused, starved of disk or raced by others loses nothing: the real binary, from outside.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test that cannot set up has to fail")]
#![allow(dead_code, reason = "what it shares with the end-to-end tests it does not use to the last function")]

mod disk;
mod formats;
mod held;
mod kill;
mod limits;
mod order;
mod out_of_time;
mod race;
mod resume;
mod retry;
#[path = "../end_to_end/sandbox.rs"]
mod sandbox;
mod scene;
#[path = "../end_to_end/small_project.rs"]
mod small_project;
mod stopped;
