//! Children that came to this process as a "child subreaper": what loses its parent below it, whatever has become of its
//! session, its group and its environment, is given to it and not to the system's first process.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, child_subreaper, getpid, kill_process, pidfd_open,
    set_child_subreaper, waitid,
};

use super::super::exit_watch::stat_field;
use super::super::orphans::wait_for_end;
use super::own;

/// The children that come to this process, from now until this is dropped.
pub(in super::super) struct Adopted {
    /// Where the system lists the main thread's children, which is where it puts what it gives to a process. Kept open: a
    /// look is then a single read. Not every kernel has it.
    list: Option<File>,
    /// What was there before, and so is somebody else's.
    earlier: BTreeSet<i32>,
    /// Whether this is what made them come.
    is_ours: bool,
}

impl Adopted {
    /// Has them come from now on.
    pub(in super::super) fn begin() -> Self {
        let list = File::open(format!("/proc/self/task/{}/children", getpid().as_raw_pid())).ok();
        let earlier = if list.is_some() { of_all_threads() } else { by_parent() };
        let was_set = child_subreaper().ok().flatten().is_some();
        let is_ours = !was_set && set_child_subreaper(Some(getpid())).is_ok();
        Self { list, earlier, is_ours }
    }

    /// Those that are there, also dead ones that nobody has collected; none where the kernel has no list of them.
    pub(in super::super) fn look(&self) -> Vec<Pid> {
        self.list.as_ref().map(|list| self.strange(read(list))).unwrap_or_default()
    }

    /// The same where the kernel has no list, too, by a look at every process there is. No program of a trial may run any more:
    /// one that was started this moment could be taken for one of them.
    pub(in super::super) fn look_everywhere(&self) -> Vec<Pid> {
        if self.list.is_some() { self.look() } else { self.strange(by_parent()) }
    }

    fn strange(&self, children: BTreeSet<i32>) -> Vec<Pid> {
        if children.is_empty() {
            return Vec::new();
        }
        let own = own();
        let is_strange = |child: &i32| !own.contains(child) && !self.earlier.contains(child);
        children.into_iter().filter(is_strange).filter_map(Pid::from_raw).collect()
    }
}

impl Drop for Adopted {
    fn drop(&mut self) {
        if self.is_ours {
            let _ = set_child_subreaper(None);
        }
    }
}

/// Collects a child that is dead, and answers whether it is still there.
pub(in super::super) fn is_there(child: Pid) -> bool {
    matches!(waitid(WaitId::Pid(child), WaitIdOptions::EXITED | WaitIdOptions::NOHANG), Ok(None))
}

/// Whether a process has been killed already and only takes its time: it has no memory any more, or SIGKILL waits for it.
pub(in super::super) fn is_dying(child: Pid) -> bool {
    const KILL: u64 = 1 << 8;
    let Ok(status) = fs::read(format!("/proc/{}/status", child.as_raw_pid())) else { return true };
    let status = String::from_utf8_lossy(&status);
    let pending = |line: &str| {
        let mask = line.strip_prefix("SigPnd:").or_else(|| line.strip_prefix("ShdPnd:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & KILL != 0)
    };
    !status.lines().any(|line| line.starts_with("VmSize:")) || status.lines().any(pending)
}

/// Kills a child that nobody else collects: until that is done its number is no other process's.
pub(in super::super) fn kill(child: Pid) {
    let _ = kill_process(child, Signal::KILL);
}

/// Waits for the end of a child that was killed, and collects it.
pub(in super::super) fn see_to_the_end(child: Pid) {
    if let Ok(process) = pidfd_open(child, PidfdFlags::empty()) {
        wait_for_end(&process);
    }
    let _ = is_there(child);
}

fn read(list: &File) -> BTreeSet<i32> {
    let (mut text, mut chunk) = (Vec::new(), [0; 512]);
    while let Ok(length @ 1..) = list.read_at(&mut chunk, text.len() as u64) {
        text.extend_from_slice(&chunk[..length]);
    }
    numbers(&text).collect()
}

fn numbers(text: &[u8]) -> impl Iterator<Item = i32> + '_ {
    text.split(|byte| *byte == b' ').filter_map(|word| std::str::from_utf8(word).ok()?.parse().ok())
}

fn of_all_threads() -> BTreeSet<i32> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads.filter_map(|thread| fs::read(thread.path().join("children")).ok()).flat_map(of_text).collect()
}

fn of_text(text: Vec<u8>) -> Vec<i32> {
    numbers(&text).collect()
}

fn by_parent() -> BTreeSet<i32> {
    let own = getpid().as_raw_pid();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    numbers.filter(|process: &i32| parent(Path::new("/proc"), *process) == Some(own)).collect()
}

fn parent(processes: &Path, process: i32) -> Option<i32> {
    stat_field(processes, process, 1)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_child_of_this_process_is_found_by_its_parent() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let number = Pid::from_child(&child).as_raw_pid();
        assert!(by_parent().contains(&number));
        assert!(!is_dying(Pid::from_child(&child)));
        child.kill().unwrap();
        while !is_dying(Pid::from_child(&child)) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(!by_parent().contains(&number));
    }

    #[test]
    fn a_name_with_brackets_hides_no_parent() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("7")).unwrap();
        fs::write(folder.path().join("7/stat"), "7 (a) S 1 (b)) S 42 7 7 0").unwrap();
        assert_eq!(parent(folder.path(), 7), Some(42));
    }
}
