//! Whether what could not be reached is tried again: a budget for the run, a circuit for each workflow.
//!
//! The budget is a share of the trials begun so far and a minimum, as in Finagle's `RetryBudget` and in spirit that of
//! gRPC's retry throttling (proposal A6): a dead target gets a bounded number of further tries, however many trials ask. The
//! circuit stays open for the rest of the run. Pauses have full jitter (M. Brooker, "Exponential Backoff And Jitter",
//! 2015): uniform between nothing and `min(cap, base * 2^n)`, drawn from the trial's seed alone.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::domain::WorkflowId;
use crate::evidence::Unreached;
use crate::manifest::RetryPolicy;

use super::cancellation::Cancellation;
use super::time_limit::TimeLimit;

/// What follows a try that reached nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Another try.
    Again,
    /// This start has had its tries.
    TriesOver,
    /// The run has had its further tries.
    BudgetOver,
    /// So many in a row: this workflow is left alone from now on.
    Open,
}

/// The state: no clock, no chance, no thread.
#[derive(Debug)]
struct Machine {
    policy: RetryPolicy,
    begun: u64,
    spent: u64,
    in_a_row: BTreeMap<WorkflowId, u32>,
}

impl Machine {
    fn new(policy: RetryPolicy) -> Self {
        Self { policy, begun: 0, spent: 0, in_a_row: BTreeMap::new() }
    }

    /// A trial of this workflow begins; so many tries in a row have failed where its circuit is open.
    fn begin(&mut self, workflow: &WorkflowId) -> Result<(), u32> {
        let failed = self.in_a_row.get(workflow).copied().unwrap_or_default();
        if failed >= self.policy.circuit {
            return Err(failed);
        }
        self.begun += 1;
        Ok(())
    }

    fn reached(&mut self, workflow: &WorkflowId) {
        // Trials in flight when a circuit opened do not close it: what they reached may have been before.
        if let Some(failed) = self.in_a_row.get_mut(workflow).filter(|failed| **failed < self.policy.circuit) {
            *failed = 0;
        }
    }

    /// The `tries`-th try of one start has failed.
    fn unreached(&mut self, workflow: &WorkflowId, tries: u32) -> Next {
        let failed = self.in_a_row.entry(workflow.clone()).or_default();
        *failed = failed.saturating_add(1);
        if *failed >= self.policy.circuit {
            return Next::Open;
        }
        if tries >= self.policy.tries {
            return Next::TriesOver;
        }
        if self.spent >= self.allowed() {
            return Next::BudgetOver;
        }
        self.spent += 1;
        Next::Again
    }

    fn allowed(&self) -> u64 {
        // Saturating where it would not fit; a ratio is never negative.
        u64::from(self.policy.budget_minimum) + (self.policy.budget_ratio * self.begun as f64) as u64
    }
}

/// The pause before try `tries + 1`: full jitter, `chance` being uniform over all values.
fn pause(policy: &RetryPolicy, tries: u32, chance: u64) -> Duration {
    let doubled = policy.base_ms.saturating_mul(1_u64.checked_shl(tries.saturating_sub(1)).unwrap_or(u64::MAX));
    let most = doubled.min(policy.cap_ms);
    Duration::from_millis(chance % most.saturating_add(1))
}

