//! `holdpoint evaluation-plan`: the cases on which a real model is to be tried.

use crate::domain::ExitCode;
use crate::operations::evaluation_plan;
use crate::pipeline;
use crate::store::Store;

use super::arguments::EvaluationArguments;
use super::failure::Failure;
use super::{Context, check, papers};

pub(super) fn run(context: &Context, arguments: &EvaluationArguments) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    let (project, _) = pipeline::check(&context.project_root, &context.environment)?;
    // A project of which nothing was run yet has a plan all the same.
    let is_without_runs = arguments.run == "latest" && Store::of_project(&context.project_root).runs()?.is_empty();
    let record = if is_without_runs { None } else { Some(papers::recorded_run(context, &arguments.run)?) };
    let account = record.as_ref().map(papers::account_of_record);
    let observed =
        record.as_ref().zip(account.as_ref()).map(|(record, account)| (&record.header.run, &account.cases[..]));
    papers::print(context, &evaluation_plan(&project, observed), &arguments.form)
}
