//! A trial that was in flight on a target that outlives it: held for a person, never repeated in silence.

use crate::sandbox::{Sandbox, entry};
use crate::scene::project;

/// A run that was killed while `c-slow` was in flight.
fn killed() -> Sandbox {
    let sandbox = project(&[("a-good", "Hello"), ("c-slow", "Slow"), ("d-good", "Hello")]);
    sandbox.edit("holdpoint.yaml", "    parts:", "    outlives_trials: true\n    parts:");
    sandbox.killed(&["run", "--all"]);
    sandbox.beside("go");
    sandbox
}

#[test]
fn it_is_uncertain_until_a_person_lets_it_run_anew() {
    let sandbox = killed();
    let ran = sandbox.holdpoint(&["run", "--resume", "latest"]).expect(11);
    assert_eq!(["a-good", "c-slow", "d-good"].map(|case| sandbox.status(case)), ["passed", "uncertain", "passed"]);
    assert_eq!(sandbox.runs_of("c-slow"), 1, "it was repeated in silence");
    assert!(ran.stdout.contains("held for a person: c-slow (trial 1)"), "{}", ran.told());
    let report = sandbox.report();
    let error = &entry(&report["cases"], "id", "c-slow")["trials"][0]["error"];
    assert_eq!(error["kind"], "interrupted");
    let command = format!("holdpoint run --resume {} --rerun c-slow", sandbox.latest_run());
    assert!(error["message"].as_str().unwrap().contains(&command), "{error}");

    // It stays so, however often the run is taken up.
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(11).says("is complete");
    sandbox.holdpoint(&["run", "--resume", "latest", "--rerun", "a-good"]).expect(2).says("holds no trial of a-good");
    assert_eq!((sandbox.runs_of("a-good"), sandbox.runs_of("c-slow")), (1, 1));

    sandbox.holdpoint(&["run", "--resume", "latest", "--rerun", "c-slow"]).expect(0).says("released by hand");
    assert_eq!((sandbox.runs_of("a-good"), sandbox.runs_of("c-slow")), (1, 2));
}

#[test]
fn it_can_be_released_at_once() {
    let sandbox = killed();
    sandbox.holdpoint(&["run", "--resume", "latest", "--rerun", "c-slow"]).expect(0);
    assert_eq!(sandbox.runs_of("c-slow"), 2);
}

#[test]
fn an_edit_settles_nothing_of_what_it_did() {
    let sandbox = killed();
    sandbox.edit("cases/policy_accuracy/c-slow.yaml", "contains: Good morning", "contains: morning");
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(11);
    assert_eq!((sandbox.status("c-slow"), sandbox.runs_of("c-slow")), ("uncertain".to_owned(), 1));
}

#[test]
fn a_trial_that_was_stopped_at_once_by_its_user_is_held_as_well() {
    let sandbox = project(&[("c-slow", "Slow")]);
    sandbox.edit("holdpoint.yaml", "    parts:", "    outlives_trials: true\n    parts:");
    sandbox.interrupted(&["run", "--all"], "-INT").expect(130);
    // Its own report says so already, and how to release it.
    assert_eq!(sandbox.status("c-slow"), "uncertain");
    let report = sandbox.report();
    let error = &entry(&report["cases"], "id", "c-slow")["trials"][0]["error"];
    let command = format!("holdpoint run --resume {} --rerun c-slow", sandbox.latest_run());
    assert_eq!(error["kind"], "cancelled");
    assert!(error["message"].as_str().unwrap().contains(&command), "{error}");
    sandbox.beside("go");
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(11);
    assert_eq!((sandbox.status("c-slow"), sandbox.runs_of("c-slow")), ("uncertain".to_owned(), 1));
}

#[test]
fn a_run_that_begins_beside_it_says_what_it_may_do_a_second_time() {
    let sandbox = killed();
    let runs = sandbox.holdpoint(&["runs", "--json"]).expect(0).json();
    let (cut_off, held) = (runs["runs"][0]["run"].as_str().unwrap(), &runs["runs"][0]["held"]);
    assert_eq!(held, 1);
    sandbox.holdpoint(&["runs"]).expect(0).says("1 held for a person");
    let command = format!("`holdpoint run --resume {cut_off}`");
    let ran = sandbox.holdpoint(&["run", "--all"]).expect(0);
    assert!(ran.stderr.contains(&command) && ran.stderr.contains("1 trial in flight"), "{}", ran.told());
    assert!(sandbox.notes().contains(&command), "{}", sandbox.notes());
    assert_eq!(sandbox.runs_of("c-slow"), 2);
    // Once the run has gone on to its end it has said so itself.
    sandbox.holdpoint(&["run", "--resume", cut_off]).expect(11);
    let ran = sandbox.holdpoint(&["run", "--all"]).expect(0);
    assert!(!ran.stderr.contains("was cut off"), "{}", ran.told());
}
