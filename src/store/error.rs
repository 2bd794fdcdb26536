//! Why something could not be kept or read back, and what is true of what stands there then.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::domain::RunId;

use super::history;

/// Something that could not be kept, or could not be read back.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A folder or file could not be made or read.
    #[error("{}: {source}", path.display())]
    Files {
        /// The folder or file.
        path: PathBuf,
        /// The system's own words.
        source: std::io::Error,
    },
    /// A database answered with an error.
    #[error("{}: {source}", path.display())]
    Database {
        /// The database file.
        path: PathBuf,
        /// SQLite's own words.
        source: rusqlite::Error,
    },
    /// A database that a newer holdpoint wrote.
    #[error("{} has record format {found}; this holdpoint reads up to {known}. Use a newer holdpoint", path.display())]
    Newer {
        /// The database file.
        path: PathBuf,
        /// The format it has.
        found: i64,
        /// The newest format that is known.
        known: i64,
    },
    /// A record that does not read as what it must be.
    #[error("{}: the record of {what} cannot be read: {source}", path.display())]
    Content {
        /// The database file.
        path: PathBuf,
        /// What was read.
        what: String,
        /// The parser's own words.
        source: serde_json::Error,
    },
    /// A file of durations that is none.
    #[error("{}: {why}", path.display())]
    Durations {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// No run has this id, or more than one begins with it.
    #[error("{0}")]
    NoSuchRun(String),
    /// A run's record was taken away while the run went on.
    #[error("{}: the run's record was taken away while the run went on, and what it held is gone", path.display())]
    Vanished {
        /// The database file.
        path: PathBuf,
    },
    /// Another process carries the run out.
    #[error("run {0} is being carried out by another process")]
    Alive(RunId),
    /// The thread that writes the record ended before it should have.
    #[error("the record of the run could not be written to the end")]
    WriterGone,
}

/// For a disk without room and for rights that are lacking.
const ROOM: &str = "Nothing that was accepted or recorded is lost. Make room or mend the rights of that folder, then run again; \
                    a run that had begun goes on with --resume latest.";

const GONE: &str =
    "What was accepted is untouched. What was recorded there is gone and cannot be had back: begin a new run.";

impl StoreError {
    /// What to do about it, where that can be said.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoSuchRun(_) | Self::Durations { .. } => return None,
            Self::Alive(_) => "Wait for that process, or stop it; a process that was killed holds no run.".to_owned(),
            Self::Newer { .. } => "What stands in it is whole, and this holdpoint leaves it as it is.".to_owned(),
            Self::Vanished { .. } => GONE.to_owned(),
            Self::Files { source, .. } if source.kind() == ErrorKind::NotFound => GONE.to_owned(),
            Self::Files { .. } | Self::WriterGone => ROOM.to_owned(),
            Self::Content { path, .. } => damaged(path),
            Self::Database { path, source } => match source.sqlite_error_code() {
                Some(
                    ErrorCode::DiskFull
                    | ErrorCode::ReadOnly
                    | ErrorCode::CannotOpen
                    | ErrorCode::PermissionDenied
                    | ErrorCode::SystemIoFailure,
                ) => ROOM.to_owned(),
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                    "Nothing is lost: another process writes to it. Try again once that has ended.".to_owned()
                }
                _ => damaged(path),
            },
        })
    }
}

/// What a database that cannot be read held, and what may be done with it.
fn damaged(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name == history::FILE {
        return format!(
            "What was accepted and the records of runs are untouched. Delete {name} with what begins with its name: only how each case \
             ended last on this machine and the list of ended and shadow runs are lost. What did not pass the last time is then not known: \
             run `holdpoint gate --all` once."
        );
    }
    "What was accepted and other runs are untouched. A run's record cannot be mended: restore its folder from a copy if there is one, \
     or delete that folder, and begin a new run."
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database(name: &str, code: i32) -> String {
        let source = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        StoreError::Database { path: Path::new("p").join(name), source }.hint().unwrap()
    }

    #[test]
    fn each_error_says_what_is_true_of_what_stands_there() {
        for code in [rusqlite::ffi::SQLITE_CORRUPT, rusqlite::ffi::SQLITE_NOTADB] {
            assert!(database("history.sqlite", code).contains("Delete history.sqlite"));
            assert!(database("run.sqlite", code).contains("cannot be mended"));
        }
        for code in [rusqlite::ffi::SQLITE_FULL, rusqlite::ffi::SQLITE_CANTOPEN, rusqlite::ffi::SQLITE_IOERR_WRITE] {
            assert_eq!(database("run.sqlite", code), ROOM);
        }
        assert!(database("run.sqlite", rusqlite::ffi::SQLITE_BUSY).contains("another process"));
        let files = |kind: ErrorKind| StoreError::Files { path: "p".into(), source: kind.into() }.hint().unwrap();
        assert_eq!(files(ErrorKind::NotFound), GONE);
        assert_eq!(files(ErrorKind::StorageFull), ROOM);
        assert_eq!(files(ErrorKind::PermissionDenied), ROOM);
        assert_eq!(StoreError::Vanished { path: "p".into() }.hint().unwrap(), GONE);
        let newer = StoreError::Newer { path: "p".into(), found: 9, known: 2 };
        assert!(newer.to_string().contains("Use a newer holdpoint") && !newer.hint().unwrap().contains("room"));
    }
}
