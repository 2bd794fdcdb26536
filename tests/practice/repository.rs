//! The repository's own project in a repository of its own, in which one part is changed and the gate's selection is asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use holdpoint::change::{Sides, SidesRequest};
use holdpoint::domain::{CaseId, CaseStatus, WorkflowId};
use holdpoint::manifest::{PartKind, Project, load_project};
use holdpoint::selection::{Inherited, Mode, PlanRequest, plan};
use tempfile::TempDir;

/// The project, committed.
pub(crate) struct Repository {
    folder: TempDir,
}

impl Repository {
    /// A copy of everything but the code of the program.
    pub(crate) fn new() -> Self {
        let repository = Self { folder: TempDir::new().unwrap() };
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        for name in ["holdpoint.yaml", "manifests", "cases", "practice"] {
            copy(&own.join(name), &repository.path(name));
        }
        for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "begin"]] {
            let mut command = Command::new("git");
            command.current_dir(repository.folder.path()).args(arguments).env_clear();
            command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", repository.folder.path());
            for role in ["AUTHOR", "COMMITTER"] {
                command
                    .env(format!("GIT_{role}_NAME"), "Tester")
                    .env(format!("GIT_{role}_EMAIL"), "tester@example.org");
            }
            assert!(command.status().unwrap().success(), "git {arguments:?}");
        }
        repository
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Switches a defect on in the manifest of this part, or else of the workflow's first part of this kind, and gives the
    /// project as it is then with the cases alone that the selection picks for that change.
    pub(crate) fn selected_for(&self, workflow: &str, kind: PartKind, part: Option<&str>, defect: &str) -> Project {
        let sound = self.project();
        let parts = &sound.file.workflows[&WorkflowId::from(workflow)].parts;
        let of_kind = sound.parts.values().filter(|found| found.kind == kind && parts.contains(&found.id));
        let part = of_kind.into_iter().find(|found| part.is_none_or(|id| found.id.as_str() == id)).unwrap();
        let manifest = self.path(&part.path);
        let text = fs::read_to_string(&manifest).unwrap();
        let changed = match text.split_once("\nsettings: {") {
            Some((before, after)) => format!("{before}\nsettings: {{defect: {defect}, {after}"),
            None => format!("{text}settings: {{defect: {defect}}}\n"),
        };
        fs::write(&manifest, changed).unwrap();
        let (mut project, selected) = self.planned();
        fs::write(&manifest, text).unwrap();
        project.cases.retain(|id, case| selected.contains(id) && case.workflow.as_str() == workflow);
        project
    }

    fn project(&self) -> Project {
        let files = holdpoint::manifest::DiskFiles::new(self.folder.path());
        load_project(&files, &BTreeMap::new()).unwrap_or_else(|found| panic!("{found:#?}")).project
    }

    /// The working tree's project, and what the change since the commit selects where every case was accepted as passed.
    fn planned(&self) -> (Project, BTreeSet<CaseId>) {
        let environment = BTreeMap::new();
        let sides = Sides::resolve(SidesRequest {
            project_root: self.folder.path(),
            base: Some("HEAD"),
            head: None,
            environment: &environment,
            has_accepted: true,
        })
        .unwrap();
        let project =
            load_project(sides.head_files(), &environment).unwrap_or_else(|found| panic!("{found:#?}")).project;
        let changes = sides.changes(&project, None).unwrap();
        let accepted = |case: &holdpoint::manifest::HeldCase| Inherited {
            record: case.digest.clone(),
            accepted: String::new(),
            acceptances_since: 0,
            status: CaseStatus::Passed,
            digest: case.digest.clone(),
            judged_otherwise: false,
        };
        let known = project.cases.values().map(|case| (case.id.clone(), accepted(case))).collect();
        let request = PlanRequest { has_baseline: true, ..PlanRequest::default() };
        let plan = plan(&changes, &project, &known, &BTreeMap::new(), &request);
        assert_eq!(plan.mode, Mode::Selective, "{}", plan.mode_reason);
        assert!(!plan.excluded.is_empty(), "a selection of everything shows nothing");
        let selected = plan.selected.into_iter().map(|selected| selected.case).collect();
        (project, selected)
    }
}

fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}
