//! Why no verdict could be reached.

use std::io::ErrorKind;
use std::path::PathBuf;

use crate::baseline::LedgerError;
use crate::change::ChangeError;
use crate::domain::{ExitCode, some_of};
use crate::execution::ExecutionError;
use crate::manifest::{Diagnostic, ScaffoldError};
use crate::report::HtmlError;
use crate::store::StoreError;

/// Something that ended a command before its verdict.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The project's files are not in order.
    #[error("{} errors in the project's files", .0.len())]
    Invalid(Vec<Diagnostic>),
    /// Cases were asked for that the project does not have.
    #[error("{0}")]
    NoCases(String),
    /// The base or head could not be read.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The accepted results could not be read or appended to.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A stretch of history that cannot be walked.
    #[error("{0}")]
    Range(String),
    /// A run that cannot go on as it is asked to.
    #[error("{0}")]
    Resume(String),
    /// Parts that are not one run: what is wrong, a sentence each.
    #[error("the parts cannot be put together: {}", .0.join("; "))]
    Merge(Vec<String>),
    /// An acceptance that cannot be made.
    #[error("{0}")]
    NotAcceptable(String),
    /// A case that cannot be begun.
    #[error(transparent)]
    Scaffold(#[from] ScaffoldError),
    /// A file that is new could not be written, or the folder that it belongs to not be read.
    #[error("{}: {source}", path.display())]
    NewFile {
        /// The file or the folder.
        path: PathBuf,
        /// The system's own words.
        source: std::io::Error,
    },
    /// Something that is no folder stands where a folder must be, or a link to one.
    #[error("{}: `{folder}` is no folder, and links are not followed", path.display())]
    InTheWay {
        /// The file that was to be written.
        path: PathBuf,
        /// What is in the way, below the project's folder.
        folder: String,
    },
    /// Files where a project was to begin that it would read as manifests and cases, and cannot: what is wrong with each.
    #[error("what lies below manifests/ and cases/ would be read as holdpoint's own, and cannot be: {}", some_files(.0))]
    Foreign(Vec<Diagnostic>),
    /// A project, or a file of the one that was to be written, stands there already.
    #[error("{} stands there already, and nothing is overwritten", .0.display())]
    Begun(PathBuf),
    /// The runner could not run.
    #[error(transparent)]
    Execution(#[from] ExecutionError),
    /// A record could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A report could not be made.
    #[error(transparent)]
    Html(#[from] HtmlError),
    /// The project's own templates are broken. Everything else of the run is there.
    #[error("{broken}")]
    Template {
        /// What is wrong with them.
        broken: Box<PipelineError>,
        /// The exit code of the run's verdict.
        verdict: ExitCode,
        /// The report, made with the shipped templates.
        report: PathBuf,
    },
    /// A file could not be written.
    #[error("{}: {source}", path.display())]
    Files {
        /// The file or folder.
        path: PathBuf,
        /// The system's own words.
        source: std::io::Error,
    },
}

impl PipelineError {
    /// The exit code.
    pub fn code(&self) -> ExitCode {
        match self {
            Self::Invalid(_) => ExitCode::InvalidProject,
            Self::NoCases(_) => ExitCode::NoCases,
            Self::Ledger(_) => ExitCode::Baseline,
            Self::Change(ChangeError::Head { .. }) => ExitCode::Usage,
            Self::NotAcceptable(_)
            | Self::Resume(_)
            | Self::Merge(_)
            | Self::Range(_)
            | Self::Scaffold(_)
            | Self::Begun(_)
            | Self::InTheWay { .. }
            | Self::Foreign(_)
            | Self::Store(StoreError::NoSuchRun(_) | StoreError::Alive(_) | StoreError::Durations { .. }) => {
                ExitCode::Usage
            }
            Self::Html(error) if error.is_the_projects() => ExitCode::InvalidProject,
            Self::Template { broken, .. } => broken.code(),
            _ => ExitCode::Internal,
        }
    }

    /// What to do about it, where that can be said.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Scaffold(error) => Some(error.hint().to_owned()),
            Self::Begun(_) => Some(
                "`holdpoint check` says whether the project that is here is in order; another one needs a folder of its own."
                    .to_owned(),
            ),
            Self::InTheWay { .. } => Some(
                "Nothing that exists was touched. Put what is in the way elsewhere, or the folder itself where a link stands, then try again."
                    .to_owned(),
            ),
            Self::Foreign(_) => Some(
                "Nothing was written. Move what is not holdpoint's out of these folders and mend what is, or begin in a folder of its own: \
                 `holdpoint --project NAME init`"
                    .to_owned(),
            ),
            Self::NewFile { .. } => Some(
                "Nothing that exists was touched. Put what is in the way elsewhere, or mend the rights of the folder, then try again."
                    .to_owned(),
            ),
            Self::Files { source, .. } if is_gone_or_broken(source.kind()) => Some(
                "What was accepted and what is on record is untouched. A report that is gone or damaged is made anew of the run's record: \
                 take away what is left of it, and go on with --resume RUN."
                    .to_owned(),
            ),
            Self::Files { .. } => Some(
                "Nothing that was accepted or recorded is lost. Make room or mend the rights of that folder, then run again; \
                 a run that had begun goes on with --resume latest."
                    .to_owned(),
            ),
            Self::Ledger(error) => error.hint(),
            Self::Change(error) => error.hint().map(str::to_owned),
            Self::Template { verdict, report, .. } => Some(format!(
                "The run is kept. Its own exit code would have been {}; its report is written with the shipped templates: {}",
                verdict.number(),
                report.display()
            )),
            _ => None,
        }
    }
}

/// Whether what was written is not there any more, or reads as nothing that was written.
fn is_gone_or_broken(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::InvalidData | ErrorKind::UnexpectedEof)
}

/// The first files with what is wrong with each, and how many more there are.
fn some_files(found: &[Diagnostic]) -> String {
    const MOST: usize = 3;
    let named = found.iter().map(|one| format!("{} ({})", one.path.escape_debug(), one.message));
    some_of(named, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_is_gone_is_made_anew_and_one_without_room_needs_room() {
        let hint = |kind: ErrorKind| PipelineError::Files { path: "p".into(), source: kind.into() }.hint().unwrap();
        for kind in [ErrorKind::NotFound, ErrorKind::InvalidData, ErrorKind::UnexpectedEof] {
            assert!(hint(kind).contains("made anew"), "{kind}");
        }
        for kind in [ErrorKind::StorageFull, ErrorKind::PermissionDenied] {
            assert!(hint(kind).contains("Make room"), "{kind}");
        }
        let vanished = PipelineError::from(StoreError::Vanished { path: "p".into() });
        assert!(vanished.hint().unwrap().contains("begin a new run"));
    }
}
