//! `--resume`: what was finished counts as it was recorded, the rest runs, and the verdict is that of an undisturbed run.

use std::fs;

use crate::scene::{WORKFLOW, ended, project};

const CASES: [(&str, &str); 4] = [("a-good", "Hello"), ("b-bad", "Bad"), ("c-slow", "Slow"), ("d-good", "Hello")];

#[test]
fn a_killed_run_is_finished_and_a_failure_on_record_is_never_made_again() {
    let sandbox = project(&CASES);
    sandbox.killed(&["run", "--all"]);
    sandbox.beside("go");
    // Whoever ran it again would see it pass.
    sandbox.beside("mended");
    let ran = sandbox.holdpoint(&["run", "--resume", "latest", "--jobs", "1"]).expect(10);
    let statuses = ["a-good", "b-bad", "c-slow", "d-good"].map(|case| sandbox.status(case));
    assert_eq!(statuses, ["passed", "failed", "passed", "passed"], "{}", ran.told());
    assert_eq!(["a-good", "b-bad", "c-slow", "d-good"].map(|case| sandbox.runs_of(case)), [1, 1, 2, 1]);
    assert!(sandbox.notes().contains("2 trials that had ended count as they were recorded"), "{}", sandbox.notes());
    assert_eq!(sandbox.holdpoint(&["runs", "--json"]).json()["runs"].as_array().unwrap().len(), 1, "one run, not two");

    let report = sandbox.read("reports/latest/report.json");
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(10).says("is complete: nothing of it is left to run");
    assert_eq!(sandbox.runs_of("b-bad"), 1);
    assert_eq!(sandbox.read("reports/latest/report.json"), report);
}

#[test]
fn the_plan_of_a_gate_is_that_of_its_beginning() {
    let sandbox = project(&[("a-good", "Hello"), ("b-bad", "Bad"), ("c-slow", "Slow")]);
    sandbox.beside("go");
    sandbox.measure_and_accept();
    sandbox.git(&["checkout", "--quiet", "-b", "topic"]);
    sandbox.write("prompts/greeting.txt", "Good morning to you\n");
    sandbox.commit("politer");
    fs::remove_file(sandbox.project().join("../go")).unwrap();
    sandbox.killed(&["gate", "--base", "main"]);
    // The branch moves on to the head itself: measured against that, nothing would be at risk.
    sandbox.git(&["branch", "--quiet", "--force", "main", "topic"]);
    sandbox.beside("go");
    sandbox.holdpoint(&["gate", "--resume", "latest"]).expect(0);
    let report = sandbox.report();
    assert_eq!(report["counts"]["selected"], 3);
    assert_eq!(report["changes"][0]["part"], "greeting", "{}", report["changes"]);
    assert_eq!((sandbox.status("b-bad"), sandbox.runs_of("b-bad")), ("failed".to_owned(), 2));
}

#[test]
fn what_a_run_was_asked_for_cannot_be_said_otherwise() {
    let sandbox = project(&CASES);
    sandbox.killed(&["run", "a-good", "c-slow", "--trials", "2"]);
    sandbox.beside("go");
    for (said, name) in [
        (&["run", "--resume", "latest", "--trials", "3"][..], "--trials"),
        (&["run", "--resume", "latest", "--mutate"], "--mutate"),
        (&["run", "--resume", "latest", "--all"], "which cases"),
        (&["run", "--resume", "latest", "a-good"], "which cases"),
        (&["gate", "--resume", "latest"], "was begun by `holdpoint run`"),
        (&["run", "--resume", "nothing"], "no recorded run"),
        (&["run", "--rerun", "a-good", "--all"], "--resume"),
    ] {
        sandbox.holdpoint(said).expect(2).says(name);
    }
    assert_eq!(sandbox.runs_of("a-good"), 2);
    // Said again as it was, it is no contradiction.
    sandbox.holdpoint(&["run", "--resume", "latest", "a-good", "c-slow", "--trials", "2"]).expect(0);
    assert_eq!(["a-good", "b-bad", "c-slow"].map(|case| sandbox.runs_of(case)), [2, 0, 3]);
}

#[test]
fn an_edited_case_runs_anew_as_a_whole_and_is_named() {
    let sandbox = project(&CASES);
    sandbox.edit("cases/policy_accuracy/a-good.yaml", "input:", "trials: 2\ninput:");
    sandbox.killed(&["run", "--all"]);
    sandbox.beside("go");
    sandbox.edit("cases/policy_accuracy/a-good.yaml", "contains: Good morning", "contains: Good evening");
    let ran = sandbox.holdpoint(&["run", "--resume", "latest"]).expect(10).says("edited since the run began");
    assert!(ran.stdout.contains("a-good (the case itself)") || sandbox.notes().contains("a-good ("), "{}", ran.told());
    assert_eq!(sandbox.status("a-good"), "failed");
    assert_eq!(["a-good", "b-bad"].map(|case| sandbox.runs_of(case)), [4, 1]);
}

#[test]
fn an_edited_part_or_program_lets_everything_that_it_touches_run_anew() {
    for (path, text, name) in [
        ("prompts/greeting.txt", "Good morning to you\n".to_owned(), "greeting"),
        ("workflow.sh", format!("{WORKFLOW}# edited\n"), "code (workflow.sh)"),
        ("holdpoint.yaml", crate::small_project::PROJECT.replace("name: small", "name: renamed"), "the project file"),
    ] {
        let sandbox = project(&CASES);
        sandbox.killed(&["run", "--all"]);
        sandbox.beside("go");
        sandbox.write(path, &text);
        sandbox.holdpoint(&["run", "--resume", "latest"]).expect(10);
        assert_eq!(["a-good", "b-bad"].map(|case| sandbox.runs_of(case)), [2, 2], "{path}");
        let notes = sandbox.notes();
        assert!(notes.contains(&format!("edited since the run began: {name}")), "{notes}");
    }
}

