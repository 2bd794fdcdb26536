//! `holdpoint handover`: what someone needs who takes the work over.

use crate::domain::ExitCode;
use crate::operations::handover;

use super::arguments::PaperArguments;
use super::failure::Failure;
use super::{Context, papers};

pub(super) fn run(context: &Context, arguments: &PaperArguments) -> Result<ExitCode, Failure> {
    let account = papers::notable_account(context, arguments)?;
    papers::print(context, &handover(&account), &arguments.form)
}
