//! The change room against real repositories, built with the git command in temporary folders.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has to fail")]

mod attributes;
mod base;
mod listing;
mod project;
mod refused;
mod scratch;
mod unseen;
mod working_tree;
