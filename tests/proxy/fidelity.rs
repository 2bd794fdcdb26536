//! What is passed on is passed on as it is: framing, headers, trailers, sizes, and callers that come and go.

use std::io::{ErrorKind, Read as _, Write as _};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use holdpoint::domain::{Digest, Digester};
use holdpoint::evidence::{Delivered, Forwarded};

use super::client::request;
use super::scene::{Scene, Setting};
use super::upstream::{Upstream, answer, ok};

#[test]
fn a_chunked_body_stays_chunked_with_its_trailers_both_ways() {
    let scene = Scene::new(Upstream::saying(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Sum: 9\r\n\r\n",
    ));
    let mut client = scene.client();
    client.send("POST /orders HTTP/1.1\r\nHost: p\r\nTE: trailers\r\nConnection: TE\r\nTrailer: X-Up\r\n");
    client.send("Transfer-Encoding: chunked\r\n\r\n4\r\nwxyz\r\n0\r\nX-Up: 1\r\n\r\n");
    let got = client.read_answer().unwrap();
    assert_eq!((got.text(), got.trailers.to_ascii_lowercase().as_str()), ("abcde", "x-sum: 9"));
    assert_eq!(got.header("content-length"), None);
    let seen = &scene.upstream.got()[0];
    assert_eq!((seen.body.as_slice(), seen.trailers.to_ascii_lowercase().as_str()), (b"wxyz".as_slice(), "x-up: 1"));
    assert_eq!(seen.header("content-length"), None);
    let exchange = scene.finish_with_one();
    assert_eq!(exchange.request.digest, Some(Digest::of(b"wxyz")));
    let answer = exchange.answer.unwrap();
    assert_eq!((answer.digest, answer.bytes), (Some(Digest::of(b"abcde")), 5));
    assert_eq!((exchange.forwarded, exchange.delivered), (Forwarded::Whole, Delivered::Whole));
}

#[test]
fn trailers_reach_only_a_caller_that_takes_them_and_early_hints_reach_nobody() {
    let scene = Scene::new(Upstream::saying(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 9\r\n\r\n",
    ));
    let got = scene.client().call("POST", "/orders", "", "{}").unwrap();
    assert_eq!((got.status(), got.text(), got.trailers.as_str()), (200, "abc", ""));
    assert_eq!(got.header("link"), None);
    let exchange = scene.finish_with_one();
    assert_eq!((exchange.delivered, exchange.problem), (Delivered::Whole, None));
}

#[test]
fn an_answer_that_states_its_length_twice_is_passed_back_by_the_one_that_counts() {
    let twice = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    let scene = Scene::new(Upstream::saying(twice));
    let got = scene.client().call("POST", "/orders", "", "{}").unwrap();
    assert_eq!((got.status(), got.text(), got.header("content-length")), (200, "abc", None));
    let exchange = scene.finish_with_one();
    assert_eq!((exchange.delivered, exchange.problem), (Delivered::Whole, None));
}

#[test]
fn header_names_values_and_their_order_stay_and_those_of_the_connection_go_no_further() {
    let scene = Scene::new(Upstream::saying(&answer(
        "200 Very Well",
        "X-One: 1\r\nx-TWO:  b  \r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nKeep-Alive: timeout=5\r\nConnection: X-Hop\r\nX-Hop: 1\r\nContent-Encoding: gzip\r\n",
        "\u{1f}",
    )));
    let mut client = scene.client();
    let got = client
        .call("GET", "/orders/7?a=%2F&b=+", "X-First: 1\r\nx-SECOND: 2\r\nX-First: 3\r\nAccept-Encoding: gzip\r\nConnection: keep-alive, X-Mine\r\nX-Mine: 1\r\nKeep-Alive: 5\r\nProxy-Connection: x\r\n", "")
        .unwrap();
    let lines: Vec<_> = got.head.lines().collect();
    assert_eq!(
        lines,
        [
            "HTTP/1.1 200 Very Well",
            "X-One: 1",
            "x-TWO: b",
            "Set-Cookie: a=1",
            "Set-Cookie: b=2",
            "Content-Encoding: gzip",
            "Content-Length: 1"
        ]
    );
    let host = scene.upstream.address.strip_prefix("http://").unwrap().to_owned();
    let seen = scene.upstream.got()[0].head.clone();
    assert_eq!(
        seen.lines().collect::<Vec<_>>(),
        [
            "GET /orders/7?a=%2F&b=+ HTTP/1.1",
            &format!("Host: {host}"),
            "X-First: 1",
            "X-First: 3",
            "x-SECOND: 2",
            "Accept-Encoding: gzip"
        ]
    );
}

