//! What can go wrong between the proxy and an upstream, in words.

use std::error::Error as _;
use std::io;
use std::time::Duration;

use hyper::StatusCode;

/// The code of a request that its caller broke off.
const BROKEN_OFF: &str = "request-broken-off";

/// Why no answer of the upstream can be passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// What the caller gets in the answer's place.
    pub(super) status: StatusCode,
    /// One word for programs.
    pub(super) code: &'static str,
    /// What happened, for people.
    pub(super) text: String,
}

impl Failure {
    fn bad_gateway(code: &'static str, text: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_GATEWAY, code, text: text.into() }
    }

    /// Nobody answers at the upstream's address, or not with the right certificate.
    pub(super) fn unreachable(address: &str, error: &io::Error) -> Self {
        Self::bad_gateway("upstream-unreachable", format!("no connection to the upstream at {address}: {error}"))
    }

    /// No connection came about in time.
    pub(super) fn no_connection_within(address: &str, timeout: Duration) -> Self {
        let text = format!("no connection to the upstream at {address} came about within {timeout:?}");
        Self { status: StatusCode::GATEWAY_TIMEOUT, code: "upstream-unreachable", text }
    }

    /// The upstream's answer did not begin in time.
    pub(super) fn no_answer_within(timeout: Duration) -> Self {
        let text = format!("the upstream did not begin an answer within {timeout:?}");
        Self { status: StatusCode::GATEWAY_TIMEOUT, code: "upstream-timeout", text }
    }

    /// The upstream's answer did not go on, or did not come to its end, in time.
    pub(super) fn answer_stopped(waited: Duration) -> Self {
        let text = format!("the upstream's answer was not whole after {waited:?} of waiting for it");
        Self { status: StatusCode::GATEWAY_TIMEOUT, code: "upstream-timeout", text }
    }

    /// The upstream's answer is longer than a fault that must know it as a whole can hold.
    pub(super) fn answer_too_long(most: usize) -> Self {
        Self::bad_gateway(
            "answer-too-long",
            format!("the answer has more than the {most} bytes that a fault can change"),
        )
    }

    /// The caller went away before its request was whole.
    pub(super) fn caller_broke_off() -> Self {
        Self::bad_gateway(BROKEN_OFF, "the caller went away before its request was whole")
    }

    /// The request is longer than a fault that must know it as a whole can hold.
    pub(super) fn request_too_long(most: usize) -> Self {
        Self::bad_gateway(
            "request-too-long",
            format!("the request has more than the {most} bytes that a fault can hold back"),
        )
    }

    /// The path of the request cannot be put behind the upstream's own.
    pub(super) fn odd_target() -> Self {
        Self::bad_gateway("request-odd", "the request's target cannot be put behind the upstream's path")
    }

    /// The upstream wants to speak another protocol.
    pub(super) fn switched_protocols() -> Self {
        Self::bad_gateway("upstream-no-http", "the upstream went over to another protocol without being asked")
    }

    /// What kept the request from becoming an answer.
    pub(super) fn of_request(error: &hyper::Error) -> Self {
        if error.is_parse_too_large() {
            Self::bad_gateway("upstream-endless-head", "the head of the upstream's answer is too long, or has no end")
        } else if error.is_parse() {
            Self::bad_gateway("upstream-no-http", format!("what the upstream answered is no HTTP: {}", words(error)))
        } else if error.is_incomplete_message() || error.is_canceled() || error.is_closed() {
            Self::bad_gateway("upstream-closed", "the upstream ended the connection without an answer")
        } else {
            Self::bad_gateway("upstream-broke", format!("the connection to the upstream broke: {}", words(error)))
        }
    }

    /// What kept an answer that had begun from coming to its end.
    pub(super) fn of_answer(error: &hyper::Error) -> Self {
        Self::bad_gateway("upstream-broke", format!("the upstream's answer broke off: {}", words(error)))
    }

    /// Whether there is nobody left to be told.
    pub(super) fn is_callers_own(&self) -> bool {
        self.code == BROKEN_OFF
    }
}

/// An error with what it came from.
fn words(error: &hyper::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error} ({source})"))
}
