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

/// Files of which no case is ever read.
struct Unread(MemoryFiles);

impl FileSource for Unread {
    fn list(&self, prefix: &str) -> Result<Vec<String>, FileError> {
        self.0.list(prefix)
    }

    fn unnameable(&self, prefix: &str) -> Result<Vec<String>, FileError> {
        self.0.unnameable(prefix)
    }

    fn kind(&self, path: &str) -> Option<EntryKind> {
        self.0.kind(path)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        assert!(!path.starts_with("cases/"), "{path} is read");
        self.0.read(path)
    }

    fn content_name(&self, path: &str) -> Option<Vec<u8>> {
        self.0.content_name(path)
    }
}

#[test]
fn a_case_in_the_same_bytes_is_taken_over_and_not_read_again() {
    let project = load_project(&valid(), &BTreeMap::new()).unwrap().project;
    let (head, base) = (valid(), Unread(valid()));
    let side = load_side_beside(&base, &EarlierCases::of(&head, &project));
    assert_eq!((side.unreadable, side.cases), (Vec::new(), project.cases));
}

#[test]
fn a_case_whose_fixture_differs_or_whose_id_another_file_has_now_is_looked_at_again() {
    let case = format!("{}fixtures: {{order.json: order.json}}\n", CASE.replace("plain-answer", "with-order"));
    let side = |content: &str| with("cases/action/order.yaml", case.as_str()).with("cases/action/order.json", content);
    let (head, base) = (side("1"), side("2"));
    let project = load_project(&head, &BTreeMap::new()).unwrap().project;
    let earlier = EarlierCases::of(&head, &project);
    let read = load_side_beside(&base, &earlier);
    assert_eq!(read.cases["with-order"].fixtures[0].content, b"2");
    let doubled = head.clone().with("cases/duplicate/again.yaml", CASE.replace("plain-answer", "WITH-order"));
    let doubled = load_side_beside(&doubled, &earlier);
    assert_eq!(doubled.cases.keys().map(CaseId::as_str).collect::<Vec<_>>(), ["plain-answer"]);
    assert_eq!(unreadable(&doubled), ["cases/action/order.yaml", "cases/duplicate/again.yaml"]);
}
