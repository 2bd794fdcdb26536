//! A service that the project starts, for the length of a run or of a trial: started, waited for, watched, ended.

use std::io::{self, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::evidence::{ErrorKind, TrialError};

use super::cancellation::Cancellation;
use super::capture::{Keep, Kept};
use super::children::OwnChild;
use super::exit_watch::ExitWatch;
use super::memory_cap;
use super::orphans::{Spare, end_orphans};
use super::program::Program;

/// Bytes of what the service prints that are kept, the last ones.
const LOG_CAP: usize = 64 * 1024;

/// How long the service may take to end after SIGTERM before its group is killed.
const TERMINATION_GRACE: Duration = Duration::from_secs(2);

/// The first pause between two looks at a service, and the longest: each is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// How long after its connections a dying process may be seen to end, on a busy machine.
const DYING: Duration = Duration::from_millis(500);

/// How long after the process that answered the one that started it may be seen to end.
const FOLLOWING: Duration = Duration::from_millis(50);

/// What a service printed last may take so long to come through its pipe.
const LAST_WORDS: Duration = Duration::from_millis(20);

/// How long a service must live on once it is ready. One that could not have its port ends about now, and whoever has
/// the port is what was found ready.
pub(super) const SETTLING: Duration = Duration::from_millis(100);

/// A running service. Dropped, it ends with its whole process group.
pub(super) struct Service {
    child: Child,
    group: Pid,
    exit: ExitWatch,
    log: Arc<Mutex<Kept>>,
    /// Once it has ended, so has everything that was started on this state directory or below it.
    ends_with_it: Option<PathBuf>,
    name: String,
    // Dropped after it was collected.
    _own: OwnChild,
}

impl Service {
    /// Starts `command`, which `program` made, as a group of its own.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn start(
        program: &Program,
        mut command: Command,
        ends_with_it: Option<PathBuf>,
    ) -> Result<Self, TrialError> {
        let start_error = |error: io::Error| program.start_error(&error);
        let (mut reader, writer) = io::pipe().map_err(start_error)?;
        let stderr = writer.try_clone().map_err(start_error)?;
        command.stdin(Stdio::null()).stdout(writer).stderr(stderr).process_group(0);
        let child = command.spawn().map_err(start_error)?;
        // The command holds the writing ends: with it gone, the pipe ends when the service does.
        drop(command);
        let log = Arc::new(Mutex::new(Kept::new(LOG_CAP, Keep::End)));
        let group = Pid::from_child(&child);
        let service = Self {
            child,
            group,
            exit: ExitWatch::new(group),
            log: Arc::clone(&log),
            ends_with_it,
            name: program.name().to_owned(),
            _own: OwnChild::new(group),
        };
        // Nobody waits for this thread: it ends with the last process that holds the pipe.
        let drain = move || {
            let mut chunk = [0; 8 * 1024];
            while let Ok(length @ 1..) = reader.read(&mut chunk) {
                log.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..length]);
            }
        };
        std::thread::Builder::new().name("service log".to_owned()).spawn(drain).map_err(start_error)?;
        Ok(service)
    }

    /// Waits until `is_ready` says so. Only if it lives on for [`SETTLING`] is it sure to be what was found ready.
    ///
    /// # Errors
    /// When the service ends, or `timeout` passes, or the run is cancelled; the message shows what the service printed.
    pub(super) fn wait_until(
        &self,
        is_ready: impl Fn() -> Result<(), String>,
        timeout: Duration,
        cancellation: &Cancellation,
    ) -> Result<(), TrialError> {
        let is_ready = || match self.ended() {
            Some(error) => Err(NotReady::Never(error)),
            None => is_ready().map_err(|seen| NotReady::Yet(self.with_log(seen))),
        };
        wait_until(is_ready, timeout, cancellation)
    }

    /// Waits until it is sure to be what was found ready.
    ///
    /// # Errors
    /// When it ends in that time; the message shows what it printed.
    pub(super) fn settle(&self, cancellation: &Cancellation) -> Result<(), TrialError> {
        cancellation.wait(SETTLING);
        self.ended().map_or(Ok(()), Err)
    }

    /// The error that stands for a service which is no longer there; `None` while it runs.
    pub(super) fn ended(&self) -> Option<TrialError> {
        if !self.exit.has_ended().unwrap_or(true) {
            return None;
        }
        std::thread::sleep(LAST_WORDS);
        let message = format!("the service `{}` has ended by itself", self.name);
        Some(TrialError { kind: ErrorKind::Start, message: self.with_log(message) })
    }

    /// As [`Self::ended`], where a connection to it broke: the system closes what a process held before it tells of its end.
    pub(super) fn ended_by_now(&self) -> Option<TrialError> {
        self.await_end(DYING);
        self.ended()
    }

    /// As [`Self::ended`], where only the end of the connection said that an answer was whole: a process that dies closes its
    /// connections too, a moment before the system tells of its end.
    ///
    /// One that is dying shows that from before its connections are closed. One that is not, and has sockets of its own, has
    /// closed the connection itself and lives on: nothing is waited for. Another process may have been the one that
    /// answered and died, and the one that started it (a shell, say) then ends in a moment.
    pub(super) fn ended_with_answer(&self) -> Option<TrialError> {
        if self.exit.is_dying() {
            self.await_end(DYING);
        } else if !self.exit.has_sockets() {
            self.await_end(FOLLOWING);
        }
        self.ended()
    }

    /// Limits the memory of each of its processes.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn cap_memory(&self, bytes: u64) -> io::Result<()> {
        memory_cap::cap(&self.child, bytes)
    }

    /// Asks it to end, and does not wait for that.
    pub(super) fn ask_to_end(&self) {
        let _ = kill_process_group(self.group, Signal::TERM);
    }

    /// Waits until it has ended, for so long at the most.
    fn await_end(&self, longest: Duration) {
        let deadline = Instant::now() + longest;
        let mut pauses = pauses();
        while Instant::now() < deadline && !self.exit.has_ended().unwrap_or(true) {
            std::thread::sleep(pauses.next().unwrap_or(LONGEST_PAUSE));
        }
    }

    fn with_log(&self, message: String) -> String {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner).to_text();
        match log.trim_end() {
            "" => format!("{message}; it printed nothing"),
            log => format!("{message}; it printed:\n{log}"),
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.ask_to_end();
        self.await_end(TERMINATION_GRACE);
        // Only now is it collected: until then its number, and so its group's, belongs to nobody else.
        let _ = kill_process_group(self.group, Signal::KILL);
        let _ = self.child.wait();
        if let Some(state_dir) = &self.ends_with_it {
            end_orphans(state_dir, Spare::Nothing);
        }
    }
}

