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
    let run = Store::of_project(&context.project_root).find_run(&arguments.run)?;
    let document = pipeline::read_document(&context.project_root, &run)?;
    match arguments.format {
        ReportForm::Html => {
            let file = context.project_root.join(REPORTS_FOLDER).join(run.as_str()).join("report.html");
            context.console.say(gate::shown_path(&file));
        }
        ReportForm::Json => {
            let text = serde_json::to_string_pretty(&document).map_err(std::io::Error::from)?;
            context.console.document(&text)?;
        }
        ReportForm::Junit => {
            let text = report::render_junit(&document)?;
            context.console.document(&text)?;
        }
        ReportForm::Markdown => {
            context.console.document(&report::render_markdown(&document, report::STEP_SUMMARY_LIMIT))?;
        }
        ReportForm::Github => context.console.lines(&report::github_annotations(&document, "")),
    }
    Ok(ExitCode::Passed)
}
