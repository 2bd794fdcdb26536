//! `holdpoint check`: validates everything, runs nothing.

use crate::domain::{ExitCode, counted};
use crate::pipeline;

use super::Context;
use super::console::{GOOD, paint};
use super::diagnostics;
use super::failure::Failure;

/// The name of the project file.
pub(super) const PROJECT_FILE: &str = "holdpoint.yaml";

pub(super) fn run(context: &Context) -> Result<ExitCode, Failure> {
    require_project_file(context)?;
    let (project, warnings) = pipeline::check(&context.project_root, &context.environment)?;
    diagnostics::show(&context.console, &warnings);
    pipeline::check_report_templates(&context.project_root)?;
    let sets: std::collections::BTreeSet<_> = project.cases.values().map(|case| &case.set).collect();
    context.console.say(format!(
        "{}: {}, {}, {} in {}",
        paint(GOOD, "in order"),
        counted(project.file.workflows.len(), "workflow"),
        counted(project.parts.len(), "part"),
        counted(project.cases.len(), "case"),
        counted(sets.len(), "set"),
    ));
    if project.cases.is_empty() {
        context.console.complain("The project has no cases: nothing can be shown. A case lies in `cases/<risk>/`.");
        return Ok(ExitCode::NoCases);
    }
    Ok(ExitCode::Passed)
}

/// A folder without a project file deserves a plain word, before anything is written into it.
pub(super) fn require_project_file(context: &Context) -> Result<(), Failure> {
    let folder = &context.project_root;
    if folder.join(PROJECT_FILE).is_file() {
        return Ok(());
    }
    Err(Failure::Other {
        code: ExitCode::InvalidProject,
        text: format!("there is no {PROJECT_FILE} in {}", folder.display()),
        hint: Some("Go to the project's folder, or name it with `--project DIR`.".to_owned()),
    })
}
