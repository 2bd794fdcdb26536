//! The real clock, and the run ids that are read from it.

use std::hash::{BuildHasher, RandomState};

use jiff::Timestamp;

use crate::domain::RunId;

/// Now, in UTC, to the millisecond, as RFC 3339.
pub(super) fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// A run id that sorts by time; a random end keeps apart two runs that begin in the same millisecond.
pub(super) fn run_id(started: &str) -> RunId {
    let digits: String = started.chars().filter(char::is_ascii_digit).collect();
    let (day, rest) = digits.split_at(digits.len().min(8));
    let random = RandomState::new().hash_one(started) & 0xff_ffff;
    RunId::new(format!("{day}-{rest}-{random:06x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_ids_sort_by_time_and_differ_within_one_instant() {
        let (early, late) = (run_id("2026-01-02T03:04:05.678Z"), run_id("2026-01-02T03:04:05.679Z"));
        assert!(early < late && early.as_str().starts_with("20260102-030405678-"), "{early}");
        assert_ne!(run_id("2026-01-02T03:04:05.678Z"), run_id("2026-01-02T03:04:05.678Z"));
    }
}
