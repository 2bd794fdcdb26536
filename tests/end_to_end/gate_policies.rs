//! What the gate tolerates in a set, and that a change cannot lower it for itself.

use serde_json::Value;

use crate::sandbox::{Sandbox, entry};

const PROJECT: &str = "\
schema: holdpoint.project/1
name: desk
workflows:
  desk:
    command: {run: [sh, desk.sh]}
    parts: [greeting]
    code: [desk.sh]
inert: [.gitignore]
gate: {uncovered_is_inconclusive: false}
";

const MINIMUM: &str = "sets: {policy_accuracy: {policy: {minimum_rate: {at_least: 0.8}}}}\n";

/// Greets, but for the cases whose numbers stand in `rude.txt`.
const DESK: &str = "\
invocation=$(cat)
for number in $(cat rude.txt); do
  case \"$invocation\" in *\"\\\"customer\\\":\\\"K-$number\\\"\"*) echo 'Go away'; exit 0;; esac
done
cat greeting.txt
";

/// So many cases that expect to be greeted; the first customers are `K-1`, `K-2` and so on.
fn project(settings: &str, cases: usize) -> Sandbox {
    let mut files = vec![
        ("holdpoint.yaml".to_owned(), format!("{PROJECT}{settings}")),
        ("desk.sh".to_owned(), DESK.to_owned()),
        ("rude.txt".to_owned(), String::new()),
        ("greeting.txt".to_owned(), "Good morning\n".to_owned()),
        (".gitignore".to_owned(), "reports/\n.holdpoint/\n".to_owned()),
        (
            "manifests/greeting.yaml".to_owned(),
            "id: greeting\nkind: prompt\nversion: \"1\"\nfiles: [greeting.txt, rude.txt]\n".to_owned(),
        ),
    ];
    files.extend((1..=cases).map(|number| {
        let case = format!(
            "id: greets-{number}\ntitle: It greets\nworkflow: desk\ninput: {{customer: K-{number}}}\nexpect:\n  - contains: Good morning\n"
        );
        (format!("cases/policy_accuracy/greets-{number}.yaml"), case)
    }));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Sandbox::with_files(&files)
}

fn accepted(settings: &str, cases: usize) -> Sandbox {
    let sandbox = project(settings, cases);
    sandbox.measure_and_accept();
    sandbox
}

