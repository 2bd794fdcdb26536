//! The threads that serve. A connection stays with the thread that it was given to, together with its connection to the
//! upstream, so that nothing has to be handed from thread to thread while a call is passed on.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Threads that all trials of a run share.
const THREADS: usize = 2;

/// The threads. They end with this value, and whatever they serve with them.
#[derive(Debug)]
pub(super) struct Lanes {
    ways: Ways,
    threads: Vec<(oneshot::Sender<Infallible>, JoinHandle<()>)>,
}

/// Ways to give work to the threads, in turn.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    handles: Arc<[Handle]>,
    given: Arc<AtomicUsize>,
}

impl Lanes {
    pub(super) fn start() -> io::Result<Self> {
        let mut threads = Vec::new();
        let mut handles = Vec::new();
        for _ in 0..THREADS {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            handles.push(runtime.handle().clone());
            let (stop, stopped) = oneshot::channel::<Infallible>();
            let serve = move || {
                // Ends when the sender is dropped.
                let _ = runtime.block_on(stopped);
                // A name that is still being looked up is not waited for.
                runtime.shutdown_background();
            };
            threads.push((stop, thread::Builder::new().name("proxy".to_owned()).spawn(serve)?));
        }
        Ok(Self { ways: Ways { handles: handles.into(), given: Arc::default() }, threads })
    }

    pub(super) fn ways(&self) -> &Ways {
        &self.ways
    }
}

impl Ways {
    /// The thread whose turn it is.
    pub(super) fn next(&self) -> &Handle {
        &self.handles[self.given.fetch_add(1, Ordering::Relaxed) % self.handles.len()]
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        for (stop, thread) in self.threads.drain(..) {
            drop(stop);
            let _ = thread.join();
        }
    }
}
