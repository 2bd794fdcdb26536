//! What the commands that print papers share: the account, and the form.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::domain::{ExitCode, counted};
use crate::operations::{Account, Form, Paper, RunCase, RunSource, account_of_ledger, account_of_run, read_ledger};
use crate::store::{RunRecord, Store};

use super::arguments::{FormArguments, PaperArguments, PaperForm};
use super::failure::Failure;
use super::{Context, check, diagnostics};

/// The most bytes of a ledger.
const LARGEST_LEDGER: u64 = 256 * 1024 * 1024;

/// The account that the arguments ask for, of all its operations or of those that `--about` names.
pub(super) fn account(context: &Context, arguments: &PaperArguments) -> Result<Account, Failure> {
    let account = match &arguments.ledger {
        Some(file) => ledger_account(context, file)?,
        None => account_of_record(&recorded_run(context, &arguments.run)?),
    };
    account.about(&arguments.about).map_err(|unknown| Failure::Other {
        code: ExitCode::NoCases,
        text: format!("no operation and no case is called `{}`", unknown.escape_debug()),
        hint: Some("`holdpoint failures` lists every operation with its case.".to_owned()),
    })
}

/// The same, without what went as it should unless it was asked for.
pub(super) fn notable_account(context: &Context, arguments: &PaperArguments) -> Result<Account, Failure> {
    let account = account(context, arguments)?;
    let is_narrowed = !arguments.about.is_empty();
    Ok(if arguments.everything || is_narrowed { account } else { account.notable() })
}

/// A recorded run of this project.
pub(super) fn recorded_run(context: &Context, run: &str) -> Result<RunRecord, Failure> {
    check::require_project_file(context)?;
    let store = Store::of_project(&context.project_root);
    Ok(store.read_run(&store.find_run(run)?)?)
}

/// A run as an account.
pub(super) fn account_of_record(record: &RunRecord) -> Account {
    let header = &record.header;
    let summary = record.summary.as_ref();
    let cases = header.cases.iter().map(|(id, case)| {
        (
            id,
            RunCase {
                title: case.title.as_deref(),
                digest: &case.digest,
                trials: case.trials,
                calls_seen: case.calls_seen,
                do_nothing: case.do_nothing,
            },
        )
    });
    let source = RunSource {
        run: &header.run,
        started: &header.started,
        finished: summary.map(|summary| summary.finished.as_str()),
        verdict: summary.map(|summary| summary.verdict.as_str()),
        commit: header.commit.as_deref(),
        fingerprint: &header.fingerprint,
        snapshot: &header.snapshot,
        cases: cases.collect(),
    };
    account_of_run(source, &record.trials)
}

fn ledger_account(context: &Context, file: &Path) -> Result<Account, Failure> {
    let name = file.display().to_string();
    let unreadable = |error: std::io::Error| Failure::Other {
        code: ExitCode::Usage,
        text: format!("the ledger {name} cannot be read: {error}"),
        hint: None,
    };
    let mut bytes = Vec::new();
    File::open(file).and_then(|file| file.take(LARGEST_LEDGER + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST_LEDGER {
        return Err(Failure::usage(format!("the ledger {name} is larger than {LARGEST_LEDGER} bytes")));
    }
    let ledger = read_ledger(&name, &bytes).map_err(|found| {
        diagnostics::show(&context.console, &found);
        Failure::Other {
            code: ExitCode::InvalidProject,
            text: format!("{} in the ledger {name}; no paper was made", counted(found.len(), "error")),
            hint: None,
        }
    })?;
    Ok(account_of_ledger(&ledger))
}

/// Prints a paper.
pub(super) fn print(context: &Context, paper: &impl Paper, form: &FormArguments) -> Result<ExitCode, Failure> {
    let form = match form.format {
        _ if form.json => Form::Json,
        PaperForm::Text => Form::Text,
        PaperForm::Markdown => Form::Markdown,
        PaperForm::Json => Form::Json,
    };
    context.console.document(&paper.write(form).map_err(std::io::Error::from)?)?;
    Ok(ExitCode::Passed)
}
