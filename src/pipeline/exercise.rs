//! The exercise of a workflow: every single fault at every call, without a case written for it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::domain::{CaseId, RunId, WorkflowId};
use crate::evidence::{Form, excerpt};
use crate::execution::{Cancellation, ExecutionError, ExecutionSettings, Redactor, TrialSpec, execute, step_input};
use crate::exercise::{
    EXERCISE_SCHEMA, ExerciseTable, KeptRow, Learned, Row, RowResult, Subject, clean, keep, learn, pairs, row_result,
    rows,
};
use crate::grading::{GradedTrial, GradingContext, grade};
use crate::manifest::{Case, HeldCase, PartKind, Project, REDACTED};
use crate::operations::{Form as PaperForm, Paper};
use crate::report::render_sheet_html;
use crate::store::Store;

use super::carry_out::{processors, without_secrets};
use super::pause_watch::PauseWatch;
use super::publish::{REPORTS_FOLDER, write};
use super::{PipelineError, leftovers, times};

/// The folder of exercises, below that of reports.
const FOLDER: &str = "exercises";

/// The table as a document.
const DOCUMENT: &str = "exercise.json";

/// What is to be exercised.
#[derive(Clone, Debug)]
pub struct ExerciseRequest {
    /// The project's folder.
    pub project_root: PathBuf,
    /// The environment, as the command line found it.
    pub environment: BTreeMap<String, String>,
    /// The workflow; the only one with proxied connectors where none is named.
    pub workflow: Option<String>,
    /// What it gets; the input of a case where nothing is given.
    pub input: Option<Value>,
    /// The case whose input, fixtures and time are taken; the workflow's first without faults where none is named.
    pub case: Option<String>,
    /// Whether pairs of faults follow the single ones.
    pub pairs: bool,
    /// Trials at the same time; one for each processor where nothing was said.
    pub jobs: Option<usize>,
}

/// An exercise that came to its end.
#[derive(Debug)]
pub struct Exercised {
    /// What it found.
    pub table: ExerciseTable,
    /// Where it lies.
    pub folder: PathBuf,
}

/// Told after each trial: how many are done, of how many, and the row's id.
pub type ExerciseProgress<'a> = dyn Fn(usize, usize, &str) + Sync + 'a;

/// Runs the workflow once clean, learns its calls, and fails each of them in each way.
///
/// # Errors
/// When the project is invalid or paused, the workflow makes no call that can be failed, or a file cannot be written.
pub fn exercise(
    request: &ExerciseRequest,
    cancellation: &Cancellation,
    progress: &ExerciseProgress<'_>,
) -> Result<Exercised, PipelineError> {
    let started = times::now();
    let run = times::run_id(&started);
    let (project, _) = super::check(&request.project_root, &request.environment)?;
    let workflow = workflow(&project, request.workflow.as_deref())?;
    let subject = subject(&project, &workflow, request)?;
    let folder = make_folder(&request.project_root, &run)?;
    let store = Store::of_project(&request.project_root);
    let _alive = store.hold_run(&run)?;
    leftovers::clear(&store);
    let stage = Stage { request, project: &project, store: &store, run: &run, cancellation, progress };

    let clean = clean(&subject);
    let mut results = stage.results(std::slice::from_ref(&clean), None)?;
    let first = results.first.take().ok_or_else(|| cancelled(cancellation))?;
    let learned = learn(&first.observation, &project.parts);
    if learned.calls.is_empty() {
        return Err(PipelineError::NoCases(no_calls(&project, &workflow, &first, &learned)));
    }
    let mut to_run = rows(&subject, &learned.calls);
    if request.pairs {
        to_run.extend(pairs(&subject, &learned.calls));
    }
    let faulty = stage.results(&to_run, results.rows.first())?;
    let table = ExerciseTable {
        schema: EXERCISE_SCHEMA.to_owned(),
        workflow,
        fingerprint: project.fingerprint.as_str().to_owned(),
        // Files of the project can hold secrets where they should not; a table never does.
        input: Redactor::for_project(&project, &request.environment).json(&subject.input),
        fixtures: subject.fixtures.iter().map(|fixture| fixture.path.clone()).collect(),
        files: subject.fixtures.into_iter().map(|fixture| (fixture.name, fixture.path)).collect(),
        now: subject.now,
        restarts: subject.restarts,
        started,
        finished: times::now(),
        remarks: remarks(&learned, subject.restarts, to_run.len() - faulty.rows.len()),
        calls: learned.calls,
        not_failed: learned.unknown_writes.into_iter().collect(),
        rows: results.rows.into_iter().chain(faulty.rows).collect(),
    };
    publish(&folder, &table)?;
    Ok(Exercised { table, folder })
}

