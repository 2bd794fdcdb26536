//! Which answers end a call, and until when the others leave it open.

use serde_json::{Value, json};

use super::*;
use crate::domain::Digest;
use crate::evidence::exchange::{Delivered, Message};

fn shop(processing: &Value) -> BTreeMap<PartId, Arc<ConnectorManifest>> {
    let manifest = json!({
        "id": "shop", "kind": "connector", "version": "1", "release": "1",
        "operations": {
            "order": {
                "effect": "create",
                "processing": processing,
                "wire": {"method": "POST", "path": "/orders", "refused": [409], "in_flight": 425},
            },
            "list": {"effect": "none", "wire": {"method": "GET", "path": "/orders"}},
        },
    });
    [("shop".into(), Arc::new(serde_json::from_value(manifest).unwrap()))].into()
}

/// A call that was answered after 2 s, and that its caller let go of after 3 s.
fn call(operation: &str, status: Option<u16>) -> Exchange {
    Exchange {
        number: 1,
        step: 1,
        connector: "shop".into(),
        operation: Some(operation.to_owned()),
        intention: None,
        key: None,
        begun_us: 0,
        sent_us: Some(1_000_000),
        answered_us: Some(2_000_000),
        ended_us: 3_000_000,
        method: "POST".to_owned(),
        target: "/orders".to_owned(),
        request: Message::default(),
        forwarded: Forwarded::Whole,
        answer: status.map(|_| Message {
            digest: Some(Digest::of(b"{}")),
            text: "{}".to_owned(),
            ..Message::default()
        }),
        status,
        delivered: Delivered::No,
        delivered_status: None,
        retry_after: None,
        fault: None,
        problem: None,
    }
}

#[test]
fn a_success_and_a_documented_refusal_end_a_call_and_no_other_answer_does() {
    let unbounded = shop(&Value::Null);
    for status in [200, 201, 202, 204, 409] {
        assert_eq!(may_land(&call("order", Some(status)), &unbounded), None, "{status}");
    }
    for status in [None, Some(302), Some(404), Some(425), Some(429), Some(500), Some(503), Some(504)] {
        assert_eq!(may_land(&call("order", status), &unbounded), Some(MayLand::Whenever), "{status:?}");
    }
    let accepts_first = shop(&json!({"accepts_first": true, "within_s": 4.0}));
    let open = Some(MayLand::Until(Duration::from_secs(7)));
    assert_eq!(may_land(&call("order", Some(202)), &accepts_first), open);
    assert_eq!(may_land(&call("order", Some(201)), &accepts_first), None);
    let broken_off = Exchange { answer: Some(Message::default()), ..call("order", Some(201)) };
    assert_eq!(may_land(&broken_off, &unbounded), Some(MayLand::Whenever));
}

#[test]
fn a_call_is_open_until_its_bound_has_passed_since_all_of_it_had_ended() {
    let bounded = shop(&json!({"within_s": 4.0}));
    let until = |exchange: Exchange| may_land(&exchange, &bounded);
    let seconds = |seconds| Some(MayLand::Until(Duration::from_secs(seconds)));
    assert_eq!(until(call("order", Some(500))), seconds(7));
    assert_eq!(until(Exchange { sent_us: Some(5_000_000), answered_us: None, ..call("order", None) }), seconds(9));
    assert_eq!(until(Exchange { answered_us: Some(6_000_000), ..call("order", Some(500)) }), seconds(10));
    // Longer than any clock counts.
    let endless = shop(&json!({"within_s": 1e300}));
    assert_eq!(may_land(&call("order", None), &endless), Some(MayLand::Whenever));
}

#[test]
fn what_was_not_passed_on_and_what_only_reads_lands_never() {
    let unbounded = shop(&Value::Null);
    let kept_away = Exchange { forwarded: Forwarded::No, ..call("order", Some(500)) };
    assert_eq!(may_land(&kept_away, &unbounded), None);
    let undescribed = |status| Exchange { operation: None, method: "GET".to_owned(), ..call("order", status) };
    for status in [None, Some(200), Some(500)] {
        assert_eq!(may_land(&call("list", status), &unbounded), None);
        assert_eq!(may_land(&undescribed(status), &unbounded), None);
    }
}

#[test]
fn a_writing_call_that_no_manifest_describes_stays_open_until_its_answer_says_what_became_of_it() {
    let unbounded = shop(&Value::Null);
    let undescribed = |status| Exchange { operation: None, ..call("order", status) };
    for status in [200, 202, 400, 404, 405, 422] {
        assert_eq!(may_land(&undescribed(Some(status)), &unbounded), None, "{status}");
    }
    for status in [None, Some(302), Some(409), Some(425), Some(429), Some(500), Some(504)] {
        assert_eq!(may_land(&undescribed(status), &unbounded), Some(MayLand::Whenever), "{status:?}");
    }
}
