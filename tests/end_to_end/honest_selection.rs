//! A change never loses a case on its way through git and the rules.

use crate::sandbox::{Sandbox, names};
use crate::small_project::{CASE, FILES, MANIFEST, PROJECT, accepted_project, case, small_project};

/// Two greeters with a prompt each, whose cases lie in sets that a prompt does not touch but for one.
fn selected(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    names(&sandbox.plan(arguments)["selected"], "case").into_iter().map(str::to_owned).collect()
}

/// The accepted project with a case that no prompt puts at risk.
fn with_a_case_apart() -> Sandbox {
    let sandbox = small_project();
    sandbox.write("cases/access/apart.yaml", &case("apart", "Good morning"));
    sandbox.commit("add a case apart");
    sandbox.measure_and_accept();
    sandbox
}

#[test]
fn what_is_not_at_risk_is_left_out_and_inherits() {
    let sandbox = with_a_case_apart();
    sandbox.write("prompts/greeting.txt", "Good morning to you\n");
    sandbox.commit("be kind");
    let plan = sandbox.plan(&["--base", "HEAD~1"]);
    assert_eq!(names(&plan["selected"], "case"), ["greets"]);
    assert_eq!(names(&plan["excluded"], "case"), ["apart"]);
    assert!(!plan["excluded"][0]["inherited"].is_null());
    assert!(!plan["selected"][0]["reasons"].as_array().unwrap().is_empty());
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(0);
    let counts = &sandbox.report()["counts"];
    assert_eq!((&counts["passed"], &counts["inherited"], &counts["total"]), (&1.into(), &1.into(), &2.into()));
}

#[test]
fn a_path_that_no_rule_knows_runs_everything_and_is_named() {
    let sandbox = with_a_case_apart();
    sandbox.write("settings.ini", "a = 1\n");
    sandbox.commit("add settings");
    let plan = sandbox.plan(&["--base", "HEAD~1"]);
    assert_eq!(plan["mode"], "all");
    assert_eq!(plan["unclassified"], serde_json::json!(["settings.ini"]));
    assert_eq!(selected(&sandbox, &["--base", "HEAD~1"]), ["apart", "greets"]);
}

#[test]
fn only_an_edited_expectation_selects_its_case() {
    let sandbox = with_a_case_apart();
    sandbox.edit("cases/access/apart.yaml", "Good morning", "morning");
    assert_eq!(selected(&sandbox, &[]), ["apart"]);
    sandbox.commit("expect less");
    assert_eq!(selected(&sandbox, &["--base", "HEAD~1"]), ["apart"]);
}

#[test]
fn a_path_with_letters_beyond_ascii_is_no_other_path() {
    let sandbox = Sandbox::empty();
    for (path, text) in FILES {
        sandbox.write(path, text);
    }
    let name = "prompts/Grüße an „alle“ – 挨拶.txt";
    sandbox.write(name, "Good morning\n");
    sandbox.write("manifests/greeting.yaml", &MANIFEST.replace("prompts/greeting.txt", name));
    sandbox.write("cases/access/apart.yaml", &case("apart", "Good morning"));
    sandbox.commit("begin");
    sandbox.measure_and_accept();
    sandbox.write(name, "Good morning to you\n");
    sandbox.commit("be kind");
    let plan = sandbox.plan(&["--base", "HEAD~1"]);
    assert_eq!(names(&plan["selected"], "case"), ["greets"]);
    assert_eq!(plan["changes"][0]["paths"], serde_json::json!([name]));
}

#[test]
fn an_unclassified_name_with_a_newline_runs_everything_and_prints_no_line_of_its_own() {
    let sandbox = accepted_project();
    sandbox.write("a\n::error::b", "x");
    sandbox.commit("add");
    let ran = sandbox.holdpoint(&["plan", "--base", "HEAD~1"]).expect(0);
    assert!(ran.stdout.lines().all(|line| !line.starts_with("::error")), "{}", ran.told());
    assert_eq!(sandbox.plan(&["--base", "HEAD~1"])["mode"], "all");
}

#[test]
fn a_base_that_cannot_be_had_runs_everything_with_gits_reason() {
    let sandbox = with_a_case_apart();
    let plan = sandbox.plan(&["--base", "no-such-branch"]);
    assert_eq!(plan["mode"], "all");
    assert_eq!(names(&plan["selected"], "case"), ["apart", "greets"]);
    assert!(plan["mode_reason"].as_str().unwrap().contains("no-such-branch"), "{plan:#}");
}

#[test]
fn a_case_that_did_not_pass_the_last_time_runs_again() {
    let sandbox = with_a_case_apart();
    sandbox.write("workflow.sh", "exit 1\n");
    sandbox.holdpoint(&["gate"]).expect(11);
    sandbox.git(&["checkout", "--quiet", "workflow.sh"]);
    assert_eq!(selected(&sandbox, &[]), ["apart", "greets"]);
    sandbox.holdpoint(&["gate"]).expect(0);
    assert!(selected(&sandbox, &[]).is_empty());
}

#[test]
fn a_new_case_runs_although_its_commit_is_older_than_the_base() {
    let sandbox = accepted_project();
    sandbox.write("cases/access/late.yaml", &case("late", "Good morning"));
    sandbox.commit("add a case");
    sandbox.commit("something else");
    assert_eq!(selected(&sandbox, &["--base", "HEAD~1"]), ["late"]);
}

#[test]
fn a_case_that_was_asked_for_and_does_not_exist_is_an_error() {
    let sandbox = with_a_case_apart();
    sandbox.holdpoint(&["run", "apart", "apartt"]).expect(14).says("apartt");
}

#[test]
fn a_case_is_found_by_its_id_and_no_other_runs() {
    let sandbox = with_a_case_apart();
    sandbox.holdpoint(&["run", "apart"]).expect(0);
    assert_eq!(names(&sandbox.report()["cases"], "id"), ["apart"]);
}

#[test]
fn a_shallow_clone_still_selects_by_what_was_accepted() {
    let sandbox = with_a_case_apart();
    sandbox.write("prompts/greeting.txt", "Good morning to you\n");
    sandbox.commit("be kind");
    let url = format!("file://{}", sandbox.project().display());
    sandbox.git(&["clone", "--quiet", "--depth", "1", &url, "../clone"]);
    let mut command = sandbox.holdpoint_command();
    command.args(["--project", "../clone", "plan", "--json"]);
    let plan = sandbox.ran(&mut command).expect(0).json();
    assert_eq!(plan["mode"], "selective", "{plan:#}");
    assert_eq!(names(&plan["selected"], "case"), ["greets"]);
}

#[test]
fn a_changed_project_file_runs_everything() {
    let sandbox = with_a_case_apart();
    sandbox.write("holdpoint.yaml", &PROJECT.replace("name: small", "name: smaller"));
    assert_eq!(selected(&sandbox, &[]), ["apart", "greets"]);
}

#[test]
fn two_cases_of_one_text_are_two_cases() {
    let sandbox = accepted_project();
    sandbox.write("cases/access/a.yaml", &CASE.replace("greets", "a"));
    sandbox.write("cases/access/b.yaml", &CASE.replace("greets", "b"));
    assert_eq!(selected(&sandbox, &[]), ["a", "b"]);
}
