//! One target, asked in every way, and when a look at it is worth something.

use holdpoint::domain::Outcome;
use holdpoint::evidence::{LookHad, Observation, Reading};
use serde_json::{Value, json};

use crate::scene::{MANIFEST, Scene, bounded, fault, order};

/// The fields that make a probe's effects evidence for an order.
fn of_orders(mut probe: Value) -> Value {
    let fields = json!({"operation": "request", "of": "shop/order"});
    probe.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    probe
}

fn had<'a>(observation: &'a Observation, probe: &str) -> &'a LookHad {
    &observation.looks[probe]
}

/// Asks the shop for its orders, at the address that it is told.
const ASK: &str = "\
import json, sys, urllib.request
asked = json.load(sys.stdin)
items = json.load(urllib.request.urlopen(asked['connectors']['shop'] + '/orders'))['items']
for item in items:
    print(json.dumps(item))
";

#[test]
fn every_kind_of_probe_shows_the_same_order() {
    let mut scene = Scene::new();
    scene.write("ask.py", ASK);
    scene.write("cases/action/old.jsonl", "{\"request\": \"O-1\"}\n");
    let probes = scene.file["probes"].as_object_mut().unwrap();
    probes.insert(
        "by-http".to_owned(),
        of_orders(json!({"http": {"connector": "shop", "path": "/orders?all=1", "effects": "$.items[*]"}})),
    );
    probes.insert("by-command".to_owned(), of_orders(json!({"command": {"run": ["python3", "ask.py"]}})));
    probes.insert("by-file".to_owned(), of_orders(json!({"file": {"path": "old.jsonl"}})));
    let unmade = json!({"sql": {"database": "no.db", "query": "SELECT 1", "if_missing": "empty"}});
    probes.insert("of-nobody".to_owned(), unmade);
    scene.case(
        "asked",
        json!({}),
        json!({
            "fixtures": {"old.jsonl": "old.jsonl"},
            "expect": [{"effects": {"probe": "of-nobody", "count": 0}}],
        }),
    );
    let observation = scene.run_one();
    assert_eq!(order(&observation).outcome, Outcome::Committed, "{:#?}", order(&observation));
    for probe in ["orders", "by-http", "by-command", "by-file"] {
        let Reading::Effects(effects) = &observation.readings[probe] else { panic!("{:#?}", observation.readings) };
        assert_eq!((effects.len(), &effects[0]["request"]), (1, &json!("O-1")), "{probe}");
        assert!(had(&observation, probe).settled, "{probe}");
    }
    assert_eq!(observation.readings["of-nobody"], Reading::Effects(Vec::new()));
    // The questions themselves do not pass through the runner's listeners: the one call is the workflow's.
    assert_eq!(observation.exchanges.len(), 1);
}

#[test]
fn a_question_that_fails_leaves_the_order_uncertain() {
    let mut scene = Scene::new();
    let missing = json!({"http": {"connector": "shop", "path": "/nothing"}});
    scene.file["probes"].as_object_mut().unwrap().insert("missing".to_owned(), of_orders(missing));
    scene.case("asked", json!({}), json!({}));
    let observation = scene.run_one();
    let Reading::Unreadable(reason) = &observation.readings["missing"] else { panic!("{observation:#?}") };
    assert!(reason.ends_with("/v1/nothing: it answered with the status 404"), "{reason}");
    assert_eq!(order(&observation).outcome, Outcome::Uncertain);
    assert!(!had(&observation, "missing").settled);
}

/// A shop that answers before the order exists.
fn made_to_order(settle: Value) -> Observation {
    let mut scene = Scene::new();
    scene.write(
        "manifests/shop.yaml",
        &MANIFEST.replace("effect: create", "effect: create\n    processing: {within_s: 1.0, accepts_first: true}"),
    );
    scene.file["probes"]["jobs"] = json!({"http": {"connector": "shop", "path": "/jobs", "effects": "$.items[*]"}});
    scene.file["probes"]["orders"]["settle"] = settle;
    scene.case("made", json!({"item": "made-to-order"}), json!({}));
    scene.run_one()
}

#[test]
fn a_look_waits_for_what_is_on_its_way() {
    let observation = made_to_order(json!({"until_empty": {"probe": "jobs", "within_s": 30.0}}));
    assert_eq!(order(&observation).outcome, Outcome::Committed, "{:#?}", order(&observation));
    assert!(had(&observation, "orders").why.contains("nothing was on its way"), "{:?}", had(&observation, "orders"));
}

