//! `holdpoint baseline`: accepting results, and looking after what was accepted.

use crate::baseline::{FewerTrials, ForkConflict, Ledger, Record};
use crate::domain::{CaseId, Digest, ExitCode, counted, some_of};
use crate::evidence::excerpt;
use crate::pipeline::{self, AcceptRequest, LedgerCheck, open_ledger, verify_ledger};

use super::arguments::{AcceptArguments, BaselineCommand, WhoAndWhy};
use super::console::{BAD, FAINT, GOOD, STRONG, paint};
use super::documents::{BASELINES_SCHEMA, BaselineRow, BaselinesDocument};
use super::failure::Failure;
use super::{Context, check};

/// So many cases are told one by one.
const CASES_TOLD: usize = 10;

/// Characters of a name or reason that a list shows; what others wrote moves no cursor and begins no line.
const TEXT_CAP: usize = 200;

pub(super) fn run(context: &Context, command: &BaselineCommand) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    match command {
        BaselineCommand::Accept(arguments) => accept(context, arguments),
        BaselineCommand::List { json } => list(context, *json),
        BaselineCommand::Show { what } => show(context, what),
        BaselineCommand::Verify { expected } => verify(context, expected),
        BaselineCommand::Revoke { record, who } => revoke(context, record, who),
    }
}

fn accept(context: &Context, arguments: &AcceptArguments) -> Result<ExitCode, Failure> {
    let accepted = pipeline::accept(&AcceptRequest {
        project_root: &context.project_root,
        run: &arguments.run,
        by: &arguments.who.by,
        reason: &arguments.who.reason,
        reviewed: arguments.reviewed.as_deref(),
        cases: arguments.cases.iter().map(|id| CaseId::new(id.as_str())).collect(),
    })?;
    context.console.say(format!(
        "{}: {} of run {}, as record {}",
        paint(GOOD, "accepted"),
        counted(accepted.cases, "result"),
        accepted.run,
        accepted.record.short(),
    ));
    if !accepted.known_failures.is_empty() {
        let failing: Vec<&str> = accepted.known_failures.iter().map(CaseId::as_str).collect();
        let count = counted(failing.len(), "result");
        context.console.say(format!(
            "{}: {count} of a case that fails, which the gate lets through from now on: {}",
            paint(BAD, "among them"),
            failing.join(", ")
        ));
    }
    if !accepted.fewer_trials.is_empty() {
        let told = |fewer: &FewerTrials| format!("{} ({} instead of {})", fewer.case, fewer.now, fewer.before);
        context.console.say(format!(
            "{}: {} in fewer trials than were accepted before, so that what happens now and then shows less: {}",
            paint(BAD, "among them"),
            counted(accepted.fewer_trials.len(), "result"),
            some_of(accepted.fewer_trials.iter().map(told), CASES_TOLD)
        ));
    }
    if !accepted.removed.is_empty() {
        let removed: Vec<&str> = accepted.removed.iter().map(CaseId::as_str).collect();
        context.console.say(format!("no longer expected: {}", removed.join(", ")));
    }
    context.console.say("Commit the folder `baselines` so that everyone's gate stands on it.");
    Ok(ExitCode::Passed)
}

fn list(context: &Context, as_json: bool) -> Result<ExitCode, Failure> {
    let ledger = open_ledger(&context.project_root)?;
    let records: Vec<_> = ledger.records().collect();
    if as_json {
        let rows: Vec<_> = records.iter().rev().map(|(digest, record)| row(digest, record)).collect();
        let heads = ledger.heads();
        let disputed: Vec<String> = ledger.fold().conflicts.iter().map(disputed).collect();
        context.console.json(&BaselinesDocument { schema: BASELINES_SCHEMA, heads, disputed, records: rows })?;
        return Ok(ExitCode::Passed);
    }
    if records.is_empty() {
        context.console.say("Nothing was ever accepted here.");
    }
    for (digest, record) in records.iter().rev() {
        let cases = counted(record.cases.len(), "result");
        let (by, reason) = (excerpt(&record.by, TEXT_CAP), excerpt(&record.reason, TEXT_CAP));
        let line = format!("{}  {}  {by}, {cases}: {reason}", digest.short(), record.accepted);
        context.console.say(line);
    }
    fork(context, &ledger);
    Ok(ExitCode::Passed)
}

