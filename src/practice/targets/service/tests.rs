//! What a service does under each contract that a manifest can state.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::domain::PartId;
use crate::manifest::{FaultSpec, Part, PartKind};

/// An inventory whose `reserve` has this contract, in a folder of its own, on a clock of its own.
struct Bench {
    folder: tempfile::TempDir,
    clock: Clock,
    reserve: Value,
}

impl Bench {
    fn new(reserve: Value) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), clock: Clock::simulated(0), reserve }
    }

    fn service(&self, faults: &[(&str, FaultName)]) -> Service {
        let read = json!({"effect": "none"});
        let mut reserve = self.reserve.clone();
        reserve["effect"] = json!("create");
        let document = json!({
            "id": "inventory", "kind": "connector", "version": "1", "release": "1",
            "operations": {"reserve": reserve, "status": read, "allocations": read},
        });
        let id = PartId::new("inventory");
        let (kind, version, path) = (PartKind::Connector, "1".to_owned(), String::new());
        let document = document.as_object().cloned().unwrap();
        let part = Part::new(id.clone(), kind, version, path, document, BTreeMap::new());
        let faults = faults
            .iter()
            .zip(1..)
            .map(|((operation, fault), attempt)| FaultSpec::new(id.clone(), *operation, attempt, *fault));
        let path = self.folder.path().join("inventory.db");
        let contract = Contract::of(&part).unwrap();
        let service = Service::open(Target::Inventory, contract, &path, Durability::Trial, self.clock.clone()).unwrap();
        service.with_faults(ServiceFaults::new(faults.collect()))
    }

    fn allocations(&self) -> i64 {
        let connection = Connection::open(self.folder.path().join("inventory.db")).unwrap();
        connection.query_row("SELECT count(*) FROM allocations", [], |row| row.get(0)).unwrap()
    }
}

fn asked(call: &str, key: Option<&str>, body: Value) -> Asked {
    let body = body.as_object().cloned().unwrap();
    Asked { call: call.to_owned(), key: key.map(str::to_owned), actor: "coordinator".to_owned(), body }
}

fn reserve(key: Option<&str>, quantity: i64) -> Asked {
    let reference = "R-618/reservation";
    let body = json!({
        "request": "R-618", "reference": reference, "case": "C-618", "component": "PUMP-7", "quantity": quantity,
    });
    asked("reserve", key, body)
}

fn reply(ended: Ended) -> Reply {
    match ended {
        Ended::Answered(reply) => reply,
        Ended::Dropped => panic!("no answer came"),
    }
}

fn keyed(more: Value) -> Value {
    let mut idempotency = json!({"key": "caller", "keeps": "successes"});
    idempotency.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    json!({"idempotency": idempotency})
}

#[test]
fn without_a_key_two_equal_requests_are_two() {
    let bench = Bench::new(json!({}));
    let service = bench.service(&[]);
    assert_eq!(reply(service.handle(&reserve(Some("k"), 1))).status, 201);
    assert_eq!(reply(service.handle(&reserve(Some("k"), 1))).status, 201);
    assert_eq!(bench.allocations(), 2);
}

#[test]
fn under_a_key_the_first_answer_comes_again_with_the_signal_that_the_contract_names() {
    for signal in [json!({"header": "idempotent-replayed"}), json!({"field": "replayed"})] {
        let bench = Bench::new(keyed(json!({"replay_signal": signal})));
        let service = bench.service(&[]);
        let first = reply(service.handle(&reserve(Some("k"), 1)));
        let again = reply(service.handle(&reserve(Some("k"), 1)));
        assert_eq!((first.status, again.status), (201, 201));
        assert_eq!(first.body["allocation"], again.body["allocation"]);
        let by_header = again.headers.contains(&("idempotent-replayed".to_owned(), "true".to_owned()));
        let shown = (by_header, again.body["replayed"] == true);
        assert_eq!(shown, (signal.get("header").is_some(), signal.get("field").is_some()));
        assert!(first.headers.is_empty() && first.body["replayed"].is_null());
        assert_eq!(bench.allocations(), 1);
    }
}

