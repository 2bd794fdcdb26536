//! Upstreams that misbehave, callers that ask for what they must not get, and a trial that ends meanwhile.

use std::io::Write as _;
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use holdpoint::evidence::{Delivered, Exchange, Forwarded};
use holdpoint::proxy::{Proxy, ProxyError, TrialSetup};

use super::client::{Answer, request};
use super::scene::{Scene, Setting};
use super::upstream::{Upstream, answer, ok};

fn hasty(upstream: Upstream) -> Scene {
    Scene::with(upstream, Setting { timeout: Duration::from_millis(300), ..Setting::default() })
}

/// One call, the answer that the caller gets for it, and its record.
fn call(scene: Scene) -> (Answer, Exchange) {
    let got = scene.client().call("POST", "/orders", "", "{\"order\":\"O-1\"}").unwrap();
    (got, scene.finish_with_one())
}

fn check_problem(scene: Scene, status: u16, code: &str, words: &str, forwarded: Forwarded) {
    let (got, exchange) = call(scene);
    assert_eq!((got.status(), got.header("holdpoint-problem")), (status, Some(code)), "{words}");
    let body: serde_json::Value = serde_json::from_slice(&got.body).unwrap();
    let problem = exchange.problem.unwrap();
    assert!(problem.contains(words), "{problem}");
    assert_eq!(body["error"]["message"], problem.as_str());
    assert_eq!((exchange.status, exchange.answer), (None, None), "{words}");
    assert_eq!((exchange.delivered, exchange.delivered_status), (Delivered::Whole, Some(status)), "{words}");
    assert_eq!(exchange.forwarded, forwarded, "{words}");
    assert!(exchange.answered_us.is_some());
}

#[test]
fn an_upstream_that_is_down_is_said_to_be() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let upstream = Upstream::saying("").at(format!("http://{free}"));
    check_problem(
        hasty(upstream),
        502,
        "upstream-unreachable",
        "no connection to the upstream at 127.0.0.1:",
        Forwarded::No,
    );
}

#[test]
fn a_request_to_an_upstream_that_is_down_is_an_attempt_at_what_its_body_says() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let scene = hasty(Upstream::saying("").at(format!("http://{free}")));
    let mut client = scene.client();
    // The body comes when the answer could have been given long since.
    client.send("POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n");
    thread::sleep(Duration::from_millis(100));
    client.send("{\"order\":\"O-1\"}");
    assert_eq!(client.read_answer().unwrap().status(), 502);
    let exchange = scene.finish_with_one();
    assert_eq!((exchange.intention, exchange.forwarded), (Some("order:O-1".into()), Forwarded::No));
}

#[test]
fn an_upstream_that_goes_down_between_two_calls_hides_nothing_of_the_second() {
    let upstream = Upstream::acting(|_, stream| stream.write_all(ok("{}").as_bytes()).is_err());
    let scene = hasty(upstream);
    let mut client = scene.client();
    for order in ["O-1", "O-2"] {
        client.call("POST", "/orders", "", &format!("{{\"order\":\"{order}\"}}")).unwrap();
        // Long enough for the connection to be known to be closed.
        thread::sleep(Duration::from_millis(50));
    }
    let seen = scene.finish();
    let intentions: Vec<_> = seen.exchanges.into_iter().map(|exchange| exchange.intention.unwrap()).collect();
    assert_eq!(intentions, ["order:O-1".into(), "order:O-2".into()]);
}

#[test]
fn an_identity_beyond_what_is_looked_at_is_said_to_be() {
    let padding = "x".repeat(2 << 20);
    for (body, expected) in [
        (format!("{{\"order\":\"O-1\",\"note\":\"{padding}\"}}"), Some("order:O-1")),
        (format!("{{\"note\":\"{padding}\",\"order\":\"O-1\"}}"), None),
    ] {
        let scene = Scene::new(Upstream::saying(&ok("{}")));
        assert_eq!(scene.client().call("POST", "/orders", "", &body).unwrap().status(), 200);
        let exchange = scene.finish_with_one();
        let intention = exchange.intention.unwrap();
        match expected {
            Some(expected) => assert_eq!((intention.as_str(), exchange.problem), (expected, None)),
            None => {
                assert!(intention.as_str().starts_with("order:#"), "{intention}");
                assert!(exchange.problem.as_ref().unwrap().contains("1048576 bytes"), "{:?}", exchange.problem);
            }
        }
    }
}

#[test]
fn an_upstream_whose_name_is_unknown_is_said_to_be() {
    let upstream = Upstream::saying("").at("http://no-such-host.invalid:1".to_owned());
    let setting = Setting { timeout: Duration::from_secs(10), ..Setting::default() };
    check_problem(Scene::with(upstream, setting), 502, "upstream-unreachable", "no-such-host.invalid:1", Forwarded::No);
}

