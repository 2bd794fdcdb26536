//! The desk as a process of its own, killed at every point around every durable write, and started again.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use holdpoint::practice::mesa::{Point, Waypoints, invoke_watched};
use serde_json::{Value, json};

use crate::bench::PROJECT;
use crate::durable::{NOW, ask, ask_at, call, invocation, rows, staging};

/// Long after: the record's retention window is over.
const LATER: &str = "2026-09-15T09:00:00Z";
/// What a staging leaves, one row in each.
const STAGED: [&str; 3] = ["review_queue", "operation_records", "action_audit"];

/// Mesa's part of the repository's own project, without its cases: what a process needs to start.
static DESK: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let workflow = &PROJECT.file.workflows["mesa"];
    for path in workflow.parts.iter().flat_map(|id| {
        let part = &PROJECT.parts[id];
        part.files.keys().chain([&part.path])
    }) {
        let copy = folder.path().join(path);
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(path), copy).unwrap();
    }
    let file = json!({
        "schema": "holdpoint.project/1", "name": "desk",
        "workflows": {"mesa": {"practice": {"name": "mesa"}, "parts": workflow.parts}},
    });
    // JSON is YAML.
    fs::write(folder.path().join("holdpoint.yaml"), file.to_string()).unwrap();
    folder
});

