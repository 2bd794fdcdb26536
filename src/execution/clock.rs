//! The time that a workflow is told: fixed by the case or the project, or real; moved on by clock steps alone.

use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use crate::evidence::{ErrorKind, TrialError};

/// One trial's time.
pub(super) struct TrialClock {
    start: Start,
    advanced: SignedDuration,
}

enum Start {
    /// A time that stands still, with the offset from UTC in which it is told.
    Fixed { timestamp: Timestamp, offset: Offset },
    /// Whatever time it is.
    Real(fn() -> Timestamp),
}

impl TrialClock {
    /// A clock that shows `fixed` (RFC 3339), or the real time where there is none.
    ///
    /// # Errors
    /// When `fixed` is no time.
    pub(super) fn new(fixed: Option<&str>, real: fn() -> Timestamp) -> Result<Self, TrialError> {
        let start = match fixed {
            None => Start::Real(real),
            Some(text) => {
                let timestamp = text.parse().map_err(|error| setup(format!("`now` is no time: {error}")))?;
                let offset = Pieces::parse(text).ok().and_then(|pieces| pieces.to_numeric_offset());
                Start::Fixed { timestamp, offset: offset.unwrap_or(Offset::UTC) }
            }
        };
        Ok(Self { start, advanced: SignedDuration::ZERO })
    }

    /// Moves the clock on.
    ///
    /// # Errors
    /// When the time would be later than any that can be written.
    pub(super) fn advance(&mut self, seconds: u64) -> Result<(), TrialError> {
        let too_late = || setup(format!("the clock cannot be moved on by another {seconds} seconds"));
        let step = i64::try_from(seconds).map(SignedDuration::from_secs).map_err(|_| too_late())?;
        self.advanced = self.advanced.checked_add(step).ok_or_else(too_late)?;
        self.now().map(|_| ())
    }

    /// The time now, RFC 3339: UTC as `Z`, another offset as it was given.
    ///
    /// # Errors
    /// When the time is later than any that can be written.
    pub(super) fn now(&self) -> Result<String, TrialError> {
        let (timestamp, offset) = match self.start {
            Start::Fixed { timestamp, offset } => (timestamp, offset),
            Start::Real(real) => (real(), Offset::UTC),
        };
        let now = timestamp
            .checked_add(self.advanced)
            .map_err(|error| setup(format!("the clock was moved on too far: {error}")))?;
        Ok(if offset == Offset::UTC { now.to_string() } else { now.display_with_offset(offset).to_string() })
    }
}

fn setup(message: String) -> TrialError {
    TrialError { kind: ErrorKind::Setup, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real() -> Timestamp {
        Timestamp::from_second(1_000_000_000).unwrap()
    }

    fn clock(fixed: Option<&str>) -> TrialClock {
        TrialClock::new(fixed, real).unwrap()
    }

    #[test]
    fn a_fixed_time_is_told_in_its_own_offset() {
        assert_eq!(clock(Some("2026-03-02T09:30:00Z")).now().unwrap(), "2026-03-02T09:30:00Z");
        assert_eq!(clock(Some("2026-03-02T09:30:00+01:00")).now().unwrap(), "2026-03-02T09:30:00+01:00");
    }

    #[test]
    fn clock_steps_add_up() {
        let mut clock = clock(Some("2026-03-02T23:30:00+01:00"));
        clock.advance(3600).unwrap();
        clock.advance(86_400).unwrap();
        assert_eq!(clock.now().unwrap(), "2026-03-04T00:30:00+01:00");
    }

    #[test]
    fn without_a_fixed_time_the_real_one_is_told_and_moved_on() {
        let mut clock = clock(None);
        assert_eq!(clock.now().unwrap(), "2001-09-09T01:46:40Z");
        clock.advance(20).unwrap();
        assert_eq!(clock.now().unwrap(), "2001-09-09T01:47:00Z");
    }

    #[test]
    fn what_is_no_time_and_what_is_beyond_all_time_are_errors() {
        assert!(TrialClock::new(Some("tomorrow"), real).is_err());
        assert!(TrialClock::new(Some("2026-03-02"), real).is_err());
        let mut clock = clock(Some("9998-01-01T00:00:00Z"));
        assert!(clock.advance(3_153_600_000).is_err());
        assert!(clock.advance(u64::MAX).is_err());
    }
}
