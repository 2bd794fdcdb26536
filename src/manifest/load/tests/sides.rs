//! The side that a project is compared with: what can be read is kept, and everything else is named.

use super::*;

fn unreadable(side: &SideProject) -> Vec<&str> {
    side.unreadable.iter().map(|diagnostic| diagnostic.path.as_str()).collect()
}

#[test]
fn a_valid_side_is_read_like_a_project() {
    let side = load_side(&valid());
    let project = load_project(&valid(), &BTreeMap::new()).unwrap().project;
    assert_eq!(side.unreadable, []);
    assert_eq!(side.parts, project.parts);
    assert_eq!(side.cases, project.cases);
    assert_eq!(side.project_file_digest, Some(project.file_digest));
}

#[test]
fn references_that_lead_nowhere_and_unset_variables_are_no_fault() {
    let project = PROJECT
        .replace("clerks, review", "clerk, review")
        .replace("http://127.0.0.1:8080/invoke", "'http://${HOST}:8080'");
    let case = CASE.replace("desk", "gone").replace("plain-answer", "odd");
    let side = load_side(
        &with("holdpoint.yaml", project)
            .with("cases/banana/odd.yaml", format!("{case}sources: [gone]\n"))
            .with("manifests/answer.yaml", "id: answer\nkind: prompt\nversion: 1.0.0\nfiles: [prompts/gone.md]\n"),
    );
    assert_eq!(side.unreadable, []);
    assert_eq!(side.project_file.unwrap().workflows["remote"].http.as_ref().unwrap().url, "http://${HOST}:8080");
    assert_eq!(side.cases["odd"].set.as_str(), "banana");
    assert!(side.parts["answer"].files.is_empty());
}

#[test]
fn what_cannot_be_read_is_named_and_loses_nothing_else() {
    let side = load_side(
        &with("holdpoint.yaml", "schema: holdpoint.project/9\n")
            .with("manifests/policy.yml", "id: [policy\n")
            .with("cases/action/odd.yaml", "id: odd\n")
            .with(
                "cases/action/pattern.yaml",
                CASE.replace("plain-answer", "b").replace("contains: thirty days", "regex: '('"),
            )
            .with_entry("cases/duplicate", EntryKind::Symlink),
    );
    let mut paths = unreadable(&side);
    paths.dedup();
    assert_eq!(
        paths,
        [
            "cases/action/odd.yaml",
            "cases/action/pattern.yaml",
            "cases/duplicate",
            "holdpoint.yaml",
            "manifests/policy.yml"
        ]
    );
    assert_eq!((side.parts.len(), side.cases.len(), side.project_file.is_none()), (5, 1, true));
}

#[test]
fn an_id_that_two_files_have_belongs_to_neither() {
    let side = load_side(
        &with_case(CASE.replace("plain-answer", "Plain-Answer"))
            .with("manifests/odd.yaml", "id: drafter\nkind: model\nversion: '1'\nprovider: a\nname: b\n"),
    );
    let mut paths = unreadable(&side);
    paths.dedup();
    assert_eq!(
        paths,
        ["cases/action/odd.yaml", "cases/policy_accuracy/plain.yaml", "manifests/drafter.yaml", "manifests/odd.yaml"]
    );
    assert!(side.cases.is_empty() && !side.parts.contains_key("drafter"));
}

#[test]
fn an_empty_side_is_empty() {
    let side = load_side(&MemoryFiles::new());
    assert_eq!(unreadable(&side), ["holdpoint.yaml"]);
    assert!(side.parts.is_empty() && side.cases.is_empty() && side.project_file.is_none());
}
