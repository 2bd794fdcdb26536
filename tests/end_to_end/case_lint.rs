//! `case lint` finds cases that show less than they seem to, and says of each kind what to do.

use serde_json::json;

use crate::sandbox::Sandbox;
use crate::small_project::{CASE, small_project};

#[test]
fn each_kind_of_case_that_shows_too_little_is_found_with_what_to_do() {
    let sandbox = small_project();
    let begun = sandbox.holdpoint(&["case", "lint"]).expect(0);
    let unknown =
        "nothing found in what can be told without a run: 1 case; it has not run, so whether it can fail is not known";
    assert!(begun.stdout.contains(unknown), "{}", begun.stdout);
    begun.says("never ran here as it stands now").says("`holdpoint run --all` first");
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
    assert_eq!(lint["near_copy_groups"], json!([["greets", "twin"]]));
    assert_eq!(lint["not_judged"], json!(["forbids"]));
    assert_eq!(lint["to_do"].as_object().unwrap().len(), 3, "{}", lint["to_do"]);
    let said = sandbox.holdpoint(&["case", "lint"]).expect(11);
    for words in ["Expect what only a workflow that works", "Take one away", "holdpoint rules"] {
        assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
    }
    assert!(said.stdout.contains("greets, twin: 100 % alike"), "{}", said.stdout);
    assert!(said.stdout.contains("it only forbids"), "{}", said.stdout);
}

#[test]
fn a_case_that_only_talks_is_found_by_damage_to_the_answer() {
    let sandbox = small_project();
    let other = |id: &str, asked: &str, expect: &str| {
        let case = CASE.replace("id: greets", &format!("id: {id}")).replace("Hello", asked);
        sandbox.write(&format!("cases/policy_accuracy/{id}.yaml"), &case.replace("contains: Good morning", expect));
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

/// A project whose workflow answers every question with the same JSON document.
fn answering(document: &str) -> Sandbox {
    let sandbox = small_project();
    sandbox.write("workflow.sh", &format!("cat >/dev/null\ncat <<'END'\n{document}\nEND\n"));
    sandbox.write("prompts/greeting.txt", "Good morning\n");
    sandbox
}

/// Writes a case for each expectation, with a question that no other one asks.
fn write_cases(sandbox: &Sandbox, set: &str, expectations: &[(&str, &str)]) {
    for (id, expect) in expectations {
        let case = CASE.replace("id: greets", &format!("id: {id}")).replace("Hello", &format!("{id}? ").repeat(12));
        sandbox.write(&format!("cases/{set}/{id}.yaml"), &case.replace("contains: Good morning", expect));
    }
}

#[test]
fn a_case_that_passes_for_an_unrelated_sentence_or_a_far_value_is_named_whatever_form_the_answer_has() {
    let answer = r#"{"output": "Good morning, unused parts can be returned", "days": 30, "note": "by post"}"#;
    let sandbox = answering(answer);
    let weak = [
        ("a-letter", "contains: e"),
        ("a-blank", "contains: ' '"),
        ("a-vowel", "contains: {any: [a, e, i, o, u]}"),
        ("a-bound", "json: {path: $.days, at_least: -1000000}"),
        ("a-number", "number: {path: $.days, is: 30, tolerance: 1000000}"),
        ("a-resemblance", "similar: {to: the parts and the river, at_least: 0.01}"),
        ("a-type", "json: {path: $.note, type: string}"),
    ];
    write_cases(&sandbox, "policy_accuracy", &weak);
    let sound = [
        ("sound-words", "contains: can be returned"),
        ("sound-number", "number: {path: $.days, is: 30, tolerance: 2}"),
        ("sound-bound", "json: {path: $.days, at_least: 14}"),
        ("sound-note", "contains: e\n  - json: {path: $.note, equals: by post}"),
    ];
    write_cases(&sandbox, "policy_accuracy", &sound);
    write_cases(
        &sandbox,
        "malformed_output",
        &[("form", "json: {path: $.note, type: string}\n  - length: {at_least: 1}")],
    );
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    let lint = sandbox.holdpoint(&["case", "lint", "--json"]).expect(11).json();
    let mut named: Vec<&str> = weak.iter().map(|(id, _)| *id).collect();
    named.sort_unstable();
    assert_eq!(lint["any_words_pass"], json!(named), "{lint:#}");
    assert_eq!((&lint["cannot_fail"], &lint["form_only"]), (&json!([]), &json!(["form"])));
}

#[test]
fn a_judge_that_always_passes_is_listed_as_not_tried_and_a_case_that_fell_once_is_not_accused() {
    let sandbox = small_project();
    sandbox.write("judge.sh", "cat >/dev/null\necho '{\"pass\": true}'\n");
    write_cases(&sandbox, "policy_accuracy", &[("judged", "command: {run: [sh, judge.sh]}"), ("vague", "contains: M")]);
    sandbox.write("prompts/greeting.txt", "Good evening\n");
    sandbox.holdpoint(&["run", "vague"]).expect(10);
    sandbox.write("prompts/greeting.txt", "Good morning, Mister\n");
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    let said = sandbox.holdpoint(&["case", "lint"]).expect(0);
    assert!(said.stdout.contains("a program judges") && said.stdout.contains("  judged  cases/"), "{}", said.stdout);
    let lint = sandbox.holdpoint(&["case", "lint", "--json"]).expect(0).json();
    assert_eq!((&lint["not_judged"], &lint["any_words_pass"]), (&json!(["judged"]), &json!([])));
}

#[test]
fn a_fresh_project_is_not_accused_of_the_cases_that_it_began_with() {
    for code in ["import os\nos.environ['SHOP_URL']\n", "print('x')\n"] {
        let sandbox = Sandbox::with_files(&[("desk.py", code)]);
        sandbox.holdpoint(&["init"]).expect(0);
        sandbox.holdpoint(&["case", "lint"]).expect(0).says("none of them has run");
    }
}
