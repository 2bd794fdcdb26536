//! What an import brought, laid down: files where nothing is, and a run beside those of this machine.

use std::collections::BTreeMap;
use std::path::Path;

use crate::domain::{CaseId, RunId, TrialStatus};
use crate::grading::GradedTrial;
use crate::import::{ImportedRun, NewFile};
use crate::manifest::{DiskFiles, EntryKind, FileSource};
use crate::store::{RunHeader, RunRecord, Store};

use super::PipelineError;
use super::new_file::{require_way, write_new};

/// What became of files that were to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaidDown {
    /// Written, or in a rehearsal to be written.
    pub written: Vec<String>,
    /// There already, with the same content.
    pub there: Vec<String>,
    /// There already with another content, and left as they are.
    pub kept: Vec<String>,
}

/// Writes each file where nothing is; nothing that exists is touched, and no link is followed. A rehearsal writes nothing.
///
/// # Errors
/// When a file cannot be written, or something that is no folder stands in the way. What was written until then stays, and is
/// found there the next time.
pub fn lay_down(root: &Path, files: &[NewFile], rehearsal: bool) -> Result<LaidDown, PipelineError> {
    let disk = DiskFiles::new(root);
    let mut laid = LaidDown::default();
    for file in files {
        require_way(root, &file.path)?;
        let list = match disk.kind(&file.path) {
            Some(EntryKind::File) if disk.read(&file.path).is_ok_and(|there| there == file.text.as_bytes()) => {
                &mut laid.there
            }
            Some(_) => &mut laid.kept,
            None if rehearsal => &mut laid.written,
            None if write_new(root, &file.path, file.text.as_bytes())? => &mut laid.written,
            None => &mut laid.kept,
        };
        list.push(file.path.clone());
    }
    Ok(laid)
}

/// Records a run that another tool carried out, and answers under which id. It becomes nobody's last result, and no report is made
/// of it.
///
/// # Errors
/// When it was imported before, or cannot be written.
pub fn record_imported(root: &Path, imported: &ImportedRun) -> Result<RunId, PipelineError> {
    let store = Store::of_project(root);
    let known = store.runs()?;
    let wanted = &imported.header.run;
    let numbered = || (2_usize..).map(|number| RunId::new(format!("{wanted}-{number}")));
    let earlier = std::iter::once(wanted.clone()).chain(numbered()).take_while(|id| known.contains(id));
    // An import that was cut off is left as it is, and so is one that judged otherwise: this one stands beside it.
    for run in earlier {
        if store.read_run(&run).is_ok_and(|record| record.summary.is_some() && is_judged_alike(&record, imported)) {
            return Err(PipelineError::NotAcceptable(format!("this log was imported before, as run {run}")));
        }
    }
    let numbered = numbered();
    let free = std::iter::once(wanted.clone()).chain(numbered).find(|id| !known.contains(id));
    let header = RunHeader { run: free.unwrap_or_else(|| wanted.clone()), ..imported.header.clone() };
    let (recorder, _) = store.begin_run(&header)?;
    for trial in &imported.trials {
        recorder.record(trial, None)?;
    }
    recorder.finish(&imported.summary)?;
    Ok(header.run)
}

/// Whether each trial of a run ended as it would by this import.
fn is_judged_alike(record: &RunRecord, imported: &ImportedRun) -> bool {
    let ends = |trials: &[GradedTrial]| -> BTreeMap<(CaseId, u32), TrialStatus> {
        let end = |trial: &GradedTrial| ((trial.observation.case.clone(), trial.observation.trial), trial.status);
        trials.iter().map(end).collect()
    };
    ends(&record.trials) == ends(&imported.trials)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> NewFile {
        NewFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn nothing_that_exists_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("old.yaml"), "mine").unwrap();
        std::fs::write(folder.path().join("same.yaml"), "same").unwrap();
        let files = [file("a/b/new.yaml", "new"), file("old.yaml", "theirs"), file("same.yaml", "same")];
        let rehearsed = lay_down(folder.path(), &files, true).unwrap();
        assert!(!folder.path().join("a").exists(), "a rehearsal writes nothing");
        let laid = lay_down(folder.path(), &files, false).unwrap();
        assert_eq!(laid, rehearsed);
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            (laid.written, laid.there, laid.kept),
            (texts(&["a/b/new.yaml"]), texts(&["same.yaml"]), texts(&["old.yaml"]))
        );
        assert_eq!(std::fs::read_to_string(folder.path().join("old.yaml")).unwrap(), "mine");
        assert_eq!(std::fs::read_to_string(folder.path().join("a/b/new.yaml")).unwrap(), "new");
    }

    #[test]
    fn no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("cases")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("x"), folder.path().join("a.yaml")).unwrap();
        assert!(lay_down(folder.path(), &[file("cases/a.yaml", "new")], false).is_err());
        assert_eq!(lay_down(folder.path(), &[file("a.yaml", "new")], false).unwrap().kept, ["a.yaml"]);
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
