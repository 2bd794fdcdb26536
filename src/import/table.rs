//! Plain CSV and JSON lines: a row is a case, its columns are the fields of the input.

use serde_json::{Value, json};

use crate::manifest::{Diagnostic, nearest};

use super::Aim;
use super::brought::{Brought, Kind, WorkflowPiece};
use super::case_draft::{CaseDraft, Expected};
use super::json_line::Line;
use super::names::{content_name, given_name, slug};
use super::reading::{csv_table, error_at, readable_lines};

/// How an expected text is held against the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchBy {
    /// The answer contains it.
    Contains,
    /// The answer is it.
    Equals,
    /// The answer contains it, whatever the letter case.
    ContainsAnyCase,
}

impl MatchBy {
    /// The expectation that one of these texts holds.
    pub(super) fn expectation(self, texts: &[String]) -> Option<Value> {
        match (self, texts) {
            (_, []) => None,
            (Self::Equals, [text]) => Some(json!({"equals": text})),
            // An answer that is one of several texts has no equal of its own.
            (Self::Equals, _) => None,
            (Self::Contains, [text]) => Some(json!({"contains": text})),
            (Self::Contains, texts) => Some(json!({"contains": {"any": texts}})),
            (Self::ContainsAnyCase, texts) => Some(json!({"contains": {"any": texts, "ignore_case": true}})),
        }
    }
}

/// Which columns mean what.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// The column of what is expected.
    pub expect: Option<String>,
    /// How it is held against the answer.
    pub match_by: MatchBy,
    /// The column of the case's id.
    pub id: Option<String>,
}

/// Brings a CSV file.
///
/// # Errors
/// When it is no CSV, or a column that was named is not there.
pub fn csv(path: &str, bytes: &[u8], aim: &Aim, options: &TableOptions) -> Result<Brought, Vec<Diagnostic>> {
    let table = csv_table(path, bytes)?;
    let names: Vec<&str> = table.columns.iter().map(String::as_str).collect();
    for wanted in [&options.expect, &options.id].into_iter().flatten() {
        if !names.contains(&wanted.as_str()) {
            let message = format!("there is no column `{wanted}`");
            let near = nearest(wanted, &names).map(|near| format!("did you mean `{near}`? "));
            let hint = format!("{}there are {}", near.unwrap_or_default(), names.join(", "));
            return Err(vec![error_at(path, 1, message, &hint)]);
        }
    }
    let row = |values: Vec<String>| table.columns.iter().cloned().zip(values.into_iter().map(Value::from)).collect();
    let rows = table.rows.iter().cloned().map(|(line, values)| Line::new(line, row(values))).collect();
    Ok(cases(path, rows, Vec::new(), aim, options))
}

/// Brings a file of JSON lines.
///
/// # Errors
/// When no line is a JSON object, or none has a key that was named.
pub fn jsonl(path: &str, bytes: &[u8], aim: &Aim, options: &TableOptions) -> Result<Brought, Vec<Diagnostic>> {
    let (rows, broken) = readable_lines(path, bytes)?;
    for wanted in [&options.expect, &options.id].into_iter().flatten() {
        if !rows.iter().any(|row| row.fields.contains_key(wanted)) {
            let names: Vec<&str> = rows.iter().flat_map(|row| row.fields.keys()).map(String::as_str).collect();
            let hint = nearest(wanted, &names).map(|near| format!("did you mean `{near}`?"));
            let hint = hint.unwrap_or_else(|| "name a key of the lines".to_owned());
            return Err(vec![error_at(path, 0, format!("no line has a key `{wanted}`"), &hint)]);
        }
    }
    Ok(cases(path, rows, broken, aim, options))
}

