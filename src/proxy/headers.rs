//! Headers: those that belong to one connection and go no further, and those that may stand in a record.

use std::collections::HashSet;

use hyper::HeaderMap;
use hyper::header::{CONNECTION, HeaderName, HeaderValue, TE, UPGRADE};

use crate::manifest::ConnectorManifest;

/// Names a problem of the proxy's own, on answers that no target gave.
pub(super) const PROBLEM: HeaderName = HeaderName::from_static("holdpoint-problem");

/// Headers in which no secret stands.
const RECORDED: [&str; 32] = [
    "accept",
    "accept-encoding",
    "age",
    "allow",
    "anthropic-version",
    "cache-control",
    "connection",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-length",
    "content-range",
    "content-type",
    "date",
    "deprecation",
    "etag",
    "expect",
    "holdpoint-problem",
    "idempotency-key",
    "idempotent-replayed",
    "if-match",
    "if-none-match",
    "last-modified",
    "openai-processing-ms",
    "openai-version",
    "request-id",
    "retry-after",
    "server",
    "stripe-version",
    "transfer-encoding",
    "user-agent",
    "x-request-id",
];

/// Beginnings of such headers: how a client library counts its own retries, and what is left of a quota.
const RECORDED_PREFIXES: [&str; 3] = ["x-stainless-", "x-ratelimit-", "ratelimit-"];

/// Headers that are there to hold secrets; they are never recorded, whoever asks for it.
const SECRET: [&str; 10] = [
    "api-key",
    "authorization",
    "cookie",
    "ocp-apim-subscription-key",
    "proxy-authenticate",
    "proxy-authorization",
    "set-cookie",
    "x-amz-security-token",
    "x-api-key",
    "x-goog-api-key",
];

/// Which headers of a connector's calls are recorded.
#[derive(Debug)]
pub(super) struct RecordedHeaders(HashSet<String>);

impl RecordedHeaders {
    /// Those that are harmless, those that the project asks for, and those that the manifest names.
    pub(super) fn new(asked_for: &[String], manifest: &ConnectorManifest) -> Self {
        let operations = || manifest.operations.values();
        let wires = operations().filter_map(|operation| operation.wire.as_ref());
        let places = wires.flat_map(|wire| [&wire.intention, &wire.key]).flatten();
        let signals = operations().filter_map(|operation| operation.idempotency.replay_signal.as_ref());
        let named = places.filter_map(|place| place.header.as_ref());
        let named = named.chain(signals.filter_map(|signal| signal.header.as_ref())).chain(asked_for);
        let all = named.map(|name| name.to_ascii_lowercase()).chain(RECORDED.map(str::to_owned));
        Self(all.filter(|name| !SECRET.contains(&name.as_str())).collect())
    }

    /// What may be recorded of these headers. Bytes that are no UTF-8 show as U+FFFD.
    pub(super) fn of(&self, headers: &HeaderMap) -> Vec<(String, String)> {
        let is_recorded = |name: &HeaderName| {
            let name = name.as_str();
            self.0.contains(name) || RECORDED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        };
        let recorded = headers.iter().filter(|(name, _)| is_recorded(name));
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        recorded.map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
    }
}

/// Whether a comma-separated header holds this word.
fn has_word(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    words(headers, name).any(|found| found.eq_ignore_ascii_case(word))
}

fn words<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h str> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

/// Whether the sender ends the connection after this message.
pub(super) fn closes(headers: &HeaderMap) -> bool {
    has_word(headers, &CONNECTION, "close")
}

/// The protocol that a request asks to go over to. An upgrade to HTTP/2 is left out: to stay with HTTP/1.1 is a usual
/// answer to it, and some clients ask with every first request.
pub(super) fn asks_for_upgrade(headers: &HeaderMap) -> Option<String> {
    words(headers, &UPGRADE).find(|protocol| !protocol.eq_ignore_ascii_case("h2c")).map(str::to_owned)
}

/// The headers that go on, in their order, as RFC 9110, section 7.6.1 has it. How the body is framed goes on as well, since
/// it is passed on in the same frames.
pub(super) fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let own: Vec<&str> = words(headers, &CONNECTION).collect();
    let stays = |name: &HeaderName| {
        let name = name.as_str();
        let known = ["connection", "keep-alive", "proxy-connection", "te", "upgrade", "http2-settings"];
        // To take these away would change what the message says, and no honest sender asks for it.
        let essential = ["content-length", "host", "transfer-encoding"];
        known.contains(&name) || own.iter().any(|own| own.eq_ignore_ascii_case(name)) && !essential.contains(&name)
    };
    let mut passed = HeaderMap::with_capacity(headers.len() + 1);
    for (name, value) in headers {
        if !stays(name) {
            passed.append(name.clone(), value.clone());
        }
    }
    if has_word(headers, &TE, "trailers") {
        passed.insert(TE, HeaderValue::from_static("trailers"));
        passed.insert(CONNECTION, HeaderValue::from_static("te"));
    }
    if closes(headers) {
        passed.append(CONNECTION, HeaderValue::from_static("close"));
    }
    passed
}
