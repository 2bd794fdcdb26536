//! Faults on the answer's body: it ends early, stands still, or says something else.

use std::sync::Arc;

use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, TRANSFER_ENCODING};
use hyper::{HeaderMap, Response, Version};
use serde_json::Value;

use crate::manifest::FaultName;
use crate::proxy::answer_body::{Act, AnswerBody};
use crate::proxy::caller::Answer;
use crate::proxy::forward::Content;
use crate::proxy::schedule::about_half;

use super::damage::{damage_json, inject_text};
use super::instead::body_bytes;
use super::{Collected, LONGEST_HOLD_S, Struck, held};

/// What is done to a body.
enum Alteration {
    /// It is another one.
    Other(Bytes),
    /// It ends after so many bytes, and looks as if that were all of it.
    Short(usize),
    /// It breaks off after so many bytes.
    Broken(usize),
    /// It stands still after so many bytes.
    Still(usize),
}

impl Alteration {
    /// The alteration of this body, where it changes anything of what the body says.
    fn of(self, body: &Bytes) -> Result<Self, String> {
        match &self {
            Self::Other(other) if says_the_same(other, body) => Err("the answer says the same already".to_owned()),
            _ => Ok(self),
        }
    }
}

/// Whether two bodies are the same, or the same JSON.
fn says_the_same(one: &[u8], other: &[u8]) -> bool {
    let json = |body: &[u8]| serde_json::from_slice::<Value>(body).ok();
    one == other || json(one).is_some_and(|value| json(other) == Some(value))
}

impl Struck {
    /// Passes the call on and gives its answer back altered.
    pub(super) async fn alter(mut self, body: Incoming) -> Answer {
        // What is compressed cannot be altered in a place that somebody can name.
        self.head.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let collected = match self.caller.forward(&self.call, self.head.clone(), Content::Passing(body)).await {
            Ok(begun) => self.collect(begun).await,
            Err(failure) => Err(failure),
        };
        let collected = match collected {
            Ok(collected) => collected,
            Err(failure) => return self.fail(&failure),
        };
        match self.alteration(&collected).and_then(|alteration| alteration.of(&collected.body)) {
            Ok(alteration) => {
                self.call.fired();
                Ok(self.deliver_altered(collected, alteration))
            }
            Err(why) => {
                self.call.problem(format!("{} could not take effect: {why}", self.due.spec.fault.name()));
                Ok(self.deliver(collected))
            }
        }
    }

    fn alteration(&self, collected: &Collected) -> Result<Alteration, String> {
        let body = &collected.body;
        let fault = &self.due.spec;
        if body.is_empty() {
            return Err("the answer has no body".to_owned());
        }
        let (seed, number) = (self.call.seed(), self.call.number());
        match fault.fault {
            FaultName::ReplaceBody => Ok(Alteration::Other(fault.body.as_ref().map_or_else(Bytes::new, body_bytes))),
            FaultName::CorruptJson => {
                refuse_encoded(&collected.head.headers)?;
                let damaged = damage_json(body, is_event_stream(&collected.head.headers), seed, number);
                damaged.map(Alteration::Other).ok_or_else(|| "the answer is no JSON".to_owned())
            }
            FaultName::InjectText => {
                refuse_encoded(&collected.head.headers)?;
                let pointer = fault.pointer.as_deref().unwrap_or_default();
                let text = fault.text.as_deref().unwrap_or_default();
                inject_text(body, pointer, text).map(Alteration::Other)
            }
            _ => {
                let length = body.len() as u64;
                let kept = fault.keep_bytes.unwrap_or_else(|| about_half(seed, number, length));
                let kept = usize::try_from(kept).ok().filter(|kept| *kept < body.len());
                let kept =
                    kept.ok_or_else(|| format!("the answer's body has {length} bytes, and that many are kept"))?;
                Ok(match fault.fault {
                    FaultName::TruncateClean => Alteration::Short(kept),
                    FaultName::TruncateAbrupt => Alteration::Broken(kept),
                    _ => Alteration::Still(kept),
                })
            }
        }
    }

    /// Gives an answer back as it came.
    pub(super) fn deliver(&self, collected: Collected) -> Response<AnswerBody> {
        let body = collected.body.clone();
        self.caller.keep(collected.line.used_now());
        self.response(collected.head, [Act::Send(body)])
    }

    fn deliver_altered(&self, collected: Collected, alteration: Alteration) -> Response<AnswerBody> {
        let (mut head, body) = (collected.head, collected.body);
        self.caller.keep(collected.line.used_now());
        match alteration {
            Alteration::Other(other) => {
                if self.due.spec.fault == FaultName::ReplaceBody {
                    head.headers.remove(CONTENT_ENCODING);
                }
                set_length(&mut head.headers, other.len());
                self.response(head, [Act::Send(other)])
            }
            Alteration::Short(kept) => {
                self.call.cut();
                set_length(&mut head.headers, kept);
                self.response(head, [Act::Send(body.slice(..kept))])
            }
            Alteration::Broken(kept) => {
                self.call.cut();
                if self.head.version == Version::HTTP_10 {
                    // To such a caller the end of the connection is the end of the answer.
                    self.caller.peer.reset();
                }
                self.response(head, [Act::Send(body.slice(..kept)), Act::Break])
            }
            Alteration::Still(kept) => {
                let wait = self.stand_still();
                let rest = match self.due.spec.seconds {
                    Some(_) => Act::Send(body.slice(kept..)),
                    None => {
                        self.call.cut();
                        Act::Break
                    }
                };
                self.response(head, [Act::Send(body.slice(..kept)), wait, rest])
            }
        }
    }

    fn stand_still(&self) -> Act {
        let longest = self.due.duration(LONGEST_HOLD_S);
        self.call.goes_on_for(longest);
        let (peer, call) = (Arc::clone(&self.caller.peer), Arc::clone(&self.call));
        Act::Wait(Box::pin(async move {
            held(&peer, &call, longest, std::future::pending()).await;
        }))
    }

    fn response(
        &self,
        mut head: hyper::http::response::Parts,
        acts: impl IntoIterator<Item = Act>,
    ) -> Response<AnswerBody> {
        head.headers = self.caller.connector.passed_back(head.headers);
        self.caller.begin_answer(&self.call, head.status, &head.headers);
        Response::from_parts(head, AnswerBody::acted(&self.caller, acts))
    }
}

/// What is compressed all the same, although it was asked for as it is.
fn refuse_encoded(headers: &HeaderMap) -> Result<(), String> {
    match headers.get(CONTENT_ENCODING) {
        Some(encoding) if encoding != "identity" => {
            Err(format!("the answer is encoded as {}", String::from_utf8_lossy(encoding.as_bytes())))
        }
        _ => Ok(()),
    }
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// States the new length where the answer states one.
fn set_length(headers: &mut HeaderMap, length: usize) {
    if !headers.contains_key(TRANSFER_ENCODING) {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
}
