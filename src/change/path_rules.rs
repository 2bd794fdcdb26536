//! What a project says of a path: whose it is, and whether it can matter at all.

use std::collections::BTreeSet;

use globset::{GlobSet, GlobSetBuilder};

use crate::manifest::{Case, Part, ProjectFile, compile_glob};

use super::path_name::PathName;

/// The project file's path.
pub(super) const PROJECT_FILE: &str = "holdpoint.yaml";

/// What holdpoint writes by itself. A changed baseline is found by verifying it, not by a diff.
const WRITTEN: [&str; 3] = ["baselines", "reports", ".holdpoint"];

/// Whose a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathOwner {
    /// The project file, a manifest, a case or a fixture: comparing their contents tells what changed.
    Project,
    /// A workflow's code. A part may name the file too, and then reports it as well.
    Code,
    /// A file that a manifest names.
    Part,
    /// Written by holdpoint itself.
    Written,
    /// Listed as inert, and nobody else's.
    Inert,
    /// Nobody's: it may change anything.
    Unknown,
}

/// The paths that one or both sides of a comparison know.
pub(super) struct PathRules {
    project: BTreeSet<PathName>,
    named: BTreeSet<PathName>,
    code: GlobSet,
    inert: GlobSet,
}

impl PathRules {
    /// Collects what a project knows. `inert` comes from the head alone; everything else from both sides.
    pub(super) fn new<'a>(
        files: impl Iterator<Item = &'a ProjectFile>,
        inert: &[String],
        parts: impl Iterator<Item = &'a Part>,
        cases: impl Iterator<Item = &'a Case>,
    ) -> Self {
        let mut project = BTreeSet::from([PathName::from(PROJECT_FILE)]);
        let mut named = BTreeSet::new();
        for part in parts {
            project.insert(part.path.as_str().into());
            named.extend(part.files.keys().map(|path| PathName::from(path.as_str())));
        }
        for case in cases {
            project.insert(case.path.as_str().into());
            project.extend(case.fixtures.iter().map(|fixture| PathName::from(fixture.path.as_str())));
        }
        let code: Vec<&String> = files.flat_map(|file| file.workflows.values()).flat_map(|flow| &flow.code).collect();
        Self { project, named, code: glob_set(code.into_iter()), inert: glob_set(inert.iter()) }
    }

    /// Whose a path is. An inert glob hides nothing that anybody else knows.
    pub(super) fn owner(&self, path: &PathName) -> PathOwner {
        let is_named = self.named.contains(path);
        if self.project.contains(path) {
            PathOwner::Project
        } else if !is_named && is_written(path) {
            PathOwner::Written
        } else if self.code.is_match(path.as_path()) {
            PathOwner::Code
        } else if is_named {
            PathOwner::Part
        } else if self.inert.is_match(path.as_path()) {
            PathOwner::Inert
        } else {
            PathOwner::Unknown
        }
    }
}

/// Whether holdpoint itself writes what lies there.
pub(super) fn is_written(path: &PathName) -> bool {
    WRITTEN.iter().any(|name| path.first_name() == PathName::from(*name))
}

/// A glob that cannot be read matches nothing: what it was to match stays unknown, and so runs everything.
fn glob_set<'a>(globs: impl Iterator<Item = &'a String>) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for glob in globs.filter_map(|glob| compile_glob(glob).ok()) {
        builder.add(glob);
    }
    builder.build().unwrap_or_else(|_| GlobSet::empty())
}
