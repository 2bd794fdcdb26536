//! `holdpoint plan`: what the gate would run, and why.

use crate::domain::ExitCode;
use crate::pipeline::{self, Choice};
use crate::report;

use super::arguments::{EffortArguments, PlanArguments};
use super::failure::Failure;
use super::{Context, check, diagnostics, gate};

pub(super) fn run(context: &Context, arguments: &PlanArguments) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    if let Some(range) = &arguments.audit {
        return audit(context, range, arguments.json);
    }
    let choice = if arguments.all { Choice::Everything } else { Choice::AtRisk };
    let effort = EffortArguments { jobs: None, trials: None };
    let request = gate::request(context, &arguments.sides, choice, &effort);
    let planned = pipeline::plan(&request)?;
    diagnostics::show(&context.console, &planned.warnings);
    let document = report::PlanDocument::new(&planned.plan, &pipeline::project_option(context.named_folder.as_deref()));
    if arguments.json {
        context.console.json(&document)?;
    } else {
        context.console.prose(&report::plan_text(&document, true));
    }
    let no_cases = planned.plan.selected.is_empty() && planned.plan.excluded.is_empty();
    Ok(if no_cases { ExitCode::NoCases } else { ExitCode::Passed })
}

fn audit(context: &Context, range: &str, json: bool) -> Result<ExitCode, Failure> {
    let audit = pipeline::audit(&context.project_root, &context.environment, range)?;
    if json {
        context.console.json(&audit)?;
    } else {
        context.console.prose(&report::audit_text(&audit, true, context.verbose));
    }
    Ok(ExitCode::Passed)
}
