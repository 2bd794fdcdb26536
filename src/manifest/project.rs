//! A project whose every file has been read and checked.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::domain::{CaseId, Digest, PartId, Question, Risk, WorkflowId};

use super::case_file::{FaultSpec, Step};
use super::expectation::Expectation;
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
    pub cases: BTreeMap<CaseId, Case>,
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

/// A file that a case copies into its trial's state directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its name in the state directory, possibly with folders.
    pub name: String,
    /// Where it stands, relative to the project's folder.
    pub path: String,
    /// Its content.
    pub content: Vec<u8>,
}

/// One case, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its identity.
    pub id: CaseId,
    /// The risk of its folder: the set it belongs to.
    pub set: Risk,
    /// What holds when it passes.
    pub title: String,
    /// Its file.
    pub path: String,
    /// The line of its `id`, for annotations.
    pub line: usize,
    /// The workflow it runs against.
    pub workflow: WorkflowId,
    /// All its risks, that of its folder first.
    pub risks: Vec<Risk>,
    /// The sources it rests on; empty means all.
    pub sources: Vec<PartId>,
    /// How many trials.
    pub trials: u32,
    /// Whether it is selected whatever changed.
    pub always: bool,
    /// What the workflow gets.
    pub input: Value,
    /// Files for the state directory, sorted by name.
    pub fixtures: Vec<Fixture>,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// What is done to its calls.
    pub faults: Vec<FaultSpec>,
    /// The time told to the workflow at the first step, RFC 3339.
    pub now: Option<String>,
    /// What must hold; never empty.
    pub expect: Vec<Expectation>,
    /// The digest of everything above that can change a result (not `title`, `path`, `line`, `always`, `risks`).
    pub digest: Digest,
    /// The digest of `expect` alone.
    pub expectation_digest: Digest,
    /// What a result of it speaks of, beside its own file: the programs and the probes that it is judged by.
    pub question: Question,
}
