//! A kind of part that the project declares: it is read, compared facet by facet, and selected for by the project's own rules.

use crate::sandbox::Sandbox;
use crate::small_project::{CASE, FILES, PROJECT};

const KINDS: &str = "\
risks: [tone]
kinds:
  guardrail:
    description: A filter in front of the model.
    schema: {properties: {threshold: {type: number}, words: {type: array}, note: {type: string}}}
rules:
  - {kind: guardrail, facet: threshold, risks: [tone], because: Too high lets rudeness through.}
  - {kind: guardrail, facet: words, risks: [access]}
";

const GUARDRAIL: &str = "id: filter\nkind: guardrail\nversion: \"1\"\nthreshold: 0.5\nwords: [lamp]\nnote: old\n";

/// The small project with a part of a kind of its own, and a case that shows a risk of its own.
fn project() -> Sandbox {
    let file = format!("{}{KINDS}", PROJECT.replace("parts: [greeting]", "parts: [greeting, filter]"));
    let tone = CASE.replace("id: greets", "id: kind-words");
    let mut files = FILES.to_vec();
    files[0].1 = &file;
    files.extend([("manifests/filter.yaml", GUARDRAIL), ("cases/tone/kind-words.yaml", &tone)]);
    let sandbox = Sandbox::with_files(&files);
    sandbox.measure_and_accept();
    sandbox
}

fn selected(plan: &serde_json::Value) -> Vec<&str> {
    plan["selected"].as_array().unwrap().iter().map(|case| case["case"].as_str().unwrap()).collect()
}

#[test]
fn a_change_of_a_facet_runs_the_cases_of_the_risks_that_the_projects_rule_names() {
    let sandbox = project();
    sandbox.edit("manifests/filter.yaml", "threshold: 0.5", "threshold: 0.7");
    let plan = sandbox.holdpoint(&["plan", "--json"]).expect(0).json();
    let change = &plan["changes"][0];
    assert_eq!((&change["kind"], &change["facet"]), (&"guardrail".into(), &"threshold".into()));
    assert_eq!((&change["from"], &change["risks"]), (&0.5.into(), &serde_json::json!(["tone"])));
    assert_eq!((&plan["mode"], selected(&plan)), (&"selective".into(), vec!["kind-words"]));
    assert_eq!(plan["uncovered"], serde_json::json!([]));
    sandbox.holdpoint(&["gate"]).expect(0);
    assert_eq!(sandbox.report()["changes"][0]["kind"], "guardrail");
}

#[test]
fn a_risk_that_no_case_shows_is_uncovered_and_a_case_is_begun_for_it() {
    let sandbox = project();
    sandbox.edit("manifests/filter.yaml", "[lamp]", "[lamp, chair]");
    let plan = sandbox.holdpoint(&["plan", "--json"]).expect(0).json();
    assert_eq!(selected(&plan), [""; 0]);
    let command = "holdpoint case new --for filter/access";
    assert_eq!(plan["uncovered"], serde_json::json!([{"part": "filter", "risk": "access", "command": command}]));
    sandbox.holdpoint(&["plan"]).expect(0).says(command);
    sandbox.holdpoint(&["case", "list"]).expect(0).says("access of the guardrail filter");
    let begun = sandbox.holdpoint(&["case", "new", "--for", "filter/access"]).expect(0);
    assert!(!begun.stderr.contains("by itself"), "{}", begun.stderr);
    assert!(sandbox.read("cases/access/filter-access.yaml").contains("of the guardrail filter"));
}

#[test]
fn a_change_that_no_rule_takes_runs_every_case_and_says_so() {
    let sandbox = project();
    sandbox.edit("manifests/filter.yaml", "note: old", "note: new");
    let plan = sandbox.holdpoint(&["plan", "--json"]).expect(0).json();
    assert_eq!((&plan["mode"], selected(&plan).len()), (&"all".into(), 2));
    let reason = "no rule of the project takes what changed in a part of kind guardrail (manifests/filter.yaml)";
    assert_eq!(plan["mode_reason"], reason);
}

#[test]
fn a_new_part_is_called_new_where_every_rule_of_its_kind_names_a_facet() {
    let sandbox = project();
    let text = sandbox.read("manifests/filter.yaml").replacen("id: filter", "id: second-filter", 1);
    sandbox.write("manifests/second-filter.yaml", &text);
    let plan = sandbox.holdpoint(&["plan", "--json"]).expect(0).json();
    let reason = plan["mode_reason"].as_str().unwrap();
    let expected = "a part of kind guardrail is new, and no rule of the project takes a whole part of that kind";
    assert!(reason.contains(&format!("{expected} (manifests/second-filter.yaml")), "{reason}");
    assert!(!reason.contains("what changed in"), "{reason}");
}

