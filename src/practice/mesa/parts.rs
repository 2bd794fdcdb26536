//! The desk's parts with their fields, read once for an invocation.

use std::collections::BTreeMap;

use crate::domain::PartId;
use crate::manifest::{ConnectorManifest, Manifest, Part, PermissionsManifest, PromptManifest, SourceManifest};
use crate::practice::PracticeError;

/// The connector's operation that stages.
pub(super) const STAGE: &str = "stage";

/// For how long operation records are kept where the connector's manifest does not say: thirty days, in seconds.
const DEFAULT_RETENTION_S: i64 = 30 * 24 * 3_600;

/// The parts, by kind, each kind sorted by id. No field of a model is among them: the drafter is scripted, and nothing
/// in a model's manifest but a seeded defect changes what it writes.
#[derive(Clone, Debug)]
pub(super) struct DeskParts {
    pub(super) sources: Vec<SourceManifest>,
    pub(super) prompts: Vec<PromptManifest>,
    pub(super) permissions: Vec<PermissionsManifest>,
    /// The connector that stages.
    pub(super) connector: PartId,
    /// For how long an operation's record is kept, in seconds: the window in which the connector promises to know its
    /// key again.
    pub(super) retention_s: i64,
    tools: Vec<PartId>,
}

impl DeskParts {
    /// Reads them.
    ///
    /// # Errors
    /// When a part does not have its kind's fields, or no connector stages: then this is no review desk.
    pub(super) fn read(parts: &BTreeMap<PartId, Part>) -> Result<Self, PracticeError> {
        let (mut sources, mut prompts, mut permissions, mut tools) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut staging = None;
        for part in parts.values() {
            match part.manifest().map_err(|error| misfit(part, &error))? {
                Manifest::Source(source) => sources.push(source.clone()),
                Manifest::Prompt(prompt) => prompts.push(prompt.clone()),
                Manifest::Permissions(manifest) => permissions.push(manifest.clone()),
                Manifest::Connector(connector) => staging = staging.or_else(|| contract(connector)),
                Manifest::Tool(tool) => tools.push(tool.id.clone()),
                Manifest::Model(_) | Manifest::Own(_) => {}
            }
        }
        let (connector, retention_s) = staging.ok_or_else(|| PracticeError::Setup {
            what: format!("no connector has an operation `{STAGE}`"),
            hint: "list the review desk's connector among the workflow's parts".to_owned(),
        })?;
        Ok(Self { sources, prompts, permissions, connector, retention_s, tools })
    }

    /// Whether the desk has a tool.
    pub(super) fn has_tool(&self, id: &str) -> bool {
        self.tools.iter().any(|tool| tool.as_str() == id)
    }
}

/// The connector, where it stages, with the seconds for which it knows a key again.
fn contract(connector: &ConnectorManifest) -> Option<(PartId, i64)> {
    let window_s = connector.operations.get(STAGE)?.idempotency.window_s;
    let window_s = window_s.and_then(|seconds| i64::try_from(seconds).ok());
    Some((connector.id.clone(), window_s.unwrap_or(DEFAULT_RETENTION_S)))
}

fn misfit(part: &Part, error: &serde_json::Error) -> PracticeError {
    PracticeError::Setup {
        what: format!("the manifest of {} `{}` does not fit its kind: {error}", part.kind, part.id),
        hint: "check the project".to_owned(),
    }
}
