//! What a project says of a path: whose it is, and whether it can matter at all.

use std::collections::BTreeSet;

use globset::{GlobSet, GlobSetBuilder};

use crate::manifest::{HeldCase, Part, Project, ProjectFile, compile_glob, literal_prefix, project_path};

use super::path_name::PathName;

/// The project file's path.
pub(super) const PROJECT_FILE: &str = "holdpoint.yaml";

/// What holdpoint writes by itself. A changed baseline is found by verifying it, not by a diff.
const WRITTEN: [&str; 3] = ["baselines", "reports", ".holdpoint"];

/// What a project's reports are rendered with: a change of it changes how results are shown, and none of them.
const REPORT_TEMPLATE: &str = "templates/report.html";

/// Whose a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathOwner {
    /// The project file, a manifest, a case or a fixture: comparing their contents tells what changed.
    Project,
    /// A workflow's code. A part may name the file too, and then reports it as well.
    Code,
    /// A file that a case starts to judge, and nobody's code: it is that case's change.
    Grader,
    /// A file that a manifest names.
    Part,
    /// Written by holdpoint itself.
    Written,
    /// Listed as inert, or the template of the report alone; and nobody else's.
    Inert,
    /// Nobody's: it may change anything.
    Unknown,
}

/// The paths that one or both sides of a comparison know.
pub(super) struct PathRules {
    project: BTreeSet<PathName>,
    named: BTreeSet<PathName>,
    /// The arguments with which workflows and their targets are started, as paths. They count as code where files stand there.
    programs: BTreeSet<PathName>,
    /// The same of the programs that judge.
    graders: BTreeSet<PathName>,
    code: GlobSet,
    /// The folders or files in which declared code can stand at all.
    roots: BTreeSet<String>,
    inert: GlobSet,
}

impl PathRules {
    /// Collects what a project knows. `inert` comes from the head alone; everything else from both sides.
    pub(super) fn new<'a>(
        files: impl Iterator<Item = &'a ProjectFile>,
        inert: &[String],
        parts: impl Iterator<Item = &'a Part>,
        cases: impl Iterator<Item = &'a HeldCase>,
    ) -> Self {
        let mut project = BTreeSet::from([PathName::from(PROJECT_FILE)]);
        let mut named = BTreeSet::new();
        let mut graders = BTreeSet::new();
        let mut programs = BTreeSet::new();
        let mut code: Vec<&String> = Vec::new();
        for part in parts {
            project.insert(part.path.as_str().into());
            named.extend(part.files.keys().map(|path| PathName::from(path.as_str())));
        }
        for case in cases {
            project.insert(case.path.as_str().into());
            graders.extend(case.programs().map(PathName::from));
            project.extend(case.fixtures.iter().map(|fixture| PathName::from(fixture.path.as_str())));
        }
        for file in files {
            programs.extend(program_arguments(file).map(PathName::from));
            code.extend(file.workflows.values().flat_map(|workflow| &workflow.code));
        }
        let mut roots: BTreeSet<String> = code.iter().map(|glob| literal_prefix(glob)).collect();
        roots.extend(programs.iter().chain(&graders).filter_map(PathName::as_str).map(str::to_owned));
        let (code, inert) = (glob_set(code.into_iter()), glob_set(inert.iter()));
        Self { project, named, programs, graders, code, roots, inert }
    }

    /// What one side alone knows.
    pub(super) fn of(project: &Project) -> Self {
        let file = &project.file;
        Self::new([file].into_iter(), &file.inert, project.parts.values(), project.cases.values())
    }

    /// Whether a path is declared as code: by a glob, as a program of a workflow, or as one that judges.
    pub(super) fn is_declared(&self, path: &PathName) -> bool {
        self.programs.contains(path) || self.graders.contains(path) || self.is_matched_code(path)
    }

    fn is_matched_code(&self, path: &PathName) -> bool {
        !is_written(path) && self.code.is_match(path.as_path())
    }

    /// Where declared code can stand: files, and folders with all below them. The empty text is the project's folder.
    pub(super) fn declared_roots(&self) -> impl Iterator<Item = &String> {
        self.roots.iter()
    }

    /// Whose a path is. An inert glob hides nothing that anybody else knows.
    pub(super) fn owner(&self, path: &PathName) -> PathOwner {
        let is_named = self.named.contains(path);
        if self.project.contains(path) {
            PathOwner::Project
        } else if self.programs.contains(path) {
            PathOwner::Code
        } else if self.graders.contains(path) && !self.is_matched_code(path) {
            PathOwner::Grader
        } else if !is_named && is_written(path) {
            PathOwner::Written
        } else if self.code.is_match(path.as_path()) {
            PathOwner::Code
        } else if is_named {
            PathOwner::Part
        } else if self.inert.is_match(path.as_path()) || *path == PathName::from(REPORT_TEMPLATE) {
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

/// The words with which workflows and their targets are started, each as a path from the project's folder.
fn program_arguments(file: &ProjectFile) -> impl Iterator<Item = &str> {
    let workflows = file.workflows.values().flat_map(|workflow| {
        let run = workflow.command.iter().flat_map(|command| &command.run);
        run.chain(workflow.http.iter().flat_map(|http| &http.start))
    });
    let targets = file.connectors.values().flat_map(|connector| &connector.upstream.start);
    workflows.chain(targets.flat_map(|target| &target.run)).filter_map(|word| project_path(word))
}
