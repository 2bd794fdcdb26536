//! `holdpoint practice`: the practice workflows and their targets as processes of their own, so that a real kill can hit
//! them.

mod mesa;
mod r618;
mod services;

use std::collections::BTreeMap;
use std::io::Read as _;

use serde_json::Value;

use crate::domain::{ExitCode, PartId};
use crate::manifest::{DiskFiles, Part, PracticeName, Project, load_project};
use crate::practice::PracticeError;
use crate::practice::targets::Target;

use super::arguments::PracticeCommand;
use super::failure::Failure;
use super::{Context, check};

/// The protocol that standard input speaks.
const SCHEMA: &str = "holdpoint.invoke/1";

/// Bytes of standard input that are read at the most.
const INPUT_CAP: u64 = 1024 * 1024;

pub(super) fn run(context: &Context, command: &PracticeCommand) -> Result<ExitCode, Failure> {
    match command {
        PracticeCommand::Mesa(arguments) => mesa::run(context, arguments),
        PracticeCommand::R618(arguments) => r618::run(context, arguments),
        PracticeCommand::CaseDesk(arguments) => services::run(context, Target::CaseDesk, arguments),
        PracticeCommand::Inventory(arguments) => services::run(context, Target::Inventory, arguments),
        PracticeCommand::Messaging(arguments) => services::run(context, Target::Messaging, arguments),
    }
}

impl From<PracticeError> for Failure {
    fn from(error: PracticeError) -> Self {
        match error {
            PracticeError::Setup { what, hint } => Self::Other { code: ExitCode::Usage, text: what, hint: Some(hint) },
            PracticeError::Store { .. } => Self::internal(error.to_string()),
        }
    }
}

/// The project, whose manifests and files the workflow is made of.
fn project(context: &Context) -> Result<Project, Failure> {
    check::require_project_file(context)?;
    let files = DiskFiles::new(&context.project_root);
    Ok(load_project(&files, &context.environment).map_err(Failure::Invalid)?.project)
}

/// The parts of the project's workflows that are this practice workflow.
fn parts_of(project: &Project, name: PracticeName) -> BTreeMap<PartId, Part> {
    let workflows = project.file.workflows.values();
    let practising = workflows.filter(|workflow| workflow.practice.as_ref().is_some_and(|found| found.name == name));
    let ids = practising.flat_map(|workflow| &workflow.parts);
    ids.filter_map(|id| Some((id.clone(), project.parts.get(id)?.clone()))).collect()
}

/// Standard input as one invocation.
fn invocation() -> Result<Value, Failure> {
    let mut text = String::new();
    std::io::stdin().take(INPUT_CAP + 1).read_to_string(&mut text)?;
    if text.len() as u64 > INPUT_CAP {
        return Err(Failure::usage(format!("standard input is longer than {INPUT_CAP} bytes")));
    }
    let not_json = |error| Failure::usage(format!("standard input is no JSON: {error}"));
    let invocation: Value = serde_json::from_str(&text).map_err(not_json)?;
    if invocation["schema"] != SCHEMA {
        return Err(Failure::usage(format!("standard input is no invocation: its `schema` is not {SCHEMA}")));
    }
    Ok(invocation)
}
