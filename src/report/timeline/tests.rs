//! Where a fault is shown on the way of an attempt, and in which order things stand.

use super::*;
use crate::domain::{Claim, ClaimCheck, Digest, Outcome, TrialStatus};
use crate::evidence::LookHad;
use crate::report::StepView;
use crate::report::payload::Payloads;

fn whole(text: &str) -> BodyView {
    BodyView {
        bytes: text.len() as u64,
        digest: Some(Digest::of(text.as_bytes())),
        text: text.to_owned(),
        is_cut: false,
    }
}

fn exchange(number: u32, fault: Option<&str>) -> ExchangeView {
    ExchangeView {
        number,
        step: 1,
        connector: "review".into(),
        operation: Some("stage".to_owned()),
        intention: Some("op-7".into()),
        key: Some("op-7".to_owned()),
        method: "POST".to_owned(),
        target: "/items".to_owned(),
        begun_us: 1_250 * u64::from(number),
        sent_us: Some(1_250 * u64::from(number) + 80),
        answered_us: Some(1_250 * u64::from(number) + 900),
        ended_us: 1_250 * u64::from(number) + 1_000,
        request: whole("{\"item\": 1}"),
        forwarded: Forwarded::Whole,
        status: Some(201),
        answer: Some(whole("{\"receipt\": \"R-1\"}")),
        delivered: Delivered::Whole,
        delivered_status: Some(201),
        retry_after: None,
        fault: fault.map(str::to_owned),
        problem: None,
    }
}

fn attempt(number: u32, step: u32, exchange: Option<u32>) -> AttemptView {
    AttemptView {
        number,
        step,
        identity: Some("op-7".to_owned()),
        fault: None,
        answered: Some("committed: R-1".to_owned()),
        call: Some("review/stage".to_owned()),
        exchange,
        behind: None,
    }
}

fn operation(attempts_seen: Vec<AttemptView>) -> OperationView {
    OperationView {
        operation: "op-7".into(),
        outcome: Outcome::Replayed,
        claim: Some(Claim::Completed),
        claim_check: Some(ClaimCheck::Confirmed),
        attempts: attempts_seen.len(),
        effects: 1,
        evidence: Vec::new(),
        grounds: vec!["The probe `queue` shows one effect, settled.".to_owned()],
        attempts_seen,
    }
}

fn trial(exchanges: Vec<ExchangeView>, steps: u32) -> TrialView {
    let look = |at_us, settled| LookHad {
        at_us,
        readings: 3,
        settled,
        authoritative: true,
        why: "Three readings were the same.".to_owned(),
    };
    TrialView {
        number: 1,
        status: TrialStatus::Passed,
        duration_ms: 9,
        output: None,
        answer: None,
        unreached: Vec::new(),
        error: None,
        operations: Vec::new(),
        grades: Vec::new(),
        steps: (1..=steps)
            .map(|number| StepView {
                number,
                kind: if number == 2 { "restart" } else { "invoke" }.to_owned(),
                duration_ms: 3,
                http_status: None,
                answer: None,
                stderr: String::new(),
                failure: None,
            })
            .collect(),
        readings: [("queue".to_owned(), Reading::Effects(vec![serde_json::Map::new()]))].into(),
        looks: [("queue".to_owned(), look(9_000, true)), ("log".to_owned(), look(8_000, false))].into(),
        exchanges,
    }
}

