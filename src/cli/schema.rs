//! `holdpoint schema`: the JSON Schema that files are held against, for editors and for reading.

use crate::domain::ExitCode;
use crate::manifest::{FileKind, json_schema};
use crate::operations::ledger_schema;

use super::Context;
use super::arguments::SchemaArguments;
use super::failure::Failure;

/// What the schema of an operation ledger goes by; it is no file of a project.
const LEDGER: &str = "ledger";

pub(super) fn run(context: &Context, arguments: &SchemaArguments) -> Result<ExitCode, Failure> {
    let Some(wanted) = &arguments.kind else {
        for kind in FileKind::ALL {
            context.console.say(kind.name());
        }
        context.console.say(LEDGER);
        return Ok(ExitCode::Passed);
    };
    if wanted == LEDGER {
        let text = serde_json::to_string_pretty(&ledger_schema()).map_err(std::io::Error::from)?;
        context.console.document(&text)?;
        return Ok(ExitCode::Passed);
    }
    let Some(kind) = FileKind::ALL.into_iter().find(|kind| kind.name() == wanted) else {
        let names = FileKind::ALL.map(FileKind::name).join(", ");
        return Err(Failure::usage(format!("there is no kind of file called `{wanted}`; there are {names}, {LEDGER}")));
    };
    let text = serde_json::to_string_pretty(json_schema(kind)).map_err(std::io::Error::from)?;
    context.console.document(&text)?;
    Ok(ExitCode::Passed)
}
