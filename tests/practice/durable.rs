//! The desk on a database that outlives the invocation: reopened, shared, tampered with.

use std::path::Path;

use holdpoint::manifest::PracticeName;
use holdpoint::practice::{Agreement, Durability, PracticeAnswer, PracticeCall, invoke};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::bench::PROJECT;

pub(crate) const NOW: &str = "2026-06-15T09:00:00Z";

/// One invocation of the desk.
pub(crate) fn invocation(now: &str, input: &Value) -> Value {
    json!({"schema": "holdpoint.invoke/1", "case": "a-case", "trial": 1, "step": 1, "now": now, "input": input})
}

/// The call for it, with commits that wait for the disk and no faults.
pub(crate) fn call<'a>(invocation: &'a Value, state_dir: &'a Path) -> PracticeCall<'a> {
    PracticeCall {
        invocation,
        parts: &PROJECT.parts,
        texts: &PROJECT.texts,
        state_dir,
        faults: &[],
        attempts_so_far: &[],
        durability: Durability::Process,
    }
}

fn answer_at(now: &str, state_dir: &Path, input: &Value) -> PracticeAnswer {
    invoke(PracticeName::Mesa, &call(&invocation(now, input), state_dir)).unwrap()
}

/// What the desk answers at a time.
pub(crate) fn ask_at(now: &str, state_dir: &Path, input: &Value) -> Value {
    serde_json::from_str(&answer_at(now, state_dir, input).text).unwrap()
}

/// What the desk answers now.
pub(crate) fn ask(state_dir: &Path, input: &Value) -> Value {
    ask_at(NOW, state_dir, input)
}

/// A whole way from question to queue.
pub(crate) fn staging(operation: &str) -> Value {
    json!({"operation": operation, "customer": "K-31", "question": "What is in my record?", "approved_by": "rosa"})
}

fn database(state_dir: &Path) -> Connection {
    Connection::open(state_dir.join("mesa.db")).unwrap()
}

/// How many rows a table has.
pub(crate) fn rows(state_dir: &Path, table: &str) -> i64 {
    database(state_dir).query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn the_first_receipt_comes_back_from_a_reopened_database() {
    let folder = tempfile::tempdir().unwrap();
    let first = ask(folder.path(), &staging("op-1"));
    let second = ask(folder.path(), &staging("op-1"));
    assert_eq!(first["receipt"]["replayed"], false);
    assert_eq!(second["receipt"]["replayed"], true);
    assert_eq!(first["receipt"]["item"], second["receipt"]["item"]);
    assert_eq!(first["receipt"]["staged"], second["receipt"]["staged"]);
}

#[test]
fn several_at_once_with_one_operation_stage_one_item() {
    let folder = tempfile::tempdir().unwrap();
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let asking: Vec<_> = (0..6).map(|_| scope.spawn(|| ask(folder.path(), &staging("op-1")))).collect();
        asking.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let first = answers.iter().filter(|answer| answer["receipt"]["replayed"] == false).count();
    assert_eq!(first, 1, "{answers:#?}");
    for table in ["review_queue", "operation_records", "action_audit"] {
        assert_eq!(rows(folder.path(), table), 1, "{table}");
    }
}

#[test]
fn a_pause_outlives_its_process_and_says_who_paused_and_why() {
    let folder = tempfile::tempdir().unwrap();
    ask(folder.path(), &json!({"action": "pause", "actor": "ivo", "reason": "the queue is full"}));
    let held = ask(folder.path(), &staging("op-1"));
    assert_eq!(held["reason"]["code"], "paused");
    assert_eq!(held["output"], "Held: new staging is paused by ivo: the queue is full.");
    assert_eq!(rows(folder.path(), "review_queue"), 0);
    ask(folder.path(), &json!({"action": "resume", "actor": "ivo"}));
    assert_eq!(ask(folder.path(), &staging("op-1"))["status"], "staged_local_review_only");
}

#[test]
fn work_in_flight_at_a_pause_ends_as_it_is_answered_and_nothing_starts_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let operations: Vec<String> = (0..12).map(|number| format!("op-{number}")).collect();
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let asking: Vec<_> =
            operations.iter().map(|operation| scope.spawn(|| ask(folder.path(), &staging(operation)))).collect();
        while rows_so_far(folder.path()) == 0 {
            std::thread::yield_now();
        }
        ask(folder.path(), &json!({"action": "pause", "actor": "ivo", "reason": "the queue is full"}));
        asking.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (operation, answer) in operations.iter().zip(&answers) {
        let staged = answer["status"] == "staged_local_review_only";
        assert!(staged || answer["reason"]["code"] == "paused", "{answer}");
        for table in ["review_queue", "operation_records", "action_audit"] {
            let count = format!("SELECT count(*) FROM {table} WHERE operation = ?1");
            let rows: i64 = database(folder.path()).query_row(&count, [operation], |row| row.get(0)).unwrap();
            assert_eq!(rows, i64::from(staged), "{operation} in {table}: {answer}");
        }
    }
    assert_eq!(ask(folder.path(), &staging("op-later"))["status"], "held");
}

