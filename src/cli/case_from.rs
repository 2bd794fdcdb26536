//! `holdpoint case new --from`: a case of what was recorded.

use std::fs;

use crate::domain::{CaseId, ExitCode, Risk, WorkflowId};
use crate::operations::Incident;
use crate::pipeline::{self, CaseFromRequest, CaseOrigin};

use super::Context;
use super::arguments::CaseNewArguments;
use super::case::announce;
use super::failure::Failure;

/// The most bytes of an incident paper.
const LARGEST: u64 = 16 * 1024 * 1024;

pub(super) fn run(context: &Context, arguments: &CaseNewArguments) -> Result<ExitCode, Failure> {
    let request = CaseFromRequest {
        origin: origin(&arguments.from)?,
        id: arguments.id.as_deref().map(CaseId::from),
        workflow: arguments.workflow.as_deref().map(WorkflowId::from),
        set: arguments.set.as_deref().map(Risk::from),
    };
    let skeleton = pipeline::new_case_from(&context.project_root, &context.environment, &request)?;
    let todo =
        "Say what must hold: what was seen stands there as lines to confirm, and what went wrong is turned round";
    announce(context, &skeleton, "It holds what was recorded, and asserts nothing yet", todo);
    Ok(ExitCode::Passed)
}

fn origin(from: &[String]) -> Result<CaseOrigin, Failure> {
    match from {
        [incident, file] if incident == "incident" => Ok(CaseOrigin::Incident(Box::new(read(file)?))),
        [one] => match one.split_once('/') {
            Some((run, case)) if !run.is_empty() && !case.is_empty() => {
                Ok(CaseOrigin::Run { run: run.to_owned(), case: CaseId::from(case) })
            }
            _ => Err(Failure::usage(
                "expected a run and a case, as in `latest/lost-answer`, or `incident FILE`".to_owned(),
            )),
        },
        _ => Err(Failure::usage("expected `--from RUN/CASE` or `--from incident FILE`".to_owned())),
    }
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