/// The table of the newest exercise, and the case that a row of it is kept as.
///
/// # Errors
/// When there was no exercise, it has no such row, or the case's file cannot be written or stands there already.
pub fn keep_row(project_root: &Path, row: &str) -> Result<KeptRow, PipelineError> {
    let (path, table) = newest(project_root)?;
    let found = table.rows.iter().find(|found| found.id == row).ok_or_else(|| {
        let near: Vec<&str> = table.rows.iter().map(|row| row.id.as_str()).collect();
        let near = crate::manifest::nearest(row, &near).map(|near| format!("; did you mean `{near}`?"));
        PipelineError::NoCases(format!("the newest exercise has no row `{row}`{}", near.unwrap_or_default()))
    })?;
    if table.input.to_string().contains(REDACTED) {
        let message = "the row's input held a secret, which no table repeats; write its case by hand".to_owned();
        return Err(PipelineError::NotAcceptable(message));
    }
    let kept = keep(&table, found).map_err(|error| PipelineError::Files { path, source: error.into() })?;
    // No other id would do: the case is named after its row.
    if project_root.join(&kept.path).exists() {
        let message = format!("`{}` stands there already, and no case is ever overwritten", kept.path);
        return Err(PipelineError::NotAcceptable(message));
    }
    for (from, to) in &kept.copies {
        let from = project_root.join(from);
        let content = std::fs::read(&from).map_err(|source| PipelineError::Files { path: from, source })?;
        super::cases::write_new_case(project_root, to, &content)?;
    }
    super::cases::write_new_case(project_root, &kept.path, kept.text.as_bytes())?;
    Ok(kept)
}

fn newest(project_root: &Path) -> Result<(PathBuf, ExerciseTable), PipelineError> {
    let folder = project_root.join(REPORTS_FOLDER).join(FOLDER);
    let none = || PipelineError::NoCases("there was no exercise yet: run `holdpoint exercise` first".to_owned());
    let entries = std::fs::read_dir(&folder).map_err(|_| none())?;
    let mut tables: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path().join(DOCUMENT)).filter(|path| path.is_file()).collect();
    // The names of runs sort by time.
    tables.sort();
    let path = tables.pop().ok_or_else(none)?;
    let failed = |source| PipelineError::Files { path: path.clone(), source };
    let bytes = std::fs::read(&path).map_err(failed)?;
    let table = serde_json::from_slice(&bytes).map_err(|error| failed(error.into()))?;
    Ok((path, table))
}

fn workflow(project: &Project, named: Option<&str>) -> Result<WorkflowId, PipelineError> {
    let is_proxied = |id: &WorkflowId| {
        let spec = project.file.workflows.get(id);
        spec.is_some_and(|spec| spec.parts.iter().any(|part| project.file.connectors.contains_key(part)))
    };
    let hint = connector_hint(project);
    if let Some(name) = named {
        let Some(id) = project.file.workflows.keys().find(|id| id.as_str() == name) else {
            let names: Vec<&str> = project.file.workflows.keys().map(WorkflowId::as_str).collect();
            let message = format!("the project has no workflow `{name}`, only {}", names.join(", "));
            return Err(PipelineError::NoCases(message));
        };
        if !is_proxied(id) {
            return Err(PipelineError::NoCases(format!("no call of the workflow `{name}` can be failed: {hint}")));
        }
        return Ok(id.clone());
    }
    let candidates: Vec<&WorkflowId> = project.file.workflows.keys().filter(|id| is_proxied(id)).collect();
    match candidates.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(PipelineError::NoCases(format!("no call of any workflow can be failed: {hint}"))),
        several => {
            let names: Vec<&str> = several.iter().map(|id| id.as_str()).collect();
            Err(PipelineError::NoCases(format!("say which workflow: {}", names.join(", "))))
        }
    }
}