#[test]
fn the_end_of_a_connection_is_passed_on_to_the_other_side() {
    let scene = Scene::new(Upstream::saying(&answer("200 OK", "Connection: close\r\n", "x")));
    let mut client = scene.client();
    let got = client.call("GET", "/orders/1", "", "").unwrap();
    assert_eq!(got.header("connection"), Some("close"));
    assert_eq!(client.read_answer().unwrap_err().kind(), ErrorKind::UnexpectedEof);
    scene.client().call("GET", "/orders/1", "Connection: close\r\n", "").unwrap();
    assert_eq!(scene.upstream.got()[1].header("connection"), Some("close"));
}

/// How its body would be framed without a length is left out: it says nothing here.
#[test]
fn an_answer_to_head_keeps_its_length_and_has_no_body() {
    let scene = Scene::new(Upstream::answering(|got| match got.line().split(' ').nth(1).unwrap() {
        "/stated" => "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n".to_owned(),
        "/chunked" => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned(),
        _ => "HTTP/1.1 200 OK\r\n\r\n".to_owned(),
    }));
    let mut client = scene.client();
    for (target, length) in [("/stated", Some("1234")), ("/chunked", None), ("/silent", None)] {
        let got = client.call("HEAD", target, "", "").unwrap();
        assert_eq!((got.header("content-length"), got.header("transfer-encoding")), (length, None), "{target}");
    }
    let seen = scene.finish();
    assert!(seen.exchanges.iter().all(|exchange| exchange.delivered == Delivered::Whole), "{:#?}", seen.exchanges);
}

#[test]
fn answers_that_have_no_body_leave_the_connection_as_it_was() {
    let scene = Scene::new(Upstream::answering(|got| match got.line().split(' ').nth(1).unwrap() {
        "/204" => "HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n".to_owned(),
        "/304" => "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n".to_owned(),
        _ => answer("200 OK", "", ""),
    }));
    let mut client = scene.client();
    assert_eq!(client.call("GET", "/204", "", "").unwrap().head, "HTTP/1.1 204 No Content\r\nX-A: 1");
    assert_eq!(client.call("GET", "/304", "", "").unwrap().head, "HTTP/1.1 304 Not Modified\r\nETag: \"x\"");
    assert_eq!(client.call("GET", "/200", "", "").unwrap().head, "HTTP/1.1 200 OK\r\nContent-Length: 0");
    let seen = scene.finish();
    assert!(seen.exchanges.iter().all(|exchange| exchange.delivered == Delivered::Whole));
}

