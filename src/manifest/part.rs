//! Manifests: the versioned record of one part that produces a workflow's result.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::{Digest, PartId};

/// The six kinds of part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// A model and how it is sampled.
    Model,
    /// A prompt and its files.
    Prompt,
    /// Documents that answers rest on.
    Source,
    /// Who may do what.
    Permissions,
    /// A system that the workflow acts on, and what it promises.
    Connector,
    /// A function that a model can call.
    Tool,
}

impl PartKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Model, Self::Prompt, Self::Source, Self::Permissions, Self::Connector, Self::Tool];

    /// The name used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Prompt => "prompt",
            Self::Source => "source",
            Self::Permissions => "permissions",
            Self::Connector => "connector",
            Self::Tool => "tool",
        }
    }
}

impl fmt::Display for PartKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One manifest that has been read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its identity.
    pub id: PartId,
    /// Its kind.
    pub kind: PartKind,
    /// The version that the manifest states.
    pub version: String,
    /// The manifest's own path.
    pub path: String,
    /// The checked document as it stands in the file, without defaults filled in.
    pub document: Map<String, Value>,
    /// The content digests of the files that it names, by path.
    pub files: BTreeMap<String, Digest>,
}
