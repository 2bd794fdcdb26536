//! Which operation of a connector a request belongs to, and what it is an attempt at. Pure.

mod beginning;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::domain::{Digest, OperationId};
use crate::manifest::{ConnectorManifest, Place, Wire};

/// The operations of a connector that say how their calls look on the wire.
#[derive(Clone, Debug, Default)]
pub struct WireTable {
    /// In the order of the operations' names.
    routes: Vec<Arc<Route>>,
}

#[derive(Debug)]
struct Route {
    operation: String,
    wire: Wire,
    segments: Vec<Segment>,
}

/// One segment of a pattern.
#[derive(Debug, PartialEq, Eq)]
enum Segment {
    /// This text, after decoding.
    Literal(String),
    /// Any one segment that is not empty, under this name.
    Named(String),
    /// Whatever follows, if anything does.
    Rest,
}

/// The operation that a request belongs to.
#[derive(Clone, Debug)]
pub struct WireMatch {
    route: Arc<Route>,
    /// The request's values for the pattern's named segments, in their order.
    named: Vec<String>,
}

/// What a place is read from.
#[derive(Clone, Copy)]
pub struct RequestSeen<'a> {
    /// The path with its query, as it was sent.
    pub target: &'a str,
    /// The first header of a name, whatever its letter case.
    pub header: &'a dyn Fn(&str) -> Option<String>,
    /// The body, where it is known as a whole.
    pub body: Option<&'a [u8]>,
    /// The beginning of a body of which no more came, or was kept.
    pub beginning: Option<&'a [u8]>,
}

impl WireTable {
    /// Reads the patterns of a manifest. Operations without one can be told from nothing and are left out.
    pub fn new(manifest: &ConnectorManifest) -> Self {
        let wired = manifest.operations.iter().filter_map(|(name, operation)| Some((name, operation.wire.as_ref()?)));
        let routes = wired.map(|(name, wire)| {
            Arc::new(Route { operation: name.clone(), wire: wire.clone(), segments: pattern(&wire.path) })
        });
        Self { routes: routes.collect() }
    }

    /// The operation of a request. Where several match, the most specific one: at the first segment in which they
    /// differ a text comes before a name, and a name before `**`. Where they do not differ, the first by name.
    pub fn find(&self, method: &str, target: &str) -> Option<WireMatch> {
        let segments = decoded_segments(target);
        let mut best: Option<WireMatch> = None;
        for route in self.routes.iter().filter(|route| route.wire.method == method) {
            let Some(named) = route.named_values(&segments) else { continue };
            if best.as_ref().is_none_or(|best| route.compare(&best.route) == Ordering::Greater) {
                best = Some(WireMatch { route: Arc::clone(route), named });
            }
        }
        best
    }
}

