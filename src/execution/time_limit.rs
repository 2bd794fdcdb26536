//! Until when something may go on, and which limit says so: a step's own, its trial's or the run's.

use std::time::{Duration, Instant};

/// When a run stops starting trials and ends the steps in flight.
#[derive(Clone, Copy, Debug)]
pub struct RunDeadline(TimeLimit);

impl RunDeadline {
    /// Begins to count now; `None` where the run may take as long as it takes.
    pub fn begin(seconds: Option<u64>) -> Option<Self> {
        seconds.and_then(|seconds| TimeLimit::begin(Whose::Run, seconds)).map(Self)
    }

    /// Whether the time is up.
    pub fn is_over(&self) -> bool {
        self.0.is_over()
    }

    /// How long the run may take, in seconds.
    pub fn seconds(&self) -> u64 {
        self.0.seconds
    }

    pub(super) fn limit(self) -> TimeLimit {
        self.0
    }
}

/// Whose limit it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Step,
    Trial,
    Run,
}

/// A limit that has begun to count.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimit {
    whose: Whose,
    seconds: u64,
    ends: Instant,
}

impl TimeLimit {
    /// A limit that lies further ahead than the clock can tell is none.
    fn begin(whose: Whose, seconds: u64) -> Option<Self> {
        let ends = Instant::now().checked_add(Duration::from_secs(seconds))?;
        Some(Self { whose, seconds, ends })
    }

    /// The earlier one of the run's limit and that of a trial which begins now.
    pub(super) fn of_trial(seconds: Option<u64>, run: Option<Self>) -> Option<Self> {
        let trial = seconds.and_then(|seconds| Self::begin(Whose::Trial, seconds));
        trial.into_iter().chain(run).min_by_key(|limit| limit.ends)
    }

    /// The limit of a step that begins now: its own, or what is left of its trial where that is less.
    pub(super) fn of_step(seconds: u64, trial: Option<Self>) -> StepLimit {
        let own = Duration::from_secs(seconds);
        match trial.filter(|trial| trial.left() < own) {
            Some(trial) => StepLimit { left: trial.left(), limit: trial },
            None => StepLimit { left: own, limit: Self { whose: Whose::Step, seconds, ends: Instant::now() + own } },
        }
    }

    /// What is left; nothing once it is over.
    pub(super) fn left(&self) -> Duration {
        self.ends.saturating_duration_since(Instant::now())
    }

    pub(super) fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    /// In words: `the trial's limit of 5 s`.
    pub(super) fn phrase(&self) -> String {
        let whose = match self.whose {
            Whose::Step => "step",
            Whose::Trial => "trial",
            Whose::Run => "run",
        };
        format!("the {whose}'s limit of {} s", self.seconds)
    }
}

/// How long one step may take, and why not longer.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepLimit {
    /// The time that it has.
    pub(super) left: Duration,
    limit: TimeLimit,
}

impl StepLimit {
    /// The limit of the trial or of the run, where it is not the step's own. Passing it ends the trial, whatever a step may do.
    pub(super) fn of_all_steps(&self) -> Option<TimeLimit> {
        Some(self.limit).filter(|limit| limit.whose != Whose::Step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_limit_counts_and_is_named() {
        let run = RunDeadline::begin(Some(100)).map(RunDeadline::limit);
        let name = |step: u64, trial: Option<u64>| {
            let limit = TimeLimit::of_step(step, TimeLimit::of_trial(trial, run));
            assert!(limit.left <= Duration::from_secs(step), "a step never gets more than its own limit");
            limit.of_all_steps().map(|limit| limit.phrase())
        };
        assert_eq!(name(10, Some(20)), None);
        assert_eq!(name(30, Some(20)).as_deref(), Some("the trial's limit of 20 s"));
        assert_eq!(name(300, Some(200)).as_deref(), Some("the run's limit of 100 s"));
        assert_eq!(name(300, None).as_deref(), Some("the run's limit of 100 s"));
    }

    #[test]
    fn without_limits_of_trial_and_run_a_step_has_its_own_alone() {
        let limit = TimeLimit::of_step(7, TimeLimit::of_trial(None, None));
        assert_eq!((limit.left, limit.of_all_steps().is_none()), (Duration::from_secs(7), true));
    }

    #[test]
    fn what_is_over_leaves_nothing() {
        let run = RunDeadline::begin(Some(0)).unwrap();
        assert!(run.is_over() && !RunDeadline::begin(Some(60)).unwrap().is_over());
        let limit = TimeLimit::of_step(60, TimeLimit::of_trial(Some(30), Some(run.limit())));
        assert!(limit.left.is_zero());
        assert!(RunDeadline::begin(None).is_none());
    }
}
