//! What is wrong with cases that are in order: they cannot fail, they repeat each other, or nothing runs them.

mod copies;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::domain::CaseId;
use crate::evidence::Form;
use crate::grading::{CaseMutation, GradingContext, Sight, by_case, do_nothing, mutate};
use crate::manifest::Project;
use crate::selection::never_selected;
use crate::store::Store;

use super::{PipelineError, check};

pub use copies::NearCopy;

/// How many recorded runs are read for trials to damage, newest first.
const RUNS_READ: usize = 20;

/// What was found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CaseLint {
    /// Cases that a workflow which does nothing would pass.
    pub passed_by_nothing: Vec<CaseId>,
    /// Cases of which no damage to what was observed made a trial fail.
    pub cannot_fail: Vec<CaseId>,
    /// Cases that say nearly the same.
    pub near_copies: Vec<NearCopy>,
    /// Cases that no change of a part would run.
    pub never_selected: Vec<CaseId>,
    /// Cases without a passing trial on this machine, as they stand now: nothing could be damaged.
    pub untried: Vec<CaseId>,
    /// Cases that only a program judges, or that only forbid: neither can be asked about what never happened.
    pub not_judged: Vec<CaseId>,
}

impl CaseLint {
    /// Whether anything was found that takes from what a pass shows.
    pub fn is_clean(&self) -> bool {
        self.passed_by_nothing.is_empty()
            && self.cannot_fail.is_empty()
            && self.near_copies.is_empty()
            && self.never_selected.is_empty()
    }
}

/// Looks the cases through. Nothing runs: the trials that are damaged are those that earlier runs recorded here.
///
/// # Errors
/// When the project is invalid, or the records of this machine cannot be read.
pub fn lint_cases(
    project_root: &Path,
    environment: &BTreeMap<String, String>,
) -> Result<(Project, CaseLint), PipelineError> {
    let (project, _) = check(project_root, environment)?;
    let context = GradingContext { parts: &project.parts, texts: &project.texts };
    let mut lint = CaseLint {
        near_copies: copies::near_copies(project.cases.values()),
        never_selected: never_selected(&project),
        ..CaseLint::default()
    };
    let passes = project.cases.values().filter(|case| do_nothing(case, &context).passes());
    lint.passed_by_nothing = passes.map(|case| case.id.clone()).collect();
    let mutated = damaged(project_root, &project, &context)?;
    for id in project.cases.keys() {
        match mutated.get(id) {
            None => lint.untried.push(id.clone()),
            Some(case) if case.graders.iter().all(|grader| grader.sight == Sight::NotJudged) => {
                lint.not_judged.push(id.clone());
            }
            Some(case) if case.mutants > 0 && case.noticed == 0 => lint.cannot_fail.push(id.clone()),
            Some(_) => {}
        }
    }
    Ok((project, lint))
}

/// What damaging the newest recorded trials of each case showed; only trials of the cases as they stand now.
fn damaged(
    project_root: &Path,
    project: &Project,
    context: &GradingContext<'_>,
) -> Result<BTreeMap<CaseId, CaseMutation>, PipelineError> {
    let store = Store::of_project(project_root);
    let mut found: BTreeMap<CaseId, CaseMutation> = BTreeMap::new();
    for run in store.runs()?.iter().rev().take(RUNS_READ) {
        if found.len() == project.cases.len() {
            break;
        }
        let record = store.read_run(run)?;
        let of_this_run = record.trials.iter().filter(|trial| trial.observation.form == Form::Head);
        let mutations = of_this_run.filter_map(|trial| {
            let case = project.cases.get(&trial.observation.case)?;
            let ran = record.header.cases.get(&case.id)?;
            let is_as_it_ran = ran.digest == case.digest && !found.contains_key(&case.id);
            is_as_it_ran.then(|| mutate(case, trial, context)).flatten()
        });
        let by_case = by_case(mutations);
        found.extend(by_case.into_iter().map(|mutation| (mutation.case.clone(), mutation)));
    }
    Ok(found)
}
