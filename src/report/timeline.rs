//! What happened around one operation, in the order in which it happened: each attempt with its way to the target and
//! back, where the fault fell on it, the steps between, and each look at the target.

use serde::Serialize;

use crate::domain::counted;
use crate::evidence::{Delivered, Forwarded, Reading};

use super::answer_diff::{SideText, plain};
use super::fault_words::{FaultPlace, fault_of, place, sentence};
use super::payload::Cap;
use super::trial_view::{AttemptView, BodyView, ExchangeView, OperationView, TrialView};
use super::words::micros_text;

/// One thing that happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Event {
    /// `step`, `attempt` or `look`.
    kind: &'static str,
    /// When, since the trial's first step began.
    at: Option<String>,
    /// What, in a few words.
    title: String,
    /// The identity that an attempt carried.
    identity: Option<String>,
    /// The way of an attempt; empty for anything else.
    stations: Vec<Station>,
    /// Further sentences.
    sentences: Vec<String>,
    /// What went over the wire.
    bodies: Vec<Body>,
}

/// One station on the way of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Station {
    name: &'static str,
    /// `done`, `partly`, `stopped` or `open`, where nothing is recorded or there was nothing to do.
    state: &'static str,
    text: String,
    at: Option<String>,
    /// The fault that fell here.
    fault: Option<String>,
}

/// A body that went over the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Body {
    name: &'static str,
    text: SideText,
    /// How much of it was not even recorded.
    not_recorded: Option<String>,
}

const CALLS: &str = "The workflow calls";
const FORWARDED: &str = "On to the target";
const ANSWERS: &str = "The target answers";
const GETS: &str = "The workflow gets";

/// What happened around an operation of a trial. Of each body no more is shown than `cap` says.
pub(super) fn timeline(operation: &OperationView, trial: &TrialView, cap: Cap<'_>) -> Vec<Event> {
    let mut events = Vec::new();
    let mut steps = trial.steps.iter().filter(|_| trial.steps.len() > 1).peekable();
    for attempt in &operation.attempts_seen {
        while let Some(step) = steps.next_if(|step| step.number <= attempt.step) {
            events.push(step_event(step.number, &step.kind));
        }
        events.push(attempt_event(attempt, trial, cap));
    }
    events.extend(steps.map(|step| step_event(step.number, &step.kind)));
    events.extend(look_events(operation, trial));
    events
}

/// The calls that are no attempt at an operation which is shown with them.
pub(super) fn other_calls(trial: &TrialView, cap: Cap<'_>) -> Vec<Event> {
    let attempts = trial.operations.iter().flat_map(|operation| &operation.attempts_seen);
    let shown: Vec<u32> = attempts.filter_map(|attempt| attempt.exchange).collect();
    let others = trial.exchanges.iter().filter(|exchange| !shown.contains(&exchange.number));
    others.map(|exchange| exchange_event(exchange, format!("Call {}", exchange.number), None, cap)).collect()
}

fn step_event(number: u32, kind: &str) -> Event {
    Event { kind: "step", title: format!("Step {number}: {kind}"), ..Event::default() }
}

fn attempt_event(attempt: &AttemptView, trial: &TrialView, cap: Cap<'_>) -> Event {
    let title = format!("Attempt {}", attempt.number);
    let exchange = attempt.exchange.and_then(|number| trial.exchanges.iter().find(|seen| seen.number == number));
    match exchange {
        Some(exchange) => {
            let mut event = exchange_event(exchange, title, attempt.answered.as_deref(), cap);
            let behind = attempt.behind;
            event.sentences.extend(behind.map(|other| format!("It came to the target after attempt {other}.")));
            Event { identity: attempt.identity.clone(), ..event }
        }
        None => Event {
            kind: "attempt",
            title,
            identity: attempt.identity.clone(),
            stations: recorded_stations(attempt),
            sentences: attempt
                .fault
                .as_deref()
                .and_then(fault_of)
                .map(|fault| sentence(fault).to_owned())
                .into_iter()
                .collect(),
            ..Event::default()
        },
    }
}

fn station(name: &'static str, state: &'static str, text: impl Into<String>) -> Station {
    Station { name, state, text: text.into(), at: None, fault: None }
}

/// The way of an attempt of which nothing but the target's answer is recorded.
fn recorded_stations(attempt: &AttemptView) -> Vec<Station> {
    let calls = station(CALLS, "done", attempt.call.as_deref().unwrap_or("the target"));
    let (forwarded, answers) = match attempt.answered.as_deref() {
        Some("not forwarded") => {
            (station(FORWARDED, "stopped", "kept back"), station(ANSWERS, "open", "was not asked"))
        }
        Some(answered) => (station(FORWARDED, "done", "forwarded"), station(ANSWERS, "done", answered)),
        None => (station(FORWARDED, "open", "not recorded"), station(ANSWERS, "stopped", "no answer came")),
    };
    let gets = match attempt.fault.as_deref().and_then(fault_of).map(place) {
        Some(FaultPlace::Answer) => station(GETS, "open", "what the fault left of it"),
        _ => station(GETS, "open", "not recorded"),
    };
    let mut stations = vec![calls, forwarded, answers, gets];
    lay_fault(&mut stations, attempt.fault.as_deref(), None);
    stations
}

