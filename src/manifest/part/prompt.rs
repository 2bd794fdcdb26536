//! The manifest of a prompt.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::PartId;

use super::PartKind;

/// A prompt: its files, and the variables that the workflow fills in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptManifest {
    /// The part's identity. It never changes, and no other part has it, whatever the letter case.
    pub id: PartId,
    /// Always `prompt` here.
    #[schemars(extend("const" = "prompt"))]
    pub kind: PartKind,
    /// The version, raised with every change.
    pub version: String,
    /// What the part is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Further settings, of the provider or of a practice workflow. Each leaf is a facet like any other.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// The files that hold the prompt's text, relative to the project's folder, in the order in which they are used.
    #[schemars(length(min = 1))]
    pub files: Vec<String>,
    /// What the workflow fills in, by name.
    #[serde(default)]
    pub variables: BTreeMap<String, PromptVariable>,
}

/// A variable of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptVariable {
    /// What stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its text where the workflow gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether what stands there comes from outside, and so may hold instructions that are not the workflow's own.
    #[serde(default)]
    pub untrusted: bool,
}
