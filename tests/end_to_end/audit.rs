//! The selection over a stretch of history: what it saves, and what is known to have escaped it.

use crate::sandbox::Sandbox;
use crate::small_project::{case, small_project};

/// Four steps after the first commit: a prompt that breaks a set which no rule holds at risk from it, a description, the
/// code, and the prompt put right.
fn history() -> Sandbox {
    let sandbox = small_project();
    sandbox.write("prompts/greeting.txt", "Good morning\nOperation kept\n");
    sandbox.write("cases/operations/keeps.yaml", &case("keeps", "Operation kept"));
    sandbox.commit("begin to keep");
    sandbox.git(&["tag", "start"]);
    sandbox.holdpoint(&["gate"]).expect(12);
    for (path, text) in [
        ("prompts/greeting.txt", "Good morning\n"),
        ("README.md", "Only words.\n"),
        ("workflow.sh", "cat >/dev/null\ncat prompts/greeting.txt\n\n"),
        ("prompts/greeting.txt", "Good morning\nOperation kept\n"),
    ] {
        sandbox.write(path, text);
        sandbox.commit(path);
        sandbox.holdpoint(&["gate", "--shadow"]);
    }
    sandbox
}

#[test]
fn each_step_is_planned_and_joined_with_the_results_of_exactly_its_state() {
    let sandbox = history();
    let audit = sandbox.holdpoint(&["plan", "--audit", "start..", "--json"]).expect(0).json();
    assert_eq!(audit["schema"], "holdpoint.audit/1");
    let steps = audit["steps"].as_array().unwrap();
    let figures = |step: &serde_json::Value| {
        ["selected", "left_out", "with_result", "went_wrong"].map(|name| step[name].as_u64().unwrap())
    };
    // The prompt selects `greets`, and `keeps` escapes; then it is known to fail and runs whatever changes, until it is right.
    let planned: Vec<[u64; 4]> = steps.iter().map(figures).collect();
    assert_eq!(planned, [[1, 1, 2, 1], [1, 1, 2, 0], [2, 0, 2, 0], [2, 0, 2, 0]], "{audit:#}");
    assert_eq!(steps[0]["escapes"][0]["case"], "keeps");
    assert_eq!(steps[0]["escapes"][0]["status"], "failed");
    let totals = &audit["totals"];
    assert_eq!((&totals["cases"], &totals["left_out"], &totals["saved"]), (&8.into(), &2.into(), &0.25.into()));
    assert_eq!(
        (&totals["left_out_with_result"], &totals["escapes"], &totals["escape_rate"]),
        (&2.into(), &1.into(), &0.5.into())
    );
    assert_eq!(totals["went_wrong"], 1);

    let text = sandbox.holdpoint(&["plan", "--audit", "start..HEAD"]).expect(0);
    text.says("escaped: keeps (operations) failed, left out").says("6 of 8 cases would have run");
}

#[test]
fn a_state_that_nobody_ran_is_not_known_to_have_passed() {
    let sandbox = history();
    std::fs::remove_dir_all(sandbox.project().join(".holdpoint")).unwrap();
    let audit = sandbox.holdpoint(&["plan", "--audit", "start..HEAD", "--json"]).expect(0).json();
    assert_eq!(audit["totals"]["left_out_with_result"], 0);
    assert_eq!(audit["totals"]["escape_rate"], serde_json::Value::Null);
    sandbox.holdpoint(&["plan", "--audit", "start..HEAD"]).expect(0).says("how much escaped is not known");
}

#[test]
fn a_step_whose_project_is_invalid_is_counted_and_named() {
    let sandbox = small_project();
    sandbox.git(&["tag", "start"]);
    sandbox.edit("holdpoint.yaml", "name: small", "nmae: small");
    sandbox.commit("misspell");
    sandbox.edit("holdpoint.yaml", "nmae: small", "name: small");
    sandbox.commit("spell");
    let audit = sandbox.holdpoint(&["plan", "--audit", "start..HEAD", "--json"]).expect(0).json();
    let totals = &audit["totals"];
    assert_eq!((&totals["steps"], &totals["planned"]), (&2.into(), &1.into()), "{audit:#}");
    assert!(audit["unplanned"][0]["reason"].as_str().unwrap().contains("holdpoint.yaml"));
}

#[test]
fn what_is_no_stretch_of_history_is_refused() {
    let sandbox = history();
    for (range, says) in [
        ("HEAD", "write FROM..TO"),
        ("..HEAD", "write FROM..TO"),
        ("start...HEAD", "write FROM..TO"),
        ("HEAD..start", "not on the way"),
        ("nowhere..HEAD", "nowhere"),
    ] {
        sandbox.holdpoint(&["plan", "--audit", range]).expect(2).says(says);
    }
    sandbox.holdpoint(&["plan", "--audit", "start..HEAD", "--base", "start"]).expect(2);
}

/// A project whose workflow reads an inert file; the commit after `start` alters nothing else, and breaks what rests on it.
fn inert_history() -> Sandbox {
    let sandbox = small_project();
    sandbox.write("README.md", "Operation kept\n");
    sandbox.write("workflow.sh", "cat >/dev/null\ncat prompts/greeting.txt README.md\n");
    sandbox.write("cases/operations/keeps.yaml", &case("keeps", "Operation kept"));
    sandbox.commit("read what counts as inert");
    sandbox.git(&["tag", "start"]);
    sandbox.measure_and_accept();
    sandbox.write("README.md", "Only words.\n");
    sandbox.commit("edit what counts as inert");
    sandbox
}

#[test]
fn what_an_inert_file_breaks_has_escaped() {
    let sandbox = inert_history();
    sandbox.holdpoint(&["gate", "--base", "HEAD~1", "--shadow"]).expect(10).says("escaped the selection");
    let audit = sandbox.holdpoint(&["plan", "--audit", "start..", "--json"]).expect(0).json();
    let last = audit["steps"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["left_out"], &last["went_wrong"]), (&2.into(), &1.into()), "{audit:#}");
    assert_eq!(last["escapes"][0]["case"], "keeps", "{audit:#}");
    assert_eq!((&audit["totals"]["escapes"], &audit["shadow_runs"]["escapes"]), (&1.into(), &1.into()));
}

#[test]
fn a_result_that_does_not_say_what_the_inert_files_held_is_of_no_state_where_they_changed() {
    let sandbox = inert_history();
    std::fs::remove_dir_all(sandbox.project().join(".holdpoint")).unwrap();
    let results = |range: &str| {
        let audit = sandbox.holdpoint(&["plan", "--audit", range, "--json"]).expect(0).json();
        let steps = audit["steps"].as_array().unwrap();
        steps.iter().map(|step| step["with_result"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    // The acceptance is a commit of its own, between the two states of the inert file.
    assert_eq!(results("start~1..HEAD"), [0, 0, 0]);
    assert_eq!(results("start~1..HEAD~1"), [2, 2], "where they did not change it counts");
    sandbox
        .holdpoint(&["plan", "--audit", "start..HEAD"])
        .expect(0)
        .says("What the inert files held is not known of 1 record, accepted results among them");
}
