//! Samples of OpenAI's evals: JSON lines of `input`, a list of messages or a text, and `ideal`, a text or several.

use serde_json::{Value, json};

use crate::manifest::Diagnostic;

use super::Aim;
use super::brought::Brought;
use super::case_draft::CaseDraft;
use super::json_line::Line;
use super::names::content_name;
use super::reading::{error_at, readable_lines};
use super::table::{MatchBy, expected, left_lines, workflow_of};

/// Brings a file of samples.
///
/// # Errors
/// When no line is a JSON object with an `input`.
pub fn openai_evals(path: &str, bytes: &[u8], aim: &Aim, by: MatchBy) -> Result<Brought, Vec<Diagnostic>> {
    let (rows, mut broken) = readable_lines(path, bytes)?;
    let (rows, missing): (Vec<Line>, Vec<Line>) = rows.into_iter().partition(|row| row.fields.contains_key("input"));
    let hint = "a sample has `input` and `ideal`";
    broken.extend(missing.iter().map(|row| error_at(path, row.number, "the sample has no `input`", hint)));
    if rows.is_empty() && !broken.is_empty() {
        return Err(broken);
    }
    let mut brought = Brought::default();
    left_lines(broken, &mut brought);
    let workflow = workflow_of(path, aim, &mut brought);
    for mut row in rows {
        brought.tally.found += 1;
        row.keep_numbers(path, &[], &mut brought);
        let ideal = row.take("ideal").filter(|ideal| !ideal.is_null() && *ideal != json!([]));
        let Line { number: line, fields: row, .. } = row;
        let input = row.get("input").cloned().unwrap_or_default();
        let title = last_message(&input).unwrap_or_else(|| format!("Sample {line} of {path}"));
        let expect = ideal.map(|ideal| expected(&ideal, by, line)).into_iter().collect();
        for key in row.keys().filter(|key| *key != "input") {
            brought.unread(path, line, key);
        }
        let name = content_name(&title, &input);
        let key = if input.is_string() { "prompt" } else { "messages" };
        let draft = CaseDraft {
            title,
            workflow: workflow.as_str().into(),
            trials: 1,
            input: json!({ key: input }),
            expect,
            path: path.to_owned(),
            line,
        };
        draft.write(&name, aim, &mut brought);
    }
    Ok(brought.finish())
}

/// What was said last: it tells samples apart for a reader.
fn last_message(input: &Value) -> Option<String> {
    let text = match input {
        Value::String(text) => text.as_str(),
        Value::Array(messages) => messages.iter().rev().find_map(|message| message.get("content")?.as_str())?,
        _ => return None,
    };
    (!text.trim().is_empty()).then(|| text.to_owned())
}
