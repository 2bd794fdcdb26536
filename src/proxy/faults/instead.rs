//! Faults by which the upstream gets nothing at all.

use std::time::Duration;

use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use crate::manifest::{FaultName, Withheld};
use crate::proxy::caller::Answer;

use super::{LONGEST_HOLD_S, Struck};

impl Struck {
    /// `refuse`: the connection is reset at once.
    pub(super) async fn refuse(self, body: Incoming) -> Answer {
        self.call.fired();
        self.caller.refuse(&self.call, &self.head, body).await
    }

    /// `drop_before`: the request is taken in and goes no further.
    pub(super) async fn drop_before(self, body: Incoming) -> Answer {
        if let Err(failure) = self.read(body).await {
            return self.fail(&failure);
        }
        self.call.fired();
        self.withhold(StatusCode::GATEWAY_TIMEOUT).await
    }

    /// `status`: a status in the target's place.
    pub(super) async fn status(self, body: Incoming) -> Answer {
        if let Err(failure) = self.read(body).await {
            return self.fail(&failure);
        }
        self.call.fired();
        let (default, retry_after_s) = match self.due.spec.fault {
            FaultName::RateLimited => (StatusCode::TOO_MANY_REQUESTS, Some(1.0)),
            FaultName::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, Some(1.0)),
            _ => (StatusCode::SERVICE_UNAVAILABLE, None),
        };
        Ok(self.answer_status(default, self.due.spec.seconds.or(retry_after_s)))
    }

    /// Withholds the answer in the way that the fault says; `default` is the status where it is by a status.
    pub(super) async fn withhold(&self, default: StatusCode) -> Answer {
        match self.due.withheld() {
            Withheld::Reset => {}
            Withheld::Timeout => {
                let is_late = self.due.spec.fault == FaultName::LateCommit;
                let longest_s = self.due.spec.seconds.filter(|_| !is_late).unwrap_or(LONGEST_HOLD_S);
                let longest = Duration::try_from_secs_f64(longest_s).unwrap_or_default();
                self.hold(longest, std::future::pending()).await;
            }
            Withheld::Status => return Ok(self.answer_status(default, None)),
        }
        self.caller.hang_up(&self.call)
    }

    fn answer_status(
        &self,
        default: StatusCode,
        retry_after_s: Option<f64>,
    ) -> hyper::Response<crate::proxy::answer_body::AnswerBody> {
        let status = self.due.spec.status.and_then(|status| StatusCode::from_u16(status).ok()).unwrap_or(default);
        let mut headers = HeaderMap::new();
        if let Some(seconds) = retry_after_s {
            // RFC 9110, section 10.2.3: whole seconds.
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds.ceil().max(0.0) as u64));
        }
        let body = match &self.due.spec.body {
            Some(body) => body.clone(),
            None => json!({"error": {"message": status.canonical_reason().unwrap_or("no reason given")}}),
        };
        let kind = if body.is_string() { "text/plain; charset=utf-8" } else { "application/json" };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        self.caller.make_answer(&self.call, &self.head.method, status, headers, body_bytes(&body))
    }
}

/// A body as the case gives it: a text as it is, anything else as JSON.
pub(super) fn body_bytes(body: &Value) -> Bytes {
    match body {
        Value::String(text) => Bytes::from(text.clone()),
        other => Bytes::from(other.to_string()),
    }
}
