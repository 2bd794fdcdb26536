//! Ctrl-C and termination, turned into a request to the runner.

use std::sync::Arc;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::domain::ExitCode;
use crate::execution::Cancellation;

use super::console::Console;
use super::failure::Failure;

/// How long a run that has not begun may take to stop by itself, before the process ends without it.
const GRACE: Duration = Duration::from_millis(500);

/// From now on the first Ctrl-C (or SIGTERM, or a closed terminal) lets what is in flight finish and starts nothing new;
/// the second, or SIGQUIT, stops at once. A closed terminal is no second one: the system and the shell both tell of it.
///
/// # Errors
/// When the system refuses signal handlers.
pub(super) fn watch(console: &Console) -> Result<Arc<Cancellation>, Failure> {
    let refused = |error: std::io::Error| Failure::internal(format!("signals cannot be watched: {error}"));
    let cancellation = Arc::new(Cancellation::new().map_err(refused)?);
    let mut signals = Signals::new([SIGINT, SIGQUIT, SIGTERM]).map_err(refused)?;
    if !ignores_hang_up() {
        signals.add_signal(SIGHUP).map_err(refused)?;
    }
    let (heard, console) = (Arc::clone(&cancellation), console.clone());
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let again = heard.is_requested();
            if again && signal == SIGHUP {
                continue;
            }
            heard.request();
            if !again && signal != SIGQUIT {
                console.complain("Stopping: what is in flight finishes and is recorded. Once more to stop at once.");
                continue;
            }
            if !again {
                heard.request();
            }
            console.complain("Stopping at once.");
            end_what_has_not_begun(&heard);
        }
    });
    Ok(cancellation)
}

/// Ends the process where a run still reads its project: whatever that waits for, nothing was begun that needs an orderly end,
/// and since a stop was asked for nothing will be.
fn end_what_has_not_begun(cancellation: &Cancellation) {
    if !cancellation.has_begun() {
        std::thread::sleep(GRACE);
        if !cancellation.has_begun() {
            std::process::exit(i32::from(ExitCode::Cancelled.number()));
        }
    }
}

/// Whether the program was started to outlive its terminal, as `nohup` does. Only Linux tells.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}
