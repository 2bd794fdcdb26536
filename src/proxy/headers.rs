//! Headers: those that belong to one connection and go no further, and those that may stand in a record.

use std::borrow::Cow;

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

/// Whether a header says something of one connection.
fn is_of_one_connection(name: &HeaderName) -> bool {
    matches!(name.as_str(), "connection" | "keep-alive" | "proxy-connection" | "te" | "upgrade" | "http2-settings")
}

/// Which headers of a connector's calls are recorded.
#[derive(Debug)]
pub(super) struct RecordedHeaders(HeaderMap<()>);

/// Headers in one piece, as they are kept until a record is made of them: `name: value` and a line end, which neither can hold.
#[derive(Debug, Default)]
pub(super) struct HeaderLines(String);

/// Headers that are never recorded, kept because identities stand in them.
#[derive(Debug, Default)]
pub(super) struct SecretHeaders(Vec<(String, String)>);

impl RecordedHeaders {
    /// Those that are harmless, those that the project asks for, and those that the manifest names.
    pub(super) fn new(asked_for: &[String], manifest: &ConnectorManifest) -> Self {
        let operations = || manifest.operations.values();
        let wires = operations().filter_map(|operation| operation.wire.as_ref());
        let places = wires.flat_map(|wire| [&wire.intention, &wire.key]).flatten();
        let signals = operations().filter_map(|operation| operation.idempotency.replay_signal.as_ref());
        let named = places.filter_map(|place| place.header.as_ref());
        let named = named.chain(signals.filter_map(|signal| signal.header.as_ref())).chain(asked_for);
        let all = named.map(String::as_str).chain(RECORDED).filter(|name| !is_secret(name));
        // What is no name of a header stands in no request either.
        Self(all.filter_map(|name| Some((HeaderName::from_bytes(name.as_bytes()).ok()?, ()))).collect())
    }

    /// What may be recorded of these headers.
    pub(super) fn of(&self, headers: &HeaderMap) -> HeaderLines {
        let is_recorded = |name: &HeaderName| {
            let text = name.as_str();
            self.0.contains_key(name)
                || RECORDED_PREFIXES.iter().any(|prefix| text.starts_with(prefix))
                || RECORDED_SUFFIXES.iter().any(|suffix| text.ends_with(suffix))
        };
        let recorded = || headers.iter().filter(|(name, _)| is_recorded(name));
        let sizes = recorded().map(|(name, value)| name.as_str().len() + value.len() + 3);
        let mut lines = String::with_capacity(sizes.sum());
        for (name, value) in recorded() {
            lines.extend([name.as_str(), ": ", &text(value), "\n"]);
        }
        HeaderLines(lines)
    }
}

impl HeaderLines {
    /// What [`HeaderLines::as_bytes`] gave.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        Self(String::from_utf8_lossy(bytes).into_owned())
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Names and values, in their order.
    pub(super) fn pairs(&self) -> Vec<(String, String)> {
        self.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// The first header of a name, whatever its letter case.
    pub(super) fn first(&self, name: &str) -> Option<&str> {
        self.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.split_terminator('\n').filter_map(|line| line.split_once(": "))
    }
}

impl SecretHeaders {
    /// Those of these names that hold secrets.
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n str>, headers: &HeaderMap) -> Self {
        let secret = names.filter(|name| is_secret(name));
        Self(secret.filter_map(|name| Some((name.to_owned(), text(headers.get(name)?).into_owned()))).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first header of a name, whatever its letter case.
    pub(super) fn first(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// Whether a header is there to hold a secret.
fn is_secret(name: &str) -> bool {
    SECRET.iter().any(|secret| secret.eq_ignore_ascii_case(name))
}

/// A header's value as text: UTF-8 where it is that, else ISO 8859-1, as RFC 9110, section 5.5 says of older senders.
pub(super) fn text(value: &HeaderValue) -> Cow<'_, str> {
    let bytes = value.as_bytes();
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().copied().map(char::from).collect(), Cow::Borrowed)
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
pub(super) fn passed_on(headers: HeaderMap) -> HeaderMap {
    if !headers.keys().any(is_of_one_connection) {
        return headers;
    }
    let headers = &headers;
    let own: Vec<&str> = words(headers, &CONNECTION).collect();
    let stays = |name: &HeaderName| {
        let (is_of_one_connection, name) = (is_of_one_connection(name), name.as_str());
        // To take these away would change what the message says, and no honest sender asks for it.
        let essential = ["content-length", "host", "transfer-encoding"];
        is_of_one_connection || own.iter().any(|own| own.eq_ignore_ascii_case(name)) && !essential.contains(&name)
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
        let lines = RecordedHeaders::new(&asked_for, &manifest).of(&headers(&[(name, "v"), ("x-other", "w")]));
        let is_recorded = lines.first(&name.to_ascii_uppercase()) == Some("v");
        assert_eq!(lines.pairs(), if is_recorded { vec![(name.to_owned(), "v".to_owned())] } else { Vec::new() });
        is_recorded
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
    fn a_secret_header_is_kept_for_the_identity_in_it_and_no_other_is_kept_a_second_time() {
        let headers = headers(&[("cookie", "c"), ("idempotency-key", "k")]);
        let secrets = SecretHeaders::new(["Cookie", "Idempotency-Key", "Authorization"].into_iter(), &headers);
        assert_eq!(secrets.first("COOKIE"), Some("c"));
        assert_eq!((secrets.first("idempotency-key"), secrets.first("authorization")), (None, None));
    }

    #[test]
    fn headers_in_one_piece_come_apart_as_they_were() {
        let pairs = [("etag", ""), ("server", "a: b"), ("accept", "x"), ("accept", "\u{85}y")];
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let manifest = json!({"id": "a", "kind": "connector", "version": "1", "release": "1", "operations": {}});
        let lines = RecordedHeaders::new(&[], &serde_json::from_value(manifest).unwrap()).of(&map);
        assert_eq!(lines.pairs(), pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(lines.first("Accept"), Some("x"));
    }

    #[test]
    fn a_value_that_is_no_utf_8_is_read_as_iso_8859_1() {
        for (bytes, expected) in [(&b"p\xc3\xa4ss"[..], "päss"), (b"p\xe4ss", "päss"), (b"plain", "plain")] {
            assert_eq!(text(&HeaderValue::from_bytes(bytes).unwrap()), expected);
        }
    }

    #[test]
    fn headers_of_one_connection_go_no_further() {
        let passed = passed_on(headers(&[
            ("connection", "keep-alive, X-Hop, content-length"),
            ("x-hop", "1"),
            ("keep-alive", "timeout=5"),
            ("content-length", "3"),
            ("te", "gzip"),
            ("x-end", "1"),
        ]));
        assert_eq!(passed, headers(&[("content-length", "3"), ("x-end", "1")]));
        let passed = passed_on(headers(&[("te", "gzip, trailers"), ("connection", "close")]));
        assert_eq!(passed, headers(&[("te", "trailers"), ("connection", "te"), ("connection", "close")]));
    }

    #[test]
    fn an_upgrade_is_one_unless_it_is_to_http_2() {
        assert_eq!(asks_for_upgrade(&headers(&[("upgrade", "h2c")])), None);
        assert_eq!(asks_for_upgrade(&headers(&[("upgrade", "h2c, websocket")])), Some("websocket".to_owned()));
        assert_eq!(asks_for_upgrade(&headers(&[])), None);
    }
}
