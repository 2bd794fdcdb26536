//! What a queue promises, over any limits and any order in which trials end.

use proptest::prelude::*;

use super::*;

/// A queue with its own record of what runs, which is kept without asking it.
struct Watched {
    queue: Queue,
    workers: usize,
    limits: Vec<usize>,
    trials: Vec<BTreeSet<usize>>,
    running: Vec<Turn>,
    begun: Vec<usize>,
}

impl Watched {
    fn new(workers: usize, limits: &[usize], trials: &[&[usize]]) -> Self {
        let trials: Vec<BTreeSet<usize>> = trials.iter().map(|limits| limits.iter().copied().collect()).collect();
        let queue = Queue::new(workers, limits, trials.clone());
        Self { queue, workers, limits: limits.to_vec(), trials, running: Vec::new(), begun: Vec::new() }
    }

    fn users(&self, limit: usize) -> usize {
        self.running.iter().filter(|turn| self.trials[turn.trial].contains(&limit)).count()
    }

    fn could_start(&self, trial: usize) -> bool {
        let is_free = |limit: &usize| self.users(*limit) < self.limits[*limit];
        !self.begun.contains(&trial) && self.trials[trial].iter().all(is_free)
    }

    /// Gives every free worker what there is for it, and answers whether trials still wait.
    fn fill(&mut self) -> bool {
        while self.running.len() < self.workers {
            match self.queue.next() {
                Next::Trial(turn) => {
                    assert!(self.could_start(turn.trial), "{turn:?} is above a limit, or begun twice");
                    self.begun.push(turn.trial);
                    self.running.push(turn);
                }
                Next::Wait => {
                    assert!(!self.running.is_empty(), "nothing runs that could be waited for");
                    let idle = (0..self.trials.len()).find(|trial| self.could_start(*trial));
                    assert_eq!(idle, None, "a worker is idle, and this one could start");
                    return true;
                }
                Next::Nothing => {
                    assert_eq!(self.begun.len(), self.trials.len(), "a trial is forgotten");
                    return false;
                }
            }
        }
        true
    }

    fn end(&mut self, which: usize) {
        let turn = self.running.swap_remove(which % self.running.len());
        self.queue.end(turn);
    }

    /// How many rounds it takes where every trial takes as long as any other.
    fn rounds(mut self) -> usize {
        for round in 1.. {
            let goes_on = self.fill();
            if !goes_on && self.running.is_empty() {
                return round - 1;
            }
            while !self.running.is_empty() {
                self.end(0);
            }
        }
        unreachable!()
    }
}

/// Limits, and trials that fall under any of them.
fn limited() -> impl Strategy<Value = (Vec<usize>, Vec<Vec<usize>>)> {
    prop::collection::vec(1_usize..4, 0..5).prop_flat_map(|limits| {
        let indexes: Vec<usize> = (0..limits.len()).collect();
        let uses = prop::sample::subsequence(indexes, 0..=limits.len());
        (Just(limits), prop::collection::vec(uses, 0..60))
    })
}

proptest! {
    #[test]
    fn no_limit_is_passed_no_worker_idles_and_every_trial_runs_once(
        (limits, trials) in limited(), workers in 1_usize..9, ends in prop::collection::vec(any::<usize>(), 1..20),
    ) {
        let trials: Vec<&[usize]> = trials.iter().map(Vec::as_slice).collect();
        let mut watched = Watched::new(workers, &limits, &trials);
        let mut ends = ends.iter().cycle();
        while watched.fill() || !watched.running.is_empty() {
            prop_assert_eq!(watched.queue.waiting(), watched.trials.len() - watched.begun.len());
            if let Some(end) = ends.next() {
                watched.end(*end);
            }
        }
        watched.begun.sort_unstable();
        prop_assert_eq!(watched.begun, (0..trials.len()).collect::<Vec<_>>());
    }

    #[test]
    fn trials_under_the_same_limits_begin_in_their_order((limits, trials) in limited(), workers in 1_usize..9) {
        let trials: Vec<&[usize]> = trials.iter().map(Vec::as_slice).collect();
        let mut watched = Watched::new(workers, &limits, &trials);
        while watched.fill() || !watched.running.is_empty() {
            watched.end(0);
        }
        for (place, earlier) in watched.begun.iter().enumerate() {
            let overtaken = watched.begun[place..].iter().find(|later| trials[**later] == trials[*earlier] && *later < earlier);
            prop_assert_eq!(overtaken, None);
        }
    }
}

#[test]
fn without_limits_trials_begin_in_their_order() {
    let trials: [&[usize]; 7] = [&[]; 7];
    let mut watched = Watched::new(3, &[], &trials);
    while watched.fill() || !watched.running.is_empty() {
        watched.end(1);
    }
    assert_eq!(watched.begun, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_long_and_narrow_lane_begins_at_once_and_is_not_left_for_last() {
    let free: [&[usize]; 6] = [&[]; 6];
    let narrow: [&[usize]; 6] = [&[0]; 6];
    let trials = [free, narrow].concat();
    // Twelve trials, two workers: six rounds are the least, and only if the narrow six begin with the first round.
    assert_eq!(Watched::new(2, &[1], &trials).rounds(), 6);
}

#[test]
fn a_trial_under_several_limits_gets_its_turn_between_those_that_share_them() {
    let trials: Vec<&[usize]> = vec![&[0], &[1], &[0, 1], &[0], &[1], &[0, 1]];
    assert_eq!(Watched::new(4, &[1, 1], &trials).rounds(), 4);
}

#[test]
fn a_limit_of_nothing_lets_one_run() {
    let mut queue = Queue::new(0, &[0], [[0].into(), [0].into()]);
    let Next::Trial(turn) = queue.next() else { panic!("none begins") };
    assert!(matches!(queue.next(), Next::Wait));
    queue.end(turn);
    assert!(matches!(queue.next(), Next::Trial(Turn { trial: 1, .. })));
    assert!(matches!(queue.next(), Next::Nothing));
}
