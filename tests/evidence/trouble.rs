//! Targets that are down, die, or speak something else: a clear error, no hang, nothing lost.

use std::io::Write as _;
use std::net::TcpListener;

use holdpoint::evidence::{Answered, ErrorKind, Observation};
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
    scene.file["connectors"]["shop"]["upstream"]["start"]["ready_timeout_s"] = json!(1);
    assert!(error(&scene.run_one()).1.contains("answers with the status 404"));
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
    assert_eq!(order.outcome, holdpoint::domain::Outcome::Uncertain);
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
            let _ = stream.unwrap().write_all(b"220 mail.example ESMTP\r\n");
        }
    });
    let other = with_upstream(&format!("http://{address}"));
    assert!(error(&other).1.contains("is no HTTP"), "{other:#?}");
}

#[test]
fn a_run_that_is_forced_to_end_lets_nothing_run_on() {
    let mut scene = Scene::new();
    scene.case("a", json!({"sleep_s": 600}), json!({}));
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    std::thread::scope(|scope| {
        let cancellation = &scene.cancellation;
        scope.spawn(move || {
            std::thread::sleep(std::time::Duration::from_secs(2));
            cancellation.request();
            cancellation.request();
        });
        let observation = scene.run_one();
        assert_eq!(error(&observation).0, ErrorKind::Cancelled);
        stop.store(true, std::sync::atomic::Ordering::SeqCst);
    });
    assert!(stop.load(std::sync::atomic::Ordering::SeqCst));
}
