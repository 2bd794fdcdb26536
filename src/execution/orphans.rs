//! Ends processes that left their program's process group and live on.
//!
//! A daemon that called `setsid` is out of reach of a signal to the group. It is known by the state directory in
//! its environment, which no other trial shares. What wipes its own environment as well is found by
//! [`super::reaper`], while the run goes on.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::state_dir;

/// The variable that names a trial's state directory to its programs.
pub(super) const STATE_DIR_VARIABLE: &str = "HOLDPOINT_STATE_DIR";

/// How long a killed process may take until it has let go of what it held, such as a port.
const LETTING_GO: Duration = Duration::from_secs(2);

/// How often what is killed is looked for again: it may have started another process just before.
pub(super) const LOOKS: usize = 4;

/// The variable that tells a target that was started for a trial where to listen.
pub(super) const PORT_VARIABLE: &str = "HOLDPOINT_PORT";

/// What is left running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spare {
    /// Nothing.
    Nothing,
    /// The targets of the trial, which go on while its workflow ends.
    Targets,
}

/// Ends what a run that was killed has left running, and removes its trials' state.
pub fn end_leftovers(state_root: &Path) {
    let Ok(canonical) = state_root.canonicalize() else { return };
    for _ in 0..LOOKS {
        if end_orphans(&canonical, Spare::Nothing) == 0 {
            break;
        }
    }
    // What cannot be removed now is found again by the next run.
    let _ = state_dir::remove(&canonical);
}

/// Kills every process that was started with `state_dir`, or a folder below it, as its state directory, and
/// answers how many there were.
#[cfg(target_os = "linux")]
pub(super) fn end_orphans(state_dir: &Path, spare: Spare) -> usize {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let mut killed = Vec::new();
    let own = std::process::id();
    for entry in processes.flatten() {
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let pid = i32::try_from(number).ok().and_then(Pid::from_raw);
        let (Some(pid), true) = (pid.filter(|_| number != own), belongs_to(&entry.path(), state_dir, spare)) else {
            continue;
        };
        // The descriptor stays with the process even if its number is given away: look again, then signal.
        let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
        if belongs_to(&entry.path(), state_dir, spare) {
            let _ = pidfd_send_signal(&process, Signal::KILL);
            killed.push(process);
        }
    }
    killed.iter().for_each(wait_for_end);
    killed.len()
}

/// Waits until a process that was killed has let go of what it held.
#[cfg(target_os = "linux")]
pub(super) fn wait_for_end(process: &std::os::fd::OwnedFd) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    if let Ok(timeout) = Timespec::try_from(LETTING_GO) {
        let _ = poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&timeout));
    }
}

/// Other systems do not show a process's environment.
#[cfg(not(target_os = "linux"))]
pub(super) fn end_orphans(_: &Path, _: Spare) -> usize {
    0
}

#[cfg(target_os = "linux")]
fn belongs_to(process: &Path, state_dir: &Path, spare: Spare) -> bool {
    let Ok(environment) = std::fs::read(process.join("environ")) else { return false };
    if spare == Spare::Targets && value(&environment, PORT_VARIABLE).is_some() {
        return false;
    }
    let named = value(&environment, STATE_DIR_VARIABLE);
    named.is_some_and(|named| Path::new(OsStr::from_bytes(named)).starts_with(state_dir))
}

/// The state directory that a process names in its environment; none where the system does not show that.
pub(super) fn state_dir_of(process: i32) -> Option<PathBuf> {
    let environment = std::fs::read(format!("/proc/{process}/environ")).ok()?;
    value(&environment, STATE_DIR_VARIABLE).map(|named| PathBuf::from(OsStr::from_bytes(named)))
}

fn value<'e>(environment: &'e [u8], name: &str) -> Option<&'e [u8]> {
    let mut entries = environment.split(|byte| *byte == 0);
    entries.find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
}