fn exchange_event(exchange: &ExchangeView, title: String, answered: Option<&str>, cap: Cap<'_>) -> Event {
    let mut sentences: Vec<String> = Vec::new();
    sentences.extend(exchange.fault.as_deref().and_then(fault_of).map(|fault| sentence(fault).to_owned()));
    sentences
        .extend(exchange.retry_after.as_ref().map(|after| format!("It was told to wait: `Retry-After: {after}`.")));
    sentences.extend(exchange.problem.as_ref().map(|problem| format!("On the way: {problem}")));
    let bodies =
        [body("Request", Some(&exchange.request), cap), body("The target's answer", exchange.answer.as_ref(), cap)];
    Event {
        kind: "attempt",
        at: Some(micros_text(exchange.begun_us)),
        title,
        identity: exchange.key.clone(),
        stations: exchange_stations(exchange, answered),
        sentences,
        bodies: bodies.into_iter().flatten().collect(),
    }
}

fn exchange_stations(exchange: &ExchangeView, answered: Option<&str>) -> Vec<Station> {
    let (forwarded_state, forwarded_text) = match exchange.forwarded {
        Forwarded::No => ("stopped", "kept back"),
        Forwarded::Partly => ("partly", "in part, or not known how far"),
        Forwarded::Whole => ("done", "forwarded"),
        Forwarded::Twice => ("done", "forwarded twice"),
    };
    let status = exchange.status.map(|status| format!("status {status}"));
    let whole = exchange.answer.as_ref().is_some_and(|answer| answer.digest.is_some());
    let answers = match (&status, exchange.forwarded) {
        (_, Forwarded::No) => station(ANSWERS, "open", "was not asked"),
        (None, _) => station(ANSWERS, "stopped", "no answer came"),
        (Some(status), _) => {
            let meaning = answered.filter(|answered| !answered.contains(status.as_str()));
            let meaning = meaning.map(|answered| format!(": {answered}")).unwrap_or_default();
            let (state, end) = if whole { ("done", "") } else { ("partly", ", and broke off") };
            station(ANSWERS, state, format!("{status}{meaning}{end}"))
        }
    };
    let got = exchange.delivered_status.map(|status| format!("status {status}"));
    let gets = match exchange.delivered {
        Delivered::No => station(GETS, "stopped", "nothing"),
        Delivered::Partly => station(GETS, "partly", format!("{}, in part", got.as_deref().unwrap_or("an answer"))),
        Delivered::Whole if exchange.delivered_status == exchange.status => {
            station(GETS, "done", got.as_deref().unwrap_or("the answer"))
        }
        Delivered::Whole => {
            station(GETS, "partly", format!("{} in the target's place", got.as_deref().unwrap_or("an answer")))
        }
    };
    let at = |micros: u64| Some(micros_text(micros));
    let mut stations = vec![
        Station {
            at: at(exchange.begun_us),
            ..station(CALLS, "done", format!("{} {}", exchange.method, exchange.target))
        },
        Station { at: exchange.sent_us.and_then(at), ..station(FORWARDED, forwarded_state, forwarded_text) },
        Station { at: exchange.answered_us.and_then(at), ..answers },
        Station { at: at(exchange.ended_us), ..gets },
    ];
    lay_fault(&mut stations, exchange.fault.as_deref(), Some(exchange));
    stations
}

/// Marks the station at which the fault fell: where the record shows that nothing went on there, whatever the fault is
/// called; else where a fault of its name falls.
fn lay_fault(stations: &mut [Station], fault: Option<&str>, exchange: Option<&ExchangeView>) {
    let Some(fault) = fault else { return };
    let kept_back = exchange.is_some_and(|exchange| exchange.forwarded == Forwarded::No);
    let index = match fault_of(fault).map(place) {
        _ if kept_back => 1,
        Some(FaultPlace::Request) => 1,
        Some(FaultPlace::Target) => 2,
        Some(FaultPlace::Answer) | None => 3,
    };
    if let Some(station) = stations.get_mut(index) {
        station.fault = Some(fault.replace('_', " "));
    }
}

fn body(name: &'static str, body: Option<&BodyView>, cap: Cap<'_>) -> Option<Body> {
    let body = body.filter(|body| body.bytes > 0)?;
    let recorded = u64::try_from(body.text.len()).unwrap_or(u64::MAX);
    let missing = body.bytes.saturating_sub(recorded);
    Some(Body {
        name,
        text: plain(&body.text, cap),
        not_recorded: (body.is_cut && missing > 0).then(|| format!("{missing} more bytes were not recorded")),
    })
}

/// The looks at probes that the operation's grounds name; where they name none, every look. Grounds can name one that the
/// runner did not have: then no look of its own is a ground of them.
fn look_events(operation: &OperationView, trial: &TrialView) -> Vec<Event> {
    let is_named = |probe: &str| operation.grounds.iter().any(|ground| ground.contains(&format!("`{probe}`")));
    let any_named = operation.grounds.iter().any(|ground| ground.starts_with("The probe `"));
    let mut looks: Vec<_> = trial.looks.iter().filter(|(probe, _)| !any_named || is_named(probe)).collect();
    looks.sort_by_key(|(_, look)| look.at_us);
    looks
        .into_iter()
        .map(|(probe, look)| {
            let settled = if look.settled { "settled" } else { "not settled" };
            let authority = if look.authoritative { "the system of record" } else { "a view that may lag" };
            let readings = counted(usize::try_from(look.readings).unwrap_or(usize::MAX), "reading");
            let seen = trial.readings.get(probe).map(seen_text).unwrap_or_default();
            Event {
                kind: "look",
                at: Some(micros_text(look.at_us)),
                title: format!("Look by {probe}"),
                sentences: vec![format!("{seen}{readings}, {settled}, {authority}. {}", look.why)],
                ..Event::default()
            }
        })
        .collect()
}

/// What a probe read in all, of whichever operation.
fn seen_text(reading: &Reading) -> String {
    match reading {
        Reading::Effects(rows) => format!("{} in all; ", counted(rows.len(), "effect")),
        Reading::Unreadable(why) => format!("It could not be read: {why}; "),
    }
}

#[cfg(test)]
mod tests;
