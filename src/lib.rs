//! holdpoint: a change-gated evaluation and regression runner for AI workflows that act on other systems.
//!
//! The stages, in the order in which data passes through them:
//!
//! 1. [`manifest`] reads the project's files: workflows, versioned manifests of their parts, cases.
//! 2. [`change`] finds what differs between a base and a head.
//! 3. [`selection`] plans which cases run and why, which do not and why that is safe.
//! 4. [`execution`] runs them against workflows, those of [`practice`] among them, with [`proxy`] between a workflow and
//!    its targets.
//! 5. [`evidence`] is what was observed, and what it supports.
//! 6. [`grading`] judges each trial; [`exercise`] makes trials of its own, of every fault at every call.
//! 7. [`baseline`] holds what was accepted earlier, and [`comparison`] says where each case stands against it.
//! 8. [`verdict`] sums up, and [`report`] tells people and machines. [`operations`] are the papers of those who run the
//!    workflow and take it over.
//!
//! [`init`] begins a project where there is none, and [`import`] brings what other tools hold. [`pipeline`] is the whole
//! order; [`store`] keeps what stays on this machine; [`cli`] talks. [`domain`] holds the
//! values that all of them speak in.

pub mod baseline;
pub mod change;
pub mod cli;
pub mod comparison;
pub mod domain;
pub mod evidence;
pub mod execution;
pub mod exercise;
pub mod grading;
pub mod import;
pub mod init;
pub mod manifest;
pub mod operations;
pub mod pipeline;
pub mod practice;
pub mod proxy;
pub mod report;
pub mod selection;
pub mod store;
pub mod verdict;
