//! Ordinary changes of a part, with no seeded defect: each turns the set red that such a change puts at risk.

use holdpoint::domain::PartId;
use holdpoint::manifest::Project;
use serde_json::{Value, json};

use crate::bench::{PROJECT, not_passed, run, sets_of};

fn facet<'p>(project: &'p mut Project, part: &str, pointer: &str) -> &'p mut Value {
    let document = &mut project.parts.get_mut(part).unwrap().document;
    let (first, rest) = pointer.split_once('/').unwrap();
    document.get_mut(first).unwrap().pointer_mut(&format!("/{rest}")).unwrap()
}

fn edit_text(project: &mut Project, part: &str, from: &str, to: &str) {
    let texts = project.texts.get_mut(&PartId::new(part)).unwrap();
    for text in texts.values_mut() {
        assert!(text.contains(from));
        *text = text.replace(from, to);
    }
}

#[track_caller]
fn assert_red(project: &Project, set: &str) {
    let red = sets_of(&not_passed(&run(project)));
    assert!(red.contains(set), "{set} is not among {red:?}");
}

#[test]
fn a_prompt_that_lets_times_be_confirmed_is_caught() {
    let mut project = PROJECT.clone();
    edit_text(&mut project, "draft-prompt", "availability: leave open", "availability: confirm");
    assert_red(&project, "missing_availability");
}

#[test]
fn a_prompt_that_hides_conflicts_is_caught() {
    let mut project = PROJECT.clone();
    edit_text(&mut project, "draft-prompt", "conflicts: name", "conflicts: hide");
    assert_red(&project, "source_conflict");
}

#[test]
fn an_edited_figure_in_a_source_is_caught() {
    let mut project = PROJECT.clone();
    edit_text(&mut project, "returns-policy", "within 30 days", "within 60 days");
    assert_red(&project, "policy_accuracy");
}

#[test]
fn staging_that_needs_no_approval_any_more_is_caught() {
    let mut project = PROJECT.clone();
    *facet(&mut project, "desk-permissions", "actions/stage/needs_approval") = json!(false);
    assert_red(&project, "action");
}

#[test]
fn a_source_opened_to_the_desk_is_caught() {
    let mut project = PROJECT.clone();
    let sources = facet(&mut project, "desk-permissions", "actors/desk/sources");
    sources.as_array_mut().unwrap().push(json!("reviewer-handbook"));
    assert_red(&project, "context_boundaries");
}

#[test]
fn a_trainee_who_may_stage_is_caught() {
    let mut project = PROJECT.clone();
    let actions = facet(&mut project, "desk-permissions", "actors/trainee/actions");
    actions.as_array_mut().unwrap().push(json!("stage"));
    assert_red(&project, "access");
}

#[test]
fn a_connector_that_forgets_its_keys_too_early_is_caught() {
    let mut project = PROJECT.clone();
    *facet(&mut project, "review-desk", "operations/stage/idempotency/window_s") = json!(600);
    assert_red(&project, "duplicate");
}

#[test]
fn a_misspelled_defect_passes_no_case() {
    let mut project = PROJECT.clone();
    let connector = project.parts.get_mut("review-desk").unwrap();
    connector.document.insert("settings".to_owned(), json!({"defect": "stages_twise"}));
    assert_eq!(not_passed(&run(&project)).len(), project.cases.len());
}
