//! When a look at a target is settled: what shows nothing then is not on its way any more. Pure: decided from
//! readings and the times at which they were had, all counted from the trial's first step.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::domain::Digest;
use crate::evidence::{LookHad, Reading};
use crate::manifest::{EqualReadings, Settle, UntilEmpty};

/// The pause between two readings of what is still on its way.
const PAUSE: Duration = Duration::from_millis(100);

/// Why a look is not settled that only another probe's look can settle.
const UNCONFIRMED: &str = "Nothing has confirmed it.";

/// How long a look waits, by itself, for calls that may still take effect.
const PATIENCE: Duration = Duration::from_secs(60);

/// One reading, as far as the decision needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glimpse {
    /// When it was had.
    pub(super) at: Duration,
    /// What it showed; `None` where the target could not be read.
    pub(super) shows: Option<Shown>,
}

/// The effects of a reading: how many, and a digest that two readings share only where they show the same ones, in
/// whatever order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    count: usize,
    digest: Digest,
}

impl Glimpse {
    pub(super) fn new(at: Duration, reading: &Reading) -> Self {
        let shows = match reading {
            Reading::Unreadable(_) => None,
            Reading::Effects(effects) => {
                let mut each: Vec<String> = effects
                    .iter()
                    .map(|effect| Digest::of_json(&Value::Object(effect.clone())).as_str().to_owned())
                    .collect();
                each.sort_unstable();
                Some(Shown { count: effects.len(), digest: Digest::of(each.join(" ").as_bytes()) })
            }
        };
        Self { at, shows }
    }

    fn is_empty(&self) -> bool {
        self.shows.as_ref().is_some_and(|shown| shown.count == 0)
    }
}

/// What was going on when the steps had ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Circumstances {
    /// When the last step, and with it the last call, had ended.
    pub(super) last_call: Duration,
    /// When the look began.
    pub(super) begun: Duration,
    /// Something that was forwarded is still on its way, whatever the target shows.
    pub(super) late: bool,
    /// What may yet come to the target that is looked at.
    pub(super) on_the_way: OnTheWay,
}

/// What may yet come to a target after the last call had ended.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct OnTheWay {
    /// Why a look that is had at once shows nothing of it, where that is so.
    pub(in super::super) not_at_once: Option<&'static str>,
    /// Until when a call may still take effect whose answer did not say whether it was done.
    pub(in super::super) until: Duration,
}

impl Circumstances {
    /// When a reading may be had at the earliest. Nothing waits for a call of which its contract says that it may take longer
    /// than anybody waits for a trial.
    fn earliest(&self) -> Duration {
        let until = self.on_the_way.until;
        if until <= self.begun + PATIENCE { until } else { Duration::ZERO }
    }
}

/// What comes next in a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The probe is asked, not before that time.
    Ask(Duration),
    /// The probe of what is still on its way is asked, not before that time.
    AskWhatIsOnItsWay(Duration),
    /// The last reading is the look.
    Done {
        /// Whether it is settled.
        settled: bool,
        /// How it settled or why it did not, in one sentence.
        why: String,
    },
}

fn done(settled: bool, why: impl Into<String>) -> Next {
    Next::Done { settled, why: why.into() }
}

/// What comes next, after the readings `own` of the probe and `pending` of what is still on its way.
///
/// A look whose rule leads to another probe that confirms it is done after one reading; [`confirm`] then decides.
pub(super) fn next(settle: &Settle, own: &[Glimpse], pending: &[Glimpse], now: &Circumstances) -> Next {
    let next = if let Some(seconds) = settle.after_s {
        after(seconds, own, now)
    } else if let Some(rule) = &settle.until_empty {
        until_empty(rule, own, pending, now)
    } else if let Some(rule) = &settle.equal_readings {
        equal_readings(rule, own, now)
    } else if settle.confirmed_by.is_some() {
        if own.is_empty() { Next::Ask(now.earliest()) } else { done(false, UNCONFIRMED) }
    } else {
        at_once(own, now)
    };
    match next {
        Next::Done { .. } if now.late => done(false, "A call was still on its way to the target when it was had."),
        Next::Done { .. } if own.last().is_some_and(|last| last.shows.is_none()) => {
            done(false, "The target could not be read.")
        }
        // That nothing is on its way, the target's own record of that says better than any time.
        // Nor is it confirmed by a look at another target, which knows nothing of that call.
        Next::Done { .. } if settle.until_empty.is_none() && is_before(own, now.on_the_way.until) => {
            done(false, "By its contract, a call whose answer did not say whether it was done could still take effect.")
        }
        next => next,
    }
}

