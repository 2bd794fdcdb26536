//! Each fault by where it falls, and what the target, the attempts and the claim then show together.

use std::collections::BTreeMap;

use holdpoint::domain::{Claim, ClaimCheck, Outcome};
use holdpoint::evidence::{Answered, Delivered, ErrorKind, Forwarded, Observation};
use serde_json::json;

use crate::scene::{MANIFEST, Scene, bounded, claim, fault, order};

fn seen(observation: &Observation) -> (Outcome, usize, usize) {
    let order = order(observation);
    (order.outcome, order.attempts.len(), order.effects)
}

fn run_all() -> BTreeMap<String, Observation> {
    let mut scene = Scene::new();
    scene.write("manifests/shop.yaml", &bounded(0.2));
    let (once, keyed, twice) = (json!({}), json!({"keyed": true, "attempts": 2}), json!({"attempts": 2}));
    scene.case("clean", once.clone(), json!({}));
    scene.case("lost-keyed", keyed.clone(), fault("lost_ack", json!({})));
    scene.case("lost-unkeyed", twice.clone(), fault("lost_ack", json!({})));
    scene.case("lost-and-given-up", json!({"claim": "failed"}), fault("lost_ack", json!({"by": "status"})));
    scene.case("dropped", once.clone(), fault("drop_before", json!({})));
    scene.case("dropped-then-done", twice.clone(), fault("drop_before", json!({})));
    scene.case("claimed-all-the-same", json!({"claim": "completed"}), fault("drop_before", json!({})));
    scene.case("late", json!({"timeout_s": 1.0}), fault("late_commit", json!({"by": "timeout", "seconds": 1.5})));
    scene.case("delivered-twice", once.clone(), fault("duplicate_delivery", json!({})));
    scene.case("delivered-twice-keyed", json!({"keyed": true}), fault("duplicate_delivery", json!({})));
    scene.case("refused", json!({"item": "sold-out"}), json!({}));
    scene.case("broke-after", json!({"item": "fragile", "claim": "failed"}), json!({}));
    scene.case("other-quantity", json!({"item": "by-the-dozen", "quantity": 12}), json!({}));
    scene.case("never-fired", once, fault("lost_ack", json!({"attempt": 2})));
    scene.case("outage", json!({"attempts": 4}), fault("unavailable", json!({"through": 3})));
    scene.run()
}

#[test]
fn every_fault_shows_as_what_it_left_at_the_target() {
    let all = run_all();
    let expected = [
        ("clean", (Outcome::Committed, 1, 1)),
        ("lost-keyed", (Outcome::Replayed, 2, 1)),
        ("lost-unkeyed", (Outcome::Duplicated, 2, 2)),
        ("lost-and-given-up", (Outcome::Committed, 1, 1)),
        ("dropped", (Outcome::NotCommitted, 1, 0)),
        ("dropped-then-done", (Outcome::Committed, 2, 1)),
        ("claimed-all-the-same", (Outcome::NotCommitted, 1, 0)),
        ("late", (Outcome::Committed, 1, 1)),
        ("delivered-twice", (Outcome::Duplicated, 1, 2)),
        ("delivered-twice-keyed", (Outcome::Committed, 1, 1)),
        ("refused", (Outcome::Rejected, 1, 0)),
        ("broke-after", (Outcome::Committed, 1, 1)),
        ("other-quantity", (Outcome::Mismatched, 1, 1)),
        ("outage", (Outcome::Committed, 4, 1)),
    ];
    for (case, expected) in expected {
        assert_eq!(seen(&all[case]), expected, "{case}: {:#?}", all[case].operations);
    }
    let claims = [
        ("clean", (Claim::Completed, ClaimCheck::Confirmed)),
        ("lost-and-given-up", (Claim::Failed, ClaimCheck::FalseFailure)),
        ("dropped", (Claim::Unknown, ClaimCheck::HonestUnknown)),
        ("claimed-all-the-same", (Claim::Completed, ClaimCheck::FalseSuccess)),
        ("late", (Claim::Unknown, ClaimCheck::HonestUnknown)),
        ("delivered-twice", (Claim::Completed, ClaimCheck::FalseSuccess)),
        ("refused", (Claim::Rejected, ClaimCheck::Confirmed)),
        ("broke-after", (Claim::Failed, ClaimCheck::FalseFailure)),
    ];
    for (case, (said, check)) in claims {
        assert_eq!(claim(&all[case]), (Some(said), check), "{case}");
    }
    attempts_say_what_came_back(&all);
    exchanges_show_both_sides(&all);
    let error = all["never-fired"].error.as_ref().expect("a fault that never fired is the trial's error");
    assert!(error.message.contains("never fired: attempt 2 at shop/order"), "{error:?}");
}

