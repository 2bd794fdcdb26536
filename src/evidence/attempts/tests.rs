//! Every line of the table, and what is an attempt at all.

use serde_json::json;

use super::*;
use crate::domain::Digest;
use crate::evidence::exchange::{Delivered, FaultLaid};

fn manifest(operations: Value) -> BTreeMap<PartId, Arc<ConnectorManifest>> {
    let document = json!({"id": "shop", "kind": "connector", "version": "1", "release": "1", "operations": operations});
    [("shop".into(), Arc::new(serde_json::from_value(document).unwrap()))].into()
}

fn shop() -> BTreeMap<PartId, Arc<ConnectorManifest>> {
    manifest(json!({
        "order": {
            "effect": "create",
            "idempotency": {"replay_signal": {"field": "replayed"}},
            "processing": {"within_s": 5.0, "accepts_first": true},
            "wire": {"method": "POST", "path": "/orders", "receipt": "/order/id", "refused": [409, 422], "in_flight": 425},
        },
        "list": {"effect": "none", "wire": {"method": "GET", "path": "/orders"}},
        "cancel": {"effect": "delete", "idempotency": {"replay_signal": {"header": "Idempotent-Replayed"}}},
    }))
}

fn whole(text: &str) -> Message {
    Message { digest: Some(Digest::of(text.as_bytes())), text: text.to_owned(), ..Message::default() }
}

fn call(number: u32, operation: &str, status: u16, body: &str) -> Exchange {
    Exchange {
        number,
        step: 1,
        connector: "shop".into(),
        operation: Some(operation.to_owned()),
        intention: Some(OperationId::new(format!("{operation}:O-1"))),
        key: None,
        begun_us: 0,
        sent_us: None,
        answered_us: Some(1),
        ended_us: 2,
        method: "POST".to_owned(),
        target: "/orders".to_owned(),
        request: Message::default(),
        forwarded: Forwarded::Whole,
        answer: Some(whole(body)),
        status: Some(status),
        delivered: Delivered::Whole,
        delivered_status: Some(status),
        retry_after: None,
        fault: None,
        problem: None,
    }
}

fn seen(exchanges: &[Exchange]) -> Vec<AttemptSeen> {
    let mut attempts = attempts_at_operations(exchanges, &shop()).into_values();
    let first = attempts.next().unwrap_or_default();
    assert!(attempts.next().is_none());
    first
}

fn answer_to(exchange: Exchange) -> Answered {
    seen(&[exchange]).remove(0).answered
}

#[test]
fn what_was_never_forwarded_is_not_forwarded_whatever_the_caller_got() {
    for delivered in [Delivered::No, Delivered::Whole] {
        let exchange = Exchange { forwarded: Forwarded::No, delivered, answer: None, ..call(1, "order", 200, "{}") };
        assert_eq!(answer_to(exchange), Answered::NotForwarded);
    }
}

#[test]
fn a_documented_refusal_by_a_fault_is_one_to_the_caller() {
    let fault = Some(FaultLaid { index: 0, name: "status".to_owned() });
    let instead = Exchange { forwarded: Forwarded::No, answer: None, status: None, fault, ..call(1, "order", 409, "") };
    let reason = "status 409, by the fault in the target's place".to_owned();
    assert_eq!(answer_to(instead.clone()), Answered::Refused { reason });
    for other in [
        Exchange { delivered_status: Some(503), ..instead.clone() },
        Exchange { delivered: Delivered::Partly, ..instead.clone() },
        Exchange { fault: None, ..instead },
    ] {
        assert_eq!(answer_to(other), Answered::NotForwarded);
    }
}

