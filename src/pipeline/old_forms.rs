//! Edited cases as the base has them: with the base's own probes and judging programs, against the head's workflows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::domain::{Aspect, CaseId};
use crate::manifest::{Case, Expectation, Project, project_path};

use super::PipelineError;
use super::prepare::Prepared;

/// What the old forms run with.
#[derive(Default)]
pub(super) struct OldForms {
    /// The cases that can run as the base has them.
    cases: BTreeMap<CaseId, Case>,
    /// The head's project with the base's probes; `None` where no old form needs it.
    project: Option<Project>,
}

impl OldForms {
    /// Gathers the old forms of the selected cases. Where one is judged by a program that is another now, the base is
    /// written into `folder`, which must not exist yet.
    pub(super) fn gather(prepared: &Prepared, folder: &Path) -> Result<Self, PipelineError> {
        let heads = &prepared.project.cases;
        let selected = prepared.plan.selected.iter().filter_map(|selected| heads.get(&selected.case));
        let with_base = selected.filter_map(|head| Some((head, prepared.changes.cases.get(&head.id)?.base.as_ref()?)));
        // Where the head no longer has the old form's workflow there is nothing to run it against; comparison then
        // finds no old form and says so.
        let workflows = &prepared.project.file.workflows;
        let runnable: Vec<(&Case, &Case)> =
            with_base.filter(|(_, base)| workflows.contains_key(&base.workflow)).collect();
        let other = |aspect: Aspect| {
            let pairs =
                runnable.iter().filter(move |(head, base)| head.question.get(aspect) != base.question.get(aspect));
            pairs.map(|(head, _)| head.id.clone()).collect::<BTreeSet<CaseId>>()
        };
        let (probes, programs) = (other(Aspect::Probes), other(Aspect::JudgingPrograms));
        let base_root = if programs.is_empty() { None } else { prepared.sides.export_base(folder)? };
        let mut forms = Self::default();
        for (head, base) in runnable {
            let form = match &base_root {
                _ if !programs.contains(&head.id) => Some(base.clone()),
                Some(root) => Some(judged_from(base, root)),
                // Without the base's programs the old form cannot be judged as it was.
                None => None,
            };
            forms.cases.extend(form.map(|form| (head.id.clone(), form)));
        }
        if let [base_file] = prepared.changes.base_files.as_slice()
            && !probes.is_empty()
        {
            let mut project = prepared.project.clone();
            project.file.probes = base_file.probes.clone();
            forms.project = Some(project);
        } else {
            forms.cases.retain(|id, _| !probes.contains(id));
        }
        Ok(forms)
    }

    /// The old form of a case, where it can run.
    pub(super) fn case(&self, id: &CaseId) -> Option<&Case> {
        self.cases.get(id)
    }

    /// The project that old forms run in.
    pub(super) fn project<'a>(&'a self, head: &'a Project) -> &'a Project {
        self.project.as_ref().unwrap_or(head)
    }
}

/// The case with every program file that judges it taken from below `root`.
fn judged_from(case: &Case, root: &Path) -> Case {
    let mut case = case.clone();
    for expectation in &mut case.expect {
        redirect(expectation, root);
    }
    case
}

fn redirect(expectation: &mut Expectation, root: &Path) {
    if let Some(inner) = &mut expectation.not {
        redirect(inner, root);
    }
    for word in expectation.command.iter_mut().flat_map(|command| &mut command.run) {
        let file = project_path(word).map(|path| root.join(path)).filter(|file| file.is_file());
        if let Some(file) = file.as_deref().and_then(Path::to_str) {
            *word = file.to_owned();
        }
    }
}