/// The state of each station, and `!` behind the one at which the fault fell.
fn way(event: &Event) -> String {
    let mark = |station: &Station| format!("{}{}", station.state, if station.fault.is_some() { "!" } else { "" });
    event.stations.iter().map(mark).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_fault_stands_where_the_call_came_to_an_end() {
    let kept_back = ExchangeView {
        forwarded: Forwarded::No,
        answer: None,
        status: None,
        delivered: Delivered::No,
        delivered_status: None,
        ..exchange(1, Some("drop_before"))
    };
    let lost =
        ExchangeView { delivered: Delivered::No, delivered_status: None, ..exchange(2, Some("lost_ack by reset")) };
    let gateway = ExchangeView { delivered_status: Some(504), ..exchange(3, Some("lost_ack by status")) };
    let twice = ExchangeView { forwarded: Forwarded::Twice, ..exchange(4, Some("duplicate_delivery")) };
    let torn = ExchangeView { delivered: Delivered::Partly, ..exchange(5, Some("truncate_abrupt")) };
    let shown = |exchange: ExchangeView| {
        let number = exchange.number;
        way(&timeline(
            &operation(vec![attempt(1, 1, Some(number))]),
            &trial(vec![exchange], 1),
            Cap::new(100, &Payloads::default()),
        )[0])
    };
    assert_eq!(shown(kept_back), "done stopped! open stopped");
    assert_eq!(shown(lost), "done done done stopped!");
    assert_eq!(shown(gateway), "done done done partly!");
    assert_eq!(shown(twice), "done done! done done");
    assert_eq!(shown(torn), "done done done partly!");
    assert_eq!(shown(exchange(6, None)), "done done done done");
}

#[test]
fn a_fault_that_keeps_the_request_back_is_shown_there_whatever_it_is_called() {
    let kept_back = ExchangeView { forwarded: Forwarded::No, ..exchange(1, Some("unavailable")) };
    let events = timeline(
        &operation(vec![attempt(1, 1, Some(1))]),
        &trial(vec![kept_back], 1),
        Cap::new(100, &Payloads::default()),
    );
    assert_eq!(way(&events[0]), "done stopped! open done");
}

#[test]
fn without_an_exchange_nothing_is_said_that_is_not_recorded() {
    let with = |answered: Option<&str>, fault: Option<&str>| {
        let attempt = AttemptView {
            answered: answered.map(str::to_owned),
            fault: fault.map(str::to_owned),
            ..attempt(1, 1, None)
        };
        way(&timeline(&operation(vec![attempt]), &trial(Vec::new(), 1), Cap::new(100, &Payloads::default()))[0])
    };
    assert_eq!(with(None, Some("lost_ack")), "done open stopped open!");
    assert_eq!(with(Some("not forwarded"), Some("lost_request")), "done stopped! open open");
    assert_eq!(with(Some("error: 503"), Some("unavailable")), "done done done! open");
    assert_eq!(with(Some("committed: R-1"), None), "done done done open");
}

#[test]
fn attempts_stand_between_the_steps_and_before_the_looks_that_their_operation_rests_on() {
    let operation = operation(vec![attempt(1, 1, Some(1)), attempt(2, 3, Some(2))]);
    let events = timeline(
        &operation,
        &trial(vec![exchange(1, None), exchange(2, None)], 4),
        Cap::new(100, &Payloads::default()),
    );
    let titles: Vec<&str> = events.iter().map(|event| event.title.as_str()).collect();
    let wanted = [
        "Step 1: invoke",
        "Attempt 1",
        "Step 2: restart",
        "Step 3: invoke",
        "Attempt 2",
        "Step 4: invoke",
        "Look by queue",
    ];
    assert_eq!(titles, wanted);
    assert_eq!(events[1].at.as_deref(), Some("1.25 ms"));
    let look = &events[6];
    assert_eq!(look.at.as_deref(), Some("9.00 ms"));
    assert_eq!(
        look.sentences,
        ["1 effect in all; 3 readings, settled, the system of record. Three readings were the same."]
    );
}

#[test]
fn where_the_grounds_name_no_probe_every_look_stands_in_order_of_time() {
    let operation = OperationView { grounds: Vec::new(), ..operation(Vec::new()) };
    let events = timeline(&operation, &trial(Vec::new(), 1), Cap::new(100, &Payloads::default()));
    let titles: Vec<&str> = events.iter().map(|event| event.title.as_str()).collect();
    assert_eq!(titles, ["Look by log", "Look by queue"]);
    assert!(events[0].sentences[0].contains("not settled"));
}

#[test]
fn a_call_that_is_no_attempt_at_anything_shown_stands_among_the_other_calls() {
    let mut trial = trial(vec![exchange(1, None), exchange(2, None)], 1);
    trial.operations = vec![operation(vec![attempt(1, 1, Some(1))])];
    let others = other_calls(&trial, Cap::new(100, &Payloads::default()));
    assert_eq!(others.len(), 1);
    assert_eq!(others[0].title, "Call 2");
}

#[test]
fn a_body_that_was_not_recorded_whole_says_how_much_is_missing() {
    let long = ExchangeView {
        request: BodyView { bytes: 5_000, is_cut: true, ..whole("{\"item\"") },
        answer: Some(BodyView { text: String::new(), ..whole("") }),
        ..exchange(1, None)
    };
    let bodies =
        &timeline(&operation(vec![attempt(1, 1, Some(1))]), &trial(vec![long], 1), Cap::new(100, &Payloads::default()))
            [0]
        .bodies;
    assert_eq!(bodies.len(), 1, "an empty body is not shown");
    assert_eq!(bodies[0].not_recorded.as_deref(), Some("4993 more bytes were not recorded"));
}
