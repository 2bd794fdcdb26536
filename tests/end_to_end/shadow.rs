//! Runs in shadow: everything runs, and what the selection would have missed is an escape.

use crate::sandbox::{Sandbox, names};
use crate::small_project::{case, small_project};

/// A case of the set `operations`, which no rule holds at risk from a prompt, rests on the prompt all the same.
fn project() -> Sandbox {
    let sandbox = small_project();
    sandbox.write("prompts/greeting.txt", "Good morning\nOperation kept\n");
    sandbox.write("cases/operations/keeps.yaml", &case("keeps", "Operation kept"));
    sandbox.commit("a second set");
    sandbox.measure_and_accept();
    sandbox
}

#[test]
fn what_the_selection_would_have_left_out_and_fails_is_an_escape_and_gives_10() {
    let sandbox = project();
    sandbox.write("prompts/greeting.txt", "Good morning\n");
    sandbox.commit("forget to keep");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(0);
    assert_eq!(names(&sandbox.report()["excluded"], "case"), ["keeps"]);
    assert!(sandbox.report().get("shadow").is_none());

    let gate = sandbox.holdpoint(&["gate", "--base", "HEAD~1", "--shadow"]).expect(10);
    let report = sandbox.report();
    let shadow = &report["shadow"];
    assert_eq!((&shadow["would_select"], &shadow["left_out"]), (&["greets"].into(), &["keeps"].into()));
    let escape = &shadow["escapes"][0];
    assert_eq!(
        (&escape["case"], &escape["exit_code"], &escape["comparison"]),
        (&"keeps".into(), &10.into(), &"regressed".into())
    );
    assert_eq!(escape["left_out_because"], "no change puts any of its risks at stake");
    let sentences = shadow["sentences"].as_array().unwrap();
    assert!(sentences[0].as_str().unwrap().contains("would have run 1 of 2 cases and left out 1"), "{sentences:?}");
    assert_eq!(report["counts"]["selected"], 2);
    let sentence = "escaped the selection, which would have left out what fails: 1 case (keeps)";
    gate.says(sentence);
    for form in ["report.html", "summary.md"] {
        let text = sandbox.read(&format!("reports/latest/{form}"));
        assert!(text.contains(sentence), "{form}");
        assert!(text.contains("In shadow: what the selection would have left out"), "{form} has no place for it");
    }
}

#[test]
fn a_shadow_without_an_escape_says_what_would_have_been_left_out() {
    let sandbox = project();
    sandbox.write("prompts/greeting.txt", "Good morning, all\nOperation kept\n");
    sandbox.commit("greet all");
    let gate = sandbox.holdpoint(&["gate", "--base", "HEAD~1", "--shadow"]).expect(0);
    gate.says("in shadow: the selection would have run 1 of 2 cases and left out 1; none of those escaped");
    assert_eq!(sandbox.report()["shadow"]["escapes"].as_array().unwrap().len(), 0);
    // A run of everything can become the base of later ones.
    sandbox.accept();
    sandbox.holdpoint(&["gate"]).expect(0);
    assert_eq!(sandbox.report()["counts"]["selected"], 0);
}

#[test]
fn where_everything_would_have_run_nothing_can_escape() {
    let sandbox = project();
    sandbox.write("workflow.sh", "cat >/dev/null\nexit 3\n");
    sandbox.commit("break the code");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1", "--shadow"]).expect(11);
    let shadow = &sandbox.report()["shadow"];
    assert_eq!((&shadow["left_out"], &shadow["escapes"]), (&serde_json::json!([]), &serde_json::json!([])));
}
