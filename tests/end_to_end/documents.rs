//! Every document that holdpoint writes, held against the schema that it publishes for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::small_project::accepted_project;

/// What stands in a project's folder and people write: held against its schema wherever a project is read.
const FILES: [&str; 8] = ["project", "case", "model", "prompt", "source", "permissions", "connector", "tool"];
/// What other tests hold against its schema: the exercise of `tests/exercise`, the ledgers of `operations`, and reports.
const ELSEWHERE: [&str; 5] = ["exercise", "ledger", "report", "plan", "compare"];

fn json_of(sandbox: &Sandbox, arguments: &[&str], code: i32) -> Value {
    sandbox.holdpoint(arguments).expect(code).json()
}

/// Documents by their kind, each with something in it.
fn written() -> BTreeMap<&'static str, Vec<Value>> {
    let small = accepted_project();
    let json = |arguments: &[&str], code: i32| json_of(&small, arguments, code);
    let mut documents = BTreeMap::from([
        ("cases", vec![json(&["case", "list", "--json"], 0)]),
        ("case-lint", vec![json(&["case", "lint", "--json"], 0)]),
        (
            "rules",
            vec![
                json(&["rules", "--json"], 0),
                json(&["rules", "--json", "--explain", "prompts/greeting.txt", "--explain", "not/there"], 0),
                json(&["rules", "--json", "--explain", "workflow.sh", "--explain", "../elsewhere"], 2),
            ],
        ),
        ("runs", vec![json(&["runs", "--json"], 0)]),
        ("durations", vec![json(&["runs", "--durations"], 0)]),
        ("baselines", vec![json(&["baseline", "list", "--json"], 0)]),
        ("audit", vec![json(&["plan", "--audit", "HEAD~1..", "--json"], 0)]),
        ("error", vec![json(&["run", "no-such-case", "--json"], 14)]),
    ]);
    small.write("more.csv", "question,answer\nMay I?,yes\n");
    let import = ["import", "csv", "more.csv", "--expect", "answer", "--workflow", "greeter", "--json"];
    documents.insert("import", vec![json(&import, 0)]);
    small.write("cases/policy_accuracy/greets.yaml", "no: case\n");
    documents.get_mut("error").unwrap().push(json(&["run", "--all", "--json"], 13));
    small.holdpoint(&["pause", "on", "--by", "me", "--reason", "an outage"]).expect(0);
    documents.insert("pause", vec![serde_json::from_str(&small.read(".holdpoint/pause.json")).unwrap()]);

    let acting = Sandbox::practice();
    acting.edit("manifests/r618-inventory.yaml", "settings: {", "settings: {defect: new_key_per_retry, ");
    acting.holdpoint(&["run", "--set", "duplicate", "--set", "uncertain_outcome", "--mutate"]).expect(10);
    documents.insert("mutation", vec![serde_json::from_str(&acting.read("reports/latest/mutation.json")).unwrap()]);
    for paper in ["scorecard", "failures", "incident", "handover", "evaluation-plan"] {
        documents.insert(paper, vec![json_of(&acting, &[paper, "--json"], 0)]);
    }
    let records = ["tests/data/baseline-1", "tests/data/baseline-2", "examples/support-desk/baselines"].map(records_in);
    documents.insert("baseline", records.concat());
    documents.insert("baseline-part", records_in("examples/support-desk/baselines/parts"));
    documents
}

fn records_in(folder: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let records = paths.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    records.map(|path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()).collect()
}

#[test]
fn every_document_is_valid_under_the_schema_that_is_printed_for_its_kind_and_under_no_other() {
    let sandbox = Sandbox::empty();
    let kinds = sandbox.holdpoint(&["schema"]).expect(0).stdout;
    let schema = |kind: &str| jsonschema::validator_for(&json_of(&sandbox, &["schema", kind], 0)).unwrap();
    let documents = written();
    let tested = documents.keys().copied().chain(FILES).chain(ELSEWHERE);
    assert_eq!(kinds.lines().collect::<BTreeSet<_>>(), tested.collect(), "a kind of document is tried by nothing");
    let other = &documents["runs"][0];
    for (kind, documents) in &documents {
        let validator = schema(kind);
        for document in documents {
            let errors: Vec<String> =
                validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect();
            assert_eq!(errors, [""; 0], "{kind}: {document:#}");
        }
        assert!(!documents.is_empty() && (*kind == "runs" || !validator.is_valid(other)), "{kind} allows anything");
    }
}

#[test]
fn a_kind_that_is_misspelt_is_met_with_the_nearest_one() {
    let sandbox = accepted_project();
    sandbox.holdpoint(&["schema", "incidnet"]).expect(2).says("Did you mean `incident`?");
    sandbox.holdpoint(&["schema", "banana"]).expect(2).says("There are project, case, model");
    let script = sandbox.holdpoint(&["completions", "bash"]).expect(0).stdout;
    assert!(script.contains("project case model") && script.contains(" evaluation-plan "), "{script}");
}
