//! Whole projects in repositories: from a base that is named to the changes that are found.

use std::collections::BTreeMap;
use std::path::Path;

use holdpoint::change::{BaseKind, ChangeSet, Sides, SidesRequest, Snapshot};
use holdpoint::domain::CaseId;
use holdpoint::manifest::{Project, load_project};
use tempfile::TempDir;

use crate::scratch::Scratch;

const PROJECT: &str = "\
schema: holdpoint.project/1
name: Desk
workflows:
  desk:
    command: {run: [python3, desk.py]}
    parts: [answer, policy]
    code: ['*.py']
inert: ['docs/**']
";
const CASE: &str = "\
id: plain
title: A plain question is answered
workflow: desk
input: {question: May I return a lamp?}
expect:
  - contains: thirty days
";
const FILES: [(&str, &str); 8] = [
    ("holdpoint.yaml", PROJECT),
    ("manifests/answer.yaml", "id: answer\nkind: prompt\nversion: 1.0.0\nfiles: [prompts/answer.md]\n"),
    ("prompts/answer.md", "Answer from the policy.\nAnd nothing else.\n"),
    ("manifests/policy.yaml", "id: policy\nkind: source\nversion: 1.0.0\nglobs: ['policies/**/*.md']\n"),
    ("policies/returns.md", "Returns within thirty days.\n"),
    ("cases/policy_accuracy/plain.yaml", CASE),
    ("desk.py", "print()\n"),
    ("docs/readme.txt", "words\n"),
];

/// A repository with the project below `folder` (empty, or ending in `/`), committed once.
fn repository(folder: &str) -> Scratch {
    let scratch = Scratch::new();
    write_project(&scratch, folder);
    scratch.commit("one");
    scratch
}

pub(crate) fn write_project(scratch: &Scratch, folder: &str) {
    for (path, content) in FILES {
        scratch.write(&format!("{folder}{path}"), content);
    }
}

struct Compared {
    changes: ChangeSet,
    snapshot: Snapshot,
    project: Project,
}

fn compare(root: &Path, base: Option<&str>, head: Option<&str>, accepted: Option<&Snapshot>) -> Compared {
    let environment = BTreeMap::new();
    let has_accepted = accepted.is_some();
    let request = SidesRequest { project_root: root, base, head, environment: &environment, has_accepted };
    let sides = Sides::resolve(request).unwrap();
    let project = load_project(sides.head_files(), &environment).unwrap().project;
    let changes = sides.changes(&project, accepted).unwrap();
    Compared { changes, snapshot: sides.snapshot(&project).unwrap(), project }
}

/// `kind facet` of each change between a revision and the working tree.
pub(crate) fn since(scratch: &Scratch, base: &str) -> Vec<String> {
    shown(&compare(&scratch.root(), Some(base), None, None).changes)
}

fn shown(changes: &ChangeSet) -> Vec<String> {
    let show = |change: &holdpoint::change::Change| {
        format!("{} {}", change.kind.name(), change.facet.as_deref().unwrap_or("-")).trim_end_matches(" -").to_owned()
    };
    changes.changes.iter().map(show).collect()
}

#[test]
fn one_edit_of_each_kind_is_found_whether_or_not_it_is_committed() {
    let scratch = repository("");
    scratch.write("prompts/answer.md", "Reply.\n").remove("policies/returns.md").write("policies/new.md", "New.\n");
    scratch.write("cases/policy_accuracy/plain.yaml", CASE.replace("thirty", "forty")).write("desk.py", "print(1)\n");
    scratch.write("docs/readme.txt", "other\n").write("Makefile", "all:\n");
    let expected = [
        "prompt file:prompts/answer.md",
        "source file:policies/new.md",
        "source file:policies/returns.md",
        "code file:desk.py",
        "case expect",
        "unclassified file:Makefile",
        "inert file:docs/readme.txt",
    ];
    assert_eq!(since(&scratch, "HEAD"), expected);
    scratch.commit("two");
    assert_eq!(since(&scratch, "HEAD~1"), expected);
    let between = compare(&scratch.root(), Some("HEAD~1"), Some("HEAD"), None);
    assert_eq!(shown(&between.changes), expected);
    assert!(between.changes.cases[&CaseId::from("plain")].expectation_only);
    assert!(since(&scratch, "HEAD").is_empty());
}

