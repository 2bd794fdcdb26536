//! How far a run is: a line that is overwritten on a terminal, a line every few seconds elsewhere.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::domain::TrialStatus;
use crate::pipeline::ProgressEvent;

use super::console::Console;

/// How often a terminal's line is rewritten.
const ON_TERMINAL: Duration = Duration::from_millis(100);
/// How often a log gets a line.
const IN_LOG: Duration = Duration::from_secs(5);

/// Says how far a run is.
pub(super) struct Ticker {
    console: Console,
    terminal: bool,
    state: Mutex<State>,
}

struct State {
    began: Instant,
    told: Instant,
    not_passed: usize,
    line_shown: bool,
}

impl Ticker {
    pub(super) fn new(console: &Console) -> Self {
        let now = Instant::now();
        Self {
            console: console.clone(),
            terminal: std::io::stderr().is_terminal(),
            state: Mutex::new(State { began: now, told: now, not_passed: 0, line_shown: false }),
        }
    }

    pub(super) fn tick(&self, event: &ProgressEvent<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if event.trial.status != TrialStatus::Passed {
            state.not_passed += 1;
        }
        let pause = if self.terminal { ON_TERMINAL } else { IN_LOG };
        if self.console.is_quiet() || state.told.elapsed() < pause {
            return;
        }
        state.told = Instant::now();
        let text = line(event.done, event.total, state.not_passed, state.began.elapsed());
        if self.terminal {
            state.line_shown = true;
            overwrite(&text);
        } else {
            self.console.remark(text);
        }
    }

    /// Clears the terminal's line.
    pub(super) fn finish(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.line_shown {
            overwrite("");
        }
    }
}

fn line(done: usize, total: usize, not_passed: usize, elapsed: Duration) -> String {
    let rate = done as f64 / elapsed.as_secs_f64().max(0.001);
    let left = (total.saturating_sub(done)) as f64 / rate.max(0.001);
    format!("{done} of {total} trials, {not_passed} not passed, {rate:.0} a second, about {left:.0} s left")
}

/// Carriage return and "erase to the end of the line" (ECMA-48 EL).
fn overwrite(text: &str) {
    let mut stream = std::io::stderr().lock();
    let _ = write!(stream, "\r\u{1b}[K{text}").and_then(|()| stream.flush());
}
