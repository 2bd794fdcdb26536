//! What the evidence supports for an operation, what the workflow claims, and how the two stand to each other.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the evidence supports for one intended operation. Never rounded up: without a settled,
/// authoritative reading there is no `not_committed`, and without one effect no `committed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// No attempt was seen and the target shows nothing.
    NotStarted,
    /// The target's documented refusal was seen and the target shows no effect.
    Rejected,
    /// Attempts were made; a settled, authoritative look shows no effect.
    NotCommitted,
    /// Exactly one effect, with the right identity and the right parameters.
    Committed,
    /// Committed, and a later attempt with the same identity got the first receipt and added nothing.
    Replayed,
    /// More than one effect for one intention.
    Duplicated,
    /// An effect exists with other parameters.
    Mismatched,
    /// Neither side is supported: no probe, not settled, or contradictory.
    Uncertain,
}

/// What the workflow itself says of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// The operation is done.
    Completed,
    /// The operation was refused.
    Rejected,
    /// The operation failed and left nothing.
    Failed,
    /// The workflow does not know.
    Unknown,
    /// The workflow stopped and handed the operation to a person.
    Held,
}

/// A claim held against the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimCheck {
    /// The evidence supports what was claimed.
    Confirmed,
    /// Claimed as done; the evidence shows that it is not, or not in this form.
    FalseSuccess,
    /// Claimed as failed or refused; the evidence shows an effect.
    FalseFailure,
    /// Claimed with certainty where the evidence is uncertain, or claimed as refused where nobody saw a refusal.
    Overclaimed,
    /// Said to be unknown, or held. The workflow may know less than the evidence shows: not false, and no confirmation.
    HonestUnknown,
    /// Nothing was claimed.
    Silent,
}

impl Outcome {
    /// The name used in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotStarted => "not_started",
            Self::Rejected => "rejected",
            Self::NotCommitted => "not_committed",
            Self::Committed => "committed",
            Self::Replayed => "replayed",
            Self::Duplicated => "duplicated",
            Self::Mismatched => "mismatched",
            Self::Uncertain => "uncertain",
        }
    }
}

impl Claim {
    /// The name used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Rejected => "rejected",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Held => "held",
        }
    }
}

impl ClaimCheck {
    /// The name used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::FalseSuccess => "false_success",
            Self::FalseFailure => "false_failure",
            Self::Overclaimed => "overclaimed",
            Self::HonestUnknown => "honest_unknown",
            Self::Silent => "silent",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for ClaimCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
