//! `holdpoint schema`: the JSON Schema that files are held against, for editors and for reading.

use crate::domain::ExitCode;
use crate::manifest::{FileKind, json_schema};

use super::Context;
use super::arguments::SchemaArguments;
use super::failure::Failure;

pub(super) fn run(context: &Context, arguments: &SchemaArguments) -> Result<ExitCode, Failure> {
    let Some(wanted) = &arguments.kind else {
        for kind in FileKind::ALL {
            context.console.say(kind.name());
        }
        return Ok(ExitCode::Passed);
    };
    let Some(kind) = FileKind::ALL.into_iter().find(|kind| kind.name() == wanted) else {
        let names = FileKind::ALL.map(FileKind::name).join(", ");
        return Err(Failure::usage(format!("there is no kind of file called `{wanted}`; there are {names}")));
    };
    let text = serde_json::to_string_pretty(json_schema(kind)).map_err(std::io::Error::from)?;
    context.console.document(&text)?;
    Ok(ExitCode::Passed)
}
