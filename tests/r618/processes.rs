//! The workflow and its three targets as real processes, on a project of their own whose lags are short.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_holdpoint");

const TARGETS: [&str; 3] = ["case-desk", "inventory", "messaging"];

/// Three running targets, a record, and the folder in which all of it lies.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    targets: Vec<Child>,
    addresses: BTreeMap<&'static str, String>,
}

impl Stage {
    /// Starts the targets; `faults` are those of one target each.
    pub(crate) fn set(faults: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        project(folder.path());
        let mut stage = Self { folder, targets: Vec::new(), addresses: BTreeMap::new() };
        for target in TARGETS {
            stage.start(target, faults);
        }
        stage
    }

    fn start(&mut self, target: &'static str, faults: &[(&str, &str)]) {
        let mut command = Command::new(BINARY);
        let contract = self.folder.path().join(format!("manifests/r618-{target}.yaml"));
        command.args(["practice", target, "--database"]).arg(self.database(target));
        command.arg("--contract").arg(contract);
        for (_, fault) in faults.iter().filter(|(of, _)| *of == target) {
            command.args(["--fault", fault]);
        }
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let started: Value = serde_json::from_str(&line).unwrap();
        self.addresses.insert(target, started["address"].as_str().unwrap().to_owned());
        self.targets.push(child);
    }

    fn database(&self, target: &str) -> PathBuf {
        self.folder.path().join(format!("{target}.db"))
    }

    /// Starts the workflow once and waits for its end.
    pub(crate) fn run(&self, input: &Value, crash_at: Option<&str>) -> (ExitStatus, Option<Value>) {
        let mut command = Command::new(BINARY);
        command.arg("--project").arg(self.folder.path()).args(["practice", "r618", "--record"]);
        command.arg(self.folder.path().join("r618.db"));
        for target in TARGETS {
            command.args([format!("--{target}"), self.addresses[target].clone()]);
        }
        if let Some(point) = crash_at {
            command.args(["--crash-at", point]);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // A process that dies at its first point may not have read its input.
        let _ = child
            .stdin
            .take()
            .unwrap()
            .write_all(json!({"schema": "holdpoint.invoke/1", "input": input}).to_string().as_bytes());
        let output = child.wait_with_output().unwrap();
        (output.status, serde_json::from_slice(&output.stdout).ok())
    }

    /// How many rows a table of a target has for a request.
    pub(crate) fn count(&self, target: &str, table: &str, request: &str) -> i64 {
        let connection = Connection::open(self.database(target)).unwrap();
        let select = format!("SELECT count(*) FROM {table} WHERE request = ?1");
        connection.query_row(&select, [request], |row| row.get(0)).unwrap()
    }

    /// Puts so many of every component on the shelf that no test runs out of them.
    pub(crate) fn stock_up(&self) {
        let connection = Connection::open(self.database("inventory")).unwrap();
        connection.execute("UPDATE components SET stock = 1000", []).unwrap();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        for target in &mut self.targets {
            let _ = target.kill();
            let _ = target.wait();
        }
    }
}

/// What R-618, or another request like it, asks for.
pub(crate) fn request(reference: &str) -> Value {
    json!({
        "request": reference, "customer": "K-12", "matter": "pump is loud", "contact": "k12@example.net",
        "component": "PUMP-7", "quantity": 1, "approved_by": "dana",
    })
}

/// The repository's own manifests of R-618, with every lag cut to a few hundredths of a second.
fn project(folder: &Path) {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::create_dir(folder.join("manifests")).unwrap();
    for name in ["case-desk", "inventory", "messaging", "permissions"] {
        let file = format!("manifests/r618-{name}.yaml");
        let mut text = std::fs::read_to_string(repository.join(&file)).unwrap();
        for (long, short) in [
            ("within_s: 15.0", "within_s: 0.1"),
            ("within_s: 20.0", "within_s: 0.1"),
            ("lag_s: 60.0", "lag_s: 0.1"),
            ("lag_s: 10.0", "lag_s: 0.1"),
            ("base_s: 0.5", "base_s: 0.02"),
            ("base_s: 1.0", "base_s: 0.02"),
        ] {
            text = text.replace(long, short);
        }
        std::fs::write(folder.join(&file), text).unwrap();
    }
    let file = "schema: holdpoint.project/1\nname: r618\nworkflows:\n  r618:\n    practice: {name: r618}\n    \
                parts: [case-desk, inventory, messaging, r618-permissions]\n";
    std::fs::write(folder.join("holdpoint.yaml"), file).unwrap();
}
