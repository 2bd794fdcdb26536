//! Runs trials against workflows and observes them: programs, services and practice workflows, then probes and judges.
//!
//! A trial is executed by one thread from its state directory to its observation ([`trial`]). Nothing that a workflow
//! prints is trusted: it is read within limits, parsed strictly, and never becomes a command or a path.

mod address;
mod answer;
mod cancellation;
mod capture;
mod clock;
mod command_workflow;
mod encodings;
mod exit_watch;
mod http_workflow;
mod invocation;
mod judges;
mod operations;
mod orphans;
mod practice_workflow;
mod process;
mod program;
mod redact;
mod runner;
mod service;
#[cfg(test)]
mod specimen;
mod sql_probe;
mod state_dir;
mod strict_json;
mod trial;
mod workflow;

pub use cancellation::Cancellation;
pub use orphans::end_leftovers;
pub use redact::Redactor;
pub use runner::{ExecutionError, ExecutionSettings, RawObservation, execute};
pub use trial::TrialSpec;
