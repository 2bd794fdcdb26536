//! `holdpoint report`: a recorded run's report in one of its forms.

use crate::domain::ExitCode;
use crate::pipeline::{self, REPORTS_FOLDER};
use crate::report;
use crate::store::Store;

use super::arguments::{ReportArguments, ReportForm};
use super::failure::Failure;
use super::{Context, check, gate};

pub(super) fn run(context: &Context, arguments: &ReportArguments) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    let store = Store::of_project(&context.project_root);
    let run = store.find_run(&arguments.run)?;
    if let Some(from) = store.read_statuses(&run).ok().and_then(|ended| ended.header.imported_from) {
        return Err(Failure::Other {
            code: ExitCode::Usage,
            text: format!("run {run} was imported from {from}: no report is made of what was not run here"),
            hint: Some(format!(
                "`holdpoint compare {run} --format html` makes a page of how it stands to another one."
            )),
        });
    }
    let document = pipeline::read_document(&context.project_root, &run)?;
    match arguments.format {
        ReportForm::Html => {
            let file = context.project_root.join(REPORTS_FOLDER).join(run.as_str()).join("report.html");
            context.console.say(gate::shown_path(&file));
        }
        ReportForm::Json => {
            context.console.json(&document)?;
        }
        ReportForm::Junit => {
            let text = report::render_junit(&document)?;
            context.console.document(&text)?;
        }
        ReportForm::Markdown => {
            context.console.document(&report::render_markdown(&document, report::STEP_SUMMARY_LIMIT))?;
        }
        ReportForm::Github => {
            context.console.lines(&report::github_annotations(&document, &folder_in_repository(context)))
        }
        ReportForm::Gitlab => {
            context.console.document(&report::gitlab_code_quality(&document, &folder_in_repository(context))?)?;
        }
    }
    Ok(ExitCode::Passed)
}

/// The project's folder relative to the repository that it lies in, with `/` between names; empty where it is the
/// repository's own folder, or lies in none. CI names files so.
fn folder_in_repository(context: &Context) -> String {
    let Ok(root) = std::fs::canonicalize(&context.project_root) else { return String::new() };
    let repository = root.ancestors().find(|folder| folder.join(".git").exists());
    let inside = repository.and_then(|repository| root.strip_prefix(repository).ok());
    let names = inside.into_iter().flat_map(std::path::Path::iter).map(std::ffi::OsStr::to_string_lossy);
    names.collect::<Vec<_>>().join("/")
}
