//! Sending a request on to its upstream and waiting for the answer to begin.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode, Version, header};
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, Sleep, timeout};

use super::connector::Connector;
use super::failure::Failure;
use super::headers::passed_on;
use super::ongoing::Ongoing;
use super::peer::Peer;
use super::request_body::{RequestBody, Shipment};
use super::target::Counts;

/// A connection that has been idle for longer may have been closed by the upstream just now, and is not used again.
const LONGEST_IDLE: Duration = Duration::from_secs(1);

/// How long a connection may take to be done with the call before.
const LONGEST_TIDYING: Duration = Duration::from_millis(50);

/// An open connection to an upstream.
#[derive(Debug)]
pub(super) struct Line {
    wire: Wire,
    used: Instant,
    /// Goes off when an answer is too late. One that is put off costs less than one for each call.
    alarm: Pin<Box<Sleep>>,
}

#[derive(Debug)]
struct Wire {
    sender: SendRequest<RequestBody>,
    counts: Arc<Counts>,
}

/// What is sent.
#[derive(Debug)]
pub(super) enum Content {
    /// The body as it comes from the caller.
    Passing(Incoming),
    /// A body that is known as a whole.
    Known(hyper::body::Bytes),
}

/// An answer that has begun.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) response: Response<Incoming>,
    pub(super) shipment: Arc<Shipment>,
    pub(super) line: Line,
}

/// Sends a call on, over `line` if it can still be used, and waits until its answer begins.
///
/// # Errors
/// When no answer begins, with what is known of why.
pub(super) async fn forward(
    connector: &Connector,
    line: Option<Line>,
    head: Parts,
    content: Content,
    call: &Arc<Ongoing>,
    peer: Option<&Peer>,
) -> Result<Begun, Failure> {
    let mut line = match reach(connector, line).await {
        Ok(line) => line,
        Err(failure) => {
            if let Content::Passing(body) = content {
                RequestBody::passing(body, Arc::clone(call), &Shipment::new(&Arc::default(), false)).noted().await;
            }
            return Err(failure);
        }
    };
    let asks_first = matches!(content, Content::Passing(_))
        && head.headers.get(header::EXPECT).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"));
    let shipment = Shipment::new(&line.wire.counts, asks_first);
    let body = match content {
        Content::Passing(body) => RequestBody::passing(body, Arc::clone(call), &shipment),
        Content::Known(bytes) => RequestBody::known(bytes, &shipment),
    };
    let mut request = request(connector, head, body)?;
    if let Some(gate) = shipment.gate() {
        let gate = Arc::clone(gate);
        hyper::ext::on_informational(&mut request, move |answer| {
            if answer.status() == StatusCode::CONTINUE {
                gate.open();
            }
        });
    }
    call.sending();
    let mut sending = Sending { call, shipment: &shipment, is_over: false };
    let sent = send(connector, &mut line.wire, request);
    let awaited = await_answer(connector.timeout, sent, &mut line.alarm, &shipment, call, peer).await;
    sending.is_over = true;
    if awaited.is_ok() && shipment.has_ended() || shipment.is_written() && was_left_waiting(&awaited) {
        call.sent_whole();
    }
    drop(sending);
    let response = awaited?;
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        return Err(Failure::switched_protocols());
    }
    Ok(Begun { response, shipment, line })
}

/// A request that is cut off while its answer is awaited: if it had been written out, the upstream has it.
struct Sending<'a> {
    call: &'a Ongoing,
    shipment: &'a Shipment,
    is_over: bool,
}

impl Drop for Sending<'_> {
    fn drop(&mut self) {
        if !self.is_over && self.shipment.is_written() {
            self.call.sent_whole();
        }
    }
}

/// Whether the upstream still held the connection when it was given up.
fn was_left_waiting(awaited: &Result<Response<Incoming>, Failure>) -> bool {
    awaited.as_ref().is_err_and(|failure| failure.status == StatusCode::GATEWAY_TIMEOUT)
}

/// The connection that was kept, where it is fit for another call, or a new one.
async fn reach(connector: &Connector, kept: Option<Line>) -> Result<Line, Failure> {
    if let Some(line) = kept
        && let Some(line) = line.ready_again().await
    {
        return Ok(line);
    }
    let wire = Box::pin(connect(connector)).await?;
    let now = Instant::now();
    Ok(Line { wire, used: now, alarm: Box::pin(tokio::time::sleep_until(now)) })
}

