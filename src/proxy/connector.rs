//! A connector as its calls are passed on: where to, how long, and what is recorded.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hyper::HeaderMap;
use hyper::header::{CONTENT_LENGTH, HeaderValue, LOCATION, TRANSFER_ENCODING};
use tokio::sync::Notify;

use crate::domain::PartId;
use crate::evidence::{WireMatch, WireTable};

use super::headers::{RecordedHeaders, passed_on};
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
    /// The address that callers use, without a path.
    address: String,
    base_path: String,
    wires: WireTable,
    /// The highest number of a call that the upstream has answered as a whole, and who is told of it.
    answered: AtomicU32,
    answers: Notify,
}

/// Leaves what an answer says of its own length once: where it is sent in chunks that is all that counts (RFC 9112, section
/// 6.3), and in another transfer coding it ends with its connection. Said twice, no caller could be given it.
fn say_one_length(headers: &mut HeaderMap) {
    let Some(coding) = headers.get(TRANSFER_ENCODING) else { return };
    if !coding.as_bytes().eq_ignore_ascii_case(b"chunked") {
        headers.remove(TRANSFER_ENCODING);
    }
    headers.remove(CONTENT_LENGTH);
}

impl Connector {
    /// `address` is where its callers find it.
    ///
    /// # Errors
    /// When the upstream's address makes no sense.
    pub(super) fn new(given: ProxiedConnector, address: String) -> Result<Self, ProxyError> {
        let target = Target::parse(&given.upstream)
            .map_err(|reason| ProxyError::Upstream { connector: given.id.clone(), reason })?;
        Ok(Self {
            target,
            recorded: RecordedHeaders::new(&given.record_headers, &given.manifest),
            record_bytes: given.record_bytes,
            timeout: given.timeout,
            address,
            base_path: given.base_path.trim_end_matches('/').to_owned(),
            wires: WireTable::new(&given.manifest),
            answered: AtomicU32::new(0),
            answers: Notify::new(),
            id: given.id,
        })
    }

    /// The operation of a request. Patterns are held against the path below the connector's address.
    pub(super) fn find(&self, method: &str, target: &str) -> Option<WireMatch> {
        let below = target.strip_prefix(self.base_path.as_str())?;
        let is_below = below.is_empty() || below.starts_with(['/', '?']);
        if is_below { self.wires.find(method, below) } else { None }
    }

    /// The headers of an answer, as they go on to the caller. Where it is sent elsewhere at the same upstream, it is sent
    /// there by way of this address: it would go past the record otherwise.
    pub(super) fn passed_back(&self, headers: HeaderMap) -> HeaderMap {
        let mut passed = passed_on(headers);
        say_one_length(&mut passed);
        let location = passed.get(LOCATION).and_then(|location| location.to_str().ok());
        let below = location.and_then(|location| self.target.below(location));
        if let Some(value) = below.and_then(|below| HeaderValue::from_str(&format!("{}{below}", self.address)).ok()) {
            passed.insert(LOCATION, value);
        }
        passed
    }

    /// The upstream has answered a call as a whole.
    pub(super) fn was_answered(&self, number: u32) {
        self.answered.fetch_max(number, Ordering::SeqCst);
        self.answers.notify_waiters();
    }

    /// Waits until a call that came after this one was answered.
    pub(super) async fn later_was_answered(&self, number: u32) {
        loop {
            // Made before the look: an answer in between is told to it.
            let next = self.answers.notified();
            if self.answered.load(Ordering::SeqCst) > number {
                return;
            }
            next.await;
        }
    }
}
