//! One connection of a caller: its calls, in a row, each passed on or failed.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HeaderValue};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};

use crate::evidence::Delivered;

use super::answer_body::{Act, AnswerBody, AnswerStream};
use super::book::Book;
use super::connector::Connector;
use super::failure::Failure;
use super::faults;
use super::forward::{Begun, Content, Line, forward};
use super::headers::PROBLEM;
use super::lanes::Ways;
use super::locked;
use super::ongoing::Ongoing;
use super::peer::{Peer, PeerIo};
use super::refusal::refusal;

/// A caller's connection.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) peer: Arc<Peer>,
    pub(super) connector: Arc<Connector>,
    pub(super) book: Arc<Book>,
    /// The connection to the upstream that goes with this one, between two calls.
    line: Mutex<Option<Line>>,
}

/// A call whose connection ends without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the connection ends without an answer")]
pub(super) struct Dropped;

/// How long a refused request is read.
const GLANCE: Duration = Duration::from_millis(100);

/// Why a call that came when the steps were over was not passed on.
const CAME_LATE: &str = "it came after the trial's last step had ended, and was not passed on";

/// What a caller gets.
pub(super) type Answer = Result<Response<AnswerBody>, Dropped>;

/// Takes connections until the trial has ended. Calls that come when its steps are over are recorded and go no further.
pub(super) async fn listen(listener: TcpListener, connector: Arc<Connector>, book: Arc<Book>, ways: Ways) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = book.ended() => return,
        };
        match accepted {
            Ok((stream, from)) if may_call(from) => {
                let (connector, book) = (Arc::clone(&connector), Arc::clone(&book));
                // A socket that cannot change hands any more has been closed.
                if let Ok(stream) = stream.into_std() {
                    ways.next().spawn(async move {
                        if let Ok(stream) = TcpStream::from_std(stream) {
                            serve(stream, connector, book).await;
                        }
                    });
                }
            }
            Ok(_) => {}
            // Out of descriptors, most likely: some come free as calls end.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(5)).await,
        }
    }
}

/// Whether somebody may call from there: from this machine alone.
fn may_call(from: SocketAddr) -> bool {
    from.ip().to_canonical().is_loopback()
}

async fn serve(stream: TcpStream, connector: Arc<Connector>, book: Arc<Book>) {
    // Without it an answer in two pieces waits for an acknowledgement in between; if it cannot be had, it waits.
    let _ = stream.set_nodelay(true);
    let peer = Peer::new(stream);
    let io = TokioIo::new(PeerIo(Arc::clone(&peer)));
    let caller = Arc::new(Caller { peer, connector, book: Arc::clone(&book), line: Mutex::default() });
    let service = {
        let caller = Arc::clone(&caller);
        service_fn(move |request| Arc::clone(&caller).answer(request))
    };
    let mut builder = http1::Builder::new();
    // A caller that has closed its side alone still gets its answer; who has left for good is found out by `Peer`.
    builder.half_close(true).preserve_header_case(true).auto_date_header(false);
    let connection = builder.serve_connection(io, service);
    tokio::select! {
        served = connection => {
            if served.is_err_and(|error| error.is_parse()) {
                caller.note_unreadable();
            }
        }
        () = book.ended() => {}
    }
}

impl Caller {
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Answer {
        let (head, body) = request.into_parts();
        if let Some(refusal) = refusal(&head) {
            let call = Ongoing::refused(&self.book, &self.connector, &head);
            call.problem(refusal);
            return Ok(self.report(&call, &head.method, StatusCode::BAD_REQUEST, "refused", refusal));
        }
        let call = Ongoing::new(&self.book, &self.connector, &head);
        if self.book.is_closing() {
            call.problem(CAME_LATE);
            return Box::pin(self.refuse(&call, &head, body)).await;
        }
        match call.fault().cloned() {
            None => self.pass_on(&call, head, body).await,
            // Rare, and large: kept apart from what each call carries along.
            Some(due) => Box::pin(faults::lay(&self, due, &call, head, body)).await,
        }
    }

    /// The connection ends with a reset. What has already been sent of the request is looked at, since the record must tell
    /// what it was an attempt at; a caller that waits to be asked for its body is not asked.
    pub(super) async fn refuse(&self, call: &Ongoing, head: &Parts, mut body: Incoming) -> Answer {
        let read = async {
            while let Some(frame) = body.frame().await {
                // One that breaks off never ends.
                let Ok(frame) = frame else { return };
                if let Some(data) = frame.data_ref() {
                    call.request_piece(data);
                }
            }
            call.request_ended();
        };
        if !head.headers.contains_key(EXPECT) {
            // Whatever comes of it, the connection ends.
            let _ = tokio::time::timeout(GLANCE, read).await;
        }
        self.hang_up(call)
    }

