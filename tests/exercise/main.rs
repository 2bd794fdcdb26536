//! `holdpoint exercise` on the two fulfilment examples: what it must find without being told, and that it finds nothing
//! where all is right. Everything is real: the targets, the proxy between, the workflow's processes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Copies of an example and of the targets beside it.
struct Scene {
    folder: TempDir,
    example: &'static str,
}

impl Scene {
    fn of(example: &'static str) -> Self {
        let folder = TempDir::new().unwrap();
        for name in [example, "fulfilment-targets"] {
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
            copy(&from, &folder.path().join(name));
        }
        Self { folder, example }
    }

    fn holdpoint(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdpoint"));
        command.args(["--project", self.example, "-q"]).args(arguments).current_dir(self.folder.path());
        command.output().unwrap()
    }

    /// A file of the only exercise.
    fn newest(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(self.example).join("reports/exercises");
        let mut runs = fs::read_dir(folder).unwrap();
        runs.next().unwrap().unwrap().path().join(name)
    }

    fn exercise(&self) -> (i32, Table) {
        let output = self.holdpoint(&["exercise", "fulfil", "--json", "--jobs", "4"]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let table = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {errors}"));
        (output.status.code().unwrap(), Table(table))
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let is_made_by_running = matches!(entry.file_name().to_str(), Some("reports" | ".holdpoint" | "__pycache__"));
        if is_made_by_running {
            continue;
        }
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

struct Table(Value);

impl Table {
    fn rows(&self) -> BTreeMap<&str, &Value> {
        self.0["rows"].as_array().unwrap().iter().map(|row| (row["id"].as_str().unwrap(), row)).collect()
    }

    /// The rules that a row breaks, with the operation.
    fn found(&self, row: &str) -> BTreeSet<(String, String)> {
        let rows = self.rows();
        let findings = rows.get(row).unwrap_or_else(|| panic!("no row {row}"))["findings"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        findings.iter().map(|finding| (text(&finding["rule"]), text(&finding["operation"]))).collect()
    }

    fn shows(&self, row: &str, rule: &str, operation: &str) -> bool {
        self.found(row).contains(&(rule.to_owned(), operation.to_owned()))
    }

    fn verdicts(&self) -> BTreeMap<&str, usize> {
        let mut verdicts = BTreeMap::new();
        for row in self.rows().values() {
            *verdicts.entry(row["verdict"].as_str().unwrap()).or_default() += 1;
        }
        verdicts
    }
}

#[test]
fn what_is_wrong_in_the_careless_workflow_is_found_without_being_told() {
    let scene = Scene::of("fulfilment-naive");
    let (code, table) = scene.exercise();
    assert_eq!(code, 10);
    assert_eq!(table.0["schema"], "holdpoint.exercise/1");
    // The duplicate after a lost answer, in the first run already.
    assert!(table.shows("orders.open.1.lost-ack", "duplicated_effect", "open:O-1"));
    let first = &table.rows()["orders.open.1.lost-ack"]["first"]["operations"];
    let open = first.as_array().unwrap().iter().find(|operation| operation["operation"] == "open:O-1").unwrap();
    assert_eq!((&open["outcome"], &open["effects"]), (&"duplicated".into(), &2.into()), "{open}");
    // The false failure and the false success.
    assert!(table.shows("stock.reserve.1.lost-ack", "false_failure", "reserve:O-1"));
    assert!(table.shows("mail.confirm.1.drop-before", "false_success", "confirm:O-1"));
    // The unbounded retry, and that no answer comes of it.
    assert!(table.shows("orders.open.1.outage", "unbounded_retry", "open:O-1"));
    assert!(table.shows("orders.open.1.outage", "no_answer", ""));
    // The confirmation sent while the reservation is unknown.
    assert!(table.shows("stock.reserve.1.lost-ack-504", "premature_call", "confirm:O-1"));
    // A second run does all again, without any fault; that is said once and not in every row.
    assert!(table.shows("clean", "duplicated_effect", "confirm:O-1"));
    assert_eq!(table.rows()["mail.confirm.1.lost-ack"]["verdict"], "as_clean");

    the_row_is_kept_as_a_case_that_fails_for_the_same_reason(&scene);
}

fn the_row_is_kept_as_a_case_that_fails_for_the_same_reason(scene: &Scene) {
    let kept = scene.holdpoint(&["exercise", "--keep", "orders.open.1.lost-ack"]);
    assert_eq!(String::from_utf8_lossy(&kept.stdout).trim(), "cases/duplicate/fulfil.orders.open.1.lost-ack.yaml");
    let again = scene.holdpoint(&["exercise", "--keep", "orders.open.1.lost-ack"]);
    assert_eq!(again.status.code(), Some(2), "a case that stands there is never overwritten");
    assert_eq!(scene.holdpoint(&["check"]).status.code(), Some(0));
    let run = scene.holdpoint(&["run", "fulfil.orders.open.1.lost-ack", "--json"]);
    assert_eq!(run.status.code(), Some(10), "{}", String::from_utf8_lossy(&run.stderr));
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    let text = report["cases"].to_string();
    assert!(text.contains("duplicated"), "{text}");
    let unknown = scene.holdpoint(&["exercise", "--keep", "orders.open.1.lost-akc"]);
    assert_eq!(unknown.status.code(), Some(14));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("did you mean `orders.open.1.lost-ack`"));
}

#[test]
fn nothing_is_found_in_the_careful_workflow() {
    let scene = Scene::of("fulfilment-careful");
    let (code, table) = scene.exercise();
    let wrong: Vec<&Value> = table.rows().into_values().filter(|row| row["verdict"] != "sound").collect();
    let unsound: Vec<String> = wrong
        .iter()
        .filter(|row| row["verdict"] != "not_fired")
        .map(|row| format!("{} {} {} {} {}", row["id"], row["verdict"], row["findings"], row["first"], row["again"]))
        .collect();
    assert_eq!(unsound, Vec::<String>::new());
    assert_eq!(code, 0);
    // Calls made one after the other cannot overtake each other; all other faults fall.
    let not_fired: BTreeSet<&str> = wrong.iter().map(|row| row["id"].as_str().unwrap()).collect();
    let calls = ["orders.open.1", "stock.reserve.1", "mail.confirm.1"];
    assert_eq!(not_fired, calls.map(|call| format!("{call}.out-of-order")).iter().map(String::as_str).collect());
    assert_eq!(table.verdicts(), BTreeMap::from([("sound", 67), ("not_fired", 3)]));

    let page = fs::read_to_string(scene.newest("exercise.html")).unwrap();
    assert!(page.contains("stock.reserve.1") && page.contains("Content-Security-Policy") && !page.contains("<script"));

    // A row that is sound is kept as a case that passes.
    let kept = scene.holdpoint(&["exercise", "--keep", "stock.reserve.1.late-commit"]);
    assert_eq!(kept.status.code(), Some(0));
    assert_eq!(scene.holdpoint(&["run", "fulfil.stock.reserve.1.late-commit"]).status.code(), Some(0));
    a_change_of_the_connector_runs_the_kept_case(&scene);
}

/// A change of how often a call is tried again selects a kept case whose set is one of answers.
fn a_change_of_the_connector_runs_the_kept_case(scene: &Scene) {
    let kept = scene.holdpoint(&["exercise", "--keep", "stock.reserve.1.truncate-abrupt"]);
    let path = "cases/malformed_output/fulfil.stock.reserve.1.truncate-abrupt.yaml";
    assert_eq!(String::from_utf8_lossy(&kept.stdout).trim(), path);
    let git = |arguments: &[&str]| {
        let names = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let done = Command::new("git").current_dir(scene.folder.path()).args(names).args(arguments).status().unwrap();
        assert!(done.success(), "{arguments:?}");
    };
    fs::write(scene.folder.path().join(".gitignore"), "reports/\n.holdpoint/\n").unwrap();
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "begin"]);
    let manifest = scene.folder.path().join(scene.example).join("manifests/stock.yaml");
    let text = fs::read_to_string(&manifest).unwrap();
    assert!(text.contains("attempts: 4"), "{text}");
    fs::write(&manifest, text.replace("attempts: 4", "attempts: 2")).unwrap();
    let plan = scene.holdpoint(&["plan", "--base", "HEAD", "--json"]);
    let plan: Value = serde_json::from_slice(&plan.stdout).unwrap();
    let selected = plan["selected"].as_array().unwrap();
    let kept = selected.iter().find(|one| one["case"] == "fulfil.stock.reserve.1.truncate-abrupt");
    let reasons = kept.unwrap_or_else(|| panic!("{plan:#}"))["reasons"].to_string();
    assert!(reasons.contains("retry") && reasons.contains("partial_failure"), "{reasons}");
}

#[test]
fn a_row_is_kept_with_the_files_and_the_time_that_it_was_run_with() {
    let scene = Scene::of("fulfilment-careful");
    let table = serde_json::json!({
        "schema": "holdpoint.exercise/1", "workflow": "fulfil", "fingerprint": "f", "input": {"order": "O-1"},
        "fixtures": ["cases/action/stock.json"], "files": {"stock.json": "cases/action/stock.json"},
        "now": "2026-03-02T09:30:00Z", "started": "s", "finished": "f", "calls": [], "remarks": [],
        "rows": [{
            "id": "clean", "risk": "operations", "faults": [], "verdict": "sound", "second_run": "", "kept": [], "findings": [],
            "first": {"operations": [], "failures": [], "problem": null},
            "again": {"operations": [], "failures": [], "problem": null},
        }],
    });
    let write = |path: &str, text: &str| {
        let path = scene.folder.path().join(scene.example).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("reports/exercises/20260101-000000-aaaa/exercise.json", &table.to_string());
    write("cases/action/stock.json", "{}");
    assert_eq!(scene.holdpoint(&["exercise", "--keep", "clean"]).status.code(), Some(0));
    let checked = scene.holdpoint(&["check"]);
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stderr));
    let kept = fs::read_to_string(scene.folder.path().join(scene.example).join("cases/operations/fulfil.clean.yaml"));
    let kept = kept.unwrap();
    assert!(kept.contains("now: \"2026-03-02T09:30:00Z\"") && kept.contains("fulfil.clean.files/stock.json"), "{kept}");
}

