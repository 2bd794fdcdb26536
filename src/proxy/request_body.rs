//! The body of a request on its way to the upstream, and what is known of how far it got.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes, Frame, Incoming};
use tokio::time::{Instant, Sleep};

use super::locked;
use super::ongoing::Ongoing;
use super::target::Counts;

/// How long a body waits for the upstream to ask for it, where the caller waits to be asked. Some servers never ask.
const UNASKED: Duration = Duration::from_secs(1);

/// How long a body that goes no further is read, and how much of it.
const NOTED_FOR: Duration = Duration::from_secs(1);
const NOTED_BYTES: usize = 8 << 20;

/// Marks a moment that has not come.
const NEVER: u64 = u64::MAX;

/// A request on its way out.
#[derive(Debug)]
pub(super) struct Shipment {
    counts: Arc<Counts>,
    begun: Instant,
    written_before: u64,
    /// How often the connection had been flushed when the body had ended.
    flushes_at_end: AtomicU64,
    /// Whether the next piece has to come from the caller, so that the upstream is not to blame for the time.
    waits_for_caller: AtomicBool,
    /// When a piece went out last, in milliseconds.
    last_ms: AtomicU64,
    /// Whether the caller ended it in the middle.
    is_broken: AtomicBool,
    gate: Option<Arc<Gate>>,
}

impl Shipment {
    /// `asks_first` says that the caller sends its body when it is asked to.
    pub(super) fn new(counts: &Arc<Counts>, asks_first: bool) -> Arc<Self> {
        Arc::new(Self {
            written_before: counts.written(),
            counts: Arc::clone(counts),
            begun: Instant::now(),
            flushes_at_end: AtomicU64::new(NEVER),
            waits_for_caller: AtomicBool::new(false),
            last_ms: AtomicU64::new(0),
            is_broken: AtomicBool::new(false),
            gate: asks_first.then(Arc::default),
        })
    }

    /// What keeps the body until the upstream asks for it.
    pub(super) fn gate(&self) -> Option<&Arc<Gate>> {
        self.gate.as_ref()
    }

    /// Whether all of the body has been handed to the connection.
    pub(super) fn has_ended(&self) -> bool {
        self.flushes_at_end.load(Ordering::Acquire) != NEVER
    }

    /// Whether all of the request has been written out.
    pub(super) fn is_written(&self) -> bool {
        let at_end = self.flushes_at_end.load(Ordering::Acquire);
        at_end != NEVER && self.counts.flushes() > at_end && self.counts.written() > self.written_before
    }

    /// When it began.
    pub(super) fn begun(&self) -> Instant {
        self.begun
    }

    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire)
    }

    /// How long the upstream has let the request wait.
    pub(super) fn waited(&self) -> Duration {
        if self.waits_for_caller.load(Ordering::Acquire) {
            return Duration::ZERO;
        }
        self.begun.elapsed().saturating_sub(Duration::from_millis(self.last_ms.load(Ordering::Acquire)))
    }

    fn moved(&self) {
        self.waits_for_caller.store(false, Ordering::Release);
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(NEVER);
        self.last_ms.store(now, Ordering::Release);
    }

    fn end(&self) {
        let _ = self.flushes_at_end.compare_exchange(NEVER, self.counts.flushes(), Ordering::AcqRel, Ordering::Acquire);
    }
}