#[test]
fn a_project_in_a_sub_folder_counts_what_lies_outside_and_does_not_look_at_it() {
    let scratch = repository("apps/desk/");
    scratch.write("apps/desk/prompts/answer.md", "Reply.\n").write("apps/other/x", "1").write("readme", "1");
    let root = scratch.root().join("apps/desk");
    let found = compare(&root, Some("HEAD"), None, None).changes;
    assert_eq!(shown(&found), ["prompt file:prompts/answer.md"]);
    assert_eq!(found.outside_project, 2);
    scratch.commit("two");
    assert_eq!(shown(&compare(&root, Some("HEAD~1"), Some("HEAD"), None).changes), ["prompt file:prompts/answer.md"]);
}

#[test]
fn line_ends_that_a_checkout_converts_change_neither_parts_nor_the_fingerprint() {
    let scratch = repository("");
    let before = compare(&scratch.root(), Some("HEAD"), None, None);
    scratch.git(&["config", "core.autocrlf", "true"]);
    for path in ["prompts/answer.md", "policies/returns.md", "desk.py", "cases/policy_accuracy/plain.yaml"] {
        scratch.remove(path);
    }
    scratch.git(&["checkout", "-q", "--", "."]);
    assert!(std::fs::read_to_string(scratch.root().join("prompts/answer.md")).unwrap().contains("\r\n"));
    let after = compare(&scratch.root(), Some("HEAD"), None, None);
    assert!(after.changes.changes.is_empty(), "{:?}", shown(&after.changes));
    assert_eq!(before.project.fingerprint, after.project.fingerprint);
    assert_eq!(before.snapshot, after.snapshot);
}

#[test]
fn a_named_file_that_git_ignores_counts_as_a_change() {
    let scratch = repository("");
    scratch.write(".gitignore", "prompts/local.md\n");
    scratch.write("manifests/answer.yaml", "id: answer\nkind: prompt\nversion: 1.0.0\nfiles: [prompts/local.md]\n");
    scratch.write("prompts/local.md", "1");
    scratch.commit("two");
    assert_eq!(since(&scratch, "HEAD"), ["prompt file:prompts/local.md"]);
    let accepted = compare(&scratch.root(), None, None, None).snapshot;
    let unchanged = compare(&scratch.root(), None, None, Some(&accepted)).changes;
    assert!(unchanged.changes.is_empty());
    scratch.write("prompts/local.md", "2");
    let changed = compare(&scratch.root(), None, None, Some(&accepted)).changes;
    assert_eq!(shown(&changed), ["prompt file:prompts/local.md"]);
}

#[test]
fn a_base_that_cannot_be_parsed_is_a_change_of_everything_in_it() {
    let scratch = repository("");
    scratch.write("manifests/answer.yaml", "id: answer\nkind: [").commit("broken");
    scratch.write("manifests/answer.yaml", FILES[1].1);
    assert_eq!(since(&scratch, "HEAD"), ["prompt *"]);
}

#[test]
fn a_manifest_that_was_a_link_at_the_base_is_a_change_of_everything_in_it() {
    let scratch = repository("");
    scratch.remove("manifests/answer.yaml").write("elsewhere.yaml", FILES[1].1);
    scratch.link("manifests/answer.yaml", "../elsewhere.yaml").commit("link");
    scratch.remove("manifests/answer.yaml").write("manifests/answer.yaml", FILES[1].1);
    assert_eq!(since(&scratch, "HEAD"), ["prompt *"]);
}

#[test]
fn a_submodule_pin_and_names_of_every_kind_are_unclassified_and_never_dropped() {
    let library = Scratch::new();
    library.write("a", "1").commit("one");
    let scratch = repository("");
    let url = format!("file://{}", library.root().display());
    scratch.git(&["submodule", "add", "-q", &url, "library"]);
    scratch.write("prüfung.md", "1").write_bytes(b"caf\xe9", "1").write("a\n::error::b", "1");
    let expected = [
        "unclassified file:.gitmodules",
        r"unclassified file:a\u{a}::error::b",
        r"unclassified file:caf\xe9",
        "unclassified file:library",
        "unclassified file:prüfung.md",
    ];
    assert_eq!(since(&scratch, "HEAD"), expected);
}

