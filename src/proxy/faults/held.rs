//! Faults by which the upstream gets the request as a whole, at another time or more than once, or its answer is lost.

use std::sync::Arc;

use hyper::StatusCode;
use hyper::body::{Bytes, Incoming};
use hyper::http::request::Parts;
use tokio::sync::oneshot;

use crate::manifest::FaultName;
use crate::proxy::answer_body::AnswerStream;
use crate::proxy::caller::Answer;
use crate::proxy::connector::Connector;
use crate::proxy::failure::Failure;
use crate::proxy::forward::{Content, forward};
use crate::proxy::ongoing::Ongoing;

use super::Struck;

/// Seconds after which a late request lands once its caller has gone.
const LATE_S: f64 = 0.2;

/// Seconds for which a call waits for a later one.
const OVERTAKEN_S: f64 = 5.0;

impl Struck {
    /// `lost_ack`: the upstream answers, and the caller does not learn of it. An answer that the contract documents as a
    /// refusal acknowledges nothing that could be lost, and is passed back.
    pub(super) async fn lost_ack(self, body: Incoming) -> Answer {
        let connector = &self.caller.connector;
        match self.caller.forward(&self.call, self.head.clone(), Content::Passing(body)).await {
            Ok(begun) if self.call.is_refusal(begun.response.status().as_u16()) => {
                let (name, status) = (self.due.spec.fault.name(), begun.response.status().as_u16());
                self.call.problem(format!(
                    "{name} could not take effect: the target refused the call with {status}, and did nothing"
                ));
                return Ok(self.caller.pass_back(&self.call, begun));
            }
            Ok(begun) => {
                let stream = AnswerStream::new(
                    begun.response.into_body(),
                    Some(Arc::clone(&self.call)),
                    begun.shipment,
                    connector.timeout,
                );
                if let Err(failure) = drain(stream).await {
                    return self.fail(&failure);
                }
                self.caller.keep(begun.line.used_now());
            }
            Err(failure) => return self.fail(&failure),
        }
        self.call.fired();
        let is_error = self.due.spec.fault == FaultName::ErrorAfterCommit;
        self.withhold(if is_error { StatusCode::INTERNAL_SERVER_ERROR } else { StatusCode::GATEWAY_TIMEOUT }).await
    }

    /// `late_commit`: the caller gets no answer, and the request goes on after that.
    pub(super) async fn late_commit(self, body: Incoming) -> Answer {
        let bytes = match self.read(body).await {
            Ok(bytes) => bytes,
            Err(failure) => return self.fail(&failure),
        };
        // It goes on as well when this future is dropped.
        let (_caller_is_gone, gone) = oneshot::channel::<()>();
        let (connector, call) = (Arc::clone(&self.caller.connector), Arc::clone(&self.call));
        let (head, delay) = (self.head.clone(), self.due.duration(LATE_S));
        tokio::spawn(async move {
            let late = async {
                let _ = gone.await;
                call.goes_on_for(delay);
                tokio::time::sleep(delay).await;
                land(&connector, head, bytes, &call).await;
            };
            tokio::select! {
                () = late => {}
                () = call.ended() => {}
            }
        });
        self.withhold(StatusCode::GATEWAY_TIMEOUT).await
    }

    /// `duplicate_delivery`: the upstream gets the request a second time before its first answer is passed back.
    pub(super) async fn duplicate_delivery(self, body: Incoming) -> Answer {
        let bytes = match self.read(body).await {
            Ok(bytes) => bytes,
            Err(failure) => return self.fail(&failure),
        };
        let first = match self.caller.forward(&self.call, self.head.clone(), Content::Known(bytes.clone())).await {
            Ok(begun) => self.collect(begun).await,
            Err(failure) => Err(failure),
        };
        let first = match first {
            Ok(first) => first,
            Err(failure) => return self.fail(&failure),
        };
        match again(&self.caller.connector, self.head.clone(), bytes, &self.call).await {
            Ok(()) => self.call.fired(),
            Err(failure) => self.call.problem(format!("the second delivery failed: {}", failure.text)),
        }
        Ok(self.deliver(first))
    }

    /// `out_of_order`: the request goes on once a later one of the same connector was answered.
    pub(super) async fn out_of_order(self, body: Incoming) -> Answer {
        let bytes = match self.read(body).await {
            Ok(bytes) => bytes,
            Err(failure) => return self.fail(&failure),
        };
        let longest = self.due.duration(OVERTAKEN_S);
        self.call.goes_on_for(longest);
        let (connector, number) = (&self.caller.connector, self.call.number());
        let overtaken = tokio::select! {
            () = connector.later_was_answered(number) => true,
            () = self.call.closing() => false,
            () = tokio::time::sleep(longest) => false,
        };
        match self.caller.forward(&self.call, self.head.clone(), Content::Known(bytes)).await {
            Ok(begun) => {
                if overtaken {
                    self.call.fired();
                } else {
                    self.call.problem("no later call of this connector was answered while this one was held");
                }
                Ok(self.caller.pass_back(&self.call, begun))
            }
            Err(failure) => self.fail(&failure),
        }
    }
}

/// Reads an answer to its end and forgets it.
async fn drain(mut stream: AnswerStream) -> Result<(), Failure> {
    while let Some(frame) = stream.next().await {
        frame?;
    }
    Ok(())
}

async fn land(connector: &Connector, head: Parts, bytes: Bytes, call: &Arc<Ongoing>) {
    match forward(connector, None, head, Content::Known(bytes), call, None).await {
        Ok(begun) => {
            call.answer_begins(begun.response.status().as_u16(), begun.response.headers());
            let body = begun.response.into_body();
            let stream = AnswerStream::new(body, Some(Arc::clone(call)), begun.shipment, connector.timeout);
            // The request has landed, whatever becomes of the answer.
            let _ = drain(stream).await;
            call.fired();
        }
        Err(failure) => {
            call.problem(failure.text);
            call.answer_given_up();
        }
    }
}

async fn again(connector: &Connector, head: Parts, bytes: Bytes, call: &Arc<Ongoing>) -> Result<(), Failure> {
    let begun = forward(connector, None, head, Content::Known(bytes), call, None).await?;
    drain(AnswerStream::new(begun.response.into_body(), None, begun.shipment, connector.timeout)).await
}
