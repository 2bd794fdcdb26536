//! Runs trials against workflows and observes them: programs, services and practice workflows, then probes and judges.
//!
//! A trial is executed by one thread from its state directory to its observation ([`trial`]); where the project declares
//! the workflow's connectors, its calls to them pass through the proxy ([`wiring`]). Nothing that a workflow
//! prints is trusted: it is read within limits, parsed strictly, and never becomes a command or a path.

mod address;
mod aftermath;
mod answer;
mod cancellation;
mod capture;
mod children;
mod client;
mod clock;
mod command_workflow;
mod encodings;
mod exit_watch;
mod http_workflow;
mod invocation;
mod judges;
mod memory_cap;
mod operations;
mod orphans;
mod practice_workflow;
mod probes;
mod process;
mod program;
mod queue;
mod reaper;
mod redact;
mod retry;
mod runner;
mod service;
#[cfg(test)]
mod specimen;
mod state_dir;
mod targets;
mod time_limit;
mod trial;
mod turns;
mod wiring;
mod workflow;

use crate::evidence::strict_json;

pub use cancellation::Cancellation;
pub use invocation::step_input;
pub use orphans::end_leftovers;
pub use redact::{Redactor, unset_secrets};
pub use runner::{ExecutionError, ExecutionSettings, RawObservation, execute};
pub use time_limit::RunDeadline;
pub use trial::TrialSpec;
