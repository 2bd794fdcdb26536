//! What is wrong with cases that are in order: they cannot fail, they repeat each other, or nothing runs them.

mod copies;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::{CaseId, CaseStatus, FORM_RISK, RunId, WorkflowId};
use crate::evidence::{Answer, Form};
use crate::grading::{AnyAnswer, CaseMutation, GradedTrial, GradingContext, Sight, any_answer, by_case, do_nothing};
use crate::manifest::{Grader, HeldCase, Project};
use crate::selection::never_selected;
use crate::store::{RunRecord, RunStatuses, Store};

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
    /// Cases that pass whatever is answered: a sentence that has nothing to do with the question, or a value far from the right one.
    pub any_words_pass: Vec<CaseId>,
    /// Cases that say nearly the same, in pairs.
    pub near_copies: Vec<NearCopy>,
    /// The same in groups, in each of them first the case that the others are most like.
    pub near_copy_groups: Vec<Vec<CaseId>>,
    /// Cases that no change of a part would run.
    pub never_selected: Vec<CaseId>,
    /// Cases of the form of answers that no change of a part would run, but one of the code that makes the form. No finding.
    pub run_by_code_alone: Vec<CaseId>,
    /// Cases of the form of answers that ask for nothing else: any answer of that form passes. No finding.
    pub form_only: Vec<CaseId>,
    /// Cases of which no damage concerned any expectation that could have noticed it: whether they can fail is not known. No finding.
    pub graders_untried: Vec<CaseId>,
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
    let near_copies = copies::near_copies(project.cases.values());
    let mut lint = CaseLint { near_copy_groups: copies::groups(&near_copies), near_copies, ..CaseLint::default() };
    lint.sort_out_unselected(&project);
    let passes = project.cases.values().filter(|case| do_nothing(&case.open(), &context).passes());
    lint.passed_by_nothing = passes.map(|case| case.id.clone()).collect();
    let on_record = OnRecord::read(project_root, &project, &context)?;
    for case in project.cases.values() {
        lint.judge(case, &on_record);
    }
    Ok((project, lint))
}

/// What the damage to a case's trials says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// That it can fail.
    CanFail,
    /// That it cannot.
    CannotFail,
    AnyWordsPass,
    FormOnly,
    /// Nothing: no damage concerned what could have noticed it.
    Untried,
    /// Nothing: a program judges, or the case only forbids.
    NotJudged,
}

/// A case is accused only of what was tried: damage that concerned each of its expectations, and that none of them noticed.
fn shown(seen: &Seen, has_program: bool, has_fallen: bool) -> Shown {
    let damage = &seen.damage;
    let all = |sight: Sight| damage.graders.iter().all(|grader| grader.sight == sight);
    let sees = damage.graders.iter().any(|grader| grader.sight == Sight::Sees);
    let only_silence = damage.noticed == damage.noticed_silence;
    // What a program would have said of a damaged trial is not known.
    if all(Sight::NotJudged) || (has_program && (only_silence || seen.any_answer.is_some())) {
        return Shown::NotJudged;
    }
    match seen.any_answer {
        _ if has_fallen => Shown::CanFail,
        _ if damage.noticed == 0 && all(Sight::Blind) => Shown::CannotFail,
        Some(AnyAnswer::Passes) => Shown::AnyWordsPass,
        Some(AnyAnswer::OfThatForm) => Shown::FormOnly,
        None if only_silence && !sees => Shown::Untried,
        None => Shown::CanFail,
    }
}

impl CaseLint {
    /// What makes the form of an answer is the code, so a case of it needs no part whose change runs it; and where a workflow lists no
    /// part, none of its cases can have one.
    fn sort_out_unselected(&mut self, project: &Project) {
        let has_parts = |case: &HeldCase| {
            project.file.workflows.get(&case.workflow).is_some_and(|workflow| !workflow.parts.is_empty())
        };
        for case in never_selected(project).iter().filter_map(|id| project.cases.get(id)) {
            let is_of_code = case.set.as_str() == FORM_RISK || !has_parts(case);
            let list = if is_of_code { &mut self.run_by_code_alone } else { &mut self.never_selected };
            list.push(case.id.clone());
        }
    }

    /// Puts a case where the damage to its trials says.
    fn judge(&mut self, case: &HeldCase, on_record: &OnRecord) {
        let Some(seen) = on_record.seen.get(&case.id) else {
            if !on_record.ran.contains(&case.id) {
                self.never_ran.push(case.id.clone());
            }
            return self.untried.push(case.id.clone());
        };
        let list = match on_record.shown(case, seen) {
            Shown::CanFail => return,
            Shown::CannotFail => &mut self.cannot_fail,
            Shown::AnyWordsPass => &mut self.any_words_pass,
            Shown::FormOnly => &mut self.form_only,
            Shown::Untried => &mut self.graders_untried,
            Shown::NotJudged => &mut self.not_judged,
        };
        list.push(case.id.clone());
    }
}

