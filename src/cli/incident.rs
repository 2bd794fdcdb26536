//! `holdpoint incident`: what happened, what did not, what is unknown, and what may be done next.

use crate::domain::ExitCode;
use crate::operations::{Links, incident};

use super::arguments::IncidentArguments;
use super::failure::Failure;
use super::{Context, papers};

pub(super) fn run(context: &Context, arguments: &IncidentArguments) -> Result<ExitCode, Failure> {
    let account = papers::notable_account(context, &arguments.paper)?;
    let links = Links {
        owner: arguments.owner.clone(),
        containment: arguments.containment.clone(),
        next_check: arguments.next_check.clone(),
        cause: arguments.cause.clone(),
        change: arguments.change.clone(),
        case: arguments.case.clone(),
    };
    papers::print(context, &incident(&account, &links), &arguments.paper.form)
}
