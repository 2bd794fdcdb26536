//! `holdpoint merge`: the parts of a run, put together.

use crate::domain::ExitCode;
use crate::pipeline::{self, Choice, ProgressEvent};

use super::arguments::{EffortArguments, MergeArguments, SideArguments};
use super::failure::Failure;
use super::progress::Ticker;
use super::{Context, check, gate, interrupts};

pub(super) fn run(context: &Context, arguments: &MergeArguments) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    // What the parts were asked for is on record, and nothing is run.
    let sides = SideArguments { base: None, head: None };
    let effort = EffortArguments { jobs: None, trials: None };
    let request = gate::request(context, &sides, Choice::AtRisk, &effort);
    let cancellation = interrupts::watch(&context.console)?;
    let ticker = Ticker::new(&context.console, context.verbose);
    let progress = |event: ProgressEvent<'_>| ticker.tick(&event);
    let concluded = pipeline::merge(&request, &arguments.parts, &cancellation, &progress)?;
    ticker.finish();
    gate::show(context, &concluded, arguments.json)?;
    Ok(concluded.verdict.code)
}
