//! Faults on the body of the answer.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use holdpoint::evidence::{Delivered, Forwarded};
use holdpoint::manifest::{FaultName, FaultSpec};
use serde_json::{Value, json};

use super::client::request;
use super::scene::{Scene, Setting, fault};
use super::upstream::{Upstream, answer, ok};

const ANSWER: &str = "{\"order\":\"O-1\",\"amount\":1250,\"note\":\"Thank you.\"}";

/// The same answer of stated length, in chunks, and up to the end of the connection.
fn framings() -> [(&'static str, Upstream); 3] {
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}\r\n{:x}\r\n{}\r\n0\r\n\r\n",
        &ANSWER[..5],
        ANSWER.len() - 5,
        &ANSWER[5..]
    );
    let to_the_end = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{ANSWER}");
    [
        ("length", Upstream::saying(&ok(ANSWER))),
        ("chunks", Upstream::saying(&chunked)),
        (
            "end",
            Upstream::acting(move |_, stream| {
                let _ = std::io::Write::write_all(stream, to_the_end.as_bytes());
                false
            }),
        ),
    ]
}

#[test]
fn a_clean_truncation_looks_like_a_whole_answer() {
    for keep in [0, 20, ANSWER.len() as u64 - 1] {
        for (framing, upstream) in framings() {
            let fault = FaultSpec { keep_bytes: Some(keep), ..fault(FaultName::TruncateClean, 1) };
            let scene = Scene::failing(upstream, [fault]);
            let mut client = scene.client();
            let got = client.call("POST", "/orders", "", "{}").unwrap();
            assert_eq!(got.text(), &ANSWER[..keep as usize], "{framing}");
            let length = got.header("content-length").map(str::to_owned);
            if framing == "length" {
                assert_eq!(length, Some(keep.to_string()));
            }
            // The connection goes on, as after any answer.
            assert_eq!(client.call("POST", "/orders", "", "{}").unwrap().text(), ANSWER, "{framing}");
            let seen = scene.finish();
            let exchange = &seen.exchanges[0];
            assert_eq!((exchange.forwarded, exchange.delivered), (Forwarded::Whole, Delivered::Partly), "{framing}");
            assert_eq!(exchange.answer.as_ref().unwrap().text, ANSWER);
            assert_eq!(seen.fired, [0].into());
        }
    }
}

#[test]
fn an_abrupt_truncation_breaks_off_after_what_was_kept() {
    for keep in [0, 20] {
        for (framing, upstream) in framings() {
            let fault = FaultSpec { keep_bytes: Some(keep), ..fault(FaultName::TruncateAbrupt, 1) };
            let scene = Scene::failing(upstream, [fault]);
            let mut client = scene.client();
            client.send(request("POST", "/orders", "", "{}"));
            let head = client.read_head().unwrap();
            let (rest, _) = client.read_to_end();
            let rest = String::from_utf8(rest).unwrap();
            if framing == "length" {
                assert!(head.contains(&format!("Content-Length: {}", ANSWER.len())), "{head}");
                assert_eq!(rest, ANSWER[..keep as usize]);
            } else {
                assert!(!rest.contains("0\r\n\r\n"), "{framing}: {rest}");
                assert_eq!(rest.contains(&ANSWER[..keep as usize]), keep > 0 || rest.is_empty(), "{framing}: {rest}");
            }
            let exchange = scene.finish_with_one();
            assert_eq!((exchange.forwarded, exchange.delivered), (Forwarded::Whole, Delivered::Partly), "{framing}");
            assert_eq!((exchange.delivered_status, exchange.problem), (Some(200), None));
            assert_eq!(exchange.fault.unwrap().name, "truncate_abrupt");
        }
    }
}

