//! The change room against real repositories, built with the git command in temporary folders.

mod base;
mod listing;
mod project;
mod refused;
mod scratch;
mod working_tree;
