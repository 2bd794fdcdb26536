//! Accepted results: appended, content-addressed, hash-chained, never rewritten.

mod accept;
mod accepted_case;
mod fold;
mod ledger;
mod reading;
mod record;
mod recorded_parts;
mod reviewed;
#[cfg(test)]
pub(crate) mod samples;

pub use accept::{AcceptError, AcceptRequest, Acceptance, FewerTrials, accept, revoke};
pub use accepted_case::ChangedOutcome;
pub use ledger::{Ledger, LedgerError, all_newer};
pub use reading::Finding;
pub use record::{
    AcceptedCase, Baseline, BaselineEntry, Contents, ForkConflict, READ_SCHEMAS, RECORD_SCHEMA, Record, Scope,
};
pub use recorded_parts::{KeptPart, RecordedPart, RecordedSnapshot};
pub use reviewed::reviewed_digest;
