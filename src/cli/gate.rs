//! `holdpoint gate`: one command, one exit code.

use crate::domain::ExitCode;
use crate::pipeline::{self, Choice, CompleteRun, Concluded, ProgressEvent, Request, ResumeRequest, Resumed};
use crate::report::{self, PlanDocument};
use crate::store::RunKind;

use super::arguments::{EffortArguments, GateArguments, ResumeArguments, SideArguments};
use super::console::{WARN, paint};
use super::failure::Failure;
use super::progress::Ticker;
use super::{Context, check, diagnostics, interrupts, partition};

pub(super) fn run(context: &Context, arguments: &GateArguments) -> Result<ExitCode, Failure> {
    let choice = match (arguments.shadow, arguments.all) {
        (true, _) => Choice::Shadow,
        (false, true) => Choice::Everything,
        (false, false) => Choice::AtRisk,
    };
    let expected_heads = arguments.expected_heads.clone();
    let said = (choice != Choice::AtRisk).then(|| choice.clone());
    let part = partition::requested(&arguments.partition, &context.environment)?;
    let request = Request { expected_heads, part, ..request(context, &arguments.sides, choice, &arguments.effort) };
    conclude(context, &request, RunKind::Gate, resume(&arguments.resume, said), arguments.json)
}

/// The run that is to go on, if any; `said` is which cases, where that was said.
pub(super) fn resume(arguments: &ResumeArguments, said: Option<Choice>) -> Option<ResumeRequest> {
    let run = arguments.resume.clone()?;
    Some(ResumeRequest { run, rerun: arguments.rerun.clone(), choice: said })
}

/// The request that the arguments amount to.
pub(super) fn request(context: &Context, sides: &SideArguments, choice: Choice, effort: &EffortArguments) -> Request {
    Request {
        project_root: context.project_root.clone(),
        named_folder: context.named_folder.clone(),
        environment: context.environment.clone(),
        base: sides.base.clone(),
        head: sides.head.clone(),
        choice,
        expected_heads: Vec::new(),
        jobs: effort.jobs.map(usize::from),
        trials: effort.trials,
        mutate: false,
        part: None,
        unsettled: None,
    }
}

/// Runs to the verdict and shows it. What `gate` and `run` share.
pub(super) fn conclude(
    context: &Context,
    request: &Request,
    kind: RunKind,
    resume: Option<ResumeRequest>,
    json: bool,
) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    check::require_text_path(context)?;
    let begins = resume.is_none();
    let unsettled =
        begins.then(|| pipeline::unsettled(&context.project_root, context.named_folder.as_deref())).flatten();
    if let Some(sentence) = &unsettled {
        context.console.complain(format!("{}: {sentence}", paint(WARN, "warning")));
    }
    let request = &Request { unsettled, ..request.clone() };
    let cancellation = interrupts::watch(&context.console)?;
    let ticker = Ticker::new(&context.console, context.verbose);
    let progress = |event: ProgressEvent<'_>| ticker.tick(&event);
    let concluded = match resume {
        None => pipeline::conclude(request, kind, &cancellation, &progress)?,
        Some(resume) => match pipeline::resume(request, kind, &resume, &cancellation, &progress)? {
            Resumed::Concluded(concluded) => *concluded,
            Resumed::Complete(complete) => return show_complete(context, &complete, json),
        },
    };
    ticker.finish();
    show(context, &concluded, json)?;
    Ok(concluded.verdict.code)
}

/// A run of which nothing was left to do is shown as it was reported.
fn show_complete(context: &Context, complete: &CompleteRun, json: bool) -> Result<ExitCode, Failure> {
    context.console.remark(format!("Run {} is complete: nothing of it is left to run.", complete.run));
    if json {
        context.console.json(&complete.document)?;
    } else {
        context.console.lines(&report::summary_text(&complete.document, true));
        context.console.say(format!("Report: {}", shown_path(&complete.report_folder.join("report.html"))));
    }
    // A code that this holdpoint does not know is no pass.
    let known = ExitCode::ALL.into_iter().find(|code| code.number() == complete.code);
    Ok(known.unwrap_or(ExitCode::Inconclusive))
}

pub(super) fn show(context: &Context, concluded: &Concluded, json: bool) -> Result<(), Failure> {
    diagnostics::show(&context.console, &concluded.warnings);
    if context.verbose {
        let option = pipeline::project_option(context.named_folder.as_deref());
        context.console.remark(report::plan_text(&PlanDocument::new(&concluded.plan, &option), true));
    }
    if json {
        // As it was written: in memory it is without the evidence that no page shows.
        context.console.document_in(&concluded.report_folder.join(pipeline::DOCUMENT))?;
        return Ok(());
    }
    let html = shown_path(&concluded.report_folder.join("report.html"));
    if let Some(mutation) = &concluded.mutation {
        context.console.lines(&report::mutation_text(mutation, true));
    }
    context.console.prose(&report::summary_text(&concluded.document, true));
    context.console.say(format!("Report: {html}"));
    Ok(())
}

/// A path as it is shown: from the current folder where it lies below it.
pub(super) fn shown_path(path: &std::path::Path) -> String {
    let below = std::env::current_dir().ok().and_then(|here| path.strip_prefix(here).ok().map(|p| p.to_owned()));
    below.unwrap_or_else(|| path.to_owned()).display().to_string()
}
