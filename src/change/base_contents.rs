//! What of a base's project can be read, with everything that cannot named by its path.

use std::collections::BTreeSet;

use crate::manifest::{EarlierCases, FileSource, Severity, SideProject, load_side_beside};

use super::compare::BaseContents;

/// A base's project as far as it can be read.
pub(super) struct BaseProject {
    side: SideProject,
    unreadable: BTreeSet<String>,
}

impl BaseProject {
    pub(super) fn contents(&self) -> BaseContents<'_> {
        BaseContents {
            project_file: self.side.project_file.as_ref(),
            project_file_digest: self.side.project_file_digest.as_ref(),
            parts: &self.side.parts,
            cases: &self.side.cases,
            unreadable: &self.unreadable,
        }
    }
}

/// Reads a base's project, beside the head's cases. Errors in it are no errors here: they make everything in their file
/// count as changed.
pub(super) fn load_base(files: &dyn FileSource, head: &EarlierCases<'_>) -> BaseProject {
    let side = load_side_beside(files, head);
    let errors = side.unreadable.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let unreadable = errors.map(|diagnostic| diagnostic.path.clone()).collect();
    BaseProject { side, unreadable }
}