impl Route {
    /// The values of the named segments; `None` where the path is another one.
    fn named_values(&self, path: &[Cow<'_, str>]) -> Option<Vec<String>> {
        let mut named = Vec::new();
        for (at, segment) in self.segments.iter().enumerate() {
            match (segment, path.get(at)) {
                (Segment::Rest, _) => return Some(named),
                (Segment::Literal(text), Some(found)) if text == found => {}
                (Segment::Named(_), Some(found)) if !found.is_empty() => named.push(found.clone().into_owned()),
                _ => return None,
            }
        }
        (path.len() == self.segments.len()).then_some(named)
    }

    /// Which of two patterns that match the same path is more specific.
    fn compare(&self, other: &Self) -> Ordering {
        let rank = |segment: &Segment| match segment {
            Segment::Rest => 0,
            Segment::Named(_) => 1,
            Segment::Literal(_) => 2,
        };
        // Of two patterns of which one ends where the other allows a rest, that which ends is more specific.
        let ranks = |route: &Self| route.segments.iter().map(rank).chain([3]).collect::<Vec<_>>();
        ranks(self).cmp(&ranks(other))
    }
}

/// Whether an operation is known by nothing but the content of its request, because the request stated no identity.
pub(super) fn is_by_content(operation: &OperationId) -> bool {
    let digits = operation.as_str().rsplit_once(":#").map(|(_, digits)| digits);
    digits.is_some_and(|digits| {
        digits.len() == 12 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

impl WireMatch {
    /// The operation's name in the manifest.
    pub fn operation(&self) -> &str {
        &self.route.operation
    }

    /// What the manifest says of its calls.
    pub fn wire(&self) -> &Wire {
        &self.route.wire
    }

    /// Whether the identity stands in the body, and the request does not state it as far as it is seen.
    pub fn lacks_identity(&self, request: &RequestSeen<'_>) -> bool {
        let place = self.wire().intention.as_ref().filter(|place| place.body.is_some());
        place.is_some_and(|place| self.read(place, request).is_none())
    }

    /// Whether the body must be known to tell what the request is an attempt at, or its key.
    pub fn needs_body(&self) -> bool {
        [&self.wire().intention, &self.wire().key].into_iter().flatten().any(|place| place.body.is_some())
    }

    /// What the request is an attempt at: `<operation>:<identity>`, where the manifest says where the identity stands
    /// and it stands there; else the request's content is the identity.
    ///
    /// `body` is the digest of the body, or of as much as arrived.
    pub fn intention(&self, request: &RequestSeen<'_>, body: &Digest) -> OperationId {
        let stated = self.wire().intention.as_ref().and_then(|place| self.read(place, request));
        let identity = stated.unwrap_or_else(|| {
            let content = format!("{} {}\n{body}", self.wire().method, request.target);
            format!("#{}", Digest::of(content.as_bytes()).short())
        });
        OperationId::new(format!("{}:{identity}", self.operation()))
    }

    /// The idempotency key of the request: where the manifest says it stands, else in the header of that name.
    pub fn key(&self, request: &RequestSeen<'_>) -> Option<String> {
        match &self.wire().key {
            Some(place) => self.read(place, request),
            None => (request.header)("idempotency-key").filter(|key| !key.is_empty()),
        }
    }

    /// The value at a place of the request, if it is there and not empty: a text as it is, a number or a truth value
    /// as JSON writes it.
    pub fn read(&self, place: &Place, request: &RequestSeen<'_>) -> Option<String> {
        let value = if let Some(name) = &place.header {
            (request.header)(name)
        } else if let Some(pointer) = &place.body {
            match request.body {
                Some(body) => at_pointer(body, pointer),
                None => beginning::at_pointer(request.beginning?, pointer),
            }
        } else if let Some(name) = &place.segment {
            self.named(name).map(str::to_owned)
        } else {
            query_value(request.target, place.query.as_deref()?)
        };
        value.filter(|value| !value.is_empty())
    }

    fn named(&self, name: &str) -> Option<&str> {
        let names = self.route.segments.iter().filter_map(|segment| match segment {
            Segment::Named(name) => Some(name),
            _ => None,
        });
        names.zip(&self.named).find(|(found, _)| *found == name).map(|(_, value)| value.as_str())
    }
}

fn pattern(path: &str) -> Vec<Segment> {
    let texts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let last = texts.len() - 1;
    let segment = |(at, text): (usize, &str)| match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        Some(name) => Segment::Named(name.to_owned()),
        None if text == "**" && at == last => Segment::Rest,
        None => Segment::Literal(text.to_owned()),
    };
    texts.into_iter().enumerate().map(segment).collect()
}

fn decoded_segments(target: &str) -> Vec<Cow<'_, str>> {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let path = path.strip_prefix('/').unwrap_or(path);
    path.split('/').map(|segment| percent_decode_str(segment).decode_utf8_lossy()).collect()
}

fn at_pointer(body: &[u8], pointer: &str) -> Option<String> {
    let document: Value = serde_json::from_slice(body).ok()?;
    match document.pointer(pointer)? {
        Value::String(text) => Some(text.clone()),
        value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The first value of a name in the query, in the form in which browsers write it.
fn query_value(target: &str, name: &str) -> Option<String> {
    let query = target.split('#').next()?.split_once('?')?.1;
    let decoded = |text: &str| {
        let text = text.replace('+', " ");
        percent_decode_str(&text).decode_utf8_lossy().into_owned()
    };
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.into_iter().find(|(found, _)| decoded(found) == name).map(|(_, value)| decoded(value))
}

#[cfg(test)]
mod tests;
