//! The manifest of a source.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::PartId;

use super::PartKind;

/// Documents that answers rest on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceManifest {
    /// The part's identity. It never changes, and no other part has it, whatever the letter case.
    pub id: PartId,
    /// Always `source` here.
    #[schemars(extend("const" = "source"))]
    pub kind: PartKind,
    /// The version, raised with every change. Answers cite a source at a version.
    pub version: String,
    /// What the part is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Further settings, of the provider or of a practice workflow. Each leaf is a facet like any other.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Its files, relative to the project's folder.
    #[serde(default)]
    pub files: Vec<String>,
    /// Globs of its files, relative to the project's folder; `**` stands for any number of folders. Every glob must
    /// match a file.
    #[serde(default)]
    pub globs: Vec<String>,
    /// The day from which it holds: `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective: Option<String>,
    /// The day after which it holds no longer: `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// How much it weighs where sources contradict each other.
    #[serde(default)]
    pub authority: Authority,
    /// Its place among sources of the same authority: the lower number wins.
    #[serde(default)]
    pub rank: u32,
}

/// How much a source weighs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// The text that binds.
    #[default]
    Primary,
    /// A text that explains a primary one and yields to it.
    Secondary,
    /// Background: an answer does not rest on it alone.
    Reference,
}
