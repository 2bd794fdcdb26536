//! From a plan to graded results: trials are executed, graded and recorded as they end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::change::{BaseKind, Snapshot};
use crate::domain::{CaseId, RunId};
use crate::evidence::Form;
use crate::execution::{Cancellation, ExecutionError, ExecutionSettings, RawObservation, Redactor, TrialSpec, execute};
use crate::grading::{CaseMutation, CaseResult, GradedTrial, GradingContext, by_case, do_nothing, grade, mutate};
use crate::manifest::{Case, Project};
use crate::selection::Mode;
use crate::store::{Pause, PlannedCase, Recorder, RunHeader, RunKind, Store, StoreError};
use crate::verdict::Interruption;

use super::old_forms::OldForms;
use super::pause_watch::PauseWatch;
use super::prepare::Prepared;
use super::{Choice, PipelineError, Request};

/// Told after each trial: how many are done, of how many, and how this one's case and status are.
pub type Progress<'a> = dyn Fn(ProgressEvent<'_>) + Sync + 'a;

/// One step forward.
#[derive(Clone, Copy, Debug)]
pub struct ProgressEvent<'a> {
    /// Trials that have ended.
    pub done: usize,
    /// Trials in all.
    pub total: usize,
    /// The trial that has just ended.
    pub trial: &'a GradedTrial,
}

/// What is to be carried out.
pub(super) struct Job<'a> {
    pub(super) request: &'a Request,
    pub(super) kind: RunKind,
    pub(super) run: &'a RunId,
    pub(super) started: &'a str,
    pub(super) prepared: &'a Prepared,
    /// The folder in which the workflow runs: the project's own, or a checkout of the head that was asked for.
    pub(super) head_root: &'a Path,
    /// The edited cases as the base has them.
    pub(super) old_forms: &'a OldForms,
    /// The head's parts in the form that a baseline records.
    pub(super) snapshot: &'a Snapshot,
    pub(super) store: &'a Store,
}

/// What came of it.
pub(super) struct Outcome {
    pub(super) results: Vec<CaseResult>,
    pub(super) old_forms: Vec<CaseResult>,
    /// What damaging the passing trials showed, by case; empty where that was not asked for.
    pub(super) mutated: Vec<CaseMutation>,
    /// The cases of which every trial was executed.
    pub(super) complete: Vec<CaseId>,
    pub(super) trials_executed: usize,
    pub(super) ending: Ending,
    pub(super) recorder: Recorder,
    /// What was known of the run before its first trial.
    pub(super) header: RunHeader,
}

/// What ended a run before its time, if anything did.
#[derive(Default)]
pub(super) struct Ending {
    pub(super) interruption: Option<Interruption>,
    /// The pause that began during the run and kept trials from starting.
    pub(super) pause: Option<Pause>,
}

/// A case in one of its forms, with the number of its trials.
struct Planned<'a> {
    case: &'a Case,
    form: Form,
    trials: u32,
}

pub(super) fn carry_out(
    job: &Job<'_>,
    cancellation: &Cancellation,
    progress: &Progress<'_>,
) -> Result<Outcome, PipelineError> {
    let planned = if job.prepared.pause.is_some() { Vec::new() } else { planned(job) };
    let header = header(job, &planned);
    let recorder = job.store.begin_run(&header)?;
    let (heads, olds): (Vec<_>, Vec<_>) = planned.iter().flat_map(specs).partition(|spec| spec.form == Form::Head);
    let cases = planned.iter().map(|planned| ((&planned.case.id, planned.form), planned.case)).collect();
    let total = heads.len() + olds.len();
    let collector = Collector { job, cases, recorder, total, progress, graded: Mutex::default() };
    let project = &job.prepared.project;
    let mut ending = execute_all(job, (project, &heads), cancellation, &collector)?;
    if ending.interruption.is_none() && !olds.is_empty() {
        ending = execute_all(job, (job.old_forms.project(project), &olds), cancellation, &collector)?;
    }
    collector.conclude(&planned, ending, header)
}