#[test]
fn a_caller_that_waits_to_be_asked_is_asked_when_the_upstream_asks() {
    let (asked, asks) = mpsc::channel::<()>();
    let asks = std::sync::Mutex::new(asks);
    let upstream = Upstream::before_and_after(
        move |_, stream| {
            asks.lock().unwrap().recv().unwrap();
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").is_ok()
        },
        |_, stream| stream.write_all(ok("{}").as_bytes()).is_ok(),
    );
    let scene = Scene::new(upstream);
    let mut client = scene.client();
    client.send("POST /orders HTTP/1.1\r\nHost: p\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    client.stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert!(client.read_head().is_err(), "the proxy asked before the upstream did");
    client.stream.set_read_timeout(Some(super::client::PATIENCE)).unwrap();
    asked.send(()).unwrap();
    assert_eq!(client.read_head().unwrap(), "HTTP/1.1 100 Continue");
    client.send("hello");
    assert_eq!(client.read_answer().unwrap().text(), "{}");
    assert_eq!(scene.upstream.got()[0].body, b"hello");
}

#[test]
fn a_caller_that_waits_to_be_asked_is_asked_after_a_while_where_the_upstream_never_asks() {
    let scene = Scene::new(Upstream::saying(&ok("{}")));
    let mut client = scene.client();
    client.send("POST /orders HTTP/1.1\r\nHost: p\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    assert_eq!(client.read_head().unwrap(), "HTTP/1.1 100 Continue");
    client.send("hello");
    assert_eq!(client.read_answer().unwrap().text(), "{}");
}

#[test]
fn a_refusal_without_the_body_reaches_a_caller_that_waits_to_be_asked() {
    let upstream = Upstream::before_and_after(
        |_, stream| {
            let _ = stream.write_all(answer("401 Unauthorized", "", "no").as_bytes());
            false
        },
        |_, _| false,
    );
    let scene = Scene::new(upstream);
    let mut client = scene.client();
    client.send("POST /orders HTTP/1.1\r\nHost: p\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    let got = client.read_answer().unwrap();
    assert_eq!((got.status(), got.text()), (401, "no"));
    let exchange = scene.finish_with_one();
    assert_eq!((exchange.forwarded, exchange.status), (Forwarded::Partly, Some(401)));
    assert_eq!((exchange.request.bytes, exchange.request.digest), (0, None));
}

#[test]
fn an_answer_before_the_end_of_the_request_is_passed_back() {
    let upstream = Upstream::before_and_after(
        |_, stream| stream.write_all(answer("413 Content Too Large", "", "too long").as_bytes()).is_ok(),
        |_, _| true,
    );
    let scene = Scene::new(upstream);
    let mut client = scene.client();
    client.send("POST /orders HTTP/1.1\r\nHost: p\r\nContent-Length: 10\r\n\r\nhello");
    assert_eq!(client.read_answer().unwrap().text(), "too long");
}

/// So many bytes, each block with its number in it.
fn blocks(count: u64) -> impl Iterator<Item = Vec<u8>> {
    (0..count).map(|number| number.to_le_bytes().repeat(8 * 1024))
}

#[test]
fn large_bodies_pass_both_ways_whatever_the_pace_of_the_reader() {
    const BLOCKS: u64 = 256;
    let mut digester = Digester::default();
    blocks(BLOCKS).for_each(|block| digester.add(&block));
    let digest = digester.finish();
    let upstream = Upstream::acting(|got, stream| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", got.body.len());
        stream.write_all(head.as_bytes()).is_ok() && stream.write_all(&got.body).is_ok()
    });
    let scene = Scene::with(upstream, Setting { record_bytes: 100, ..Setting::default() });
    let mut client = scene.client();
    let length: usize = blocks(BLOCKS).map(|block| block.len()).sum();
    client.send(format!("POST /orders HTTP/1.1\r\nHost: p\r\nContent-Length: {length}\r\n\r\n"));
    blocks(BLOCKS).for_each(|block| {
        client.send(block);
    });
    // The buffers on the way fill up, and everybody waits.
    thread::sleep(Duration::from_millis(300));
    let got = client.read_answer().unwrap();
    assert_eq!((got.body.len(), Digest::of(&got.body)), (length, digest.clone()));
    let exchange = scene.finish_with_one();
    let answer = exchange.answer.unwrap();
    for message in [&exchange.request, &answer] {
        assert_eq!((message.bytes, message.digest.as_ref()), (length as u64, Some(&digest)));
        assert!(message.is_cut && message.text.len() <= 300, "{}", message.text.len());
    }
}

#[test]
fn a_stream_of_events_reaches_the_caller_while_it_goes_on() {
    let (next, nexts) = mpsc::channel::<()>();
    let nexts = std::sync::Mutex::new(nexts);
    let upstream = Upstream::acting(move |_, stream| {
        stream
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            .unwrap();
        for number in 0..3 {
            nexts.lock().unwrap().recv().unwrap();
            let event = format!("data: {number}\n\n");
            stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).unwrap();
        }
        stream.write_all(b"0\r\n\r\n").is_ok()
    });
    let scene = Scene::new(upstream);
    let mut client = scene.client();
    client.send(request("POST", "/orders", "", "{}"));
    client.read_head().unwrap();
    for number in 0..3 {
        next.send(()).unwrap();
        let mut bytes = vec![0; 14];
        client.stream.read_exact(&mut bytes).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), format!("9\r\ndata: {number}\n\n\r\n"));
    }
}

#[test]
fn a_caller_that_closes_its_own_side_alone_still_gets_the_answer() {
    let upstream = Upstream::acting(|_, stream| {
        thread::sleep(Duration::from_millis(100));
        stream.write_all(ok("{}").as_bytes()).is_ok()
    });
    let scene = Scene::new(upstream);
    let mut client = scene.client();
    client.send(request("POST", "/orders", "", "{}"));
    client.finish_writing();
    assert_eq!(client.read_answer().unwrap().text(), "{}");
    assert_eq!(scene.finish_with_one().delivered, Delivered::Whole);
}

#[test]
fn a_caller_that_leaves_early_does_not_keep_the_answer_from_the_record() {
    let (go, goes) = mpsc::channel::<()>();
    let goes = std::sync::Mutex::new(goes);
    let upstream = Upstream::acting(move |_, stream| {
        goes.lock().unwrap().recv().unwrap();
        stream.write_all(answer("201 Created", "", "{\"receipt\":1}").as_bytes()).is_ok()
    });
    let scene = Scene::new(upstream);
    let mut client = scene.client();
    client.send(request("POST", "/orders", "", "{\"order\":\"O-1\"}"));
    scene.upstream.wait_for(1);
    drop(client);
    thread::sleep(Duration::from_millis(100));
    go.send(()).unwrap();
    let exchange = scene.finish_with_one();
    assert_eq!((exchange.forwarded, exchange.delivered), (Forwarded::Whole, Delivered::No));
    assert_eq!((exchange.status, exchange.delivered_status), (Some(201), None));
    assert_eq!(exchange.answer.unwrap().text, "{\"receipt\":1}");
    // It ended when the caller left, not when the answer came.
    assert!(exchange.answered_us.unwrap() - exchange.ended_us > 50_000);
}

