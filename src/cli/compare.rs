//! `holdpoint compare`: two recorded sides held against each other.

use crate::domain::ExitCode;
use crate::pipeline::{self, PipelineError};
use crate::report;

use super::arguments::{CompareArguments, CompareForm};
use super::failure::Failure;
use super::{Context, check};

/// Whatever differs, the comparison was made: how it comes out is the reader's to judge, and the gate's to decide.
pub(super) fn run(context: &Context, arguments: &CompareArguments) -> Result<ExitCode, Failure> {
    check::require_project_file(context)?;
    let document = pipeline::compare_records(&context.project_root, &arguments.run, &arguments.with)?;
    let form = if arguments.json { CompareForm::Json } else { arguments.format };
    match form {
        CompareForm::Text => context.console.prose(&report::compare_text(&document)),
        CompareForm::Json => {
            context.console.json(&document)?;
        }
        CompareForm::Markdown => context.console.document(&report::compare_markdown(&document))?,
        CompareForm::Html => {
            let html = report::render_compare_html(&document).map_err(PipelineError::from)?;
            context.console.document(&html)?;
        }
    }
    Ok(ExitCode::Passed)
}