#[test]
fn a_look_that_could_not_wait_long_enough_says_so_and_concludes_nothing() {
    let observation = made_to_order(json!({"until_empty": {"probe": "jobs", "within_s": 0.0}}));
    assert_eq!(order(&observation).outcome, Outcome::Uncertain);
    let had = had(&observation, "orders");
    assert!(!had.settled && had.why.contains("still showed something on its way"), "{had:?}");
}

#[test]
fn a_look_after_a_time_and_one_of_equal_readings_see_what_came_late() {
    let after = made_to_order(json!({"after_s": 1.5}));
    assert_eq!(order(&after).outcome, Outcome::Committed);
    assert!(had(&after, "orders").at_us >= 1_500_000);
    let steady = made_to_order(json!({"equal_readings": {"count": 4, "every_s": 0.5, "within_s": 30.0}}));
    assert_eq!(order(&steady).outcome, Outcome::Committed);
    assert!(had(&steady, "orders").readings >= 4);
}

#[test]
fn a_view_that_lags_concludes_nothing_until_the_system_of_record_was_asked_after_it() {
    let mut scene = Scene::new();
    let mut view = scene.file["probes"]["orders"].clone();
    view["authoritative"] = json!(false);
    scene.file["probes"]["orders"] = view.clone();
    scene.case("seen", json!({}), json!({}));
    assert_eq!(order(&scene.run_one()).outcome, Outcome::Uncertain);

    let record = of_orders(json!({"http": {"connector": "shop", "path": "/orders", "effects": "$.items[*]"}}));
    scene.file["probes"]["record"] = record;
    view["settle"] = json!({"confirmed_by": "record"});
    scene.file["probes"]["orders"] = view;
    let observation = scene.run_one();
    assert_eq!(order(&observation).outcome, Outcome::Committed, "{:#?}", order(&observation));
    assert!(
        had(&observation, "orders").settled && had(&observation, "record").at_us >= had(&observation, "orders").at_us
    );
}

#[test]
fn a_call_whose_answer_never_came_settles_nothing_at_once() {
    let mut scene = Scene::new();
    scene.write(
        "shop.py",
        &include_str!("shop/shop.py").replace(
            "if item == \"fragile\":",
            "if item == \"fragile\":\n            self.connection.close()\n            return",
        ),
    );
    scene.case("hung-up", json!({"item": "fragile"}), json!({}));
    let observation = scene.run_one();
    assert!(!had(&observation, "orders").settled, "{observation:#?}");
    assert!(had(&observation, "orders").why.contains("may still take effect"));
    assert_eq!(observation.operations[0].outcome, Outcome::Uncertain);
    let error = observation.error.as_ref().expect("a target that gives no answer by itself is the trial's error");
    assert!(error.message.starts_with("call 1, to the connector `shop`: "), "{error:?}");
}

#[test]
fn an_answer_that_says_nothing_of_the_commit_leaves_the_call_open_until_its_bound_has_passed() {
    let after = |manifest: &str, settle: Value| {
        let mut scene = Scene::new();
        scene.write("manifests/shop.yaml", manifest);
        scene.file["probes"]["orders"]["settle"] = settle;
        scene.case("busy", json!({"item": "slow", "claim": "failed"}), json!({}));
        scene.run_one()
    };
    let outcome = |observation: &Observation| (order(observation).outcome, order(observation).effects);
    // The order exists 0.3 s after the 503.
    let unbounded = after(MANIFEST, json!({}));
    assert_eq!(outcome(&unbounded), (Outcome::Uncertain, 0));
    assert!(had(&unbounded, "orders").why.contains("`processing`"), "{:?}", had(&unbounded, "orders"));
    // A rule that is shorter than what the contract says waits for that all the same.
    for settle in [json!({}), json!({"after_s": 0.1})] {
        assert_eq!(outcome(&after(&bounded(1.0), settle)), (Outcome::Committed, 1));
    }
}

#[test]
fn a_look_while_a_call_is_held_back_waits_until_it_has_landed() {
    let mut scene = Scene::new();
    let late = fault("late_commit", json!({"seconds": 1.0, "by": "reset"}));
    scene.case("late", json!({"attempts": 2}), late);
    let observation = scene.run_one();
    assert_eq!((order(&observation).outcome, order(&observation).effects), (Outcome::Duplicated, 2));
}
