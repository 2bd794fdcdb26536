//! its own cases, sound and with each seeded defect, and a real kill at every point.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod bench;
mod kill;
mod processes;
mod proven;
#[path = "../practice/repository.rs"]
mod repository;
mod selected;
mod sound;
