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
    let mut case_of: BTreeMap<String, String> = BTreeMap::new();
    for row in &rows {
        if let Some(case) = text_of(&row.fields, &CASE) {
            case_of.entry(row.operation.clone()).or_insert(case);
        }
    }
    let (ledger, cases, operations) = (LedgerLines::default(), BTreeSet::new(), BTreeMap::new());
    let mut writer = Writer { path, ledger, brought, case_of, cases, operations };
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
    keys.iter().filter_map(|key| fields.get(*key)).find_map(text)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn says_nothing(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Whether two values of keys with the same meaning say the same.
fn agree(keys: &[&str], one: &Value, other: &Value) -> bool {
    if text(one).is_some() && text(one) == text(other) {
        return true;
    }
    let claimed = |value: &Value| text(value).and_then(|word| claim(&word.to_lowercase()));
    keys == CLAIM.as_slice() && claimed(one).is_some() && claimed(one) == claimed(other)
}

/// What an operation has so far.
#[derive(Default)]
struct Written {
    /// What it does and what was meant by it, as its first line says.
    said: [Option<String>; 2],
    /// Its attempts that have a line, as the file numbers them, each with its identity.
    attempts: Vec<(String, Option<String>)>,
}

struct Writer<'a> {
    path: &'a str,
    ledger: LedgerLines,
    brought: Brought,
    /// The case that the first line of an operation names which names one.
    case_of: BTreeMap<String, String>,
    cases: BTreeSet<String>,
    operations: BTreeMap<String, Written>,
}

