//! One trial's listeners and what they saw.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use tokio::runtime::Handle;

use super::{Addresses, ProxyError, Seen, TrialSetup};

/// The addresses of a trial's connectors, and what passed through them so far.
#[derive(Debug)]
pub struct TrialProxy {
    addresses: Addresses,
    step: AtomicU32,
    begun: OnceLock<Instant>,
    #[expect(dead_code, reason = "held open until calls are taken")]
    listeners: Vec<TcpListener>,
}

impl TrialProxy {
    pub(super) fn open(_runtime: &Handle, setup: TrialSetup<'_>) -> Result<Self, ProxyError> {
        let mut addresses = Addresses::new();
        let mut listeners = Vec::new();
        for connector in setup.connectors {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(ProxyError::Start)?;
            let address = listener.local_addr().map_err(ProxyError::Start)?;
            addresses.insert(connector.id, format!("http://{address}{}", connector.base_path));
            listeners.push(listener);
        }
        Ok(Self { addresses, step: AtomicU32::new(0), begun: OnceLock::new(), listeners })
    }

    /// Where the workflow reaches each connector.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// From now on calls belong to this step. The first step starts the clock.
    pub fn begin_step(&self, step: u32) {
        self.begun.get_or_init(Instant::now);
        self.step.store(step, Ordering::SeqCst);
    }

    /// From now on calls belong to no step.
    pub fn end_step(&self) {
        self.step.store(0, Ordering::SeqCst);
    }

    /// The faults that took effect so far: their places in the case's list.
    pub fn fired(&self) -> BTreeSet<usize> {
        BTreeSet::new()
    }

    /// Microseconds since the first step began; 0 before that.
    pub fn elapsed_us(&self) -> u64 {
        self.begun.get().map_or(0, |begun| u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX))
    }

    /// Waits, not for ever, for what is still on its way, then closes the listeners.
    pub fn finish(self) -> Seen {
        Seen::default()
    }
}
