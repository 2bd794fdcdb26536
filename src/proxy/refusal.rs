//! Requests that an open proxy would serve, and this one does not.

use hyper::Method;
use hyper::http::request::Parts;

use super::headers::asks_for_upgrade;

/// Why a request is not passed on, whatever it asks for.
pub(super) fn refusal(head: &Parts) -> Option<&'static str> {
    if head.method == Method::CONNECT {
        return Some("CONNECT is refused: each connector has an address of its own, which leads to its upstream alone");
    }
    if head.uri.scheme().is_some() || head.uri.authority().is_some() {
        return Some("a request for a whole address is refused: send the path alone, to the connector's address");
    }
    if asks_for_upgrade(&head.headers).is_some() {
        return Some("an upgrade to another protocol is refused: what is not HTTP cannot be looked into");
    }
    None
}
