//! `holdpoint case new --from`: a case of what was recorded.

use std::fs;

use crate::domain::{CaseId, ExitCode, Risk, WorkflowId, some_of};
use crate::operations::Incident;
use crate::pipeline::{self, CaseFromRequest, CaseOrigin};

use super::Context;
use super::arguments::CaseNewArguments;
use super::case::announce;
use super::console::{WARN, paint};
use super::failure::Failure;
use super::schema;

/// The most bytes of an incident paper.
const LARGEST: u64 = 16 * 1024 * 1024;

/// The most variables that are named.
const NAMED: usize = 10;

pub(super) fn run(context: &Context, arguments: &CaseNewArguments) -> Result<ExitCode, Failure> {
    let request = CaseFromRequest {
        origin: origin(arguments.from.as_deref())?,
        id: arguments.id.as_deref().map(CaseId::from),
        workflow: arguments.workflow.as_deref().map(WorkflowId::from),
        set: arguments.set.as_deref().map(Risk::from),
    };
    let begun = pipeline::new_case_from(&context.project_root, &context.environment, &request)?;
    schema::lay_down(context, &context.project_root)?;
    let todo =
        "Say what must hold: what was seen stands there as lines to confirm, and what went wrong is turned round";
    announce(context, &begun.skeleton, "It holds what was recorded, and asserts nothing yet", todo);
    if !begun.unset.is_empty() {
        context.console.complain(format!(
            "{}: not set here, so that the value could not be looked for and may stand in the case in the clear: {}. Set what was set \
             when the run was made, remove the case, and make it anew.",
            paint(WARN, "warning"),
            some_of(&begun.unset, NAMED)
        ));
    }
    Ok(ExitCode::Passed)
}

fn origin(from: Option<&[String]>) -> Result<CaseOrigin, Failure> {
    let Some(from) = from else {
        return Err(expected("expected `--for PART/RISK`, or `--from` and what was recorded", GAPS));
    };
    match from {
        [incident, file] if incident == "incident" => Ok(CaseOrigin::Incident(Box::new(read(file)?))),
        [one] => match one.split_once('/') {
            Some((run, case)) if !run.is_empty() && !case.is_empty() => {
                Ok(CaseOrigin::Run { run: run.to_owned(), case: CaseId::from(case) })
            }
            _ if one == "incident" => {
                Err(expected("expected the incident's file, as in `--from incident FILE`", PAPER))
            }
            _ => Err(expected(
                "expected a run and a case, as in `--from latest/lost-answer`, or `--from incident FILE`",
                CASES,
            )),
        },
        [] => Err(expected("expected `--from RUN/CASE` or `--from incident FILE`", CASES)),
        _ => Err(expected("expected `--from RUN/CASE` or `--from incident FILE`, and nothing more", CASES)),
    }
}

const GAPS: &str = "`holdpoint case list` names the risks that no case shows, each with its command";
const CASES: &str =
    "`holdpoint runs` lists the runs, and `holdpoint report RUN` the cases of one; `latest` is the last";
const PAPER: &str = "`holdpoint incident RUN --about CASE --json > FILE` writes it";

fn expected(what: &str, hint: &str) -> Failure {
    Failure::Other { code: ExitCode::Usage, text: what.to_owned(), hint: Some(hint.to_owned()) }
}

fn read(file: &str) -> Result<Incident, Failure> {
    let unreadable = |why: String| Failure::usage(format!("the incident paper {file} cannot be read: {why}"));
    let size = fs::metadata(file).map_err(|error| unreadable(error.to_string()))?.len();
    if size > LARGEST {
        return Err(unreadable(format!("it has more than {LARGEST} bytes")));
    }
    let text = fs::read_to_string(file).map_err(|error| unreadable(error.to_string()))?;
    let incident: Incident = serde_json::from_str(&text)
        .map_err(|error| unreadable(format!("{error}; `holdpoint incident RUN --json` writes one")))?;
    if incident.schema != "holdpoint.incident/1" {
        return Err(unreadable(format!(
            "its schema is `{}`, and not `holdpoint.incident/1`",
            incident.schema.escape_debug()
        )));
    }
    Ok(incident)
}
