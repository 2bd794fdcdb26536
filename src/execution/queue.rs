//! Which trial is next where only so many of some kind may run at once. Pure: no thread, no clock, and no chance.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The trials of a run that wait, and the room that is left under each limit.
///
/// Trials under the same limits are as good as each other here, so they share a lane and leave it in their order. A
/// trial takes all of its limits at once or none: nobody holds one while it waits for another. Nothing is ever kept free
/// for a trial that could not start with it; a run is finite, so even one with many limits waits only for those that are
/// there already.
pub(super) struct Queue {
    lanes: Vec<Lane>,
    room: Vec<usize>,
}

/// The waiting trials that fall under these limits and no others.
struct Lane {
    limits: BTreeSet<usize>,
    /// How many of them can run at once, where nothing else does.
    width: usize,
    waiting: VecDeque<usize>,
}

impl Lane {
    /// How often all that may run at once would have to run, until none is left.
    fn rounds(&self) -> usize {
        self.waiting.len().div_ceil(self.width)
    }
}

/// The right to run one trial. It is given back by [`Queue::end`], once.
#[derive(Debug)]
pub(super) struct Turn {
    /// The trial, by its index.
    pub(super) trial: usize,
    lane: usize,
}

/// What a free worker can do.
#[derive(Debug)]
pub(super) enum Next {
    /// Run a trial.
    Trial(Turn),
    /// Wait until another trial has ended: all that wait need what running ones hold.
    Wait,
    /// Leave: no trial waits any more.
    Nothing,
}

impl Queue {
    /// A queue for as many workers, of trials that fall under these of the limits, by index. A limit of 0 counts as 1:
    /// what may never run would be waited for without end.
    pub(super) fn new(workers: usize, limits: &[usize], trials: impl IntoIterator<Item = BTreeSet<usize>>) -> Self {
        let room: Vec<usize> = limits.iter().map(|limit| (*limit).max(1)).collect();
        let mut lanes: BTreeMap<BTreeSet<usize>, VecDeque<usize>> = BTreeMap::new();
        for (trial, limits) in trials.into_iter().enumerate() {
            lanes.entry(limits).or_default().push_back(trial);
        }
        let lane = |(limits, waiting): (BTreeSet<usize>, _)| {
            let narrowest = limits.iter().map(|limit| room[*limit]).min();
            Lane { width: narrowest.unwrap_or(usize::MAX).min(workers.max(1)), limits, waiting }
        };
        Self { lanes: lanes.into_iter().map(lane).collect(), room }
    }

    /// How many trials wait.
    pub(super) fn waiting(&self) -> usize {
        self.lanes.iter().map(|lane| lane.waiting.len()).sum()
    }

    /// What a worker that is free does next.
    ///
    /// Of the lanes that can go on it serves the one with most rounds to go: a lane that is narrow and long decides when
    /// the run ends, and would run alone at its end if it were left for last.
    pub(super) fn next(&mut self) -> Next {
        let has_room = |lane: &Lane| lane.limits.iter().all(|limit| self.room[*limit] > 0);
        let ready = self.lanes.iter_mut().enumerate().filter(|(_, lane)| !lane.waiting.is_empty() && has_room(lane));
        let chosen = ready.max_by_key(|(_, lane)| (lane.rounds(), Reverse(lane.waiting.front().copied())));
        match chosen.and_then(|(index, lane)| Some((lane.waiting.pop_front()?, index))) {
            Some((trial, lane)) => {
                self.lanes[lane].limits.iter().for_each(|limit| self.room[*limit] -= 1);
                Next::Trial(Turn { trial, lane })
            }
            None if self.waiting() > 0 => Next::Wait,
            None => Next::Nothing,
        }
    }

    /// Gives back what a trial had taken.
    pub(super) fn end(&mut self, turn: Turn) {
        self.lanes[turn.lane].limits.iter().for_each(|limit| self.room[*limit] += 1);
    }
}

#[cfg(test)]
mod tests;
