//! `holdpoint practice`: the practice workflows as processes of their own, so that a real kill can hit them.

mod mesa;

use std::collections::BTreeMap;
use std::io::Read as _;

use serde_json::Value;

use crate::domain::{ExitCode, PartId};
use crate::manifest::{DiskFiles, Part, PracticeName, Project, load_project};
use crate::practice::PracticeError;

use super::arguments::PracticeCommand;
use super::failure::Failure;
use super::{Context, check};

/// Bytes of standard input that are read at the most.
const INPUT_CAP: u64 = 1024 * 1024;

pub(super) fn run(context: &Context, command: &PracticeCommand) -> Result<ExitCode, Failure> {
    match command {
        PracticeCommand::Mesa(arguments) => mesa::run(context, arguments),
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

/// Standard input as one JSON document.
fn input() -> Result<Value, Failure> {
    let mut text = String::new();
    std::io::stdin().take(INPUT_CAP + 1).read_to_string(&mut text)?;
    if text.len() as u64 > INPUT_CAP {
        return Err(Failure::usage(format!("standard input is longer than {INPUT_CAP} bytes")));
    }
    serde_json::from_str(&text).map_err(|error| Failure::usage(format!("standard input is no JSON: {error}")))
}
