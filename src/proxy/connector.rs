//! A connector as its calls are passed on: where to, how long, and what is recorded.

use std::time::Duration;

use tokio::sync::watch;

use crate::domain::PartId;
use crate::evidence::{WireMatch, WireTable};

use super::headers::RecordedHeaders;
use super::target::Target;
use super::{ProxiedConnector, ProxyError};

/// What all calls of a connector share.
#[derive(Debug)]
pub(super) struct Connector {
    pub(super) id: PartId,
    pub(super) target: Target,
    pub(super) recorded: RecordedHeaders,
    pub(super) record_bytes: usize,
    pub(super) timeout: Duration,
    base_path: String,
    wires: WireTable,
    /// The highest number of a call that the upstream has answered as a whole.
    answered: watch::Sender<u32>,
}

impl Connector {
    /// # Errors
    /// When the upstream's address makes no sense.
    pub(super) fn new(given: ProxiedConnector) -> Result<Self, ProxyError> {
        let target = Target::parse(&given.upstream)
            .map_err(|reason| ProxyError::Upstream { connector: given.id.clone(), reason })?;
        Ok(Self {
            target,
            recorded: RecordedHeaders::new(&given.record_headers, &given.manifest),
            record_bytes: given.record_bytes,
            timeout: given.timeout,
            base_path: given.base_path.trim_end_matches('/').to_owned(),
            wires: WireTable::new(&given.manifest),
            answered: watch::Sender::new(0),
            id: given.id,
        })
    }

    /// The operation of a request. Patterns are held against the path below the connector's address.
    pub(super) fn find(&self, method: &str, target: &str) -> Option<WireMatch> {
        let below = target.strip_prefix(self.base_path.as_str())?;
        let is_below = below.is_empty() || below.starts_with(['/', '?']);
        if is_below { self.wires.find(method, below) } else { None }
    }

    /// The upstream has answered a call as a whole.
    pub(super) fn was_answered(&self, number: u32) {
        self.answered.send_if_modified(|highest| std::mem::replace(highest, number.max(*highest)) < number);
    }

    /// Waits until a call that came after this one was answered.
    pub(super) async fn later_was_answered(&self, number: u32) {
        // The sender lives as long as this value: waiting cannot fail.
        let _ = self.answered.subscribe().wait_for(|highest| *highest > number).await;
    }
}
