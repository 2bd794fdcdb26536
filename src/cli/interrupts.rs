//! Ctrl-C and termination, turned into a request to the runner.

use std::sync::Arc;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::execution::Cancellation;

use super::console::Console;
use super::failure::Failure;

/// From now on the first Ctrl-C (or SIGTERM) lets what is in flight finish and starts nothing new; the second stops
/// at once.
///
/// # Errors
/// When the system refuses signal handlers.
pub(super) fn watch(console: &Console) -> Result<Arc<Cancellation>, Failure> {
    let refused = |error: std::io::Error| Failure::internal(format!("signals cannot be watched: {error}"));
    let cancellation = Arc::new(Cancellation::new().map_err(refused)?);
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(refused)?;
    let (heard, console) = (Arc::clone(&cancellation), console.clone());
    std::thread::spawn(move || {
        for _ in signals.forever() {
            let again = heard.is_requested();
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
