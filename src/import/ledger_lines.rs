//! Lines of a `holdpoint.ledger/1`, in the order of their times.

use serde_json::{Value, json};

use crate::domain::Digest;
use crate::operations::LEDGER_SCHEMA;

/// Longest sentence of a ledger, in characters.
const SENTENCE: usize = 400;

/// A ledger that is being written.
#[derive(Debug, Default)]
pub(super) struct LedgerLines {
    /// Time, in nanoseconds since 1970, and entry.
    lines: Vec<(i128, Value)>,
}

impl LedgerLines {
    /// Adds an entry at a time.
    pub(super) fn add(&mut self, at: jiff::Timestamp, mut entry: Value) {
        entry["at"] = json!(at.to_string());
        self.lines.push((at.as_nanosecond(), entry));
    }

    /// The text of the ledger, and nothing where it has no line. Entries of one time stay in the order in which they were added.
    pub(super) fn text(mut self, workflow: &str) -> String {
        self.lines.sort_by_key(|(at, _)| *at);
        let Some(begun) = self.lines.first().map(|(_, entry)| entry["at"].clone()) else { return String::new() };
        let first = json!({"entry": "ledger", "schema": LEDGER_SCHEMA, "at": begun, "workflow": reference(workflow)});
        let lines = std::iter::once(first).chain(self.lines.into_iter().map(|(_, entry)| entry));
        lines.map(|line| format!("{line}\n")).collect()
    }
}

/// A text as a reference: a word of 1 to 120 plain characters. What has another form keeps what fits of it and gets digits of its
/// digest, so that two texts never become one reference.
pub(super) fn reference(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.:/#+-".contains(c);
    if (1..=120).contains(&text.len()) && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let kept: String = text.chars().map(|c| if is_plain(c) { c } else { '-' }).take(100).collect();
    format!("{kept}#{}", Digest::of(text.as_bytes()).short())
}

/// A text as a sentence of a ledger; none where it says nothing.
pub(super) fn sentence(text: &str) -> Option<String> {
    let line = super::case_draft::one_line(text, SENTENCE);
    (!line.is_empty()).then_some(line)
}
