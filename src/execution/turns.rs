//! Hands the trials of a run to its workers, one after the other, and keeps the limits that the project sets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::domain::WorkflowId;
use crate::manifest::ProjectFile;

use super::queue::{Next, Queue, Turn};
use super::trial::TrialSpec;

/// The queue of a run, shared by its workers.
pub(super) struct Turns {
    queue: Mutex<Queue>,
    ended: Condvar,
}

impl Turns {
    /// The trials of a run under the limits of its project.
    pub(super) fn new(specs: &[TrialSpec<'_>], file: &ProjectFile, workers: usize) -> Self {
        let (limits, of_workflow) = limits(file);
        let trials = specs.iter().map(|spec| of_workflow.get(&spec.case.workflow).cloned().unwrap_or_default());
        Self { queue: Mutex::new(Queue::new(workers, &limits, trials)), ended: Condvar::new() }
    }

    /// The next trial, waited for as long as its limits are taken. `None` once no trial waits, or none may start any more.
    ///
    /// Whoever waits is woken by the end of a trial, and asks then whether it is to stop. No trial runs longer for that:
    /// one waits here only for trials in flight.
    pub(super) fn take(&self, is_over: impl Fn() -> bool) -> Option<Taken<'_>> {
        let mut queue = self.queue();
        loop {
            if is_over() {
                return None;
            }
            match queue.next() {
                Next::Trial(turn) => return Some(Taken { trial: turn.trial, turn: Some(turn), turns: self }),
                Next::Wait => queue = self.ended.wait(queue).unwrap_or_else(PoisonError::into_inner),
                Next::Nothing => return None,
            }
        }
    }

    /// How many trials wait.
    pub(super) fn waiting(&self) -> usize {
        self.queue().waiting()
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A trial that is being run. Dropped, also by a panic, it lets others have what it had taken.
pub(super) struct Taken<'t> {
    /// The trial, by its index.
    pub(super) trial: usize,
    turn: Option<Turn>,
    turns: &'t Turns,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if let Some(turn) = self.turn.take() {
            self.turns.queue().end(turn);
            self.turns.ended.notify_all();
        }
    }
}

/// The limits of a project, and by index which of them hold for a workflow's trials: its own, and those of the connectors
/// that it has. A practice workflow has targets of its own, so no connector is shared there.
fn limits(file: &ProjectFile) -> (Vec<usize>, BTreeMap<&WorkflowId, BTreeSet<usize>>) {
    let mut limits = Vec::new();
    let mut of_workflow: BTreeMap<&WorkflowId, BTreeSet<usize>> = BTreeMap::new();
    for (id, jobs) in file.workflows.iter().filter_map(|(id, workflow)| Some((id, workflow.jobs?))) {
        of_workflow.entry(id).or_default().insert(limits.len());
        limits.push(jobs);
    }
    for (part, jobs) in file.connectors.iter().filter_map(|(part, connector)| Some((part, connector.jobs?))) {
        let users = file.workflows.iter().filter(|(_, workflow)| workflow.practice.is_none());
        for (id, _) in users.filter(|(_, workflow)| workflow.parts.contains(part)) {
            of_workflow.entry(id).or_default().insert(limits.len());
        }
        limits.push(jobs);
    }
    (limits, of_workflow)
}
