//! `holdpoint runs`: the runs that were recorded on this machine.

use crate::domain::ExitCode;
use crate::store::Store;

use super::arguments::RunsArguments;
use super::documents::{RUNS_SCHEMA, RunRow, RunsDocument};
use super::failure::Failure;
use super::{Context, check};

pub(super) fn run(context: &Context, arguments: &RunsArguments) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    let store = Store::of_project(&context.project_root);
    if arguments.durations {
        context.console.json(&store.durations()?)?;
        return Ok(ExitCode::Passed);
    }
    let mut rows = Vec::new();
    for run in store.runs()?.into_iter().rev() {
        match store.read_run(&run).and_then(|record| Ok((record, store.held_trials(&run)?))) {
            Ok((record, held)) => rows.push(RunRow::new(&record, held)),
            // One damaged record must not hide the others.
            Err(error) => {
                context.console.complain(format!("{run}: {error}"));
                error.hint().iter().for_each(|hint| context.console.complain(format!("  {hint}")));
            }
        }
    }
    if arguments.json {
        context.console.json(&RunsDocument { schema: RUNS_SCHEMA, runs: rows })?;
    } else if rows.is_empty() {
        context.console.say("No run is recorded here yet; `holdpoint gate` makes one.");
    } else {
        for row in &rows {
            let part = row.part.as_ref().map(|part| format!("  part {} of {}", part.part.number, part.part.of));
            let RunRow { run, kind, verdict, trials, held, .. } = row;
            let held = if *held > 0 { format!("  {held} held for a person") } else { String::new() };
            context
                .console
                .say(format!("{run}  {kind:<4}  {verdict:<12}  {trials} trials{held}{}", part.unwrap_or_default()));
        }
    }
    Ok(ExitCode::Passed)
}
