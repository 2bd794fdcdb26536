//! The binary: parse, run, exit.

use std::process::ExitCode;

/// Trials allocate much and on several threads, SQLite among them: see docs/performance.md.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(holdpoint::cli::main().number())
}
