//! A plain ledger of operations, JSON lines that a workflow wrote in its own words, as a `holdpoint.ledger/1`.
//!
//! What such a ledger calls an outcome is what the workflow says of itself: a claim. It becomes one, and never evidence.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::manifest::Diagnostic;

use super::brought::{Brought, Kind};
use super::case_draft::one_line;
use super::json_line::Line;
use super::ledger_lines::{LedgerLines, reference, sentence};
use super::reading::{error_at, json_lines};

const TIME: [&str; 4] = ["at", "time", "timestamp", "ts"];
const OPERATION: [&str; 2] = ["operation", "operation_id"];
const CASE: [&str; 2] = ["case", "case_id"];
const INTENTION: [&str; 2] = ["intention", "intended"];
const CLAIM: [&str; 3] = ["claim", "outcome", "status"];
const IDENTITY: [&str; 2] = ["identity", "idempotency_key"];

/// One line, read.
struct Row {
    line: usize,
    at: Timestamp,
    operation: String,
    fields: Map<String, Value>,
}

/// Brings a ledger. `target` is the path of the file that is written.
///
/// # Errors
/// When a line is no JSON object, or has no operation or no time.
pub fn operations(path: &str, bytes: &[u8], target: &str) -> Result<Brought, Vec<Diagnostic>> {
    let lines = json_lines(path, bytes)?;
    if lines.first().is_some_and(|first| first.fields.get("entry") == Some(&json!("ledger"))) {
        let hint = "give it to `holdpoint failures --ledger FILE` as it is";
        return Err(vec![error_at(path, 1, "this is a holdpoint.ledger/1 already", hint)]);
    }
    let mut errors = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    let mut brought = Brought::default();
    for mut line in lines {
        // A time has more digits than a number keeps in many a ledger, and is a time for all that.
        line.keep_numbers(path, &TIME, &mut brought);
        let Line { number: line, fields, .. } = line;
        match row(line, fields) {
            Ok(row) => rows.push(row),
            Err(message) => errors.push(error_at(path, line, message, "each line has `operation` and `time`")),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    rows.sort_by_key(|row| row.at);
    let mut writer =
        Writer { path, ledger: LedgerLines::default(), brought, cases: BTreeSet::new(), operations: BTreeMap::new() };
    rows.iter().for_each(|row| writer.take(row));
    let Writer { ledger, mut brought, operations, .. } = writer;
    brought.tally.brought = operations.len();
    let text = ledger.text("imported");
    if !text.is_empty() {
        brought.note(
            Kind::Changed,
            (path, 0),
            "every outcome",
            "it was taken as what the workflow claims; no line says what its target shows, so that each operation is uncertain \
             until someone looks (`look`)",
        );
        brought.file(target, text);
    }
    Ok(brought.finish())
}

fn row(line: usize, fields: Map<String, Value>) -> Result<Row, String> {
    let operation = text_of(&fields, &OPERATION).ok_or("the line names no operation")?;
    let at = TIME.iter().find_map(|key| fields.get(*key)).ok_or("the line has no time")?;
    let at = time(at).ok_or_else(|| format!("`{}` is no time", one_line(&at.to_string(), 60)))?;
    Ok(Row { line, at, operation, fields })
}

/// RFC 3339, or seconds or milliseconds since 1970.
fn time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| (0.0..1e14).contains(number))?;
            let millis = if number < 1e11 { number * 1000.0 } else { number };
            #[expect(clippy::cast_possible_truncation, reason = "it lies between 0 and 10^14")]
            Timestamp::from_millisecond(millis.round() as i64).ok()
        }
        _ => None,
    }
}

