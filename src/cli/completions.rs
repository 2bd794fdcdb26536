//! `holdpoint completions` and `holdpoint man`: what shells and readers get of the command line, made from it.

use clap::CommandFactory;

use crate::domain::{ExitCode, counted};

use super::Context;
use super::arguments::{Arguments, CompletionsArguments, ManArguments};
use super::failure::Failure;

const NAME: &str = "holdpoint";

pub(super) fn completions(context: &Context, arguments: &CompletionsArguments) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), NAME, &mut script);
    context.console.document(String::from_utf8_lossy(&script).trim_end())?;
    Ok(ExitCode::Passed)
}

pub(super) fn man(context: &Context, arguments: &ManArguments) -> Result<ExitCode, Failure> {
    let folder = &arguments.folder;
    let failed = |error: std::io::Error| Failure::internal(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Arguments::command().name(NAME), folder).map_err(failed)?;
    let pages = std::fs::read_dir(folder).map_err(failed)?.filter_map(Result::ok);
    let pages = pages.filter(|page| page.path().extension().is_some_and(|ending| ending == "1")).count();
    context.console.say(format!("{} in {}", counted(pages, "page"), folder.display()));
    Ok(ExitCode::Passed)
}
