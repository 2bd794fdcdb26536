//! What one side cannot show of itself: names that are no text, files left out of a checkout, edits during a run.

use std::collections::BTreeMap;
use std::path::Path;

use holdpoint::change::{Sides, SidesRequest};
use holdpoint::manifest::load_project;

use crate::project::{since, write_project};
use crate::scratch::Scratch;

type Edit = fn(&Scratch);

fn sides(root: &Path, head: Option<&str>) -> Sides {
    let environment = BTreeMap::new();
    let request = SidesRequest { project_root: root, base: None, head, environment: &environment, has_accepted: false };
    Sides::resolve(request).unwrap()
}

fn errors(sides: &Sides) -> Vec<String> {
    let errors = load_project(sides.head_files(), &BTreeMap::new()).unwrap_err();
    errors.into_iter().map(|error| error.message).collect()
}

#[test]
fn a_case_or_manifest_whose_name_is_no_utf_8_is_an_error_on_disk_and_in_a_revision() {
    for git in [true, false] {
        let scratch = if git { Scratch::new() } else { Scratch::without_git() };
        write_project(&scratch, "");
        scratch.write_bytes(b"cases/policy_accuracy/caf\xe9.yaml", "id: x\n");
        scratch.write_bytes(b"manifests/\xff/answer.yaml", "id: x\n");
        scratch.write_bytes(b"docs/\xff.md", "no matter\n");
        let message = |name: &str| format!("the name `{name}` is not UTF-8, and so the file cannot be read");
        let case = message(r"cases/policy_accuracy/caf\xe9.yaml");
        assert_eq!(errors(&sides(&scratch.root(), None)), [case.clone(), message(r"manifests/\xff")]);
        if git {
            scratch.commit("one");
            assert_eq!(errors(&sides(&scratch.root(), Some("HEAD"))), [case, message(r"manifests/\xff/answer.yaml")]);
        }
    }
}

#[test]
fn a_case_or_part_that_a_sparse_checkout_leaves_out_is_removed() {
    let scratch = Scratch::new();
    write_project(&scratch, "");
    scratch.write("manifests/extra.yaml", "id: extra\nkind: model\nversion: 1.0.0\nprovider: x\nname: y\n");
    scratch.commit("one");
    for path in ["cases/policy_accuracy/plain.yaml", "manifests/extra.yaml"] {
        scratch.git(&["update-index", "--skip-worktree", path]);
        scratch.remove(path);
    }
    assert_eq!(since(&scratch, "HEAD"), ["model", "case"]);
}

#[test]
fn a_file_that_is_edited_added_removed_or_made_executable_between_two_looks_is_noticed() {
    for git in [true, false] {
        let edits: [(&str, Edit); 5] = [
            ("edited", |scratch| _ = scratch.write("desk.py", "print(2)\n")),
            ("edited, same length", |scratch| _ = scratch.write("desk.py", "print[]\n")),
            ("added", |scratch| _ = scratch.write("new.py", "print(2)\n")),
            ("removed", |scratch| _ = scratch.remove("policies/returns.md")),
            ("mode", |scratch| _ = scratch.make_executable("desk.py")),
        ];
        for (what, edit) in edits {
            let scratch = if git { Scratch::new() } else { Scratch::without_git() };
            write_project(&scratch, "");
            if git {
                scratch.commit("one");
            }
            let before = sides(&scratch.root(), None);
            assert!(before.is_as_before(&sides(&scratch.root(), None)));
            edit(&scratch);
            assert!(!before.is_as_before(&sides(&scratch.root(), None)), "{what}, git: {git}");
        }
    }
}

#[test]
fn what_holdpoint_and_python_write_and_what_lies_outside_of_the_project_does_not_make_two_looks_differ() {
    let scratch = Scratch::new();
    write_project(&scratch, "desk/");
    let root = scratch.root().join("desk");
    let before = sides(&root, None);
    for path in ["reports/r/report.json", ".holdpoint/runs", "baselines/b.json", "app/__pycache__/desk.pyc"] {
        scratch.write(&format!("desk/{path}"), "1");
    }
    scratch.write("other", "1");
    assert!(before.is_as_before(&sides(&root, None)));
    scratch.write("desk/app/reports/x", "1");
    assert!(!before.is_as_before(&sides(&root, None)));
}

