//! Mesa's review desk: drafts an answer from policy sources and stages it for local review. It never sends.
//!
//! One invocation flows through the files in this order: [`request`] is read, [`permissions`] are demanded,
//! [`records`] and [`library`] are looked into, [`retrieval`] finds what rules, the [`drafter`] drafts,
//! [`proposals`], [`approvals`] and the [`guard`] decide, [`staging`] writes, [`reading`] looks at what is there now,
//! and [`answer`] says so. [`desk`] holds them together.

mod answer;
mod approvals;
mod attempt;
mod calls;
mod conduct;
mod counter;
mod defects;
mod desk;
mod drafter;
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
mod words;

pub use defects::Defect;

use super::{PracticeAnswer, PracticeCall, PracticeError};

/// Invokes the desk once.
///
/// # Errors
/// When the parts do not describe a desk, or its database cannot be used.
pub fn invoke(call: &PracticeCall<'_>) -> Result<PracticeAnswer, PracticeError> {
    desk::Desk::open(call)?.serve()
}
