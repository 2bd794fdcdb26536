//! Calls that no fault falls on.

use holdpoint::domain::Digest;
use holdpoint::evidence::{Delivered, Forwarded};

use super::client::request;
use super::scene::Scene;
use super::upstream::{Upstream, answer, ok};

#[test]
fn a_call_is_passed_on_and_recorded_from_both_sides() {
    let scene =
        Scene::new(Upstream::saying(&answer("201 Created", "X-Replayed: true\r\nX-Secret: s\r\n", "{\"n\":1}")));
    let mut client = scene.client();
    let got = client.call("POST", "/orders?dry=1", "X-Key: k-1\r\nAuthorization: Bearer s\r\n", "{\"order\":\"O-1\"}");
    let got = got.unwrap();
    assert_eq!((got.status(), got.text()), (201, "{\"n\":1}"));
    assert_eq!(got.header("x-secret"), Some("s"));
    let upstream = scene.upstream.clone();
    let exchange = scene.finish_with_one();
    let seen = &upstream.got()[0];
    assert_eq!(seen.line(), "POST /orders?dry=1 HTTP/1.1");
    assert_eq!(seen.header("authorization"), Some("Bearer s"));
    assert_eq!(Some(seen.header("host").unwrap()), upstream.address.strip_prefix("http://"));
    assert_eq!((exchange.number, exchange.step, exchange.connector.as_str()), (1, 1, "shop"));
    assert_eq!(exchange.operation.as_deref(), Some("order"));
    assert_eq!(exchange.intention.unwrap().as_str(), "order:O-1");
    assert_eq!(exchange.key.as_deref(), Some("k-1"));
    assert_eq!((exchange.method.as_str(), exchange.target.as_str()), ("POST", "/orders?dry=1"));
    assert_eq!((exchange.forwarded, exchange.delivered), (Forwarded::Whole, Delivered::Whole));
    assert_eq!((exchange.status, exchange.delivered_status), (Some(201), Some(201)));
    assert_eq!((exchange.fault, exchange.problem), (None, None));
    assert_eq!(exchange.request.text, "{\"order\":\"O-1\"}");
    assert_eq!(exchange.request.digest, Some(Digest::of(b"{\"order\":\"O-1\"}")));
    assert_eq!(
        exchange.request.headers,
        [("x-key".to_owned(), "k-1".to_owned()), ("content-length".to_owned(), "15".to_owned())]
    );
    let answer = exchange.answer.unwrap();
    assert_eq!((answer.bytes, answer.is_cut), (7, false));
    assert_eq!(answer.header("x-replayed"), Some("true"));
    assert_eq!(answer.header("x-secret"), None);
    let answered = exchange.answered_us.unwrap();
    assert!(exchange.begun_us <= answered && answered <= exchange.ended_us, "{answered}");
}

#[test]
fn calls_on_one_connection_share_one_to_the_upstream() {
    let scene = Scene::new(Upstream::answering(|got| ok(got.line())));
    let mut client = scene.client();
    for number in 0..20 {
        let got = client.call("GET", &format!("/orders/{number}"), "", "").unwrap();
        assert_eq!(got.text(), format!("GET /orders/{number} HTTP/1.1"));
    }
    assert_eq!(scene.upstream.connections(), 1);
    let seen = scene.finish();
    assert!(seen.exchanges.iter().all(|exchange| exchange.delivered == Delivered::Whole));
    let numbers: Vec<u32> = seen.exchanges.iter().map(|exchange| exchange.number).collect();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
}

#[test]
fn requests_that_are_sent_in_a_row_are_answered_in_a_row() {
    let scene = Scene::new(Upstream::answering(|got| ok(got.line())));
    let mut client = scene.client();
    let all: String = (0..5).map(|number| request("GET", &format!("/orders/{number}"), "", "")).collect();
    client.send(all);
    for number in 0..5 {
        assert_eq!(client.read_answer().unwrap().text(), format!("GET /orders/{number} HTTP/1.1"));
    }
    let seen = scene.finish();
    assert!(seen.exchanges.iter().all(|exchange| exchange.delivered == Delivered::Whole), "{:#?}", seen.exchanges);
}
