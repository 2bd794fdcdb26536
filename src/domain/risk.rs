//! Risks: the named ways in which a workflow can go wrong, each with a set of cases that would show it.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of a risk, and so of the case set and the folder that show it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Risk(Arc<str>);

/// The risks that every project knows. A project file can name more.
pub const BUILT_IN_RISKS: [&str; 12] = [
    "policy_accuracy",
    "missing_availability",
    "injected_instructions",
    "malformed_output",
    "source_conflict",
    "context_boundaries",
    "access",
    "action",
    "duplicate",
    "uncertain_outcome",
    "partial_failure",
    "operations",
];

/// The risks that lie in the answer itself: what a model or a prompt can change.
pub const ANSWER_RISKS: [&str; 6] = [
    "policy_accuracy",
    "missing_availability",
    "injected_instructions",
    "malformed_output",
    "source_conflict",
    "context_boundaries",
];

/// The risk whose cases ask for the form of answers.
pub const FORM_RISK: &str = "malformed_output";

/// The risks that lie in the calls to a target: what a connector can change.
pub const CALL_RISKS: [&str; 4] = ["action", "duplicate", "uncertain_outcome", "partial_failure"];

impl Risk {
    /// Takes the name as it is.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Risk {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
