//! `holdpoint compare`: two recorded sides held against each other, in every form.

use crate::sandbox::{Sandbox, entry};
use crate::small_project::{accepted_project, case};

const SECOND: &str = "cases/policy_accuracy/second.yaml";

/// An accepted run, then a run in which `greets` fails and `second` is new.
fn two_runs() -> (Sandbox, String, String) {
    let sandbox = accepted_project();
    let first = sandbox.latest_run();
    sandbox.write("prompts/greeting.txt", "Good evening\n");
    sandbox.write(SECOND, &case("second", "Good evening"));
    sandbox.commit("greet in the evening");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(10);
    let second = sandbox.latest_run();
    (sandbox, first, second)
}

#[test]
fn a_run_is_held_against_another_or_against_what_was_accepted() {
    let (sandbox, first, second) = two_runs();
    for with in [first.as_str(), "baseline"] {
        let ran = sandbox.holdpoint(&["compare", &second, "--with", with, "--json"]).expect(0);
        let document = ran.json();
        assert_eq!(document["schema"], "holdpoint.compare/1");
        assert_eq!(document["counts"], serde_json::json!({"regressed": 1, "new": 1}));
        let greets = entry(&document["cases"], "id", "greets");
        assert_eq!(
            (greets["before"]["status"].as_str(), greets["now"]["status"].as_str()),
            (Some("passed"), Some("failed"))
        );
        assert_eq!(greets["changed_grades"][0]["grader"], "contains");
        assert_eq!(greets["changed_grades"][0]["holds_now"], false);
        assert_eq!(greets["answer_changed"], true);
        let set = &document["sets"][0];
        assert_eq!(set["paired"]["flips"]["worse"], 1);
        assert!(set["power"].as_str().unwrap().contains("no result could show a regression: six one-way flips"));
        assert!(document["evidence_statement"].as_str().unwrap().starts_with("1 of 2 passed"));
    }
    let turned = sandbox.holdpoint(&["compare", &first, "--with", "latest", "--json"]).expect(0).json();
    assert_eq!(turned["counts"], serde_json::json!({"fixed": 1, "removed": 1}), "the other way round");
}

#[test]
fn every_form_is_whole_and_without_a_script() {
    let (sandbox, _, _) = two_runs();
    let form = |name: &str| sandbox.holdpoint(&["compare", "latest", "--format", name]).expect(0).stdout;
    for name in ["text", "json", "markdown", "html"] {
        let text = form(name).replace('\\', "");
        for words in ["greets", "second", "the failure rate is below", "six one-way flips are the least"] {
            assert!(text.contains(words), "{name} says nothing of `{words}`:\n{text}");
        }
    }
    let html = form("html");
    assert!(
        html.starts_with("<!doctype html>") && html.contains("Content-Security-Policy") && !html.contains("<script")
    );
}

