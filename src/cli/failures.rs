//! `holdpoint failures`: a row for each operation.

use crate::domain::ExitCode;
use crate::operations::failure_table;

use super::arguments::PaperArguments;
use super::failure::Failure;
use super::{Context, papers};

pub(super) fn run(context: &Context, arguments: &PaperArguments) -> Result<ExitCode, Failure> {
    let account = papers::account(context, arguments)?;
    papers::print(context, &failure_table(&account), &arguments.form)
}
