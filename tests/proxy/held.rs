//! Faults by which the upstream gets the whole request: its answer is lost, or it comes late, twice, or out of order.

use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};

use holdpoint::evidence::{Delivered, Forwarded};
use holdpoint::manifest::{FaultName, FaultSpec, Withheld};

use super::client::request;
use super::scene::{Scene, fault};
use super::upstream::{Upstream, answer, ok};

const BODY: &str = "{\"order\":\"O-1\"}";

fn by(name: FaultName, by: Withheld) -> FaultSpec {
    FaultSpec { by: Some(by), ..fault(name, 1) }
}

#[test]
fn the_answer_of_a_call_whose_acknowledgement_is_lost_is_recorded_and_not_delivered() {
    let scene =
        Scene::failing(Upstream::saying(&answer("201 Created", "", "{\"receipt\":7}")), [fault(FaultName::LostAck, 1)]);
    let error = scene.client().call("POST", "/orders", "", BODY).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert_eq!(scene.upstream.whole(), 1);
    assert_eq!(scene.trial.fired(), [0].into());
    let exchange = scene.finish_with_one();
    assert_eq!((exchange.forwarded, exchange.delivered), (Forwarded::Whole, Delivered::No));
    assert_eq!((exchange.status, exchange.delivered_status), (Some(201), None));
    assert_eq!(exchange.answer.unwrap().text, "{\"receipt\":7}");
    assert_eq!(exchange.fault.unwrap().name, "lost_ack by reset");
    assert!(exchange.answered_us.unwrap() <= exchange.ended_us);
    assert_eq!(exchange.problem, None);
}

#[test]
fn an_acknowledgement_can_be_lost_by_a_status() {
    let other = FaultSpec { status: Some(502), ..by(FaultName::LostAck, Withheld::Status) };
    for (fault, name, expected) in [
        (by(FaultName::LostAck, Withheld::Status), "lost_ack by status", 504),
        (other, "lost_ack by status", 502),
        (fault(FaultName::ErrorAfterCommit, 1), "error_after_commit", 500),
    ] {
        let scene = Scene::failing(Upstream::saying(&ok("{}")), [fault]);
        let got = scene.client().call("POST", "/orders", "", BODY).unwrap();
        assert_eq!((got.status(), scene.upstream.whole()), (expected, 1));
        let exchange = scene.finish_with_one();
        assert_eq!((exchange.status, exchange.delivered_status), (Some(200), Some(expected)));
        assert_eq!((exchange.forwarded, exchange.delivered), (Forwarded::Whole, Delivered::Whole));
        assert_eq!(exchange.fault.unwrap().name, name);
    }
}

#[test]
fn an_acknowledgement_lost_by_timeout_is_held_until_the_caller_leaves() {
    let scene = Scene::failing(Upstream::saying(&ok("{}")), [by(FaultName::LostAck, Withheld::Timeout)]);
    let mut client = scene.client();
    client.send(request("POST", "/orders", "", BODY));
    scene.upstream.wait_for(1);
    client.stream.set_read_timeout(Some(Duration::from_millis(150))).unwrap();
    let error = client.read_answer().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error:?}");
    drop(client);
    let exchange = scene.finish_with_one();
    assert_eq!((exchange.forwarded, exchange.delivered), (Forwarded::Whole, Delivered::No));
    assert!(exchange.ended_us - exchange.answered_us.unwrap() > 100_000, "{exchange:?}");
    assert_eq!(exchange.fault.unwrap().name, "lost_ack by timeout");
}

#[test]
fn a_documented_refusal_acknowledges_nothing_and_is_passed_back() {
    for name in [FaultName::LostAck, FaultName::ErrorAfterCommit] {
        let fault = FaultSpec { operation: "*".to_owned(), ..fault(name, 1) };
        let refusing = || Upstream::saying(&answer("422 No", "", "{\"why\":1}"));
        let scene = Scene::failing(refusing(), [fault.clone()]);
        let got = scene.client().call("POST", "/holds", "", BODY).unwrap();
        assert_eq!((got.status(), got.text()), (422, "{\"why\":1}"));
        let seen = scene.finish();
        let why =
            format!("{} could not take effect: the target refused the call with 422, and did nothing", name.name());
        assert_eq!((seen.fired, seen.missed), ([].into(), [(0, why)].into()));
        assert_eq!((seen.exchanges[0].fault.clone(), seen.exchanges[0].delivered), (None, Delivered::Whole));
        // Where nobody says that this status leaves nothing, something may have been done.
        let scene = Scene::failing(refusing(), [fault]);
        let _ = scene.client().call("POST", "/orders", "", BODY);
        assert_eq!(scene.finish().fired, [0].into());
    }
}

