//! A system that gives no process the children of others: there is nothing to find, and nothing to end.

use rustix::process::Pid;

/// The children that come to this process: none.
pub(in super::super) struct Adopted;

impl Adopted {
    /// Has nothing come.
    pub(in super::super) fn begin() -> Self {
        Self
    }

    /// Nothing.
    pub(in super::super) fn look(&self) -> Vec<Pid> {
        Vec::new()
    }

    /// Nothing.
    pub(in super::super) fn look_everywhere(&self) -> Vec<Pid> {
        Vec::new()
    }
}

/// Nothing is.
pub(in super::super) fn is_there(_: Pid) -> bool {
    false
}

/// Never asked.
pub(in super::super) fn is_dying(_: Pid) -> bool {
    true
}

/// Never asked.
pub(in super::super) fn kill(_: Pid) {}

/// Never asked.
pub(in super::super) fn see_to_the_end(_: Pid) {}
