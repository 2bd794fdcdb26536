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
        let (elapsed, not_passed) = (state.began.elapsed(), state.not_passed);
        self.tell(&mut state, || format!("{}, {not_passed} not passed", pace(event.done, event.total, elapsed)));
    }

    /// Says it, if nothing was said for a while.
    fn tell(&self, state: &mut State, line: impl FnOnce() -> String) {
        let pause = if self.terminal { ON_TERMINAL } else { IN_LOG };
        if self.console.is_quiet() || state.told.elapsed() < pause {
            return;
        }
        state.told = Instant::now();
        if self.terminal {
            state.line_shown = true;
            overwrite(&line());
        } else {
            self.console.remark(line());
        }
    }

    /// The same for a row of an exercise.
    pub(super) fn row(&self, done: usize, total: usize, row: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = state.began.elapsed();
        self.tell(&mut state, || format!("{}: {row}", pace(done, total, elapsed)));
    }

    /// Clears the terminal's line.
    pub(super) fn finish(&self) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.line_shown {
            overwrite("");
        }
    }
}

fn pace(done: usize, total: usize, elapsed: Duration) -> String {
    let rate = done as f64 / elapsed.as_secs_f64().max(0.001);
    let left = (total.saturating_sub(done)) as f64 / rate.max(0.001);
    format!("{done} of {total} trials, {rate:.0} a second, about {left:.0} s left")
}

/// Carriage return and "erase to the end of the line" (ECMA-48 EL).
fn overwrite(text: &str) {
    let mut stream = std::io::stderr().lock();
    let _ = write!(stream, "\r\u{1b}[K{text}").and_then(|()| stream.flush());
}
