//! holdpoint: a change-gated evaluation and regression runner for AI workflows.

pub mod baseline;
pub mod change;
pub mod comparison;
pub mod domain;
pub mod evidence;
pub mod execution;
pub mod grading;
pub mod manifest;
pub mod practice;
pub mod report;
pub mod selection;
pub mod store;
pub mod verdict;
