//! The project's pause: a file, so that every process sees it, also on another machine that shares the folder.

use std::io::Write;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who paused the project, why, and since when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// Who.
    pub by: String,
    /// Why.
    pub reason: String,
    /// Since when, RFC 3339 in UTC.
    pub since: String,
}

/// A pause that could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum PauseError {
    /// The file could not be read or written.
    #[error("{}: {source}", path.display())]
    Files {
        /// The file.
        path: PathBuf,
        /// The system's own words.
        source: std::io::Error,
    },
    /// The file does not say what it must. The project then counts as paused: a stop is never lost to a bad file.
    #[error("{} cannot be read as a pause, so the project counts as paused: {source}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The parser's own words.
        source: serde_json::Error,
    },
}

/// Reads and sets the pause.
#[derive(Clone, Debug)]
pub struct PauseSwitch {
    path: PathBuf,
}

impl PauseSwitch {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    fn fail(&self, source: std::io::Error) -> PauseError {
        PauseError::Files { path: self.path.clone(), source }
    }

    /// The pause in force, if any.
    ///
    /// # Errors
    /// When the file exists and does not say who paused: callers treat that as paused.
    pub fn current(&self) -> Result<Option<Pause>, PauseError> {
        match std::fs::read(&self.path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|source| PauseError::Content { path: self.path.clone(), source }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.fail(source)),
        }
    }

    /// Pauses the project, in place of a pause that stands already: whether that may be is the caller's to decide.
    ///
    /// # Errors
    /// When the file cannot be written durably.
    pub fn turn_on(&self, pause: &Pause) -> Result<(), PauseError> {
        let folder = self.path.parent().unwrap_or(&self.path);
        std::fs::create_dir_all(folder).map_err(|source| self.fail(source))?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|source| self.fail(source))?;
        let text = serde_json::to_vec_pretty(pause)
            .map_err(|source| PauseError::Content { path: self.path.clone(), source })?;
        file.write_all(&text).map_err(|source| self.fail(source))?;
        file.as_file().sync_all().map_err(|source| self.fail(source))?;
        file.persist(&self.path).map_err(|error| self.fail(error.error))?;
        std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(|source| self.fail(source))
    }

    /// Ends the pause; answers whether there was one.
    ///
    /// # Errors
    /// When the file cannot be removed.
    pub fn turn_off(&self) -> Result<bool, PauseError> {
        match std::fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(self.fail(source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_seen_through_another_switch_until_it_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/pause.json");
        let pause = Pause { by: "Ada".into(), reason: "stock is wrong".into(), since: "2026-01-01T00:00:00Z".into() };
        PauseSwitch::new(path.clone()).turn_on(&pause).unwrap();
        assert_eq!(PauseSwitch::new(path.clone()).current().unwrap(), Some(pause));
        assert!(PauseSwitch::new(path.clone()).turn_off().unwrap());
        assert_eq!(PauseSwitch::new(path).current().unwrap(), None);
    }

    #[test]
    fn a_file_that_says_nothing_is_an_error_and_never_no_pause() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pause.json");
        std::fs::write(&path, "").unwrap();
        assert!(PauseSwitch::new(path).current().is_err());
    }
}
