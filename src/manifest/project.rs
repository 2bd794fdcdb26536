//! A project whose every file has been read and checked.

use std::collections::BTreeMap;

use crate::domain::{CaseId, Digest, PartId, WorkflowId};

use super::case::HeldCase;
use super::part::{Effect, Manifest, Part};
use super::project_file::{Probe, ProjectFile};
use super::written::Written;

/// A whole project: nothing in it refers to anything that is not there.
#[derive(Clone, Debug)]
pub struct Project {
    /// The project file, with `${NAME}` replaced.
    pub file: ProjectFile,
    /// The digest of the project file's document before `${NAME}` was replaced.
    pub file_digest: Digest,
    /// What it says of what is started, before `${NAME}` was replaced.
    pub written: Written,
    /// The parts, by id.
    pub parts: BTreeMap<PartId, Part>,
    /// The cases, by id.
    pub cases: BTreeMap<CaseId, HeldCase>,
    /// The text of each source part's files, by part and path, for `cites` and for the practice workflows.
    /// Other parts' files are there too where they are UTF-8.
    pub texts: BTreeMap<PartId, BTreeMap<String, String>>,
    /// The digest over all manifests and the content of the files that they name.
    pub fingerprint: Digest,
}

impl Project {
    /// Whether no call that leaves something behind goes past the runner. A practice workflow says which calls it made.
    /// Those of any other are seen where each of its connectors that leaves something behind is passed on, and each of
    /// that connector's operations which does can be told from the others.
    pub fn sees_calls_of(&self, workflow: &WorkflowId) -> bool {
        let Some(workflow) = self.file.workflows.get(workflow) else { return false };
        if workflow.practice.is_some() {
            return true;
        }
        let acting = workflow.parts.iter().filter_map(|id| match self.parts.get(id)?.manifest() {
            Ok(Manifest::Connector(manifest)) => Some(manifest),
            _ => None,
        });
        let mut acts = false;
        for manifest in acting {
            for operation in manifest.operations.values().filter(|operation| operation.effect != Effect::None) {
                acts = true;
                if operation.wire.is_none() || !self.file.connectors.contains_key(&manifest.id) {
                    return false;
                }
            }
        }
        acts
    }

    /// Whether a trial of this workflow can leave something behind that outlives it: in a target that holdpoint did not
    /// start for it. So it is with a service that runs anyway, with a connector that leaves something behind and whose
    /// target is not started for each trial, with probes that look elsewhere, and where the project says so.
    pub fn outlives_trials(&self, id: &WorkflowId) -> bool {
        let Some(workflow) = self.file.workflows.get(id) else { return true };
        if let Some(said) = workflow.outlives_trials {
            return said;
        }
        if workflow.practice.is_some() {
            return false;
        }
        let is_started =
            |part: &PartId| self.file.connectors.get(part).is_some_and(|connector| connector.upstream.start.is_some());
        let acts = |part: &PartId| match self.parts.get(part).map(Part::manifest) {
            Some(Ok(Manifest::Connector(manifest))) => {
                manifest.operations.values().any(|operation| operation.effect != Effect::None)
            }
            _ => false,
        };
        let started = workflow.parts.iter().any(is_started);
        let looks_elsewhere = |probe: &Probe| {
            probe.workflow.as_ref().is_none_or(|of| of == id)
                && (probe.http.as_ref().is_some_and(|http| http.connector.is_none())
                    || (probe.command.is_some() && !started))
        };
        workflow.http.as_ref().is_some_and(|http| http.start.is_empty())
            || workflow.parts.iter().any(|part| acts(part) && !is_started(part))
            || self.file.probes.values().any(looks_elsewhere)
    }
}
