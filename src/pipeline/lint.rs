//! What is wrong with cases that are in order: they cannot fail, they repeat each other, or nothing runs them.

mod copies;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::{CaseId, WorkflowId};
use crate::evidence::{Answer, Form};
use crate::grading::{CaseMutation, GradedTrial, GradingContext, Sight, by_case, do_nothing};
use crate::manifest::{Grader, HeldCase, Project};
use crate::selection::never_selected;
use crate::store::{RunRecord, Store};

use super::{PipelineError, check};

pub use copies::NearCopy;

/// How many recorded runs are read for trials to damage, newest first.
const RUNS_READ: usize = 20;

/// Answers of other cases that are put in the place of a case's own.
const OTHERS: usize = 2;

/// What was found.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct CaseLint {
    /// Cases that a workflow which does nothing would pass.
    pub passed_by_nothing: Vec<CaseId>,
    /// Cases of which no damage to what was observed made a trial fail.
    pub cannot_fail: Vec<CaseId>,
    /// Cases that fall only where nothing is answered at all: any words pass them.
    pub any_words_pass: Vec<CaseId>,
    /// Cases that say nearly the same.
    pub near_copies: Vec<NearCopy>,
    /// Cases that no change of a part would run.
    pub never_selected: Vec<CaseId>,
    /// Cases without a passing trial on this machine, as they stand now: nothing could be damaged.
    pub untried: Vec<CaseId>,
    /// Those of them that have no trial at all in the newest runs on record here.
    pub never_ran: Vec<CaseId>,
    /// Cases that only a program judges, or that only forbid: neither can be asked about what never happened.
    pub not_judged: Vec<CaseId>,
}

impl CaseLint {
    /// Whether anything was found that takes from what a pass shows.
    pub fn is_clean(&self) -> bool {
        self.passed_by_nothing.is_empty()
            && self.cannot_fail.is_empty()
            && self.any_words_pass.is_empty()
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
    let passes = project.cases.values().filter(|case| do_nothing(&case.open(), &context).passes());
    lint.passed_by_nothing = passes.map(|case| case.id.clone()).collect();
    let on_record = OnRecord::read(project_root, &project, &context)?;
    for case in project.cases.values() {
        lint.judge(case, &on_record);
    }
    Ok((project, lint))
}

impl CaseLint {
    /// Puts a case where the damage to its trials says.
    fn judge(&mut self, case: &HeldCase, on_record: &OnRecord) {
        let is_program = |graded: &Grader| matches!(graded, Grader::Command(_));
        let has_program =
            || case.open().expect.iter().any(|one| one.grader().is_some_and(|(grader, _)| is_program(&grader)));
        let list = match on_record.mutated.get(&case.id) {
            None => {
                if !on_record.ran.contains(&case.id) {
                    self.never_ran.push(case.id.clone());
                }
                &mut self.untried
            }
            Some(seen) if seen.graders.iter().all(|grader| grader.sight == Sight::NotJudged) => &mut self.not_judged,
            // What a program would have said of a damaged trial is not known.
            Some(seen) if seen.noticed == seen.noticed_silence && has_program() => &mut self.not_judged,
            Some(seen) if seen.mutants > 0 && seen.noticed == 0 => &mut self.cannot_fail,
            Some(seen) if seen.noticed > 0 && seen.noticed == seen.noticed_silence => &mut self.any_words_pass,
            Some(_) => return,
        };
        list.push(case.id.clone());
    }
}

/// What the newest runs of this machine hold of the cases as they stand now.
#[derive(Default)]
struct OnRecord {
    /// What damaging the newest recorded trials of each case showed.
    mutated: BTreeMap<CaseId, CaseMutation>,
    /// The cases with a trial, however it ended.
    ran: BTreeSet<CaseId>,
}

impl OnRecord {
    fn read(root: &Path, project: &Project, context: &GradingContext<'_>) -> Result<Self, PipelineError> {
        let store = Store::of_project(root);
        let mut found = Self::default();
        for run in store.runs()?.iter().rev().take(RUNS_READ) {
            if found.mutated.len() == project.cases.len() {
                break;
            }
            found.take(&store.read_run(run)?, project, context);
        }
        Ok(found)
    }

    fn take(&mut self, record: &RunRecord, project: &Project, context: &GradingContext<'_>) {
        let of_head = || record.trials.iter().filter(|trial| trial.observation.form == Form::Head);
        let as_it_ran: Vec<(&HeldCase, &GradedTrial)> = of_head()
            .filter_map(|trial| {
                let case = project.cases.get(&trial.observation.case)?;
                let ran = record.header.cases.get(&case.id)?;
                (ran.digest == case.digest).then_some((case, trial))
            })
            .collect();
        self.ran.extend(as_it_ran.iter().map(|(case, _)| case.id.clone()));
        let answers = Answers::of(&as_it_ran);
        let new = as_it_ran.into_iter().filter(|(case, _)| !self.mutated.contains_key(&case.id));
        let mutations = by_case(
            new.filter_map(|(case, trial)| CaseMutation::beside(&case.open(), trial, &answers.beside(case), context)),
        );
        self.mutated.extend(mutations.into_iter().map(|mutation| (mutation.case.clone(), mutation)));
    }
}

/// What the cases of each workflow were answered in one run.
#[derive(Default)]
struct Answers<'a>(BTreeMap<&'a WorkflowId, BTreeMap<&'a CaseId, &'a Answer>>);

impl<'a> Answers<'a> {
    fn of(trials: &[(&'a HeldCase, &'a GradedTrial)]) -> Self {
        let mut answers = Self::default();
        for (case, trial) in trials {
            if let Some(answer) = trial.observation.last_answer() {
                answers.0.entry(&case.workflow).or_default().insert(&case.id, answer);
            }
        }
        answers
    }

    /// Answers of the cases that follow this one by name, from the first again after the last.
    fn beside(&self, case: &'a HeldCase) -> Vec<(&'a CaseId, &'a Answer)> {
        let Some(all) = self.0.get(&case.workflow) else { return Vec::new() };
        let after = all.range::<&CaseId, _>((Bound::Excluded(&case.id), Bound::Unbounded));
        let before = all.range::<&CaseId, _>((Bound::Unbounded, Bound::Excluded(&case.id)));
        after.chain(before).take(OTHERS).map(|(id, answer)| (*id, *answer)).collect()
    }
}
