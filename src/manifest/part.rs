//! Manifests: the versioned record of one part that produces a workflow's result.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::{Digest, OwnKind, PartId};

mod connector;
mod model;
mod own;
mod permissions;
mod prompt;
mod source;
mod tool;

pub use connector::{
    AnswerInFlight, AnswerToMismatch, Backoff, CallName, ConnectorManifest, Effect, Idempotency, IdempotencyKey,
    Jitter, KeptAnswers, Lookup, Operation, Place, Processing, ReplaySignal, Retry, RetryOn, Wire,
};
pub use model::{ModelLimits, ModelManifest, Sampling};
pub use own::OwnManifest;
pub use permissions::{Action, Actor, PermissionsManifest};
pub use prompt::{PromptManifest, PromptVariable};
pub use source::{Authority, SourceManifest};
pub use tool::ToolManifest;

/// The kinds of part: six built in, and those that a project declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    /// A kind that the project declares under `kinds`.
    #[serde(untagged)]
    Own(OwnKind),
}

impl PartKind {
    /// Every built-in kind.
    pub const BUILT_IN: [Self; 6] =
        [Self::Model, Self::Prompt, Self::Source, Self::Permissions, Self::Connector, Self::Tool];

    /// The name used in files and reports.
    pub fn name(&self) -> &str {
        match self {
            Self::Model => "model",
            Self::Prompt => "prompt",
            Self::Source => "source",
            Self::Permissions => "permissions",
            Self::Connector => "connector",
            Self::Tool => "tool",
            Self::Own(kind) => kind.name(),
        }
    }
}

/// A manifest with its fields, by kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Manifest {
    /// A model's.
    Model(ModelManifest),
    /// A prompt's.
    Prompt(PromptManifest),
    /// A source's.
    Source(SourceManifest),
    /// Permissions'.
    Permissions(PermissionsManifest),
    /// A connector's.
    Connector(ConnectorManifest),
    /// A tool's.
    Tool(ToolManifest),
    /// That of a part of a kind that the project declares.
    Own(OwnManifest),
}

impl Manifest {
    /// The part's id, kind and version.
    pub fn identity(&self) -> (&PartId, PartKind, &str) {
        match self {
            Self::Model(manifest) => (&manifest.id, PartKind::Model, &manifest.version),
            Self::Prompt(manifest) => (&manifest.id, PartKind::Prompt, &manifest.version),
            Self::Source(manifest) => (&manifest.id, PartKind::Source, &manifest.version),
            Self::Permissions(manifest) => (&manifest.id, PartKind::Permissions, &manifest.version),
            Self::Connector(manifest) => (&manifest.id, PartKind::Connector, &manifest.version),
            Self::Tool(manifest) => (&manifest.id, PartKind::Tool, &manifest.version),
            Self::Own(manifest) => (&manifest.id, manifest.kind, &manifest.version),
        }
    }
}

impl JsonSchema for PartKind {
    fn schema_name() -> Cow<'static, str> {
        "PartKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "The kind of part: `model`, `prompt`, `source`, `permissions`, `connector`, `tool`, or one that the project \
                            declares under `kinds`.",
        })
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
    /// The checked document as it stands in the file, without defaults filled in; never changed afterwards.
    pub document: Map<String, Value>,
    /// The content digests of the files that it names, by path.
    pub files: BTreeMap<String, Digest>,
    fields: FieldsRead,
}

/// A document's fields, once somebody has asked for them: every trial does. What is read again would be the same, so that
/// whether it was read makes no difference between two parts.
#[derive(Clone, Debug, Default)]
struct FieldsRead(OnceLock<Arc<Manifest>>);

impl PartialEq for FieldsRead {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Part {
    /// A part whose document says this.
    pub fn new(
        id: PartId,
        kind: PartKind,
        version: String,
        path: String,
        document: Map<String, Value>,
        files: BTreeMap<String, Digest>,
    ) -> Self {
        Self { id, kind, version, path, document, files, fields: FieldsRead::default() }
    }

    /// The manifest's fields, with defaults filled in.
    ///
    /// # Errors
    /// When the document does not fit its kind, which a part that was loaded from a project never shows.
    pub fn manifest(&self) -> Result<&Manifest, serde_json::Error> {
        match self.fields.0.get() {
            Some(manifest) => Ok(manifest),
            None => {
                let manifest = Arc::new(self.read()?);
                Ok(self.fields.0.get_or_init(|| manifest))
            }
        }
    }

    fn read(&self) -> Result<Manifest, serde_json::Error> {
        let document = Value::Object(self.document.clone());
        Ok(match self.kind {
            PartKind::Model => Manifest::Model(serde_json::from_value(document)?),
            PartKind::Prompt => Manifest::Prompt(serde_json::from_value(document)?),
            PartKind::Source => Manifest::Source(serde_json::from_value(document)?),
            PartKind::Permissions => Manifest::Permissions(serde_json::from_value(document)?),
            PartKind::Connector => Manifest::Connector(serde_json::from_value(document)?),
            PartKind::Tool => Manifest::Tool(serde_json::from_value(document)?),
            PartKind::Own(_) => Manifest::Own(serde_json::from_value(document)?),
        })
    }
}