#[test]
fn a_service_is_exercised_without_a_restart_that_other_rows_would_feel() {
    let folder = TempDir::new().unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/");
    let http = serde_json::json!({
        "url": url, "start": ["python3", "buyer.py"], "ready": {"url": url}, "env": {"set": {"BUYER_PORT": port.to_string()}},
    });
    let sql = serde_json::json!({"database": "shop.db", "query": "SELECT number, request FROM orders"});
    let project = serde_json::json!({
        "schema": "holdpoint.project/1", "name": "service",
        "workflows": {"buyer": {"http": http, "parts": ["shop"], "timeout_s": 30}},
        "connectors": {"shop": {"upstream": {"start": {"run": ["python3", "shop.py"]}}, "base_path": "/v1"}},
        "probes": {"orders": {"sql": sql, "operation": "request", "of": "shop/order", "receipt": "number"}},
    });
    fs::create_dir(folder.path().join("manifests")).unwrap();
    for (name, text) in [
        ("holdpoint.yaml", project.to_string().as_str()),
        ("manifests/shop.yaml", include_str!("service/shop.yaml")),
        ("buyer.py", include_str!("service/buyer.py")),
        ("shop.py", include_str!("../evidence/shop/shop.py")),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let holdpoint = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_holdpoint"));
        command.arg("--project").arg(folder.path()).arg("-q").args(arguments).output().unwrap()
    };
    let output = holdpoint(&["exercise", "--input", r#"{"request": "O-1"}"#, "--json", "--jobs", "4"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let table = Table(serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {errors}")));
    assert_eq!(table.verdicts().get("errored"), None, "{:#}", table.0);
    // What a call leaves behind that nobody describes was not asked: nothing found is then not all well.
    assert_eq!(table.0["not_failed"], serde_json::json!(["shop: POST /v1/notes"]));
    assert_eq!((table.verdicts().get("found"), output.status.code()), (None, Some(11)), "{errors}");
    let rows = table.rows();
    let lost = rows["shop.order.1.lost-ack"];
    assert_eq!(
        (&lost["second_run"], &lost["findings"]),
        (&"tried again under the same key".into(), &Value::Array(vec![]))
    );
    assert_eq!(table.0["restarts"], false);
    let kept = holdpoint(&["exercise", "--keep", "shop.order.1.lost-ack"]);
    assert_eq!(kept.status.code(), Some(0));
    let run = holdpoint(&["run", "buyer.shop.order.1.lost-ack"]);
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stdout));
}

#[test]
fn what_cannot_be_exercised_is_said() {
    let scene = Scene::of("fulfilment-careful");
    let complaint = |arguments: &[&str], code| {
        let output = scene.holdpoint(arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{text}");
        text
    };
    assert!(complaint(&["exercise", "no-such"], 14).contains("the project has no workflow `no-such`, only fulfil"));
    assert!(complaint(&["exercise", "--case", "no-such"], 14).contains("has no case `no-such`"));
    assert!(complaint(&["exercise", "--input", "{"], 2).contains("the input is no JSON"));
    assert!(complaint(&["exercise", "--keep", "x"], 14).contains("there was no exercise yet"));
    // An input on which the workflow ends before its first call.
    let text = complaint(&["exercise", "--input", "{}"], 14);
    assert!(text.contains("made no call") && text.contains("KeyError"), "{text}");
    assert!(text.contains("--input") && text.contains("ORDERS_URL or "), "it says what to look at: {text}");
}
