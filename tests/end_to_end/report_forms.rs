//! The forms of a report that other programs read, each held against its schema.

use std::fs;
use std::path::{Path, PathBuf};

use holdpoint::report::{ReportDocument, compare_schema, plan_schema, report_schema};
use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::small_project::{CASE, FILES, accepted_project, small_project};

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The run with one of everything that the unit tests keep, hostile texts among it.
fn sample() -> ReportDocument {
    let snapshot = include_str!("../browser/report.snap");
    serde_json::from_str(snapshot.splitn(3, "---\n").nth(2).unwrap()).unwrap()
}

fn assert_valid(schema: &Value, document: &Value) {
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(errors, [""; 0]);
}

#[test]
fn what_a_gate_and_a_plan_write_is_valid_under_their_schemas() {
    let sandbox = Sandbox::practice();
    let plan = sandbox.holdpoint(&["plan", "--json"]).expect(0).json();
    assert_valid(&plan_schema(), &plan);
    let report = sandbox.holdpoint(&["run", "--set", "duplicate", "--json"]).expect(0).json();
    assert!(report["cases"].as_array().is_some_and(|cases| cases.len() > 3), "there is something to hold against it");
    assert_valid(&report_schema(), &report);
    assert_valid(&report_schema(), &serde_json::to_value(sample()).unwrap());
    let compared = sandbox.holdpoint(&["compare", "latest", "--json"]).expect(0).json();
    assert!(compared["cases"].as_array().is_some_and(|cases| cases.len() > 3), "there is something to hold against it");
    assert_valid(&compare_schema(), &compared);
    assert!(!jsonschema::validator_for(&compare_schema()).unwrap().is_valid(&report), "a report is no comparison");
}

/// More cases pass than a page shows with their answers, and than are held in memory with them.
#[test]
fn the_document_has_the_evidence_of_every_case_whatever_the_page_shows() {
    let sandbox = small_project();
    for number in 0..310 {
        let case = CASE.replace("id: greets", &format!("id: greets-{number:03}"));
        sandbox.write(&format!("cases/policy_accuracy/greets-{number:03}.yaml"), &case);
    }
    let printed = sandbox.holdpoint(&["run", "--all", "--json"]).expect(0).stdout;
    let written = sandbox.read("reports/latest/report.json");
    assert_eq!(printed, format!("{written}\n"), "what is printed is what was written");
    let document: Value = serde_json::from_str(&written).unwrap();
    assert!(written == serde_json::to_string_pretty(&document).unwrap(), "written piece by piece, laid out as a whole");
    assert_valid(&report_schema(), &document);
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 311);
    for case in cases {
        assert_eq!(case["trials"][0]["output"], "Good morning", "{}", case["id"]);
        assert_eq!(case["input"]["question"], "Hello", "{}", case["id"]);
    }
}

#[test]
fn what_is_no_report_is_refused_by_the_schema() {
    let validator = jsonschema::validator_for(&report_schema()).unwrap();
    let mut report = serde_json::to_value(sample()).unwrap();
    report["schema"] = "holdpoint.report/2".into();
    assert!(!validator.is_valid(&report), "another version");
    let mut report = serde_json::to_value(sample()).unwrap();
    report["cases"][0]["status"] = "fine".into();
    assert!(!validator.is_valid(&report), "a status that there is not");
    let mut report = serde_json::to_value(sample()).unwrap();
    report["a_later_field"] = 1.into();
    assert!(validator.is_valid(&report), "fields may be added within a version");
}

#[test]
fn the_schemas_in_the_repository_are_those_that_are_printed() {
    let sandbox = Sandbox::empty();
    let names = sandbox.holdpoint(&["schema"]).expect(0).stdout;
    assert!(names.lines().any(|name| name == "project") && names.lines().any(|name| name == "report"), "{names}");
    let kept = fs::read_dir(in_repository("schemas")).unwrap().count();
    assert_eq!(kept, names.lines().count(), "each is kept, and nothing else");
    for name in names.lines() {
        let printed = sandbox.holdpoint(&["schema", name]).expect(0).stdout;
        let kept = fs::read_to_string(in_repository("schemas").join(format!("{name}.json"))).unwrap_or_default();
        assert!(kept == printed, "schemas/{name}.json is stale: cargo run -q -- schema {name} > schemas/{name}.json");
    }
}

#[test]
fn findings_are_named_by_their_files_in_the_repository() {
    let sandbox = Sandbox::empty();
    for (path, text) in FILES {
        sandbox.write(&format!("desk/{path}"), text);
    }
    sandbox.write("desk/prompts/greeting.txt", "Good night\n");
    sandbox.commit("begin");
    sandbox.holdpoint(&["--project", "desk", "gate"]).expect(12);
    let github = sandbox.holdpoint(&["--project", "desk", "report", "latest", "--format", "github"]).expect(0).stdout;
    assert!(
        github.contains("\n::error file=desk/cases/policy_accuracy/greets.yaml,line=1,")
            || github.starts_with("::error file=desk/"),
        "{github}"
    );
    let gitlab = sandbox.holdpoint(&["--project", "desk", "report", "latest", "--format", "gitlab"]).expect(0).json();
    assert_eq!(gitlab[0]["location"]["path"], "desk/cases/policy_accuracy/greets.yaml");
    assert_eq!(gitlab[0]["location"]["lines"]["begin"], 1);
}

#[test]
fn a_broken_template_names_its_place_and_everything_else_is_written() {
    let sandbox = accepted_project();
    sandbox.write(
        "templates/report.html",
        "{% extends \"holdpoint/report.html\" %}\n{% block footer %}{{ page.nothing }}\n",
    );
    let ran = sandbox.holdpoint(&["gate", "--all"]).expect(13);
    assert!(ran.stderr.contains("templates/report.html") && ran.stderr.contains("line"), "{}", ran.told());
    assert!(ran.stderr.contains("exit code would have been 0"), "its verdict is said: {}", ran.told());
    sandbox.holdpoint(&["check"]).expect(13);
    assert_eq!(sandbox.report()["schema"], "holdpoint.report/1");
    let runs = sandbox.holdpoint(&["runs", "--json"]).expect(0).json();
    assert_eq!(runs["runs"][0]["verdict"], "pass", "the run itself is kept, with its verdict");
    let page = fs::read_to_string(sandbox.project().join("reports/latest/report.html")).unwrap();
    assert!(page.contains("What this run does not show"), "the shipped page is there instead");
    sandbox
        .write("templates/report.html", "{% extends \"holdpoint/report.html\" %}{% block footer %}ours{% endblock %}");
    sandbox.holdpoint(&["gate", "--all"]);
    let page = fs::read_to_string(sandbox.project().join("reports/latest/report.html")).unwrap();
    assert!(page.contains("ours") && page.contains("What this run does not show"), "one block, and all the others");
}

#[test]
fn an_answer_too_long_for_the_page_lies_beside_it() {
    let sandbox = accepted_project();
    let long = "Good morning ".repeat(20_000);
    sandbox.write("prompts/greeting.txt", &long);
    sandbox.holdpoint(&["gate"]);
    let folder = sandbox.project().join("reports/latest");
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.len() < 200_000, "{}", page.len());
    let files: Vec<_> = fs::read_dir(folder.join("payloads")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let whole = files.iter().find(|file| fs::read_to_string(file).unwrap().contains(long.trim_end())).unwrap();
    let name = whole.file_name().unwrap().to_str().unwrap();
    assert!(page.contains(name), "the page leads to it");
}