#[test]
fn the_same_key_with_another_quantity_is_answered_as_the_contract_says() {
    for (mismatch, status, allocations) in [("refuse", 422, 1), ("first_answer", 201, 1), ("run_again", 201, 2)] {
        let bench = Bench::new(keyed(json!({"mismatch": mismatch})));
        let service = bench.service(&[]);
        service.handle(&reserve(Some("k"), 1));
        assert_eq!(reply(service.handle(&reserve(Some("k"), 2))).status, status, "{mismatch}");
        assert_eq!(bench.allocations(), allocations, "{mismatch}");
    }
}

#[test]
fn a_key_is_forgotten_after_its_window_and_not_before() {
    let bench = Bench::new(keyed(json!({"window_s": 60})));
    let service = bench.service(&[]);
    service.handle(&reserve(Some("k"), 1));
    bench.clock.wait_ms(60_000);
    service.handle(&reserve(Some("k"), 1));
    assert_eq!(bench.allocations(), 1);
    bench.clock.wait_ms(1);
    service.handle(&reserve(Some("k"), 1));
    assert_eq!(bench.allocations(), 2);
}

#[test]
fn a_failure_is_kept_for_its_key_only_where_the_contract_keeps_failures() {
    for (keeps, status, allocations) in [("all", 500, 0), ("successes", 201, 1)] {
        let bench = Bench::new(keyed(json!({"keeps": keeps})));
        let service = bench.service(&[("reserve", FaultName::FailBeforeCommit)]);
        assert_eq!(reply(service.handle(&reserve(Some("k"), 1))).status, 500);
        assert_eq!(reply(service.handle(&reserve(Some("k"), 1))).status, status, "{keeps}");
        assert_eq!(bench.allocations(), allocations, "{keeps}");
    }
}

#[test]
fn a_missing_key_and_one_that_is_too_long_are_refused() {
    let bench = Bench::new(keyed(json!({"max_key_length": 4})));
    let service = bench.service(&[]);
    assert_eq!(reply(service.handle(&reserve(None, 1))).body["error"], "key_missing");
    assert_eq!(reply(service.handle(&reserve(Some("12345"), 1))).body["error"], "key_too_long");
    assert_eq!(reply(service.handle(&reserve(Some("1234"), 1))).status, 201);
}

#[test]
fn what_is_taken_in_first_is_in_flight_until_it_lands_and_then_replayed() {
    let mut contract = keyed(json!({"in_flight": "conflict"}));
    contract["processing"] = json!({"accepts_first": true, "within_s": 10.0});
    let bench = Bench::new(contract);
    let service = bench.service(&[]);
    let status = || reply(service.handle(&asked("status", None, json!({"reference": "R-618/reservation"})))).body;
    assert_eq!(status()["state"], "unknown");
    assert_eq!(reply(service.handle(&reserve(Some("k"), 1))).status, 202);
    assert_eq!(reply(service.handle(&reserve(Some("k"), 1))).body["error"], "in_flight");
    assert_eq!((status()["state"].clone(), bench.allocations()), (json!("in_progress"), 0));
    bench.clock.wait_ms(10_000);
    assert_eq!((status()["state"].clone(), bench.allocations()), (json!("done"), 1));
    assert_eq!(reply(service.handle(&reserve(Some("k"), 1))).status, 201);
    assert_eq!(bench.allocations(), 1);
}

