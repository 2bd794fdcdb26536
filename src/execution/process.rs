//! One program, from its start to the end of its whole process group: input fed, output read, limits kept.
//!
//! Everything happens on the calling thread, in one wait over the program's pipes and its end. The program
//! leads a process group of its own. It is collected only after that group was killed: until then its number
//! cannot be given to another process, so the signal reaches nobody else.

use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use super::cancellation::Cancellation;
use super::capture::{Capture, Keep};
use super::children::OwnChild;
use super::exit_watch::ExitWatch;

/// How long a group may take to end after SIGTERM before it is killed.
const TERMINATION_GRACE: Duration = Duration::from_secs(2);

/// How long the pipes of an ended program are still read when something else holds them open.
const DRAIN_GRACE: Duration = Duration::from_millis(250);

/// Bytes of standard error that are kept.
const STDERR_CAP: usize = 64 * 1024;

/// What a program may use up.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    /// How long it may run.
    pub(super) timeout: Duration,
    /// How many bytes it may print.
    pub(super) output_cap: usize,
    /// Who can end it from outside.
    pub(super) cancellation: &'a Cancellation,
}

/// How a program came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It ran for too long and was ended.
    TimedOut,
    /// It printed too much and was ended.
    OutputCap,
    /// The run was cancelled and it was killed.
    Cancelled,
}

/// A program that has ended, with all it printed.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) end: End,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    /// Whether something still held its pipes open after it had ended: a sign that processes of it live on.
    pub(super) held_open: bool,
}

/// Runs `command` with `input` on its standard input and waits for its end and that of its process group.
///
/// # Errors
/// When it cannot be started or watched.
pub(super) fn run(command: Command, input: &[u8], limits: &Limits<'_>) -> io::Result<Finished> {
    attend(spawn(command)?, input, limits)
}

/// Starts `command` as the leader of a process group of its own. It must be attended at once.
///
/// # Errors
/// When it cannot be started: then nothing of it has run.
pub(super) fn spawn(mut command: Command) -> io::Result<Child> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn()
}

/// As [`run`], for a program that was just started.
///
/// # Errors
/// When it cannot be watched.
pub(super) fn attend(child: Child, input: &[u8], limits: &Limits<'_>) -> io::Result<Finished> {
    let mut running = Running::new(child, input, limits)?;
    let end = running.wait(limits)?;
    running.finish(end)
}

/// Ends a program that was just started and that nobody will attend, with its group.
pub(super) fn end(mut child: Child) {
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    let _ = child.wait();
}

/// What the wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The program runs.
    Running,
    /// The program has ended; its pipes are read to their end.
    Draining,
    /// The group was asked to end, for this reason.
    Ending(End),
}

struct Running<'a> {
    child: Child,
    group: Pid,
    exit: ExitWatch,
    input: &'a [u8],
    stdin: Option<ChildStdin>,
    stdout: Capture<ChildStdout>,
    stderr: Capture<ChildStderr>,
    collected: bool,
    _own: OwnChild,
}

