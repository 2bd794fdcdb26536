//! Ends with a trial what escaped from it: processes that left their group, their session or their environment behind.
//!
//! What loses its parent becomes a child of holdpoint while a run goes on, and so there is a list of all that escaped. A
//! trial that left nothing costs one read of that list. What still names its trial's state directory ends with that
//! trial. What hides it ends with the last of the trials that ran when it was found: it is of one of them, or of one before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::children::{self, Adopted};
use super::orphans::{LOOKS, state_dir_of};

/// Who may have processes: a trial by its index, or a service of the run, counted down from the greatest number.
type Owner = usize;

/// What escapes the trials of a run. Dropped, it ends whatever is left.
pub(super) struct Reaper {
    adopted: Adopted,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// What goes on at the moment, with its state directory.
    going_on: BTreeMap<Owner, PathBuf>,
    /// The processes that escaped and live on, with those that each may be of.
    escaped: BTreeMap<i32, BTreeSet<Owner>>,
}

/// What a look has come to.
#[derive(Default)]
struct Look {
    /// How many had to be killed.
    killed: usize,
    /// How many ended in all: more may have lost their parent by that.
    ended: usize,
}

impl Reaper {
    /// Watches from now on. The services of the run go on until its end, each with a state directory.
    pub(super) fn begin(services: impl Iterator<Item = PathBuf>) -> Self {
        let going_on = services.enumerate().map(|(number, state_dir)| (usize::MAX - number, state_dir)).collect();
        Self { adopted: Adopted::begin(), seen: Mutex::new(Seen { going_on, ..Seen::default() }) }
    }

    /// A trial begins.
    pub(super) fn begin_trial(&self, trial: usize, state_dir: PathBuf) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).going_on.insert(trial, state_dir);
    }

    /// A trial has ended. Answers whether something that it had left running, or one before it, had to be killed.
    pub(super) fn end_trial(&self, trial: usize) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.going_on.remove(&trial);
        let mut killed = 0;
        for _ in 0..LOOKS {
            let look = seen.end_what_is_over(&self.adopted.look());
            killed += look.killed;
            if look.ended == 0 {
                break;
            }
        }
        killed > 0
    }
}

impl Drop for Reaper {
    /// No trial and no service goes on any more.
    fn drop(&mut self) {
        let seen = self.seen.get_mut().unwrap_or_else(PoisonError::into_inner);
        seen.going_on.clear();
        for _ in 0..LOOKS {
            if seen.end_what_is_over(&self.adopted.look_everywhere()).ended == 0 {
                break;
            }
        }
    }
}

impl Seen {
    /// Kills those of which nothing goes on any more that they can be of, and collects whatever is dead.
    fn end_what_is_over(&mut self, found: &[rustix::process::Pid]) -> Look {
        let (mut look, mut ending) = (Look::default(), Vec::new());
        for process in found {
            let number = process.as_raw_pid();
            if !children::is_there(*process) {
                self.escaped.remove(&number);
                continue;
            }
            let Self { going_on, escaped } = self;
            let owners = escaped.entry(number).or_insert_with(|| owners(going_on, state_dir_of(number).as_deref()));
            if owners.iter().any(|owner| going_on.contains_key(owner)) {
                continue;
            }
            // What was killed with its group may take a moment: that is no process that was left running.
            if !children::is_dying(*process) {
                children::kill(*process);
                look.killed += 1;
            }
            ending.push(*process);
        }
        look.ended = ending.len();
        for process in ending {
            children::see_to_the_end(process);
            self.escaped.remove(&process.as_raw_pid());
        }
        look
    }
}

/// Of what goes on, all that a process can be of: what it names; where it hides that, or names something that is none of
/// this run's, any.
fn owners(going_on: &BTreeMap<Owner, PathBuf>, state_dir: Option<&Path>) -> BTreeSet<Owner> {
    let run = going_on.values().next().and_then(|state_dir| state_dir.parent());
    match state_dir.filter(|state_dir| run.is_some_and(|run| state_dir.starts_with(run))) {
        Some(named) => going_on.iter().filter(|(_, its)| named.starts_with(its)).map(|(owner, _)| *owner).collect(),
        None => going_on.keys().copied().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_of_what_it_names_and_of_any_where_it_hides_that() {
        let going_on = BTreeMap::from([(3, PathBuf::from("/run/3")), (4, PathBuf::from("/run/4"))]);
        let of = |state_dir: Option<&str>| Vec::from_iter(owners(&going_on, state_dir.map(Path::new)));
        assert_eq!(of(Some("/run/4/deeper")), [4]);
        assert_eq!(of(Some("/run/2")), Vec::<usize>::new(), "its trial has ended");
        assert_eq!((of(None), of(Some("/another/2"))), (vec![3, 4], vec![3, 4]));
        assert_eq!(Vec::from_iter(owners(&BTreeMap::new(), None)), Vec::<usize>::new());
    }
}
