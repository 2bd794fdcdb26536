//! An error in a project's files, with the place, the line itself, and a hint.

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
