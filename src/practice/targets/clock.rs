//! Time for targets and workflow: the system's, or one that passes only where someone waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;

/// A clock that everyone in a trial shares. Times are milliseconds since 1970 in UTC.
#[derive(Clone, Debug)]
pub enum Clock {
    /// The system's clock; waiting is sleeping.
    System,
    /// A clock that stands still until someone waits, which takes no time at all.
    Simulated(Arc<AtomicI64>),
}

impl Clock {
    /// A simulated clock that shows `now_ms`.
    pub fn simulated(now_ms: i64) -> Self {
        Self::Simulated(Arc::new(AtomicI64::new(now_ms)))
    }

    /// The time.
    pub fn now_ms(&self) -> i64 {
        match self {
            Self::System => Timestamp::now().as_millisecond(),
            Self::Simulated(now_ms) => now_ms.load(Ordering::SeqCst),
        }
    }

    /// Waits. A time that is past already takes none.
    pub fn wait_ms(&self, ms: i64) {
        let ms = ms.max(0);
        match self {
            Self::System => thread::sleep(Duration::from_millis(ms.unsigned_abs())),
            Self::Simulated(now_ms) => {
                now_ms.fetch_add(ms, Ordering::SeqCst);
            }
        }
    }
}

/// Seconds as whole milliseconds; what is no number or negative is none.
pub(crate) fn ms(seconds: f64) -> i64 {
    // A cast saturates, and NaN becomes zero.
    ((seconds * 1000.0).round() as i64).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulated_clock_moves_only_by_waiting_and_for_everyone() {
        let clock = Clock::simulated(1_000);
        let shared = clock.clone();
        shared.wait_ms(250);
        shared.wait_ms(-50);
        assert_eq!(clock.now_ms(), 1_250);
    }

    #[test]
    fn seconds_become_milliseconds_and_nonsense_becomes_none() {
        assert_eq!([ms(1.5), ms(-1.0), ms(f64::NAN), ms(0.0004)], [1_500, 0, 0, 0]);
    }
}