/// Answers whether the run was cancelled, or paused before every trial had been started.
fn execute_all(
    job: &Job<'_>,
    (project, specs): (&Project, &[TrialSpec<'_>]),
    cancellation: &Cancellation,
    collector: &Collector<'_>,
) -> Result<Ending, PipelineError> {
    let cancelled = || Ending { interruption: Some(Interruption::Cancelled), pause: None };
    if specs.is_empty() {
        let paused = job.prepared.pause.as_ref().map(|_| Interruption::Paused);
        let ending = Ending { interruption: paused, pause: None };
        return Ok(if cancellation.is_requested() { cancelled() } else { ending });
    }
    let watch = PauseWatch::new(job.store);
    let state_root = job.store.state_folder(job.run);
    let settings = ExecutionSettings {
        project,
        root: job.head_root,
        state_root: &state_root,
        environment: &job.request.environment,
        jobs: job.request.jobs.unwrap_or_else(processors),
        keep_state: false,
        cancellation,
        may_start: &|| watch.may_start(),
        clock: jiff::Timestamp::now,
    };
    let executed = execute(specs, &settings, &|observation| collector.take(observation));
    // What is left of the trials' state serves no one; that it cannot be removed harms no result.
    let _ = std::fs::remove_dir_all(&state_root);
    match executed {
        Ok(()) | Err(ExecutionError::Cancelled { .. }) if cancellation.is_requested() => Ok(cancelled()),
        Ok(()) => Ok(Ending::default()),
        Err(ExecutionError::Held { .. }) => {
            Ok(Ending { interruption: Some(Interruption::Paused), pause: watch.into_pause() })
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The selected cases in their head form, and those that were edited in their base form too.
fn planned<'a>(job: &Job<'a>) -> Vec<Planned<'a>> {
    let prepared = job.prepared;
    // A case says how many trials it needs to show something: more may be asked for, fewer not.
    let of_set = |case: &Case| prepared.project.file.trials(&case.set, case.trials);
    let trials = |case: &Case| job.request.trials.map_or_else(|| of_set(case), |asked| asked.max(of_set(case)));
    let mut planned = Vec::new();
    for selected in &prepared.plan.selected {
        let Some(head) = prepared.project.cases.get(&selected.case) else { continue };
        planned.push(Planned { case: head, form: Form::Head, trials: trials(head) });
        if let Some(base) = job.old_forms.case(&selected.case) {
            planned.push(Planned { case: base, form: Form::Base, trials: trials(base) });
        }
    }
    planned
}

fn specs<'a>(planned: &Planned<'a>) -> impl Iterator<Item = TrialSpec<'a>> + use<'a> {
    let Planned { case, form, trials } = *planned;
    (1..=trials).map(move |trial| TrialSpec { case, form, trial })
}

fn header(job: &Job<'_>, planned: &[Planned<'_>]) -> RunHeader {
    let prepared = job.prepared;
    let heads = planned.iter().filter(|planned| planned.form == Form::Head);
    let context = GradingContext { parts: &prepared.project.parts, texts: &prepared.project.texts };
    let cases = heads.map(|Planned { case, trials, .. }| {
        let planned = PlannedCase {
            set: case.set.clone(),
            digest: case.digest.clone(),
            question: case.question.clone(),
            trials: *trials,
            title: Some(case.title.clone()),
            workflow: Some(case.workflow.clone()),
            calls_seen: prepared.project.sees_calls_of(&case.workflow),
            do_nothing: Some(do_nothing(case, &context)),
        };
        (case.id.clone(), planned)
    });
    RunHeader {
        run: job.run.clone(),
        kind: job.kind,
        started: job.started.to_owned(),
        commit: prepared.changes.head.commit.clone(),
        fingerprint: prepared.project.fingerprint.clone(),
        snapshot: job.snapshot.clone(),
        baseline_heads: prepared.accepted.baseline.heads.clone(),
        covers: covers(job),
        paused: prepared.pause.is_some(),
        cases: cases.collect(),
        project_cases: prepared.project.cases.keys().cloned().collect(),
        imported_from: None,
    }
}

/// A run stands for the whole project where it ran everything, or all that differs from what was accepted puts at risk.
/// A base revision says nothing of what lies between the accepted parts and that revision.
fn covers(job: &Job<'_>) -> bool {
    let chosen_by_hand = matches!(job.request.choice, Choice::Named { .. });
    let against_accepted = job.prepared.changes.base_kind == BaseKind::Baseline;
    !chosen_by_hand && (job.prepared.plan.mode == Mode::All || against_accepted)
}

/// Grades and records trials as they end, from whichever thread they come.
struct Collector<'a> {
    job: &'a Job<'a>,
    cases: BTreeMap<(&'a CaseId, Form), &'a Case>,
    recorder: Recorder,
    total: usize,
    progress: &'a Progress<'a>,
    graded: Mutex<Graded>,
}

#[derive(Default)]
struct Graded {
    trials: Vec<GradedTrial>,
    mutated: Vec<CaseMutation>,
    /// The first error of the record; the run then fails, whatever its results.
    lost: Option<StoreError>,
}

impl<'a> Collector<'a> {
    fn take(&self, raw: RawObservation<'_>) {
        let observation = raw.for_grading();
        let Some(case) = self.cases.get(&(&observation.case, observation.form)) else { return };
        let project = &self.job.prepared.project;
        let context = GradingContext { parts: &project.parts, texts: &project.texts };
        let trial = grade(case, observation.clone(), &context);
        let mutated = self.mutated(case, &trial, &context, raw.redactor());
        let trial = without_secrets(trial, raw);
        let recorded = self.recorder.record(trial.clone());
        let mut graded = self.graded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = recorded {
            graded.lost.get_or_insert(error);
        }
        (self.progress)(ProgressEvent { done: graded.trials.len() + 1, total: self.total, trial: &trial });
        graded.trials.push(trial);
        graded.mutated.extend(mutated);
    }

    /// What damaging a trial shows, without secrets: names in it are the workflow's and the target's.
    fn mutated(
        &self,
        case: &Case,
        trial: &GradedTrial,
        context: &GradingContext<'_>,
        redactor: &Redactor,
    ) -> Option<CaseMutation> {
        if !self.job.request.mutate || trial.observation.form != Form::Head {
            return None;
        }
        let mutated = mutate(case, trial, context)?;
        let document = serde_json::to_value(mutated).ok()?;
        serde_json::from_value(redactor.json(&document)).ok()
    }

    fn conclude(
        mut self,
        planned: &[Planned<'a>],
        ending: Ending,
        header: RunHeader,
    ) -> Result<Outcome, PipelineError> {
        self.recorder.wait()?;
        let graded = self.graded.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(lost) = graded.lost {
            return Err(lost.into());
        }
        let trials_executed = graded.trials.len();
        let mutated = by_case(graded.mutated);
        let mut by_form: BTreeMap<(CaseId, Form), Vec<GradedTrial>> = BTreeMap::new();
        for trial in graded.trials {
            let key = (trial.observation.case.clone(), trial.observation.form);
            by_form.entry(key).or_default().push(trial);
        }
        let mut complete: BTreeSet<CaseId> = BTreeSet::new();
        let (mut results, mut old_forms) = (Vec::new(), Vec::new());
        for Planned { case, form, trials } in planned {
            let executed = by_form.remove(&(case.id.clone(), *form)).unwrap_or_default();
            if executed.is_empty() {
                continue;
            }
            if executed.len() == *trials as usize && *form == Form::Head {
                complete.insert(case.id.clone());
            }
            let result = CaseResult::of(case, *trials, executed);
            if *form == Form::Head { results.push(result) } else { old_forms.push(result) }
        }
        let complete = complete.into_iter().collect();
        Ok(Outcome { results, old_forms, mutated, complete, trials_executed, ending, recorder: self.recorder, header })
    }
}

/// Graders have seen the observation as it was; from here on nothing holds a secret.
pub(super) fn without_secrets(mut trial: GradedTrial, raw: RawObservation<'_>) -> GradedTrial {
    let redactor = raw.redactor();
    for grade in &mut trial.grades {
        grade.message = redactor.text(&grade.message).into_owned();
    }
    let checks = std::mem::take(&mut trial.claim_checks).into_iter();
    trial.claim_checks = checks.map(|(operation, check)| (redactor.operation_id(&operation), check)).collect();
    trial.observation = raw.redacted();
    trial
}
