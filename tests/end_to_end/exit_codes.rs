//! Every exit code of the contract, from the real binary.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::sandbox::{Sandbox, names};
use crate::small_project::{CASE, FILES, WORKFLOW, accepted_project, small_project};

#[test]
fn zero_where_the_gate_passes() {
    let sandbox = accepted_project();
    sandbox.holdpoint(&["gate"]).expect(0);
}

#[test]
fn zero_with_the_reason_where_the_change_puts_nothing_at_risk() {
    let sandbox = accepted_project();
    sandbox.write("README.md", "Only words.\n");
    sandbox.commit("describe");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(0).says("listed as inert");
    assert_eq!(sandbox.report()["counts"]["inherited"], 1);
    assert_eq!(sandbox.report()["counts"]["passed"], 0);
}

#[test]
fn one_where_the_evidence_cannot_be_written() {
    let sandbox = accepted_project();
    std::fs::remove_dir_all(sandbox.project().join("reports")).unwrap();
    sandbox.write("reports", "a file where the folder should be");
    let ran = sandbox.holdpoint(&["gate", "--all"]).expect(1);
    assert!(ran.stderr.contains("reports"), "{}", ran.told());
}

#[test]
fn two_where_the_command_line_is_not_understood() {
    let sandbox = small_project();
    for arguments in [&["gate", "--no-such-flag"][..], &["no-such-command"], &["gate", "--jobs", "none"], &[]] {
        sandbox.holdpoint(arguments).expect(2);
    }
}

#[test]
fn ten_where_a_case_regressed() {
    let sandbox = accepted_project();
    sandbox.write("prompts/greeting.txt", "Go away\n");
    sandbox.commit("be rude");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(10);
    assert_eq!(sandbox.report()["comparison"]["regressed"], 1);
    assert_eq!(sandbox.report()["verdict"], "fail");
    assert_eq!(sandbox.report()["exit_code"], 10);
}

#[test]
fn ten_where_a_new_case_fails() {
    let sandbox = accepted_project();
    sandbox.write("cases/action/new.yaml", &CASE.replace("greets", "new").replace("Good morning", "Good evening"));
    sandbox.commit("add a case");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(10);
    assert_eq!(sandbox.report()["comparison"]["new"], 1);
}

#[test]
fn eleven_where_the_workflow_breaks_down() {
    let sandbox = accepted_project();
    sandbox.write("workflow.sh", &format!("{WORKFLOW}exit 3\n"));
    sandbox.commit("break");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(11);
    assert_eq!(sandbox.report()["counts"]["errored"], 1);
    assert_eq!(sandbox.report()["verdict"], "inconclusive");
}

#[test]
fn eleven_where_a_change_brings_a_risk_that_no_case_shows() {
    let sandbox = small_project();
    sandbox.edit("holdpoint.yaml", "uncovered_is_inconclusive: false", "uncovered_is_inconclusive: true");
    sandbox.commit("be strict");
    sandbox.measure_and_accept();
    sandbox.write("prompts/greeting.txt", "Good morning, all\n");
    sandbox.commit("greet all");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(11).says("malformed_output");
    let uncovered = &sandbox.plan(&["--base", "HEAD~1"])["uncovered"];
    let expected =
        ["context_boundaries", "injected_instructions", "malformed_output", "missing_availability", "source_conflict"];
    assert_eq!(names(uncovered, "risk"), expected);
}

#[test]
fn twelve_where_nothing_was_ever_accepted_with_the_command_that_accepts() {
    let sandbox = small_project();
    let ran = sandbox.holdpoint(&["gate"]).expect(12);
    let expected = format!("holdpoint baseline accept {}", sandbox.latest_run());
    ran.says(&expected);
    assert_eq!(sandbox.report()["counts"]["passed"], 1, "it runs everything all the same");
}

#[test]
fn twelve_where_the_baseline_was_changed_after_acceptance() {
    let sandbox = accepted_project();
    let records = sandbox.contents("baselines");
    let (path, bytes) = records.iter().find(|(path, _)| path.extension().is_some_and(|end| end == "json")).unwrap();
    let forged = String::from_utf8(bytes.clone()).unwrap().replace("first measurement", "last measurement");
    std::fs::write(path, forged).unwrap();
    sandbox.holdpoint(&["gate"]).expect(12);
    sandbox.holdpoint(&["baseline", "verify"]).expect(12);
}

#[test]
fn thirteen_where_the_project_is_invalid() {
    let sandbox = small_project();
    sandbox.edit("holdpoint.yaml", "name: small", "nmae: small");
    for arguments in [&["check"][..], &["plan"], &["gate"], &["run", "--all"]] {
        sandbox.holdpoint(arguments).expect(13).says("nmae");
    }
}