#[test]
fn a_record_of_the_baseline_is_named_by_its_digest() {
    let (sandbox, first, _) = two_runs();
    sandbox.accept();
    let records: Vec<String> = std::fs::read_dir(sandbox.project().join("baselines"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().unwrap().strip_suffix(".json").map(str::to_owned))
        .collect();
    assert_eq!(records.len(), 2);
    let mut changed = Vec::new();
    for record in &records {
        let document = sandbox.holdpoint(&["compare", "baseline", "--with", &record[..12], "--json"]).expect(0).json();
        changed.push(document["counts"]["regressed"].as_u64().unwrap_or(0));
        let run = sandbox.holdpoint(&["compare", &first, "--with", &format!("sha256:{record}"), "--json"]).expect(0);
        assert_eq!(run.json()["before"]["kind"], "baseline");
    }
    changed.sort_unstable();
    assert_eq!(changed, [0, 1], "the first record has it as passed, the second one is what is in force");
}

#[test]
fn what_was_never_recorded_is_refused_by_name() {
    let sandbox = accepted_project();
    sandbox.holdpoint(&["compare", "nothing"]).expect(2).says("`nothing`").says("no record of the baseline begins so");
    sandbox.holdpoint(&["compare", "latest", "--with", "sha256:0000"]).expect(12);
}

#[test]
fn an_edited_expectation_is_called_that_and_its_old_form_counts_where_it_ran() {
    let sandbox = accepted_project();
    sandbox.write("prompts/greeting.txt", "Good evening\n");
    sandbox.edit("cases/policy_accuracy/greets.yaml", "Good morning", "Good evening");
    sandbox.commit("greet in the evening, and expect it");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(11);
    let document = sandbox.holdpoint(&["compare", "latest", "--json"]).expect(0).json();
    assert_eq!(document["counts"], serde_json::json!({"expectation_changed": 1}));
    let greets = entry(&document["cases"], "id", "greets");
    assert_eq!(greets["differs"], serde_json::json!(["expectations"]));
    assert!(greets["why"].as_str().unwrap().contains("its old form ended as failed beside it"), "{}", greets["why"]);
    for form in ["text", "markdown", "html"] {
        let text = sandbox.holdpoint(&["compare", "latest", "--format", form]).expect(0).stdout;
        assert!(text.contains("Expectation changed"), "{form}");
    }

    let sandbox = accepted_project();
    sandbox.edit("cases/policy_accuracy/greets.yaml", "Good morning", "morning");
    sandbox.commit("expect less");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(0);
    let document = sandbox.holdpoint(&["compare", "latest", "--json"]).expect(0).json();
    assert_eq!(document["counts"], serde_json::json!({"unchanged": 1}), "both forms are met: as the gate has it");
}

#[test]
fn a_result_that_is_inherited_says_its_age() {
    let (sandbox, ..) = two_runs();
    sandbox.holdpoint(&["run", "second"]).expect(0);
    let document = sandbox.holdpoint(&["compare", "latest", "--json"]).expect(0).json();
    let greets = entry(&document["cases"], "id", "greets");
    assert_eq!((greets["standing"].as_str(), greets["age_days"].as_u64()), (Some("inherited"), Some(0)));
    let text = sandbox.holdpoint(&["compare", "latest"]).expect(0);
    text.says("Did not run (1): the oldest of their results was less than a day old then").says("parts:  fingerprint");
    sandbox.write("cases/policy_accuracy/second.yaml", &case("second", "Good"));
    sandbox.write("prompts/greeting.txt", "Good morning\n");
    sandbox.commit("back to the morning");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]);
    sandbox.accept();
    sandbox.write("cases/policy_accuracy/third.yaml", &case("third", "Good"));
    sandbox.commit("a third case");
    sandbox.holdpoint(&["gate"]).expect(0).says("2 inherited and not run (accepted less than a day ago)");
}

#[test]
fn the_answers_of_all_trials_are_held_against_each_other() {
    let sandbox = accepted_project();
    // The first answer of all is one, every later one another: what tells them apart lies outside the project.
    let mark = sandbox.project().parent().unwrap().join("again");
    sandbox.edit("cases/policy_accuracy/greets.yaml", "input:", "trials: 2\ninput:");
    let mark = mark.display();
    let script = format!("if [ -e '{mark}' ]; then echo again; else touch '{mark}'; fi");
    sandbox.write("workflow.sh", &format!("cat >/dev/null\ncat prompts/greeting.txt\n{script}\n"));
    sandbox.commit("answer otherwise the second time");
    sandbox.holdpoint(&["run", "--all", "--jobs", "1"]).expect(0);
    let first = sandbox.latest_run();
    sandbox.holdpoint(&["run", "--all", "--jobs", "1"]).expect(0);
    let changed = |with: &str| {
        let document = sandbox.holdpoint(&["compare", "latest", "--with", with, "--json"]).expect(0).json();
        entry(&document["cases"], "id", "greets")["answer_changed"].clone()
    };
    assert_eq!(changed(&first), true);
    let second = sandbox.latest_run();
    sandbox.holdpoint(&["run", "--all", "--jobs", "1"]).expect(0);
    assert_eq!(changed(&second), false);
}
