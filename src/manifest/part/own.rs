//! The manifest of a part of a kind that the project declares: what every such manifest has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::PartId;

use super::PartKind;

/// What a manifest of any kind of the project's own has. All other keys are the kind's: each leaf is a facet, and the
/// `schema` that the project file gives to the kind says what they may hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OwnManifest {
    /// The part's identity. It never changes, and no other part has it, whatever the letter case.
    pub id: PartId,
    /// The kind, as the project file names it under `kinds`.
    pub kind: PartKind,
    /// The version, raised with every change.
    pub version: String,
    /// What the part is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Files whose content belongs to the part, relative to the project's folder.
    #[serde(default)]
    pub files: Vec<String>,
    /// Globs of further such files.
    #[serde(default)]
    pub globs: Vec<String>,
}