#[test]
fn a_run_that_is_complete_says_nothing_of_what_was_edited_since() {
    let sandbox = project(&[("a-good", "Hello")]);
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    sandbox.write("prompts/greeting.txt", "Go away\n");
    let resume = ["run", "--resume", "latest"];
    sandbox.holdpoint(&resume).expect(2).says("since then were edited: greeting; begin a new run");
    sandbox.write("prompts/greeting.txt", "Good morning\n");
    sandbox.holdpoint(&resume).expect(0).says("is complete");
    fs::remove_dir_all(sandbox.project().join("reports")).unwrap();
    sandbox.holdpoint(&resume).expect(0);
    assert_eq!((sandbox.status("a-good"), sandbox.runs_of("a-good")), ("passed".to_owned(), 1));
}

#[test]
fn of_two_that_go_on_with_one_run_the_second_is_refused() {
    let sandbox = project(&CASES);
    sandbox.killed(&["run", "--all"]);
    let mut first = sandbox.until_started(&["run", "--resume", "latest", "--jobs", "1"]);
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(2).says("is being carried out by another process");
    // The lock goes with its process, however that ends.
    first.kill().unwrap();
    first.wait().unwrap();
    sandbox.beside("go");
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(10);
    assert_eq!(["a-good", "b-bad"].map(|case| sandbox.runs_of(case)), [1, 1]);
}

#[test]
fn a_cancelled_run_goes_on_and_what_was_stopped_at_once_runs_anew() {
    let sandbox = project(&CASES);
    sandbox.interrupted(&["run", "--all", "--jobs", "1"], "-INT").expect(130);
    assert_eq!(sandbox.status("c-slow"), "errored");
    sandbox.beside("go");
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(10);
    assert_eq!((sandbox.status("c-slow"), sandbox.runs_of("b-bad")), ("passed".to_owned(), 1));
}

#[test]
fn a_run_that_was_paused_midway_goes_on_once_the_pause_ends() {
    let sandbox = project(&[("a-good", "Hello"), ("b-wait", "Wait"), ("c-good", "Hello")]);
    sandbox.edit("workflow.sh", "esac", "  *Wait*) touch started; sleep 1 ;;\nesac");
    let gate = sandbox.until_started(&["gate", "--jobs", "1"]);
    sandbox.holdpoint(&["pause", "on", "--by", "Ada", "--reason", "the stock is wrong"]).expect(0);
    ended(gate).expect(15).says("Ada");
    assert_eq!(["a-good", "b-wait", "c-good"].map(|case| sandbox.runs_of(case)), [1, 1, 0]);
    // Nothing is lost by asking while the pause stands.
    let ran = sandbox.holdpoint(&["gate", "--resume", "latest"]).expect(15).says("Ada");
    assert!(ran.stdout.contains("the stock is wrong"), "{}", ran.told());
    assert_eq!((sandbox.status("a-good"), sandbox.runs_of("c-good")), ("passed".to_owned(), 0));
    sandbox.holdpoint(&["pause", "off"]).expect(0);
    sandbox.holdpoint(&["gate", "--resume", "latest"]).expect(12);
    assert_eq!(["a-good", "b-wait", "c-good"].map(|case| sandbox.status(case)), ["passed"; 3]);
    assert_eq!(["a-good", "b-wait", "c-good"].map(|case| sandbox.runs_of(case)), [1, 1, 1]);
}

#[test]
fn the_half_done_run_is_meant_and_none_that_a_pause_kept_from_starting_anything() {
    let sandbox = project(&CASES);
    sandbox.killed(&["run", "--all"]);
    sandbox.holdpoint(&["pause", "on", "--by", "Ada", "--reason", "the stock is wrong"]).expect(0);
    sandbox.holdpoint(&["run", "--all"]).expect(15);
    sandbox.holdpoint(&["run", "--all"]).expect(15);
    sandbox.holdpoint(&["pause", "off"]).expect(0);
    sandbox.beside("go");
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(10).says("2 trials that had ended count");
    assert_eq!(["a-good", "b-bad", "d-good"].map(|case| sandbox.runs_of(case)), [1, 1, 1]);
    // With nothing half done before it, the run that was kept from starting is the one that goes on.
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(10).says("after it was cut off: 0 trials");
}

#[test]
fn a_variable_that_is_set_only_now_lets_what_gets_it_run_anew() {
    let sandbox = project(&CASES);
    sandbox.edit(
        "holdpoint.yaml",
        "run: [sh, workflow.sh]",
        "run: [sh, workflow.sh]\n      env: {pass_if_set: [STYLE]}",
    );
    sandbox.commit("style");
    sandbox.killed(&["run", "--all"]);
    sandbox.beside("go");
    let resume = ["run", "--resume", "latest"];
    sandbox.ran(sandbox.holdpoint_command().args(resume).env("STYLE", "kind")).expect(10);
    assert_eq!(["a-good", "b-bad", "d-good"].map(|case| sandbox.runs_of(case)), [2, 2, 1]);
    let notes = sandbox.notes();
    assert!(notes.contains("edited since the run began: the environment of greeter (STYLE set only now)"), "{notes}");
    sandbox.holdpoint(&resume).expect(2).says("STYLE no longer set");
    // Names are looked at, not values.
    sandbox.ran(sandbox.holdpoint_command().args(resume).env("STYLE", "curt")).expect(10).says("is complete");
}
