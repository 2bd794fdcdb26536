//! From calls and readings to the outcome of an operation: what no order of them, and nothing that a target leaves out,
//! may do.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::domain::{Digest, Outcome, PartId};
use crate::manifest::{ConnectorManifest, Probe};

const ORDER: &str = "order:O-1";

fn shop() -> BTreeMap<PartId, Arc<ConnectorManifest>> {
    let manifest = json!({
        "id": "shop", "kind": "connector", "version": "1", "release": "1",
        "operations": {"order": {
            "effect": "create",
            "idempotency": {"replay_signal": {"field": "replayed"}},
            "wire": {"method": "POST", "path": "/orders", "receipt": "/number", "refused": [409]},
        }},
    });
    [("shop".into(), Arc::new(serde_json::from_value(manifest).unwrap()))].into()
}

/// A call as it may have gone, whatever sense it makes.
#[derive(Clone, Debug)]
struct Went {
    forwarded: Forwarded,
    status: Option<u16>,
    is_whole: bool,
    answer: Value,
    quantity: u64,
    keyed: bool,
}

impl Went {
    fn is_refusal(&self) -> bool {
        self.forwarded != Forwarded::No && self.status == Some(409) && self.is_whole
    }

    fn exchange(&self, number: u32) -> Exchange {
        let text = self.answer.to_string();
        let digest = self.is_whole.then(|| Digest::of(text.as_bytes()));
        let answer = self.status.map(|_| Message { text, digest, ..Message::default() });
        Exchange {
            number,
            step: 1,
            connector: "shop".into(),
            operation: Some("order".to_owned()),
            intention: Some(ORDER.into()),
            key: self.keyed.then(|| "key".to_owned()),
            retry_after: None,
            begun_us: u64::from(number),
            sent_us: None,
            answered_us: None,
            ended_us: u64::from(number),
            method: "POST".to_owned(),
            target: "/orders".to_owned(),
            request: Message { text: json!({"quantity": self.quantity}).to_string(), ..Message::default() },
            forwarded: self.forwarded,
            answer,
            status: self.status,
            delivered: Delivered::No,
            delivered_status: None,
            fault: None,
            problem: None,
        }
    }
}

/// A probe as it may have read, and how that look was had.
#[derive(Clone, Debug)]
struct Read {
    reading: Reading,
    had: LookHad,
}

impl Read {
    fn is_settled(&self) -> bool {
        matches!(self.reading, Reading::Effects(_)) && self.had.settled && self.had.authoritative
    }
}

fn exchanges(calls: &[Went]) -> Vec<Exchange> {
    calls.iter().zip(1..).map(|(call, number)| call.exchange(number)).collect()
}

/// The outcome of the order after these calls, whatever the order in which they stand, and these readings.
fn outcome(exchanges: &[Exchange], reads: &[Read]) -> Outcome {
    let probe = json!({
        "operation": "request", "of": "shop/order", "receipt": "number", "parameters": {"quantity": "/quantity"},
    });
    let probe: Probe = serde_json::from_value(probe).unwrap();
    let attempts = attempts_at_operations(exchanges, &shop()).remove(ORDER).unwrap_or_default();
    let seen = SeenOnTheWay { attempts: &attempts, exchanges };
    let looks = reads
        .iter()
        .filter_map(|read| ProbedTarget::new("orders", &probe, &read.reading, &read.had)?.look(&ORDER.into(), &seen));
    conclude(&ORDER.into(), &attempts, &looks.collect::<Vec<_>>()).outcome
}

fn any_call() -> impl Strategy<Value = Went> {
    let forwarded =
        prop_oneof![Just(Forwarded::No), Just(Forwarded::Partly), Just(Forwarded::Whole), Just(Forwarded::Twice)];
    let status = prop::option::of(prop_oneof![Just(200_u16), Just(201), Just(202), Just(404), Just(409), Just(500)]);
    let answer = prop_oneof![
        Just(json!({})),
        Just(json!("no such order")),
        (1..3_u64, any::<bool>()).prop_map(|(number, replayed)| json!({"number": number, "replayed": replayed})),
    ];
    (forwarded, status, any::<bool>(), answer, 1..3_u64, any::<bool>()).prop_map(
        |(forwarded, status, is_whole, answer, quantity, keyed)| Went {
            forwarded,
            status,
            is_whole,
            answer,
            quantity,
            keyed,
        },
    )
}

fn any_row() -> impl Strategy<Value = Value> {
    let request = prop_oneof![4 => Just(json!("O-1")), 2 => Just(json!("O-2")), 1 => Just(Value::Null)];
    (request, 1..3_u64, 1..3_u64)
        .prop_map(|(request, number, quantity)| json!({"request": request, "number": number, "quantity": quantity}))
}