#[test]
fn an_acknowledgement_of_nothing_cannot_be_lost() {
    let scene = Scene::failing(Upstream::acting(|_, _| false), [fault(FaultName::LostAck, 1)]);
    assert_eq!(scene.client().call("POST", "/orders", "", BODY).unwrap().status(), 502);
    let seen = scene.finish();
    assert_eq!((seen.fired, seen.exchanges[0].fault.clone()), ([].into(), None));
    assert_eq!(seen.exchanges[0].forwarded, Forwarded::Partly);
}

#[test]
fn a_late_commit_lands_after_its_caller_has_gone() {
    for (how, seconds) in [(Some(Withheld::Reset), None), (Some(Withheld::Reset), Some(0.4)), (None, None)] {
        let scene = Scene::failing(
            Upstream::saying(&ok("{\"late\":true}")),
            [FaultSpec { seconds, by: how, ..fault(FaultName::LateCommit, 1) }],
        );
        let mut client = scene.client();
        client.send(request("POST", "/orders", "", BODY));
        client.stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let error = client.read_answer().unwrap_err();
        // Where nothing else is said, the caller waits in vain.
        assert_eq!(error.kind() == ErrorKind::ConnectionReset, how == Some(Withheld::Reset), "{error:?}");
        assert_eq!(scene.upstream.got().len(), 0);
        let gone = Instant::now();
        drop(client);
        let upstream = scene.upstream.clone();
        // Nothing is lost: the end of the trial waits for what is on its way.
        let seen = scene.finish();
        assert_eq!((seen.fired, seen.late), ([0].into(), false));
        let got = upstream.got();
        assert_eq!((got.len(), got[0].body.as_slice()), (1, BODY.as_bytes()));
        let wait = Duration::from_secs_f64(seconds.unwrap_or(0.2)) - Duration::from_millis(100);
        assert!(got[0].at - gone >= wait, "{:?}", got[0].at - gone);
        let exchange = &seen.exchanges[0];
        assert_eq!((exchange.forwarded, exchange.delivered), (Forwarded::Whole, Delivered::No));
        assert_eq!((exchange.status, exchange.delivered_status), (Some(200), None));
        assert!(exchange.answered_us.unwrap() > exchange.ended_us, "{exchange:?}");
    }
}

#[test]
fn a_late_commit_lands_after_its_status_was_answered() {
    let scene = Scene::failing(Upstream::saying(&ok("{}")), [by(FaultName::LateCommit, Withheld::Status)]);
    let mut client = scene.client();
    assert_eq!(client.call("POST", "/orders", "", BODY).unwrap().status(), 504);
    assert_eq!(scene.upstream.got().len(), 0);
    // A retry overtakes it.
    assert_eq!(client.call("POST", "/orders", "X-Key: second\r\n", BODY).unwrap().status(), 200);
    let upstream = scene.upstream.clone();
    let seen = scene.finish();
    let got = upstream.got();
    assert_eq!(got.iter().map(|got| got.header("x-key")).collect::<Vec<_>>(), [Some("second"), None]);
    assert_eq!(seen.exchanges[0].delivered_status, Some(504));
    assert!(seen.exchanges[0].sent_us > seen.exchanges[1].sent_us, "{:#?}", seen.exchanges);
    assert_eq!((seen.exchanges[0].status, seen.fired), (Some(200), [0].into()));
}

#[test]
fn a_duplicate_delivery_arrives_twice_and_the_first_answer_is_delivered() {
    let count = std::sync::atomic::AtomicU32::new(0);
    let upstream = Upstream::answering(move |_| {
        ok(&format!("{{\"answer\":{}}}", count.fetch_add(1, std::sync::atomic::Ordering::SeqCst)))
    });
    let scene = Scene::failing(upstream, [fault(FaultName::DuplicateDelivery, 1)]);
    let mut client = scene.client();
    client.send("POST /orders HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\nX-Key: k\r\n\r\n");
    client.send("5\r\n{\"ord\r\n").send("a\r\ner\":\"O-1\"}\r\n0\r\n\r\n");
    assert_eq!(client.read_answer().unwrap().text(), "{\"answer\":0}");
    let got = scene.upstream.got();
    assert_eq!(got.len(), 2);
    for got in got {
        assert_eq!((got.body.as_slice(), got.header("x-key")), (BODY.as_bytes(), Some("k")));
        assert_eq!(got.header("transfer-encoding"), Some("chunked"));
    }
    let seen = scene.finish();
    assert_eq!((seen.exchanges[0].forwarded, seen.fired), (Forwarded::Twice, [0].into()));
    assert_eq!(seen.exchanges[0].answer.as_ref().unwrap().text, "{\"answer\":0}");
}

