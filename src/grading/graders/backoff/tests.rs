//! The waits of made-up attempts, against each thing that can be asked of them.

use crate::evidence::Observation;
use crate::grading::contract::specimen::{Call, shop, trial};
use crate::grading::specimen::{Shelf, assert_no_judgement, graded_with};
use serde_json::{Value, json};

/// The shop, with this backoff and jitter for reservations.
fn shelf(backoff: &Value, jitter: &str) -> Shelf {
    let mut shelf = Shelf::new();
    for manifest in shop().into_values() {
        let mut document = serde_json::to_value(manifest).unwrap();
        if let Some(reserve) = document["operations"].get_mut("reserve") {
            reserve["retry"]["backoff"] = backoff.clone();
            reserve["retry"]["jitter"] = json!(jitter);
        }
        shelf.add(document);
    }
    shelf
}

/// Attempts with these waits between them, in milliseconds; each takes one millisecond.
fn waits(waits: &[u64]) -> Observation {
    let mut at = 1_000;
    let mut calls = vec![Call::reserve("O-1").key("k").lost().at_ms(at)];
    for wait in waits {
        at += wait + 1;
        calls.push(Call::reserve("O-1").key("k").lost().at_ms(at));
    }
    trial(&calls).observation
}

fn doubling() -> Value {
    json!({"base_s": 0.4, "factor": 2.0, "cap_s": 1.6})
}

#[track_caller]
fn assert_pass(settings: &Value, seen: &Observation, shelf: &Shelf, expected: Option<bool>) {
    let grade = graded_with(json!({ "backoff": settings }), seen, shelf);
    assert_eq!(grade.pass, expected, "{}", grade.message);
}

#[test]
fn waits_grow_until_the_cap() {
    let grows = json!({"call": "inventory/reserve", "grows": true});
    let shelf = shelf(&doubling(), "equal");
    assert_pass(&grows, &waits(&[300, 600, 1_200]), &shelf, Some(true));
    assert_pass(&grows, &waits(&[600, 590]), &shelf, Some(false));
    assert_pass(&grows, &waits(&[400, 800, 400]), &shelf, Some(false));
    // At the cap no wait needs to grow, and it may be shorter than one that the machine made longer.
    assert_pass(&grows, &waits(&[1_600, 1_600]), &shelf, Some(true));
    assert_pass(&grows, &waits(&[900, 2_100, 1_600]), &shelf, Some(true));
    assert_pass(&grows, &waits(&[900, 2_100, 1_400]), &shelf, Some(false));
}

#[test]
fn equal_waits_do_not_grow() {
    let grows = json!({"grows": true});
    assert_pass(&grows, &waits(&[400, 404, 401]), &shelf(&doubling(), "none"), Some(false));
    assert_pass(&grows, &waits(&[400, 404, 450]), &shelf(&doubling(), "none"), Some(true));
}

#[test]
fn where_chance_lets_waits_shrink_growth_cannot_be_judged() {
    for jitter in ["full", "decorrelated"] {
        assert_pass(&json!({"grows": true}), &waits(&[600, 100]), &shelf(&doubling(), jitter), None);
    }
}

#[test]
fn one_wait_tells_nothing_of_growth_or_chance() {
    let shelf = shelf(&doubling(), "equal");
    assert_pass(&json!({"grows": true}), &waits(&[400]), &shelf, None);
    assert_pass(&json!({"jitter": true}), &waits(&[300]), &shelf, None);
    assert_pass(&json!({"at_most_s": 1.0}), &waits(&[400]), &shelf, Some(true));
    assert_pass(&json!({"at_most_s": 1.0}), &waits(&[]), &shelf, None);
}

#[test]
fn chance_shows_where_a_wait_falls_short_of_the_schedule() {
    let jitter = json!({"jitter": true});
    let shelf = shelf(&doubling(), "equal");
    assert_pass(&jitter, &waits(&[400, 800, 1_600]), &shelf, Some(false));
    // What a machine adds is no chance.
    assert_pass(&jitter, &waits(&[430, 870, 1_700]), &shelf, Some(false));
    assert_pass(&jitter, &waits(&[400, 700, 1_600]), &shelf, Some(true));
    assert_pass(&jitter, &waits(&[400, 700]), &Shelf::new(), None);
}

#[test]
fn each_formula_allows_its_own_waits() {
    let follows = json!({"follows_manifest": true});
    for (jitter, seen, expected) in [
        ("none", &[400, 800, 1_600, 1_600][..], true),
        ("none", &[400, 700], false),
        ("none", &[400, 1_400], false),
        ("full", &[10, 10, 10], true),
        ("full", &[1_000], false),
        ("equal", &[200, 400, 800], true),
        ("equal", &[200, 370], false),
        ("decorrelated", &[1_200, 1_600, 400], true),
        ("decorrelated", &[300], false),
        ("decorrelated", &[400, 400, 2_000], false),
    ] {
        assert_pass(&follows, &waits(seen), &shelf(&doubling(), jitter), Some(expected));
    }
    assert_pass(&follows, &waits(&[400]), &shelf(&json!({"factor": 2.0}), "none"), None);
}

#[test]
fn a_wait_that_the_target_asked_for_is_left_out() {
    let call = || Call::reserve("O-1").key("k");
    let asked = [
        call().lost().at_ms(1_000),
        call().status(503).retry_after("3").at_ms(1_401),
        call().lost().at_ms(4_402),
        call().at_ms(6_003),
    ];
    let seen = trial(&asked).observation;
    assert_pass(&json!({"follows_manifest": true}), &seen, &shelf(&doubling(), "none"), Some(true));
    let only = trial(&asked[1..3]).observation;
    assert_pass(&json!({"at_most_s": 9.0}), &only, &shelf(&doubling(), "none"), None);
}

#[test]
fn another_step_and_a_success_begin_a_new_series() {
    let call = || Call::reserve("O-1").key("k");
    let seen = trial(&[
        call().lost().at_ms(1_000),
        call().lost().at_ms(1_401),
        call().lost().step(2).at_ms(9_000),
        call().step(2).at_ms(9_401),
        call().lost().step(2).at_ms(20_000),
        call().step(2).at_ms(20_401),
    ])
    .observation;
    assert_pass(&json!({"follows_manifest": true}), &seen, &shelf(&doubling(), "none"), Some(true));
    assert_pass(&json!({"grows": true}), &seen, &shelf(&doubling(), "none"), None);
}

#[test]
fn each_wait_is_bounded_as_it_was_measured() {
    let shelf = shelf(&doubling(), "none");
    let bounds = |least: f64, most: f64| json!({"at_least_s": least, "at_most_s": most});
    assert_pass(&bounds(0.1, 0.5), &waits(&[100, 500]), &shelf, Some(true));
    assert_pass(&bounds(0.101, 0.5), &waits(&[100, 500]), &shelf, Some(false));
    assert_pass(&bounds(0.1, 0.499), &waits(&[100, 500]), &shelf, Some(false));
}

#[test]
fn calls_that_were_not_seen_are_no_judgement() {
    let call = || Call::reserve("O-1").key("k");
    let unseen = trial(&[call().lost(), call()]).without_exchanges().observation;
    assert_no_judgement(&json!({"backoff": {"at_most_s": 9.0}}), &unseen);
}