/// Says where two branches each accepted something and nothing joins them yet, and on what they do not agree.
fn fork(context: &Context, ledger: &Ledger) {
    let heads = ledger.heads();
    if heads.len() < 2 {
        return;
    }
    let named: Vec<&str> = heads.iter().map(Digest::short).collect();
    context.console.say(format!(
        "{}: no record follows {}; the next acceptance joins them",
        paint(BAD, "forked"),
        named.join(" or ")
    ));
    let disputed: Vec<String> = ledger.fold().conflicts.iter().map(disputed).collect();
    if !disputed.is_empty() {
        context
            .console
            .say(format!("  accepted differently, and the newer one counts until then: {}", disputed.join(", ")));
    }
}

/// What two branches accepted differently.
fn disputed(conflict: &ForkConflict) -> String {
    conflict.case.as_ref().map_or_else(|| "the parts".to_owned(), ToString::to_string)
}

fn row(digest: &Digest, record: &Record) -> BaselineRow {
    BaselineRow {
        digest: digest.clone(),
        parents: record.parents.clone(),
        accepted: record.accepted.clone(),
        by: record.by.clone(),
        reason: record.reason.clone(),
        run: record.run.clone(),
        cases: record.cases.len(),
        removed: record.removed.clone(),
    }
}

fn show(context: &Context, what: &str) -> Result<ExitCode, Failure> {
    let ledger = open_ledger(&context.project_root)?;
    let baseline = ledger.fold();
    if let Some(entry) = baseline.cases.get(what) {
        let case = &entry.case;
        context.console.say(format!("{}  {}", paint(STRONG, what), case.status));
        context.console.say(format!(
            "  accepted {} by {} in record {}",
            entry.accepted,
            entry.by,
            entry.record.short()
        ));
        context.console.say(format!("  {} of {} trials passed", case.passed, case.trials));
        let of_this = |conflict: &&ForkConflict| conflict.case.as_ref().is_some_and(|case| case.as_str() == what);
        if let Some(conflict) = baseline.conflicts.iter().find(of_this) {
            let others: Vec<&str> = conflict.others.iter().map(Digest::short).collect();
            let others = others.join(", ");
            context.console.say(paint(BAD, format!("  disputed: record {others} of another branch has it otherwise")));
        }
        if let Some(output) = &case.output {
            let text = ledger.output(output).map_err(pipeline::PipelineError::from)?;
            context.console.say(paint(FAINT, "  accepted answer:"));
            context.console.say(text);
        }
        return Ok(ExitCode::Passed);
    }
    let digest = ledger.find(what).map_err(pipeline::PipelineError::from)?;
    let record = ledger.record(digest);
    context.console.json(&record)?;
    Ok(ExitCode::Passed)
}

fn verify(context: &Context, expected: &[Digest]) -> Result<ExitCode, Failure> {
    let LedgerCheck { findings, notes } = verify_ledger(&context.project_root, &context.environment, expected)?;
    if findings.is_empty() {
        let baseline = open_ledger(&context.project_root)?.fold();
        let heads: Vec<&str> = baseline.heads.iter().map(Digest::as_str).collect();
        let (records, cases) = (counted(baseline.records, "record"), counted(baseline.cases.len(), "case"));
        context.console.say(format!("{}: {records}, {cases} in force", paint(GOOD, "as accepted")));
        if !heads.is_empty() {
            context.console.say(format!("  head {}", heads.join(", ")));
        }
        notes.iter().for_each(|note| context.console.say(format!("  {note}")));
        return Ok(ExitCode::Passed);
    }
    for finding in &findings {
        context.console.complain(format!("{}: {finding}", paint(BAD, "not as accepted")));
    }
    Ok(ExitCode::Baseline)
}

fn revoke(context: &Context, record: &str, who: &WhoAndWhy) -> Result<ExitCode, Failure> {
    let appended = pipeline::revoke(&context.project_root, record, &who.by, &who.reason)?;
    context.console.say(format!("taken out of force, by record {}", appended.short()));
    Ok(ExitCode::Passed)
}
