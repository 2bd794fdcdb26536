//! Papers of a recorded run.

use serde_json::{Value, json};

use crate::scene::Scene;

const PAPERS: [&str; 5] = ["scorecard", "failures", "incident", "handover", "evaluation-plan"];

fn row<'a>(table: &'a Value, case: &str) -> &'a Value {
    table["rows"].as_array().unwrap().iter().find(|row| row["case"] == case).unwrap()
}

#[test]
fn every_paper_comes_as_text_markdown_and_one_json_document() {
    let scene = Scene::after_a_run();
    for paper in PAPERS {
        assert!(scene.printed(&[paper]).lines().nth(1).unwrap().starts_with("==="), "{paper}");
        assert!(scene.printed(&[paper, "--format", "markdown"]).starts_with("# "), "{paper}");
        let schema = json!(format!("holdpoint.{paper}/1"));
        assert_eq!(scene.document(&[paper, "--json"])["schema"], schema);
        assert_eq!(scene.document(&[paper, "latest", "--format", "json"])["schema"], schema);
    }
}

#[test]
fn the_papers_of_a_lost_acknowledgment_say_what_happened_what_did_not_and_what_may_be_done() {
    let scene = Scene::after_a_run();
    let case = "lost-acknowledgment-is-unknown";
    let note = scene.document(&["incident", "--about", case, "--json"]);
    let finding = &note["known"][0];
    assert!(finding["text"].as_str().unwrap().starts_with("It was done, exactly once."), "{note}");
    assert!(note["attempted"][0]["attempts"][0].as_str().unwrap().contains("the acknowledgment was lost"), "{note}");
    assert_eq!(note["uncertain"], json!([]));
    let next = &note["next_steps"][0];
    assert!(next["step"].as_str().unwrap().starts_with("The workflow does not know yet"), "{note}");
    assert_eq!((&next["another_attempt"], &next["owner"]), (&json!("not_permitted"), &Value::Null));
    assert!(note["missing"].as_array().unwrap().contains(&json!("Any owner.")), "{note}");

    let item = &scene.document(&["handover", "--about", case, "--json"])["items"][0];
    assert!(item["verified"][0].as_str().unwrap().contains("exactly once: receipt item "), "{item}");
    assert!(item["intended"].as_str().unwrap().contains("reported as unknown"), "{item}");
    assert_eq!(item["attempts"][0]["another_attempt"], "not_permitted");
}

#[test]
fn the_failure_table_has_a_row_for_each_operation_and_says_who_may_approve() {
    let scene = Scene::after_a_run();
    let table = scene.document(&["failures", "--json"]);
    let replayed = row(&table, "lost-acknowledgment-is-replayed");
    assert_eq!(
        (&replayed["outcome"], &replayed["attempts"], &replayed["effects"]),
        (&json!("replayed"), &json!(2), &json!(1))
    );
    assert_eq!((&replayed["faults"], &replayed["step"]), (&json!(["lost_ack"]), &json!("review-desk/stage")));
    let failed = row(&table, "failure-before-the-commit-leaves-nothing");
    assert_eq!((&failed["outcome"], &failed["effects"]), (&json!("not_committed"), &json!(0)));
    assert_eq!(failed["another_attempt"], "needs_decision");
    assert!(failed["authority"].as_str().unwrap().contains("lead or reviewer"), "{failed}");
    let refused = row(&table, "revoked-approval");
    assert_eq!((&refused["outcome"], &refused["another_attempt"]), (&json!("rejected"), &json!("not_permitted")));
}

#[test]
fn the_scorecard_leaves_blank_what_a_run_cannot_observe() {
    let scene = Scene::after_a_run();
    let scores = scene.document(&["scorecard", "--json"]);
    assert_eq!(scores["cases"]["passed_checks"]["of"], 6);
    for place in ["/cases/accepted", "/effort/minutes", "/cost", "/queue/waiting", "/exceptions/unassigned"] {
        assert_eq!(scores.pointer(place), Some(&Value::Null), "{place}");
    }
    let (operations, attempts) = (&scores["operations"]["operations"], &scores["operations"]["attempts"]);
    assert!(operations.as_u64().unwrap() < attempts.as_u64().unwrap(), "{scores}");
    let text = scene.printed(&["scorecard"]);
    assert!(text.contains("Accepted by a reviewer    not observed"), "{text}");
}

#[test]
fn cause_change_and_case_are_linked_with_what_the_run_showed_of_the_case() {
    let scene = Scene::after_a_run();
    let links =
        ["--cause", "No retry.", "--change", "abc123", "--case", "lost-acknowledgment-is-replayed", "--owner", "ivo"];
    let note =
        scene.document(&[&["incident", "--about", "lost-acknowledgment-is-unknown", "--json"], &links[..]].concat());
    assert_eq!((&note["cause"][0]["text"], &note["change"][0]["text"]), (&json!("No retry."), &json!("abc123")));
    assert!(note["verification"][0]["text"].as_str().unwrap().contains(": passed in run "), "{note}");
    assert_eq!(note["owners"], json!(["ivo"]));
}

#[test]
fn the_evaluation_plan_is_blank_where_no_model_was_called() {
    let scene = Scene::after_a_run();
    let plan = scene.document(&["evaluation-plan", "--json"]);
    let case = &plan["cases"][0];
    assert_eq!((&case["set"], &case["case"]), (&json!("missing_availability"), &json!("tuesday-at-ten")));
    assert_eq!((&case["observed"], &case["model"]), (&Value::Null, &Value::Null));
    assert!(case["blank_because"].as_str().unwrap().contains("no model is called"), "{case}");
    assert_eq!(plan["empty_sets"].as_array().unwrap().len(), 5);
    assert_eq!(Scene::project().document(&["evaluation-plan", "--json"])["cases"].as_array().unwrap().len(), 1);
}

#[test]
fn no_paper_repeats_an_input_an_answer_or_a_customer() {
    let scene = Scene::after_a_run();
    let secrets = ["K-12", "Can I return it", "Tuesday at ten?"];
    for paper in PAPERS {
        for form in ["text", "markdown", "json"] {
            let text = scene.printed(&[paper, "--format", form]);
            for secret in secrets {
                assert!(!text.contains(secret), "{paper} {form}: {secret}");
            }
        }
    }
}

#[test]
fn without_a_run_or_with_a_name_that_fits_nothing_no_paper_is_made() {
    let scene = Scene::project();
    for paper in ["scorecard", "failures", "incident", "handover"] {
        let ran = scene.holdpoint(&[paper]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{paper}: {}", ran.stderr);
        assert!(ran.stderr.contains("no run is recorded here yet"), "{}", ran.stderr);
    }
    let ran = Scene::after_a_run().holdpoint(&["incident", "--about", "no-such-case"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(14), ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("`no-such-case`"), "{}", ran.stderr);
}
