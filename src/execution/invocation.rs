//! What a workflow gets: `holdpoint.invoke/1`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::domain::{CaseId, PartId};
use crate::evidence::{ErrorKind, TrialError};
use crate::manifest::{Case, InvokeStep, Part, PartKind};

const SCHEMA: &str = "holdpoint.invoke/1";

/// One invocation, in the order in which its fields are written.
#[derive(Debug, Serialize)]
pub(super) struct Invocation<'a> {
    schema: &'static str,
    case: &'a CaseId,
    trial: u32,
    step: u32,
    operation: Option<&'a str>,
    input: &'a Value,
    state_dir: &'a str,
    connectors: &'a BTreeMap<PartId, String>,
    now: &'a str,
}

/// What stays the same over all invocations of a trial.
#[derive(Clone, Copy, Debug)]
pub(super) struct InvocationFrame<'a> {
    pub(super) case: &'a CaseId,
    pub(super) trial: u32,
    pub(super) state_dir: &'a str,
    pub(super) connectors: &'a BTreeMap<PartId, String>,
}

impl<'a> InvocationFrame<'a> {
    /// The invocation of one step. `operation` is that of the input, where it names one by a text.
    pub(super) fn invocation(&self, step: u32, input: &'a Value, now: &'a str) -> Invocation<'a> {
        let operation = input.get("operation").and_then(Value::as_str);
        let Self { case, trial, state_dir, connectors } = *self;
        Invocation { schema: SCHEMA, case, trial, step, operation, input, state_dir, connectors, now }
    }
}

impl Invocation<'_> {
    /// The invocation as one line of JSON.
    ///
    /// # Errors
    /// Never in practice: every field can be written as JSON.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, TrialError> {
        let mut bytes = serde_json::to_vec(self).map_err(|error| unwritable(&error))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// The invocation as a JSON value.
    ///
    /// # Errors
    /// Never in practice: every field can be written as JSON.
    pub(super) fn to_json(&self) -> Result<Value, TrialError> {
        serde_json::to_value(self).map_err(|error| unwritable(&error))
    }
}

fn unwritable(error: &serde_json::Error) -> TrialError {
    TrialError { kind: ErrorKind::Setup, message: format!("the invocation cannot be written as JSON: {error}") }
}

/// The input of one step: the case's, with the step's own fields laid over it.
///
/// # Errors
/// When the step has fields of its own and the case's input is no map.
pub fn step_input<'a>(case: &'a Case, step: &InvokeStep) -> Result<Cow<'a, Value>, TrialError> {
    let Some(overlay) = &step.input else { return Ok(Cow::Borrowed(&case.input)) };
    let Value::Object(fields) = &case.input else {
        let message = "a step has an input of its own, and the case's input is no map to lay it over".to_owned();
        return Err(TrialError { kind: ErrorKind::Setup, message });
    };
    let mut fields = fields.clone();
    fields.extend(overlay.iter().map(|(name, value)| (name.clone(), value.clone())));
    Ok(Cow::Owned(Value::Object(fields)))
}

/// The addresses of the connectors among these parts: those whose manifest names an `endpoint`.
pub(super) fn connectors(parts: &BTreeMap<PartId, Part>) -> BTreeMap<PartId, String> {
    parts
        .iter()
        .filter(|(_, part)| part.kind == PartKind::Connector)
        .filter_map(|(id, part)| Some((id.clone(), part.document.get("endpoint")?.as_str()?.to_owned())))
        .collect()
}