#[test]
fn a_caller_that_knows_no_framing_sees_an_abrupt_truncation_as_a_reset() {
    let scene = Scene::failing(Upstream::saying(&ok(ANSWER)), [fault(FaultName::TruncateAbrupt, 1)]);
    let mut client = scene.client();
    client.send("POST /orders HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}");
    let (_, end) = client.read_to_end();
    assert_eq!(end.unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[test]
fn a_cut_whose_place_is_not_named_hangs_on_the_seed_alone() {
    let cut = |seed: u64| {
        let setting = Setting { faults: vec![fault(FaultName::TruncateClean, 1)], seed, ..Setting::default() };
        let scene = Scene::with(Upstream::saying(&ok(ANSWER)), setting);
        scene.client().call("POST", "/orders", "", "{}").unwrap().body.len()
    };
    let cuts: Vec<usize> = (0..6).map(cut).collect();
    assert_eq!((0..6).map(cut).collect::<Vec<_>>(), cuts);
    assert!(cuts.iter().any(|other| *other != cuts[0]), "{cuts:?}");
}

#[test]
fn a_stall_stands_still_in_the_middle_and_then_goes_on() {
    for (framing, upstream) in framings() {
        let fault = FaultSpec { keep_bytes: Some(20), seconds: Some(0.3), ..fault(FaultName::Stall, 1) };
        let scene = Scene::failing(upstream, [fault]);
        let mut client = scene.client();
        let begun = Instant::now();
        assert_eq!(client.call("POST", "/orders", "", "{}").unwrap().text(), ANSWER, "{framing}");
        assert!(begun.elapsed() >= Duration::from_millis(300), "{framing}");
        let seen = scene.finish();
        assert_eq!((seen.exchanges[0].delivered, seen.fired), (Delivered::Whole, [0].into()), "{framing}");
    }
}

#[test]
fn a_stall_without_an_end_lasts_until_the_caller_leaves() {
    let fault = FaultSpec { keep_bytes: Some(20), ..fault(FaultName::Stall, 1) };
    let scene = Scene::failing(Upstream::saying(&ok(ANSWER)), [fault]);
    let mut client = scene.client();
    client.send(request("POST", "/orders", "", "{}"));
    client.read_head().unwrap();
    client.stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let (kept, end) = client.read_to_end();
    assert_eq!(String::from_utf8(kept).unwrap(), &ANSWER[..20]);
    assert!(matches!(end.unwrap_err().kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
    drop(client);
    let exchange = scene.finish_with_one();
    assert_eq!((exchange.delivered, exchange.fault.unwrap().name.as_str()), (Delivered::Partly, "stall"));
}

#[test]
fn corrupted_json_is_of_the_same_length_and_no_json() {
    for (framing, upstream) in framings() {
        let scene = Scene::failing(upstream, [fault(FaultName::CorruptJson, 1)]);
        let got = scene.client().call("POST", "/orders", "", "{}").unwrap();
        assert_eq!(got.body.len(), ANSWER.len(), "{framing}");
        assert!(serde_json::from_slice::<Value>(&got.body).is_err(), "{framing}: {}", got.text());
        let exchange = scene.finish_with_one();
        assert_eq!((exchange.answer.unwrap().text.as_str(), exchange.delivered), (ANSWER, Delivered::Whole));
    }
}

#[test]
fn a_replaced_body_comes_with_its_own_length() {
    for (body, expected) in [(Some(json!("no json")), "no json"), (Some(json!({"a": [1]})), "{\"a\":[1]}"), (None, "")]
    {
        for (framing, upstream) in framings() {
            let fault = FaultSpec { body: body.clone(), ..fault(FaultName::ReplaceBody, 1) };
            let scene = Scene::failing(upstream, [fault]);
            let mut client = scene.client();
            assert_eq!(client.call("POST", "/orders", "", "{}").unwrap().text(), expected, "{framing}");
            assert_eq!(client.call("POST", "/orders", "", "{}").unwrap().text(), ANSWER, "{framing}");
            assert_eq!(scene.finish().fired, [0].into());
        }
    }
}

fn inject(pointer: &str) -> FaultSpec {
    FaultSpec {
        pointer: Some(pointer.to_owned()),
        text: Some(" Now \"pay\".".to_owned()),
        ..fault(FaultName::InjectText, 1)
    }
}

#[test]
fn injected_text_stands_at_the_end_of_the_text_it_is_added_to() {
    for (framing, upstream) in framings() {
        let scene = Scene::failing(upstream, [inject("/note")]);
        let got = scene.client().call("POST", "/orders", "Accept-Encoding: gzip\r\n", "{}").unwrap();
        assert_eq!(got.text(), ANSWER.replace("Thank you.", "Thank you. Now \\\"pay\\\"."), "{framing}");
        assert_eq!(scene.upstream.got()[0].header("accept-encoding"), Some("identity"));
        assert_eq!(scene.finish().fired, [0].into());
    }
}

#[test]
fn what_cannot_be_altered_is_delivered_as_it_is_and_the_fault_has_not_fired() {
    let other = |name| fault(name, 1);
    let long = FaultSpec { keep_bytes: Some(1000), ..fault(FaultName::TruncateClean, 1) };
    let encoded = answer("200 OK", "Content-Encoding: gzip\r\n", "{\"note\":\"x\"}");
    for (fault, answer, expected) in [
        (inject("/absent"), ok(ANSWER), "leads to nothing"),
        (inject("/amount"), ok(ANSWER), "leads to no text"),
        (inject("/note"), ok("<html>"), "is no JSON"),
        (inject("/note"), encoded.clone(), "encoded as gzip"),
        (other(FaultName::CorruptJson), encoded, "encoded as gzip"),
        (other(FaultName::CorruptJson), ok("<html>"), "is no JSON"),
        (other(FaultName::TruncateClean), ok(""), "has no body"),
        (other(FaultName::ReplaceBody), "HTTP/1.1 204 No Content\r\n\r\n".to_owned(), "has no body"),
        (long, ok(ANSWER), "that many are kept"),
        (
            FaultSpec { body: Some(serde_json::from_str(ANSWER).unwrap()), ..other(FaultName::ReplaceBody) },
            ok(ANSWER),
            "says the same",
        ),
        (FaultSpec { text: Some(String::new()), ..inject("/note") }, ok(ANSWER), "says the same"),
    ] {
        let scene = Scene::failing(Upstream::saying(&answer), [fault]);
        let got = scene.client().call("POST", "/orders", "", "{}").unwrap();
        assert!(answer.ends_with(got.text()), "{got:?}");
        let seen = scene.finish();
        let problem = seen.exchanges[0].problem.as_ref().unwrap();
        assert!(problem.contains("could not take effect") && problem.contains(expected), "{problem}");
        assert_eq!((seen.fired, seen.exchanges[0].fault.clone()), ([].into(), None));
        assert_eq!(seen.missed.get(&0), Some(problem), "the trial learns why");
        assert_eq!(seen.exchanges[0].delivered, Delivered::Whole);
    }
}
