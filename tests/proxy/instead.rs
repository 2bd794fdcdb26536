//! Faults by which the upstream gets nothing: `drop_before`, `refuse`, `status` and their other names.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use holdpoint::domain::Digest;
use holdpoint::evidence::{Delivered, Exchange, Forwarded};
use holdpoint::manifest::{FaultName, FaultSpec, Withheld};
use serde_json::json;

use super::client::request;
use super::scene::{Scene, fault};
use super::upstream::{Upstream, ok};

const BODY: &str = "{\"order\":\"O-1\"}";

fn failing(fault: FaultSpec) -> Scene {
    Scene::failing(Upstream::saying(&ok("{}")), [fault])
}

/// Nothing went on, the fault counts as fired, and the record still says what the call was.
fn check_untouched(scene: Scene, name: &str) -> Exchange {
    let upstream = scene.upstream.clone();
    let seen = scene.finish();
    assert_eq!((seen.fired, seen.late), ([0].into(), false));
    let exchange = seen.exchanges.into_iter().next().unwrap();
    assert_eq!(upstream.got().len(), 0);
    assert_eq!((exchange.forwarded, exchange.status, &exchange.answer), (Forwarded::No, None, &None));
    assert_eq!(exchange.fault.as_ref().map(|laid| (laid.index, laid.name.as_str())), Some((0, name)));
    assert_eq!(exchange.intention.as_ref().unwrap().as_str(), "order:O-1");
    assert_eq!(exchange.request.digest, Some(Digest::of(BODY.as_bytes())));
    assert_eq!(exchange.problem, None);
    exchange
}

fn check_nothing_delivered(exchange: &Exchange) {
    assert_eq!((exchange.delivered, exchange.delivered_status), (Delivered::No, None));
}

#[test]
fn a_request_that_is_dropped_before_ends_with_a_reset() {
    for (name, shown) in [
        (FaultName::DropBefore, "drop_before by reset"),
        (FaultName::LostRequest, "lost_request by reset"),
        (FaultName::Refuse, "refuse"),
    ] {
        let scene = failing(fault(name, 1));
        let error = scene.client().call("POST", "/orders", "", BODY).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{shown}");
        check_nothing_delivered(&check_untouched(scene, shown));
    }
}

#[test]
fn a_request_that_is_dropped_before_by_timeout_waits_until_the_caller_leaves() {
    let scene = failing(FaultSpec { by: Some(Withheld::Timeout), ..fault(FaultName::DropBefore, 1) });
    let mut client = scene.client();
    client.send(request("POST", "/orders", "", BODY));
    client.stream.set_read_timeout(Some(Duration::from_millis(150))).unwrap();
    let error = client.read_answer().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error:?}");
    drop(client);
    let exchange = check_untouched(scene, "drop_before by timeout");
    check_nothing_delivered(&exchange);
    assert!(exchange.ended_us - exchange.begun_us > 100_000, "{exchange:?}");
}

#[test]
fn a_caller_that_never_leaves_is_let_go_after_the_seconds_of_the_fault() {
    let fault = FaultSpec { by: Some(Withheld::Timeout), seconds: Some(0.2), ..fault(FaultName::DropBefore, 1) };
    let scene = failing(fault);
    let begun = Instant::now();
    let error = scene.client().call("POST", "/orders", "", BODY).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert!(begun.elapsed() >= Duration::from_millis(200));
    check_nothing_delivered(&check_untouched(scene, "drop_before by timeout"));
}