#[test]
fn fourteen_where_no_case_is_the_one_that_was_asked_for() {
    let sandbox = small_project();
    sandbox.holdpoint(&["run", "greet"]).expect(14);
    sandbox.holdpoint(&["run", "--set", "duplicate"]).expect(14);
}

#[test]
fn fourteen_where_the_project_has_no_case() {
    let without: Vec<(&str, &str)> = FILES.into_iter().filter(|(path, _)| !path.starts_with("cases/")).collect();
    let sandbox = Sandbox::with_files(&without);
    sandbox.holdpoint(&["gate"]).expect(14);
    sandbox.holdpoint(&["run", "--all"]).expect(14);
}

#[test]
fn fifteen_while_the_project_is_paused() {
    let sandbox = accepted_project();
    sandbox.holdpoint(&["pause", "on", "--by", "R. Viewer", "--reason", "release freeze"]).expect(0);
    sandbox.holdpoint(&["gate", "--all"]).expect(15);
    sandbox.holdpoint(&["pause", "off"]).expect(0);
    sandbox.holdpoint(&["gate", "--all"]).expect(0);
}

#[test]
fn two_where_a_pause_has_no_name_or_no_reason_or_would_replace_another() {
    let sandbox = accepted_project();
    let pause = |by: &str, reason: &str| sandbox.holdpoint(&["pause", "on", "--by", by, "--reason", reason]);
    pause(" ", "release freeze").expect(2).says("name of who pauses");
    pause("R. Viewer", "").expect(2).says("needs a reason");
    sandbox.holdpoint(&["pause", "status"]).expect(0);
    pause("R. Viewer", "release freeze").expect(0);
    pause("A. Nother", "release freeze").expect(2).says("by R. Viewer: release freeze").says("`holdpoint pause off`");
    pause("R. Viewer", "something else").expect(2);
    pause("R. Viewer", "release freeze").expect(0).says("Paused already");
    sandbox.holdpoint(&["pause", "status"]).expect(15).says("by R. Viewer: release freeze");
    // What does not read as a pause is nobody's, and can be replaced.
    sandbox.write(".holdpoint/pause.json", "");
    pause("A. Nother", "release freeze").expect(0);
    sandbox.holdpoint(&["pause", "status"]).expect(15).says("A. Nother");
}

#[test]
fn thirteen_below_the_projects_folder_which_is_named() {
    let sandbox = accepted_project();
    let mut command = sandbox.holdpoint_command();
    let ran = sandbox.ran(command.current_dir(sandbox.project().join("cases/policy_accuracy")).arg("gate"));
    ran.expect(13).says("`holdpoint --project ../.. …`");
    sandbox.holdpoint(&["--project", "cases", "check"]).expect(13).says("`holdpoint --project cases/.. …`");
    sandbox.holdpoint(&["--project", "..", "check"]).expect(13).says("name it with `--project DIR`");
}

#[test]
fn thirteen_where_the_folders_path_is_no_text_and_nothing_ran() {
    let sandbox = accepted_project();
    let folder = sandbox.project().with_file_name(OsStr::from_bytes(b"pro\xffject"));
    std::fs::rename(sandbox.project(), &folder).unwrap();
    let mut command = sandbox.holdpoint_command();
    sandbox.ran(command.current_dir(&folder).args(["run", "--all"])).expect(13).says("is not UTF-8");
    std::fs::rename(&folder, sandbox.project()).unwrap();
    assert_eq!(sandbox.holdpoint(&["runs", "--json"]).expect(0).json()["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn hundred_and_thirty_where_the_user_cancels() {
    let sandbox = accepted_project();
    sandbox.edit("holdpoint.yaml", "    parts:", "    timeout_s: 3600\n    parts:");
    sandbox.write("workflow.sh", "touch started\nexec sleep 600\n");
    sandbox.interrupted(&["gate"], "-INT").expect(130);
}

#[test]
fn the_strongest_of_several_reasons_decides() {
    let sandbox = accepted_project();
    sandbox.write("prompts/greeting.txt", "Go away\n");
    sandbox.holdpoint(&["pause", "on", "--by", "R. Viewer", "--reason", "release freeze"]).expect(0);
    sandbox.holdpoint(&["gate"]).expect(15);
    sandbox.edit("holdpoint.yaml", "name: small", "nmae: small");
    sandbox.holdpoint(&["gate"]).expect(13);
}