fn text_of(fields: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    keys.iter().filter_map(|key| fields.get(*key)).find_map(|value| match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

struct Writer<'a> {
    path: &'a str,
    ledger: LedgerLines,
    brought: Brought,
    cases: BTreeSet<String>,
    /// The attempts of each operation that have a line, as the file numbers them.
    operations: BTreeMap<String, Vec<String>>,
}

impl Writer<'_> {
    fn take(&mut self, row: &Row) {
        self.brought.tally.found += 1;
        let Row { at, fields, .. } = row;
        let operation = reference(&row.operation);
        let case = reference(&text_of(fields, &CASE).unwrap_or_else(|| row.operation.clone()));
        if self.cases.insert(case.clone()) {
            self.ledger.add(*at, json!({"entry": "case", "case": case}));
        }
        if !self.operations.contains_key(&operation) {
            let mut entry = json!({"entry": "operation", "operation": operation, "case": case});
            if let Some(action) = text_of(fields, &["action"]) {
                entry["action"] = json!(reference(&action));
            }
            if let Some(intended) = text_of(fields, &INTENTION).and_then(|text| sentence(&text)) {
                entry["intended"] = json!(intended);
            }
            self.ledger.add(*at, entry);
        }
        self.attempt(row, &operation);
        self.claim(row, &operation);
        let read =
            [&TIME[..], &OPERATION, &CASE, &INTENTION, &CLAIM, &IDENTITY, &["action", "attempt", "receipt"]].concat();
        for key in fields.keys().filter(|key| !read.contains(&key.as_str())) {
            self.brought.unread(self.path, row.line, &one_line(key, 80));
        }
    }

    /// Lines that name the same attempt are about one; a line that names none is about one of its own.
    fn attempt(&mut self, row: &Row, operation: &str) {
        let attempts = self.operations.entry(operation.to_owned()).or_default();
        let named = text_of(&row.fields, &["attempt"]);
        let name = named.clone().unwrap_or_else(|| format!("line {}", row.line));
        if attempts.contains(&name) {
            if text_of(&row.fields, &["receipt"]).is_some() {
                let why = "an earlier line has the same attempt, and an attempt stands in a ledger once";
                self.brought.note(Kind::Left, (self.path, row.line), "the receipt of this line", why);
            }
            return;
        }
        attempts.push(name);
        let number = attempts.len();
        if let Some(named) = named.filter(|named| *named != number.to_string()) {
            let why = format!("attempts are numbered from 1 without a gap, so it became {number}");
            self.brought.note(Kind::Changed, (self.path, row.line), format!("attempt {}", one_line(&named, 40)), why);
        }
        let mut entry =
            json!({"entry": "attempt", "operation": operation, "number": number, "answered": "not_recorded"});
        if let Some(receipt) = text_of(&row.fields, &["receipt"]) {
            if text_of(&row.fields, &CLAIM).is_some() {
                // Whoever claims names the receipt, too: nobody saw the target answer with it.
                let what = format!("the receipt {}", one_line(&receipt, 60));
                let why = "its line is a claim, so that the receipt is no answer of the target";
                self.brought.note(Kind::Left, (self.path, row.line), what, why);
            } else {
                entry["answered"] = json!("done");
                entry["receipt"] = json!(reference(&receipt));
            }
        }
        if let Some(identity) = text_of(&row.fields, &IDENTITY) {
            entry["identity"] = json!(reference(&identity));
        }
        self.ledger.add(row.at, entry);
    }

    fn claim(&mut self, row: &Row, operation: &str) {
        let Some(word) = text_of(&row.fields, &CLAIM) else { return };
        match claim(&word.to_lowercase()) {
            Some(claim) => self.ledger.add(row.at, json!({"entry": "claim", "operation": operation, "claim": claim})),
            None => {
                let why = "it is none of the words for completed, rejected, failed, unknown and held";
                self.brought.note(
                    Kind::Left,
                    (self.path, row.line),
                    format!("the claim `{}`", one_line(&word, 60)),
                    why,
                );
            }
        }
    }
}

/// What a workflow's word for an outcome claims.
fn claim(word: &str) -> Option<&'static str> {
    Some(match word {
        "completed" | "complete" | "committed" | "done" | "ok" | "success" | "succeeded" | "replayed" => "completed",
        "rejected" | "refused" | "denied" | "declined" => "rejected",
        "failed" | "failure" | "error" | "not_committed" => "failed",
        "unknown" | "uncertain" | "timeout" | "timed_out" | "pending" | "in_flight" => "unknown",
        "held" | "hold" | "waiting" | "waiting_for_approval" => "held",
        _ => return None,
    })
}
