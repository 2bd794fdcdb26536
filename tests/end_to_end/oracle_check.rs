//! `run --mutate`: passing trials are damaged, and graders that do not notice are named.

use serde_json::Value;

use crate::sandbox::{Sandbox, entry, names};

const PROJECT: &str = "\
schema: holdpoint.project/1
name: tickets
workflows:
  clerk: {command: {run: [sh, workflow.sh]}, parts: [greeting]}
probes:
  tickets: {file: {path: tickets.json}, operation: operation}
";

const WORKFLOW: &str = r#"cat >/dev/null
printf '[{"operation": "op-1", "seats": 2, "owner": "ada"}]' > "$HOLDPOINT_STATE_DIR/tickets.json"
printf '{"output": "done", "claims": [{"operation": "op-1", "claim": "completed"}]}'
"#;

/// A case with these expectations, a line each.
fn case(id: &str, expectations: &[&str]) -> String {
    let lines: String = expectations.iter().map(|line| format!("  - {line}\n")).collect();
    format!("id: {id}\ntitle: It holds\nworkflow: clerk\ninput: {{}}\nexpect:\n{lines}")
}

fn project(cases: &[(&str, &[&str])]) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("holdpoint.yaml", PROJECT);
    sandbox.write("workflow.sh", WORKFLOW);
    sandbox.write("manifests/greeting.yaml", "id: greeting\nkind: prompt\nversion: '1'\nfiles: [greeting.txt]\n");
    sandbox.write("greeting.txt", "Good morning\n");
    for (id, expectations) in cases {
        sandbox.write(&format!("cases/action/{id}.yaml"), &case(id, expectations));
    }
    sandbox.commit("begin");
    sandbox
}

const SHARP: [&str; 3] = [
    "effects: {probe: tickets, where: {operation: op-1}, count: 1, fields: {seats: 2}}",
    "outcome: {operation: op-1, is: committed}",
    "claim: matches_evidence",
];

fn mutation(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.read("reports/latest/mutation.json")).unwrap()
}

#[test]
fn graders_that_see_keep_the_run_at_0_and_the_document_beside_the_report() {
    let sandbox = project(&[("sharp", &SHARP)]);
    sandbox.holdpoint(&["run", "--all", "--mutate"]).expect(0).says("Oracle check").says("0 blind graders");
    let document = mutation(&sandbox);
    assert_eq!(document["schema"], "holdpoint.mutation/1");
    assert_eq!(document["run"], sandbox.report()["run"]);
    let sharp = entry(&document["cases"], "case", "sharp");
    let sights: Vec<&str> = sharp["graders"].as_array().unwrap().iter().map(|g| g["sight"].as_str().unwrap()).collect();
    assert_eq!(sights, ["sees", "sees", "sees"]);
    // What no expectation looks at may be damaged without anyone's notice, and is said.
    let survivors = sharp["survivors"].as_array().unwrap();
    assert!(survivors.iter().any(|one| one["kind"] == "alter_field" && one["field"] == "owner"), "{survivors:#?}");
    assert!(!survivors.iter().any(|one| one["kind"] == "drop_effect"), "{survivors:#?}");
}

#[test]
fn a_blind_grader_ends_the_run_11_and_is_named() {
    let loose = "effects: {probe: tickets, where: {operation: op-1}, at_most: 5}";
    let sandbox = project(&[("loose", &[loose]), ("sharp", &SHARP), ("wrong", &["contains: nothing like it"])]);
    let ran = sandbox.holdpoint(&["run", "loose", "sharp", "--mutate"]).expect(11);
    ran.says("blind: expectation 1 (effects) of loose")
        .says("nobody noticed in loose: effect 1 of tickets was missing");
    let report = sandbox.report();
    assert_eq!((&report["verdict"], &report["exit_code"]), (&Value::from("inconclusive"), &Value::from(11)));
    assert_eq!(mutation(&sandbox)["totals"]["blind"], 1);
    // A failure is stronger, and a case that did not pass cannot be damaged.
    sandbox.holdpoint(&["run", "--all", "--mutate"]).expect(10);
    let document = mutation(&sandbox);
    assert_eq!(names(&document["cases"], "case"), ["loose", "sharp"]);
    assert_eq!(document["not_tried"], serde_json::json!(["wrong"]));
}