async fn connect(connector: &Connector) -> Result<Wire, Failure> {
    let target = &connector.target;
    let io = timeout(connector.timeout, target.connect())
        .await
        .map_err(|_| Failure::no_connection_within(&target.shown(), connector.timeout))?
        .map_err(|error| Failure::unreachable(&target.shown(), &error))?;
    let counts = Arc::clone(&io.counts);
    let mut builder = Builder::new();
    builder.preserve_header_case(true);
    let (sender, connection) =
        builder.handshake(TokioIo::new(io)).await.map_err(|error| Failure::of_request(&error))?;
    // It ends with the sender and the bodies that pass through it; its errors show there.
    tokio::spawn(connection);
    Ok(Wire { sender, counts })
}

impl Line {
    /// The same connection, if it is fit for another call.
    async fn ready_again(mut self) -> Option<Self> {
        if self.used.elapsed() > LONGEST_IDLE {
            return None;
        }
        timeout(LONGEST_TIDYING, self.wire.sender.ready()).await.ok()?.ok()?;
        Some(self)
    }

    /// Notes that it was in use until now.
    pub(super) fn used_now(mut self) -> Self {
        self.used = Instant::now();
        self
    }
}

/// Sends over a connection. One that turns out to be closed before anything of the request was taken from it is
/// replaced once.
async fn send(
    connector: &Connector,
    wire: &mut Wire,
    request: Request<RequestBody>,
) -> Result<Response<Incoming>, Failure> {
    match wire.sender.try_send_request(request).await {
        Ok(response) => Ok(response),
        Err(mut unsent) => match unsent.take_message() {
            Some(request) => {
                // Rare, and large: kept apart from what each call carries along.
                *wire = match Box::pin(connect(connector)).await {
                    Ok(wire) => wire,
                    Err(failure) => {
                        request.into_body().noted().await;
                        return Err(failure);
                    }
                };
                wire.sender.send_request(request).await.map_err(|error| Failure::of_request(&error))
            }
            None => Err(Failure::of_request(unsent.error())),
        },
    }
}

async fn await_answer(
    patience: Duration,
    sent: impl Future<Output = Result<Response<Incoming>, Failure>>,
    alarm: &mut Pin<Box<Sleep>>,
    shipment: &Shipment,
    call: &Ongoing,
    peer: Option<&Peer>,
) -> Result<Response<Incoming>, Failure> {
    let mut sent = pin!(sent);
    alarm.as_mut().reset(after(shipment.begun(), patience));
    loop {
        tokio::select! {
            biased;
            answer = &mut sent => {
                return answer.map_err(|failure| if shipment.is_broken() { Failure::caller_broke_off() } else { failure });
            }
            () = caller_leaves(peer, call) => {}
            () = alarm.as_mut() => {
                // Perhaps it waited for its caller meanwhile.
                let left = patience.saturating_sub(shipment.waited());
                if left.is_zero() {
                    return Err(Failure::no_answer_within(patience));
                }
                alarm.as_mut().reset(after(Instant::now(), left));
            }
        }
    }
}

/// A moment so long after another one; where that is beyond what a clock can say, in a year.
fn after(moment: Instant, time: Duration) -> Instant {
    moment.checked_add(time).unwrap_or(moment + Duration::from_secs(365 * 24 * 60 * 60))
}

/// Notes when the caller leaves; never returns where that is known or does not matter.
async fn caller_leaves(peer: Option<&Peer>, call: &Ongoing) {
    match peer {
        Some(peer) if !call.caller_has_left() => {
            peer.left().await;
            call.caller_left();
        }
        _ => std::future::pending().await,
    }
}

fn request(connector: &Connector, head: Parts, body: RequestBody) -> Result<Request<RequestBody>, Failure> {
    let mut request = Request::new(body);
    *request.method_mut() = head.method;
    *request.version_mut() = Version::HTTP_11;
    *request.uri_mut() = connector.target.uri(head.uri).ok_or_else(Failure::odd_target)?;
    *request.headers_mut() = passed_on(head.headers);
    request.headers_mut().insert(header::HOST, connector.target.authority().clone());
    // The names of the headers in their own letter case.
    *request.extensions_mut() = head.extensions;
    Ok(request)
}
