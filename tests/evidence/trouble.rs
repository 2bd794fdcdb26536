//! Targets that are down, die, or speak something else: a clear error, no hang, nothing lost.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use holdpoint::domain::Outcome;
use holdpoint::evidence::{Answered, ErrorKind, Forwarded, Observation, Reading};
use serde_json::json;

use crate::scene::Scene;

fn error(observation: &Observation) -> (ErrorKind, &str) {
    let error = observation.error.as_ref().unwrap_or_else(|| panic!("{observation:#?}"));
    (error.kind, &error.message)
}

#[test]
fn a_target_that_dies_in_its_trial_is_the_trials_error_with_its_last_words() {
    let mut scene = Scene::new();
    scene.case("explodes", json!({"item": "dynamite", "attempts": 3}), json!({}));
    scene.case("lives", json!({}), json!({}));
    let all = scene.run();
    let (kind, message) = error(&all["explodes"]);
    assert_eq!(kind, ErrorKind::Start);
    assert!(
        message.starts_with("the target of the connector `shop`: the service `python3` has ended by itself"),
        "{message}"
    );
    assert!(message.contains("the shop burns down"), "{message}");
    assert_eq!(all["explodes"].exchanges.len(), 3);
    assert_eq!(all["lives"].error, None);
}

#[test]
fn a_target_that_never_starts_or_never_becomes_ready_is_an_error_before_any_step() {
    let mut scene = Scene::new();
    scene.case("a", json!({}), json!({}));
    scene.write("shop.py", "import sys\nprint('no database')\nsys.exit(1)\n");
    let observation = scene.run_one();
    let (kind, message) = error(&observation);
    assert_eq!((kind, observation.steps.len()), (ErrorKind::Start, 0));
    assert!(message.contains("the connector `shop`") && message.contains("no database"), "{message}");

    scene.write("shop.py", "import time\nprint('busy', flush=True)\ntime.sleep(600)\n");
    scene.file["connectors"]["shop"]["upstream"]["start"]["ready_timeout_s"] = json!(1);
    let observation = scene.run_one();
    assert!(error(&observation).1.contains("was not ready after 1 s"), "{observation:#?}");

    scene.file["connectors"]["shop"]["upstream"]["start"]["run"] = json!(["no-such-program"]);
    let observation = scene.run_one();
    assert!(error(&observation).1.contains("no-such-program"), "{observation:#?}");
}

#[test]
fn a_readiness_path_is_waited_for() {
    let mut scene = Scene::new();
    scene.file["connectors"]["shop"]["upstream"]["start"]["ready"] = json!("/v1/orders");
    scene.case("a", json!({}), json!({}));
    assert_eq!(scene.run_one().error, None);
    scene.file["connectors"]["shop"]["upstream"]["start"]["ready"] = json!("/nothing");
    scene.file["connectors"]["shop"]["upstream"]["start"]["ready_timeout_s"] = json!(6);
    let observation = scene.run_one();
    let message = error(&observation).1;
    assert!(message.contains("answers with the status 404"), "{message}");
}

fn with_upstream(url: &str) -> Observation {
    let mut scene = Scene::new();
    scene.file["connectors"]["shop"]["upstream"] = json!({ "url": url });
    scene.file["connectors"]["shop"]["timeout_s"] = json!(1);
    scene.file["probes"]["orders"] = json!({
        "http": {"connector": "shop", "path": "/orders", "effects": "$.items[*]", "timeout_s": 1},
        "operation": "request",
        "of": "shop/order",
    });
    scene.case("a", json!({"attempts": 2}), json!({}));
    scene.run_one()
}

#[test]
fn an_upstream_that_is_down_is_the_trials_error_and_leaves_nothing_certain() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let observation = with_upstream(&format!("http://{free}"));
    let (kind, message) = error(&observation);
    assert_eq!(kind, ErrorKind::Transport);
    assert!(message.starts_with("call 1, to the connector `shop`: no connection to the upstream"), "{message}");
    assert_eq!(observation.exchanges.len(), 2);
    let order = &observation.operations[0];
    assert_eq!(
        order.attempts.iter().map(|seen| seen.answered.clone()).collect::<Vec<_>>(),
        [Answered::NotForwarded, Answered::NotForwarded]
    );
    assert_eq!((order.operation.as_str(), order.outcome), ("order:O-1", Outcome::Uncertain));
}

#[test]
fn an_upstream_that_never_answers_and_one_that_speaks_no_http_are_the_trials_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = with_upstream(&format!("http://{}", listener.local_addr().unwrap()));
    assert!(error(&silent).1.contains("did not begin an answer within 1s"), "{silent:#?}");
    drop(listener);

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"220 mail.example ESMTP\r\n");
            // Open until the other side has read it and gone.
            let _ = stream.read_to_end(&mut Vec::new());
        }
    });
    let other = with_upstream(&format!("http://{address}"));
    assert!(error(&other).1.contains("is no HTTP"), "{other:#?}");
}