/// What to write so that calls go through holdpoint, with the name of a connector that the project has.
fn connector_hint(project: &Project) -> String {
    let mut connectors = project.parts.values().filter(|part| part.kind == PartKind::Connector);
    let (named, rest) = match connectors.next() {
        Some(part) => (part.id.to_string(), "it is among the workflow's `parts`"),
        None => ("shop".to_owned(), "its manifest, of kind connector, is among the workflow's `parts`"),
    };
    let variable = named.to_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    format!(
        "its calls must go through holdpoint. Write under `connectors` in holdpoint.yaml \
         `{named}: {{upstream: {{url: \"http://127.0.0.1:PORT\"}}, env: [{variable}_URL]}}`, where {rest} and {variable}_URL is \
         the variable from which the workflow reads the address"
    )
}

fn subject(project: &Project, workflow: &WorkflowId, request: &ExerciseRequest) -> Result<Subject, PipelineError> {
    let mut own = project.cases.values().filter(|case| case.workflow == *workflow);
    let case = match &request.case {
        Some(id) => Some(own.find(|case| case.id.as_str() == id).map(HeldCase::open).ok_or_else(|| {
            PipelineError::NoCases(format!("the workflow `{workflow}` has no case `{id}` to take the input from"))
        })?),
        None => own.map(HeldCase::open).find(|case| case.faults.is_empty()),
    };
    let given = request.input.clone().or_else(|| case.as_ref().map(first_input));
    let input = given.ok_or_else(|| {
        let message = format!("the workflow `{workflow}` has no case without faults to take the input from");
        PipelineError::NoCases(format!("{message}: give it with --input"))
    })?;
    // Files and time belong to the case's own input.
    let case = case.filter(|_| request.input.is_none() || request.case.is_some());
    Ok(Subject {
        workflow: workflow.clone(),
        input,
        fixtures: case.as_ref().map(|case| case.fixtures.clone()).unwrap_or_default(),
        now: case.and_then(|case| case.now),
        restarts: project.file.workflows.get(workflow).is_some_and(|spec| spec.http.is_none()),
    })
}

/// What the case's first invocation gets.
fn first_input(case: &Case) -> Value {
    let first = case.steps.iter().find_map(|step| step.invoke.as_ref());
    first.and_then(|step| step_input(case, step).ok()).map_or_else(|| case.input.clone(), Cow::into_owned)
}

/// Characters of an answer that are shown where it led to no call.
const ANSWER_SHOWN: usize = 80;

fn no_calls(project: &Project, workflow: &WorkflowId, first: &GradedTrial, learned: &Learned) -> String {
    let mut message = format!("the clean run of `{workflow}` made no call that its connectors' manifests describe");
    let failure = first.observation.steps.iter().find_map(|step| step.failure.as_ref());
    if let Some(error) = first.observation.error.as_ref().or(failure) {
        message.push_str(&format!("; it ended badly: {}", error.message));
    }
    let unknown: Vec<&str> = learned.unknown.union(&learned.unknown_writes).map(String::as_str).collect();
    if !unknown.is_empty() {
        message.push_str(&format!("; it made calls that none describes: {}", unknown.join(", ")));
    }
    if first.observation.exchanges.is_empty() {
        let answer = first.observation.last_answer().map(|answer| excerpt(&answer.output_text(), ANSWER_SHOWN));
        let answered = answer.map_or_else(|| "it answered nothing".to_owned(), |text| format!("it answered `{text}`"));
        let variables: Vec<&str> =
            project.file.connectors.values().flat_map(|spec| spec.env.iter().map(String::as_str)).collect();
        message.push_str(&format!(
            "; {answered}. Give an input that leads to a call with --input, and look whether the address of each call is read \
             from {}",
            variables.join(" or ")
        ));
    }
    message
}

fn remarks(learned: &Learned, restarts: bool, not_run: usize) -> Vec<String> {
    let listed = |calls: &BTreeSet<String>| calls.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let mut remarks = Vec::new();
    if !learned.unknown_writes.is_empty() {
        let calls = listed(&learned.unknown_writes);
        remarks.push(format!(
            "These calls may leave something behind, no manifest describes them, and they were not failed: {calls}. Describe them \
             under `operations` of their connector's manifest; until then the exercise says nothing of them."
        ));
    }
    if !learned.unknown.is_empty() {
        let calls = listed(&learned.unknown);
        remarks.push(format!("These calls only ask, are described by no manifest and were not failed: {calls}."));
    }
    if !restarts {
        remarks
            .push("The workflow is a service, which other rows use at the same time: it was not restarted.".to_owned());
    }
    if not_run > 0 {
        remarks.push(format!("{not_run} rows did not run: the exercise was ended before them."));
    }
    remarks.push("How long the workflow waits between attempts was not looked at: `backoff` and `retry_after` do that in a case.".to_owned());
    remarks.push(
        "One input was exercised. Calls that only another input or another answer leads to were not failed.".to_owned(),
    );
    remarks
}

