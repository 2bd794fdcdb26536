//! From bytes to a checked ledger, with every error at its line.

use jiff::Timestamp;

use crate::domain::Digest;
use crate::manifest::{Diagnostic, Severity};

use super::entry::Entry;
use super::rules;

/// The most bytes of one line.
const LONGEST_LINE: usize = 65_536;

/// How much of a faulty line an error shows, in characters.
const SHOWN: usize = 160;

/// A ledger whose every line is in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    /// The digest of the file.
    pub(super) digest: Digest,
    /// The lines, in order; never empty, and the first is the only `ledger`.
    pub(super) lines: Vec<Line>,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// Its number, from 1.
    pub(super) number: usize,
    /// Its time.
    pub(super) at: Timestamp,
    /// What it says.
    pub(super) entry: Entry,
}

/// Reads a ledger. `path` is how errors name the file.
///
/// # Errors
/// One diagnostic for everything that is not in order: text that is no UTF-8, a line that is no entry, an unknown key, a bad
/// time, an identity that stands twice, an order that cannot be, a last line that was cut off.
pub fn read_ledger(path: &str, bytes: &[u8]) -> Result<Ledger, Vec<Diagnostic>> {
    let mut errors = Errors { path, found: Vec::new() };
    let mut lines = Vec::new();
    if bytes.is_empty() {
        errors.add(0, "", "the ledger is empty", "The first line has the entry `ledger`.");
    }
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if let Some(line) = read_line(index + 1, line, &mut errors) {
            lines.push(line);
        }
    }
    // What lines say of each other is only judged over what could be read, so one bad line can bring others with it; all
    // the same a reader gets everything in one go.
    rules::check(&lines, &mut errors);
    errors.found.sort_by_key(|error| error.line);
    if errors.found.is_empty() { Ok(Ledger { digest: Digest::of(bytes), lines }) } else { Err(errors.found) }
}

fn read_line(number: usize, bytes: &[u8], errors: &mut Errors<'_>) -> Option<Line> {
    let Some(content) = bytes.strip_suffix(b"\n") else {
        let shown = String::from_utf8_lossy(bytes);
        errors.add(
            number,
            &shown,
            "the last line has no line end: it was cut off",
            "Each entry is written whole, with a line end.",
        );
        return None;
    };
    if content.len() > LONGEST_LINE {
        errors.add(
            number,
            "",
            format!("the line is longer than {LONGEST_LINE} bytes"),
            "A ledger holds references, no copies.",
        );
        return None;
    }
    let text = match std::str::from_utf8(content) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("byte {} of the line is no UTF-8", error.valid_up_to() + 1);
            errors.add(number, &String::from_utf8_lossy(content), message, "A ledger is UTF-8 text.");
            return None;
        }
    };
    if text.trim().is_empty() {
        errors.add(number, text, "the line is empty", "Each line holds one entry.");
        return None;
    }
    let entry: Entry = match serde_json::from_str(text) {
        Ok(entry) => entry,
        Err(error) => {
            errors.add(number, text, plain_message(&error), "`holdpoint schema ledger` prints what an entry may hold.");
            return None;
        }
    };
    match entry.at().parse::<Timestamp>() {
        Ok(at) => Some(Line { number, at, entry }),
        Err(_) => {
            errors.add(
                number,
                text,
                format!("`at` is no time: `{}`", entry.at()),
                "Write RFC 3339: 2026-03-02T09:00:00Z.",
            );
            None
        }
    }
}

/// The parser's words without its own line number, which counts within the entry.
fn plain_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => format!("{} (column {})", &text[..end], error.column()),
        None => text,
    }
}

/// What was found wrong.
pub(super) struct Errors<'a> {
    path: &'a str,
    found: Vec<Diagnostic>,
}

impl Errors<'_> {
    /// An error on a line, with what to do about it.
    pub(super) fn add(&mut self, line: usize, source: &str, message: impl Into<String>, hint: &str) {
        self.found.push(Diagnostic {
            severity: Severity::Error,
            path: self.path.to_owned(),
            line,
            column: usize::from(line > 0),
            source_line: source.trim_end().chars().take(SHOWN).collect(),
            message: message.into(),
            hint: Some(hint.to_owned()),
        });
    }
}
