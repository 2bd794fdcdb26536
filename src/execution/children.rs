//! The children of this process: those that it started itself, and those that the system gave to it because their parent
//! has ended. Only on Linux does it get any of those.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::Pid;

#[cfg(target_os = "linux")]
#[path = "children/adopted.rs"]
mod adopted;
#[cfg(not(target_os = "linux"))]
#[path = "children/none.rs"]
mod adopted;

pub(super) use adopted::{Adopted, is_dying, is_there, kill, see_to_the_end};

/// The children that their starter collects: nobody else may.
static OWN: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn own() -> MutexGuard<'static, BTreeSet<i32>> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says of a child that its starter collects it. To be dropped once that is done.
pub(super) struct OwnChild(i32);

impl OwnChild {
    /// Says so of this child.
    pub(super) fn new(child: Pid) -> Self {
        own().insert(child.as_raw_pid());
        Self(child.as_raw_pid())
    }
}

impl Drop for OwnChild {
    fn drop(&mut self) {
        own().remove(&self.0);
    }
}
