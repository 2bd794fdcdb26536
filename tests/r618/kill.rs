//! A real kill at every named point: started again, the workflow goes on and repeats no effect.

use std::os::unix::process::ExitStatusExt;

use holdpoint::practice::r618::{Point, Step};
use serde_json::{Value, json};

use crate::processes::{Stage, request};

const SIGKILL: i32 = 9;

/// Kills the workflow at `point`, starts it again, and holds what is there against one effect each.
#[track_caller]
fn killed_at(point: Point, before: Option<&Value>, killed: &Value, faults: &[(&str, &str)]) -> Stage {
    let stage = Stage::set(faults);
    if let Some(input) = before {
        assert!(stage.run(input, None).0.success());
    }
    let (status, _) = stage.run(killed, Some(&point.name()));
    assert_eq!(status.signal(), Some(SIGKILL), "{} is not on this way: {status}", point.name());
    let (status, report) = stage.run(killed, None);
    assert!(status.success(), "{}: {status}", point.name());
    let report = report.unwrap();
    assert_eq!(report["explanation"]["together"], true, "{}: {report}", point.name());
    for (target, table) in [("case-desk", "cases"), ("inventory", "allocations"), ("messaging", "messages")] {
        assert_eq!(stage.count(target, table), 1, "{} in {table}: {report}", point.name());
    }
    stage
}

fn forward_points() -> impl Iterator<Item = Point> {
    let is_forward = |point: &Point| !matches!(point, Point::In(Step::Release | Step::Closure, _));
    Point::all().into_iter().filter(is_forward)
}

fn undoing_points(step: Step) -> impl Iterator<Item = Point> {
    Point::all().into_iter().filter(move |point| matches!(point, Point::In(of, _) if *of == step))
}

#[test]
fn killed_at_any_point_on_the_way_it_makes_case_reservation_and_confirmation_once() {
    for point in forward_points() {
        let stage = killed_at(point, None, &request(), &[]);
        let (_, report) = stage.run(&request(), None);
        assert_eq!(report.unwrap()["status"], "completed", "{}", point.name());
    }
}

#[test]
fn killed_while_it_looks_into_a_lost_answer_it_still_makes_each_effect_once() {
    let lost =
        [("case-desk", "create:1:lost_ack"), ("inventory", "reserve:1:lost_ack"), ("messaging", "send:1:lost_ack")];
    for point in forward_points() {
        killed_at(point, None, &request(), &lost);
    }
}

#[test]
fn killed_while_it_repeats_what_never_arrived_it_still_makes_each_effect_once() {
    let lost = [
        ("case-desk", "create:1:lost_request"),
        ("inventory", "reserve:1:fail_before_commit"),
        ("messaging", "send:1:unavailable:0"),
    ];
    for point in forward_points() {
        killed_at(point, None, &request(), &lost);
    }
}

#[test]
fn killed_at_any_point_of_a_release_it_releases_once() {
    let release = json!({"request": "R-618", "action": "release", "actor": "lena"});
    for point in undoing_points(Step::Release) {
        let stage = killed_at(point, Some(&request()), &release, &[]);
        assert_eq!(stage.count("inventory", "releases"), 1, "{}", point.name());
    }
}

#[test]
fn killed_at_each_point_of_the_way_in_turn_it_still_makes_each_effect_once() {
    let stage = Stage::set(&[]);
    for point in forward_points() {
        stage.run(&request(), Some(&point.name()));
    }
    let (_, report) = stage.run(&request(), None);
    assert_eq!(report.unwrap()["status"], "completed");
    for (target, table) in [("case-desk", "cases"), ("inventory", "allocations"), ("messaging", "messages")] {
        assert_eq!(stage.count(target, table), 1, "{table}");
    }
}
