//! `holdpoint check`: validates everything, runs nothing.

use std::path::PathBuf;

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
    let hint = match project_above(context) {
        Some((above, named)) => {
            let option = pipeline::project_option(Some(&named));
            format!("{} has one: go there, or say `holdpoint{option} …`.", above.display())
        }
        None => "Go to the project's folder, or name it with `--project DIR`.".to_owned(),
    };
    Err(Failure::Other {
        code: ExitCode::InvalidProject,
        text: format!("there is no {PROJECT_FILE} in {}", folder.display()),
        hint: Some(hint),
    })
}

/// The nearest folder above with a project file, and how it is named from here.
fn project_above(context: &Context) -> Option<(PathBuf, String)> {
    let folder = std::fs::canonicalize(&context.project_root).ok()?;
    let (up, above) = folder.ancestors().enumerate().skip(1).find(|(_, above)| above.join(PROJECT_FILE).is_file())?;
    let from = context.named_folder.iter().map(String::as_str);
    let named: Vec<&str> = from.chain(std::iter::repeat_n("..", up)).collect();
    Some((above.to_owned(), named.join("/")))
}

/// Programs are told their trial's state directory as text: a folder whose path is none is refused before anything starts.
pub(super) fn require_text_path(context: &Context) -> Result<(), Failure> {
    let path = std::path::absolute(&context.project_root)?;
    if path.to_str().is_some() {
        return Ok(());
    }
    Err(Failure::Other {
        code: ExitCode::InvalidProject,
        text: format!("the path of the project's folder is not UTF-8: {}", path.display()),
        hint: Some("Workflows are told paths below it as text. Move or rename the folder.".to_owned()),
    })
}
