//! Learning that a child has ended without collecting it, so that its process group cannot be taken over meanwhile.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// How often a child is asked after where the system cannot tell of its end by itself.
const SLICE: Duration = Duration::from_millis(5);

/// A watch on one child that has not been collected yet.
pub(super) struct ExitWatch {
    child: Pid,
    /// Readable once the child has ended; not there on systems without process descriptors.
    descriptor: Option<OwnedFd>,
}

impl ExitWatch {
    /// Watches `child`, which must be a child of this process that nobody has waited for.
    pub(super) fn new(child: Pid) -> Self {
        Self { child, descriptor: process_descriptor(child) }
    }

    /// What to wait for, where there is something.
    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.descriptor.as_ref().map(|descriptor| descriptor.as_fd())
    }

    /// The longest wait after which [`Self::has_ended`] must be asked.
    pub(super) fn longest_wait(&self) -> Option<Duration> {
        if self.descriptor.is_some() { None } else { Some(SLICE) }
    }

    /// Whether the child has ended. It stays uncollected.
    ///
    /// # Errors
    /// When it is no child of this process.
    pub(super) fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(self.child), options)?.is_some())
    }
}

#[cfg(target_os = "linux")]
fn process_descriptor(child: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(child, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn process_descriptor(_: Pid) -> Option<OwnedFd> {
    None
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn without_a_descriptor_the_end_is_seen_by_asking_and_collects_nothing() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let watch = ExitWatch { child: Pid::from_child(&child), descriptor: None };
        assert!(watch.descriptor().is_none() && watch.longest_wait().is_some());
        assert!(!watch.has_ended().unwrap());
        drop(child.stdin.take());
        while !watch.has_ended().unwrap() {
            std::thread::sleep(SLICE);
        }
        assert!(watch.has_ended().unwrap());
        assert!(child.wait().unwrap().success());
        assert!(watch.has_ended().is_err());
    }
}