fn attempts_say_what_came_back(all: &BTreeMap<String, Observation>) {
    let answers = |case: &str| order(&all[case]).attempts.iter().map(|seen| seen.answered.clone()).collect::<Vec<_>>();
    let receipt = || Some("1".to_owned());
    assert_eq!(
        answers("lost-keyed"),
        [Answered::Committed { receipt: receipt() }, Answered::Replayed { receipt: receipt() },]
    );
    assert_eq!(answers("dropped"), [Answered::NotForwarded]);
    assert_eq!(answers("refused"), [Answered::Refused { reason: "no such item in stock".to_owned() }]);
    assert_eq!(answers("broke-after"), [Answered::Error { detail: "status 500".to_owned() }]);
    assert_eq!(answers("outage")[..3], vec![Answered::NotForwarded; 3]);
    let first = &order(&all["lost-keyed"]).attempts[0];
    assert_eq!((first.identity.as_deref(), first.fault.as_deref()), (Some("key-O-1"), Some("lost_ack by reset")));
}

fn exchanges_show_both_sides(all: &BTreeMap<String, Observation>) {
    let lost = &all["lost-keyed"].exchanges;
    assert_eq!(lost.len(), 2);
    assert_eq!((lost[0].status, lost[0].delivered_status, lost[0].forwarded), (Some(201), None, Forwarded::Whole));
    assert_eq!((lost[0].target.as_str(), lost[0].step), ("/v1/orders", 1));
    let had = &all["clean"].looks["orders"];
    assert!(had.settled && had.authoritative && had.readings == 1, "{had:?}");
    assert!(had.at_us > all["clean"].exchanges[0].ended_us);
}

#[test]
fn a_step_that_may_fail_does_not_end_the_trial_and_its_answer_counts_as_none() {
    let mut scene = Scene::new();
    let steps = json!([{"invoke": {"may_fail": true}}, {"restart": {}}, {"invoke": {}}]);
    let input = json!({"crash": true, "keyed": true});
    scene.case("goes-on", input.clone(), json!({"steps": steps}));
    scene.case("ends", input, json!({"steps": [{"invoke": {}}, {"invoke": {}}]}));
    let all = scene.run();
    let went_on = &all["goes-on"];
    assert_eq!(seen(went_on), (Outcome::Replayed, 2, 1));
    assert!(went_on.steps[0].answer.is_none() && went_on.steps[2].answer.is_some());
    let failure = went_on.steps[0].failure.as_ref().expect("the failure is kept");
    assert!(failure.message.contains("giving up"), "{failure:?}");
    assert_eq!(went_on.exchanges.iter().map(|exchange| exchange.step).collect::<Vec<_>>(), [1, 3]);
    // Where it may not fail, the trial ends, and what it did until then is looked at all the same.
    let ended = &all["ends"];
    assert!(ended.error.as_ref().unwrap().message.contains("giving up"));
    assert_eq!((ended.steps.len(), ended.exchanges.len()), (1, 1));
    assert_eq!(ended.operations[0].outcome, Outcome::Committed);
}

#[test]
fn a_workflow_that_is_ended_still_shows_its_calls_and_what_they_left() {
    let mut scene = Scene::new();
    scene.file["workflows"]["buyer"]["timeout_s"] = json!(1);
    scene.case("too-long", json!({"sleep_s": 60}), json!({}));
    let observation = scene.run_one();
    assert!(observation.error.as_ref().unwrap().message.contains("ran for more than 1 s"), "{observation:#?}");
    assert_eq!((observation.exchanges.len(), observation.operations[0].outcome), (1, Outcome::Committed));
}

