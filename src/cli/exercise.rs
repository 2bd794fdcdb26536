//! `holdpoint exercise`: every step of a workflow with every fault, generated.

use std::io::Read as _;

use serde_json::Value;

use crate::domain::{ExitCode, counted};
use crate::exercise::{ExerciseTable, RowVerdict};
use crate::pipeline::{self, ExerciseRequest, Exercised};

use super::arguments::ExerciseArguments;
use super::console::{BAD, GOOD, WARN, paint};
use super::failure::Failure;
use super::progress::Ticker;
use super::{Context, check, gate, interrupts, papers, schema};

/// Bytes of an input that are read at the most.
const INPUT_CAP: u64 = 16 * 1024 * 1024;

pub(super) fn run(context: &Context, arguments: &ExerciseArguments) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    if let Some(row) = &arguments.keep {
        return keep(context, row);
    }
    check::require_text_path(context)?;
    let request = ExerciseRequest {
        project_root: context.project_root.clone(),
        environment: context.environment.clone(),
        workflow: arguments.workflow.clone(),
        input: arguments.input.as_deref().map(input).transpose()?,
        case: arguments.case.clone(),
        pairs: arguments.pairs,
        jobs: arguments.jobs.map(usize::from),
    };
    let cancellation = interrupts::watch(&context.console)?;
    let ticker = Ticker::new(&context.console, false);
    let exercised = pipeline::exercise(&request, &cancellation, &|done, total, row| ticker.row(done, total, row))?;
    ticker.finish();
    papers::print(context, &exercised.table, &arguments.form)?;
    if cancellation.is_requested() {
        context.console.remark("cancelled: what was run until then is in the table, and nothing follows for the rest");
        return Ok(ExitCode::Cancelled);
    }
    close(context, &exercised);
    Ok(code(&exercised.table))
}

fn keep(context: &Context, row: &str) -> Result<ExitCode, Failure> {
    let kept = pipeline::keep_row(&context.project_root, row)?;
    schema::lay_down(context, &context.project_root)?;
    context.console.say(&kept.path);
    let option = pipeline::project_option(context.named_folder.as_deref());
    context.console.remark(format!("Try it: holdpoint{option} run {}", kept.id));
    Ok(ExitCode::Passed)
}

/// `-` is standard input, `@FILE` a file, all else JSON itself.
fn input(text: &str) -> Result<Value, Failure> {
    let read = |reader: &mut dyn std::io::Read, name: &str| {
        let mut text = String::new();
        reader
            .take(INPUT_CAP)
            .read_to_string(&mut text)
            .map_err(|error| Failure::usage(format!("the input cannot be read from {name}: {error}")))?;
        Ok::<_, Failure>(text)
    };
    let text = match text.strip_prefix('@') {
        _ if text == "-" => read(&mut std::io::stdin(), "standard input")?,
        Some(path) => {
            let mut file = std::fs::File::open(path)
                .map_err(|error| Failure::usage(format!("the input cannot be read from {path}: {error}")))?;
            read(&mut file, path)?
        }
        None => text.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| Failure::usage(format!("the input is no JSON: {error}")))
}

fn close(context: &Context, exercised: &Exercised) {
    let table = &exercised.table;
    let (found, open) = (table.count(RowVerdict::Found), not_told(table));
    let sum = match (found, open) {
        (0, 0) if !table.not_failed.is_empty() => {
            let calls = counted(table.not_failed.len(), "writing call");
            paint(
                WARN,
                format!("nothing found, and {calls} that no manifest describes: {}", table.not_failed.join(", ")),
            )
        }
        (0, 0) => paint(GOOD, "nothing found"),
        (0, open) => paint(WARN, format!("{open} rows could not be told")),
        (found, _) => paint(BAD, format!("{} with findings", counted(found, "row"))),
    };
    context.console.remark(format!("{sum}; the table: {}", gate::shown_path(&exercised.folder.join("exercise.md"))));
    if let Some(row) = table.rows.iter().find(|row| row.verdict == RowVerdict::Found) {
        let option = pipeline::project_option(context.named_folder.as_deref());
        context.console.remark(format!("Keep a row as a case: holdpoint{option} exercise --keep {}", row.id));
    }
}

fn not_told(table: &ExerciseTable) -> usize {
    table.count(RowVerdict::Uncertain) + table.count(RowVerdict::Errored)
}

fn code(table: &ExerciseTable) -> ExitCode {
    match (table.count(RowVerdict::Found), not_told(table)) {
        (0, 0) if table.not_failed.is_empty() => ExitCode::Passed,
        (0, _) => ExitCode::Inconclusive,
        _ => ExitCode::Failed,
    }
}