fn any_read() -> impl Strategy<Value = Read> {
    let reading = prop_oneof![
        1 => Just(Reading::Unreadable("gone".to_owned())),
        5 => prop::collection::vec(any_row(), 0..4).prop_map(|rows| serde_json::from_value(json!({"effects": rows})).unwrap()),
    ];
    (reading, any::<bool>(), any::<bool>()).prop_map(|(reading, settled, authoritative)| Read {
        reading,
        had: LookHad { at_us: 1, readings: 1, settled, authoritative, why: String::new() },
    })
}

fn any_calls() -> impl Strategy<Value = Vec<Went>> {
    prop::collection::vec(any_call(), 0..5)
}

fn any_reads() -> impl Strategy<Value = Vec<Read>> {
    prop::collection::vec(any_read(), 0..4)
}

fn shuffled<T: Clone + std::fmt::Debug>(
    items: impl Strategy<Value = Vec<T>>,
) -> impl Strategy<Value = (Vec<T>, Vec<T>)> {
    items.prop_flat_map(|items| (Just(items.clone()), Just(items).prop_shuffle()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn without_a_settled_reading_of_the_system_of_record_nothing_is_certain_but_what_is_there(
        calls in any_calls(), reads in any_reads()
    ) {
        let outcome = outcome(&exchanges(&calls), &reads);
        if !reads.iter().any(Read::is_settled) {
            prop_assert!(matches!(outcome, Outcome::Uncertain | Outcome::Duplicated | Outcome::Mismatched), "{outcome}");
        }
    }

    #[test]
    fn the_order_in_which_calls_and_readings_stand_changes_nothing(
        (calls, other_calls) in shuffled(any_calls().prop_map(|calls| exchanges(&calls))),
        (reads, other_reads) in shuffled(any_reads())
    ) {
        prop_assert_eq!(outcome(&calls, &reads), outcome(&other_calls, &other_reads));
    }

    #[test]
    fn a_rejection_needs_a_whole_refusal_and_an_absence_needs_a_settled_reading_without_the_effect(
        calls in any_calls(), reads in any_reads()
    ) {
        let outcome = outcome(&exchanges(&calls), &reads);
        if outcome == Outcome::Rejected {
            prop_assert!(calls.iter().any(Went::is_refusal));
        }
        if matches!(outcome, Outcome::Rejected | Outcome::NotCommitted | Outcome::NotStarted) {
            let shows_none = |read: &Read| match &read.reading {
                Reading::Effects(rows) => rows.iter().all(|row| row["request"] == "O-2"),
                Reading::Unreadable(_) => false,
            };
            prop_assert!(reads.iter().any(|read| read.is_settled() && shows_none(read)));
        }
    }

    #[test]
    fn calls_that_never_got_an_answer_reject_nothing_and_are_no_absence_by_themselves(
        calls in any_calls(), reads in any_reads()
    ) {
        let unanswered: Vec<Went> = calls.into_iter().map(|call| Went { is_whole: false, ..call }).collect();
        let outcome = outcome(&exchanges(&unanswered), &reads);
        prop_assert_ne!(outcome, Outcome::Rejected);
        if outcome == Outcome::NotCommitted {
            prop_assert!(reads.iter().any(Read::is_settled));
        }
    }

    #[test]
    fn a_duplicate_that_any_reading_shows_is_never_lost(
        calls in any_calls(), mut reads in any_reads(), place in any::<prop::sample::Index>(), mut duplicate in any_read()
    ) {
        let row = json!({"request": "O-1"});
        duplicate.reading = serde_json::from_value(json!({"effects": [row, {"request": "O-2"}, row]})).unwrap();
        reads.insert(place.index(reads.len() + 1), duplicate);
        prop_assert_eq!(outcome(&exchanges(&calls), &reads), Outcome::Duplicated);
    }

    #[test]
    fn a_reading_more_never_turns_what_is_there_into_its_absence(
        calls in any_calls(), reads in any_reads(), more in any_read()
    ) {
        let absent = |outcome| matches!(outcome, Outcome::Rejected | Outcome::NotCommitted | Outcome::NotStarted);
        let before = outcome(&exchanges(&calls), &reads);
        let mut with_more = reads;
        with_more.push(more);
        let after = outcome(&exchanges(&calls), &with_more);
        if matches!(before, Outcome::Committed | Outcome::Replayed | Outcome::Duplicated | Outcome::Mismatched) {
            prop_assert!(!absent(after), "{before} became {after}");
        }
    }
}