#[test]
fn a_non_ascii_path_of_a_part_is_its_part_s_change_whatever_core_quotepath_says() {
    let scratch = repository("");
    scratch.git(&["config", "core.quotePath", "true"]);
    scratch.write("policies/rückgabe.md", "1").commit("two");
    scratch.write("policies/rückgabe.md", "2");
    assert_eq!(since(&scratch, "HEAD"), ["source file:policies/rückgabe.md"]);
}

#[test]
fn both_sides_of_a_criss_cross_history_count() {
    let scratch = repository("");
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.write("prompts/answer.md", "Reply.\n").commit("side");
    scratch.git(&["checkout", "-q", "main"]);
    let main = scratch.write("desk.py", "print(1)\n").commit("main");
    scratch.git(&["merge", "-q", "--no-edit", "side"]);
    scratch.git(&["checkout", "-q", "side"]);
    scratch.git(&["merge", "-q", "--no-edit", &main]);
    assert_eq!(since(&scratch, "main"), ["prompt file:prompts/answer.md", "code file:desk.py"]);
}

#[test]
fn a_depth_one_clone_stands_on_what_was_accepted_and_finds_the_same_changes() {
    let origin = repository("");
    let accepted = compare(&origin.root(), None, None, None).snapshot;
    origin
        .write("prompts/answer.md", "Reply.\n")
        .write("desk.py", "print(1)\n")
        .write("Makefile", "all:\n")
        .commit("two");
    let clone = Scratch::clone_of(&origin, &["--depth", "1"]);
    let found = compare(&clone.root(), None, None, Some(&accepted)).changes;
    assert_eq!(found.base_kind, BaseKind::Baseline);
    assert_eq!(shown(&found), ["prompt file:prompts/answer.md", "code file:desk.py", "unclassified file:Makefile"]);
}

#[test]
fn a_snapshot_is_the_same_committed_uncommitted_as_a_revision_and_without_git() {
    let scratch = repository("");
    scratch.write("desk.py", "print(2)\n").write("run.sh", "#!/bin/sh\n").make_executable("run.sh").link("to", "docs");
    let uncommitted = compare(&scratch.root(), None, None, None).snapshot;
    scratch.commit("two");
    assert_eq!(compare(&scratch.root(), None, None, None).snapshot, uncommitted);
    assert_eq!(compare(&scratch.root(), None, Some("HEAD"), None).snapshot, uncommitted);
    let folder = TempDir::new().unwrap();
    let copy = std::process::Command::new("cp").arg("-a").arg(scratch.root().join(".")).arg(folder.path()).status();
    assert!(copy.unwrap().success());
    std::fs::remove_dir_all(folder.path().join(".git")).unwrap();
    let without_git = compare(folder.path(), None, None, Some(&uncommitted));
    assert_eq!(without_git.snapshot, uncommitted);
    assert!(without_git.changes.changes.is_empty());
    std::fs::write(folder.path().join("run.sh"), "#!/bin/sh\nexit 1\n").unwrap();
    let edited = compare(folder.path(), None, None, Some(&uncommitted)).changes;
    assert_eq!(shown(&edited), ["unclassified file:run.sh"]);
}

#[test]
fn a_project_that_its_repository_ignores_is_seen_through_what_was_accepted() {
    let scratch = Scratch::new();
    scratch.write(".gitignore", "/desk/\n").commit("one");
    write_project(&scratch, "desk/");
    let root = scratch.root().join("desk");
    let accepted = compare(&root, None, None, None).snapshot;
    scratch.write("desk/desk.py", "print(1)\n");
    let found = compare(&root, None, None, Some(&accepted)).changes;
    assert_eq!(shown(&found), ["code file:desk.py"]);
    assert!(found.head.note.unwrap().contains("ignored"));
    let asked = compare(&root, Some("HEAD"), None, Some(&accepted)).changes;
    assert!(matches!(asked.base_kind, BaseKind::None(_)));
}

#[test]
fn a_clean_project_has_no_change_and_a_base_without_the_project_is_all_change() {
    let scratch = Scratch::new();
    scratch.write("readme", "1").commit("before");
    write_project(&scratch, "");
    scratch.commit("one");
    assert!(since(&scratch, "HEAD").is_empty());
    let found = since(&scratch, "HEAD~1");
    for change in ["project *", "prompt", "source", "case", "code file:desk.py", "unclassified file:readme"] {
        let expected = change != "unclassified file:readme";
        assert_eq!(found.iter().any(|shown| shown == change), expected, "{change} in {found:?}");
    }
}
