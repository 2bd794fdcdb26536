//! Mesa's review desk: drafts an answer from policy sources and stages it for local review. It never sends.
//!
//! One invocation flows through the files in this order: [`request`] is read, [`permissions`] are demanded,
//! [`records`] and [`library`] are looked into, [`retrieval`] finds what rules, the [`drafter`] drafts,
//! [`proposals`], [`approvals`] and the [`guard`] decide, [`staging`] writes, [`reading`] looks at what is there now,
//! and [`answer`] says so. [`desk`] holds them together; it tells [`waypoints`] of every durable write.

mod answer;
mod approvals;
mod attempt;
mod calls;
mod conduct;
mod counter;
mod defects;
mod desk;
mod drafter;
mod fallback;
mod guard;
mod instructions;
mod library;
mod parts;
mod pause;
mod permissions;
mod prompt;
mod proposals;
mod reading;
mod records;
mod refusal;
mod request;
mod retrieval;
mod schema;
mod staging;
mod waypoints;
mod words;

pub use defects::Defect;
pub use waypoints::{Point, Unwatched, Waypoints, Write};

use super::{PracticeAnswer, PracticeCall, PracticeError};

/// Invokes the desk once.
///
/// # Errors
/// When the parts do not describe a desk, or its database cannot be used.
pub fn invoke(call: &PracticeCall<'_>) -> Result<PracticeAnswer, PracticeError> {
    desk::Desk::open(call, &Unwatched)?.serve()
}

/// Invokes the desk once, as a process that tells of each durable write before and after it.
///
/// # Errors
/// As [`invoke`].
pub fn invoke_watched(call: &PracticeCall<'_>, waypoints: &dyn Waypoints) -> Result<PracticeAnswer, PracticeError> {
    desk::Desk::open(call, waypoints)?.serve()
}
