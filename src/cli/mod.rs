//! The command line: the only room that prints, reads the environment, or knows clap. One file per subcommand.

mod arguments;
mod baseline;
mod case;
mod case_from;
mod case_lint;
mod case_matrix;
mod check;
mod compare;
mod completions;
mod console;
mod diagnostics;
mod documents;
mod error_document;
mod evaluation;
mod exercise;
mod failure;
mod failures;
mod gate;
mod handover;
mod import;
mod import_arguments;
mod incident;
mod init;
mod interrupts;
mod merge;
mod paper_arguments;
mod papers;
mod partition;
mod pause;
mod plan;
mod practice;
mod progress;
mod report;
mod risk_matrix;
mod rules;
mod run;
mod run_arguments;
mod runs;
mod schema;
mod scorecard;
mod wrap;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Parser;

use crate::domain::ExitCode;

use arguments::{Arguments, Command};
use console::Console;
use failure::Failure;

/// What every subcommand gets beside its own arguments.
struct Context {
    project_root: PathBuf,
    /// The folder as it was named on the command line.
    named_folder: Option<String>,
    environment: BTreeMap<String, String>,
    console: Console,
    verbose: bool,
}

/// Parses the command line, does what it asks, and answers with the exit code.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no errors; clap prints both kinds itself, and a closed pipe ends it quietly.
            let printed = error.print();
            let asked_for = !error.use_stderr();
            let lost = printed.is_err_and(|error| error.kind() != std::io::ErrorKind::BrokenPipe);
            return match (asked_for, lost) {
                (true, true) => ExitCode::Internal,
                (true, false) => ExitCode::Passed,
                (false, _) => ExitCode::Usage,
            };
        }
    };
    let console = Console::new(arguments.color, arguments.quiet);
    let wants_json = arguments.command.wants_json();
    let told = dispatch(arguments, console.clone()).and_then(|code| match console.unwritten() {
        None => Ok(code),
        Some(why) => Err(Failure::internal(format!("standard output cannot be written: {why}"))),
    });
    match told {
        Ok(code) => code,
        Err(failure) => {
            failure.show(&console);
            if wants_json {
                // That it cannot be written does not change how the command ended.
                let _ = error_document::error_document(&failure).map(|text| console.document(&text));
            }
            failure.code()
        }
    }
}

fn dispatch(arguments: Arguments, console: Console) -> Result<ExitCode, Failure> {
    let named_folder = arguments.project.as_ref().map(|folder| folder.display().to_string());
    let project_root = match arguments.project {
        Some(folder) => folder,
        None => std::env::current_dir().map_err(|error| Failure::internal(format!("no current folder: {error}")))?,
    };
    let context =
        Context { project_root, named_folder, environment: environment(), console, verbose: arguments.verbose };
    match arguments.command {
        Command::Gate(arguments) => gate::run(&context, &arguments),
        Command::Plan(arguments) => plan::run(&context, &arguments),
        Command::Init(arguments) => init::run(&context, &arguments),
        Command::Check => check::run(&context),
        Command::Run(arguments) => run::run(&context, &arguments),
        Command::Merge(arguments) => merge::run(&context, &arguments),
        Command::Exercise(arguments) => exercise::run(&context, &arguments),
        Command::Compare(arguments) => compare::run(&context, &arguments),
        Command::Baseline(command) => baseline::run(&context, &command),
        Command::Case(command) => case::run(&context, &command),
        Command::Import(command) => import::run(&context, &command),
        Command::Report(arguments) => report::run(&context, &arguments),
        Command::Runs(arguments) => runs::run(&context, &arguments),
        Command::Scorecard(arguments) => scorecard::run(&context, &arguments),
        Command::Failures(arguments) => failures::run(&context, &arguments),
        Command::Incident(arguments) => incident::run(&context, &arguments),
        Command::Handover(arguments) => handover::run(&context, &arguments),
        Command::EvaluationPlan(arguments) => evaluation::run(&context, &arguments),
        Command::Pause(command) => pause::run(&context, &command),
        Command::Rules(arguments) => rules::run(&context, &arguments),
        Command::Schema(arguments) => schema::run(&context, &arguments),
        Command::Completions(arguments) => completions::completions(&context, &arguments),
        Command::Man(arguments) => completions::man(&context, &arguments),
        Command::Practice(command) => practice::run(&context, &command),
    }
}

/// The environment as text. A variable that is no UTF-8 cannot be named in a project file and is left out.
fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}