#[test]
fn a_rule_for_a_built_in_kind_adds_to_it() {
    let sandbox = project();
    let file = sandbox.read("holdpoint.yaml");
    sandbox.write("holdpoint.yaml", &format!("{file}  - {{kind: prompt, facet: files, risks: [operations]}}\n"));
    sandbox.commit("a rule");
    sandbox.edit("prompts/greeting.txt", "Good morning", "Good morning!");
    let plan = sandbox.holdpoint(&["plan", "--base", "HEAD", "--json"]).expect(0).json();
    assert_eq!(selected(&plan), ["greets", "kind-words"]);
    let missing: Vec<&str> =
        plan["uncovered"].as_array().unwrap().iter().map(|one| one["risk"].as_str().unwrap()).collect();
    assert!(missing.contains(&"operations") && missing.contains(&"malformed_output"), "{missing:?}");
}

#[test]
fn rules_and_their_explanation_show_what_the_project_declares() {
    let sandbox = project();
    let rules = sandbox.holdpoint(&["rules"]).expect(0).stdout;
    for words in
        ["guardrail threshold", "Too high lets rudeness through.", "No rule of the project says what any other change"]
    {
        assert!(rules.contains(words), "{words}:\n{rules}");
    }
    let rows = sandbox.holdpoint(&["rules", "--json"]).expect(0).json();
    let own = rows["rules"].as_array().unwrap().iter().filter(|row| row["own"] == true);
    assert_eq!(own.map(|row| row["facet"].as_str().unwrap()).collect::<Vec<_>>(), ["threshold", "words"]);
    let row =
        |change: &str| rows["rules"].as_array().unwrap().iter().find(|row| row["change"] == change).unwrap().clone();
    let demanded = ["missing_availability", "policy_accuracy", "source_conflict"];
    assert_eq!(row("source")["demanded"], serde_json::json!(demanded));
    assert!(rules.contains(&format!("demands a case: {}\n", demanded.join(", "))), "{rules}");
    let explained = sandbox.holdpoint(&["rules", "--explain", "manifests/filter.yaml"]).expect(0).stdout;
    for words in [
        "manifest of the guardrail `filter`",
        "guardrail threshold",
        "guardrail words",
        "runs every case",
        "Too high lets rudeness through.",
        "No rule of the project says what any other change",
    ] {
        assert!(explained.contains(words), "{words}:\n{explained}");
    }
}

#[test]
fn editors_are_told_of_the_kind() {
    let sandbox = project();
    let schema = sandbox.holdpoint(&["schema", "guardrail"]).expect(0).json();
    assert_eq!(schema["properties"]["kind"]["const"], "guardrail");
    assert_eq!(schema["properties"]["threshold"]["type"], "number");
    assert!(schema["required"].as_array().unwrap().contains(&"version".into()));
    sandbox.holdpoint(&["schema", "--write"]).expect(0);
    assert!(sandbox.read(".holdpoint/schemas/guardrail.json").contains("threshold"));
}

#[test]
fn a_path_outside_of_the_project_takes_no_answer_from_the_others_and_one_that_is_not_there_has_one() {
    let sandbox = crate::small_project::small_project();
    let explain =
        ["rules", "--explain", "../outside", "--explain", "prompts/greeting.txt", "--explain", "cases/access/x.yaml"];
    let said = sandbox.holdpoint(&explain).expect(2).stdout;
    assert!(said.contains("../outside lies outside of the project's folder"), "{said}");
    assert!(said.contains("prompts/greeting.txt\n") && said.contains("a change of prompt: runs"), "{said}");
    assert!(said.contains("cases/access/x.yaml (nothing stands there now; if it did:)"), "{said}");
    assert!(said.contains("a change of case: runs that case"), "{said}");
}

#[test]
fn what_git_never_shows_is_no_change_and_each_rule_says_why() {
    let sandbox = crate::small_project::small_project();
    sandbox.write(".gitignore", ".venv/\nprompts/\n*.log\n");
    sandbox.write(".venv/a.py", "");
    let explained = |path: &str| sandbox.holdpoint(&["rules", "--explain", path]).expect(0).stdout;
    for path in [".venv/a.py", "gone.log"] {
        let said = explained(path);
        assert!(said.contains("git ignores it: no change of it is seen") && !said.contains("a change of"), "{said}");
    }
    let said = explained(".git/HEAD");
    assert!(said.contains("it is git's own") && !said.contains("a change of"), "{said}");
    let said = explained("reports/x.json");
    assert!(said.contains("holdpoint writes there"), "{said}");
    // What git knows goes on being seen, whatever it ignores.
    let said = explained("prompts/greeting.txt");
    assert!(!said.contains("git ignores"), "{said}");
    assert!(said.contains("Another prompt can change any answer of the workflows that use it."), "{said}");
    let said = explained("setup.cfg");
    assert!(said.contains("a change of unclassified") && said.contains("No rule knows the path"), "{said}");
}

#[test]
fn a_set_that_is_misspelt_is_met_with_the_nearest_one() {
    let sandbox = crate::small_project::small_project();
    sandbox.holdpoint(&["run", "--set", "policy_acuracy"]).expect(14).says("did you mean `policy_accuracy`?");
    sandbox.holdpoint(&["run", "--set", "banana"]).expect(14).says("there are policy_accuracy");
}
