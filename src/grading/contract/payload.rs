//! What a request asks for, to be compared with another one.

use serde_json::Value;

use crate::domain::Digest;
use crate::evidence::Exchange;
use crate::grading::json_equality::json_equal;
use crate::manifest::{Operation, Place};

/// What one request asks for.
#[derive(Clone, Debug)]
pub(super) struct Payload<'a> {
    method: &'a str,
    target: &'a str,
    body: Body<'a>,
    /// Where the request carries its key and its intention.
    identities: Vec<&'a Place>,
}

#[derive(Clone, Debug)]
enum Body<'a> {
    Json(Value),
    Bytes(&'a Digest),
}

impl<'a> Payload<'a> {
    /// The payload of an exchange; `None` where its body did not arrive as a whole.
    pub(super) fn of(exchange: &'a Exchange, contract: Option<&'a Operation>) -> Option<Self> {
        let digest = exchange.request.digest.as_ref()?;
        let json = (!exchange.request.is_cut).then(|| serde_json::from_str(&exchange.request.text).ok()).flatten();
        let wire = contract.and_then(|contract| contract.wire.as_ref());
        let identities = wire.into_iter().flat_map(|wire| wire.key.iter().chain(&wire.intention)).collect();
        let body = json.map_or(Body::Bytes(digest), Body::Json);
        Some(Self { method: &exchange.method, target: &exchange.target, body, identities })
    }

    /// Whether two requests ask for the same, to the last detail. JSON is compared as what it says, not as it is written.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.method == other.method && self.target == other.target && same_body(&self.body, &other.body)
    }

    /// Whether two requests ask for the same, apart from what names them: the key and the business identity.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let in_target = self.identities.iter().any(|place| place.segment.is_some() || place.query.is_some());
        let same_target = in_target || self.target == other.target;
        self.method == other.method && same_target && same_body(&self.unnamed(), &other.unnamed())
    }

    /// The body without what names the request.
    fn unnamed(&self) -> Body<'a> {
        let Body::Json(json) = &self.body else { return self.body.clone() };
        let mut json = json.clone();
        for pointer in self.identities.iter().filter_map(|place| place.body.as_deref()) {
            if let Some(value) = json.pointer_mut(pointer) {
                *value = Value::Null;
            }
        }
        Body::Json(json)
    }
}

fn same_body(one: &Body<'_>, other: &Body<'_>) -> bool {
    match (one, other) {
        (Body::Json(one), Body::Json(other)) => json_equal(one, other),
        (Body::Bytes(one), Body::Bytes(other)) => one == other,
        _ => false,
    }
}
