//! One trial's listeners and what they saw.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Handle;

use super::book::{Book, Phase};
use super::caller::listen;
use super::connector::Connector;
use super::{Addresses, ProxyError, Seen, TrialSetup};

/// Connections that may wait to be taken up.
const BACKLOG: u32 = 1024;

/// How long calls that are still under way at the end may take.
const GRACE: Duration = Duration::from_secs(10);

/// How long those that are cut off then may take to be recorded.
const TIDYING: Duration = Duration::from_secs(2);

/// The addresses of a trial's connectors, and what passed through them so far.
#[derive(Debug)]
pub struct TrialProxy {
    addresses: Addresses,
    book: Arc<Book>,
}

impl TrialProxy {
    pub(super) fn open(runtime: &Handle, setup: TrialSetup<'_>) -> Result<Self, ProxyError> {
        let _inside = runtime.enter();
        let book = Arc::new(Book::new(setup.faults, setup.seed));
        let mut trial = Self { addresses: Addresses::new(), book: Arc::clone(&book) };
        let mut listeners = Vec::new();
        for given in setup.connectors {
            let base_path = given.base_path.clone();
            let connector = Arc::new(Connector::new(given)?);
            let listener = listener().map_err(ProxyError::Start)?;
            let address = listener.local_addr().map_err(ProxyError::Start)?;
            trial.addresses.insert(connector.id.clone(), format!("http://{address}{base_path}"));
            listeners.push((listener, connector));
        }
        for (listener, connector) in listeners {
            runtime.spawn(listen(listener, connector, Arc::clone(&book)));
        }
        Ok(trial)
    }

    /// Where the workflow reaches each connector.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// From now on calls belong to this step. The first step starts the clock.
    pub fn begin_step(&self, step: u32) {
        self.book.begin_step(step);
    }

    /// From now on calls belong to no step.
    pub fn end_step(&self) {
        self.book.end_step();
    }

    /// The faults that took effect so far: their places in the case's list.
    pub fn fired(&self) -> BTreeSet<usize> {
        self.book.fired_so_far()
    }

    /// Microseconds since the first step began; 0 before that.
    pub fn elapsed_us(&self) -> u64 {
        self.book.elapsed_us()
    }

    /// Takes no more calls, lets go of those that are held, waits for what is on its way (at the most ten seconds longer
    /// than faults keep it there), cuts off what is left, and gives the record.
    pub fn finish(self) -> Seen {
        self.finish_within(GRACE)
    }

    fn finish_within(self, grace: Duration) -> Seen {
        self.book.enter(Phase::Closing);
        let late = self.book.wait_until_idle(grace);
        self.book.enter(Phase::Ended);
        if late {
            self.book.wait_until_idle(TIDYING);
        }
        self.book.take(late)
    }
}

impl Drop for TrialProxy {
    fn drop(&mut self) {
        self.book.enter(Phase::Ended);
    }
}

fn listener() -> std::io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    socket.listen(BACKLOG)
}