#[test]
fn an_upstream_that_speaks_no_http_is_said_to() {
    for nonsense in ["SSH-2.0-OpenSSH_9.2\r\n", "\x15\x03\x01\x00\x02\x02\x16\x03", "HTTP/9.9 what\r\n\r\n"] {
        let upstream = Upstream::saying(nonsense);
        check_problem(hasty(upstream), 502, "upstream-no-http", "is no HTTP", Forwarded::Partly);
    }
}

#[test]
fn an_upstream_that_never_answers_is_given_up() {
    let begun = Instant::now();
    let upstream = Upstream::acting(|_, _| {
        thread::sleep(Duration::from_secs(30));
        false
    });
    check_problem(hasty(upstream), 504, "upstream-timeout", "did not begin an answer within 300ms", Forwarded::Whole);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn an_upstream_that_answers_nothing_is_said_to() {
    let upstream = Upstream::acting(|_, _| false);
    check_problem(hasty(upstream), 502, "upstream-closed", "ended the connection without an answer", Forwarded::Partly);
}

#[test]
fn a_head_without_end_is_given_up() {
    let fast = Upstream::acting(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n").unwrap();
        while stream.write_all(b"X-More: and more and more and more\r\n").is_ok() {}
        false
    });
    check_problem(hasty(fast), 502, "upstream-endless-head", "too long, or has no end", Forwarded::Partly);
    let slow = Upstream::acting(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n").unwrap();
        while stream.write_all(b"X-More: 1\r\n").is_ok() {
            thread::sleep(Duration::from_millis(50));
        }
        false
    });
    check_problem(hasty(slow), 504, "upstream-timeout", "did not begin an answer", Forwarded::Whole);
}

#[test]
fn a_protocol_that_nobody_asked_for_is_no_answer() {
    let upstream = Upstream::saying("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
    check_problem(hasty(upstream), 502, "upstream-no-http", "another protocol", Forwarded::Whole);
}

/// An answer that begins well; what the caller got of its body, and the record.
fn broken(upstream: Upstream) -> (String, Exchange) {
    let scene = hasty(upstream);
    let mut client = scene.client();
    client.send(request("POST", "/orders", "", "{}"));
    client.read_head().unwrap();
    let (rest, _) = client.read_to_end();
    (String::from_utf8(rest).unwrap(), scene.finish_with_one())
}

#[test]
fn an_answer_that_breaks_off_breaks_off_for_the_caller_after_what_there_was_of_it() {
    for framing in ["Content-Length: 100", "Transfer-Encoding: chunked"] {
        let upstream = Upstream::acting(move |_, stream| {
            let body = if framing.contains("chunked") { "5\r\nhello\r\n" } else { "hello" };
            stream.write_all(format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n{body}").as_bytes()).unwrap();
            false
        });
        let (rest, exchange) = broken(upstream);
        assert!(rest.contains("hello") && !rest.contains("0\r\n"), "{rest}");
        assert!(exchange.problem.as_ref().unwrap().contains("broke off"), "{exchange:?}");
        assert_eq!((exchange.delivered, exchange.status), (Delivered::Partly, Some(200)));
        let answer = exchange.answer.unwrap();
        assert_eq!((answer.text.as_str(), answer.digest), ("hello", None));
    }
}

#[test]
fn an_answer_that_stands_still_is_given_up() {
    let upstream = Upstream::acting(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello").unwrap();
        thread::sleep(Duration::from_secs(30));
        false
    });
    let (rest, exchange) = broken(upstream);
    assert_eq!(rest, "hello");
    assert!(exchange.problem.unwrap().contains("was not whole after 300ms"));
}

#[test]
fn an_answer_that_drips_without_end_is_given_up() {
    let upstream = Upstream::acting(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        while stream.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(30));
        }
        false
    });
    let begun = Instant::now();
    let (_, exchange) = broken(upstream);
    assert!(begun.elapsed() < Duration::from_secs(15));
    assert!(exchange.problem.unwrap().contains("was not whole"));
}

