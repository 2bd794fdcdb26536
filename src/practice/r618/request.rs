//! What is asked of the workflow: the `input` of its invocation.

use serde_json::{Map, Value};

use crate::practice::PracticeError;

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Go on from where the record stands: on a first run from the beginning.
    Run,
    /// Let a held operation go on.
    Resume,
    /// Approve what the request asks for.
    Approve,
    /// Take an approval back.
    Revoke,
    /// Give the reservation back.
    Release,
    /// Close the case.
    Close,
    /// Take a sent message back, which nobody can.
    Recall,
    /// Say where things stand.
    Status,
}

impl Action {
    const ALL: [Self; 8] =
        [Self::Run, Self::Resume, Self::Approve, Self::Revoke, Self::Release, Self::Close, Self::Recall, Self::Status];

    /// The name used in `input.action` and in the permissions.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Resume => "resume",
            Self::Approve => "approve",
            Self::Revoke => "revoke",
            Self::Release => "release",
            Self::Close => "close",
            Self::Recall => "recall",
            Self::Status => "status",
        }
    }
}

/// One invocation's request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) action: Action,
    pub(super) actor: String,
    /// The stable reference: `R-618`.
    pub(super) reference: String,
    /// What is wanted.
    pub(super) wanted: Wanted,
    /// Who approves, where the request brings its approval along.
    pub(super) approved_by: Option<String>,
    /// Seconds for which that approval holds, where it is shorter than the permissions allow.
    pub(super) approval_valid_s: Option<i64>,
}

/// What a request wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) customer: String,
    pub(super) matter: String,
    pub(super) contact: String,
    pub(super) component: String,
    pub(super) quantity: i64,
}

/// Reads the input.
///
/// # Errors
/// When it names no request or an action that does not exist: no business operation could be meant.
pub(super) fn read(input: &Value) -> Result<Request, PracticeError> {
    let wrong = |what: String, hint: &str| PracticeError::Setup { what, hint: hint.to_owned() };
    let Value::Object(input) = input else {
        return Err(wrong("the input is no map".to_owned(), "as in `{request: R-618, component: PUMP-7, …}`"));
    };
    let action = input.get("action").map_or(Some("run"), Value::as_str);
    let Some(action) = Action::ALL.into_iter().find(|known| Some(known.name()) == action) else {
        let names = Action::ALL.map(Action::name).join(", ");
        return Err(wrong("`input.action` is no action".to_owned(), &format!("one of: {names}")));
    };
    let reference = text(input, "request");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    if reference.is_empty() || reference.len() > 64 || !reference.chars().all(is_plain) {
        let hint = "a stable reference of letters, digits, `-`, `.` and `_`, such as R-618";
        return Err(wrong("`input.request` is no reference".to_owned(), hint));
    }
    let actor = text(input, "actor");
    Ok(Request {
        action,
        actor: if actor.is_empty() { "coordinator".to_owned() } else { actor },
        reference,
        wanted: Wanted {
            customer: text(input, "customer"),
            matter: text(input, "matter"),
            contact: text(input, "contact"),
            component: text(input, "component"),
            quantity: input.get("quantity").and_then(Value::as_i64).unwrap_or(1),
        },
        approved_by: input.get("approved_by").and_then(Value::as_str).map(str::to_owned),
        approval_valid_s: input.get("approval_valid_s").and_then(Value::as_i64),
    })
}

fn text(input: &Map<String, Value>, field: &str) -> String {
    input.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_without_a_reference_or_with_an_unknown_action_is_none() {
        assert!(read(&json!({"request": "R-618"})).is_ok());
        for wrong in [json!([]), json!({}), json!({"request": "../x"}), json!({"request": "R", "action": "rerun"})] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
    }
}
