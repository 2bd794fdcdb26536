//! `case lint` finds cases that show less than they seem to, and says of each kind what to do.

use serde_json::json;

use crate::sandbox::Sandbox;
use crate::small_project::{CASE, small_project};

#[test]
fn each_kind_of_case_that_shows_too_little_is_found_with_what_to_do() {
    let sandbox = small_project();
    sandbox
        .holdpoint(&["case", "lint"])
        .expect(0)
        .says("never ran here as it stands now")
        .says("`holdpoint run --all` first");
    let other = |id: &str, expect: &str| {
        CASE.replace("id: greets", &format!("id: {id}")).replace("contains: Good morning", expect)
    };
    sandbox.write("cases/malformed_output/forbids.yaml", &other("forbids", "not: {contains: Traceback}"));
    sandbox.write(
        "cases/malformed_output/hurries.yaml",
        &other("hurries", "length: {at_most: 5000}").replace("Hello", "Hurry up, please"),
    );
    sandbox.write(
        "cases/operations/unreached.yaml",
        &other("unreached", "contains: morning").replace("Hello", "Is anyone in at all?"),
    );
    sandbox.write("cases/policy_accuracy/twin.yaml", &other("twin", "contains: Good morning"));
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    let lint = sandbox.holdpoint(&["case", "lint", "--json"]).expect(11).json();
    assert_eq!(lint["passed_by_nothing"], json!(["forbids", "hurries"]));
    assert_eq!(lint["never_selected"], json!(["unreached"]));
    assert_eq!((&lint["near_copies"][0]["case"], &lint["near_copies"][0]["other"]), (&json!("greets"), &json!("twin")));
    assert_eq!(lint["not_judged"], json!(["forbids"]));
    assert_eq!(lint["to_do"].as_object().unwrap().len(), 3, "{}", lint["to_do"]);
    let said = sandbox.holdpoint(&["case", "lint"]).expect(11);
    for words in ["Expect what only a workflow that works", "Take one away", "holdpoint rules"] {
        assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
    }
    said.says("it only forbids");
}

#[test]
fn a_case_that_only_talks_is_found_by_damage_to_the_answer() {
    let sandbox = small_project();
    let other = |id: &str, asked: &str, expect: &str| {
        let case = CASE.replace("id: greets", &format!("id: {id}")).replace("Hello", asked);
        sandbox.write(&format!("cases/malformed_output/{id}.yaml"), &case.replace("contains: Good morning", expect));
    };
    other("says-something", "Anything?", "length: {at_least: 2}");
    other("any-text", "What is there to be read?", "json_schema: {schema: {type: string}}");
    other("fails", "Is it evening already, then?", "contains: Good evening");
    sandbox.holdpoint(&["run", "--all"]).expect(10);
    let lint = sandbox.holdpoint(&["case", "lint", "--json"]).expect(11).json();
    assert_eq!(lint["any_words_pass"], json!(["says-something"]));
    assert_eq!(lint["cannot_fail"], json!(["any-text"]));
    assert_eq!((&lint["untried"], &lint["never_ran"]), (&json!(["fails"]), &json!([])));
    let said = sandbox.holdpoint(&["case", "lint"]).expect(11);
    assert!(said.stdout.contains("Whatever is answered passes, as long as it is anything (1)"), "{}", said.stdout);
    said.says("1 case ran here as it stands now and did not pass");
    other("fails", "Is it evening already, then?", "contains: Good night");
    sandbox.holdpoint(&["case", "lint"]).expect(11).says("1 case never ran here as it stands now");
}

#[test]
fn a_case_that_no_damage_to_what_was_done_makes_fail_is_found() {
    let sandbox = Sandbox::empty();
    sandbox.holdpoint(&["init", "--example", "r618"]).expect(0);
    let sound = sandbox.read("cases/duplicate/r618-replayed-under-the-key.yaml");
    let (question, _) = sound.split_once("expect:").unwrap();
    let talks = question.replace("id: r618-replayed-under-the-key", "id: only-talks");
    sandbox.write(
        "cases/duplicate/only-talks.yaml",
        &format!("{talks}expect:\n  - attempts: {{call: inventory/reserve, at_most: 1000}}\n"),
    );
    sandbox.holdpoint(&["run", "only-talks", "r618-replayed-under-the-key"]).expect(0);
    let said = sandbox.holdpoint(&["case", "lint"]).expect(11);
    assert!(said.stdout.contains("only-talks  cases/duplicate") && said.stdout.contains("--mutate"), "{}", said.stdout);
    let lint = sandbox.holdpoint(&["case", "lint", "--json"]).expect(11).json();
    assert_eq!(lint["cannot_fail"], json!(["only-talks"]));
}
