//! An error in a project's files, with the place, the line itself, and a hint.

use std::sync::Arc;

/// How much a diagnostic weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The project cannot be used as it is.
    Error,
    /// Allowed, and worth a look.
    Warning,
}

/// One thing that is wrong in one file. The command line renders it; this room never prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it weighs.
    pub severity: Severity,
    /// The file, relative to the project's folder, with `/` between names.
    pub path: String,
    /// Line, from 1; 0 where the whole file is meant.
    pub line: usize,
    /// Column in characters, from 1; 0 where the whole line is meant.
    pub column: usize,
    /// The text of that line, without its line end; empty where there is none.
    pub source_line: String,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// The same with a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(visible(&hint.into()));
        self
    }

    /// The same as a warning.
    #[must_use]
    pub fn as_warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// An error about the file at `path` as a whole.
    pub fn of_file(path: &str, message: impl Into<String>) -> Self {
        SourceText::new(path, "").error(0, 0, message)
    }
}

/// A file's path and text, from which its diagnostics take the line they point at.
#[derive(Clone, Debug)]
pub(super) struct SourceText {
    path: String,
    text: Arc<str>,
}

impl SourceText {
    /// The text of the file at `path`.
    pub(super) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: Arc::from(text) }
    }

    /// The file's path.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The text between two byte offsets, where they lie in it.
    pub(super) fn slice(&self, bytes: &std::ops::Range<usize>) -> Option<&str> {
        self.text.get(bytes.clone())
    }

    /// An error at this line and column.
    pub(super) fn error(&self, line: usize, column: usize, message: impl Into<String>) -> Diagnostic {
        // YAML also ends a line at a carriage return alone (YAML 1.2, section 5.4).
        let text = self.text.replace("\r\n", "\n").replace('\r', "\n");
        let source_line = line.checked_sub(1).and_then(|index| text.lines().nth(index)).unwrap_or_default();
        Diagnostic {
            severity: Severity::Error,
            path: self.path.clone(),
            line,
            column,
            source_line: source_line.to_owned(),
            message: visible(&message.into()),
            hint: None,
        }
    }
}

/// A file's own words may stand in a message; control characters in them must not reach a terminal or a CI log.
fn visible(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.to_owned();
    }
    let escaped = |character: char| {
        if character.is_control() { character.escape_default().to_string() } else { character.to_string() }
    };
    text.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_not_sent() {
        let diagnostic = Diagnostic::of_file("a.yaml", "unknown key `\u{1b}[31m\r`").with_hint("\n");
        assert_eq!(diagnostic.message, "unknown key `\\u{1b}[31m\\r`");
        assert_eq!(diagnostic.hint.as_deref(), Some("\\n"));
    }

    #[test]
    fn a_line_ends_where_yaml_ends_it() {
        let source = SourceText::new("a.yaml", "one\r\ntwo\rthree\nfour");
        let line = |number: usize| source.error(number, 1, "x").source_line;
        assert_eq!([line(0), line(1), line(2), line(3), line(4), line(5)], ["", "one", "two", "three", "four", ""]);
    }
}
