//! The desk's answer as JSON: what was drafted, what was done about it, and what is claimed.

use serde_json::{Map, Value, json};

use crate::domain::{Claim, Digest, OperationId};

use super::drafter::{Draft, SCRIPTED};
use super::records::Lookup;
use super::refusal::{Reason, Refusal};

/// An answer in the making.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    fields: Map<String, Value>,
}

impl Answer {
    /// An answer with a status and what a person reads first.
    pub(super) fn new(status: &str, output: impl Into<String>) -> Self {
        let answer = json!({
            "schema": "mesa.answer/1",
            "drafter": {"kind": "scripted", "model": null, "note": SCRIPTED},
            "status": status,
            "output": output.into(),
            "sent": false,
            "citations": [],
            "unanswered": [],
            "conflicts": [],
            "ignored_instructions": [],
            "claims": [],
        });
        Self { fields: answer.as_object().cloned().unwrap_or_default() }
    }

    /// The answer of a desk that refuses, or holds until a person has acted.
    pub(super) fn refused(refusal: &Refusal) -> Self {
        let (status, word) = if refusal.reason.holds() { ("held", "Held") } else { ("refused", "Refused") };
        let answer = Self::new(status, format!("{word}: {}.", refusal.text));
        answer.with("reason", json!({"code": refusal.reason.name(), "text": refusal.text}))
    }

    /// Sets a field.
    pub(super) fn with(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// Claims something of an operation.
    pub(super) fn claiming(self, operation: &OperationId, claim: Claim) -> Self {
        self.with("claims", json!([{"operation": operation, "claim": claim.name()}]))
    }

    /// What a refusal lets the desk claim: nothing, where the operation exists under another proposal or is not the
    /// caller's to see.
    pub(super) fn claiming_refusal(self, operation: &OperationId, refusal: &Refusal, staged_before: bool) -> Self {
        let silent = staged_before && refusal.reason != Reason::RecordRetired;
        if operation.as_str().is_empty() || silent {
            return self;
        }
        self.claiming(operation, if refusal.reason.holds() { Claim::Held } else { Claim::Rejected })
    }

    /// Lays a draft, and what it rests on, into the answer.
    pub(super) fn with_draft(self, draft: &Draft, lookup: &Lookup) -> Self {
        let citations = draft
            .citations
            .iter()
            .map(|citation| json!({"source": citation.source, "version": citation.version, "quote": citation.quote}));
        let mut answer = self
            .with("citations", citations.collect())
            .with("unanswered", Value::from(draft.unanswered.clone()))
            .with("conflicts", Value::from(draft.conflicts.clone()))
            .with("upcoming", Value::from(draft.upcoming.clone()))
            .with("ignored_instructions", json!(draft.ignored_instructions))
            .with("figures", draft.figures.clone())
            .with("tool_problems", json!(lookup.problem.into_iter().collect::<Vec<_>>()));
        if !lookup.unknown_tools.is_empty() {
            answer = answer.with("ignored_tools", json!(lookup.unknown_tools));
        }
        answer
    }

    /// Names the proposal.
    pub(super) fn with_proposal(self, digest: &Digest) -> Self {
        self.with("proposal", json!(digest))
    }

    /// Hands out a receipt.
    pub(super) fn with_receipt(self, receipt: &Value, replayed: bool) -> Self {
        let mut receipt = receipt.clone();
        receipt["replayed"] = Value::from(replayed);
        self.with("receipt", receipt)
    }

    /// The text of the answer.
    pub(super) fn into_text(self) -> String {
        Value::Object(self.fields).to_string()
    }
}