fn mesa(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_holdpoint"));
    command.arg("--project").arg(DESK.path()).args(["practice", "mesa"]).args(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A process that refuses its arguments ends before it has read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Starts the desk as a process, and again after its death.
fn start(now: &str, state_dir: &Path, input: &Value) -> Value {
    let output = mesa(&["--state-dir", state_dir.to_str().unwrap()], &invocation(now, input).to_string());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Starts the desk with a point to die at, and says what it had printed by then.
fn die_at(point: &str, now: &str, state_dir: &Path, input: &Value) -> Option<Value> {
    let arguments = ["--state-dir", state_dir.to_str().unwrap(), "--crash-at", point];
    let output = mesa(&arguments, &invocation(now, input).to_string());
    assert_eq!(output.status.signal(), Some(9), "{point}: {output:?}");
    serde_json::from_slice(&output.stdout).ok()
}

fn counts(state_dir: &Path) -> [i64; 3] {
    STAGED.map(|table| rows(state_dir, table))
}

/// Notes every point that it is told of.
#[derive(Default)]
struct Notes(RefCell<Vec<String>>);

impl Waypoints for Notes {
    fn reach(&self, point: Point) {
        self.0.borrow_mut().push(point.name());
    }
}

/// One invocation on a database that earlier ones have made.
struct Way {
    now: &'static str,
    before: fn(&Path),
    input: Value,
}

impl Way {
    fn staging() -> Self {
        Self { now: NOW, before: |_| {}, input: staging("op-1") }
    }

    fn pause() -> Self {
        let input = json!({"action": "pause", "actor": "ivo", "reason": "the queue is full"});
        Self { now: NOW, before: |state_dir| drop(ask(state_dir, &asking("propose", "desk"))), input }
    }

    fn resumption() -> Self {
        let before = |state_dir: &Path| drop(ask(state_dir, &json!({"action": "pause", "actor": "ivo"})));
        Self { now: NOW, before, input: json!({"action": "resume", "actor": "ivo"}) }
    }

    fn revocation() -> Self {
        let before = |state_dir: &Path| {
            ask(state_dir, &asking("propose", "desk"));
            ask(state_dir, &asking("approve", "rosa"));
        };
        Self { now: NOW, before, input: asking("revoke", "rosa") }
    }

    fn retirement() -> Self {
        Self { now: LATER, before: |state_dir| drop(ask(state_dir, &staging("op-1"))), input: asking("stage", "desk") }
    }

    fn reconciliation() -> Self {
        Self { input: asking("reconcile", "ivo"), ..Self::retirement() }
    }

    fn fallback() -> Self {
        let input = json!({"action": "fallback", "operation": "op-1", "question": "Can I come on Tuesday at ten?"});
        Self { input, ..Self::pause() }
    }

    fn all() -> [Self; 7] {
        [
            Self::staging(),
            Self::pause(),
            Self::resumption(),
            Self::revocation(),
            Self::retirement(),
            Self::reconciliation(),
            Self::fallback(),
        ]
    }

    /// Every point on it. The last one is the process's own.
    fn points(&self) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        (self.before)(folder.path());
        let notes = Notes::default();
        let invocation = invocation(self.now, &self.input);
        invoke_watched(&call(&invocation, folder.path()), &notes).unwrap();
        notes.0.into_inner().into_iter().chain(["after_answer".to_owned()]).collect()
    }

    /// Kills a process at every point on it, each on a fresh database, and looks `then` at what is left: by the
    /// point, the state directory, and what was printed. Answers with the points.
    fn kill_everywhere(&self, then: impl Fn(&str, &Path, Option<Value>)) -> Vec<String> {
        let points = self.points();
        for point in &points {
            let folder = tempfile::tempdir().unwrap();
            (self.before)(folder.path());
            let printed = die_at(point, self.now, folder.path(), &self.input);
            then(point, folder.path(), printed);
        }
        points
    }
}

fn asking(action: &str, actor: &str) -> Value {
    json!({"action": action, "actor": actor, "operation": "op-1", "question": "What is the callout fee?"})
}

#[test]
fn every_point_that_the_process_lists_lies_on_a_way_that_is_tried() {
    let listed = String::from_utf8(mesa(&["--crash-points"], "").stdout).unwrap();
    let listed: BTreeSet<String> = listed.lines().map(str::to_owned).collect();
    let tried: BTreeSet<String> = Way::all().iter().flat_map(Way::points).collect();
    assert_eq!(listed, tried);
}

#[test]
fn killed_anywhere_in_a_staging_and_started_again_it_stages_once_under_its_first_receipt() {
    let reached = Way::staging().kill_everywhere(|point, state_dir, printed| {
        let committed = ["after_staging", "before_answer", "after_answer"].contains(&point);
        assert_eq!(printed.is_some(), point == "after_answer", "{point}");
        if point != "before_tables" {
            assert_eq!(counts(state_dir), [i64::from(committed); 3], "{point}");
        }
        let again = start("2026-06-15T09:05:00Z", state_dir, &staging("op-1"));
        assert_eq!(again["status"], "staged_local_review_only", "{point}");
        assert_eq!(again["receipt"]["replayed"], committed, "{point}");
        let first = if committed { NOW } else { "2026-06-15T09:05:00Z" };
        assert_eq!(again["receipt"]["staged"], first, "{point}");
        let third = ask(state_dir, &staging("op-1"));
        assert_eq!(third["receipt"]["replayed"], true, "{point}");
        assert_eq!(third["receipt"]["item"], again["receipt"]["item"], "{point}");
        assert_eq!(counts(state_dir), [1; 3], "{point}");
    });
    let writes = ["tables", "proposal", "approval", "item", "record", "audit", "staging"];
    let expected: Vec<String> =
        writes.iter().flat_map(|write| [format!("before_{write}"), format!("after_{write}")]).collect();
    assert_eq!(reached[..14], expected);
    assert_eq!(reached[14..], ["before_answer", "after_answer"]);
}

#[test]
fn killed_around_a_pause_it_is_paused_or_not_for_every_process_and_a_second_try_pauses_once() {
    let reached = Way::pause().kill_everywhere(|point, state_dir, _| {
        let paused = point != "before_pause";
        assert_eq!(start(NOW, state_dir, &staging("op-1"))["status"] == "held", paused, "{point}");
        assert_eq!(start(NOW, state_dir, &Way::pause().input)["status"], "paused", "{point}");
        assert_eq!(rows(state_dir, "pauses"), 1, "{point}");
        assert_eq!(
            ask(state_dir, &staging("op-2"))["output"],
            "Held: new staging is paused by ivo: the queue is full."
        );
    });
    assert_eq!(reached, ["before_pause", "after_pause", "before_answer", "after_answer"]);
}

#[test]
fn killed_around_the_end_of_a_pause_it_is_over_or_not_and_a_second_try_ends_it() {
    let reached = Way::resumption().kill_everywhere(|point, state_dir, _| {
        let over = point != "before_resumption";
        let staged = start(NOW, state_dir, &staging("op-1"))["status"] == "staged_local_review_only";
        assert_eq!(staged, over, "{point}");
        ask(state_dir, &Way::resumption().input);
        assert_eq!(ask(state_dir, &staging("op-1"))["receipt"]["replayed"], over, "{point}");
        assert_eq!(counts(state_dir), [1; 3], "{point}");
    });
    assert_eq!(reached, ["before_resumption", "after_resumption", "before_answer", "after_answer"]);
}

#[test]
fn killed_around_a_revocation_the_approval_holds_or_not_and_a_second_try_takes_it_back() {
    let reached = Way::revocation().kill_everywhere(|point, state_dir, _| {
        let revoked = start(NOW, state_dir, &Way::revocation().input)["revoked"].clone();
        assert_eq!(revoked, i64::from(point == "before_revocation"), "{point}");
        assert_eq!(ask(state_dir, &asking("stage", "desk"))["reason"]["code"], "approval_revoked", "{point}");
        assert_eq!(counts(state_dir), [0; 3], "{point}");
    });
    assert_eq!(reached, ["before_revocation", "after_revocation", "before_answer", "after_answer"]);
}

#[test]
fn killed_while_a_retired_record_is_refused_it_stays_held_until_a_lead_reconciles() {
    let reached = Way::retirement().kill_everywhere(|point, state_dir, _| {
        let again = start(LATER, state_dir, &Way::retirement().input);
        assert_eq!(again["reason"]["code"], "operation_record_retired", "{point}");
        assert_eq!(ask_at(LATER, state_dir, &Way::reconciliation().input)["receipt"]["staged"], NOW, "{point}");
        assert_eq!(counts(state_dir), [1; 3], "{point}");
    });
    let expected = ["retirement", "refusal", "answer"];
    let expected = expected.iter().flat_map(|write| [format!("before_{write}"), format!("after_{write}")]);
    assert_eq!(reached, expected.collect::<Vec<_>>());
}

#[test]
fn killed_while_a_lead_reconciles_a_second_try_gives_the_first_receipt_back() {
    let reached = Way::reconciliation().kill_everywhere(|point, state_dir, _| {
        assert_eq!(start(LATER, state_dir, &Way::reconciliation().input)["receipt"]["staged"], NOW, "{point}");
        let replayed = ask_at(LATER, state_dir, &asking("stage", "desk"));
        assert_eq!(replayed["receipt"]["replayed"], true, "{point}");
        assert_eq!(counts(state_dir), [1; 3], "{point}");
    });
    assert_eq!(reached, ["before_reconciliation", "after_reconciliation", "before_answer", "after_answer"]);
}

#[test]
fn killed_around_the_fallback_a_second_try_leaves_one_open_question() {
    let reached = Way::fallback().kill_everywhere(|point, state_dir, _| {
        let again = start(NOW, state_dir, &Way::fallback().input);
        assert_eq!(again["unanswered"][0]["what"], "availability", "{point}");
        assert_eq!(rows(state_dir, "open_questions"), 1, "{point}");
    });
    assert_eq!(reached, ["before_open_question", "after_open_question", "before_answer", "after_answer"]);
}

#[test]
fn what_is_no_invocation_or_no_point_is_wrong_usage_and_touches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let state_dir = folder.path().join("state");
    let state = state_dir.to_str().unwrap();
    for (arguments, input) in [
        (vec!["--state-dir", state], "no json".to_owned()),
        (vec!["--state-dir", state], staging("op-1").to_string()),
        (vec!["--state-dir", state, "--crash-at", "nowhere"], invocation(NOW, &staging("op-1")).to_string()),
        (vec![], invocation(NOW, &staging("op-1")).to_string()),
    ] {
        assert_eq!(mesa(&arguments, &input).status.code(), Some(2), "{arguments:?}");
    }
    assert!(!state_dir.exists());
}
