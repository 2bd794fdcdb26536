//! A call that is under way, and how it becomes a record: when the last one who works on it lets go, however that comes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::HeaderMap;
use hyper::header::RETRY_AFTER;
use hyper::http::request::Parts;

use crate::domain::{Digest, Digester};
use crate::evidence::{Delivered, Exchange, FaultLaid, Forwarded, Message, RequestSeen, WireMatch};

use super::book::{Arrival, Book};
use super::connector::Connector;
use super::headers::text;
use super::locked;

/// Bytes of a request that are kept, whatever is recorded, where its identity stands in the body.
const IDENTITY_BYTES: usize = 1 << 20;

/// Marks a moment that has not come.
const NEVER: u64 = u64::MAX;

/// A call under way.
#[derive(Debug)]
pub(super) struct Ongoing {
    book: Arc<Book>,
    connector: Arc<Connector>,
    arrival: Arrival,
    method: String,
    target: String,
    matched: Option<WireMatch>,
    /// Headers in which identities stand.
    identities: Vec<(String, String)>,
    draft: Mutex<Draft>,
    left_us: AtomicU64,
}

#[derive(Debug)]
struct Draft {
    request: Intake,
    /// When the head of the request may have begun to go out, and how often all of it has.
    sent_us: Option<u64>,
    sent_whole: u32,
    answer: Option<Intake>,
    status: Option<u16>,
    answered_us: Option<u64>,
    delivered: Delivered,
    delivered_status: Option<u16>,
    retry_after: Option<String>,
    ended_us: Option<u64>,
    fault: Option<FaultLaid>,
    problem: Option<String>,
}

/// What came in of a message so far.
#[derive(Debug)]
struct Intake {
    headers: Vec<(String, String)>,
    bytes: u64,
    digester: Digester,
    kept: Vec<u8>,
    most_kept: usize,
    is_whole: bool,
}

impl Ongoing {
    /// A call that is passed on or failed.
    pub(super) fn new(book: &Arc<Book>, connector: &Arc<Connector>, head: &Parts) -> Arc<Self> {
        let matched = connector.find(head.method.as_str(), &head.uri.to_string());
        let only_reads = matched.is_none() && head.method.is_safe();
        let arrival = book.arrive(&connector.id, matched.as_ref().map(WireMatch::operation), only_reads);
        Self::arrived(book, connector, head, matched, arrival)
    }

    /// A call that is neither: it belongs to no operation, and no fault falls on it.
    pub(super) fn refused(book: &Arc<Book>, connector: &Arc<Connector>, head: &Parts) -> Arc<Self> {
        Self::arrived(book, connector, head, None, book.arrive_refused())
    }

    fn arrived(
        book: &Arc<Book>,
        connector: &Arc<Connector>,
        head: &Parts,
        matched: Option<WireMatch>,
        arrival: Arrival,
    ) -> Arc<Self> {
        let keeps_identity = matched.as_ref().is_some_and(WireMatch::needs_body);
        let most_kept =
            if keeps_identity { connector.record_bytes.max(IDENTITY_BYTES) } else { connector.record_bytes };
        let request = Intake::new(connector.recorded.of(&head.headers), most_kept);
        Arc::new(Self {
            arrival,
            identities: identities(matched.as_ref(), &head.headers),
            book: Arc::clone(book),
            connector: Arc::clone(connector),
            method: head.method.as_str().to_owned(),
            target: head.uri.to_string(),
            matched,
            draft: Mutex::new(Draft::new(request)),
            left_us: AtomicU64::new(NEVER),
        })
    }

    /// Its number in the trial.
    pub(super) fn number(&self) -> u32 {
        self.arrival.number
    }

    /// The fault that falls on it.
    pub(super) fn fault(&self) -> Option<&super::book::Due> {
        self.arrival.fault.as_ref()
    }

    pub(super) fn request_piece(&self, bytes: &[u8]) {
        locked(&self.draft).request.add(bytes);
    }

    pub(super) fn request_ended(&self) {
        locked(&self.draft).request.is_whole = true;
    }

    /// From here on the upstream may have got something of it.
    pub(super) fn sending(&self) {
        let now = self.book.elapsed_us();
        locked(&self.draft).sent_us.get_or_insert(now);
    }

    /// The upstream got all of it, once more.
    pub(super) fn sent_whole(&self) {
        locked(&self.draft).sent_whole += 1;
    }

    /// The upstream's answer begins.
    pub(super) fn answer_begins(&self, status: u16, headers: &HeaderMap) {
        let intake = Intake::new(self.connector.recorded.of(headers), self.connector.record_bytes);
        let mut draft = locked(&self.draft);
        draft.answer = Some(intake);
        draft.status = Some(status);
    }

