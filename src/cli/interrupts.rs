//! Ctrl-C and termination, turned into a request to the runner.

use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::execution::Cancellation;

use super::console::Console;
use super::failure::Failure;

/// From now on the first Ctrl-C (or SIGTERM, or a closed terminal) lets what is in flight finish and starts nothing new;
/// the second stops at once. A closed terminal is no second one: the system and the shell both tell of it.
///
/// # Errors
/// When the system refuses signal handlers.
pub(super) fn watch(console: &Console) -> Result<Arc<Cancellation>, Failure> {
    let refused = |error: std::io::Error| Failure::internal(format!("signals cannot be watched: {error}"));
    let cancellation = Arc::new(Cancellation::new().map_err(refused)?);
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(refused)?;
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
            console.complain(if again {
                "Stopping at once."
            } else {
                "Stopping: what is in flight finishes and is recorded. Once more to stop at once."
            });
        }
    });
    Ok(cancellation)
}

/// Whether the program was started to outlive its terminal, as `nohup` does. Only Linux tells.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}
