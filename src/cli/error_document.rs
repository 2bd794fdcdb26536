//! `holdpoint.error/1`: what `--json` prints where a command ends without its document, so that a reader of standard output
//! never finds nothing and takes it for no findings.

use schemars::JsonSchema;
use serde::Serialize;

use crate::manifest::Diagnostic;

use super::failure::Failure;

pub(super) const ERROR_SCHEMA: &str = "holdpoint.error/1";

/// The document. Fields are added, never renamed or taken away.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ErrorDocument<'a> {
    /// `holdpoint.error/1`.
    schema: &'static str,
    /// The exit code with which the command ended.
    exit_code: u8,
    /// The errors; never none.
    errors: Vec<ErrorEntry<'a>>,
}

/// One error. Place and line are there where the error lies in a file of the project, or in one that was to be imported.
#[derive(Debug, Serialize, JsonSchema)]
struct ErrorEntry<'a> {
    /// The file.
    path: Option<&'a str>,
    /// The line, from 1.
    line: Option<usize>,
    /// The column, from 1.
    column: Option<usize>,
    /// What is wrong.
    message: &'a str,
    /// What to do about it.
    hint: Option<&'a str>,
}

/// The document of a failure, as text.
///
/// # Errors
/// Never for texts and numbers; JSON has no form for some other values.
pub(super) fn error_document(failure: &Failure) -> Result<String, serde_json::Error> {
    let errors = match failure {
        // Of a file in which nothing is named the text is all that there is to say: an error document is never without errors.
        Failure::Unreadable { found, text } if found.is_empty() => {
            vec![ErrorEntry { path: None, line: None, column: None, message: text, hint: None }]
        }
        Failure::Invalid(found) | Failure::Unreadable { found, .. } => found.iter().map(of_diagnostic).collect(),
        Failure::Other { text, hint, .. } => {
            vec![ErrorEntry { path: None, line: None, column: None, message: text, hint: hint.as_deref() }]
        }
    };
    serde_json::to_string_pretty(&ErrorDocument { schema: ERROR_SCHEMA, exit_code: failure.code().number(), errors })
}

fn of_diagnostic(diagnostic: &Diagnostic) -> ErrorEntry<'_> {
    let place = |number: usize| (number > 0).then_some(number);
    ErrorEntry {
        path: Some(&diagnostic.path),
        line: place(diagnostic.line),
        column: place(diagnostic.column),
        message: &diagnostic.message,
        hint: diagnostic.hint.as_deref(),
    }
}
