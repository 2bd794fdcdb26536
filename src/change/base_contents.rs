//! What of a base's project can be read, with everything that cannot named by its path.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{CaseId, Digest, PartId};
use crate::manifest::{Case, FileSource, Part, ProjectFile};

use super::compare::BaseContents;
use super::path_rules::PROJECT_FILE;

/// A base's project as far as it can be read.
pub(super) struct BaseProject {
    project_file: Option<ProjectFile>,
    project_file_digest: Option<Digest>,
    parts: BTreeMap<PartId, Part>,
    cases: BTreeMap<CaseId, Case>,
    unreadable: BTreeSet<String>,
}

impl BaseProject {
    pub(super) fn contents(&self) -> BaseContents<'_> {
        BaseContents {
            project_file: self.project_file.as_ref(),
            project_file_digest: self.project_file_digest.as_ref(),
            parts: &self.parts,
            cases: &self.cases,
            unreadable: &self.unreadable,
        }
    }
}

/// Reads a base's project. Errors in it are no errors here: they make everything in their file count as changed.
pub(super) fn load_base(_files: &dyn FileSource) -> BaseProject {
    // Until the manifest room can load a side, nothing of it can be read, and so everything is selected.
    BaseProject {
        project_file: None,
        project_file_digest: None,
        parts: BTreeMap::new(),
        cases: BTreeMap::new(),
        unreadable: BTreeSet::from([PROJECT_FILE.to_owned()]),
    }
}
