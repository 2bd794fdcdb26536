//! Small projects for the tests of this room, run for real.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Cancellation, ExecutionError, ExecutionSettings, RunDeadline, TrialSpec, execute};
use crate::domain::{Digest, Risk};
use crate::evidence::{Form, Observation};
use crate::manifest::{Case, CaseFile, CaseOutline, Fixture, Project, ProjectFile};

/// A project in a folder of its own that is thrown away with it.
pub(super) struct Specimen {
    folder: tempfile::TempDir,
    pub(super) project: Project,
    pub(super) environment: BTreeMap<String, String>,
    pub(super) cancellation: Cancellation,
    pub(super) may_start: fn() -> bool,
    pub(super) jobs: usize,
    pub(super) keep_state: bool,
}

impl Specimen {
    /// A project with these workflows, as they would stand in its file.
    pub(super) fn new(workflows: Value) -> Self {
        let file = json!({"schema": "holdpoint.project/1", "name": "specimen", "workflows": workflows});
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        Self {
            folder,
            project: project(serde_json::from_value(file).unwrap()),
            environment: [("PATH".to_owned(), env!("PATH").to_owned())].into(),
            cancellation: Cancellation::new().unwrap(),
            may_start: || true,
            jobs: 2,
            keep_state: false,
        }
    }

    /// A project whose workflow `w` is a shell script.
    pub(super) fn of_script(script: &str) -> Self {
        let specimen = Self::new(json!({"w": {"command": {"run": ["sh", "workflow.sh"]}, "parts": []}}));
        specimen.write("workflow.sh", script);
        specimen
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(super) fn state_root(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub(super) fn write(&self, name: &str, content: &str) {
        std::fs::write(self.root().join(name), content).unwrap();
    }

    /// Executes one trial of each case and gives the observations in the order of the cases.
    pub(super) fn run(&self, cases: &[Case]) -> Vec<Observation> {
        let (result, mut observations) = self.try_run(cases);
        result.unwrap();
        let place = |observation: &Observation| cases.iter().position(|case| case.id == observation.case);
        observations.sort_by_key(place);
        observations
    }

    /// Executes one trial of a case.
    pub(super) fn run_one(&self, case: Case) -> Observation {
        self.run(&[case]).remove(0)
    }

    /// As [`Self::run`], in the order in which the trials ended.
    pub(super) fn try_run(&self, cases: &[Case]) -> (Result<(), ExecutionError>, Vec<Observation>) {
        let observations = Mutex::new(Vec::new());
        let specs: Vec<TrialSpec<'_>> =
            cases.iter().map(|case| TrialSpec { case: case.into(), form: Form::Head, trial: 1 }).collect();
        let result = self.execute(&specs, &|raw| observations.lock().unwrap().push(raw.redacted()));
        (result, observations.into_inner().unwrap())
    }

    pub(super) fn execute(
        &self,
        specs: &[TrialSpec<'_>],
        finished: &(dyn Fn(super::RawObservation<'_>) + Sync),
    ) -> Result<(), ExecutionError> {
        let settings = ExecutionSettings {
            project: &self.project,
            root: &self.root(),
            state_root: &self.state_root(),
            environment: &self.environment,
            jobs: self.jobs,
            keep_state: self.keep_state,
            cancellation: &self.cancellation,
            may_start: &|_| (self.may_start)(),
            deadline: RunDeadline::begin(self.project.file.run_timeout_s),
            clock: || Timestamp::from_second(1_750_000_000).unwrap(),
        };
        execute(specs, &settings, finished)
    }

    /// What is left below the folder for state.
    pub(super) fn left_state(&self) -> Vec<PathBuf> {
        entries(&self.state_root())
    }
}

pub(super) fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

fn project(file: ProjectFile) -> Project {
    Project {
        file,
        file_digest: Digest::of(b""),
        written: crate::manifest::Written::default(),
        parts: BTreeMap::new(),
        cases: BTreeMap::new(),
        texts: BTreeMap::new(),
        fingerprint: Digest::of(b""),
    }
}

/// A case for the workflow `w` with these fields besides, as they would stand in its file.
pub(super) fn case(id: &str, fields: Value) -> Case {
    let mut document = json!({"id": id, "title": "t", "workflow": "w", "input": {}, "expect": [{"contains": "x"}]});
    document.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let file: CaseFile = serde_json::from_value(document).unwrap();
    let fixtures = file.fixtures.into_iter();
    let outline = CaseOutline {
        title: file.title.into(),
        risks: file.risks,
        sources: file.sources,
        trials: file.trials,
        always: file.always,
        // The specimen's fixtures hold their own path as content.
        fixtures: fixtures.map(|(name, path)| Fixture { name, content: path.clone().into_bytes(), path }).collect(),
        ..CaseOutline::named(file.id, Risk::from("action"), file.workflow)
    };
    let case = Case::new(outline, file.input, file.expect);
    Case { steps: file.steps, faults: file.faults, now: file.now, ..case }
}
