//! `holdpoint scorecard`: what came of the work, and what it took.

use crate::domain::ExitCode;
use crate::operations::scorecard;

use super::arguments::PaperArguments;
use super::failure::Failure;
use super::{Context, papers};

pub(super) fn run(context: &Context, arguments: &PaperArguments) -> Result<ExitCode, Failure> {
    let account = papers::account(context, arguments)?;
    papers::print(context, &scorecard(&account), &arguments.form)
}