/// What keeps a body back.
#[derive(Debug, Default)]
pub(super) struct Gate(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    state: GateState,
    waker: Option<Waker>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum GateState {
    #[default]
    Shut,
    Open,
    /// The upstream has answered without the body: it is not sent any more.
    Done,
}

impl Gate {
    /// The upstream asks for the body.
    pub(super) fn open(&self) {
        self.enter(GateState::Open);
    }

    /// The upstream's answer is complete: a body that it has not asked for is not sent any more.
    pub(super) fn finish(&self) {
        self.enter(GateState::Done);
    }

    fn enter(&self, state: GateState) {
        let mut kept = locked(&self.0);
        if kept.state == GateState::Shut {
            kept.state = state;
            if let Some(waker) = kept.waker.take() {
                waker.wake();
            }
        }
    }

    fn poll(&self, context: &mut Context<'_>) -> Poll<GateState> {
        let mut kept = locked(&self.0);
        if kept.state == GateState::Shut {
            kept.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(kept.state)
    }
}

/// Why a body did not go out as a whole.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unsent {
    #[error("the caller ended its request in the middle")]
    Broken,
    #[error("the upstream answered without asking for the body")]
    Unasked,
}

/// The body of a request to an upstream.
#[derive(Debug)]
pub(super) struct RequestBody {
    content: Content,
    shipment: Arc<Shipment>,
    unasked: Option<Pin<Box<Sleep>>>,
}

#[derive(Debug)]
enum Content {
    /// As it comes from the caller.
    Passing(Incoming, Arc<Ongoing>),
    /// Known as a whole.
    Known(Option<Bytes>),
}

impl RequestBody {
    /// A body that is passed on as it comes.
    pub(super) fn passing(body: Incoming, call: Arc<Ongoing>, shipment: &Arc<Shipment>) -> Self {
        if body.is_end_stream() {
            call.request_ended();
            shipment.end();
        }
        let unasked = shipment.gate().map(|_| Box::pin(tokio::time::sleep(UNASKED)));
        Self { content: Content::Passing(body, call), shipment: Arc::clone(shipment), unasked }
    }

    /// A body that is known as a whole.
    pub(super) fn known(bytes: Bytes, shipment: &Arc<Shipment>) -> Self {
        let bytes = (!bytes.is_empty()).then_some(bytes);
        if bytes.is_none() {
            shipment.end();
        }
        Self { content: Content::Known(bytes), shipment: Arc::clone(shipment), unasked: None }
    }

    /// Takes in a body that goes no further, within bounds, so that the record can say what it was an attempt at.
    pub(super) async fn noted(mut self) {
        let mut room = NOTED_BYTES;
        let taking_in = async {
            while let Some(Ok(frame)) = self.frame().await {
                room = room.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
                if room == 0 {
                    return;
                }
            }
        };
        // What has not come by then is not known.
        let _ = tokio::time::timeout(NOTED_FOR, taking_in).await;
    }

    fn poll_asked(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Unsent>> {
        let Some(gate) = self.shipment.gate() else { return Poll::Ready(Ok(())) };
        if let Some(unasked) = &mut self.unasked
            && unasked.as_mut().poll(context).is_ready()
        {
            gate.open();
            self.unasked = None;
        }
        match ready!(gate.poll(context)) {
            GateState::Done => Poll::Ready(Err(Unsent::Unasked)),
            GateState::Shut | GateState::Open => Poll::Ready(Ok(())),
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Unsent;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Unsent>>> {
        let this = &mut *self;
        ready!(this.poll_asked(context))?;
        let (body, call) = match &mut this.content {
            Content::Passing(body, call) => (body, call),
            Content::Known(bytes) => {
                this.shipment.moved();
                this.shipment.end();
                return Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))));
            }
        };
        let Poll::Ready(next) = Pin::new(&mut *body).poll_frame(context) else {
            this.shipment.waits_for_caller.store(true, Ordering::Release);
            return Poll::Pending;
        };
        this.shipment.moved();
        let is_last = match &next {
            Some(Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    call.request_piece(data);
                }
                frame.is_trailers() || body.is_end_stream()
            }
            Some(Err(_)) => {
                this.shipment.is_broken.store(true, Ordering::Release);
                false
            }
            None => true,
        };
        if is_last {
            call.request_ended();
            this.shipment.end();
        }
        Poll::Ready(next.map(|frame| frame.map_err(|_| Unsent::Broken)))
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Passing(body, _) => body.is_end_stream(),
            Content::Known(bytes) => bytes.is_none(),
        }
    }
}