fn cases(path: &str, rows: Vec<Line>, broken: Vec<Diagnostic>, aim: &Aim, options: &TableOptions) -> Brought {
    let mut brought = Brought::default();
    left_lines(broken, &mut brought);
    let workflow = workflow_of(path, aim, &mut brought);
    for mut row in rows {
        brought.tally.found += 1;
        row.keep_numbers(path, &[], &mut brought);
        let expect = options.expect.as_ref().and_then(|column| row.take(column));
        let id = options.id.as_ref().and_then(|column| row.take(column)).map(|id| plain(&id));
        let Line { number: line, fields: row, .. } = row;
        let readable = row.values().find_map(Value::as_str).unwrap_or_default().to_owned();
        let id = id.filter(|id| !id.trim().is_empty());
        let given = id.as_deref().map(given_name);
        let made = content_name(&readable, &json!(row));
        let title = if readable.trim().is_empty() { format!("Row {line} of {path}") } else { readable };
        let expect = expect.filter(|value| !value.is_null() && value.as_str() != Some(""));
        let expect = expect.map(|value| expected(&value, options.match_by, line)).into_iter().collect();
        let (path, input) = (path.to_owned(), Value::Object(row));
        let draft = CaseDraft { title, workflow: workflow.as_str().into(), trials: 1, input, expect, path, line };
        match given {
            Some(given) => draft.write_under(&given, aim, &mut brought),
            None => draft.write(&made, aim, &mut brought),
        }
    }
    brought.finish()
}

/// Names each line of which nothing can come.
pub(super) fn left_lines(broken: Vec<Diagnostic>, brought: &mut Brought) {
    for error in broken {
        brought.tally.found += 1;
        brought.left_out((&error.path, error.line), "the line", error.message);
    }
}

/// What a row or sample expects: a text, one of several, or any other value that the answer must equal.
pub(super) fn expected(value: &Value, by: MatchBy, line: usize) -> Expected {
    let texts: Option<Vec<String>> = match value {
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        Value::Object(_) => None,
        one => Some(vec![plain(one)]),
    };
    let was = format!("expected: {value}");
    match (texts.as_deref().and_then(|texts| by.expectation(texts)), by, value) {
        (Some(expectation), _, _) => Expected::Mapped { expectation, was, line },
        (None, MatchBy::Equals, Value::Object(_)) => {
            Expected::Mapped { expectation: json!({"equals": value}), was, line }
        }
        _ => {
            let why =
                "what is expected is neither a text nor a list of texts that this way of matching takes".to_owned();
            Expected::Placeholder { was, why, line }
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The workflow that was asked for, or one that is begun: tests alone do not say what they test.
pub(super) fn workflow_of(path: &str, aim: &Aim, brought: &mut Brought) -> String {
    if let Some(workflow) = &aim.workflow {
        return workflow.to_string();
    }
    let stem = path.rsplit('/').next().and_then(|name| name.split('.').next()).map(slug).unwrap_or_default();
    let name = if stem.is_empty() { "imported".to_owned() } else { stem };
    brought.note(
        Kind::Left,
        (path, 0),
        format!("the workflow `{name}`"),
        "the file holds tests and not what they test: say in holdpoint.yaml how it is started",
    );
    brought.workflows.push(placeholder_workflow(&name, "The file that was imported does not say what it tests."));
    name
}

/// A workflow that is still to be connected: its program does not exist, so each of its trials is errored.
pub(super) fn placeholder_workflow(name: &str, remark: &str) -> WorkflowPiece {
    let entry = json!({"command": {"run": [format!("./connect-{name}")]}, "parts": []});
    let remarks =
        vec![remark.to_owned(), "Name the program or the service: until then every trial is errored.".to_owned()];
    WorkflowPiece { name: name.to_owned(), entry: entry.as_object().cloned().unwrap_or_default(), remarks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_case_was_numbered_is_said_as_it_is() {
        let whys = |id: Option<&str>| {
            let id = id.map(str::to_owned);
            let options = TableOptions { expect: Some("want".to_owned()), match_by: MatchBy::Contains, id };
            let aim = Aim { set: "action".into(), workflow: None };
            let brought = csv("t.csv", b"key,q,want\na,one,x\na,one,x\n", &aim, &options).unwrap();
            assert_eq!((brought.tally.brought, brought.tally.left), (2, 0), "nothing is lost");
            let numbered = brought.notes.iter().filter(|note| note.kind == Kind::Changed);
            numbered.map(|note| (note.line, note.why.clone())).collect::<Vec<_>>()
        };
        let why = "the id a is another test's already, so it became a-2: its name hangs on their order";
        assert_eq!(whys(Some("key")), [(3, why.to_owned())]);
        let [(3, why)] = &whys(None)[..] else { panic!() };
        assert!(why.starts_with("another test says the same of itself, so it became "), "{why}");
    }
}
