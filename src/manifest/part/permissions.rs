//! The manifest of permissions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::PartId;

use super::{CallName, PartKind};

/// Who may do what, and what a person must approve first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermissionsManifest {
    /// The part's identity. It never changes, and no other part has it, whatever the letter case.
    pub id: PartId,
    /// Always `permissions` here.
    #[schemars(extend("const" = "permissions"))]
    pub kind: PartKind,
    /// The version, raised with every change.
    pub version: String,
    /// What the part is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Further settings, of the provider or of a practice workflow. Each leaf is a facet like any other.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Who acts, by name. What is not granted here is refused.
    pub actors: BTreeMap<String, Actor>,
    /// What can be done, by name.
    #[serde(default)]
    pub actions: BTreeMap<String, Action>,
}

/// One who acts: a person, a role, or the workflow itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    /// The roles it holds.
    #[serde(default)]
    pub roles: Vec<String>,
    /// The actions it may take: names from `actions`.
    #[serde(default)]
    pub actions: Vec<String>,
    /// The sources it may read: ids of source manifests.
    #[serde(default)]
    pub sources: Vec<PartId>,
}

/// Something that can be done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The calls that it consists of, as `connector/operation`. Where any action of the manifest names calls, those are all
    /// that may be made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallName>,
    /// Whether someone must approve it first.
    #[serde(default)]
    pub needs_approval: bool,
    /// Who may approve it: names of actors, or roles that an actor holds.
    #[serde(default)]
    pub approvers: Vec<String>,
    /// Seconds for which an approval holds; without it, until it is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub approval_expires_s: Option<u64>,
}
