//! A real kill at every named point: started again, the workflow goes on and repeats no effect.

use std::os::unix::process::ExitStatusExt;

use holdpoint::practice::r618::{Point, Step};
use serde_json::{Value, json};

use crate::processes::{Stage, request};

const SIGKILL: i32 = 9;

/// Kills the workflow at `point`, starts it again, and holds what is there against one effect each.
fn kill(stage: &Stage, input: &Value, point: Point) -> Value {
    let (status, _) = stage.run(input, Some(&point.name()));
    assert_eq!(status.signal(), Some(SIGKILL), "{} is not on this way: {status}", point.name());
    let (status, report) = stage.run(input, None);
    assert!(status.success(), "{}: {status}", point.name());
    let report = report.unwrap();
    assert_one_of_each(stage, input["request"].as_str().unwrap(), &format!("{}: {report}", point.name()));
    assert_eq!(report["explanation"]["together"], true, "{}: {report}", point.name());
    report
}

fn assert_one_of_each(stage: &Stage, reference: &str, said: &str) {
    for (target, table) in [("case-desk", "cases"), ("inventory", "allocations"), ("messaging", "messages")] {
        assert_eq!(stage.count(target, table, reference), 1, "{table} after {said}");
    }
}

fn points(on_the_way: impl Fn(Step) -> bool) -> impl Iterator<Item = Point> {
    Point::all().into_iter().filter(move |point| match point {
        Point::In(step, _) => on_the_way(*step),
        Point::Begun | Point::Recorded | Point::Approved | Point::Finished => true,
    })
}

fn forward(step: Step) -> bool {
    matches!(step, Step::Case | Step::Reservation | Step::Confirmation)
}

#[test]
fn killed_at_any_point_on_the_way_it_makes_case_reservation_and_confirmation_once() {
    let stage = Stage::set(&[]);
    stage.stock_up();
    for (number, point) in points(forward).enumerate() {
        let report = kill(&stage, &request(&format!("R-{number}")), point);
        assert_eq!(report["status"], "completed", "{}", point.name());
    }
}

#[test]
fn killed_while_it_looks_into_lost_answers_it_makes_each_effect_once() {
    let lost =
        [("case-desk", "create:1:lost_ack"), ("inventory", "reserve:1:lost_ack"), ("messaging", "send:1:lost_ack")];
    for point in points(forward) {
        kill(&Stage::set(&lost), &request("R-618"), point);
    }
}

#[test]
fn killed_while_it_repeats_what_came_to_nothing_it_makes_each_effect_once() {
    let lost = [
        ("case-desk", "create:1:lost_request"),
        ("inventory", "reserve:1:fail_before_commit"),
        ("messaging", "send:1:unavailable:0"),
    ];
    for point in points(forward) {
        kill(&Stage::set(&lost), &request("R-618"), point);
    }
}

#[test]
fn killed_at_any_point_of_an_undoing_it_releases_once_and_closes_once() {
    let stage = Stage::set(&[]);
    stage.stock_up();
    let undoing = points(|step| step == Step::Release).chain(points(|step| step == Step::Closure));
    for (number, point) in undoing.filter(|point| matches!(point, Point::In(..))).enumerate() {
        let reference = format!("R-{number}");
        assert!(stage.run(&request(&reference), None).0.success());
        let act = |action: &str| json!({"request": reference, "action": action, "actor": "lena"});
        if matches!(point, Point::In(Step::Release, _)) {
            kill(&stage, &act("release"), point);
        } else {
            assert!(stage.run(&act("release"), None).0.success());
            let report = kill(&stage, &act("close"), point);
            assert_eq!(stage.count("case-desk", "closures", &reference), 1, "{}: {report}", point.name());
        }
        assert_eq!(stage.count("inventory", "releases", &reference), 1, "{}", point.name());
    }
}

#[test]
fn killed_at_each_point_in_turn_it_makes_each_effect_once() {
    let stage = Stage::set(&[]);
    for point in points(forward) {
        stage.run(&request("R-618"), Some(&point.name()));
    }
    let (_, report) = stage.run(&request("R-618"), None);
    let report = report.unwrap();
    assert_eq!(report["status"], "completed", "{report}");
    assert_one_of_each(&stage, "R-618", &report.to_string());
}
