//! Limits of time over a whole trial and a whole run: what they end is errored and named, and what they kept from beginning is done later.

use crate::sandbox::{Sandbox, entry};
use crate::scene::project;

fn message(sandbox: &Sandbox, case: &str) -> String {
    entry(&sandbox.report()["cases"], "id", case)["trials"][0]["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_out_of_time_begins_nothing_more_keeps_every_case_in_the_count_and_can_be_gone_on_with() {
    let sandbox = project(&[("a-good", "Hello"), ("b-slow", "Slow"), ("c-good", "Hello"), ("d-good", "Hello")]);
    sandbox.edit("holdpoint.yaml", "inert:", "run_timeout_s: 6\ninert:");
    let ran = sandbox.holdpoint(&["run", "--all", "--jobs", "1"]).expect(11);
    assert!(ran.told().contains("the run's limit of 6 s (`run_timeout_s`) was over"), "{}", ran.told());
    let statuses = || ["a-good", "b-slow", "c-good", "d-good"].map(|case| sandbox.status(case));
    assert_eq!(statuses(), ["passed", "errored", "errored", "errored"]);
    assert!(message(&sandbox, "b-slow").contains("the run's limit of 6 s"), "{}", message(&sandbox, "b-slow"));
    assert_eq!(["a-good", "b-slow", "c-good", "d-good"].map(|case| sandbox.runs_of(case)), [1, 1, 0, 0]);
    let report = sandbox.report();
    assert_eq!((&report["counts"]["selected"], &report["counts"]["errored"]), (&4.into(), &3.into()));
    let go_on = format!("--resume {}", sandbox.latest_run());
    assert!(report["limits"].to_string().contains(&go_on), "{}", report["limits"]);
    let ran = "Selected: 4 of the project's 4 cases; run: 2, in 2 trials";
    assert!(report["limits"].to_string().contains(ran), "{}", report["limits"]);
    assert!(sandbox.read("reports/latest/report.html").contains("4 of 4 cases selected; 2 ran, in 2 trials."));
    let accept = ["baseline", "accept", "latest", "--by", "R. Viewer", "--reason", "as it is"];
    sandbox.holdpoint(&accept).expect(2).says("out of time");

    // What had ended counts as it was recorded, also what the limit ended.
    sandbox.beside("go");
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(11);
    assert_eq!(statuses(), ["passed", "errored", "passed", "passed"]);
    assert_eq!(["a-good", "b-slow", "c-good", "d-good"].map(|case| sandbox.runs_of(case)), [1, 1, 1, 1]);
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(11).says("is complete");
}

#[test]
fn a_failure_before_the_time_was_up_is_one() {
    let sandbox = project(&[("a-bad", "Bad"), ("b-slow", "Slow"), ("c-good", "Hello")]);
    sandbox.edit("holdpoint.yaml", "inert:", "run_timeout_s: 6\ninert:");
    sandbox.holdpoint(&["run", "--all", "--jobs", "1"]).expect(10);
    sandbox.beside("go");
    sandbox.holdpoint(&["run", "--resume", "latest"]).expect(10);
    assert_eq!((sandbox.status("a-bad"), sandbox.status("c-good")), ("failed".to_owned(), "passed".to_owned()));
    assert_eq!(sandbox.runs_of("a-bad"), 1);
}

#[test]
fn a_trial_of_many_short_steps_takes_no_longer_than_it_may() {
    let sandbox = project(&[("a-good", "Hello"), ("b-long", "Hello")]);
    let steps = "steps: [{invoke: {}}, {invoke: {may_fail: true}}, {invoke: {}}, {invoke: {}}]\nexpect:";
    sandbox.edit("cases/policy_accuracy/b-long.yaml", "expect:", steps);
    sandbox.edit("workflow.sh", "cat prompts/greeting.txt", "sleep 2\ncat prompts/greeting.txt");
    sandbox.edit("holdpoint.yaml", "    parts:", "    trial_timeout_s: 5\n    parts:");
    sandbox.holdpoint(&["run", "--all"]).expect(11);
    assert_eq!((sandbox.status("a-good"), sandbox.status("b-long")), ("passed".to_owned(), "errored".to_owned()));
    assert!(message(&sandbox, "b-long").contains("the trial's limit of 5 s"), "{}", message(&sandbox, "b-long"));
}
