//! One call to a target over HTTP, and what its answer says. Nothing here tries again.

use std::io::Read;
use std::time::Duration;

use serde_json::{Map, Value};
use ureq::Agent;

use crate::manifest::RetryOn;
use crate::practice::targets::Clock;

/// Bytes of an answer that are read at the most.
const ANSWER_CAP: u64 = 1024 * 1024;

/// For how long a call in a trial, whose time is simulated, may really take.
const REAL_TIMEOUT: Duration = Duration::from_secs(20);

/// Calls one target.
pub(super) struct Caller {
    address: String,
    agent: Agent,
    clock: Clock,
    timeout_ms: i64,
    actor: String,
}

/// What an answer says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// It is done, or done before: the answer's body.
    Done(Value),
    /// It was taken in; its effect comes later.
    Accepted,
    /// The first request of this identity still runs.
    InFlight,
    /// It was refused, and left nothing: the code.
    Refused { status: u16, code: String },
    /// It was not taken up; another attempt may be, after this many milliseconds where the target says so.
    SlowDown { status: u16, retry_after_ms: Option<i64> },
    /// No connection came about: the target saw nothing.
    NotConnected,
    /// The target failed inside: it may have acted.
    Broken { status: u16 },
    /// No answer came: the target may have acted.
    Silent(RetryOn),
}

impl Answer {
    /// The answer in a few words, for the record.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Done(_) => "done".to_owned(),
            Self::Accepted => "taken in".to_owned(),
            Self::InFlight => "still running".to_owned(),
            Self::Refused { status, code } => format!("refused: {status} {code}"),
            Self::SlowDown { status, .. } => format!("not taken up: {status}"),
            Self::NotConnected => "no connection".to_owned(),
            Self::Broken { status } => format!("failed inside: {status}"),
            Self::Silent(_) => "no answer".to_owned(),
        }
    }

    /// Whether the answer leaves open what the target did.
    pub(super) fn is_uncertain(&self) -> bool {
        matches!(self, Self::Broken { .. } | Self::Silent(_))
    }

    /// What kind of trouble another attempt would follow.
    pub(super) fn trouble(&self) -> RetryOn {
        match self {
            Self::InFlight => RetryOn::InFlight,
            Self::SlowDown { status: 429, .. } => RetryOn::RateLimited,
            Self::NotConnected => RetryOn::ConnectFailed,
            Self::Silent(how) => *how,
            _ => RetryOn::ServerError,
        }
    }
}

impl Caller {
    /// Calls the target at `address` in the name of `actor`.
    pub(super) fn new(address: &str, clock: Clock, timeout_ms: i64, actor: &str) -> Self {
        let timeout = match clock {
            Clock::System => Duration::from_millis(timeout_ms.max(1).unsigned_abs()),
            Clock::Simulated(_) => REAL_TIMEOUT,
        };
        // A connection is never used twice: one that the target has closed meanwhile would look like a lost answer.
        let config = Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_idle_connections(0)
            .proxy(None)
            .build();
        let address = address.trim_end_matches('/').to_owned();
        Self { address, agent: config.into(), clock, timeout_ms, actor: actor.to_owned() }
    }

    /// Makes one call.
    pub(super) fn call(&self, call: &str, body: &Map<String, Value>, key: Option<&str>) -> Answer {
        let began_ms = self.clock.now_ms();
        let mut request = self
            .agent
            .post(format!("{}/{call}", self.address))
            .header("content-type", "application/json")
            .header("x-actor", &self.actor);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let answer = match request.send(Value::Object(body.clone()).to_string()) {
            Ok(response) => read(response),
            Err(error) => trouble(&error),
        };
        // In a trial the answer comes at once and the clock tells that it took too long.
        let too_late = self.clock.now_ms() - began_ms > self.timeout_ms;
        if too_late { Answer::Silent(RetryOn::Timeout) } else { answer }
    }
}

fn read(mut response: ureq::http::Response<ureq::Body>) -> Answer {
    let status = response.status().as_u16();
    let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse::<i64>().ok());
    let mut text = String::new();
    if response.body_mut().with_config().limit(ANSWER_CAP).reader().read_to_string(&mut text).is_err() {
        return Answer::Silent(RetryOn::ConnectionLost);
    }
    let body: Option<Value> = serde_json::from_str(&text).ok();
    let code = body.as_ref().and_then(|body| body["error"].as_str()).unwrap_or("unnamed").to_owned();
    match (status, body) {
        (202, _) => Answer::Accepted,
        (200..=299, Some(body)) => Answer::Done(body),
        (409, _) if code == "in_flight" => Answer::InFlight,
        (429 | 503, _) => {
            Answer::SlowDown { status, retry_after_ms: retry_after.map(|seconds| seconds.saturating_mul(1000)) }
        }
        (400..=499, Some(_)) => Answer::Refused { status, code },
        // An answer that cannot be read says as little as a 500.
        _ => Answer::Broken { status },
    }
}

fn trouble(error: &ureq::Error) -> Answer {
    match error {
        ureq::Error::ConnectionFailed | ureq::Error::HostNotFound => Answer::NotConnected,
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => Answer::NotConnected,
        ureq::Error::Timeout(_) => Answer::Silent(RetryOn::Timeout),
        _ => Answer::Silent(RetryOn::ConnectionLost),
    }
}
