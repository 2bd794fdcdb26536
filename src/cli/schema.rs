//! `holdpoint schema`: the JSON Schema that files are held against, for editors and for reading.

use serde_json::Value;

use crate::domain::ExitCode;
use crate::manifest::{FileKind, json_schema};
use crate::operations::ledger_schema;
use crate::pipeline;
use crate::report::{compare_schema, exercise_schema, plan_schema, report_schema};

use super::Context;
use super::arguments::SchemaArguments;
use super::failure::Failure;

/// Makes a schema.
type Schema = fn() -> Value;

/// Schemas of what is no file of a project: an operation ledger, which workflows write, and what holdpoint itself writes.
const OTHERS: [(&str, Schema); 5] = [
    ("ledger", ledger_schema),
    ("report", report_schema),
    ("plan", plan_schema),
    ("compare", compare_schema),
    ("exercise", exercise_schema),
];

pub(super) fn run(context: &Context, arguments: &SchemaArguments) -> Result<ExitCode, Failure> {
    if arguments.write {
        super::check::require_project_file(context)?;
        let folder = pipeline::write_schemas(&context.project_root)?;
        context.console.say(folder.display().to_string());
        return Ok(ExitCode::Passed);
    }
    let own = pipeline::own_kind_schemas(&context.project_root);
    let Some(wanted) = &arguments.kind else {
        for kind in FileKind::ALL {
            context.console.say(kind.name());
        }
        for name in own.keys() {
            context.console.say(name);
        }
        for (name, _) in OTHERS {
            context.console.say(name);
        }
        return Ok(ExitCode::Passed);
    };
    if let Some((_, schema)) = OTHERS.into_iter().find(|(name, _)| name == wanted) {
        context.console.json(&schema())?;
        return Ok(ExitCode::Passed);
    }
    if let Some(schema) = own.get(wanted) {
        context.console.json(schema)?;
        return Ok(ExitCode::Passed);
    }
    let Some(kind) = FileKind::ALL.into_iter().find(|kind| kind.name() == wanted) else {
        let built_in = FileKind::ALL.iter().map(FileKind::name);
        let own = own.keys().map(String::as_str);
        let names: Vec<&str> = built_in.chain(own).chain(OTHERS.iter().map(|(name, _)| *name)).collect();
        let names = names.join(", ");
        return Err(Failure::usage(format!("there is no kind of file called `{wanted}`; there are {names}")));
    };
    context.console.json(json_schema(kind))?;
    Ok(ExitCode::Passed)
}