#[test]
fn without_the_option_nothing_is_damaged_and_json_stays_one_document() {
    let sandbox = project(&[("sharp", &SHARP)]);
    sandbox.holdpoint(&["run", "--all"]).expect(0);
    assert!(!sandbox.project().join("reports/latest/mutation.json").exists());
    let ran = sandbox.holdpoint(&["run", "--all", "--mutate", "--json"]).expect(0);
    assert_eq!(ran.json()["schema"], "holdpoint.report/1");
    assert_eq!(mutation(&sandbox)["totals"]["cases"], 1);
}

#[test]
fn no_secret_gets_into_the_document() {
    let sandbox = project(&[("sharp", &SHARP)]);
    sandbox.edit("holdpoint.yaml", "run: [sh, workflow.sh]", "run: [sh, workflow.sh], env: {pass: [TICKET_TOKEN]}");
    sandbox.edit("workflow.sh", "\"owner\": \"ada\"", "\"'\"$TICKET_TOKEN\"'\": \"ada\"");
    // What a case asks stands in its report.
    let forms = ["s3cret-of-the-desk", "czNjcmV0LW9mLXRoZS1kZXNr"];
    sandbox.edit(
        "cases/action/sharp.yaml",
        "input: {}",
        &format!("input: {{as_it_is: {}, in_base64: {}}}", forms[0], forms[1]),
    );
    let mut command = sandbox.holdpoint_command();
    command.args(["run", "--all", "--mutate"]).env("TICKET_TOKEN", "s3cret-of-the-desk");
    sandbox.ran(&mut command).expect(0);
    for file in ["report.json", "report.html", "summary.md"] {
        let text = sandbox.read(&format!("reports/latest/{file}"));
        assert!(forms.iter().all(|form| !text.contains(form)), "{file}: {text}");
    }
    let text = sandbox.read("reports/latest/mutation.json");
    assert!(!text.contains("s3cret-of-the-desk") && text.contains("[redacted:TICKET_TOKEN]"), "{text}");
}

#[test]
fn what_doing_nothing_would_pass_is_said_wherever_passes_are_counted() {
    let forbids = "effects: {probe: tickets, where: {operation: op-9}, count: 0}";
    let sandbox =
        project(&[("forbids", &[forbids]), ("sharp", &SHARP), ("judged", &["command: {run: [sh, judge.sh]}"])]);
    sandbox.write("judge.sh", "cat >/dev/null\necho '{\"pass\": true, \"message\": \"fine\"}'\n");
    let listed = sandbox.holdpoint(&["case", "list"]).expect(0).says("Passed by a workflow that does nothing (1 case)");
    assert!(listed.stdout.contains("\n  forbids\n") && !listed.stdout.contains("\n  sharp\n"), "{}", listed.told());
    let document = sandbox.holdpoint(&["case", "list", "--json"]).expect(0).json();
    let word = |id: &str| entry(&document["cases"], "case", id)["do_nothing"].clone();
    assert_eq!([word("forbids"), word("sharp"), word("judged")], ["passes", "fails", "not_judged"]);

    sandbox.holdpoint(&["run", "--all"]).expect(0).says("(a workflow that does nothing would pass 1)");
    let report = sandbox.report();
    assert_eq!(entry(&report["sets"], "set", "action")["do_nothing"], 1);
    assert_eq!(report["scorecard"]["cases"]["passed_by_doing_nothing"], 1);
    let limits = report["limits"].to_string();
    assert!(limits.contains("would pass 1 case too") && limits.contains("(forbids)"), "{limits}");
    assert!(sandbox.read("reports/latest/summary.md").contains("a workflow that does nothing would pass 1."));
    assert!(sandbox.read("reports/latest/report.html").contains("1 of 3"));
    sandbox.holdpoint(&["scorecard"]).expect(0).says("Passed by doing nothing");
}
