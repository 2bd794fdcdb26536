//! How a run is stopped: asked once, it ends in good order; asked twice, it ends at once.

use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The longest that is waited in one go.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// A request to stop, shared between whoever hears the user and everything that runs.
///
/// The first request lets the trials in flight end and starts no new ones. The second ends the trials in
/// flight too: their processes are killed and their connections shut down.
pub struct Cancellation {
    requests: AtomicU8,
    /// Whether there is anything that needs an orderly end.
    begun: AtomicBool,
    /// Readable from the second request on and never drained, so that every wait on it wakes up and stays awake.
    forced: PipeReader,
    force: PipeWriter,
    when_forced: Mutex<Vec<Box<dyn Fn() + Send>>>,
}

impl Cancellation {
    /// Nothing is cancelled yet.
    ///
    /// # Errors
    /// When the system has no file descriptor left for a pipe.
    pub fn new() -> io::Result<Self> {
        let (forced, force) = io::pipe()?;
        Ok(Self {
            requests: AtomicU8::new(0),
            begun: AtomicBool::new(false),
            forced,
            force,
            when_forced: Mutex::new(Vec::new()),
        })
    }

    /// Asks to stop; asked again, stops at once. To be called from an ordinary thread, not inside a signal handler.
    pub fn request(&self) {
        let before =
            self.requests.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |seen| Some(seen.saturating_add(1)));
        if before == Ok(1) {
            // The pipe is empty and both of its ends are open as long as `self` lives: one byte always fits.
            let _ = (&self.force).write(&[1]);
            for stop in self.when_forced.lock().unwrap_or_else(std::sync::PoisonError::into_inner).iter() {
                stop();
            }
        }
    }

    /// From now on there is a record to be closed, and processes to be ended: whoever stops the run has to wait for that. To be
    /// called before [`Self::is_requested`] is asked for the first trial.
    pub fn begin(&self) {
        self.begun.store(true, Ordering::SeqCst);
    }

    /// Whether that is so.
    pub fn has_begun(&self) -> bool {
        self.begun.load(Ordering::SeqCst)
    }

    /// Whether no new trial may start.
    pub fn is_requested(&self) -> bool {
        self.requests.load(Ordering::SeqCst) > 0
    }

    /// Whether trials in flight have to end at once.
    pub fn is_forced(&self) -> bool {
        self.requests.load(Ordering::SeqCst) > 1
    }

    /// Becomes readable when trials in flight have to end at once.
    pub(super) fn forced(&self) -> BorrowedFd<'_> {
        self.forced.as_fd()
    }

    /// Waits so long, and answers whether trials in flight have to end at once: as soon as that is so.
    pub(super) fn wait(&self, timeout: Duration) -> bool {
        let deadline = Instant::now().checked_add(timeout);
        loop {
            let left = deadline.map_or(LONGEST_WAIT, |deadline| deadline.saturating_duration_since(Instant::now()));
            if self.is_forced() || left.is_zero() {
                return self.is_forced();
            }
            let mut slots = [PollFd::from_borrowed_fd(self.forced(), PollFlags::IN)];
            if let Ok(left) = Timespec::try_from(left.min(LONGEST_WAIT)) {
                let _ = poll(&mut slots, Some(&left));
            }
        }
    }

    /// Has `stop` called when trials in flight have to end at once; now, where that is already so.
    pub(super) fn when_forced(&self, stop: impl Fn() + Send + 'static) {
        let mut hooks = self.when_forced.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if self.is_forced() {
            stop();
        }
        hooks.push(Box::new(stop));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_second_request_forces_and_calls_what_waits_for_it() {
        let cancellation = Cancellation::new().unwrap();
        let stopped = Arc::new(AtomicU8::new(0));
        let counter = Arc::clone(&stopped);
        cancellation.when_forced(move || {
            counter.fetch_add(1, Ordering::SeqCst);
        });
        assert!(!cancellation.is_requested());
        cancellation.request();
        assert!(cancellation.is_requested() && !cancellation.is_forced());
        assert_eq!(stopped.load(Ordering::SeqCst), 0);
        cancellation.request();
        cancellation.request();
        assert!(cancellation.is_forced());
        assert_eq!(stopped.load(Ordering::SeqCst), 1);
    }
}
