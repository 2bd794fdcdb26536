//! Headers: those that belong to one connection and go no further, and those that may stand in a record.

use std::collections::HashSet;

use hyper::HeaderMap;
use hyper::header::{CONNECTION, HeaderName, HeaderValue, TE, UPGRADE};

use crate::manifest::ConnectorManifest;

/// Names a problem of the proxy's own, on answers that no target gave.
pub(super) const PROBLEM: HeaderName = HeaderName::from_static("holdpoint-problem");

/// Headers in which no secret stands.
const RECORDED: [&str; 29] = [
    "accept",
    "accept-encoding",
    "age",
    "allow",
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
    "request-id",
    "retry-after",
    "server",
    "transfer-encoding",
    "user-agent",
    "x-request-id",
];

/// Beginnings of such headers: how a client library counts its own retries, and what is left of a quota.
const RECORDED_PREFIXES: [&str; 3] = ["x-stainless-", "x-ratelimit-", "ratelimit-"];

/// Endings of such headers: which version of its interface a target speaks, and by what it names a request.
const RECORDED_SUFFIXES: [&str; 2] = ["-version", "-request-id"];

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

/// Headers that say something of one connection.
const OF_ONE_CONNECTION: [&str; 6] =
    ["connection", "keep-alive", "proxy-connection", "te", "upgrade", "http2-settings"];

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

    /// What may be recorded of these headers.
    pub(super) fn of(&self, headers: &HeaderMap) -> Vec<(String, String)> {
        let is_recorded = |name: &HeaderName| {
            let name = name.as_str();
            self.0.contains(name)
                || RECORDED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
                || RECORDED_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
        };
        let recorded = headers.iter().filter(|(name, _)| is_recorded(name));
        recorded.map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
    }
}

/// A header's value as text: UTF-8 where it is that, else ISO 8859-1, as RFC 9110, section 5.5 says of older senders.
pub(super) fn text(value: &HeaderValue) -> String {
    let bytes = value.as_bytes();
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().copied().map(char::from).collect(), str::to_owned)
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
    if !OF_ONE_CONNECTION.iter().any(|name| headers.contains_key(*name)) {
        return headers.clone();
    }
    let own: Vec<&str> = words(headers, &CONNECTION).collect();
    let stays = |name: &HeaderName| {
        let name = name.as_str();
        // To take these away would change what the message says, and no honest sender asks for it.
        let essential = ["content-length", "host", "transfer-encoding"];
        OF_ONE_CONNECTION.contains(&name)
            || own.iter().any(|own| own.eq_ignore_ascii_case(name)) && !essential.contains(&name)
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    fn recorded(asked_for: &[&str], name: &'static str) -> bool {
        let manifest = json!({
            "id": "shop", "kind": "connector", "version": "1", "release": "1",
            "operations": {"order": {
                "effect": "create",
                "idempotency": {"replay_signal": {"header": "X-Replay"}},
                "wire": {"method": "POST", "path": "/", "intention": {"header": "X-Intent"}, "key": {"header": "Cookie"}},
            }},
        });
        let manifest = serde_json::from_value(manifest).unwrap();
        let asked_for: Vec<String> = asked_for.iter().map(|name| (*name).to_owned()).collect();
        !RecordedHeaders::new(&asked_for, &manifest).of(&headers(&[(name, "v")])).is_empty()
    }

    #[test]
    fn harmless_headers_those_asked_for_and_those_of_the_manifest_are_recorded() {
        for name in ["content-type", "x-stainless-retry-count", "stripe-version", "x-replay", "x-intent", "x-mine"] {
            assert!(recorded(&["X-Mine"], name), "{name}");
        }
        assert!(!recorded(&[], "x-mine"));
    }

    #[test]
    fn headers_that_hold_secrets_are_not_recorded_whoever_asks() {
        for name in SECRET {
            assert!(!recorded(&[name], name), "{name}");
        }
    }

    #[test]
    fn a_value_that_is_no_utf_8_is_read_as_iso_8859_1() {
        for (bytes, expected) in [(&b"p\xc3\xa4ss"[..], "päss"), (b"p\xe4ss", "päss"), (b"plain", "plain")] {
            assert_eq!(text(&HeaderValue::from_bytes(bytes).unwrap()), expected);
        }
    }

    #[test]
    fn headers_of_one_connection_go_no_further() {
        let passed = passed_on(&headers(&[
            ("connection", "keep-alive, X-Hop, content-length"),
            ("x-hop", "1"),
            ("keep-alive", "timeout=5"),
            ("content-length", "3"),
            ("te", "gzip"),
            ("x-end", "1"),
        ]));
        assert_eq!(passed, headers(&[("content-length", "3"), ("x-end", "1")]));
        let passed = passed_on(&headers(&[("te", "gzip, trailers"), ("connection", "close")]));
        assert_eq!(passed, headers(&[("te", "trailers"), ("connection", "te"), ("connection", "close")]));
    }

    #[test]
    fn an_upgrade_is_one_unless_it_is_to_http_2() {
        assert_eq!(asks_for_upgrade(&headers(&[("upgrade", "h2c")])), None);
        assert_eq!(asks_for_upgrade(&headers(&[("upgrade", "h2c, websocket")])), Some("websocket".to_owned()));
        assert_eq!(asks_for_upgrade(&headers(&[])), None);
    }
}