    pub(super) fn answer_piece(&self, bytes: &[u8]) {
        if let Some(answer) = &mut locked(&self.draft).answer {
            answer.add(bytes);
        }
    }

    /// The upstream's answer has come as a whole.
    pub(super) fn answer_ended(&self) {
        let now = self.book.elapsed_us();
        let mut draft = locked(&self.draft);
        if let Some(answer) = &mut draft.answer {
            answer.is_whole = true;
        }
        draft.answered_us.get_or_insert(now);
        drop(draft);
        self.connector.was_answered(self.number());
    }

    /// No more of an answer will come.
    pub(super) fn answer_given_up(&self) {
        let now = self.book.elapsed_us();
        locked(&self.draft).answered_us.get_or_insert(now);
    }

    /// The caller has closed its side.
    pub(super) fn caller_left(&self) {
        let _ = self.left_us.compare_exchange(NEVER, self.book.elapsed_us(), Ordering::AcqRel, Ordering::Acquire);
    }

    pub(super) fn caller_has_left(&self) -> bool {
        self.left_us.load(Ordering::Acquire) != NEVER
    }

    /// The head of the answer that the caller is about to get.
    pub(super) fn delivering(&self, status: u16, headers: &HeaderMap) {
        let retry_after = headers.get(RETRY_AFTER).map(text);
        let mut draft = locked(&self.draft);
        draft.delivered_status = Some(status);
        draft.retry_after = retry_after;
    }

    /// What the caller got in the end, and how long `ago` the last of it was written.
    pub(super) fn delivered(&self, delivered: Delivered, ago: Duration) {
        let now = self.book.elapsed_us().saturating_sub(u64::try_from(ago.as_micros()).unwrap_or(u64::MAX));
        let mut draft = locked(&self.draft);
        let is_cut = draft.delivered == Delivered::Partly && delivered == Delivered::Whole;
        draft.delivered = if is_cut { Delivered::Partly } else { delivered };
        if delivered == Delivered::No {
            draft.delivered_status = None;
            draft.retry_after = None;
        }
        draft.ended_us.get_or_insert(match self.left_us.load(Ordering::Acquire) {
            left if delivered == Delivered::No && left != NEVER => left,
            _ => now,
        });
    }

    /// However complete the answer looks, a part of it is missing.
    pub(super) fn cut(&self) {
        locked(&self.draft).delivered = Delivered::Partly;
    }

    /// Says what went wrong; the first that went wrong is what is told.
    pub(super) fn problem(&self, text: impl Into<String>) {
        locked(&self.draft).problem.get_or_insert_with(|| text.into());
    }

    /// The fault that falls on it has taken effect.
    pub(super) fn fired(&self) {
        let Some(due) = &self.arrival.fault else { return };
        self.book.fired(due.index);
        locked(&self.draft).fault = Some(FaultLaid { index: due.index, name: due.shown_name() });
    }

    /// Waits until the trial is about to end.
    pub(super) async fn closing(&self) {
        self.book.closing().await;
    }

    /// Waits until the trial has ended.
    pub(super) async fn ended(&self) {
        self.book.ended().await;
    }

    /// The call is sure to be under way for so long.
    pub(super) fn goes_on_for(&self, duration: Duration) {
        self.book.goes_on_for(duration);
    }

    /// The seed of the trial.
    pub(super) fn seed(&self) -> u64 {
        self.book.seed()
    }
}