impl<'a> Running<'a> {
    fn new(mut child: Child, input: &'a [u8], limits: &Limits<'_>) -> io::Result<Self> {
        let group = Pid::from_child(&child);
        let own = OwnChild::new(group);
        let stdin = child.stdin.take();
        let stdout = Capture::new(child.stdout.take(), limits.output_cap, Keep::Beginning);
        let stderr = Capture::new(child.stderr.take(), STDERR_CAP, Keep::End);
        let exit = ExitWatch::new(group);
        let running = Self { child, group, exit, input, stdin, stdout, stderr, collected: false, _own: own };
        let pipes = [
            running.stdin.as_ref().map(|pipe| pipe.as_fd()),
            running.stdout.pipe().map(|pipe| pipe.as_fd()),
            running.stderr.pipe().map(|pipe| pipe.as_fd()),
        ];
        for pipe in pipes.into_iter().flatten() {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        Ok(running)
    }

    /// Waits until the program has ended and its pipes are read, or until a limit was passed and the group was ended.
    fn wait(&mut self, limits: &Limits<'_>) -> io::Result<Option<End>> {
        let mut phase = Phase::Running;
        let mut deadline = Instant::now() + limits.timeout;
        self.feed();
        loop {
            let woken = self.poll(limits.cancellation, phase, deadline)?;
            if limits.cancellation.is_forced() {
                return Ok(Some(End::Cancelled));
            }
            let now = Instant::now();
            let ended = woken.may_have_ended && self.exit.has_ended()?;
            match phase {
                Phase::Running if self.stdout.overflowed() => (phase, deadline) = self.ask_to_end(End::OutputCap, now),
                Phase::Running if ended => (phase, deadline) = (Phase::Draining, now + DRAIN_GRACE),
                Phase::Running if now >= deadline => (phase, deadline) = self.ask_to_end(End::TimedOut, now),
                Phase::Ending(end) if ended || now >= deadline => return Ok(Some(end)),
                Phase::Draining if self.stdout.overflowed() => return Ok(Some(End::OutputCap)),
                Phase::Draining if now >= deadline => return Ok(None),
                _ => {}
            }
            if phase == Phase::Draining && self.stdout.pipe().is_none() && self.stderr.pipe().is_none() {
                return Ok(None);
            }
        }
    }

    fn ask_to_end(&mut self, end: End, now: Instant) -> (Phase, Instant) {
        self.stdin = None;
        let _ = kill_process_group(self.group, Signal::TERM);
        (Phase::Ending(end), now + TERMINATION_GRACE)
    }

    /// Waits for the next event, at most until `deadline`, and moves bytes.
    fn poll(&mut self, cancellation: &Cancellation, phase: Phase, deadline: Instant) -> io::Result<Woken> {
        let watch_exit = phase != Phase::Draining;
        let mut slots = Vec::with_capacity(5);
        slots.push(PollFd::from_borrowed_fd(cancellation.forced(), PollFlags::IN));
        let mut slot = |descriptor, flags| {
            slots.push(PollFd::from_borrowed_fd(descriptor, flags));
            slots.len() - 1
        };
        let exit = self.exit.descriptor().filter(|_| watch_exit).map(|descriptor| slot(descriptor, PollFlags::IN));
        let stdin = self.stdin.as_ref().map(|pipe| slot(pipe.as_fd(), PollFlags::OUT));
        let stdout = self.stdout.pipe().map(|pipe| slot(pipe.as_fd(), PollFlags::IN));
        let stderr = self.stderr.pipe().map(|pipe| slot(pipe.as_fd(), PollFlags::IN));

        let mut wait = deadline.saturating_duration_since(Instant::now());
        if let Some(longest) = self.exit.longest_wait().filter(|_| watch_exit) {
            wait = wait.min(longest);
        }
        let timeout = Timespec::try_from(wait).map_err(io::Error::other)?;
        match poll(&mut slots, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }

        let is_ready = |slot: Option<usize>| slot.is_some_and(|slot| !slots[slot].revents().is_empty());
        let (feed, read_stdout, read_stderr) = (is_ready(stdin), is_ready(stdout), is_ready(stderr));
        let may_have_ended = watch_exit && (exit.is_none() || is_ready(exit));
        if feed {
            self.feed();
        }
        if read_stdout {
            self.stdout.read_available();
        }
        if read_stderr {
            self.stderr.read_available();
        }
        Ok(Woken { may_have_ended })
    }

    /// Writes as much of the input as fits; closes the pipe after the last byte, or when nobody reads it any more,
    /// which is the program's good right.
    fn feed(&mut self) {
        while let Some(stdin) = &mut self.stdin {
            match stdin.write(self.input) {
                Ok(length) => {
                    self.input = &self.input[length..];
                    if self.input.is_empty() {
                        self.stdin = None;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.stdin = None,
            }
        }
    }

    /// Kills what is left of the group and collects the program.
    fn finish(mut self, end: Option<End>) -> io::Result<Finished> {
        let held_open = self.stdout.pipe().is_some() || self.stderr.pipe().is_some();
        let status = self.collect()?;
        Ok(Finished {
            end: end.unwrap_or(End::Exited(status)),
            stdout: self.stdout.finish().into_bytes(),
            stderr: self.stderr.finish().to_text(),
            held_open,
        })
    }

    fn collect(&mut self) -> io::Result<ExitStatus> {
        let _ = kill_process_group(self.group, Signal::KILL);
        let status = self.child.wait()?;
        self.collected = true;
        Ok(status)
    }
}

impl Drop for Running<'_> {
    /// No way out of this file leaves the program running.
    fn drop(&mut self) {
        if !self.collected {
            let _ = self.collect();
        }
    }
}

/// What a wait ended with.
struct Woken {
    may_have_ended: bool,
}

#[cfg(test)]
mod tests;
