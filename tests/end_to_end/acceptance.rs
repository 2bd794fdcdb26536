//! What was accepted: appended, never changed, and never wider than what was measured.

use std::collections::BTreeMap;

use crate::sandbox::Sandbox;
use crate::small_project::{accepted_project, case, small_project};

fn by_path(sandbox: &Sandbox) -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    sandbox.contents("baselines").into_iter().collect()
}

#[test]
fn the_gate_never_writes_a_baseline() {
    let sandbox = small_project();
    sandbox.holdpoint(&["gate"]).expect(12);
    assert!(by_path(&sandbox).is_empty());
    let sandbox = accepted_project();
    let before = by_path(&sandbox);
    sandbox.write("prompts/greeting.txt", "Go away\n");
    sandbox.holdpoint(&["gate"]).expect(10);
    assert_eq!(by_path(&sandbox), before);
}

#[test]
fn accepting_again_appends_and_leaves_every_earlier_record_as_it_was() {
    let sandbox = accepted_project();
    let before = by_path(&sandbox);
    sandbox.write("prompts/greeting.txt", "Good morning, all\n");
    sandbox.commit("greet all");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(0);
    sandbox.accept();
    let after = by_path(&sandbox);
    assert!(after.len() > before.len());
    for (path, bytes) in before {
        assert_eq!(after.get(&path), Some(&bytes), "{}", path.display());
    }
    sandbox.holdpoint(&["baseline", "verify"]).expect(0);
}

#[test]
fn accepting_needs_a_name_and_a_reason() {
    let sandbox = small_project();
    sandbox.holdpoint(&["gate"]).expect(12);
    sandbox.holdpoint(&["baseline", "accept", "latest"]).expect(2);
    sandbox.holdpoint(&["baseline", "accept", "latest", "--by", "R. Viewer"]).expect(2);
    assert!(by_path(&sandbox).is_empty());
}

#[test]
fn accepting_named_cases_accepts_no_other() {
    let sandbox = accepted_project();
    sandbox.write("cases/policy_accuracy/second.yaml", &case("second", "Good evening"));
    sandbox.write("cases/policy_accuracy/third.yaml", &case("third", "Good night"));
    sandbox.commit("add two that fail");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(10);
    let run = sandbox.latest_run();
    let who = ["--by", "R. Viewer", "--reason", "known"];
    let accept = [&["baseline", "accept", &run, "--case", "second"][..], &who[..]].concat();
    sandbox.holdpoint(&accept).expect(0);
    sandbox.holdpoint(&["gate", "--all"]).expect(10);
    let report = sandbox.report();
    assert_eq!(report["comparison"]["known_failure"], 1);
    assert_eq!(report["comparison"]["new"], 1);
}

#[test]
fn a_revoked_acceptance_is_out_of_force_and_still_there() {
    let sandbox = accepted_project();
    let before = by_path(&sandbox);
    let listed = sandbox.holdpoint(&["baseline", "list", "--json"]).expect(0).json();
    let text = listed.to_string();
    let digest = text.split("sha256:").nth(1).unwrap();
    let who = ["--by", "R. Viewer", "--reason", "measured on the wrong machine"];
    sandbox.holdpoint(&[&["baseline", "revoke", &digest[..12]][..], &who[..]].concat()).expect(0);
    let after = by_path(&sandbox);
    assert!(before.keys().all(|path| after.contains_key(path)));
    sandbox.holdpoint(&["gate"]).expect(12);
}

#[test]
fn a_record_that_was_deleted_is_missed() {
    let sandbox = accepted_project();
    sandbox.write("prompts/greeting.txt", "Good morning, all\n");
    sandbox.commit("greet all");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(0);
    let first = by_path(&sandbox);
    sandbox.accept();
    for path in first.keys().filter(|path| path.extension().is_some_and(|end| end == "json")) {
        std::fs::remove_file(path).unwrap();
    }
    sandbox.holdpoint(&["gate"]).expect(12);
}
