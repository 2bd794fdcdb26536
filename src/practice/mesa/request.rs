//! What the desk is asked to do: the invocation, read strictly. What does not fit is refused, never guessed.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::domain::{Digest, OperationId};
use crate::practice::PracticeError;

use super::refusal::{Reason, Refusal};

/// Characters of a question that are read at the most.
const QUESTION_LIMIT: usize = 4_000;
/// Characters of a reference at the most.
const REFERENCE_LIMIT: usize = 120;
/// What a reference is, for the refusal of anything else.
const REFERENCE: &str = "a reference: at most 120 of the characters a-z, A-Z, 0-9 and -_.:/@";
/// Bytes of a pause's reason at the most.
const REASON_LIMIT: usize = 200;
/// The actor where the request names none: the desk itself, with the least rights that can do its work.
const DEFAULT_ACTOR: &str = "desk";

/// What can be asked of the desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Draft, propose, have it approved where `approved_by` says so, and stage.
    Answer,
    /// Draft alone; nothing is kept.
    Draft,
    /// Draft and keep the proposal.
    Propose,
    /// Approve one exact proposal for one actor.
    Approve,
    /// Take an approval back.
    Revoke,
    /// Stage a proposal that was kept.
    Stage,
    /// Send to the customer: always refused.
    Send,
    /// Report what is known of an operation.
    Status,
    /// Settle an operation whose record has left its retention window.
    Reconcile,
    /// Block new staging.
    Pause,
    /// Allow it again.
    Resume,
    /// Hand the question to a person with the policy, and nothing decided.
    Fallback,
}

impl Action {
    const ALL: [Self; 12] = [
        Self::Answer,
        Self::Draft,
        Self::Propose,
        Self::Approve,
        Self::Revoke,
        Self::Stage,
        Self::Send,
        Self::Status,
        Self::Reconcile,
        Self::Pause,
        Self::Resume,
        Self::Fallback,
    ];

    /// The name used in requests, permissions and records.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Draft => "draft",
            Self::Propose => "propose",
            Self::Approve => "approve",
            Self::Revoke => "revoke",
            Self::Stage => "stage",
            Self::Send => "send",
            Self::Status => "status",
            Self::Reconcile => "reconcile",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Fallback => "fallback",
        }
    }

    fn needs_question(self) -> bool {
        matches!(self, Self::Answer | Self::Draft | Self::Propose | Self::Fallback)
    }

    fn needs_operation(self) -> bool {
        !matches!(self, Self::Draft | Self::Pause | Self::Resume | Self::Fallback)
    }
}

/// One request, checked in form. Whether the actor may do it is another matter.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) action: Action,
    pub(super) operation: OperationId,
    pub(super) actor: String,
    /// A role that the caller claims for itself. A claim gives no right.
    pub(super) claimed_role: Option<String>,
    pub(super) customer: Option<String>,
    pub(super) question: String,
    /// Who approves, within the same request, what was just proposed.
    pub(super) approved_by: Option<String>,
    /// For whom an approval is given; the actor of the staging by default.
    pub(super) approve_for: Option<String>,
    /// For how long it is to hold, in seconds.
    pub(super) approval_valid_s: Option<i64>,
    pub(super) proposal: Option<Digest>,
    pub(super) reason: Option<String>,
    /// What tools returned, by the tool's id. Hostile until checked.
    pub(super) tool_results: Map<String, Value>,
}

/// The time of the invocation.
///
/// # Errors
/// When the invocation tells none: nothing about approvals could be decided.
pub(super) fn time_of(invocation: &Value) -> Result<Timestamp, PracticeError> {
    let told = invocation["now"].as_str().and_then(|text| text.parse().ok());
    told.ok_or_else(|| PracticeError::Setup {
        what: "the invocation tells no time in `now`".to_owned(),
        hint: "`now` is an RFC 3339 time, as in 2026-06-15T09:00:00Z".to_owned(),
    })
}

/// Reads the request.
pub(super) fn read(invocation: &Value) -> Result<Request, Refusal> {
    let fields = invocation["input"].as_object().ok_or_else(|| malformed("input", "a map"))?;
    let action = read_action(fields)?;
    let operation = named_operation(invocation);
    if fields.get("operation").is_some_and(|named| !named.is_null()) {
        reference(fields, "operation")?;
    }
    if operation.as_str().is_empty() && action.needs_operation() {
        return Err(malformed("operation", "the identity of the operation"));
    }
    let question = read_question(fields, action)?;
    Ok(Request {
        action,
        operation,
        actor: reference(fields, "actor")?.unwrap_or_else(|| DEFAULT_ACTOR.to_owned()),
        claimed_role: text(fields, "role")?,
        customer: reference(fields, "customer")?,
        question,
        approved_by: reference(fields, "approved_by")?,
        approve_for: reference(fields, "approve_for")?,
        approval_valid_s: read_seconds(fields, "approval_valid_s")?,
        proposal: read_digest(fields, "proposal")?,
        reason: read_reason(fields)?,
        tool_results: read_map(fields, "tool_results")?,
    })
}

