//! A case that is edited in the change that breaks it.

use crate::sandbox::{Sandbox, entry};
use crate::small_project::{CASE, accepted_project, small_project};

const CASE_PATH: &str = "cases/policy_accuracy/greets.yaml";

fn standing(sandbox: &Sandbox, case: &str) -> String {
    entry(&sandbox.report()["cases"], "id", case)["comparison"].as_str().unwrap().to_owned()
}

#[test]
fn passing_only_under_the_edited_expectation_is_not_green() {
    let sandbox = accepted_project();
    sandbox.write("prompts/greeting.txt", "Go away\n");
    sandbox.edit(CASE_PATH, "Good morning", "Go away");
    sandbox.commit("be rude, and expect it");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(11);
    assert_eq!(standing(&sandbox, "greets"), "expectation_changed");
    assert_eq!(sandbox.report()["comparison"]["expectation_changed"], 1);
    assert_eq!(sandbox.report()["verdict"], "inconclusive");
}

#[test]
fn the_same_holds_in_the_working_tree_and_without_a_base() {
    let sandbox = accepted_project();
    sandbox.write("prompts/greeting.txt", "Go away\n");
    sandbox.edit(CASE_PATH, "Good morning", "Go away");
    let ran = sandbox.holdpoint(&["gate"]);
    assert!([10, 11].contains(&ran.code), "{}", ran.told());
    assert_ne!(standing(&sandbox, "greets"), "unchanged");
}

#[test]
fn an_expectation_that_both_forms_fulfil_may_be_edited() {
    let sandbox = accepted_project();
    sandbox.edit(CASE_PATH, "  - contains: Good morning", "  - contains: Good morning\n  - length: {at_most: 40}");
    sandbox.commit("expect more");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(0);
}

#[test]
fn only_the_case_that_was_edited_runs_and_it_does_run() {
    let sandbox = accepted_project();
    sandbox.write("cases/action/other.yaml", &CASE.replace("greets", "other"));
    sandbox.commit("add a case");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(0);
    sandbox.accept();
    sandbox.edit(CASE_PATH, "Good morning", "morning");
    sandbox.commit("expect less");
    let plan = sandbox.plan(&["--base", "HEAD~1"]);
    assert_eq!(crate::sandbox::names(&plan["selected"], "case"), ["greets"]);
    assert_eq!(crate::sandbox::names(&plan["excluded"], "case"), ["other"]);
}

#[test]
fn a_broken_case_that_is_taken_away_is_reported_as_removed() {
    let sandbox = accepted_project();
    sandbox.write("cases/action/other.yaml", &CASE.replace("greets", "other"));
    std::fs::remove_file(sandbox.project().join(CASE_PATH)).unwrap();
    sandbox.commit("move on");
    let gate = sandbox.holdpoint(&["gate", "--base", "HEAD~1"]);
    assert_eq!(sandbox.report()["comparison"]["removed"], 1);
    assert_eq!(gate.code, 11, "{}", gate.stdout);
    let accepted = sandbox.holdpoint(&["baseline", "accept", "latest", "--by", "Ada", "--reason", "replaced"]);
    assert!(accepted.stdout.contains("no longer expected: greets"), "{}", accepted.stdout);
    sandbox.commit("accept the removal");
    assert_eq!(sandbox.holdpoint(&["gate"]).code, 0);
}

/// What the first screen says of the case `greets` after a gate that passes, in every form that has a place for it.
fn named_as_edited(sandbox: &Sandbox, what: &str) {
    let sentence = format!("edited, and passed as it was and as it is now: 1 case (greets); what differs: {what}");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(0).says(&sentence);
    for form in ["report.html", "summary.md"] {
        assert!(sandbox.read(&format!("reports/latest/{form}")).replace('\\', "").contains(&sentence), "{form}");
    }
    assert_eq!(standing(sandbox, "greets"), "unchanged");
}

#[test]
fn another_fixture_is_another_question_and_named_although_both_are_passed() {
    let sandbox = small_project();
    sandbox.write(CASE_PATH, &CASE.replace("input:", "fixtures: {notes.txt: notes.txt}\ninput:"));
    sandbox.write("cases/policy_accuracy/notes.txt", "one\n");
    sandbox.commit("a fixture");
    sandbox.measure_and_accept();
    sandbox.write("cases/policy_accuracy/notes.txt", "two\n");
    sandbox.commit("another fixture");
    named_as_edited(&sandbox, "the case itself");
    let case = entry(&sandbox.report()["cases"], "id", "greets").clone();
    assert!(case["reasons"][0].as_str().unwrap().contains("the case itself changed"), "{}", case["reasons"]);
    assert_eq!(case["old_form"]["status"], "passed", "its old form ran too");
}

#[test]
fn what_goes_in_and_what_must_hold_are_named_apart() {
    let sandbox = accepted_project();
    sandbox.edit(CASE_PATH, "question: Hello", "question: Hi");
    sandbox.commit("ask otherwise");
    named_as_edited(&sandbox, "the case itself");
    let sandbox = accepted_project();
    sandbox.edit(CASE_PATH, "question: Hello", "question: Hey");
    sandbox.edit(CASE_PATH, "Good morning", "morning");
    sandbox.commit("ask and expect otherwise");
    named_as_edited(&sandbox, "the case itself and its expectations");
}