/// The address of an upstream that reads what a caller asks first and then does this with the connection.
fn upstream(answer: impl Fn(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            answer(stream);
        }
    });
    format!("http://{address}")
}

#[test]
fn a_step_that_may_fail_and_waits_in_vain_says_for_which_call() {
    let url = upstream(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        // An answer without end, a byte at a time.
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    });
    let mut scene = Scene::new();
    scene.file["connectors"]["shop"]["upstream"] = json!({ "url": url });
    scene.file["workflows"]["buyer"]["timeout_s"] = json!(6);
    scene.file["probes"] = json!({});
    for (id, may_fail) in [("may", true), ("must-not", false)] {
        scene.case(id, json!({"timeout_s": 60}), json!({"steps": [{"invoke": {"may_fail": may_fail}}]}));
    }
    let all = scene.run();
    let failure = all["may"].steps[0].failure.as_ref().unwrap();
    assert_eq!((failure.kind, &all["may"].error), (ErrorKind::Timeout, &None));
    for message in [&failure.message, &error(&all["must-not"]).1.to_owned()] {
        let told =
            "; call 1, to the connector `shop` (POST /v1/orders), was still open: its answer, of status 200, had not";
        assert!(message.contains(told), "{message}");
    }
}

#[test]
fn a_fault_that_cannot_take_effect_says_why_in_the_case() {
    let url = upstream(|mut stream| {
        let head = "HTTP/1.1 201 Created\r\nContent-Encoding: gzip\r\nConnection: close\r\n";
        let _ = stream.write_all(format!("{head}Content-Length: 2\r\n\r\n{{}}").as_bytes());
    });
    let mut scene = Scene::new();
    scene.file["connectors"]["shop"]["upstream"] = json!({ "url": url });
    scene.file["probes"] = json!({});
    scene.case("a", json!({}), crate::scene::fault("corrupt_json", json!({})));
    let observation = scene.run_one();
    let (kind, message) = error(&observation);
    assert_eq!(kind, ErrorKind::FaultNotFired);
    assert!(message.contains("shop/order (") && message.contains("encoded as gzip"), "{message}");
}

#[test]
fn whoever_forces_a_run_to_end_does_not_wait_for_what_a_fault_keeps_on_its_way() {
    let mut scene = Scene::new();
    let late = crate::scene::fault("late_commit", json!({"by": "status", "seconds": 20}));
    scene.case("a", json!({"mark": "answered"}), late);
    let mark = scene.folder().join("answered");
    std::thread::scope(|scope| {
        let cancellation = &scene.cancellation;
        scope.spawn(move || {
            while !mark.exists() {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            cancellation.request();
            cancellation.request();
        });
        let observation = scene.run_one();
        // It would have landed if the trial had waited for it.
        assert_eq!(observation.exchanges[0].forwarded, Forwarded::No, "{observation:#?}");
    });
}

#[test]
fn a_run_that_is_forced_to_end_lets_nothing_run_on() {
    let mut scene = Scene::new();
    scene.case("a", json!({"sleep_s": 600}), json!({}));
    std::thread::scope(|scope| {
        let cancellation = &scene.cancellation;
        scope.spawn(move || {
            std::thread::sleep(std::time::Duration::from_secs(2));
            cancellation.request();
            cancellation.request();
        });
        assert_eq!(error(&scene.run_one()).0, ErrorKind::Cancelled);
    });
}

#[test]
fn a_question_by_tls_to_what_speaks_none_is_no_reading() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]");
            let _ = stream.read_to_end(&mut Vec::new());
        }
    });
    let mut scene = Scene::new();
    scene.file["probes"]["far"] = json!({"http": {"path": format!("https://127.0.0.1:{port}/orders?key=k")}});
    scene.case("a", json!({}), json!({"expect": [{"effects": {"probe": "far", "count": 0}}]}));
    let observation = scene.run_one();
    let Reading::Unreadable(reason) = &observation.readings["far"] else { panic!("{observation:#?}") };
    assert!(reason.starts_with(&format!("https://127.0.0.1:{port}/orders: no connection to the upstream")), "{reason}");
    assert_eq!(observation.exchanges.len(), 1, "a question is no call of the workflow");
}

#[test]
fn a_check_starts_nothing_and_opens_nothing() {
    let mut scene = Scene::new();
    scene.write("shop.py", "open('started', 'w').close()\n");
    scene.write(".gitignore", "");
    scene.case("a", json!({}), json!({}));
    scene.load();
    let check = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_holdpoint"));
        command.arg("--project").arg(scene.folder()).arg("check").output().unwrap()
    };
    let checked = check();
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    assert!(!scene.folder().join("started").exists());
    let without = json!({"connector": "shop", "operation": "order", "fault": "inject_text"});
    let case = json!({
        "id": "b", "title": "t", "workflow": "buyer", "input": {}, "faults": [without], "expect": [{"contains": "x"}],
    });
    scene.write("cases/action/b.yaml", &case.to_string());
    let refused = check();
    assert_eq!(refused.status.code(), Some(13));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("needs `pointer`"), "{refused:?}");
}
