//! Why a command could not do what it was asked to, with its exit code.

use crate::domain::ExitCode;
use crate::manifest::{Diagnostic, nearest};
use crate::pipeline::PipelineError;
use crate::store::StoreError;

use super::console::{BAD, Console, paint};
use super::diagnostics;

/// A command that ended without a result.
#[derive(Debug)]
pub(super) enum Failure {
    /// The project's files are not in order.
    Invalid(Vec<Diagnostic>),
    /// Another file is not what it must be: what is wrong with it, and what that comes to.
    Unreadable { found: Vec<Diagnostic>, text: String },
    /// Anything else: the code, what happened, and what to do about it.
    Other { code: ExitCode, text: String, hint: Option<String> },
}

impl Failure {
    pub(super) fn internal(text: impl Into<String>) -> Self {
        Self::Other { code: ExitCode::Internal, text: text.into(), hint: None }
    }

    pub(super) fn usage(text: impl Into<String>) -> Self {
        Self::Other { code: ExitCode::Usage, text: text.into(), hint: None }
    }

    /// A name on the command line that is not known: the nearest one is offered, or `otherwise`.
    pub(super) fn unknown(text: String, word: &str, names: &[&str], otherwise: impl Into<String>) -> Self {
        let near = nearest(word, names).map(|near| format!("Did you mean `{near}`?"));
        Self::Other { code: ExitCode::Usage, text, hint: Some(near.unwrap_or_else(|| otherwise.into())) }
    }

    pub(super) fn code(&self) -> ExitCode {
        match self {
            Self::Invalid(_) | Self::Unreadable { .. } => ExitCode::InvalidProject,
            Self::Other { code, .. } => *code,
        }
    }

    pub(super) fn show(&self, console: &Console) {
        match self {
            Self::Invalid(found) => {
                diagnostics::show(console, found);
                let count = found.len();
                let errors = if count == 1 { "1 error".to_owned() } else { format!("{count} errors") };
                console.complain(format!("{}: {errors} in the project's files; nothing ran", paint(BAD, "invalid")));
            }
            Self::Unreadable { found, text } => {
                diagnostics::show(console, found);
                console.complain(format!("{}: {text}", paint(BAD, "error")));
            }
            Self::Other { text, hint, .. } => {
                console.complain(format!("{}: {text}", paint(BAD, "error")));
                if let Some(hint) = hint {
                    console.complain(format!("  {hint}"));
                }
            }
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        PipelineError::from(error).into()
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::internal(error.to_string())
    }
}

impl From<PipelineError> for Failure {
    fn from(error: PipelineError) -> Self {
        match error {
            PipelineError::Invalid(diagnostics) => Self::Invalid(diagnostics),
            other => Self::Other { code: other.code(), text: other.to_string(), hint: other.hint() },
        }
    }
}