impl Writer<'_> {
    fn take(&mut self, row: &Row) {
        self.brought.tally.found += 1;
        let Row { at, fields, .. } = row;
        let operation = reference(&row.operation);
        let named = self.case_of.get(&row.operation).unwrap_or(&row.operation).clone();
        if let Some(other) = text_of(fields, &CASE).filter(|other| *other != named) {
            let why = format!("its operation belongs to the case {} already", one_line(&named, 60));
            self.left(row, format!("the case {}", one_line(&other, 60)), why);
        }
        let case = reference(&named);
        if self.cases.insert(case.clone()) {
            self.ledger.add(*at, json!({"entry": "case", "case": case}));
        }
        let said = [text_of(fields, &["action"]), text_of(fields, &INTENTION)];
        if let Some(written) = self.operations.get(&operation) {
            let first = written.said.clone();
            for ((what, said), first) in ["action", "intention"].into_iter().zip(said).zip(first) {
                if let Some(said) = said.filter(|said| first.as_ref() != Some(said)) {
                    let why = "it is not what the first line of its operation says, and an operation says it once";
                    self.left(row, format!("the {what} {}", one_line(&said, 60)), why);
                }
            }
        } else {
            let mut entry = json!({"entry": "operation", "operation": operation, "case": case});
            let [action, intention] = &said;
            if let Some(action) = action {
                entry["action"] = json!(reference(action));
            }
            if let Some(intended) = intention.as_deref().and_then(sentence) {
                entry["intended"] = json!(intended);
            }
            self.ledger.add(*at, entry);
            self.operations.insert(operation.clone(), Written { said, attempts: Vec::new() });
        }
        self.attempt(row, &operation);
        self.claim(row, &operation);
        self.not_taken(row);
    }

    fn left(&mut self, row: &Row, what: impl Into<String>, why: impl Into<String>) {
        self.brought.note(Kind::Left, (self.path, row.line), what, why);
    }

    /// Tells of all in a line that nothing was made of: keys that have no meaning here, values of another form than is read, and
    /// what contradicts another key of the same meaning.
    fn not_taken(&mut self, row: &Row) {
        for keys in [&OPERATION[..], &CASE, &INTENTION, &CLAIM, &IDENTITY, &["action"], &["attempt"], &["receipt"]] {
            let mut taken: Option<(&str, &Value)> = None;
            for key in keys {
                let Some(value) = row.fields.get(*key).filter(|value| !says_nothing(value)) else { continue };
                let what = format!("`{key}`: {}", one_line(&value.to_string(), 80));
                match taken {
                    _ if text(value).is_none() => self.left(row, what, "it is neither a text nor a number"),
                    None => taken = Some((*key, value)),
                    Some((first, other)) if !agree(keys, value, other) => {
                        let other = one_line(&other.to_string(), 60);
                        self.left(row, what, format!("`{first}` of the same line is read before it, and says {other}"));
                    }
                    Some(_) => {}
                }
            }
        }
        let mut times = TIME.iter().filter_map(|key| Some((key, row.fields.get(*key)?)));
        let first = times.next().and_then(|(_, value)| time(value));
        for (key, _) in times.filter(|(_, value)| !says_nothing(value) && time(value) != first) {
            self.brought.unread(self.path, row.line, key);
        }
        let read =
            [&TIME[..], &OPERATION, &CASE, &INTENTION, &CLAIM, &IDENTITY, &["action", "attempt", "receipt"]].concat();
        for key in row.fields.keys().filter(|key| !read.contains(&key.as_str())) {
            self.brought.unread(self.path, row.line, &one_line(key, 80));
        }
    }

    /// Lines that name the same attempt are about one; a line that names none is about one of its own.
    fn attempt(&mut self, row: &Row, operation: &str) {
        let attempts = &mut self.operations.entry(operation.to_owned()).or_default().attempts;
        let named = text_of(&row.fields, &["attempt"]);
        let name = named.clone().unwrap_or_else(|| format!("line {}", row.line));
        let identity = text_of(&row.fields, &IDENTITY);
        if let Some((_, first)) = attempts.iter().find(|(other, _)| *other == name) {
            let is_another = identity.is_some() && identity != *first;
            let why = "an earlier line has the same attempt, and an attempt stands in a ledger once";
            if text_of(&row.fields, &["receipt"]).is_some() {
                self.left(row, "the receipt of this line", why);
            }
            if is_another {
                self.left(row, "the identity of this line", why);
            }
            return;
        }
        attempts.push((name, identity.clone()));
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
        if let Some(identity) = identity {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn brought(lines: &str) -> Brought {
        operations("o.jsonl", lines.as_bytes(), "t").unwrap()
    }

    fn entries(brought: &Brought, entry: &str) -> Vec<Value> {
        let lines = brought.files[0].text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["entry"] == entry).collect()
    }

    /// What was left behind, each with its line.
    fn left(brought: &Brought) -> Vec<(usize, &str)> {
        let left = brought.notes.iter().filter(|note| note.kind == Kind::Left);
        left.map(|note| (note.line, note.what.as_str())).collect()
    }

    const FIRST: &str =
        r#"{"operation": "op1", "time": "2026-03-02T09:00:00Z", "case": "c1", "intention": "order a lamp"}"#;

    #[test]
    fn a_value_that_cannot_be_read_is_told_with_its_line() {
        let found =
            brought(r#"{"operation": "op1", "time": 1, "intention": {"a": 1}, "status": true, "receipt": null}"#);
        assert_eq!(left(&found), [(1, "`intention`: {\"a\":1}"), (1, "`status`: true")]);
        assert_eq!(entries(&found, "operation")[0].get("intended"), None);
    }

    #[test]
    fn claims_of_one_line_that_contradict_each_other_are_told() {
        let line = r#"{"operation": "op1", "time": 1, "claim": "done", "status": "failed", "outcome": "completed"}"#;
        let found = brought(line);
        assert_eq!(left(&found), [(1, "`status`: \"failed\"")], "`outcome` says the same as `claim`");
        assert_eq!(entries(&found, "claim")[0]["claim"], "completed");
    }

    #[test]
    fn a_line_without_a_case_belongs_to_that_of_its_operation() {
        for lines in [
            format!("{FIRST}\n{}", r#"{"operation": "op1", "time": "2026-03-02T09:01:00Z", "status": "done"}"#),
            format!("{}\n{FIRST}", r#"{"operation": "op1", "time": "2026-03-02T08:01:00Z", "action": "order"}"#),
        ] {
            let found = brought(&lines);
            let cases: Vec<Value> = entries(&found, "case").iter().map(|entry| entry["case"].clone()).collect();
            assert_eq!((cases, &entries(&found, "operation")[0]["case"]), (vec![json!("c1")], &json!("c1")), "{lines}");
        }
    }

    #[test]
    fn what_a_later_line_says_otherwise_of_an_operation_is_told() {
        let later =
            r#"{"operation": "op1", "time": "2026-03-02T09:01:00Z", "case": "c2", "intention": "order a chair"}"#;
        let found = brought(&format!("{FIRST}\n{later}"));
        assert_eq!(left(&found), [(2, "the case c2"), (2, "the intention order a chair")]);
        assert_eq!(entries(&found, "case").len(), 1, "no empty case stands there");
        assert!(left(&brought(&format!("{FIRST}\n{FIRST}"))).is_empty());
    }

    #[test]
    fn another_time_or_identity_of_what_has_one_is_told() {
        let first = r#"{"operation": "op1", "at": 1, "ts": 2, "attempt": 1, "identity": "a"}"#;
        let second = r#"{"operation": "op1", "at": 3, "ts": 3, "attempt": 1, "identity": "b"}"#;
        let found = brought(&format!("{first}\n{second}"));
        assert_eq!(left(&found), [(1, "`ts`"), (2, "the identity of this line")]);
    }
}