/// How many items the queue holds; none where its table is not there yet.
fn rows_so_far(state_dir: &Path) -> i64 {
    let count = || database(state_dir).query_row("SELECT count(*) FROM review_queue", [], |row| row.get(0));
    count().unwrap_or(0)
}

#[test]
fn past_its_retention_window_an_operation_is_reconciled_by_a_lead_and_by_no_one_else() {
    let folder = tempfile::tempdir().unwrap();
    let later = "2026-09-15T09:00:00Z";
    ask(folder.path(), &staging("op-1"));
    let ask_later = |actor: &str, action: &str| {
        ask_at(later, folder.path(), &json!({"operation": "op-1", "actor": actor, "action": action}))
    };
    assert_eq!(ask_later("desk", "status")["reason"]["code"], "operation_record_retired");
    assert_eq!(ask_later("desk", "reconcile")["reason"]["code"], "missing_right");
    let reconciled = ask_later("ivo", "reconcile");
    assert_eq!(reconciled["reconciled"], true);
    assert_eq!(reconciled["receipt"]["staged"], NOW);
    assert_eq!(ask_later("desk", "status")["receipt"]["replayed"], true);
    assert_eq!(rows(folder.path(), "review_queue"), 1);
}

#[test]
fn records_and_audit_hold_references_and_no_word_of_question_or_record() {
    let folder = tempfile::tempdir().unwrap();
    ask(folder.path(), &staging("op-1"));
    ask(
        folder.path(),
        &json!({"operation": "op-2", "actor": "trainee", "question": "My neighbour is ill", "action": "answer"}),
    );
    ask(folder.path(), &json!({"action": "fallback", "question": "Is my dishwasher free on Monday?"}));
    let connection = database(folder.path());
    for table in ["operation_records", "action_audit", "refusals", "approvals", "pauses", "open_questions", "outbox"] {
        let mut select = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = select.column_count();
        let mut rows = select.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let text = as_text(row, columns);
            for word in ["dishwasher", "4411", "neighbour", "record?"] {
                assert!(!text.contains(word), "{table}: {text}");
            }
        }
    }
}

fn as_text(row: &rusqlite::Row<'_>, columns: usize) -> String {
    let texts = (0..columns).filter_map(|index| row.get_ref(index).unwrap().as_str().ok().map(str::to_owned));
    texts.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_queue_item_without_its_audit_row_is_a_contradiction_and_no_completion() {
    let folder = tempfile::tempdir().unwrap();
    ask(folder.path(), &staging("op-1"));
    database(folder.path()).execute("DELETE FROM action_audit", []).unwrap();
    let answer = answer_at(NOW, folder.path(), &staging("op-1"));
    assert_eq!(answer.readings[0].agreement, Agreement::Contradictory);
    let text: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(text["status"], "unconfirmed");
    assert_eq!(text["claims"], json!([{"operation": "op-1", "claim": "unknown"}]));
}
