//! `holdpoint runs`: the runs that were recorded on this machine.

use serde_json::json;

use crate::domain::ExitCode;
use crate::store::{RunRecord, Store};

use super::arguments::RunsArguments;
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
        match store.read_run(&run) {
            Ok(record) => rows.push(row(&record)),
            // One damaged record must not hide the others.
            Err(error) => context.console.complain(format!("{run}: {error}")),
        }
    }
    if arguments.json {
        context.console.json(&json!({"schema": "holdpoint.runs/1", "runs": rows}))?;
    } else if rows.is_empty() {
        context.console.say("No run is recorded here yet; `holdpoint gate` makes one.");
    } else {
        for row in &rows {
            let text = |name: &str| row[name].as_str().unwrap_or("-").to_owned();
            let (run, kind, verdict) = (text("run"), text("kind"), text("verdict"));
            let part = row["part"].as_object().map(|part| format!("  part {} of {}", part["number"], part["of"]));
            let part = part.unwrap_or_default();
            context.console.say(format!("{run}  {kind:<4}  {verdict:<12}  {} trials{part}", row["trials"]));
        }
    }
    Ok(ExitCode::Passed)
}

fn row(record: &RunRecord) -> serde_json::Value {
    let summary = record.summary.as_ref();
    json!({
        "run": record.header.run,
        "kind": record.header.kind.name(),
        "started": record.header.started,
        "finished": summary.map(|summary| &summary.finished),
        "verdict": summary.map_or("cut off", |summary| &summary.verdict),
        "exit_code": summary.map(|summary| summary.exit_code),
        "trials": record.trials.len(),
        "part": record.header.part,
        "merged_from": record.header.merged_from,
    })
}