fn notes(sandbox: &Sandbox) -> String {
    sandbox.report()["verdict_notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect()
}

#[test]
fn a_minimum_rate_that_the_base_has_too_tolerates_a_failure_and_says_so_in_every_form() {
    let sandbox = accepted(MINIMUM, 30);
    sandbox.write("rude.txt", "7\n");
    sandbox.commit("be rude to one");
    let gate = sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(0);
    let named = "the policy of policy_accuracy tolerates 1 case that did not pass (greets-7): at least 80 % must pass";
    gate.says(named).says("Tolerated by policy (1)");
    for (file, escaped) in
        [("report.html", "policy of policy_accuracy"), ("summary.md", "greets-7"), ("junit.xml", "tolerated by policy")]
    {
        let text = sandbox.read(&format!("reports/latest/{file}"));
        assert!(text.contains(escaped), "{file} says nothing of it");
    }
    let report = sandbox.report();
    assert_eq!(entry(&report["cases"], "id", "greets-7")["tolerated"], true);
    let set = &report["sets"][0];
    assert_eq!((set["policy"]["decision"].as_str(), set["cases"].as_u64()), (Some("holds"), Some(30)));
    assert_eq!(set["paired"]["flips"], serde_json::json!({"worse": 1, "better": 0}));
    assert!(set["power"].as_str().unwrap().starts_with("Six one-way flips are the least"));
    let statement = "29 of 30 passed: for inputs like these, the failure rate is below 17.3 % with 95 % confidence";
    assert!(report["evidence_statement"].as_str().unwrap().starts_with(statement), "{}", report["evidence_statement"]);
    for file in ["report.html", "summary.md", "junit.xml"] {
        let text = sandbox.read(&format!("reports/latest/{file}")).replace('\\', "");
        assert!(text.contains(statement), "{file} does not state the evidence");
    }
}

#[test]
fn what_the_data_cannot_decide_is_inconclusive_and_what_they_refute_fails() {
    for (rude, code) in [("1 2 3", 11), ("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", 10)] {
        let sandbox = accepted(MINIMUM, 20);
        sandbox.write("rude.txt", rude);
        sandbox.commit("be rude");
        sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(code).says("the policy of policy_accuracy is");
    }
    let sandbox = accepted("sets: {policy_accuracy: {policy: {no_significant_drop: {}}}}\n", 12);
    sandbox.write("rude.txt", "1 2 3");
    sandbox.commit("be rude to three");
    let gate = sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(11);
    gate.says("fewer than 6 flips cannot show anything");
    sandbox.write("rude.txt", "1 2 3 4 5 6");
    sandbox.commit("be rude to six");
    sandbox.holdpoint(&["gate"]).expect(10).says("a significant drop, p = 0.0313");
}

#[test]
fn a_policy_that_is_lowered_in_the_change_that_needs_it_does_not_help() {
    for base in [&["--base", "HEAD~1"][..], &[]] {
        let sandbox = accepted("", 30);
        sandbox.write("rude.txt", "7\n");
        sandbox.write("holdpoint.yaml", &format!("{PROJECT}{MINIMUM}"));
        sandbox.commit("be rude to one, and tolerate it");
        sandbox.holdpoint(&[&["gate"], base].concat()).expect(10).says("greets-7");
        assert!(notes(&sandbox).contains("the policy was changed, and the stricter one counts"), "{}", notes(&sandbox));
    }
}

#[test]
fn what_the_project_demands_cannot_be_lowered_either() {
    let sandbox = project("", 1);
    sandbox.write("holdpoint.yaml", &PROJECT.replace("gate: {", "gate: {require_baseline: false, "));
    sandbox.commit("need no baseline");
    sandbox.holdpoint(&["gate", "--base", "HEAD~1"]).expect(12);
    assert!(notes(&sandbox).contains("the stricter one counts: require_baseline"), "{}", notes(&sandbox));
}

#[test]
fn a_set_can_ask_for_trials_and_a_case_or_the_command_line_for_more() {
    let sandbox = project("sets: {policy_accuracy: {trials: 3}}\n", 2);
    sandbox.edit("cases/policy_accuracy/greets-2.yaml", "input:", "trials: 4\ninput:");
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    let passes = |sandbox: &Sandbox, case: &str| entry(&sandbox.report()["cases"], "id", case)["passes"].clone();
    assert_eq!(
        (passes(&sandbox, "greets-1")["trials"].as_u64(), passes(&sandbox, "greets-2")["trials"].as_u64()),
        (Some(3), Some(4))
    );
    let tries: Vec<Value> = entry(&sandbox.report()["cases"], "id", "greets-1")["tries"].as_array().unwrap().clone();
    assert_eq!(tries.len(), 3);
    sandbox.holdpoint(&["run", "--all", "--trials", "2"]).expect(0);
    assert_eq!(passes(&sandbox, "greets-1")["trials"], 3, "fewer than the set asks for are not enough");
    sandbox.holdpoint(&["run", "--all", "--trials", "5"]).expect(0);
    assert_eq!(passes(&sandbox, "greets-2")["trials"], 5);
}

#[test]
fn a_policy_for_a_set_that_cannot_be_is_an_error_with_its_place() {
    let sandbox = project("sets: {policy_acuracy: {trials: 3}}\n", 1);
    sandbox
        .holdpoint(&["check"])
        .expect(13)
        .says("`policy_acuracy` is no risk of this project")
        .says("policy_accuracy");
    sandbox.write("holdpoint.yaml", &format!("{PROJECT}sets: {{access: {{policy: {{}}}}}}\n"));
    sandbox.holdpoint(&["check"]).expect(13);
}
