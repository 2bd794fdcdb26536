//! The binary: parse, run, exit.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(holdpoint::cli::main().number())
}