/// What the damage to the newest trials of a case showed.
struct Seen {
    damage: CaseMutation,
    /// What passes in place of its answer, in every one of these trials.
    any_answer: Option<AnyAnswer>,
}

/// What the newest runs of this machine hold of the cases as they stand now.
#[derive(Default)]
struct OnRecord {
    /// What damaging the newest recorded trials of each case showed.
    seen: BTreeMap<CaseId, Seen>,
    /// The cases with a trial, however it ended.
    ran: BTreeSet<CaseId>,
    /// Those that failed once: they can.
    fell: BTreeSet<CaseId>,
}

impl OnRecord {
    fn read(root: &Path, project: &Project, context: &GradingContext<'_>) -> Result<Self, PipelineError> {
        let store = Store::of_project(root);
        let runs = store.runs()?;
        let newest: Vec<&RunId> = runs.iter().rev().take(RUNS_READ).collect();
        let mut found = Self::default();
        for run in &newest {
            if found.seen.len() == project.cases.len() {
                break;
            }
            found.take(&store.read_run(run)?, project, context);
        }
        for run in newest {
            found.note_falls(&store.read_statuses(run)?, project);
        }
        Ok(found)
    }

    fn note_falls(&mut self, run: &RunStatuses, project: &Project) {
        let has_failed = |status: &CaseStatus| matches!(status, CaseStatus::Failed | CaseStatus::Flaky);
        let failed = run.statuses.iter().filter(|(_, status)| has_failed(status)).map(|(id, _)| id);
        let as_it_stands = failed.filter(|id| {
            let digest = project.cases.get(*id).map(|case| &case.digest);
            digest.is_some() && run.header.cases.get(*id).map(|ran| &ran.digest) == digest
        });
        self.fell.extend(as_it_stands.cloned());
    }

    fn shown(&self, case: &HeldCase, seen: &Seen) -> Shown {
        let is_program = |graded: &Grader| matches!(graded, Grader::Command(_));
        let expect = case.open().expect;
        let has_program = expect.iter().any(|one| one.grader().is_some_and(|(grader, _)| is_program(&grader)));
        shown(seen, has_program, self.fell.contains(&case.id))
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
        let mut passing: BTreeMap<CaseId, Option<AnyAnswer>> = BTreeMap::new();
        let mut damages = Vec::new();
        for (held, trial) in as_it_ran.into_iter().filter(|(case, _)| !self.seen.contains_key(&case.id)) {
            let case = held.open();
            let Some(damage) = CaseMutation::beside(&case, trial, &answers.beside(held), context) else { continue };
            let any = any_answer(&case, trial, &damage, context);
            // One trial in which an answer matters is enough.
            passing.entry(case.id.clone()).and_modify(|least| *least = any.min(*least)).or_insert(any);
            damages.push(damage);
        }
        for damage in by_case(damages) {
            let any_answer = passing.get(&damage.case).copied().flatten();
            self.seen.insert(damage.case.clone(), Seen { damage, any_answer });
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grading::GraderChecked;

    fn seen(sights: &[Sight], noticed: usize, noticed_silence: usize, any_answer: Option<AnyAnswer>) -> Seen {
        let grader = |(expectation, sight): (usize, &Sight)| GraderChecked {
            expectation,
            grader: String::new(),
            sight: *sight,
            concerned: 0,
            noticed: 0,
        };
        let damage = CaseMutation {
            case: CaseId::from("c"),
            trials: 1,
            mutants: 9,
            noticed,
            noticed_silence,
            left_out: 0,
            survivors: Vec::new(),
            graders: sights.iter().enumerate().map(grader).collect(),
        };
        Seen { damage, any_answer }
    }

    #[test]
    fn a_case_is_accused_only_of_what_was_tried() {
        use Sight::{Blind, NotJudged, Sees, Untried};
        assert_eq!(shown(&seen(&[Blind], 0, 0, None), false, false), Shown::CannotFail);
        assert_eq!(shown(&seen(&[Untried], 0, 0, None), false, false), Shown::Untried);
        assert_eq!(shown(&seen(&[Blind, Untried], 0, 0, None), false, false), Shown::Untried);
        assert_eq!(shown(&seen(&[Untried], 1, 1, None), false, false), Shown::Untried);
        assert_eq!(shown(&seen(&[Sees], 1, 1, None), false, false), Shown::CanFail);
        assert_eq!(shown(&seen(&[NotJudged], 2, 1, None), false, false), Shown::NotJudged);
    }

    #[test]
    fn a_case_that_fell_once_can_fail_and_what_a_program_would_say_is_not_known() {
        let any = seen(&[Sight::Sees], 4, 1, Some(AnyAnswer::Passes));
        assert_eq!(shown(&any, false, false), Shown::AnyWordsPass);
        assert_eq!(shown(&any, false, true), Shown::CanFail);
        assert_eq!(shown(&any, true, false), Shown::NotJudged);
        assert_eq!(shown(&seen(&[Sight::Sees], 4, 1, Some(AnyAnswer::OfThatForm)), false, false), Shown::FormOnly);
    }
}
