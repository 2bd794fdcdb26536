//! When another attempt is made, and after which wait. Pure.

use crate::domain::Digest;
use crate::manifest::{Jitter, Retry, RetryOn};
use crate::practice::targets::ms;

/// What a target may ask to wait for at the most, in milliseconds.
const LONGEST_RETRY_AFTER_MS: i64 = 120_000;

/// Where a round of attempts stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    /// Attempts made.
    pub(super) attempts: u32,
    /// When the first of them was made.
    pub(super) since_ms: i64,
}

/// Which bounds hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) attempts: bool,
    pub(super) time: bool,
}

/// The wait before the next attempt, or why there is none.
pub(super) fn next_wait(
    retry: &Retry,
    after: RetryOn,
    round: Round,
    now_ms: i64,
    retry_after_ms: Option<i64>,
    seed: &str,
    bounds: Bounds,
) -> Result<i64, &'static str> {
    if !retry.on.is_empty() && !retry.on.contains(&after) {
        return Err("the retry policy does not try again after this");
    }
    if bounds.attempts && round.attempts >= retry.attempts {
        return Err("all permitted attempts were made");
    }
    let backoff = spread(retry, round.attempts.saturating_sub(1), seed);
    let wait = match retry_after_ms.filter(|_| retry.honour_retry_after) {
        Some(asked) if asked > LONGEST_RETRY_AFTER_MS => return Err("the target asks to wait for too long"),
        Some(asked) => backoff.max(asked),
        None => backoff,
    };
    let over = |budget: i64| now_ms.saturating_add(wait).saturating_sub(round.since_ms) > budget;
    if bounds.time && retry.budget_s.is_some_and(|budget_s| over(ms(budget_s))) {
        return Err("the time for all attempts together is over");
    }
    Ok(wait)
}

/// min(cap, base · factor^n), spread by a fraction that depends on the operation and the attempt alone: two workflows
/// do not try again in step, and one that is run again behaves the same.
fn spread(retry: &Retry, n: u32, seed: &str) -> i64 {
    let backoff = &retry.backoff;
    let exponent = i32::try_from(n).unwrap_or(i32::MAX);
    let cap = backoff.cap_s.unwrap_or(f64::MAX);
    let whole = (backoff.base_s * backoff.factor.powi(exponent)).min(cap);
    let fraction = fraction(&format!("{seed}#{n}"));
    ms(match retry.jitter {
        Jitter::None => whole,
        Jitter::Full => whole * fraction,
        Jitter::Equal => whole / 2.0 + whole / 2.0 * fraction,
        Jitter::Decorrelated => (backoff.base_s + (3.0 * whole - backoff.base_s).max(0.0) * fraction).min(cap),
    })
}

/// A number from 0 up to 1, the same for the same seed.
fn fraction(seed: &str) -> f64 {
    let digits = Digest::of(seed.as_bytes());
    u32::from_str_radix(&digits.hex()[..8], 16).map_or(0.0, |number| f64::from(number) / (f64::from(u32::MAX) + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Backoff;

    const ALL: Bounds = Bounds { attempts: true, time: true };

    fn retry(jitter: Jitter) -> Retry {
        Retry {
            attempts: 3,
            budget_s: Some(20.0),
            backoff: Backoff { base_s: 1.0, factor: 2.0, cap_s: Some(3.0) },
            jitter,
            honour_retry_after: true,
            on: vec![RetryOn::ServerError],
        }
    }

    fn wait(retry: &Retry, attempts: u32, now_ms: i64, retry_after_ms: Option<i64>) -> Result<i64, &'static str> {
        let round = Round { attempts, since_ms: 0 };
        next_wait(retry, RetryOn::ServerError, round, now_ms, retry_after_ms, "R-618/reservation", ALL)
    }

    #[test]
    fn waits_double_up_to_the_cap() {
        let retry = Retry { attempts: 9, ..retry(Jitter::None) };
        let waits: Vec<i64> = (1..=4).map(|attempts| wait(&retry, attempts, 0, None).unwrap()).collect();
        assert_eq!(waits, [1_000, 2_000, 3_000, 3_000]);
    }

    #[test]
    fn attempts_and_time_are_bounded_and_a_longer_retry_after_counts() {
        let retry = retry(Jitter::None);
        assert!(wait(&retry, 3, 0, None).is_err());
        assert!(wait(&retry, 1, 19_001, None).is_err());
        assert_eq!(wait(&retry, 1, 19_000, None), Ok(1_000));
        assert_eq!(wait(&retry, 1, 0, Some(7_000)), Ok(7_000));
        assert_eq!(wait(&retry, 1, 0, Some(10)), Ok(1_000));
        assert!(wait(&retry, 1, 0, Some(21_000)).is_err());
        let patient = Retry { budget_s: None, ..retry };
        assert!(wait(&patient, 1, 0, Some(120_001)).is_err());
    }

    #[test]
    fn only_what_the_policy_names_is_tried_again() {
        let round = Round { attempts: 1, since_ms: 0 };
        let after = |retry: &Retry| next_wait(retry, RetryOn::Timeout, round, 0, None, "x", ALL).is_ok();
        assert!(!after(&retry(Jitter::None)));
        assert!(after(&Retry { on: Vec::new(), ..retry(Jitter::None) }));
    }

    #[test]
    fn jitter_stays_in_its_range_differs_between_operations_and_repeats_itself() {
        for (jitter, least, most) in
            [(Jitter::Full, 0, 1_000), (Jitter::Equal, 500, 1_000), (Jitter::Decorrelated, 1_000, 3_000)]
        {
            let retry = retry(jitter);
            let waits: Vec<i64> = (0..50).map(|n| spread(&retry, 0, &format!("R-{n}/case"))).collect();
            assert!(waits.iter().all(|wait| (least..=most).contains(wait)), "{jitter:?} {waits:?}");
            assert!(waits.iter().any(|wait| *wait != waits[0]), "{jitter:?}");
            assert_eq!(waits[7], spread(&retry, 0, "R-7/case"));
        }
    }
}