const CODE: &str = "    code: ['*.py']\n";

/// A repository whose project declares this code, with `ignored` in its `.gitignore`.
fn repository(code: &str, ignored: &str) -> Scratch {
    let scratch = Scratch::new();
    write_project(&scratch, "");
    let project = std::fs::read_to_string(scratch.root().join("holdpoint.yaml")).unwrap();
    assert!(project.contains(CODE));
    scratch.write("holdpoint.yaml", project.replace(CODE, code)).write(".gitignore", ignored);
    scratch
}

fn code_digests(root: &Path) -> BTreeMap<String, String> {
    let sides = sides(root, None);
    let project = load_project(sides.head_files(), &BTreeMap::new()).unwrap().project;
    let code = sides.snapshot(&project).unwrap().rest.code;
    code.into_iter().map(|(name, digest)| (name, digest.as_str().to_owned())).collect()
}

#[test]
fn code_that_git_ignores_is_a_change_each_time_and_its_content_is_recorded() {
    let scratch = repository("    code: ['gen/**']\n", "gen/\n__pycache__/\nnotes/\n");
    scratch.commit("one");
    scratch.write("notes/a.py", "1").write("gen/__pycache__/a.pyc", "1");
    assert!(since(&scratch, "HEAD").is_empty());
    scratch.write("gen/a.py", "1");
    assert_eq!(since(&scratch, "HEAD"), ["code file:gen/a.py"]);
    let before = code_digests(&scratch.root());
    scratch.write("gen/__pycache__/a.pyc", "2");
    assert_eq!(code_digests(&scratch.root()), before);
    scratch.write("gen/a.py", "2");
    assert_ne!(code_digests(&scratch.root()), before);
}

#[test]
fn a_program_that_git_ignores_is_a_change_of_code_without_any_glob() {
    let scratch = repository("    code: []\n", "desk.py\n");
    scratch.commit("one");
    assert_eq!(since(&scratch, "HEAD"), ["code file:desk.py"]);
}

#[test]
fn code_behind_a_link_is_compared_where_git_has_it_and_a_change_each_time_where_it_has_not() {
    let scratch = repository("    code: ['lib/**']\n", "hidden/\n");
    scratch.write("docs/v1/a.py", "1").link("lib", "docs/v1");
    scratch.commit("one");
    assert!(since(&scratch, "HEAD").is_empty());
    scratch.write("docs/v1/a.py", "2");
    assert_eq!(since(&scratch, "HEAD"), ["code file:lib/a.py", "inert file:docs/v1/a.py"]);
    scratch.remove("lib").write("hidden/b.py", "1").link("lib", "hidden");
    scratch.commit("two");
    scratch.link("hidden/loop", "../lib");
    assert_eq!(since(&scratch, "HEAD"), ["code file:lib/b.py"]);
}

#[test]
fn a_link_that_is_code_itself_counts_by_what_it_leads_to() {
    let scratch = repository("    code: ['app/*.py']\n", "hidden/\n");
    scratch.write("hidden/b.py", "1").write("app/a.py", "1").link("app/b.py", "../hidden/b.py");
    scratch.commit("one");
    assert_eq!(since(&scratch, "HEAD"), ["code file:app/b.py"]);
    let before = code_digests(&scratch.root());
    scratch.write("hidden/b.py", "2");
    assert_ne!(code_digests(&scratch.root()), before);
}

#[test]
fn a_revision_that_runs_elsewhere_has_no_code_that_git_ignores() {
    let scratch = repository("    code: ['gen/**']\n", "gen/\n");
    scratch.write("gen/a.py", "1").commit("one");
    scratch.commit("two");
    let changes = |head: &str| {
        let environment = BTreeMap::new();
        let root = scratch.root();
        let request = SidesRequest {
            project_root: &root,
            base: Some("HEAD~1"),
            head: Some(head),
            environment: &environment,
            has_accepted: false,
        };
        let sides = Sides::resolve(request).unwrap();
        let project = load_project(sides.head_files(), &environment).unwrap().project;
        sides.changes(&project, None).unwrap().changes.len()
    };
    assert_eq!(changes("HEAD"), 1);
    scratch.write("docs/readme.txt", "edited");
    assert_eq!(changes("HEAD"), 0);
}
