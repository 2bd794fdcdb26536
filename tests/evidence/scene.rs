//! A project in a folder of its own: a shop that is started for each trial, and a workflow that orders there.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, OnceLock};

use holdpoint::domain::{Claim, ClaimCheck, OperationId};
use holdpoint::evidence::{Form, Observation, OperationSeen, check_claim};
use holdpoint::execution::{Cancellation, ExecutionSettings, TrialSpec, execute};
use holdpoint::manifest::{CaseRef, DiskFiles, Project, load_project};
use serde_json::{Value, json};

/// The shop's manifest.
pub(crate) const MANIFEST: &str = "\
id: shop
kind: connector
version: '1'
release: '2026-04'
operations:
  order:
    effect: create
    idempotency: {key: caller, replay_signal: {field: replayed}}
    wire:
      method: POST
      path: /orders
      intention: {body: /request}
      key: {header: Idempotency-Key}
      receipt: /number
      refused: [409]
";

/// The shop's manifest, by which nothing that the shop was sent takes effect later than so many seconds after it.
pub(crate) fn bounded(within_s: f64) -> String {
    MANIFEST.replace("effect: create", &format!("effect: create\n    processing: {{within_s: {within_s:?}}}"))
}

/// The project, to which a test adds probes and cases before it is run.
pub(crate) struct Scene {
    folder: tempfile::TempDir,
    pub(crate) file: Value,
    cases: BTreeMap<String, Value>,
    pub(crate) cancellation: Cancellation,
}

impl Scene {
    /// The project with the probe `orders`, which reads the shop's own database.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("manifests/shop.yaml", MANIFEST),
            ("shop.py", include_str!("shop/shop.py")),
            ("buyer.py", include_str!("shop/buyer.py")),
        ] {
            write(&folder.path().join(name), text);
        }
        let orders = json!({
            "sql": {"database": "shop.db", "query": "SELECT number, request, item, quantity FROM orders"},
            "operation": "request",
            "of": "shop/order",
            "receipt": "number",
            "parameters": {"item": "/item", "quantity": "/quantity"},
        });
        let file = json!({
            "schema": "holdpoint.project/1",
            "name": "shop",
            "workflows": {"buyer": {"command": {"run": ["python3", "buyer.py"]}, "parts": ["shop"], "timeout_s": 20}},
            "connectors": {"shop": {
                "upstream": {"start": {"run": ["python3", "shop.py"]}},
                "env": ["SHOP_URL"],
                "base_path": "/v1",
            }},
            "probes": {"orders": orders},
        });
        Self { folder, file, cases: BTreeMap::new(), cancellation: Cancellation::new().unwrap() }
    }

    /// Adds a case with this input and these fields besides. Each orders under the request `O-1`.
    pub(crate) fn case(&mut self, id: &str, input: Value, fields: Value) {
        let mut wanted = json!({"request": "O-1", "item": "lamp"});
        wanted.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
        let mut case = json!({
            "id": id, "title": "t", "workflow": "buyer", "input": wanted, "expect": [{"contains": "status"}],
        });
        case.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.cases.insert(id.to_owned(), case);
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.folder.path().join(name), text);
    }

    /// Writes the project down and reads it as it would be read.
    pub(crate) fn load(&self) -> Project {
        // YAML takes JSON as it is.
        self.write("holdpoint.yaml", &self.file.to_string());
        for (id, case) in &self.cases {
            self.write(&format!("cases/action/{id}.yaml"), &case.to_string());
        }
        let loaded = load_project(&DiskFiles::new(self.folder.path()), &BTreeMap::new());
        loaded.unwrap_or_else(|errors| panic!("{errors:#?}")).project
    }

    /// Runs one trial of each case, by the case's id.
    pub(crate) fn run(&self) -> BTreeMap<String, Observation> {
        let project = self.load();
        let state = self.folder.path().join("state");
        let environment = [("PATH".to_owned(), PATH.get_or_init(path_with_python).clone())].into();
        let settings = ExecutionSettings {
            project: &project,
            root: self.folder.path(),
            state_root: &state,
            environment: &environment,
            jobs: 4,
            keep_state: false,
            cancellation: &self.cancellation,
            may_start: &|_| true,
            deadline: None,
            clock: jiff::Timestamp::now,
        };
        let trial = |case| TrialSpec { case: CaseRef::Held(case), form: Form::Head, trial: 1 };
        let specs: Vec<TrialSpec<'_>> = project.cases.values().map(trial).collect();
        let seen = Mutex::new(BTreeMap::new());
        execute(&specs, &settings, &|raw| {
            let observation = raw.redacted();
            seen.lock().unwrap().insert(observation.case.as_str().to_owned(), observation);
        })
        .unwrap();
        assert_eq!(std::fs::read_dir(&state).unwrap().count(), 0, "a trial's state was left behind");
        let shops = std::fs::read_to_string(self.folder.path().join("shops")).unwrap_or_default();
        for shop in shops.lines() {
            assert!(!Path::new("/proc").join(shop).exists(), "a target was left running");
        }
        seen.into_inner().unwrap()
    }

    /// Runs the one case that was added.
    pub(crate) fn run_one(&self) -> Observation {
        self.run().into_values().next().unwrap()
    }
}

/// A fault that falls on the first attempt at an order, with these fields besides.
pub(crate) fn fault(name: &str, fields: Value) -> Value {
    let mut fault = json!({"connector": "shop", "operation": "order", "fault": name});
    fault.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({ "faults": [fault] })
}

/// What was seen of the one order, in a trial that came to its end.
#[track_caller]
pub(crate) fn order(observation: &Observation) -> &OperationSeen {
    assert_eq!(observation.error, None, "{observation:#?}");
    let order = OperationId::new("order:O-1");
    observation.operations.iter().find(|seen| seen.operation == order).unwrap_or_else(|| panic!("{observation:#?}"))
}

/// How the workflow's claim stands to what was seen of the order.
pub(crate) fn claim(observation: &Observation) -> (Option<Claim>, ClaimCheck) {
    let order = order(observation);
    let claim = observation.last_claim(&order.operation);
    (claim, check_claim(order.outcome, claim))
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

static PATH: OnceLock<String> = OnceLock::new();

/// PATH with the folder of the real interpreter first: a version manager's stand-in for `python3` may need the
/// environment that is cleared.
fn path_with_python() -> String {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let executable = String::from_utf8(asked.expect("these tests need python3").stdout).unwrap();
    let folder = Path::new(executable.trim()).parent().unwrap().display().to_string();
    format!("{folder}:{}", std::env::var("PATH").unwrap())
}
