//! The practice workflow against the repository's own cases: sound, and with each seeded defect.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod bench;
mod durable;
mod facets;
mod kill;
mod proven;
mod repository;
mod selected;
mod sound;
