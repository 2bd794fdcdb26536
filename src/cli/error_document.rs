//! `holdpoint.error/1`: what `--json` prints where a command ends without its document, so that a reader of standard output
//! never finds nothing and takes it for no findings.

use serde::Serialize;

use crate::manifest::Diagnostic;

use super::failure::Failure;

const SCHEMA: &str = "holdpoint.error/1";

/// The document. Fields are added, never renamed or taken away.
#[derive(Debug, Serialize)]
struct ErrorDocument<'a> {
    schema: &'static str,
    exit_code: u8,
    errors: Vec<ErrorEntry<'a>>,
}

/// One error. Place and line are there where the error lies in a file of the project.
#[derive(Debug, Serialize)]
struct ErrorEntry<'a> {
    path: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    message: &'a str,
    hint: Option<&'a str>,
}

/// The document of a failure, as text.
///
/// # Errors
/// Never for texts and numbers; JSON has no form for some other values.
pub(super) fn error_document(failure: &Failure) -> Result<String, serde_json::Error> {
    let errors = match failure {
        Failure::Invalid(found) => found.iter().map(of_diagnostic).collect(),
        Failure::Other { text, hint, .. } => {
            vec![ErrorEntry { path: None, line: None, column: None, message: text, hint: hint.as_deref() }]
        }
    };
    serde_json::to_string_pretty(&ErrorDocument { schema: SCHEMA, exit_code: failure.code().number(), errors })
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
