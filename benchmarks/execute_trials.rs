//! Executes one case many times against a command, for `./bench`: `execute_trials COUNT JOBS FOLDER PROGRAM [ARGUMENT...]`.
//!
//! It measures the execution room alone, without manifests, selection, grading and report. It prints how many trials
//! came to an answer, so that the benchmark cannot take errors for speed.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use holdpoint::domain::{Digest, Risk};
use holdpoint::evidence::Form;
use holdpoint::execution::{Cancellation, ExecutionSettings, TrialSpec, execute};
use holdpoint::manifest::{Case, CaseFile, CaseOutline, Project, ProjectFile};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [count, jobs, folder, run @ ..] = arguments.as_slice() else {
        return Err("usage: execute_trials COUNT JOBS FOLDER PROGRAM [ARGUMENT...]".into());
    };
    let project = project(run)?;
    let case = case()?;
    let specs: Vec<TrialSpec<'_>> =
        (1..=count.parse()?).map(|trial| TrialSpec { case: (&case).into(), form: Form::Head, trial }).collect();
    let settings = ExecutionSettings {
        project: &project,
        root: Path::new("."),
        state_root: Path::new(folder),
        environment: &std::env::vars().collect(),
        jobs: jobs.parse()?,
        keep_state: false,
        cancellation: &Cancellation::new()?,
        may_start: &|_| true,
        deadline: None,
        clock: jiff::Timestamp::now,
    };
    let answered = AtomicUsize::new(0);
    execute(&specs, &settings, &|raw| {
        let observation = raw.redacted();
        if observation.error.is_none() && !observation.last_answer().is_none_or(|answer| answer.text.is_empty()) {
            answered.fetch_add(1, Ordering::Relaxed);
        }
    })?;
    writeln!(std::io::stdout(), "{}", answered.into_inner())?;
    Ok(())
}

fn project(run: &[String]) -> Result<Project, Box<dyn Error>> {
    let file = json!({
        "schema": "holdpoint.project/1",
        "name": "benchmark",
        "workflows": {"w": {"command": {"run": run}, "parts": []}},
    });
    let file: ProjectFile = serde_json::from_value(file)?;
    Ok(Project {
        file,
        file_digest: Digest::of(b""),
        written: holdpoint::manifest::Written::default(),
        parts: BTreeMap::new(),
        cases: BTreeMap::new(),
        texts: BTreeMap::new(),
        fingerprint: Digest::of(b""),
    })
}

fn case() -> Result<Case, Box<dyn Error>> {
    let input = json!({"operation": "op-7", "question": "Can I come on Tuesday at ten?", "customer": "K-12"});
    let file = json!({"id": "one", "title": "one", "workflow": "w", "input": input, "expect": [{"contains": "op-7"}]});
    let file: CaseFile = serde_json::from_value(file)?;
    let outline = CaseOutline::named(file.id, Risk::from("action"), file.workflow);
    Ok(Case { steps: file.steps, ..Case::new(outline, file.input, file.expect) })
}