fn make_folder(project_root: &Path, run: &RunId) -> Result<PathBuf, PipelineError> {
    let folder = project_root.join(REPORTS_FOLDER).join(FOLDER).join(run.as_str());
    std::fs::create_dir_all(&folder).map_err(|source| PipelineError::Files { path: folder.clone(), source })?;
    Ok(folder)
}

fn publish(folder: &Path, table: &ExerciseTable) -> Result<(), PipelineError> {
    for (name, form) in [(DOCUMENT, PaperForm::Json), ("exercise.md", PaperForm::Markdown)] {
        let path = folder.join(name);
        let text =
            table.write(form).map_err(|error| PipelineError::Files { path: path.clone(), source: error.into() })?;
        write(&path, &text)?;
    }
    write(&folder.join("exercise.html"), &render_sheet_html(&table.laid_out())?)
}

fn cancelled(cancellation: &Cancellation) -> PipelineError {
    let not_started = 1;
    if cancellation.is_requested() {
        ExecutionError::Cancelled { not_started }.into()
    } else {
        ExecutionError::Held { not_started }.into()
    }
}

/// What all rows of an exercise share.
struct Stage<'a> {
    request: &'a ExerciseRequest,
    project: &'a Project,
    store: &'a Store,
    run: &'a RunId,
    cancellation: &'a Cancellation,
    progress: &'a ExerciseProgress<'a>,
}

/// The rows that were run as a whole.
struct Results {
    rows: Vec<RowResult>,
    /// The first trial of the first row.
    first: Option<GradedTrial>,
}

impl Stage<'_> {
    /// Runs these rows. One whose trials did not both end is left out.
    fn results(&self, rows: &[Row], clean: Option<&RowResult>) -> Result<Results, PipelineError> {
        let context = GradingContext { parts: &self.project.parts, texts: &self.project.texts };
        let mut trials = self.trials(rows, &context)?;
        let mut results = Results { rows: Vec::new(), first: None };
        for row in rows {
            let (Some(first), Some(again)) = (trials.remove(&row.first.id), trials.remove(&row.again.id)) else {
                continue;
            };
            results.rows.push(row_result(row, [&first, &again], clean, &context));
            results.first.get_or_insert(first);
        }
        Ok(results)
    }

    fn trials(
        &self,
        rows: &[Row],
        context: &GradingContext<'_>,
    ) -> Result<BTreeMap<CaseId, GradedTrial>, PipelineError> {
        let specs: Vec<TrialSpec<'_>> = rows
            .iter()
            .flat_map(|row| [&row.first, &row.again])
            .map(|case| TrialSpec { case: case.into(), form: Form::Head, trial: 1 })
            .collect();
        let graded: Mutex<BTreeMap<CaseId, GradedTrial>> = Mutex::default();
        let state_root = self.store.state_folder(self.run);
        let watch = PauseWatch::new(self.store);
        let settings = ExecutionSettings {
            project: self.project,
            root: &self.request.project_root,
            state_root: &state_root,
            environment: &self.request.environment,
            jobs: self.request.jobs.unwrap_or_else(processors),
            keep_state: false,
            cancellation: self.cancellation,
            may_start: &|_| watch.may_start(),
            // A step that a limit of the whole ended would look as if a fault had done it.
            deadline: None,
            clock: jiff::Timestamp::now,
        };
        let executed = execute(&specs, &settings, &|raw| {
            let case = raw.case();
            let (observation, redactor) = raw.for_grading();
            let trial = without_secrets(grade(case, observation, context), redactor);
            let mut graded = graded.lock().unwrap_or_else(PoisonError::into_inner);
            (self.progress)(graded.len() + 1, specs.len(), case.id.as_str());
            graded.insert(case.id.clone(), trial);
        });
        // What is left of the trials' state serves no one; that it cannot be removed harms no result.
        let _ = std::fs::remove_dir_all(&state_root);
        match executed {
            Ok(()) | Err(ExecutionError::Cancelled { .. } | ExecutionError::Held { .. }) => {
                Ok(graded.into_inner().unwrap_or_else(PoisonError::into_inner))
            }
            Err(error) => Err(error.into()),
        }
    }
}
