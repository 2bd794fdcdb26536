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
