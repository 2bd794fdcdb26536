//! What a target promises of a repeated request, and who may decide: read from the manifests that a run recorded.

use serde_json::Value;

use crate::change::{PartSnapshot, Snapshot};
use crate::domain::PartId;
use crate::evidence::Call;
use crate::manifest::{IdempotencyKey, Lookup, PartKind};

/// The contract of one operation of a connector.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// Where it is written: the manifest and its version, or the ledger.
    pub source: String,
    /// Who names a request, which is what makes a repetition recognisable.
    pub key: IdempotencyKey,
    /// Seconds for which the target remembers a request.
    pub window_s: Option<u64>,
    /// How many attempts the workflow may make by itself, the first included.
    pub attempts: u32,
    /// How to find out afterwards what happened.
    pub lookup: Option<Lookup>,
    /// Whether someone must approve the action first; `None` where no permissions say.
    pub needs_approval: Option<bool>,
    /// Who may approve it: roles or names.
    pub approvers: Vec<String>,
}

impl Contract {
    /// The contract that a run's own manifests state for a call. `None` where no manifest of the connector has it.
    pub fn of_call(snapshot: &Snapshot, call: &Call) -> Option<Self> {
        let part = snapshot.parts.get(&call.connector).filter(|part| part.kind == PartKind::Connector)?;
        let name = call.operation.as_str();
        let value = |rest: &[&str]| part.facet(&[&["operations", name], rest].concat());
        value(&["effect"])?;
        let number = |rest: &[&str]| value(rest).and_then(Value::as_u64);
        let lookup = value(&["lookup", "by"]).and_then(Value::as_str).map(|by| Lookup {
            by: by.to_owned(),
            authoritative: value(&["lookup", "authoritative"]).and_then(Value::as_bool).unwrap_or(false),
            lag_s: value(&["lookup", "lag_s"]).and_then(Value::as_f64).unwrap_or(0.0),
        });
        let key = value(&["idempotency", "key"]).and_then(|key| serde_json::from_value(key.clone()).ok());
        let attempts = number(&["retry", "attempts"]).and_then(|attempts| u32::try_from(attempts).ok());
        let (needs_approval, approvers) = approval(snapshot, name);
        Some(Self {
            source: source_of(&call.connector, part),
            key: key.unwrap_or_default(),
            window_s: number(&["idempotency", "window_s"]),
            attempts: attempts.unwrap_or(1),
            lookup,
            needs_approval,
            approvers,
        })
    }

    /// How many attempts are left of those that the workflow may make by itself.
    pub(super) fn attempts_left(&self, made: usize) -> usize {
        usize::try_from(self.attempts).unwrap_or(usize::MAX).saturating_sub(made)
    }
}

fn source_of(id: &PartId, part: &PartSnapshot) -> String {
    format!("connector {id}, version {}", part.version)
}

/// What the permissions say of an action that has the operation's name. Several permissions parts add up.
fn approval(snapshot: &Snapshot, action: &str) -> (Option<bool>, Vec<String>) {
    let mut needed = None;
    let mut approvers: Vec<String> = Vec::new();
    for part in snapshot.parts.values().filter(|part| part.kind == PartKind::Permissions) {
        if let Some(says) = part.facet(&["actions", action, "needs_approval"]).and_then(Value::as_bool) {
            needed = Some(says || needed == Some(true));
        }
        approvers.extend(part.texts(&["actions", action, "approvers"]).into_iter().map(str::to_owned));
    }
    approvers.sort_unstable();
    approvers.dedup();
    (needed, approvers)
}
