//! How much memory each process of a workflow may take: the system's own limit on private writable memory.

use std::io;
use std::process::Child;

/// Limits the memory of a program that was just started, and of all that it starts from now on.
///
/// # Errors
/// When the system refuses. A program that has ended meanwhile needs no limit any more.
#[cfg(target_os = "linux")]
pub(super) fn cap(child: &Child, bytes: u64) -> io::Result<()> {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
    match prlimit(Some(Pid::from_child(child)), Resource::Data, limit) {
        Ok(_) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// On other systems the cap is not kept; the check of the project says so.
///
/// # Errors
/// Never.
#[cfg(not(target_os = "linux"))]
pub(super) fn cap(_: &Child, _: u64) -> io::Result<()> {
    Ok(())
}
