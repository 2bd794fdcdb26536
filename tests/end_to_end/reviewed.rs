//! What is accepted is what was looked at: other results, a record that was changed, a run that is too old or that shows
//! nothing are refused, whoever signs.

use crate::sandbox::{Ran, Sandbox};
use crate::small_project::{accepted_project, case, small_project};

fn accept(sandbox: &Sandbox, run: &str, further: &[&str]) -> Ran {
    let who = ["--by", "R. Viewer", "--reason", "looked at it"];
    sandbox.holdpoint(&[&["baseline", "accept", run], further, &who].concat())
}

/// Changes the record of the newest run behind the back of the program.
fn tamper(sandbox: &Sandbox, statement: &str) {
    let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()";
    let database = format!(".holdpoint/runs/{}/run.sqlite", sandbox.latest_run());
    let ran = sandbox.ran(sandbox.command("python3").args(["-c", script, &database, statement]));
    assert_eq!(ran.code, 0, "{}", ran.told());
}

fn no_record(sandbox: &Sandbox) {
    assert!(sandbox.contents("baselines").is_empty());
}

#[test]
fn the_report_prints_the_digest_that_accepts_these_results_and_no_others() {
    let sandbox = small_project();
    let gate = sandbox.holdpoint(&["gate"]).expect(12);
    let digest = sandbox.report()["results_digest"].as_str().unwrap()["sha256:".len()..].to_owned();
    gate.says(&format!("--reviewed {}", &digest[..12]));
    assert!(sandbox.read("reports/latest/report.html").contains(&digest));
    let other = digest.chars().rev().collect::<String>();
    accept(&sandbox, "latest", &["--reviewed", &other]).expect(2).says("other results than were reviewed");
    accept(&sandbox, "latest", &["--reviewed", &digest[..4]]).expect(2).says("at least 12 digits");
    no_record(&sandbox);
    accept(&sandbox, "latest", &["--reviewed", &digest[..12]]).expect(0);
    let listed = sandbox.holdpoint(&["baseline", "list", "--json"]).expect(0).json();
    let record = listed["records"][0]["digest"].as_str().unwrap().to_owned();
    sandbox.holdpoint(&["baseline", "show", &record]).expect(0).says(&digest);
}

#[test]
fn the_digest_of_one_run_accepts_no_other() {
    let sandbox = small_project();
    sandbox.holdpoint(&["gate"]).expect(12);
    let reviewed = sandbox.report()["results_digest"].as_str().unwrap().to_owned();
    sandbox.write("prompts/greeting.txt", "Good morning, all\n");
    sandbox.holdpoint(&["gate"]).expect(12);
    accept(&sandbox, "latest", &["--reviewed", &reviewed]).expect(2).says("other results than were reviewed");
    no_record(&sandbox);
}

#[test]
fn a_run_record_that_was_changed_after_the_run_is_refused() {
    let sandbox = small_project();
    sandbox.write("prompts/greeting.txt", "Go away\n");
    sandbox.holdpoint(&["gate"]).expect(12);
    tamper(&sandbox, "UPDATE trial SET content = replace(content, '\"status\":\"failed\"', '\"status\":\"passed\"')");
    accept(&sandbox, "latest", &[]).expect(2).says("changed after the run");
    no_record(&sandbox);
    sandbox
        .holdpoint(&["compare", "latest", "--with", "latest"])
        .expect(0)
        .says("Not to be relied on: the record of run");
}

#[test]
fn a_run_of_which_trials_are_missing_is_refused() {
    for (statement, says) in [
        ("DELETE FROM trial", "no result in the run"),
        ("DELETE FROM trial WHERE number = 2", "errored"),
        ("DELETE FROM fact WHERE name = 'summary'", "cut off"),
    ] {
        let sandbox = small_project();
        sandbox.holdpoint(&["gate", "--trials", "2"]).expect(12);
        tamper(&sandbox, statement);
        let refused = accept(&sandbox, "latest", &[]).expect(2);
        let changed = refused.stderr.contains("changed after the run");
        assert!(changed || refused.stderr.contains(says), "{statement}: {}", refused.told());
        no_record(&sandbox);
    }
}

#[test]
fn a_run_during_which_its_files_were_edited_is_refused() {
    let sandbox = small_project();
    sandbox.write("workflow.sh", "cat >/dev/null\ncat prompts/greeting.txt\necho >> prompts/greeting.txt\n");
    sandbox.holdpoint(&["gate"]);
    accept(&sandbox, "latest", &[]).expect(2).says("edited while the run went on");
    no_record(&sandbox);
}

#[test]
fn a_run_from_before_the_newest_acceptance_is_refused() {
    let sandbox = accepted_project();
    sandbox.write("prompts/greeting.txt", "Good morning, one\n");
    sandbox.holdpoint(&["gate"]).expect(0);
    let stale = sandbox.latest_run();
    sandbox.write("prompts/greeting.txt", "Good morning, two\n");
    sandbox.holdpoint(&["gate"]).expect(0);
    accept(&sandbox, "latest", &[]).expect(0);
    accept(&sandbox, &stale, &[]).expect(2).says("made before the newest acceptance");
}

#[test]
fn a_filter_accepts_the_case_that_it_names_to_the_letter_and_no_other() {
    let sandbox = accepted_project();
    sandbox.write("cases/policy_accuracy/greets-2.yaml", &case("greets-2", "Good evening"));
    sandbox.commit("one more");
    sandbox.holdpoint(&["gate"]).expect(10);
    for wrong in ["greets-", "GREETS-2", "greets*", "policy_accuracy"] {
        accept(&sandbox, "latest", &["--case", wrong]).expect(2).says("knows no case of this name");
    }
}