#[test]
fn the_end_of_the_trial_lets_a_held_caller_go() {
    let scene = failing(FaultSpec { by: Some(Withheld::Timeout), ..fault(FaultName::DropBefore, 1) });
    let mut client = scene.client();
    client.send(request("POST", "/orders", "", BODY));
    std::thread::sleep(Duration::from_millis(50));
    check_nothing_delivered(&check_untouched(scene, "drop_before by timeout"));
    assert_eq!(client.read_answer().unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[test]
fn a_request_that_is_dropped_before_by_a_status_gets_that_of_a_gateway() {
    for (status, expected) in [(None, 504), (Some(502), 502)] {
        let scene = failing(FaultSpec { by: Some(Withheld::Status), status, ..fault(FaultName::DropBefore, 1) });
        let got = scene.client().call("POST", "/orders", "", BODY).unwrap();
        assert_eq!(got.status(), expected);
        let exchange = check_untouched(scene, "drop_before by status");
        assert_eq!((exchange.delivered, exchange.delivered_status), (Delivered::Whole, Some(expected)));
    }
}

#[test]
fn a_status_is_answered_in_the_targets_place() {
    let text = FaultSpec { status: Some(418), body: Some(json!("I am")), ..fault(FaultName::Status, 1) };
    let json =
        FaultSpec { status: Some(429), seconds: Some(1.2), body: Some(json!({"a": 1})), ..fault(FaultName::Status, 1) };
    for (fault, name, status, retry_after, kind, body) in [
        (text, "status", 418, None, "text/plain; charset=utf-8", "I am"),
        (json, "status", 429, Some("2"), "application/json", "{\"a\":1}"),
        (
            fault(FaultName::Status, 1),
            "status",
            503,
            None,
            "application/json",
            "{\"error\":{\"message\":\"Service Unavailable\"}}",
        ),
        (
            fault(FaultName::Unavailable, 1),
            "unavailable",
            503,
            Some("1"),
            "application/json",
            "{\"error\":{\"message\":\"Service Unavailable\"}}",
        ),
        (
            fault(FaultName::RateLimited, 1),
            "rate_limited",
            429,
            Some("1"),
            "application/json",
            "{\"error\":{\"message\":\"Too Many Requests\"}}",
        ),
    ] {
        let scene = failing(fault);
        let mut client = scene.client();
        let got = client.call("POST", "/orders", "", BODY).unwrap();
        assert_eq!((got.status(), got.text()), (status, body));
        assert_eq!((got.header("retry-after"), got.header("content-type")), (retry_after, Some(kind)));
        // The connection is as good as before.
        client.send("GET /nowhere HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\n");
        let exchange = check_untouched(scene, name);
        assert_eq!((exchange.delivered, exchange.delivered_status), (Delivered::Whole, Some(status)));
        assert_eq!(exchange.retry_after.as_deref(), retry_after);
    }
}

#[test]
fn a_fault_falls_on_the_attempt_it_names_and_on_no_other() {
    let lasting = FaultSpec { through: Some(3), ..fault(FaultName::Unavailable, 2) };
    let scene = failing(lasting);
    let mut client = scene.client();
    let statuses: Vec<u16> = (0..4).map(|_| client.call("POST", "/orders", "", BODY).unwrap().status()).collect();
    assert_eq!(statuses, [200, 503, 503, 200]);
    assert_eq!(client.call("GET", "/orders/1", "", "").unwrap().status(), 200);
    assert_eq!(scene.upstream.whole(), 3);
    assert_eq!(scene.trial.fired(), [0].into());
}

#[test]
fn a_fault_on_an_attempt_that_never_comes_has_not_fired() {
    let scene = failing(fault(FaultName::Refuse, 2));
    scene.client().call("POST", "/orders", "", BODY).unwrap();
    assert_eq!(scene.finish().fired, [].into());
}

#[test]
fn a_refused_caller_that_waits_to_be_asked_is_not_asked() {
    let scene = failing(fault(FaultName::Refuse, 1));
    let mut client = scene.client();
    client.send("POST /orders HTTP/1.1\r\nHost: p\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    let (bytes, end) = client.read_to_end();
    assert_eq!(String::from_utf8(bytes).unwrap(), "");
    assert_eq!(end.unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[test]
fn what_only_a_target_can_do_is_passed_on_and_said() {
    let scene = failing(fault(FaultName::FailBeforeCommit, 1));
    assert_eq!(scene.client().call("POST", "/orders", "", BODY).unwrap().status(), 200);
    let seen = scene.finish();
    assert_eq!(seen.fired, [].into());
    assert_eq!(seen.exchanges[0].fault, None);
    assert!(seen.exchanges[0].problem.as_ref().unwrap().contains("only a target itself"));
}
