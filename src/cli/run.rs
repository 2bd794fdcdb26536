//! `holdpoint run`: cases chosen by hand, without looking at changes.

use crate::domain::ExitCode;
use crate::pipeline::{Choice, Request};
use crate::store::RunKind;

use super::Context;
use super::arguments::{RunArguments, SideArguments};
use super::failure::Failure;
use super::{gate, partition};

pub(super) fn run(context: &Context, arguments: &RunArguments) -> Result<ExitCode, Failure> {
    let named = !(arguments.cases.is_empty() && arguments.sets.is_empty());
    let choice = match (arguments.all, named) {
        (true, true) => return Err(Failure::usage("name cases and sets, or say --all, not both")),
        (false, false) if arguments.resume.resume.is_some() => Choice::Everything,
        (false, false) => {
            return Err(Failure::usage("say which cases: `holdpoint run CASE...`, `--set RISK` or `--all`"));
        }
        (true, false) => Choice::Everything,
        (false, true) => Choice::Named { cases: arguments.cases.clone(), sets: arguments.sets.clone() },
    };
    let sides = SideArguments { base: None, head: None };
    let part = partition::requested(&arguments.partition, &context.environment)?;
    let request =
        Request { mutate: arguments.mutate, part, ..gate::request(context, &sides, choice, &arguments.effort) };
    let resume = gate::resume(&arguments.resume, (arguments.all || named).then(|| request.choice.clone()));
    gate::conclude(context, &request, RunKind::Run, resume, arguments.json)
}