/// The operation that the invocation names; an empty one where it names none, or by something that is no reference.
pub(super) fn named_operation(invocation: &Value) -> OperationId {
    let named = invocation["input"].get("operation").filter(|named| !named.is_null());
    let named = named.unwrap_or(&invocation["operation"]).as_str().unwrap_or_default();
    OperationId::new(if is_reference(named) { named } else { "" })
}

fn read_action(fields: &Map<String, Value>) -> Result<Action, Refusal> {
    let Some(name) = text(fields, "action")? else { return Ok(Action::Answer) };
    let known = Action::ALL.into_iter().find(|action| action.name() == name);
    known.ok_or_else(|| malformed("action", "one of the desk's actions"))
}

fn read_question(fields: &Map<String, Value>, action: Action) -> Result<String, Refusal> {
    let question = text(fields, "question")?.unwrap_or_default();
    if action.needs_question() && question.trim().is_empty() {
        return Err(malformed("question", "a text that is not empty"));
    }
    if question.chars().count() > QUESTION_LIMIT {
        return Err(malformed("question", "a text of at most 4000 characters"));
    }
    Ok(question)
}

fn text(fields: &Map<String, Value>, name: &'static str) -> Result<Option<String>, Refusal> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(malformed(name, "a text")),
    }
}

/// A text that names something and says nothing: it goes into records, where no personal text may stand.
fn reference(fields: &Map<String, Value>, name: &'static str) -> Result<Option<String>, Refusal> {
    match text(fields, name)? {
        Some(named) if !is_reference(&named) => Err(malformed(name, REFERENCE)),
        named => Ok(named),
    }
}

fn is_reference(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:/@".contains(c);
    (1..=REFERENCE_LIMIT).contains(&text.len()) && text.chars().all(plain)
}

/// Why someone pauses, in one line.
fn read_reason(fields: &Map<String, Value>) -> Result<Option<String>, Refusal> {
    let reason = text(fields, "reason")?;
    let fits = |reason: &String| reason.len() <= REASON_LIMIT && !reason.contains(char::is_control);
    if reason.as_ref().is_none_or(fits) {
        Ok(reason)
    } else {
        Err(malformed("reason", "one line of at most 200 bytes"))
    }
}

fn read_seconds(fields: &Map<String, Value>, name: &'static str) -> Result<Option<i64>, Refusal> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_i64() {
            Some(seconds @ 1..=31_536_000) => Ok(Some(seconds)),
            _ => Err(malformed(name, "whole seconds, from 1 to one year")),
        },
    }
}

fn read_digest(fields: &Map<String, Value>, name: &'static str) -> Result<Option<Digest>, Refusal> {
    let Some(text) = text(fields, name)? else { return Ok(None) };
    Digest::try_from(text).map(Some).map_err(|_| malformed(name, "a digest"))
}

fn read_map(fields: &Map<String, Value>, name: &'static str) -> Result<Map<String, Value>, Refusal> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map.clone()),
        Some(_) => Err(malformed(name, "a map")),
    }
}

fn malformed(field: &str, expected: &str) -> Refusal {
    Refusal::new(Reason::MalformedRequest, format!("`{field}` must be {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(input: Value) -> String {
        read(&json!({ "input": input })).unwrap_err().text
    }

    #[test]
    fn what_does_not_fit_is_refused_by_the_name_of_its_field() {
        assert!(refused(json!("text")).starts_with("`input`"));
        assert!(refused(json!({"question": 7, "operation": "op-1"})).starts_with("`question`"));
        assert!(refused(json!({"question": " ", "operation": "op-1"})).starts_with("`question`"));
        assert!(refused(json!({"question": "x".repeat(4_001), "operation": "op-1"})).starts_with("`question`"));
        assert!(refused(json!({"question": "How?"})).starts_with("`operation`"));
        assert!(refused(json!({"action": "delete", "operation": "op-1"})).starts_with("`action`"));
        assert!(refused(json!({"action": "stage", "operation": "op-1", "proposal": "abc"})).starts_with("`proposal`"));
    }

    #[test]
    fn the_invocation_names_the_operation_where_the_input_does_not() {
        let request = read(&json!({"operation": "op-9", "input": {"question": "How?"}})).unwrap();
        assert_eq!(request.operation.as_str(), "op-9");
        assert_eq!(request.actor, "desk");
    }

    #[test]
    fn only_references_are_taken_where_records_will_hold_them() {
        for field in ["operation", "actor", "customer", "approved_by", "approve_for"] {
            for text in ["My neighbour is ill", "", "a\nb", &"x".repeat(121)] {
                let mut input = json!({"question": "How?", "operation": "op-1"});
                input[field] = json!(text);
                assert!(refused(input).starts_with(&format!("`{field}`")), "{field}: {text}");
            }
        }
        assert!(refused(json!({"action": "pause", "reason": "a\nb"})).starts_with("`reason`"));
        let taken = json!({"question": "How?", "operation": "R-618/reservation", "customer": "K-12"});
        assert_eq!(read(&json!({ "input": taken })).unwrap().operation.as_str(), "R-618/reservation");
    }
}
