//! The manifest of a tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::PartId;

use super::PartKind;
use super::connector::Effect;

/// A function that a model can call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolManifest {
    /// The part's identity. It never changes, and no other part has it, whatever the letter case.
    pub id: PartId,
    /// Always `tool` here.
    #[schemars(extend("const" = "tool"))]
    pub kind: PartKind,
    /// The version, raised with every change.
    pub version: String,
    /// What the part is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Further settings, of the provider or of a practice workflow. Each leaf is a facet like any other.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// The JSON Schema (draft 2020-12) of its arguments, as the model is told.
    pub schema: Map<String, Value>,
    /// What a call can leave behind in a target system. A tool that only reads has none.
    #[serde(default)]
    pub effects: Vec<Effect>,
    /// The connector that it calls: the id of its manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connector: Option<PartId>,
    /// The connector's operation that it calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Files that hold its code or its description, relative to the project's folder.
    #[serde(default)]
    pub files: Vec<String>,
}
