//! Starts the same program many times and does nothing else, for `./bench`: `spawn_plain COUNT JOBS INPUT PROGRAM [ARGUMENT...]`.
//!
//! The floor under a run of command cases: each process gets the input file's bytes and what it prints is read to its
//! end, as a trial does, with no limits, records or judgement. It prints how many processes ended well.

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [count, jobs, input, program, rest @ ..] = arguments.as_slice() else {
        return Err("usage: spawn_plain COUNT JOBS INPUT PROGRAM [ARGUMENT...]".into());
    };
    let (count, jobs): (usize, usize) = (count.parse()?, jobs.parse()?);
    let input = std::fs::read(input)?;
    let (next, ended_well) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while next.fetch_add(1, Ordering::Relaxed) < count {
                    if spawn(program, rest, &input).unwrap_or(false) {
                        ended_well.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    writeln!(std::io::stdout(), "{}", ended_well.into_inner())?;
    Ok(())
}

/// Whether the process took its input, printed something and ended with 0.
fn spawn(program: &str, arguments: &[String], input: &[u8]) -> std::io::Result<bool> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input)?;
    }
    let (mut printed, mut complained) = (Vec::new(), Vec::new());
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_end(&mut printed)?;
    }
    if let Some(mut stderr) = child.stderr.take() {
        stderr.read_to_end(&mut complained)?;
    }
    Ok(child.wait()?.success() && !printed.is_empty())
}