/// Why something is not ready.
pub(super) enum NotReady {
    /// It can still become so; the text says what was seen.
    Yet(String),
    /// It cannot become so any more.
    Never(TrialError),
}

/// Waits until `is_ready` says so.
///
/// # Errors
/// When it never will, or `timeout` passes, or the run is cancelled.
pub(super) fn wait_until(
    is_ready: impl Fn() -> Result<(), NotReady>,
    timeout: Duration,
    cancellation: &Cancellation,
) -> Result<(), TrialError> {
    let deadline = Instant::now() + timeout;
    let mut pauses = pauses();
    loop {
        let seen = match is_ready() {
            Ok(()) => return Ok(()),
            Err(NotReady::Never(error)) => return Err(error),
            Err(NotReady::Yet(seen)) => seen,
        };
        if cancellation.is_forced() {
            let message = "the run was cancelled while a service was starting".to_owned();
            return Err(TrialError { kind: ErrorKind::Cancelled, message });
        }
        if Instant::now() >= deadline {
            let message = format!("the service was not ready after {} s: {seen}", timeout.as_secs());
            return Err(TrialError { kind: ErrorKind::Start, message });
        }
        std::thread::sleep(pauses.next().unwrap_or(LONGEST_PAUSE));
    }
}

/// The pauses between looks, without end.
fn pauses() -> impl Iterator<Item = Duration> {
    std::iter::successors(Some(FIRST_PAUSE), |pause| Some((*pause * 2).min(LONGEST_PAUSE)))
}

/// The folder name of a service's own state directory.
pub(super) fn folder_name(workflow: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    format!("service-{}", workflow.chars().map(plain).collect::<String>())
}
