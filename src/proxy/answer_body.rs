//! The body of an answer on its way to the caller: as the upstream sends it, or as a fault has it.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep};

use super::caller::Caller;
use super::failure::Failure;
use super::forward::Line;
use super::ongoing::Ongoing;
use super::request_body::Shipment;

/// An answer may take so many times as long as may pass between two pieces of it, counted while it is waited for.
const LONGEST_ANSWER: u32 = 10;

/// An answer as it comes from the upstream, recorded on the way.
#[derive(Debug)]
pub(super) struct AnswerStream {
    incoming: Incoming,
    /// Where it is recorded, if anywhere.
    call: Option<Arc<Ongoing>>,
    shipment: Arc<Shipment>,
    patience: Patience,
    has_ended: bool,
}

/// How long is still waited for the upstream.
#[derive(Debug)]
struct Patience {
    between: Duration,
    in_all: Duration,
    waiting: Option<Instant>,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl AnswerStream {
    pub(super) fn new(
        incoming: Incoming,
        call: Option<Arc<Ongoing>>,
        shipment: Arc<Shipment>,
        between: Duration,
    ) -> Self {
        let in_all = between.saturating_mul(LONGEST_ANSWER);
        let patience = Patience { between, in_all, waiting: None, alarm: None };
        let mut stream = Self { incoming, call, shipment, patience, has_ended: false };
        stream.end_if_all_has_come();
        stream
    }

    /// Whether all of it has come.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The next piece; `None` after the last.
    pub(super) async fn next(&mut self) -> Option<Result<Frame<Bytes>, Failure>> {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }

    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        let next = match Pin::new(&mut self.incoming).poll_frame(context) {
            Poll::Ready(next) => next,
            Poll::Pending => {
                let waited = ready!(self.patience.poll_lost(context));
                return Poll::Ready(Some(Err(self.fail(Failure::answer_stopped(waited)))));
            }
        };
        self.patience.moved();
        match next {
            Some(Ok(frame)) => {
                if let (Some(call), Some(data)) = (&self.call, frame.data_ref()) {
                    call.answer_piece(data);
                }
                if frame.is_trailers() {
                    self.end();
                }
                self.end_if_all_has_come();
                Poll::Ready(Some(Ok(frame)))
            }
            Some(Err(error)) => Poll::Ready(Some(Err(self.fail(Failure::of_answer(&error))))),
            None => {
                self.end();
                Poll::Ready(None)
            }
        }
    }

    fn fail(&self, failure: Failure) -> Failure {
        if let Some(call) = &self.call {
            call.problem(failure.text.clone());
        }
        failure
    }

    fn end_if_all_has_come(&mut self) {
        if self.incoming.is_end_stream() {
            self.end();
        }
    }

    fn end(&mut self) {
        if !std::mem::replace(&mut self.has_ended, true)
            && let Some(call) = &self.call
        {
            call.answer_ended();
        }
    }
}

impl Drop for AnswerStream {
    fn drop(&mut self) {
        if let Some(gate) = self.shipment.gate() {
            gate.finish();
        }
        if let Some(call) = &self.call {
            call.answer_given_up();
        }
    }
}

impl Patience {
    /// Ready with the time that was waited in vain.
    fn poll_lost(&mut self, context: &mut Context<'_>) -> Poll<Duration> {
        let longest = self.between.min(self.in_all);
        if self.waiting.is_none() {
            let now = Instant::now();
            self.waiting = Some(now);
            match &mut self.alarm {
                Some(alarm) => alarm.as_mut().reset(now + longest),
                None => self.alarm = Some(Box::pin(tokio::time::sleep_until(now + longest))),
            }
        }
        let Some(alarm) = &mut self.alarm else { return Poll::Pending };
        alarm.as_mut().poll(context).map(|()| longest)
    }

    fn moved(&mut self) {
        if let Some(since) = self.waiting.take() {
            self.in_all = self.in_all.saturating_sub(since.elapsed());
        }
    }
}

/// What happens next in an answer that does not come straight from the upstream.
pub(super) enum Act {
    /// These bytes are sent.
    Send(Bytes),
    /// Nothing is sent until then.
    Wait(Pin<Box<dyn Future<Output = ()> + Send>>),
    /// The connection ends in the middle of the answer.
    Break,
}

/// The body of an answer to a caller.
pub(super) struct AnswerBody {
    caller: Arc<Caller>,
    content: Content,
    /// Set while everything that came before a break is written out.
    breaks: Option<Option<u64>>,
}

enum Content {
    Passing(AnswerStream, Option<Line>),
    Acted(VecDeque<Act>),
}

/// An answer that ends in the middle.
#[derive(Debug, thiserror::Error)]
#[error("the answer broke off")]
pub(super) struct BrokenOff;

impl AnswerBody {
    /// An answer that is passed on as it comes. The line is used again once it has come as a whole.
    pub(super) fn passing(caller: &Arc<Caller>, stream: AnswerStream, line: Line) -> Self {
        Self { caller: Arc::clone(caller), content: Content::Passing(stream, Some(line)), breaks: None }
    }

    /// An answer in acts.
    pub(super) fn acted(caller: &Arc<Caller>, acts: impl IntoIterator<Item = Act>) -> Self {
        let acts = acts.into_iter().filter(|act| !matches!(act, Act::Send(bytes) if bytes.is_empty()));
        Self { caller: Arc::clone(caller), content: Content::Acted(acts.collect()), breaks: None }
    }

    fn poll_break(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let since = self.breaks.get_or_insert(None);
        ready!(self.caller.peer.poll_flushed(since, context));
        Poll::Ready(Some(Err(BrokenOff)))
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let this = &mut *self;
        if this.breaks.is_some() {
            return this.poll_break(context);
        }
        match &mut this.content {
            Content::Passing(stream, _) => match ready!(stream.poll_next(context)) {
                Some(Ok(frame)) => Poll::Ready(Some(Ok(frame))),
                Some(Err(_)) => this.poll_break(context),
                None => Poll::Ready(None),
            },
            Content::Acted(acts) => loop {
                match acts.front_mut() {
                    None => return Poll::Ready(None),
                    Some(Act::Wait(future)) => ready!(future.as_mut().poll(context)),
                    Some(Act::Send(bytes)) => {
                        let bytes = std::mem::take(bytes);
                        acts.pop_front();
                        return Poll::Ready(Some(Ok(Frame::data(bytes))));
                    }
                    Some(Act::Break) => return this.poll_break(context),
                }
                acts.pop_front();
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Passing(stream, _) => stream.has_ended(),
            Content::Acted(acts) => acts.is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Acted(acts) => match acts.iter().map(sent_bytes).sum() {
                Some(bytes) => SizeHint::with_exact(bytes),
                None => SizeHint::default(),
            },
            Content::Passing(..) => SizeHint::default(),
        }
    }
}

/// The bytes that are sent, if nothing can come in between.
fn sent_bytes(act: &Act) -> Option<u64> {
    match act {
        Act::Send(bytes) => Some(bytes.len() as u64),
        Act::Wait(_) | Act::Break => None,
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        if !self.is_end_stream() {
            return;
        }
        if let Content::Passing(_, line) = &mut self.content
            && let Some(line) = line.take()
        {
            self.caller.keep(line.used_now());
        }
        self.caller.peer.end_answer();
    }
}
