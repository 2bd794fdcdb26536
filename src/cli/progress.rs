//! How far a run is: a bar that is rewritten on a terminal, a line every few seconds elsewhere.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::domain::TrialStatus;
use crate::evidence::Form;
use crate::pipeline::ProgressEvent;
use crate::store::TrialKey;

use super::console::Console;

/// How often a terminal's line is rewritten.
const ON_TERMINAL: Duration = Duration::from_millis(100);
/// How often a log gets a line.
const IN_LOG: Duration = Duration::from_secs(5);

/// Says how far a run is.
pub(super) struct Ticker {
    console: Console,
    terminal: bool,
    /// Whether each trial is told.
    every: bool,
    state: Mutex<State>,
}

struct State {
    began: Instant,
    told: Instant,
    not_passed: usize,
    line_shown: bool,
}

impl Ticker {
    pub(super) fn new(console: &Console, every: bool) -> Self {
        let now = Instant::now();
        Self {
            console: console.clone(),
            every,
            terminal: std::io::stderr().is_terminal() && can_rewrite(),
            state: Mutex::new(State { began: now, told: now, not_passed: 0, line_shown: false }),
        }
    }

    pub(super) fn tick(&self, event: &ProgressEvent<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if event.trial.status != TrialStatus::Passed {
            state.not_passed += 1;
        }
        if self.every {
            let TrialKey { case, form, number } = &event.trial.trial;
            let old = if *form == Form::Base { ", as the base has it" } else { "" };
            self.console.remark(format!("{case} (trial {number}{old}): {}", event.trial.status));
        }
        let (elapsed, not_passed) = (state.began.elapsed(), state.not_passed);
        let (done, total) = (event.done, event.total);
        self.tell(&mut state, (done, total), || format!("{}, {not_passed} not passed", pace(done, total, elapsed)));
    }

    /// Says it, if nothing was said for a while.
    fn tell(&self, state: &mut State, (done, total): (usize, usize), line: impl FnOnce() -> String) {
        let pause = if self.terminal { ON_TERMINAL } else { IN_LOG };
        if self.console.is_quiet() || state.told.elapsed() < pause {
            return;
        }
        state.told = Instant::now();
        if self.terminal {
            state.line_shown = true;
            overwrite(&format!("{} {}", bar(done, total), line()));
        } else {
            self.console.remark(line());
        }
    }

    /// The same for a row of an exercise.
    pub(super) fn row(&self, done: usize, total: usize, row: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = state.began.elapsed();
        self.tell(&mut state, (done, total), || format!("{}: {row}", pace(done, total, elapsed)));
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
    let left = total.saturating_sub(done) as f64 / rate.max(0.001);
    format!("{done} of {total} trials, {}, {} left", rate_text(rate), time_text(left))
}

/// Whether the terminal can rewrite a line; one that calls itself dumb says that it cannot.
fn can_rewrite() -> bool {
    std::env::var_os("TERM").is_some_and(|name| !name.is_empty() && name != "dumb")
}

/// The cells of the bar.
const CELLS: usize = 16;

/// What is done, as a bar; full only where everything is.
fn bar(done: usize, total: usize) -> String {
    let full = (done * CELLS).checked_div(total).unwrap_or(0).min(CELLS);
    format!("[{}{}]", "#".repeat(full), "-".repeat(CELLS - full))
}

fn rate_text(rate: f64) -> String {
    match rate {
        rate if rate >= 10.0 => format!("{rate:.0} a second"),
        rate if rate >= 1.0 => format!("{rate:.1} a second"),
        rate => format!("{:.1} a minute", rate * 60.0),
    }
}

/// Rounded up: what is left is never told too short.
fn time_text(seconds: f64) -> String {
    let seconds = seconds.ceil();
    if seconds < 100.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", (seconds / 60.0).ceil()) }
}

/// Carriage return and "erase to the end of the line" (ECMA-48 EL).
fn overwrite(text: &str) {
    let mut stream = std::io::stderr().lock();
    let _ = write!(stream, "\r\u{1b}[K{text}").and_then(|()| stream.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_is_full_only_where_everything_is_done() {
        assert_eq!(bar(0, 3), "[----------------]");
        assert_eq!(bar(999, 1000), "[###############-]");
        assert_eq!(bar(3, 3), "[################]");
        assert_eq!(bar(0, 0), "[----------------]");
    }

    #[test]
    fn counts_rate_and_time_left_are_told_in_units_that_suit_them() {
        let seconds = Duration::from_secs;
        assert_eq!(pace(40, 100, seconds(2)), "40 of 100 trials, 20 a second, 3 s left");
        assert_eq!(pace(10, 100, seconds(4)), "10 of 100 trials, 2.5 a second, 36 s left");
        assert_eq!(pace(1, 20, seconds(30)), "1 of 20 trials, 2.0 a minute, 10 min left");
    }
}