#[test]
fn a_second_delivery_that_fails_has_not_fired() {
    let count = std::sync::atomic::AtomicU32::new(0);
    let upstream = Upstream::acting(move |_, stream| {
        count.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0
            && std::io::Write::write_all(stream, ok("{}").as_bytes()).is_ok()
    });
    let scene = Scene::failing(upstream, [fault(FaultName::DuplicateDelivery, 1)]);
    assert_eq!(scene.client().call("POST", "/orders", "", BODY).unwrap().status(), 200);
    let seen = scene.finish();
    assert_eq!((seen.exchanges[0].forwarded, seen.fired), (Forwarded::Whole, [].into()));
    assert!(seen.exchanges[0].problem.as_ref().unwrap().starts_with("the second delivery failed"));
}

#[test]
fn a_call_out_of_order_is_overtaken_by_a_later_one() {
    let scene = Scene::failing(Upstream::answering(|got| ok(got.line())), [fault(FaultName::OutOfOrder, 1)]);
    let mut first = scene.client();
    first.send(request("POST", "/orders", "", BODY));
    thread::sleep(Duration::from_millis(100));
    assert_eq!(scene.upstream.got().len(), 0);
    let later = scene.client().call("GET", "/orders/2", "", "").unwrap();
    assert_eq!(later.text(), "GET /orders/2 HTTP/1.1");
    assert_eq!(first.read_answer().unwrap().text(), "POST /orders HTTP/1.1");
    let lines: Vec<_> = scene.upstream.got().iter().map(|got| got.line().to_owned()).collect();
    assert_eq!(lines, ["GET /orders/2 HTTP/1.1", "POST /orders HTTP/1.1"]);
    let seen = scene.finish();
    assert_eq!(seen.fired, [0].into());
    assert_eq!(seen.exchanges[0].fault.as_ref().unwrap().name, "out_of_order");
}

#[test]
fn a_call_that_nobody_overtakes_goes_on_and_the_fault_has_not_fired() {
    let fault = FaultSpec { seconds: Some(0.1), ..fault(FaultName::OutOfOrder, 1) };
    let scene = Scene::failing(Upstream::saying(&ok("{}")), [fault]);
    assert_eq!(scene.client().call("POST", "/orders", "", BODY).unwrap().status(), 200);
    let seen = scene.finish();
    assert_eq!((seen.fired, seen.exchanges[0].fault.clone()), ([].into(), None));
    assert!(seen.exchanges[0].problem.as_ref().unwrap().contains("no later call"));
}

#[test]
fn a_delayed_answer_comes_later_and_unchanged() {
    let delay = FaultSpec { seconds: Some(0.3), ..fault(FaultName::Delay, 1) };
    let scene = Scene::failing(Upstream::saying(&ok("{\"a\":1}")), [delay]);
    let begun = Instant::now();
    assert_eq!(scene.client().call("POST", "/orders", "", BODY).unwrap().text(), "{\"a\":1}");
    assert!(begun.elapsed() >= Duration::from_millis(300));
    assert!(scene.upstream.got()[0].at - begun < Duration::from_millis(300));
    let seen = scene.finish();
    assert_eq!((seen.exchanges[0].delivered, seen.fired), (Delivered::Whole, [0].into()));
}

#[test]
fn a_delay_longer_than_the_caller_waits_leaves_the_answer_undelivered() {
    let delay = FaultSpec { seconds: Some(20.0), ..fault(FaultName::Delay, 1) };
    let scene = Scene::failing(Upstream::saying(&ok("{}")), [delay]);
    let mut client = scene.client();
    client.send(request("POST", "/orders", "", BODY));
    scene.upstream.wait_for(1);
    drop(client);
    let begun = Instant::now();
    let seen = scene.finish();
    assert!(begun.elapsed() < Duration::from_secs(10));
    let exchange = &seen.exchanges[0];
    assert_eq!((exchange.forwarded, exchange.delivered, exchange.status), (Forwarded::Whole, Delivered::No, Some(200)));
    assert_eq!((exchange.delivered_status, seen.fired.clone()), (None, [0].into()));
}
