//! Learning that a child has ended without collecting it, so that its process group cannot be taken over meanwhile.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// How often a child is asked after where the system cannot tell of its end by itself.
const SLICE: Duration = Duration::from_millis(5);

/// The flag of a Linux process that is on its way out (`PF_EXITING`).
const EXITING: u64 = 0x4;

/// A number that Linux tells of a process, by its place behind the state: that stands behind the name, which is in brackets and may
/// hold anything. `None` where the system does not tell.
pub(super) fn stat_field<N: FromStr>(processes: &Path, process: i32, place: usize) -> Option<N> {
    let stat = std::fs::read(processes.join(process.to_string()).join("stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    stat.rsplit_once(')')?.1.split_whitespace().nth(place)?.parse().ok()
}

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

    /// Whether the child is on its way out. The system marks a process so before it closes what the process holds open. `false`
    /// where the system does not tell.
    pub(super) fn is_dying(&self) -> bool {
        let flags = stat_field(Path::new("/proc"), self.child.as_raw_pid(), 6);
        flags.is_some_and(|flags: u64| flags & EXITING != 0)
    }

    /// Whether the child itself has a socket, as every process has that answers. `false` where the system does not tell.
    pub(super) fn has_sockets(&self) -> bool {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.child.as_raw_nonzero()));
        let mut links = open.into_iter().flatten().flatten().filter_map(|open| std::fs::read_link(open.path()).ok());
        links.any(|link| link.as_os_str().as_encoded_bytes().starts_with(b"socket:"))
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_is_dying_and_one_that_has_sockets_are_told_from_others() {
        let waiting = |script: &str| {
            let mut python = Command::new("python3");
            python
                .args(["-c", script])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        for (script, has_sockets) in [
            ("import socket; s = socket.socket(); print(flush=True); input()", true),
            ("print(flush=True); input()", false),
        ] {
            let mut child = waiting(script);
            let watch = ExitWatch::new(Pid::from_child(&child));
            io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
            assert_eq!((watch.has_sockets(), watch.is_dying()), (has_sockets, false), "{script}");
            drop(child.stdin.take());
            // The pipe ends with the process: from then on it is known to be dying, collected or not.
            io::Read::read_to_end(child.stdout.as_mut().unwrap(), &mut Vec::new()).unwrap();
            assert!(watch.is_dying(), "{script}");
            child.wait().unwrap();
        }
    }

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