impl Drop for Ongoing {
    fn drop(&mut self) {
        let (is_cut_off, is_gone) = (self.book.has_ended(), self.left_us.load(Ordering::Acquire) != NEVER);
        let draft = self.draft.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        let body_digest = draft.request.digester.clone().finish();
        let header = |name: &str| {
            self.identities.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
        };
        let (body, beginning) = (draft.request.whole(), draft.request.beginning());
        let request = RequestSeen { target: &self.target, header: &header, body, beginning };
        let matched = self.matched.as_ref();
        let intention = matched.map(|matched| matched.intention(&request, &body_digest));
        let key = match matched {
            Some(matched) => matched.key(&request),
            None => header("idempotency-key").filter(|key| !key.is_empty()),
        };
        if draft.request.is_too_long() && matched.is_some_and(|matched| matched.lacks_identity(&request)) {
            let looked_at = draft.request.kept.len();
            draft.problem.get_or_insert_with(|| {
                format!(
                    "its identity stands in its body, and not within the {looked_at} bytes of it that are looked at"
                )
            });
        }
        if let Some(problem) = draft.how_it_ended(is_cut_off, is_gone) {
            draft.problem.get_or_insert_with(|| problem.to_owned());
        }
        if let (Some(due), None, Some(problem)) = (&self.arrival.fault, &draft.fault, &draft.problem) {
            self.book.missed(due.index, problem);
        }
        let ended_us = draft.ended_us.unwrap_or_else(|| self.book.elapsed_us());
        let most = self.connector.record_bytes;
        let forwarded = draft.forwarded();
        let exchange = Exchange {
            number: self.arrival.number,
            step: self.arrival.step,
            connector: self.connector.id.clone(),
            operation: matched.map(|matched| matched.operation().to_owned()),
            intention,
            key,
            begun_us: self.arrival.begun_us,
            sent_us: draft.sent_us,
            answered_us: draft.answered_us,
            ended_us,
            method: std::mem::take(&mut self.method),
            target: self.target.clone(),
            request: draft.request.message(most, body_digest),
            forwarded,
            answer: draft.answer.take().map(|mut answer| {
                let digest = std::mem::take(&mut answer.digester).finish();
                answer.message(most, digest)
            }),
            status: draft.status,
            delivered: draft.delivered,
            delivered_status: draft.delivered_status,
            retry_after: draft.retry_after.take(),
            fault: draft.fault.take(),
            problem: draft.problem.take(),
        };
        self.book.record(exchange, self.arrival.only_reads);
    }
}

impl Draft {
    fn new(request: Intake) -> Self {
        Self {
            request,
            sent_us: None,
            sent_whole: 0,
            answer: None,
            status: None,
            answered_us: None,
            delivered: Delivered::No,
            delivered_status: None,
            retry_after: None,
            ended_us: None,
            fault: None,
            problem: None,
        }
    }

    /// What is wrong with how it ended, where its trial was over by then, or its caller had not left and yet got nothing.
    fn how_it_ended(&self, is_cut_off: bool, is_gone: bool) -> Option<&'static str> {
        let came_to_nothing = self.status.is_some() && self.delivered == Delivered::No && self.fault.is_none();
        match is_cut_off {
            true if self.ended_us.is_none() => Some("it was still under way when the trial ended"),
            false if came_to_nothing && !is_gone => Some("nothing of the target's answer could be passed back"),
            _ => None,
        }
    }

    fn forwarded(&self) -> Forwarded {
        match (self.sent_us, self.sent_whole) {
            (None, 0) => Forwarded::No,
            (Some(_), 0) => Forwarded::Partly,
            (_, 1) => Forwarded::Whole,
            _ => Forwarded::Twice,
        }
    }
}

impl Intake {
    fn new(headers: Vec<(String, String)>, most_kept: usize) -> Self {
        Self { headers, bytes: 0, digester: Digester::default(), kept: Vec::new(), most_kept, is_whole: false }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.digester.add(bytes);
        let room = self.most_kept.saturating_sub(self.kept.len()).min(bytes.len());
        self.kept.extend_from_slice(&bytes[..room]);
    }

    /// The body, where all of it came and was kept.
    fn whole(&self) -> Option<&[u8]> {
        (self.is_whole && !self.is_too_long()).then_some(self.kept.as_slice())
    }

    /// Whether more came than may be kept.
    fn is_too_long(&self) -> bool {
        (self.kept.len() as u64) < self.bytes
    }

    /// The beginning of the body, where not all of it came or was kept.
    fn beginning(&self) -> Option<&[u8]> {
        self.whole().is_none().then_some(self.kept.as_slice())
    }

    fn message(&mut self, most: usize, digest: Digest) -> Message {
        let shown = &self.kept[..self.kept.len().min(most)];
        Message {
            headers: std::mem::take(&mut self.headers),
            bytes: self.bytes,
            digest: self.is_whole.then_some(digest),
            text: String::from_utf8_lossy(shown).into_owned(),
            is_cut: (shown.len() as u64) < self.bytes,
        }
    }
}

/// The headers in which the manifest says that identities stand, and that in which keys stand by custom.
fn identities(matched: Option<&WireMatch>, headers: &HeaderMap) -> Vec<(String, String)> {
    let wire = matched.map(WireMatch::wire);
    let places = wire.into_iter().flat_map(|wire| [&wire.intention, &wire.key]).flatten();
    let names = places.filter_map(|place| place.header.as_deref()).chain(["idempotency-key"]);
    names.filter_map(|name| Some((name.to_owned(), headers.get(name).map(text)?))).collect()
}