#[test]
fn without_a_whole_answer_there_is_none() {
    let ways: [fn(&mut Exchange); 4] = [
        |exchange| exchange.answer = None,
        |exchange| exchange.status = None,
        |exchange| exchange.answer = Some(Message { digest: None, ..whole(r#"{"order": {"id": "R-1"}}"#) }),
        |exchange| (exchange.forwarded, exchange.answer) = (Forwarded::Partly, None),
    ];
    for change in ways {
        // Not even a documented refusal counts where its end is missing.
        for status in [200, 409] {
            let mut exchange = call(1, "order", status, "{}");
            change(&mut exchange);
            assert_eq!(answer_to(exchange), Answered::NoAnswer);
        }
    }
}

#[test]
fn a_documented_status_is_a_refusal_with_the_targets_reason() {
    let reason = |body: &str| match answer_to(call(1, "order", 409, body)) {
        Answered::Refused { reason } => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(reason(r#"{"title": "Conflict", "detail": "slot is taken"}"#), "slot is taken");
    assert_eq!(reason(r#"{"error": {"type": "x", "message": "no stock"}}"#), "no stock");
    assert_eq!(reason(r#""closed""#), "closed");
    assert_eq!(reason("<h1>no</h1>"), "<h1>no</h1>");
    assert_eq!(reason(r#"{"code": 7}"#), r#"{"code": 7}"#);
    assert_eq!(reason(""), "status 409");
    assert_eq!(reason("a\u{1b}[2J"), r"a\u{1b}[2J");
}

#[test]
fn any_other_failure_says_nothing_of_the_commit() {
    for status in [400, 404, 425, 500, 503, 302] {
        assert!(matches!(answer_to(call(1, "order", status, "{}")), Answered::Error { .. }), "{status}");
    }
}

#[test]
fn a_first_request_that_still_runs_is_no_refusal_even_where_both_have_one_status() {
    let operations = json!({"order": {
        "effect": "create",
        "wire": {"method": "POST", "path": "/orders", "refused": [409], "in_flight": 409},
    }});
    let attempts = attempts_at_operations(&[call(1, "order", 409, "{}")], &manifest(operations));
    let answered = &attempts.values().next().unwrap()[0].answered;
    assert!(matches!(answered, Answered::Error { detail } if detail.contains("still runs")), "{answered:?}");
}

#[test]
fn a_success_is_committed_with_its_receipt() {
    let receipt = |body: &str| match answer_to(call(1, "order", 201, body)) {
        Answered::Committed { receipt } => receipt,
        other => panic!("{other:?}"),
    };
    assert_eq!(receipt(r#"{"order": {"id": "R-1"}}"#).as_deref(), Some("R-1"));
    assert_eq!(receipt(r#"{"order": {"id": 17}}"#).as_deref(), Some("17"));
    for none in ["", "{}", r#"{"order": {"id": null}}"#, r#"{"order": {"id": {"a": 1}}}"#, "no json"] {
        assert_eq!(receipt(none), None, "{none}");
    }
}

#[test]
fn a_receipt_is_not_read_from_a_body_of_which_only_the_beginning_is_there() {
    let mut exchange = call(1, "order", 201, r#"{"order": {"id": "R-1"}}"#);
    exchange.answer.as_mut().unwrap().is_cut = true;
    assert_eq!(answer_to(exchange), Answered::Committed { receipt: None });
}

#[test]
fn the_signal_of_a_replay_is_a_field_or_a_header_that_says_true() {
    let replayed = Answered::Replayed { receipt: Some("R-1".to_owned()) };
    for says in ["true", r#""true""#] {
        let body = format!(r#"{{"replayed": {says}, "order": {{"id": "R-1"}}}}"#);
        assert_eq!(answer_to(call(1, "order", 200, &body)), replayed);
    }
    for says in ["false", "null", "1", r#""no""#] {
        let body = format!(r#"{{"replayed": {says}}}"#);
        assert_eq!(answer_to(call(1, "order", 200, &body)), Answered::Committed { receipt: None }, "{says}");
    }
    let with_header = |value: &str| {
        let mut exchange = call(1, "cancel", 200, "{}");
        exchange.answer.as_mut().unwrap().headers = vec![("idempotent-replayed".to_owned(), value.to_owned())];
        answer_to(exchange)
    };
    assert_eq!(with_header("True"), Answered::Replayed { receipt: None });
    assert_eq!(with_header("false"), Answered::Committed { receipt: None });
    assert_eq!(answer_to(call(1, "cancel", 200, r#"{"replayed": true}"#)), Answered::Committed { receipt: None });
}

#[test]
fn accepted_is_not_done_where_the_target_answers_before_the_effect_exists() {
    let body = r#"{"replayed": true, "order": {"id": "R-1"}}"#;
    assert!(matches!(answer_to(call(1, "order", 202, body)), Answered::Error { .. }));
    // The other operation's contract says nothing of the kind: there 202 is a success like any other.
    assert_eq!(answer_to(call(1, "cancel", 202, "{}")), Answered::Committed { receipt: None });
}

#[test]
fn attempts_are_numbered_for_each_operation_in_the_order_of_their_calls() {
    let mut second = call(2, "order", 201, "{}");
    second.intention = Some("order:O-2".into());
    second.step = 2;
    second.key = Some("k-2".to_owned());
    second.fault = Some(FaultLaid { index: 0, name: "lost_ack by timeout".to_owned() });
    let attempts = attempts_at_operations(&[call(3, "order", 201, "{}"), second, call(1, "order", 500, "")], &shop());
    let numbers = |operation: &str| {
        let seen = attempts[&OperationId::new(operation)].iter();
        seen.map(|attempt| (attempt.number, attempt.exchange)).collect::<Vec<_>>()
    };
    assert_eq!(numbers("order:O-1"), [(1, Some(1)), (2, Some(3))]);
    assert_eq!(numbers("order:O-2"), [(1, Some(2))]);
    let second = &attempts[&OperationId::new("order:O-2")][0];
    assert_eq!((second.step, second.identity.as_deref()), (2, Some("k-2")));
    assert_eq!(second.fault.as_deref(), Some("lost_ack by timeout"));
    assert_eq!(second.call, Some(Call { connector: "shop".into(), operation: "order".to_owned() }));
}

#[test]
fn a_request_that_was_forwarded_twice_is_one_attempt() {
    let twice = Exchange { forwarded: Forwarded::Twice, ..call(1, "order", 201, "{}") };
    assert_eq!(seen(&[twice]).len(), 1);
}

#[test]
fn what_only_reads_and_what_belongs_to_no_operation_is_no_attempt() {
    let unknown = Exchange { operation: None, intention: None, ..call(2, "order", 200, "{}") };
    let elsewhere = Exchange { connector: "other".into(), ..call(3, "order", 200, "{}") };
    let unnamed = call(4, "no-such-operation", 200, "{}");
    assert_eq!(seen(&[call(1, "list", 200, "[]"), unknown, elsewhere, unnamed]), []);
}

#[test]
fn an_attempt_that_was_overtaken_on_its_way_names_the_one_that_was_first() {
    let sent = |number: u32, sent_us: Option<u64>| Exchange { sent_us, ..call(number, "order", 201, "{}") };
    let behind =
        |exchanges: &[Exchange]| -> Vec<Option<u32>> { seen(exchanges).iter().map(|attempt| attempt.behind).collect() };
    assert_eq!(behind(&[sent(1, Some(90)), sent(2, Some(40)), sent(3, Some(20))]), [Some(2), Some(3), None]);
    assert_eq!(behind(&[sent(1, Some(10)), sent(2, Some(40))]), [None, None]);
    assert_eq!(behind(&[sent(1, None), sent(2, Some(40))]), [None, None], "what never went on was not overtaken");
    let late = seen(&[sent(4, Some(90)), sent(7, Some(40))]).remove(0);
    let sentence = crate::evidence::outcome::attempt_sentence(&late);
    assert_eq!(sentence, "Attempt 1, which came to the target after attempt 2: committed.");
}
