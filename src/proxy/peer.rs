//! The caller's end of a connection: whether the caller is still there, what it got, and how the connection ends.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

use crate::evidence::Delivered;

use super::gather::{SMALL, gathered};
use super::locked;
use super::ongoing::Ongoing;

/// How often a caller that has sent more than it was asked for is looked at again.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A caller's socket, shared between the HTTP machinery, which reads and writes it, and those who need to know what
/// became of it.
#[derive(Debug)]
pub(super) struct Peer {
    stream: TcpStream,
    made: Instant,
    written: AtomicU64,
    /// When the last write began, in nanoseconds since `made`: a caller has nothing of it before.
    wrote_ns: AtomicU64,
    /// Whether the connection ends with a reset.
    resets: AtomicBool,
    /// Whether an answer has been handed over as a whole and waits to be written out.
    handed_over: AtomicBool,
    /// The answers that are being written, in their order: more than one where the caller sends its calls in a row.
    deliveries: Mutex<VecDeque<Delivery>>,
    /// Who waits until all that was handed over has been written out.
    flush: Mutex<Option<Waker>>,
    flushes: AtomicU64,
}

#[derive(Debug)]
struct Delivery {
    call: Arc<Ongoing>,
    /// Bytes that had been written before the answer began.
    written_before: u64,
    /// Whether the caller had closed its side before.
    came_too_late: bool,
    handed_over: bool,
}

impl Peer {
    pub(super) fn new(stream: TcpStream) -> Arc<Self> {
        Arc::new(Self {
            stream,
            made: Instant::now(),
            written: AtomicU64::new(0),
            wrote_ns: AtomicU64::new(0),
            resets: AtomicBool::new(false),
            handed_over: AtomicBool::new(false),
            deliveries: Mutex::default(),
            flush: Mutex::default(),
            flushes: AtomicU64::new(0),
        })
    }

    /// Returns once the caller has closed its side or is gone. What it has sent and nobody has read yet hides its leaving
    /// only for a moment.
    pub(super) async fn left(&self) {
        loop {
            match self.stream.peek(&mut [0]).await {
                Ok(0) | Err(_) => return,
                Ok(_) => tokio::time::sleep(LOOK_AGAIN).await,
            }
            if self.stream.ready(Interest::READABLE).await.is_ok_and(|ready| ready.is_read_closed()) {
                return;
            }
        }
    }

    /// The connection ends with a reset as soon as it is dropped: what was written and not yet read is lost.
    pub(super) fn reset(&self) {
        self.resets.store(true, Ordering::Release);
    }

    /// From here on what is written is the answer to this call.
    pub(super) fn begin_answer(&self, call: Arc<Ongoing>) {
        let written_before = self.written.load(Ordering::Acquire);
        let came_too_late = call.caller_has_left();
        locked(&self.deliveries).push_back(Delivery { call, written_before, came_too_late, handed_over: false });
    }

    /// The answer has been handed over as a whole; it counts as delivered once it is written out.
    pub(super) fn end_answer(&self) {
        if let Some(last) = locked(&self.deliveries).back_mut() {
            last.handed_over = true;
        }
        self.handed_over.store(true, Ordering::Release);
    }

    /// Ready once everything has been written out that was handed over before the first of a row of calls with the same
    /// `since`, which begins as `None`.
    pub(super) fn poll_flushed(&self, since: &mut Option<u64>, context: &mut Context<'_>) -> Poll<()> {
        *locked(&self.flush) = Some(context.waker().clone());
        let flushes = self.flushes.load(Ordering::Acquire);
        if *since.get_or_insert(flushes) < flushes { Poll::Ready(()) } else { Poll::Pending }
    }

    fn flushed(&self) {
        self.flushes.fetch_add(1, Ordering::AcqRel);
        if let Some(waker) = locked(&self.flush).take() {
            waker.wake();
        }
        if self.handed_over.swap(false, Ordering::AcqRel) {
            // A caller that had gone before has answered with a reset by now.
            let is_there = matches!(self.stream.take_error(), Ok(None));
            let mut deliveries = locked(&self.deliveries);
            let whole = deliveries.iter().take_while(|delivery| delivery.handed_over).count();
            for delivery in deliveries.drain(..whole) {
                self.settle(&delivery, is_there);
            }
        }
    }

    fn settle(&self, delivery: &Delivery, is_whole: bool) {
        let delivered = if is_whole {
            Delivered::Whole
        } else if self.written.load(Ordering::Acquire) > delivery.written_before && !delivery.came_too_late {
            Delivered::Partly
        } else {
            Delivered::No
        };
        // A caller that has the whole answer can make its next call before this is noted: the time is that of the write.
        let written = self.made.checked_add(Duration::from_nanos(self.wrote_ns.load(Ordering::Acquire)));
        delivery.call.delivered(delivered, written.filter(|_| is_whole));
    }
}

/// What the HTTP machinery reads and writes.
#[derive(Debug)]
pub(super) struct PeerIo(pub(super) Arc<Peer>);

impl AsyncRead for PeerIo {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let stream = &self.0.stream;
        loop {
            ready!(stream.poll_read_ready(context))?;
            let room = buffer.remaining();
            let mut read = None;
            let tried = stream.try_io(Interest::READABLE, || {
                let bytes = stream.try_read_buf(buffer)?;
                read = Some(bytes);
                // So little that nothing is left: whoever reads or looks next waits, and asks the system no more in vain.
                if (1..room).contains(&bytes) { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
            });
            match tried {
                _ if read.is_some() => return Poll::Ready(Ok(())),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                tried => return Poll::Ready(tried),
            }
        }
    }
}

impl PeerIo {
    fn poll_writing(
        &self,
        context: &mut Context<'_>,
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.0.stream.poll_write_ready(context))?;
            let now = u64::try_from(self.0.made.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.0.wrote_ns.store(now, Ordering::Release);
            match write(&self.0.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(bytes) => {
                    self.0.written.fetch_add(bytes as u64, Ordering::AcqRel);
                    return Poll::Ready(Ok(bytes));
                }
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for PeerIo {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_writing(context, |stream| stream.try_write(bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut room = [0; SMALL];
        match gathered(bytes, &mut room) {
            Some(bytes) => self.poll_writing(context, |stream| stream.try_write(bytes)),
            None => self.poll_writing(context, |stream| stream.try_write_vectored(bytes)),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The socket is closed when it is dropped, which follows at once.
        Poll::Ready(Ok(()))
    }
}

impl Drop for PeerIo {
    fn drop(&mut self) {
        for delivery in locked(&self.0.deliveries).drain(..) {
            self.0.settle(&delivery, false);
        }
        if self.0.resets.load(Ordering::Acquire) {
            // If it fails the connection ends with an orderly close, which is the end of it too.
            let _ = self.0.stream.set_zero_linger();
        }
    }
}
