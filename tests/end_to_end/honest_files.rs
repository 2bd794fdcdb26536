//! Files in which something is misplaced, misspelled or missing never pass as if it had been tested.

use crate::sandbox::Sandbox;
use crate::small_project::{CASE, MANIFEST, PROJECT, small_project};

const CASE_PATH: &str = "cases/policy_accuracy/greets.yaml";

/// `check` and `gate` both refuse, and both name `what`.
#[track_caller]
fn refused(sandbox: &Sandbox, what: &str) {
    sandbox.holdpoint(&["check"]).expect(13).says(what);
    sandbox.holdpoint(&["gate"]).expect(13).says(what);
    assert!(!sandbox.project().join("reports").exists(), "something ran");
}

#[track_caller]
fn case_refused(text: &str, what: &str) {
    let sandbox = small_project();
    sandbox.write(CASE_PATH, text);
    refused(&sandbox, what);
}

#[test]
fn a_sound_project_is_let_through() {
    small_project().holdpoint(&["check"]).expect(0);
}

#[test]
fn an_unknown_key_at_the_top_is_refused() {
    case_refused(&CASE.replace("expect:", "assert:"), "assert");
    let sandbox = small_project();
    sandbox.write("holdpoint.yaml", &format!("{PROJECT}tests: [a]\n"));
    refused(&sandbox, "tests");
    let sandbox = small_project();
    sandbox.write("manifests/greeting.yaml", &format!("{MANIFEST}temperature: 1\n"));
    refused(&sandbox, "temperature");
}

#[test]
fn expectations_one_level_too_deep_are_refused() {
    let deep = CASE.replace(
        "input: {question: Hello}\nexpect:\n  - contains",
        "input:\n  question: Hello\n  expect:\n    - contains",
    );
    case_refused(&deep, "expect");
}

#[test]
fn a_file_of_another_shape_is_refused() {
    case_refused("- contains: Good morning\n", CASE_PATH);
    case_refused("question,answer\nHello,Good morning\n", CASE_PATH);
    case_refused("", CASE_PATH);
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for() {
    for path in ["cases/policy_accuracy/pipe.yaml", "manifests/pipe.yaml", "prompts/greeting.txt"] {
        let sandbox = small_project();
        let _ = std::fs::remove_file(sandbox.project().join(path));
        sandbox.ran(sandbox.command("mkfifo").arg(path)).expect(0);
        refused(&sandbox, &format!("`{path}` is a pipe, a socket or a device, and no regular file"));
    }
}

#[test]
fn a_case_that_expects_nothing_is_refused() {
    case_refused(&CASE.replace("\n  - contains: Good morning", " []"), "expect");
    case_refused(&CASE.replace("contains: Good morning", "contains: \"\""), "contains");
    case_refused(&CASE.replace("contains: Good morning", "contains: []"), "contains");
    case_refused(&CASE.replace("contains: Good morning", "contains: {all: []}"), "contains");
    case_refused(&CASE.replace("contains: Good morning", "regex: \"\""), "regex");
}

#[test]
fn a_misspelled_grader_or_field_is_refused() {
    case_refused(&CASE.replace("contains:", "contain:"), "contain");
    case_refused(&CASE.replace("contains: Good morning", "length: {atmost: 3}"), "atmost");
}

#[test]
fn a_key_given_twice_is_refused() {
    case_refused(&format!("{CASE}expect:\n  - contains: o\n"), "expect");
}

#[test]
fn ids_that_collide_are_refused() {
    for (first, second) in [("1", "\"1\""), ("greets", "Greets"), ("greets", "greets")] {
        let sandbox = small_project();
        sandbox.write(CASE_PATH, &CASE.replace("id: greets", &format!("id: {first}")));
        sandbox.write("cases/action/twin.yaml", &CASE.replace("id: greets", &format!("id: {second}")));
        refused(&sandbox, "id");
    }
}

#[test]
fn an_unset_environment_variable_is_refused_and_never_left_in_the_text() {
    let sandbox = small_project();
    sandbox.write(
        "holdpoint.yaml",
        &PROJECT
            .replace("run: [sh, workflow.sh]", "run: [sh, workflow.sh]\n      env: {set: {TOKEN: \"${DESK_TOKEN}\"}}"),
    );
    refused(&sandbox, "DESK_TOKEN");
    let mut command = sandbox.holdpoint_command();
    sandbox.ran(command.env("DESK_TOKEN", "t").arg("check")).expect(0);
}

#[test]
fn a_file_that_is_named_and_not_there_is_refused() {
    let sandbox = small_project();
    std::fs::remove_file(sandbox.project().join("prompts/greeting.txt")).unwrap();
    refused(&sandbox, "prompts/greeting.txt");
}

#[test]
fn a_path_that_leaves_the_project_is_refused() {
    for path in ["../outside.txt", "/etc/hostname", "prompts/../../outside.txt"] {
        let sandbox = small_project();
        sandbox.write("../outside.txt", "outside");
        sandbox.write("manifests/greeting.yaml", &MANIFEST.replace("prompts/greeting.txt", path));
        refused(&sandbox, path);
    }
    let sandbox = small_project();
    sandbox.write("../outside.txt", "outside");
    std::fs::remove_file(sandbox.project().join("prompts/greeting.txt")).unwrap();
    std::os::unix::fs::symlink("../../outside.txt", sandbox.project().join("prompts/greeting.txt")).unwrap();
    refused(&sandbox, "prompts/greeting.txt");
}

#[test]
fn all_errors_of_all_files_come_in_one_go_with_their_places() {
    let sandbox = small_project();
    sandbox.edit("holdpoint.yaml", "name: small", "nmae: small");
    sandbox.edit("manifests/greeting.yaml", "kind: prompt", "kind: promt");
    sandbox.edit(CASE_PATH, "contains:", "contain:");
    sandbox
        .holdpoint(&["check"])
        .expect(13)
        .says("holdpoint.yaml:2")
        .says("manifests/greeting.yaml:2")
        .says("cases/policy_accuracy/greets.yaml:6")
        .says("contain: Good morning");
}
