//! The repository's own project, run in this process.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{LazyLock, Mutex};

use holdpoint::domain::{CaseId, TrialStatus};
use holdpoint::evidence::Form;
use holdpoint::execution::{Cancellation, ExecutionSettings, TrialSpec, execute};
use holdpoint::grading::{GradedTrial, GradingContext, grade};
use holdpoint::manifest::{DiskFiles, Project, load_project};
use holdpoint::practice::mesa::Defect;
use serde_json::json;

/// The sets that the desk is proven by.
pub(crate) const SETS: [&str; 12] = [
    "policy_accuracy",
    "missing_availability",
    "injected_instructions",
    "malformed_output",
    "source_conflict",
    "context_boundaries",
    "access",
    "action",
    "duplicate",
    "uncertain_outcome",
    "partial_failure",
    "operations",
];

/// The repository's own project as it stands, Mesa's part of it alone.
pub(crate) static PROJECT: LazyLock<Project> = LazyLock::new(|| {
    let files = DiskFiles::new(env!("CARGO_MANIFEST_DIR"));
    let loaded = load_project(&files, &BTreeMap::new());
    let loaded =
        loaded.unwrap_or_else(|diagnostics| panic!("the repository's own project is invalid: {diagnostics:#?}"));
    let mut project = loaded.project;
    let parts = project.file.workflows["mesa"].parts.clone();
    project.parts.retain(|id, _| parts.contains(id));
    project.cases.retain(|_, case| case.workflow.as_str() == "mesa");
    project
});

/// The same project with a defect switched on in the manifest of the first part that could bring it.
pub(crate) fn with_defect(defect: Defect) -> Project {
    let mut project = PROJECT.clone();
    let part = project.parts.values_mut().find(|part| part.kind == defect.home()).unwrap();
    part.document.insert("settings".to_owned(), json!({ "defect": defect.name() }));
    project
}

/// Runs every case of the project once and grades it.
pub(crate) fn run(project: &Project) -> Vec<GradedTrial> {
    let folder = tempfile::tempdir().unwrap();
    let cancellation = Cancellation::new().unwrap();
    let environment = BTreeMap::new();
    let settings = ExecutionSettings {
        project,
        root: Path::new(env!("CARGO_MANIFEST_DIR")),
        state_root: folder.path(),
        environment: &environment,
        jobs: 2,
        keep_state: false,
        cancellation: &cancellation,
        may_start: &|_| true,
        deadline: None,
        clock: jiff::Timestamp::now,
    };
    let specs: Vec<TrialSpec<'_>> =
        project.cases.values().map(|case| TrialSpec { case: case.into(), form: Form::Head, trial: 1 }).collect();
    let graded = Mutex::new(Vec::new());
    let context = GradingContext { parts: &project.parts, texts: &project.texts };
    execute(&specs, &settings, &|raw| {
        let case = raw.case();
        let observation = raw.redacted();
        graded.lock().unwrap().push(grade(case, observation, &context));
    })
    .unwrap();
    graded.into_inner().unwrap()
}

/// The cases that did not pass.
pub(crate) fn not_passed(graded: &[GradedTrial]) -> BTreeSet<CaseId> {
    let failed = graded.iter().filter(|trial| trial.status != TrialStatus::Passed);
    failed.map(|trial| trial.observation.case.clone()).collect()
}

/// The sets in which at least one of these cases lies.
pub(crate) fn sets_of(cases: &BTreeSet<CaseId>) -> BTreeSet<&'static str> {
    cases.iter().map(|case| PROJECT.cases[case].set.as_str()).collect()
}

/// What a person needs to see of a trial that should have passed.
pub(crate) fn explain(trial: &GradedTrial) -> String {
    let grades = trial.grades.iter().filter(|grade| grade.pass != Some(true));
    let grades: Vec<String> = grades.map(|grade| format!("  {}: {}", grade.grader, grade.message)).collect();
    let answer = trial.observation.last_answer().map(|answer| answer.text.clone()).unwrap_or_default();
    let error = trial.observation.error.as_ref().map(|error| error.message.clone()).unwrap_or_default();
    format!("{} {:?} {error}\n{}\n  {answer}\n", trial.observation.case, trial.status, grades.join("\n"))
}
