//! One call of a workflow to a connector, as the runner saw it from between the two.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{Digest, OperationId, PartId};

/// A request and what became of it. Times are microseconds since the trial's first step began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// Its number, from 1, in the order in which the requests arrived over the whole trial.
    pub number: u32,
    /// The step in which it arrived; 0 where it came between two.
    pub step: u32,
    /// The connector: the id of its manifest.
    pub connector: PartId,
    /// The operation that its method and path belong to; `None` where the manifest knows none such.
    pub operation: Option<String>,
    /// What it is an attempt at; `None` where it belongs to no operation of the manifest.
    pub intention: Option<OperationId>,
    /// The idempotency key that it carried.
    pub key: Option<String>,
    /// When the request arrived.
    pub begun_us: u64,
    /// When the request began to go on to the upstream; `None` where it never did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_us: Option<u64>,
    /// When the upstream's answer had arrived as a whole, or was given up.
    pub answered_us: Option<u64>,
    /// When the caller had its answer, or had gone.
    pub ended_us: u64,
    /// The method.
    pub method: String,
    /// The path with its query, as it was sent.
    pub target: String,
    /// The request.
    pub request: Message,
    /// Whether the request went on to the upstream.
    pub forwarded: Forwarded,
    /// What the upstream answered, whether or not it was passed on.
    pub answer: Option<Message>,
    /// The status of that answer.
    pub status: Option<u16>,
    /// What the caller got.
    pub delivered: Delivered,
    /// The status that the caller got.
    pub delivered_status: Option<u16>,
    /// The `Retry-After` that the caller got with it, as it was written, whoever answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<String>,
    /// The fault that was laid on it.
    pub fault: Option<FaultLaid>,
    /// What went wrong on the way, where that was no fault.
    pub problem: Option<String>,
}

impl Exchange {
    /// Whether its method promises to leave nothing behind (RFC 9110, section 9.2.1).
    pub fn is_safe(&self) -> bool {
        ["GET", "HEAD", "OPTIONS", "TRACE"].contains(&self.method.as_str())
    }
}

/// The headers and the body of a request or an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The headers that may be recorded, in the order in which they came, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// How many bytes the body had, as it was on the wire.
    pub bytes: u64,
    /// The digest of the whole body; `None` where it did not arrive as a whole.
    pub digest: Option<Digest>,
    /// The beginning of the body, as text. Bytes that are no UTF-8 show as U+FFFD.
    pub text: String,
    /// Whether `text` is less than the body.
    pub is_cut: bool,
}

impl Message {
    /// The first header of that name, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// Whether a request went on to the upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Forwarded {
    /// Not a byte of it.
    No,
    /// Its beginning, or all of it without the runner being able to tell whether the upstream got it.
    Partly,
    /// All of it.
    Whole,
    /// All of it, twice.
    Twice,
}

/// How much of an answer the caller got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivered {
    /// Nothing.
    No,
    /// A part: it ended early, or the caller went away meanwhile.
    Partly,
    /// All of it.
    Whole,
}

/// A fault of the case that fell on a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultLaid {
    /// Its place in the case's list of faults, from 0.
    pub index: usize,
    /// Its name, with how the answer was withheld where it was: `lost_ack by timeout`.
    pub name: String,
}