#[test]
fn a_connection_that_the_upstream_closed_meanwhile_is_replaced() {
    let upstream = Upstream::acting(|_, stream| {
        stream.write_all(ok("{}").as_bytes()).unwrap();
        false
    });
    let scene = Scene::new(upstream);
    let mut client = scene.client();
    for _ in 0..5 {
        assert_eq!(client.call("POST", "/orders", "", "{}").unwrap().status(), 200);
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!((scene.upstream.whole(), scene.upstream.connections()), (5, 5));
}

#[test]
fn nobody_gets_anywhere_else_through_the_proxy() {
    let scene = Scene::new(Upstream::saying(&ok("{}")));
    for (asked, words) in [
        ("CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n", "CONNECT is refused"),
        ("GET http://example.org/orders/1 HTTP/1.1\r\nHost: example.org\r\n\r\n", "a whole address is refused"),
        ("GET /orders/1 HTTP/1.1\r\nHost: p\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", "an upgrade"),
    ] {
        let mut client = scene.client();
        client.send(asked);
        let got = client.read_answer().unwrap();
        assert_eq!((got.status(), got.header("holdpoint-problem")), (400, Some("refused")));
        assert!(got.text().contains(words), "{}", got.text());
    }
    assert_eq!(scene.upstream.connections(), 0);
    let exchanges = scene.finish().exchanges;
    assert_eq!(exchanges.len(), 3);
    for exchange in exchanges {
        assert_eq!((exchange.forwarded, exchange.operation), (Forwarded::No, None));
        assert!(exchange.problem.unwrap().contains("refused"));
    }
}

#[test]
fn the_offer_to_go_on_in_http_2_is_not_taken_up() {
    let scene = Scene::new(Upstream::saying(&ok("{}")));
    let offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
    assert_eq!(scene.client().call("GET", "/orders/1", offer, "").unwrap().status(), 200);
    let seen = &scene.upstream.got()[0];
    assert_eq!((seen.header("upgrade"), seen.header("http2-settings")), (None, None));
}

#[test]
fn what_is_no_request_is_recorded_too() {
    let scene = Scene::new(Upstream::saying(&ok("{}")));
    let mut client = scene.client();
    client.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n");
    assert!(client.read_to_end().0.starts_with(b"HTTP/1.1 400 Bad Request"));
    let exchange = scene.finish_with_one();
    assert!(exchange.problem.unwrap().contains("is no HTTP request"));
    assert_eq!((exchange.forwarded, exchange.operation), (Forwarded::No, None));
}

#[test]
fn two_hundred_callers_at_once_all_get_their_own_answers() {
    let scene = Scene::new(Upstream::answering(|got| {
        thread::sleep(Duration::from_millis(20));
        ok(&format!("{} {}", got.line(), String::from_utf8_lossy(&got.body)))
    }));
    thread::scope(|scope| {
        let mut clients: Vec<_> = (0..200).map(|_| scene.client()).collect();
        for (number, mut client) in clients.drain(..).enumerate() {
            scope.spawn(move || {
                for round in 0..3 {
                    let body = format!("{number}/{round}");
                    let got = client.call("POST", "/orders", "", &body).unwrap();
                    assert_eq!(got.text(), format!("POST /orders HTTP/1.1 {body}"));
                }
            });
        }
    });
    let seen = scene.finish();
    assert_eq!((seen.exchanges.len(), seen.late, seen.unrecorded), (600, false, 0));
    assert!(seen.exchanges.iter().all(|exchange| exchange.delivered == Delivered::Whole && exchange.problem.is_none()));
}

#[test]
fn a_call_after_the_last_step_is_turned_away_and_recorded() {
    let upstream = Upstream::acting(|_, stream| {
        thread::sleep(Duration::from_millis(400));
        stream.write_all(ok("{}").as_bytes()).is_ok()
    });
    let scene = Scene::new(upstream);
    let mut early = scene.client();
    let mut late = scene.client();
    early.send(request("POST", "/orders", "", "{}"));
    scene.upstream.wait_for(1);
    scene.trial.end_step();
    let upstream = scene.upstream.clone();
    let finished = thread::spawn(move || scene.finish());
    thread::sleep(Duration::from_millis(100));
    late.send(request("POST", "/orders", "", "{}"));
    assert!(late.read_answer().is_err());
    // What was under way comes to its end.
    assert_eq!(early.read_answer().unwrap().status(), 200);
    let seen = finished.join().unwrap();
    assert_eq!((upstream.whole(), seen.late), (1, false));
    assert_eq!(seen.exchanges.iter().map(|exchange| exchange.step).collect::<Vec<_>>(), [1, 0]);
    assert!(seen.exchanges[1].problem.as_ref().unwrap().contains("after the trial's last step"));
}

#[test]
fn a_trial_that_is_dropped_ends_its_connections() {
    let scene = Scene::new(Upstream::saying(&answer("200 OK", "", "x")));
    let mut client = scene.client();
    client.call("GET", "/orders/1", "", "").unwrap();
    drop(scene);
    assert!(client.read_answer().is_err());
}

#[test]
fn an_address_that_leads_nowhere_is_refused_before_the_trial() {
    let proxy = Proxy::start().unwrap();
    for (address, words) in [
        ("ftp://example.org", "does not begin with http:// or https://"),
        ("example.org:80", "does not begin with http:// or https://"),
        ("http://user:word@example.org", "user name"),
        ("http://example.org/?a=1", "a query"),
        ("http://", "no address"),
        ("https://exa_mple!.org", "no"),
    ] {
        let connector = super::scene::connector(address);
        let error = proxy.open(TrialSetup { connectors: vec![connector], faults: &[], seed: 0 }).unwrap_err();
        assert!(matches!(error, ProxyError::Upstream { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(words) && text.contains("`shop`") && !text.contains("word"), "{text}");
    }
}