#[test]
fn a_caller_that_leaves_within_its_request_leaves_a_record() {
    let scene = Scene::new(Upstream::saying(&ok("{}")));
    let mut client = scene.client();
    client.send("POST /orders HTTP/1.1\r\nHost: p\r\nContent-Length: 10\r\n\r\nhello");
    thread::sleep(Duration::from_millis(50));
    drop(client);
    scene.upstream.wait_for(1);
    assert!(!scene.upstream.got()[0].is_whole);
    let exchange = scene.finish_with_one();
    assert_eq!((exchange.forwarded, exchange.delivered), (Forwarded::Partly, Delivered::No));
    assert_eq!((exchange.request.bytes, exchange.request.digest), (5, None));
    assert!(exchange.problem.unwrap().contains("the caller went away before its request was whole"));
}

#[test]
fn a_caller_that_leaves_within_the_answer_has_a_part_of_it() {
    let upstream = Upstream::acting(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").unwrap();
        while stream.write_all(b"5\r\nhello\r\n").is_ok() {
            thread::sleep(Duration::from_millis(5));
        }
        false
    });
    let scene = Scene::new(upstream);
    let mut client = scene.client();
    client.send(request("GET", "/orders/1", "", ""));
    client.read_head().unwrap();
    drop(client);
    let exchange = scene.finish_with_one();
    assert_eq!((exchange.forwarded, exchange.delivered), (Forwarded::Whole, Delivered::Partly));
    assert_eq!((exchange.status, exchange.delivered_status), (Some(200), Some(200)));
    assert_eq!(exchange.answer.unwrap().digest, None);
}

#[test]
fn an_upstreams_path_goes_before_the_calls_own_and_patterns_stand_below_the_base_path() {
    let setting = Setting { base_path: "/v1", upstream_path: "/api/", ..Setting::default() };
    let scene = Scene::with(Upstream::saying(&ok("{}")), setting);
    assert!(scene.address.ends_with("/v1"), "{}", scene.address);
    let mut client = scene.client();
    client.call("POST", "/v1/orders?x=1", "", "{}").unwrap();
    client.call("POST", "/orders", "", "{}").unwrap();
    client.call("POST", "/v1orders", "", "{}").unwrap();
    let lines: Vec<_> = scene.upstream.got().iter().map(|got| got.line().to_owned()).collect();
    assert_eq!(lines, ["POST /api/v1/orders?x=1 HTTP/1.1", "POST /api/orders HTTP/1.1", "POST /api/v1orders HTTP/1.1"]);
    let operations: Vec<_> = scene.finish().exchanges.into_iter().map(|exchange| exchange.operation).collect();
    assert_eq!(operations, [Some("order".to_owned()), None, None]);
}

#[test]
fn a_caller_that_is_sent_elsewhere_at_the_upstream_is_sent_there_through_the_proxy() {
    let scene = Scene::new(Upstream::answering(|got| {
        let target = got.line().split(' ').nth(1).unwrap();
        let location = match target {
            "/orders" => format!("http://{}/orders/", got.header("host").unwrap()),
            other => format!("http://elsewhere.invalid{other}"),
        };
        answer("307 Temporary Redirect", &format!("Location: {location}\r\n"), "")
    }));
    let mut client = scene.client();
    let got = client.call("POST", "/orders", "", "{}").unwrap();
    assert_eq!(got.header("location"), Some(format!("{}/orders/", scene.address).as_str()));
    let got = client.call("POST", "/orders/", "", "{}").unwrap();
    assert_eq!(got.header("location"), Some("http://elsewhere.invalid/orders/"));
}

#[test]
fn a_caller_of_an_older_version_gets_an_answer_that_it_understands() {
    let scene =
        Scene::new(Upstream::saying("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"));
    let mut client = scene.client();
    client.send("GET /orders/1 HTTP/1.0\r\n\r\n");
    let (bytes, end) = client.read_to_end();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.starts_with("HTTP/1.0 200 OK\r\n") && text.ends_with("\r\n\r\nabc"), "{text}");
    assert!(!text.to_ascii_lowercase().contains("chunked"), "{text}");
    end.unwrap();
    assert!(scene.upstream.got()[0].header("host").is_some());
}