fn at_once(own: &[Glimpse], now: &Circumstances) -> Next {
    match (own, now.on_the_way.not_at_once) {
        ([], Some(_)) => Next::Ask(Duration::ZERO),
        ([], None) => Next::Ask(now.earliest()),
        (_, Some(why)) => done(false, why),
        (_, None) => done(true, "Nothing was on its way any more when it was had."),
    }
}

fn is_before(own: &[Glimpse], time: Duration) -> bool {
    own.last().is_some_and(|last| last.at < time)
}

fn after(seconds: f64, own: &[Glimpse], now: &Circumstances) -> Next {
    let wanted = (now.last_call + duration(seconds)).max(now.earliest());
    match own.last() {
        None => Next::Ask(wanted),
        Some(last) if last.at >= wanted => {
            done(true, format!("It was had {seconds} s after the trial's last call had ended."))
        }
        Some(_) => done(false, format!("It was had less than {seconds} s after the trial's last call had ended.")),
    }
}

fn until_empty(rule: &UntilEmpty, own: &[Glimpse], pending: &[Glimpse], now: &Circumstances) -> Next {
    let UntilEmpty { probe, within_s } = rule;
    let deadline = now.begun + duration(*within_s);
    let Some(last) = pending.last() else { return Next::AskWhatIsOnItsWay(Duration::ZERO) };
    if !last.is_empty() && last.at < deadline {
        return Next::AskWhatIsOnItsWay((last.at + PAUSE).min(deadline));
    }
    match own.last() {
        Some(own) if own.at >= last.at => match &last.shows {
            Some(shown) if shown.count == 0 => {
                done(true, format!("The probe `{probe}` showed that nothing was on its way any more."))
            }
            Some(_) => {
                done(false, format!("The probe `{probe}` still showed something on its way after {within_s} s."))
            }
            None => done(false, format!("The probe `{probe}`, of what is on its way, could not be read.")),
        },
        _ => Next::Ask(Duration::ZERO),
    }
}

fn equal_readings(rule: &EqualReadings, own: &[Glimpse], now: &Circumstances) -> Next {
    let EqualReadings { count, every_s, within_s } = rule;
    let Some(last) = own.last() else { return Next::Ask(now.earliest()) };
    let equal = own.iter().rev().take_while(|glimpse| glimpse.shows.is_some() && glimpse.shows == last.shows).count();
    if equal >= *count as usize {
        return done(true, format!("{count} readings in a row, {every_s} s apart, were equal."));
    }
    let then = last.at + duration(*every_s);
    if then <= now.begun.max(now.earliest()) + duration(*within_s) {
        return Next::Ask(then);
    }
    done(false, format!("No {count} readings in a row were equal within {within_s} s."))
}

/// A length of time that a project file states; what no clock can count stands for as long as one can.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4)
}

/// One probe's finished look: what it read, how that was had, and the field that says whose each effect is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finished<'a> {
    pub(super) reading: &'a Reading,
    pub(super) had: &'a LookHad,
    pub(super) column: Option<&'a str>,
}

/// Whether nothing but another probe's look is missing for a look to be settled.
pub(super) fn awaits_confirmation(had: &LookHad) -> bool {
    had.why == UNCONFIRMED
}

/// Whether a look is confirmed by a second one, had after it: that one is settled and authoritative, and shows as many
/// effects of each operation. Where one of them does not say whose its effects are, their number must be the same.
pub(super) fn confirm(look: Finished<'_>, name: &str, second: Finished<'_>) -> (bool, String) {
    let (Reading::Effects(seen), Reading::Effects(confirmed)) = (look.reading, second.reading) else {
        return (false, format!("It, or the probe `{name}` that was to confirm it, could not be read."));
    };
    if !second.had.settled || !second.had.authoritative {
        return (
            false,
            format!("The probe `{name}`, which was to confirm it, was not settled and authoritative itself."),
        );
    }
    let owners = |effects: &[Map<String, Value>], column: &str| {
        let mut owners: Vec<String> = effects.iter().map(|effect| text(effect.get(column))).collect();
        owners.sort_unstable();
        owners
    };
    let same_owners = match (look.column, second.column) {
        (Some(own), Some(other)) => owners(seen, own) == owners(confirmed, other),
        _ => true,
    };
    if seen.len() != confirmed.len() || !same_owners {
        return (false, format!("The probe `{name}`, had after it, shows other effects."));
    }
    (true, format!("The probe `{name}`, had after it, shows the same effects."))
}

/// A text or a number as it is, so that one target may keep an identity as a text and another as a number.
fn text(value: Option<&Value>) -> String {
    value.map_or_else(String::new, |value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

#[cfg(test)]
mod tests;
