//! The values of this room: snapshots of a side, and the changes between two of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::{CaseId, Digest, OwnKind, PartId};
use crate::manifest::{HeldCase, PartKind, Probe, ProjectFile, ProjectPolicy, Written};

/// What kind of thing changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A facet or a file of a model.
    Model,
    /// A facet or a file of a prompt.
    Prompt,
    /// A facet or a file of a source.
    Source,
    /// A facet of permissions.
    Permissions,
    /// A facet of a connector.
    Connector,
    /// A facet or a file of a tool.
    Tool,
    /// A workflow's code.
    Code,
    /// A case, its fixture or its expectation.
    Case,
    /// The project file.
    Project,
    /// A path that no rule knows.
    Unclassified,
    /// A path that the project lists as inert.
    Inert,
    /// A facet or a file of a part of a kind that the project declares.
    #[serde(untagged)]
    Own(OwnKind),
}

impl ChangeKind {
    /// The name used in files and reports.
    pub fn name(&self) -> &str {
        match self {
            Self::Model => "model",
            Self::Prompt => "prompt",
            Self::Source => "source",
            Self::Permissions => "permissions",
            Self::Connector => "connector",
            Self::Tool => "tool",
            Self::Code => "code",
            Self::Case => "case",
            Self::Project => "project",
            Self::Unclassified => "unclassified",
            Self::Inert => "inert",
            Self::Own(kind) => kind.name(),
        }
    }
}

impl JsonSchema for ChangeKind {
    fn schema_name() -> Cow<'static, str> {
        "ChangeKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "What kind of thing changed: a part by its kind (`model`, `prompt`, `source`, `permissions`, `connector`, \
                            `tool`, or one that the project declares under `kinds`), a workflow's `code`, a `case`, the `project` file, \
                            an `unclassified` path that no rule knows, or an `inert` one.",
        })
    }
}

impl From<PartKind> for ChangeKind {
    fn from(kind: PartKind) -> Self {
        match kind {
            PartKind::Model => Self::Model,
            PartKind::Prompt => Self::Prompt,
            PartKind::Source => Self::Source,
            PartKind::Permissions => Self::Permissions,
            PartKind::Connector => Self::Connector,
            PartKind::Tool => Self::Tool,
            PartKind::Own(kind) => Self::Own(kind),
        }
    }
}

/// Which way something changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Only the head has it.
    Added,
    /// Only the base has it.
    Removed,
    /// Both have it and it differs.
    Modified,
}

/// One facet or file that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What kind of thing changed.
    pub kind: ChangeKind,
    /// The part, where it is one's.
    pub part: Option<PartId>,
    /// The case, where it is one's.
    pub case: Option<CaseId>,
    /// The facet's path in the manifest (`operations.reserve.idempotency.window`), or `file:<path>` for the content
    /// of a file that a manifest names, or `*` where a side could not be read and everything in it counts as changed.
    pub facet: Option<String>,
    /// Which way.
    pub direction: Direction,
    /// The base's value; for a file its digest.
    pub from: Option<Value>,
    /// The head's value; for a file its digest.
    pub to: Option<Value>,
    /// The paths it shows in, the old and the new name of a renamed file both. Names that are not UTF-8 are shown
    /// with `\xNN` for each byte that does not fit, control characters as `\u{N}`.
    pub paths: Vec<String>,
}

/// One side's parts, and digests of all else, in a form that a baseline can record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The parts, by id.
    pub parts: BTreeMap<PartId, PartSnapshot>,
    /// The digest of the project file's document.
    pub project_file: Digest,
    /// What it says of the gate; `None` in a record that was written before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<ProjectPolicy>,
    /// Digests over what is neither part nor case.
    pub rest: RestDigests,
}

/// One part in a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartSnapshot {
    /// Its kind.
    pub kind: PartKind,
    /// The version its manifest states.
    pub version: String,
    /// The manifest's path.
    pub path: String,
    /// Every leaf of the manifest but `id`, `kind` and `version`, by path.
    pub facets: BTreeMap<String, Value>,
    /// The digests of the files that it names, by path.
    pub files: BTreeMap<String, Digest>,
}

/// Digests over files that no manifest names, so that a base without git can still tell that something changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RestDigests {
    /// The workflows' code, by the first name of its path.
    pub code: BTreeMap<String, Digest>,
    /// Every path that is neither part, case, code, inert nor written by holdpoint, by the first name of its path.
    pub other: BTreeMap<String, Digest>,
}

/// What the base was.
#[derive(Clone, Debug, PartialEq)]
pub enum BaseKind {
    /// A revision, or several merge bases whose differences were united.
    Revisions(Vec<String>),
    /// The manifests that the accepted baseline recorded.
    Baseline,
    /// There is none; the text says why. Everything is selected.
    None(String),
}

/// A side as it is named in plans and reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// What was asked for or found: a revision as it was given, `working tree`, `baseline`, or `none`.
    pub name: String,
    /// The commit, in full, where there is one.
    pub commit: Option<String>,
    /// What a reader should know of how it was found.
    pub note: Option<String>,
}

/// A case that differs between the sides.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseChange {
    /// The base's form, where the base has the case and it can be read.
    pub base: Option<HeldCase>,
    /// Whether only `expect` differs.
    pub expectation_only: bool,
}

/// What a base's project file says beside what changes are made of.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseFile {
    /// What it says of the gate.
    pub policy: ProjectPolicy,
    /// What it says of what is started.
    pub written: Written,
    /// Its probes; `${NAME}` stands in them as it was written.
    pub probes: BTreeMap<String, Probe>,
}

impl BaseFile {
    /// Of a project file; where it could not be read, the strictest policy and no probes.
    pub(super) fn of(file: Option<&ProjectFile>) -> Self {
        let policy = file.map(ProjectFile::policy).unwrap_or_default();
        let written = file.map(ProjectFile::written).unwrap_or_default();
        Self { policy, written, probes: file.map(|file| file.probes.clone()).unwrap_or_default() }
    }
}

/// All that differs between a base and a head.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeSet {
    /// The base.
    pub base: Side,
    /// What the base was.
    pub base_kind: BaseKind,
    /// The head.
    pub head: Side,
    /// The project file of each revision that is the base; none where the base is no revision.
    pub base_files: Vec<BaseFile>,
    /// The changes, sorted by kind, part, case, facet and path.
    pub changes: Vec<Change>,
    /// Cases that both sides have, or only one, and that differ, by id. A case that only the base has stands here too.
    pub cases: BTreeMap<CaseId, CaseChange>,
    /// Parts whose version was raised though nothing else in them changed.
    pub bumps_without_change: Vec<PartId>,
    /// Parts that changed though their version did not.
    pub changes_without_bump: Vec<PartId>,
    /// How many changed paths lie in the repository and outside the project's folder; they were not looked at.
    pub outside_project: usize,
}