#[test]
fn a_replay_can_show_by_a_header_that_nobody_listed() {
    let mut scene = Scene::new();
    scene.write("manifests/shop.yaml", &MANIFEST.replace("{field: replayed}", "{header: X-Shop-Replayed}"));
    scene.case("lost", json!({"keyed": true, "attempts": 2}), fault("lost_ack", json!({})));
    let observation = scene.run_one();
    assert_eq!(order(&observation).attempts[1].answered, Answered::Replayed { receipt: Some("1".to_owned()) });
}

#[test]
fn what_a_step_leaves_running_is_ended_and_the_target_goes_on() {
    let mut scene = Scene::new();
    let input = json!({"leaves_something_running": true, "keyed": true});
    scene.case("leaves", input, json!({"steps": [{"invoke": {}}, {"invoke": {}}]}));
    let observation = scene.run_one();
    assert_eq!(seen(&observation), (Outcome::Replayed, 2, 1));
}

/// Orders a lamp for each request, at the address that stands in it; for one that says `later`, half a second after its answer.
const SERVICE: &str = "\
import json, sys, threading, time, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer


class Service(BaseHTTPRequestHandler):
    def answer(self, text):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        self.answer(b'ready')

    def order(self, call):
        time.sleep(0.5 if call['input'].get('later') else 0)
        body = json.dumps({'request': 'O-1', 'item': 'lamp', 'quantity': 1}).encode()
        path = call['input'].get('path', '/orders')
        asked = urllib.request.Request(call['connectors']['shop'] + path, None if path == '/looked' else body)
        urllib.request.urlopen(asked).read()

    def do_POST(self):
        call = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        if call['input'].get('later'):
            threading.Thread(target=self.order, args=[call]).start()
        else:
            self.order(call)
        self.answer(b'status ok')

    def log_message(self, *_):
        pass


HTTPServer(('127.0.0.1', int(sys.argv[1])), Service).serve_forever()
";

fn with_service() -> Scene {
    let mut scene = Scene::new();
    scene.write("service.py", SERVICE);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/");
    scene.file["workflows"]["buyer"] = json!({
        "http": {"url": url, "start": ["python3", "service.py", port.to_string()], "ready": {"url": url}},
        "parts": ["shop"],
    });
    scene
}

#[test]
fn a_service_that_goes_on_after_its_answer_is_found_out_and_what_it_does_then_goes_nowhere() {
    let mut scene = with_service();
    scene.file["probes"]["orders"]["settle"] = json!({"after_s": 2.0});
    scene.case("writes", json!({"later": true}), json!({}));
    scene.case("writes-elsewhere", json!({"later": true, "path": "/notes"}), json!({}));
    scene.case("looks", json!({"later": true, "path": "/looked"}), json!({}));
    let all = scene.run();
    let writes = &all["writes"];
    let operation = &writes.operations[0];
    assert_eq!(
        (operation.outcome, operation.attempts.len(), operation.effects),
        (Outcome::NotCommitted, 1, 0),
        "{writes:#?}"
    );
    let error = writes.error.as_ref().unwrap();
    assert_eq!(error.kind, ErrorKind::WentOn);
    assert!(error.message.contains("POST /v1/orders"), "{error:?}");
    let call = &writes.exchanges[0];
    assert_eq!((call.step, call.forwarded, call.delivered), (0, Forwarded::No, Delivered::No));
    assert!(call.problem.as_ref().unwrap().contains("after the trial's last step"), "{call:?}");
    assert!(all["writes-elsewhere"].error.as_ref().unwrap().message.contains("POST /v1/notes"));
    // To look is no harm; it is on record all the same.
    assert_eq!((&all["looks"].error, all["looks"].exchanges.len()), (&None, 1));
}

#[test]
fn a_service_finds_the_trials_own_address_in_each_invocation() {
    let mut scene = with_service();
    scene.case("one", json!({}), json!({}));
    scene.case("other", json!({}), json!({}));
    for observation in scene.run().values() {
        assert_eq!(seen(observation), (Outcome::Committed, 1, 1));
        // What is passed on is closed when the look is had: nothing of the service can come any more.
        assert!(observation.looks["orders"].settled);
    }
}
