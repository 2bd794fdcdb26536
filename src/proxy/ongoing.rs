//! A call that is under way. It goes into the book when the last one who works on it lets go, however that comes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::HeaderMap;
use hyper::header::RETRY_AFTER;
use hyper::http::request::Parts;

use crate::evidence::{Delivered, FaultLaid, WireMatch};

use super::book::{Arrival, Book};
use super::connector::Connector;
use super::ended::{Asked, Draft, Ended, Entry, InTrial, Intake, target};
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
    asked: Asked,
    draft: Mutex<Draft>,
    left_us: AtomicU64,
}

impl Ongoing {
    /// A call that is passed on or failed.
    pub(super) fn new(book: &Arc<Book>, connector: &Arc<Connector>, head: &Parts) -> Arc<Self> {
        let target = target(&head.uri);
        let matched = connector.find(head.method.as_str(), &target);
        let only_reads = matched.is_none() && head.method.is_safe();
        let arrival = book.arrive(&connector.id, matched.as_ref().map(WireMatch::operation), only_reads);
        Self::arrived(book, connector, head, Asked::new(head, target, matched), arrival)
    }

    /// A call that is neither: it belongs to no operation, and no fault falls on it.
    pub(super) fn refused(book: &Arc<Book>, connector: &Arc<Connector>, head: &Parts) -> Arc<Self> {
        let asked = Asked::new(head, target(&head.uri), None);
        Self::arrived(book, connector, head, asked, book.arrive_refused())
    }

    fn arrived(
        book: &Arc<Book>,
        connector: &Arc<Connector>,
        head: &Parts,
        asked: Asked,
        arrival: Arrival,
    ) -> Arc<Self> {
        let most = connector.record_bytes;
        let most_kept = if asked.needs_body() { most.max(IDENTITY_BYTES) } else { most };
        let request = Intake::new(connector.recorded.of(&head.headers), most_kept);
        Arc::new(Self {
            arrival,
            book: Arc::clone(book),
            connector: Arc::clone(connector),
            asked,
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
        self.arrival.fault.as_deref()
    }

    /// Whether its operation's contract documents the status as a refusal, which leaves nothing.
    pub(super) fn is_refusal(&self, status: u16) -> bool {
        self.asked.is_refusal(status)
    }

    pub(super) fn request_piece(&self, bytes: &[u8]) {
        locked(&self.draft).request.add(bytes);
    }

    pub(super) fn request_ended(&self) {
        locked(&self.draft).request.is_whole = true;
    }

    /// From here on the upstream may have got something of it.
    pub(super) fn sending(&self) {
        locked(&self.draft).course.sent_us.get_or_insert_with(|| self.book.elapsed_us());
    }

    /// The upstream got all of it, once more.
    pub(super) fn sent_whole(&self) {
        locked(&self.draft).course.sent_whole += 1;
    }

    /// The upstream's answer begins.
    pub(super) fn answer_begins(&self, status: u16, headers: &HeaderMap) {
        let intake = Intake::new(self.connector.recorded.of(headers), self.connector.record_bytes);
        let mut draft = locked(&self.draft);
        draft.answer = Some(intake);
        draft.course.status = Some(status);
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
        draft.course.answered_us.get_or_insert(now);
        drop(draft);
        self.connector.was_answered(self.number());
    }

    /// No more of an answer will come.
    pub(super) fn answer_given_up(&self) {
        locked(&self.draft).course.answered_us.get_or_insert_with(|| self.book.elapsed_us());
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
        let retry_after = headers.get(RETRY_AFTER).map(|value| text(value).into_owned());
        let mut draft = locked(&self.draft);
        draft.course.delivered_status = Some(status);
        draft.retry_after = retry_after;
    }

    /// What the caller got in the end, and when the last of it was `written`, where it was.
    pub(super) fn delivered(&self, delivered: Delivered, written: Option<Instant>) {
        let now = written.map_or_else(|| self.book.elapsed_us(), |written| self.book.us_at(written));
        let mut draft = locked(&self.draft);
        let is_cut = draft.course.delivered == Delivered::Partly && delivered == Delivered::Whole;
        draft.course.delivered = if is_cut { Delivered::Partly } else { delivered };
        if delivered == Delivered::No {
            draft.course.delivered_status = None;
            draft.retry_after = None;
        }
        draft.course.ended_us.get_or_insert(match self.left_us.load(Ordering::Acquire) {
            left if delivered == Delivered::No && left != NEVER => left,
            _ => now,
        });
    }

    /// However complete the answer looks, a part of it is missing.
    pub(super) fn cut(&self) {
        locked(&self.draft).course.delivered = Delivered::Partly;
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
        let draft = self.draft.get_mut().unwrap_or_else(PoisonError::into_inner);
        let draft = std::mem::replace(draft, Draft::new(Intake::default()));
        let place = InTrial {
            number: self.arrival.number,
            step: self.arrival.step,
            begun_us: self.arrival.begun_us,
            ended_us: draft.course.ended_us.unwrap_or_else(|| self.book.elapsed_us()),
            flaw: draft.how_it_ended(is_cut_off, is_gone),
        };
        let (connector, asked) = (Arc::clone(&self.connector), std::mem::take(&mut self.asked));
        let entry = Ended { place, connector, asked, draft }.entry(self.fault().is_none());
        if let (Some(due), Entry::Concluded(exchange)) = (self.fault(), &entry)
            && let (None, Some(problem)) = (&exchange.fault, &exchange.problem)
        {
            self.book.missed(due.index, problem);
        }
        self.book.record(entry, self.arrival.only_reads);
    }
}