    /// Passes a call on, and its answer back.
    pub(super) async fn pass_on(self: &Arc<Self>, call: &Arc<Ongoing>, head: Parts, body: Incoming) -> Answer {
        let method = head.method.clone();
        match self.forward(call, head, Content::Passing(body)).await {
            Ok(begun) => Ok(self.pass_back(call, begun)),
            Err(failure) => self.fail(call, &method, &failure),
        }
    }

    /// Sends a call on and waits for the answer to begin.
    pub(super) async fn forward(&self, call: &Arc<Ongoing>, head: Parts, content: Content) -> Result<Begun, Failure> {
        let line = locked(&self.line).take();
        let begun = forward(&self.connector, line, head, content, call, Some(&self.peer)).await?;
        call.answer_begins(begun.response.status().as_u16(), begun.response.headers());
        Ok(begun)
    }

    /// Keeps the connection to the upstream for the next call.
    pub(super) fn keep(&self, line: Line) {
        *locked(&self.line) = Some(line);
    }

    /// Passes an answer back as it comes.
    pub(super) fn pass_back(self: &Arc<Self>, call: &Arc<Ongoing>, begun: Begun) -> Response<AnswerBody> {
        let (mut head, incoming) = begun.response.into_parts();
        let stream = AnswerStream::new(incoming, Some(Arc::clone(call)), begun.shipment, self.connector.timeout);
        head.headers = self.connector.passed_back(head.headers);
        self.begin_answer(call, head.status, &head.headers);
        Response::from_parts(head, AnswerBody::passing(self, stream, begun.line))
    }

    /// From here on the caller gets an answer.
    pub(super) fn begin_answer(&self, call: &Arc<Ongoing>, status: StatusCode, headers: &HeaderMap) {
        call.delivering(status.as_u16(), headers);
        self.peer.begin_answer(Arc::clone(call));
    }

    /// Answers in the upstream's place, with a body that is known as a whole.
    pub(super) fn make_answer(
        self: &Arc<Self>,
        call: &Arc<Ongoing>,
        method: &Method,
        status: StatusCode,
        headers: HeaderMap,
        body: Bytes,
    ) -> Response<AnswerBody> {
        let has_body =
            *method != Method::HEAD && status != StatusCode::NO_CONTENT && status != StatusCode::NOT_MODIFIED;
        self.begin_answer(call, status, &headers);
        let acts = has_body.then_some(Act::Send(body.clone()));
        let mut response = Response::new(AnswerBody::acted(self, acts));
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        response
    }

    /// Tells the caller what went wrong on the way.
    pub(super) fn fail(self: &Arc<Self>, call: &Arc<Ongoing>, method: &Method, failure: &Failure) -> Answer {
        call.problem(failure.text.clone());
        call.answer_given_up();
        if failure.is_callers_own() {
            return self.hang_up(call);
        }
        Ok(self.report(call, method, failure.status, failure.code, &failure.text))
    }

    fn report(
        self: &Arc<Self>,
        call: &Arc<Ongoing>,
        method: &Method,
        status: StatusCode,
        code: &'static str,
        text: &str,
    ) -> Response<AnswerBody> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(PROBLEM, HeaderValue::from_static(code));
        let body = json!({"error": {"code": code, "message": text}});
        self.make_answer(call, method, status, headers, Bytes::from(body.to_string()))
    }

    /// The connection ends with a reset, without an answer.
    pub(super) fn hang_up(&self, call: &Ongoing) -> Answer {
        self.peer.reset();
        call.delivered(Delivered::No, None);
        Err(Dropped)
    }

    /// What came was no request. It is recorded as a call without a method.
    fn note_unreadable(&self) {
        let (mut head, ()) = Request::new(()).into_parts();
        head.uri = hyper::Uri::from_static("/");
        let call = Ongoing::refused(&self.book, &self.connector, &head);
        call.problem("what the caller sent is no HTTP request");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_may_call() {
        for (from, may) in [
            ("127.0.0.1:9", true),
            ("127.8.8.8:9", true),
            ("[::1]:9", true),
            ("[::ffff:127.0.0.1]:9", true),
            ("10.0.0.1:9", false),
            ("0.0.0.0:9", false),
            ("[::ffff:10.0.0.1]:9", false),
            ("[fe80::1]:9", false),
        ] {
            assert_eq!(may_call(from.parse().unwrap()), may, "{from}");
        }
    }
}
