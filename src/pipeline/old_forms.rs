//! Edited cases as the base has them: with the base's own probes and judging programs, against the head's workflows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::domain::{Aspect, CaseId};
use crate::manifest::{Case, Expectation, HeldCase, Probe, Project, completed_probes, project_path};

use super::PipelineError;
use super::prepare::Prepared;

/// What the old forms run with.
#[derive(Default)]
pub(super) struct OldForms {
    /// The cases that can run as the base has them.
    cases: BTreeMap<CaseId, Case>,
    /// The head's project with the base's probes; `None` where no old form needs it.
    project: Option<Project>,
    /// Why old forms cannot run that the base has.
    missing: BTreeMap<String, BTreeSet<CaseId>>,
}

/// Where the files are that old forms run with.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    /// The head's project folder.
    pub(super) head: &'a Path,
    /// A folder that does not exist yet, for a copy of the base.
    pub(super) base: &'a Path,
}

/// Cases as the head has them, each with its form at the base.
type Pairs<'a> = Vec<(&'a HeldCase, &'a HeldCase)>;

impl OldForms {
    /// Gathers the old forms of the selected cases. Where one is judged by a program that is another now, the base is
    /// written into its folder.
    pub(super) fn gather(
        prepared: &Prepared,
        environment: &BTreeMap<String, String>,
        places: Places<'_>,
    ) -> Result<Self, PipelineError> {
        let heads = &prepared.project.cases;
        let selected = prepared.plan.selected.iter().filter_map(|selected| heads.get(&selected.case));
        let with_base = selected.filter_map(|head| Some((head, prepared.changes.cases.get(&head.id)?.base.as_ref()?)));
        // Where the head no longer has the old form's workflow there is nothing to run it against; comparison then
        // finds no old form and says so.
        let workflows = &prepared.project.file.workflows;
        let (runnable, gone): (Pairs<'_>, Pairs<'_>) =
            with_base.partition(|(_, base)| workflows.contains_key(&base.workflow));
        let other = |aspect: Aspect| {
            let pairs =
                runnable.iter().filter(move |(head, base)| head.question.get(aspect) != base.question.get(aspect));
            pairs.map(|(head, _)| head.id.clone()).collect::<BTreeSet<CaseId>>()
        };
        let (probes, programs) = (other(Aspect::Probes), other(Aspect::JudgingPrograms));
        let needs_base = !programs.is_empty() || !probes.is_empty();
        let base_root = if needs_base { prepared.sides.export_base(places.base)? } else { None };
        let folders = base_root.as_deref().map(|base| Places { base, ..places });
        let mut forms = Self::default();
        gone.into_iter()
            .for_each(|(head, base)| forms.miss(&head.id, format!("the workflow {} is gone", base.workflow)));
        for (head, base) in runnable {
            match folders {
                _ if !programs.contains(&head.id) => drop(forms.cases.insert(head.id.clone(), base.open())),
                Some(folders) => drop(forms.cases.insert(head.id.clone(), judged_from(base.open(), folders))),
                // Without the base's programs the old form cannot be judged as it was.
                None => forms.miss(&head.id, "the base is no single revision that has the judging programs".to_owned()),
            }
        }
        if !probes.is_empty() {
            match old_probes(prepared, environment, folders) {
                Ok(old) => {
                    let mut project = prepared.project.clone();
                    project.file.probes = old;
                    forms.project = Some(project);
                }
                Err(why) => probes.iter().for_each(|case| forms.miss(case, why.clone())),
            }
        }
        Ok(forms)
    }

    fn miss(&mut self, case: &CaseId, why: String) {
        self.cases.remove(case);
        self.missing.entry(why).or_default().insert(case.clone());
    }

    /// A sentence for each reason why old forms could not run that the base has.
    pub(super) fn missing(&self) -> impl Iterator<Item = String> {
        self.missing.iter().map(|(why, cases)| {
            let named = cases.iter().map(CaseId::as_str).collect::<Vec<_>>().join(", ");
            format!("the old form of {named} could not run: {why}")
        })
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

/// The base's probes with the variables of now in them and their programs from the copy of the base, or why they cannot be had.
fn old_probes(
    prepared: &Prepared,
    environment: &BTreeMap<String, String>,
    folders: Option<Places<'_>>,
) -> Result<BTreeMap<String, Probe>, String> {
    let ([base], Some(folders)) = (prepared.changes.base_files.as_slice(), folders) else {
        return Err("the base is no single revision that has the probes".to_owned());
    };
    let mut probes = completed_probes(&base.probes, environment).map_err(|unset| {
        let names = Vec::from_iter(unset).join(", ");
        format!("a probe of the base needs environment variables that are not set: {names}")
    })?;
    for command in probes.values_mut().filter_map(|probe| probe.command.as_mut()) {
        redirect(&mut command.run, folders);
        command.started_in = Some(folders.base.to_owned());
    }
    Ok(probes)
}

/// The case with every program that judges it started in the copy of the base.
fn judged_from(mut case: Case, folders: Places<'_>) -> Case {
    for expectation in &mut case.expect {
        start_in_base(expectation, folders);
    }
    case
}

fn start_in_base(expectation: &mut Expectation, folders: Places<'_>) {
    if let Some(inner) = &mut expectation.not {
        start_in_base(inner, folders);
    }
    if let Some(command) = &mut expectation.command {
        redirect(&mut command.run, folders);
        command.started_in = Some(folders.base.to_owned());
    }
}

/// Names each file of a command line where it stands: in the base, or where git does not keep it, in the head's folder.
fn redirect(run: &mut [String], folders: Places<'_>) {
    for word in run {
        let in_folder = |folder: &Path| project_path(word).map(|path| folder.join(path)).filter(|file| file.is_file());
        let file = in_folder(folders.base).or_else(|| in_folder(folders.head));
        if let Some(file) = file.as_deref().and_then(Path::to_str) {
            *word = file.to_owned();
        }
    }
}
