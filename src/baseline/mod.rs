//! Accepted results: appended, content-addressed, hash-chained, never rewritten.

mod record;

pub use record::{AcceptedCase, Baseline, BaselineEntry, Record, Scope};