#[test]
fn the_view_lags_by_what_the_contract_says_and_the_status_does_not() {
    let bench = Bench::new(json!({"lookup": {"by": "request", "lag_s": 60.0}}));
    let service = bench.service(&[]);
    service.handle(&reserve(None, 1));
    let shown = |call: &str| {
        let body = json!({"request": "R-618", "reference": "R-618/reservation"});
        reply(service.handle(&asked(call, None, body))).body["allocations"].as_array().map_or(0, Vec::len)
    };
    bench.clock.wait_ms(59_999);
    assert_eq!((shown("allocations"), shown("status")), (0, 1));
    bench.clock.wait_ms(1);
    assert_eq!(shown("allocations"), 1);
}

#[test]
fn each_fault_leaves_what_its_name_says() {
    let cases = [
        (FaultName::FailBeforeCommit, Some(500), 0),
        (FaultName::LostAck, None, 1),
        (FaultName::LostRequest, None, 0),
        (FaultName::LateCommit, None, 0),
        (FaultName::ErrorAfterCommit, Some(500), 1),
        (FaultName::Unavailable, Some(503), 0),
        (FaultName::RateLimited, Some(429), 0),
        (FaultName::Delay, Some(201), 1),
    ];
    let known = FaultName::ALL.into_iter().filter(|fault| fault.is_known_to_practice());
    assert_eq!(cases.map(|(fault, ..)| fault).to_vec(), known.collect::<Vec<_>>());
    for (fault, status, allocations) in cases {
        let bench = Bench::new(json!({}));
        let service = bench.service(&[("reserve", fault)]);
        let ended = service.handle(&reserve(None, 1));
        let seen = match &ended {
            Ended::Answered(reply) => Some(reply.status),
            Ended::Dropped => None,
        };
        assert_eq!((seen, bench.allocations()), (status, allocations), "{fault:?}");
        if let (Some(429 | 503), Ended::Answered(reply)) = (seen, &ended) {
            assert_eq!(reply.headers, [("retry-after".to_owned(), "3".to_owned())]);
        }
    }
}

#[test]
fn a_late_write_meets_the_key_where_it_lands() {
    let bench = Bench::new(keyed(json!({})));
    let service = bench.service(&[("reserve", FaultName::LateCommit)]);
    assert_eq!(service.handle(&reserve(Some("k"), 1)), Ended::Dropped);
    assert_eq!(reply(service.handle(&reserve(Some("k"), 1))).status, 201);
    bench.clock.wait_ms(10_000);
    service.handle(&asked("allocations", None, json!({"request": "R-618"})));
    assert_eq!(bench.allocations(), 1);
}

#[test]
fn a_call_before_the_retry_after_is_over_is_marked_early_and_one_after_it_is_not() {
    let bench = Bench::new(json!({}));
    let service = bench.service(&[("reserve", FaultName::RateLimited)]);
    service.handle(&reserve(None, 1));
    bench.clock.wait_ms(2_999);
    service.handle(&reserve(None, 1));
    bench.clock.wait_ms(1);
    service.handle(&reserve(None, 1));
    let connection = Connection::open(bench.folder.path().join("inventory.db")).unwrap();
    let mut select = connection.prepare("SELECT early FROM calls ORDER BY id").unwrap();
    let early: Vec<i64> = select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(early, [0, 1, 0]);
}

#[test]
fn nobody_and_one_whose_access_was_revoked_are_refused_and_no_body_is_too_odd_to_answer() {
    let bench = Bench::new(json!({}));
    let service = bench.service(&[]);
    let nobody = Asked { actor: String::new(), ..reserve(None, 1) };
    assert_eq!(reply(service.handle(&nobody)).status, 403);
    assert_eq!(reply(service.handle(&asked("reserve", None, json!({})))).body["error"], "request_missing");
    assert_eq!(reply(service.handle(&asked("../reserve", None, json!({})))).status, 404);
    assert_eq!(reply(service.handle(&reserve(None, i64::MAX))).body["error"], "insufficient_stock");
    assert_eq!(reply(service.handle(&reserve(None, -1))).body["error"], "quantity_invalid");
    assert_eq!(bench.allocations(), 0);
}
