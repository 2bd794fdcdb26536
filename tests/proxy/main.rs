//! The proxy between a raw client and a raw upstream: what each of the two sees, byte by byte, and what is recorded.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod altered;
mod client;
mod encrypted;
mod fidelity;
mod held;
mod hostile;
mod instead;
mod plain;
mod programs;
mod scene;
mod upstream;
