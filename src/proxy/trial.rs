//! One trial's listeners and what they saw.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};

use crate::evidence::Exchange;

use super::book::{Book, Phase, StillOpen};
use super::caller::listen;
use super::connector::Connector;
use super::lanes::Ways;
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
    pub(super) fn open(ways: &Ways, setup: TrialSetup<'_>) -> Result<Self, ProxyError> {
        let first = ways.next();
        let _inside = first.enter();
        let book = Arc::new(Book::new(setup.faults, setup.seed));
        let mut trial = Self { addresses: Addresses::new(), book: Arc::clone(&book) };
        let mut listeners = Vec::new();
        for given in setup.connectors {
            let base_path = given.base_path.clone();
            let listener = listener().map_err(ProxyError::Start)?;
            let address = format!("http://{}", listener.local_addr().map_err(ProxyError::Start)?);
            let connector = Arc::new(Connector::new(given, address.clone())?);
            trial.addresses.insert(connector.id.clone(), address + &base_path);
            listeners.push((listener, connector));
        }
        for (listener, connector) in listeners {
            first.spawn(listen(listener, connector, Arc::clone(&book), ways.clone()));
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

    /// Passes no more calls on, lets go of those that are held, waits for what is on its way (at the most ten seconds longer
    /// than faults keep it there), cuts off what is left, and gives the record.
    pub fn finish(self) -> Seen {
        self.close(&|| false)
    }

    /// The same, and waits no longer once `is_cut_short` says so. Whoever calls until [`TrialProxy::latecomers`] is asked is
    /// recorded there.
    pub fn close(&self, is_cut_short: &dyn Fn() -> bool) -> Seen {
        self.close_within(GRACE, is_cut_short)
    }

    fn close_within(&self, grace: Duration, is_cut_short: &dyn Fn() -> bool) -> Seen {
        self.book.enter(Phase::Closing);
        let open = self.book.wait_until_idle(grace, is_cut_short);
        if open != StillOpen::Nothing {
            self.book.enter(Phase::Ended);
            self.book.wait_until_idle(TIDYING, &|| false);
        }
        self.book.take(open == StillOpen::Writes)
    }

    /// The calls that came after it was closed, none of which was passed on. It takes no more from here on.
    pub fn latecomers(self) -> Vec<Exchange> {
        self.book.enter(Phase::Ended);
        self.book.wait_until_idle(TIDYING, &|| false);
        self.book.take(false).exchanges
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::{TcpListener, TcpStream};
    use std::time::Instant;

    use serde_json::json;

    use super::*;
    use crate::domain::PartId;
    use crate::evidence::{Delivered, Forwarded};
    use crate::proxy::{ProxiedConnector, Proxy};

    /// How a trial ends whose only call is held open by its upstream.
    fn ends(method: &str, grace: Duration, is_cut_short: &dyn Fn() -> bool) -> (Duration, Seen) {
        let upstream = TcpListener::bind("127.0.0.1:0").unwrap();
        let manifest = json!({"id": "a", "kind": "connector", "version": "1", "release": "1", "operations": {}});
        let connector = ProxiedConnector {
            id: PartId::from("a"),
            upstream: format!("http://{}", upstream.local_addr().unwrap()),
            manifest: Arc::new(serde_json::from_value(manifest).unwrap()),
            base_path: String::new(),
            record_headers: Vec::new(),
            record_bytes: 0,
            timeout: Duration::from_secs(60),
        };
        let proxy = Proxy::start().unwrap();
        let trial = proxy.open(TrialSetup { connectors: vec![connector], faults: &[], seed: 0 }).unwrap();
        let address = trial.addresses()["a"].trim_start_matches("http://").to_owned();
        let mut client = TcpStream::connect(address).unwrap();
        client.write_all(format!("{method} /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").as_bytes()).unwrap();
        let _held_open = upstream.accept().unwrap();
        let begun = Instant::now();
        let seen = trial.close_within(grace, is_cut_short);
        (begun.elapsed(), seen)
    }

    #[test]
    fn what_does_not_end_in_time_is_cut_off_recorded_and_said() {
        let (took, seen) = ends("POST", Duration::from_millis(200), &|| false);
        assert!(took >= Duration::from_millis(200));
        assert!(seen.late);
        assert_eq!(seen.exchanges.len(), 1);
        let exchange = &seen.exchanges[0];
        assert_eq!((exchange.forwarded, exchange.delivered), (Forwarded::Whole, Delivered::No));
        assert!(exchange.problem.as_ref().unwrap().contains("still under way"), "{exchange:?}");
    }

    #[test]
    fn a_question_that_nobody_waits_for_any_more_holds_up_nothing_and_leaves_nothing_open() {
        // A stream of events, say: an hour would have to pass if it counted.
        let (_, seen) = ends("GET", Duration::from_secs(3600), &|| false);
        assert!(!seen.late);
        assert_eq!(seen.exchanges.len(), 1);
    }

    #[test]
    fn whoever_is_in_a_hurry_waits_for_nothing_and_has_the_record_all_the_same() {
        // An hour would have to pass if nobody could cut it short.
        let (_, seen) = ends("POST", Duration::from_secs(3600), &|| true);
        assert!(seen.late);
        assert!(seen.exchanges[0].problem.as_ref().unwrap().contains("still under way"), "{seen:?}");
    }
}