/// A number that looks like chance and depends on the two alone (SplitMix64's finaliser, Steele et al., 2014).
fn chance(seed: u64, tries: u32) -> u64 {
    let mut z = seed.wrapping_add(u64::from(tries).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What all trials of a run share of it.
#[derive(Debug)]
pub(super) struct Retries(Mutex<Machine>);

/// Whose start it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Starter<'a> {
    pub(super) workflow: &'a WorkflowId,
    pub(super) seed: u64,
    /// Whether what is reached is the workflow itself, and not only a target of its trial.
    pub(super) is_workflow: bool,
    /// Until when it may be tried again, where that is limited.
    pub(super) until: Option<TimeLimit>,
}

impl Retries {
    pub(super) fn new(policy: RetryPolicy) -> Self {
        Self(Mutex::new(Machine::new(policy)))
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a trial of this workflow can begin; if not, why.
    pub(super) fn begin(&self, workflow: &WorkflowId) -> Result<(), String> {
        self.machine().begin(workflow).map_err(|failed| {
            format!("not tried: `{workflow}` could not be reached {failed} times in a row, so its remaining trials are errored")
        })
    }

    /// Does `attempt` until it reaches something or may not be done again. `unreached` says why a result shows that
    /// nothing was reached; each such try is noted. `attempt` is told the number of the try, from 1.
    pub(super) fn persist<T>(
        &self,
        starter: Starter<'_>,
        cancellation: &Cancellation,
        noted: &mut Vec<Unreached>,
        unreached: impl Fn(&T) -> Option<String>,
        mut attempt: impl FnMut(u32) -> T,
    ) -> T {
        let mut tries = 0;
        loop {
            tries += 1;
            let result = attempt(tries);
            let Some(why) = unreached(&result) else {
                if starter.is_workflow {
                    self.machine().reached(starter.workflow);
                }
                return result;
            };
            let (next, policy) = {
                let mut machine = self.machine();
                (machine.unreached(starter.workflow, tries), machine.policy.clone())
            };
            let wait = pause(&policy, tries, chance(starter.seed, tries));
            let out_of_time = starter.until.filter(|until| until.left() <= wait);
            let then = match (next, out_of_time) {
                (Next::Again, Some(until)) => format!("not tried again: {} would be over", until.phrase()),
                (Next::Again, None) => format!("tried again after {} ms", wait.as_millis()),
                (Next::TriesOver, _) => format!("given up after {tries} tries"),
                (Next::BudgetOver, _) => "not tried again: the run's budget for that is used up".to_owned(),
                (Next::Open, _) => "not tried again: too many in a row reached nothing".to_owned(),
            };
            noted.push(Unreached { why, then });
            let is_over = next != Next::Again || out_of_time.is_some();
            if is_over || cancellation.is_requested() || cancellation.wait(wait) {
                return result;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_dead_target_gets_no_more_than_its_share(
            trials in 0_u32..300, tries in 1_u32..6, ratio in 0.0_f64..2.0, minimum in 0_u32..20, circuit in 1_u32..400,
        ) {
            let policy = RetryPolicy { tries, budget_ratio: ratio, budget_minimum: minimum, circuit, ..RetryPolicy::default() };
            let (mut machine, dead) = (Machine::new(policy), WorkflowId::from("dead"));
            let (mut asked, mut begun) = (0_u32, 0_u32);
            for _ in 0..trials {
                if machine.begin(&dead).is_err() {
                    break;
                }
                begun += 1;
                for number in 1.. {
                    asked += 1;
                    if machine.unreached(&dead, number) != Next::Again {
                        break;
                    }
                }
            }
            prop_assert!(asked <= begun * tries && asked <= circuit);
            prop_assert!(f64::from(asked - begun) <= f64::from(minimum) + ratio * f64::from(begun));
            prop_assert!(begun == trials || asked == circuit);
        }

        #[test]
        fn what_reaches_something_now_and_then_opens_no_circuit(runs in prop::collection::vec(1_u32..5, 1..50)) {
            let policy = RetryPolicy { circuit: 5, ..RetryPolicy::default() };
            let (mut machine, shaky) = (Machine::new(policy), WorkflowId::from("shaky"));
            for failures in runs {
                prop_assert!(machine.begin(&shaky).is_ok());
                (0..failures).for_each(|_| { machine.unreached(&shaky, 1); });
                machine.reached(&shaky);
            }
            prop_assert!(machine.begin(&shaky).is_ok());
        }

        #[test]
        fn a_pause_stays_below_its_bound_and_depends_on_the_seed_alone(seed: u64, tries in 1_u32..200, base in 0_u64..1000) {
            let policy = RetryPolicy { base_ms: base, cap_ms: 3000, ..RetryPolicy::default() };
            let waited = pause(&policy, tries, chance(seed, tries));
            prop_assert!(waited <= Duration::from_millis(3000.min(base.saturating_mul(1 << tries.min(40)))));
            prop_assert_eq!(waited, pause(&policy, tries, chance(seed, tries)));
        }
    }

    #[test]
    fn the_circuit_of_one_workflow_is_no_other_ones() {
        let policy = RetryPolicy { circuit: 1, ..RetryPolicy::default() };
        let mut machine = Machine::new(policy);
        assert_eq!(machine.unreached(&WorkflowId::from("dead"), 1), Next::Open);
        assert_eq!(machine.begin(&WorkflowId::from("dead")), Err(1));
        machine.reached(&WorkflowId::from("dead"));
        assert_eq!(machine.begin(&WorkflowId::from("dead")), Err(1), "a late answer does not close it");
        assert_eq!(machine.begin(&WorkflowId::from("alive")), Ok(()));
    }
}
