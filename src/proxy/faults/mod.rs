//! The faults, each in a small piece of code. A fault counts as fired only when it has really taken effect.

mod altered;
mod damage;
mod held;
mod instead;
mod timing;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::http::request::Parts;
use hyper::http::response;

use crate::manifest::FaultName;

use super::answer_body::AnswerStream;
use super::book::Due;
use super::caller::{Answer, Caller};
use super::failure::Failure;
use super::forward::{Begun, Line};
use super::ongoing::Ongoing;
use super::peer::Peer;

/// Bytes of a request or an answer that a fault can hold, where it must know all of it.
const MOST_HELD: usize = 64 << 20;

/// Seconds after which a caller that never gives up is let go.
const LONGEST_HOLD_S: f64 = 30.0;

/// A call with the fault that falls on it.
struct Struck {
    caller: Arc<Caller>,
    call: Arc<Ongoing>,
    due: Due,
    head: Parts,
}

/// Lays a fault on a call.
pub(super) async fn lay(caller: &Arc<Caller>, due: Due, call: &Arc<Ongoing>, head: Parts, body: Incoming) -> Answer {
    let name = due.spec.fault;
    let struck = Struck { caller: Arc::clone(caller), call: Arc::clone(call), due, head };
    match name {
        FaultName::Refuse => struck.refuse(body).await,
        FaultName::DropBefore | FaultName::LostRequest => struck.drop_before(body).await,
        FaultName::Status | FaultName::Unavailable | FaultName::RateLimited => struck.status(body).await,
        FaultName::LostAck | FaultName::ErrorAfterCommit => struck.lost_ack(body).await,
        FaultName::LateCommit => struck.late_commit(body).await,
        FaultName::DuplicateDelivery => struck.duplicate_delivery(body).await,
        FaultName::OutOfOrder => struck.out_of_order(body).await,
        FaultName::Delay => struck.delay(body).await,
        FaultName::Stall
        | FaultName::TruncateClean
        | FaultName::TruncateAbrupt
        | FaultName::CorruptJson
        | FaultName::ReplaceBody
        | FaultName::InjectText => struck.alter(body).await,
        FaultName::FailBeforeCommit => {
            call.problem("only a target itself can fail before it commits: the call was passed on as it was");
            caller.pass_on(call, struck.head, body).await
        }
    }
}

/// An answer that has come as a whole.
struct Collected {
    head: response::Parts,
    body: Bytes,
    line: Line,
}

impl Struck {
    fn fail(&self, failure: &Failure) -> Answer {
        self.caller.fail(&self.call, &self.head.method, failure)
    }

    /// Reads all of the request.
    async fn read(&self, mut body: Incoming) -> Result<Bytes, Failure> {
        let mut held = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Failure::caller_broke_off())?;
            if let Some(data) = frame.data_ref() {
                self.call.request_piece(data);
                held.extend_from_slice(data);
            }
            if held.len() > MOST_HELD {
                return Err(Failure::request_too_long(MOST_HELD));
            }
        }
        self.call.request_ended();
        Ok(Bytes::from(held))
    }

    /// Reads all of an answer and records it.
    async fn collect(&self, begun: Begun) -> Result<Collected, Failure> {
        let (head, incoming) = begun.response.into_parts();
        let call = Some(Arc::clone(&self.call));
        let mut stream = AnswerStream::new(incoming, call, begun.shipment, self.caller.connector.timeout);
        let mut held = Vec::new();
        while let Some(frame) = stream.next().await {
            if let Some(data) = frame?.data_ref() {
                held.extend_from_slice(data);
            }
            if held.len() > MOST_HELD {
                return Err(Failure::answer_too_long(MOST_HELD));
            }
        }
        Ok(Collected { head, body: Bytes::from(held), line: begun.line })
    }

    /// As [`held()`], of this call.
    async fn hold(&self, longest: Duration, event: impl Future<Output = ()>) -> bool {
        held(&self.caller.peer, &self.call, longest, event).await
    }
}

/// How long the end of a trial waits for a caller's leaving to be noticed that has happened already.
const NOTICED: Duration = Duration::from_millis(5);

/// Waits for `longest`, until `event`, until the caller leaves, or until the trial is about to end. Says whether it was the
/// event.
async fn held(peer: &Peer, call: &Ongoing, longest: Duration, event: impl Future<Output = ()>) -> bool {
    tokio::select! {
        // A caller that has left is known to have, whatever else has happened by then.
        biased;
        () = peer.left() => {
            call.caller_left();
            false
        }
        () = event => true,
        () = call.closing() => {
            // The system knows of it before anybody here has been woken.
            if tokio::time::timeout(NOTICED, peer.left()).await.is_ok() {
                call.caller_left();
            }
            false
        }
        () = tokio::time::sleep(longest) => false,
    }
}
