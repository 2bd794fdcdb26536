//! The repository's own project, R-618's part of it alone, run in this process.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{LazyLock, Mutex};

use holdpoint::domain::{CaseId, TrialStatus};
use holdpoint::evidence::Form;
use holdpoint::execution::{Cancellation, ExecutionSettings, TrialSpec, execute};
use holdpoint::grading::{GradedTrial, GradingContext, grade};
use holdpoint::manifest::{DiskFiles, Project, load_project};
use holdpoint::practice::r618::Defect;
use serde_json::{Value, json};

/// The sets that the workflow is proven by.
pub(crate) const SETS: [&str; 5] = ["duplicate", "uncertain_outcome", "partial_failure", "access", "operations"];

/// The project as it stands.
pub(crate) static PROJECT: LazyLock<Project> = LazyLock::new(|| {
    let files = DiskFiles::new(env!("CARGO_MANIFEST_DIR"));
    let loaded = load_project(&files, &BTreeMap::new());
    let loaded =
        loaded.unwrap_or_else(|diagnostics| panic!("the repository's own project is invalid: {diagnostics:#?}"));
    let mut project = loaded.project;
    let parts = project.file.workflows["r618"].parts.clone();
    project.parts.retain(|id, _| parts.contains(id));
    project.cases.retain(|_, case| case.workflow.as_str() == "r618");
    project
});

/// The same project with a defect switched on in the manifest of the first part that could bring it.
pub(crate) fn with_defect(defect: Defect) -> Project {
    let mut project = PROJECT.clone();
    let part = project.parts.values_mut().find(|part| part.kind == defect.home()).unwrap();
    let settings = part.document.entry("settings").or_insert_with(|| json!({}));
    settings["defect"] = Value::from(defect.name());
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

/// What a person needs to see of a trial that should have passed.
pub(crate) fn explain(trial: &GradedTrial) -> String {
    let grades = trial.grades.iter().filter(|grade| grade.pass != Some(true));
    let grades: Vec<String> = grades.map(|grade| format!("  {}: {}", grade.grader, grade.message)).collect();
    let answer = trial.observation.last_answer().map(|answer| answer.text.clone()).unwrap_or_default();
    let error = trial.observation.error.as_ref().map(|error| error.message.clone()).unwrap_or_default();
    format!("{} {:?} {error}\n{}\n  {answer}\n", trial.observation.case, trial.status, grades.join("\n"))
}
