//! Papers of an operation ledger, in a folder without a project.

use serde_json::{Value, json};

use crate::scene::Scene;

/// The example of the documentation, so that it stays right.
fn example() -> String {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/operation-ledger.md")).unwrap();
    let (_, rest) = text.split_once("```json\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

fn scene(ledger: impl AsRef<[u8]>) -> Scene {
    let scene = Scene::empty();
    scene.write("ops.jsonl", ledger);
    scene
}

#[test]
fn the_documented_example_gives_every_paper_without_a_project() {
    let scene = scene(example());
    for paper in ["scorecard", "failures", "incident", "handover"] {
        let document = scene.document(&[paper, "--ledger", "ops.jsonl", "--json"]);
        assert_eq!(document["schema"], json!(format!("holdpoint.{paper}/1")));
        assert_eq!(document["source"]["workflow"], "r618");
        assert!(!scene.printed(&[paper, "--ledger", "ops.jsonl"]).is_empty());
        assert!(scene.printed(&[paper, "--ledger", "ops.jsonl", "--format", "markdown"]).starts_with("# "));
    }
}

#[test]
fn a_lost_answer_stays_uncertain_with_owner_containment_and_next_check() {
    let note = scene(example()).document(&["incident", "--ledger", "ops.jsonl", "--json"]);
    assert_eq!(note["uncertain"].as_array().unwrap().len(), 1);
    assert_eq!(note["known"], json!([]));
    assert_eq!(note["owners"], json!(["coordinator"]));
    assert_eq!(note["containment"][0]["text"], "The confirmation is held back.");
    assert_eq!(note["next_checks"][0]["due"], "2026-03-02T09:30:00Z");
    assert_eq!(note["next_steps"][0]["another_attempt"], "permitted");
    let missing: Vec<&str> = note["missing"].as_array().unwrap().iter().map(|gap| gap.as_str().unwrap()).collect();
    assert!(!missing.contains(&"Any owner.") && missing.contains(&"The cause."), "{missing:?}");
}

#[test]
fn a_ledger_that_is_not_in_order_gives_every_error_with_file_and_line_and_no_paper() {
    let mut broken =
        example().replace("\"number\":1", "\"number\":3").replace("\"claim\":\"unknown\"", "\"claim\":\"done\"");
    broken.push_str("{\"entry\":\"case\"");
    let ran = scene(broken).holdpoint(&["scorecard", "--ledger", "ops.jsonl"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(13), ""), "{}", ran.stderr);
    for part in [
        "ops.jsonl:4",
        "attempt 3 follows on attempt 0",
        "ops.jsonl:5",
        "unknown variant `done`",
        "ops.jsonl:9",
        "cut off",
        "3 errors",
    ] {
        assert!(ran.stderr.contains(part), "{part} is missing in {}", ran.stderr);
    }
}

#[test]
fn a_hostile_ledger_moves_no_cursor_of_the_terminal() {
    let text = "{\"entry\":\"\\u001b[2J\",\"\u{1b}[31m\":\"\u{202e}\"}\n";
    let ran = scene(text).holdpoint(&["failures", "--ledger", "ops.jsonl"]);
    assert_eq!(ran.code, Some(13));
    assert!(!ran.stderr.contains("\u{1b}[2J") && !ran.stderr.contains("\u{1b}[31m"), "{:?}", ran.stderr);
}

#[test]
fn a_ledger_that_is_not_there_and_a_run_beside_a_ledger_are_wrong_usage() {
    let scene = scene(example());
    for arguments in
        [["scorecard", "--ledger", "none.jsonl"].as_slice(), &["scorecard", "latest", "--ledger", "ops.jsonl"]]
    {
        let ran = scene.holdpoint(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn the_schema_of_a_ledger_is_served_and_takes_the_example() {
    let scene = scene(example());
    assert!(scene.printed(&["schema"]).lines().any(|line| line == "ledger"));
    let validator = jsonschema::validator_for(&scene.document(&["schema", "ledger"])).unwrap();
    for line in example().lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        assert!(validator.is_valid(&entry), "{line}");
    }
}
