//! The server between a workflow and its targets: it passes calls on, records each of them, and can fail each one
//! before the target commits or after it.

mod answer_body;
mod book;
mod caller;
mod connector;
mod ended;
mod failure;
mod faults;
mod forward;
mod gather;
mod headers;
mod lanes;
mod ongoing;
mod peer;
mod refusal;
mod request_body;
mod schedule;
mod target;
mod trial;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::domain::PartId;
use crate::evidence::Exchange;
use crate::manifest::{ConnectorManifest, FaultSpec};

use lanes::Lanes;

pub use trial::TrialProxy;

/// The server of a run. It ends, with every connection, when this value is dropped.
#[derive(Debug)]
pub struct Proxy {
    lanes: Lanes,
}

/// Why nothing can be passed on.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// No threads or no listening port could be had.
    #[error("the proxy could not be started: {0}")]
    Start(#[source] std::io::Error),
    /// An upstream's address cannot be used.
    #[error("the upstream of the connector `{connector}` cannot be used: {reason}")]
    Upstream {
        /// The connector.
        connector: PartId,
        /// What is wrong with the address.
        reason: String,
    },
}

/// What a trial puts between its workflow and its targets.
#[derive(Debug)]
pub struct TrialSetup<'a> {
    /// The connectors that get an address.
    pub connectors: Vec<ProxiedConnector>,
    /// The faults of the case.
    pub faults: &'a [FaultSpec],
    /// What the places of truncations and damages are derived from.
    pub seed: u64,
}

/// One connector whose calls are passed on.
#[derive(Clone, Debug)]
pub struct ProxiedConnector {
    /// The id of its manifest.
    pub id: PartId,
    /// Where its calls go: `http://` or `https://`, a host, and perhaps a port and a path that goes before every call's.
    pub upstream: String,
    /// What the calls are told apart by.
    pub manifest: Arc<ConnectorManifest>,
    /// A path that is part of the address that the workflow gets, and is passed on like the rest of the path.
    pub base_path: String,
    /// Further headers that are recorded.
    pub record_headers: Vec<String>,
    /// Bytes of each body that are recorded.
    pub record_bytes: usize,
    /// How long the upstream may take to begin its answer, and to go on with it.
    pub timeout: Duration,
}

/// What a trial's proxy saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Every call, in the order in which they arrived.
    pub exchanges: Vec<Exchange>,
    /// The faults that took effect: their places in the case's list.
    pub fired: BTreeSet<usize>,
    /// Why faults that fell on a call came to nothing, by their places.
    pub missed: BTreeMap<usize, String>,
    /// Whether something was still on its way when the longest wait had passed.
    pub late: bool,
    /// Calls that were passed on and not recorded, because there were more than a trial can hold.
    pub unrecorded: u64,
}

impl Proxy {
    /// Starts the threads that serve.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn start() -> Result<Self, ProxyError> {
        Ok(Self { lanes: Lanes::start().map_err(ProxyError::Start)? })
    }

    /// Opens a listener on the loopback device for each connector of a trial.
    ///
    /// # Errors
    /// When a port cannot be had or an upstream's address makes no sense.
    pub fn open(&self, setup: TrialSetup<'_>) -> Result<TrialProxy, ProxyError> {
        TrialProxy::open(self.lanes.ways(), setup)
    }
}

/// What a thread that panicked left is as good as what it found: every change below is made in one go.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The addresses of a trial's connectors.
type Addresses = BTreeMap<PartId, String>;
