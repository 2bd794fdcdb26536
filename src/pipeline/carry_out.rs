//! From a plan to graded results: trials are executed, graded and recorded as they end.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::change::{BaseKind, Snapshot};
use crate::domain::{CaseId, Digest, RunId, in_parallel};
use crate::evidence::Form;
use crate::execution::{
    Cancellation, ExecutionError, ExecutionSettings, RawObservation, Redactor, RunDeadline, TrialSpec, execute,
};
use crate::grading::{
    CaseMutation, CaseResult, GradedTrial, GradingContext, TrialResult, by_case, cut_off, do_nothing, grade, mutate,
};
use crate::manifest::{Case, CaseOutline, CaseRef, Project};
use crate::selection::Mode;
use crate::store::{
    Asked, Kept, Pause, PlannedCase, PlannedForm, Recorder, Resumption, RunHeader, RunKind, Store, StoreError, TakeUp,
    TrialKey,
};
use crate::verdict::Interruption;

use super::old_forms::OldForms;
use super::pause_watch::PauseWatch;
use super::prepare::Prepared;
use super::publish::REPORTS_FOLDER;
use super::resume::{OnRecord, TakenUp, not_known};
use super::{Choice, PipelineError, Request, times, variables};

/// Told of each trial once it is on record: how many are done, of how many, and how this one ended.
pub type Progress<'a> = dyn Fn(ProgressEvent<'_>) + Sync + 'a;

/// One step forward.
#[derive(Clone, Copy, Debug)]
pub struct ProgressEvent<'a> {
    /// Trials that have ended.
    pub done: usize,
    /// Trials in all.
    pub total: usize,
    /// The trial that has ended, and how.
    pub trial: &'a Kept,
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
    /// The digest of the head's inert files, which the snapshot leaves out.
    pub(super) inert: &'a Digest,
    pub(super) store: &'a Store,
    /// What is on record, where the run goes on.
    pub(super) on_record: Option<&'a OnRecord>,
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
    pub(super) left_running: LeftRunning,
    pub(super) ending: Ending,
    pub(super) recorder: Recorder,
    /// What was known of the run before its first trial.
    pub(super) header: RunHeader,
    /// The times that it went on, oldest first.
    pub(super) resumptions: Vec<Resumption>,
}

/// The trials after which processes were ended that had been left running.
#[derive(Default)]
pub(super) struct LeftRunning {
    pub(super) trials: usize,
    /// The case of the first.
    pub(super) first: Option<CaseId>,
}

/// What ended a run before its time, if anything did.
#[derive(Default)]
pub(super) struct Ending {
    pub(super) interruption: Option<Interruption>,
    /// The pause that began during the run and kept trials from starting.
    pub(super) pause: Option<Pause>,
}

/// A case in one of its forms, with the number of its trials.
pub(super) struct Planned<'a> {
    pub(super) case: CaseRef<'a>,
    pub(super) form: Form,
    pub(super) trials: u32,
}

pub(super) fn carry_out(
    job: &Job<'_>,
    cancellation: &Cancellation,
    progress: &Progress<'_>,
) -> Result<Outcome, PipelineError> {
    cancellation.begin();
    let nothing_runs = job.prepared.pause.is_some() && job.on_record.is_none();
    let planned = if nothing_runs { Vec::new() } else { planned(job) };
    let header = header(job, &planned);
    let taken = job.on_record.map(|on_record| on_record.take_up(job, &planned)).transpose()?.unwrap_or_default();
    require_room(job, &planned, &taken)?;
    let goes_on = job.on_record.is_some_and(OnRecord::is_the_run_itself);
    let (recorder, kept) = match taken.resumptions.last().filter(|_| goes_on) {
        None => job.store.begin_run(&header)?,
        Some(resumption) => job.store.take_up_run(TakeUp { header: &header, anew: &taken.set_aside, resumption })?,
    };
    let is_open = |spec: &TrialSpec<'_>| !taken.is_settled(&key(spec));
    let (heads, olds): (Vec<_>, Vec<_>) =
        planned.iter().flat_map(specs).filter(is_open).partition(|spec| spec.form == Form::Head);
    let already = taken.kept.len();
    let total = heads.len() + olds.len() + already + taken.copied.len();
    let collector = Collector { job, recorder, graded: Mutex::default() };
    std::thread::scope(|scope| {
        // What is on disk is told, and nothing else: a trial that was told of is never lost.
        scope.spawn(move || {
            for (trial, done) in kept.iter().zip(already + 1..) {
                progress(ProgressEvent { done, total, trial: &trial });
            }
        });
        // Moved in, so that the record is closed, and the last trial told of, whatever happens in here.
        let mut collector = collector;
        let resumptions = collector.take_over(taken)?;
        let project = &job.prepared.project;
        let stop = Stop { cancellation, deadline: RunDeadline::begin(project.file.run_timeout_s) };
        let mut ending = execute_all(job, (project, &heads), stop, &collector)?;
        if ending.interruption.is_none() && !olds.is_empty() {
            ending = execute_all(job, (job.old_forms.project(project), &olds), stop, &collector)?;
        }
        collector.conclude(&planned, ending, header, resumptions)
    })
}

/// Stops before any trial where the disk has no room for what they would leave.
fn require_room(job: &Job<'_>, planned: &[Planned<'_>], taken: &TakenUp) -> Result<(), PipelineError> {
    let reported: usize = planned.iter().map(|planned| planned.trials as usize).sum();
    if reported == 0 {
        return Ok(());
    }
    let recorded = reported.saturating_sub(taken.kept.len());
    let reports = job.request.project_root.join(REPORTS_FOLDER);
    match job.store.lacking_room(job.run, recorded, (&reports, reported)) {
        None => Ok(()),
        Some((path, sentence)) => {
            Err(PipelineError::Files { path, source: std::io::Error::new(std::io::ErrorKind::StorageFull, sentence) })
        }
    }
}

fn key(spec: &TrialSpec<'_>) -> TrialKey {
    TrialKey { case: spec.case.id.clone(), form: spec.form, number: spec.trial }
}

/// What can end a run from outside, beside a pause.
#[derive(Clone, Copy)]
struct Stop<'a> {
    cancellation: &'a Cancellation,
    deadline: Option<RunDeadline>,
}

/// Answers whether the run was cancelled, or paused or out of time before every trial had been started.
fn execute_all(
    job: &Job<'_>,
    (project, specs): (&Project, &[TrialSpec<'_>]),
    Stop { cancellation, deadline }: Stop<'_>,
    collector: &Collector<'_>,
) -> Result<Ending, PipelineError> {
    let cancelled = || Ending { interruption: Some(Interruption::Cancelled), pause: None };
    if specs.is_empty() {
        let paused = job.prepared.pause.as_ref().map(|_| Interruption::Paused);
        let ending = Ending { interruption: paused, pause: None };
        return Ok(if cancellation.is_requested() { cancelled() } else { ending });
    }
    let watch = PauseWatch::new(job.store);
    let is_over = || deadline.is_some_and(|deadline| deadline.is_over());
    let state_root = job.store.state_folder(job.run);
    let settings = ExecutionSettings {
        project,
        root: job.head_root,
        state_root: &state_root,
        environment: &job.request.environment,
        jobs: job.request.jobs.unwrap_or_else(processors),
        keep_state: false,
        cancellation,
        may_start: &|spec| !is_over() && watch.may_start() && collector.may_start(project, spec),
        deadline,
        clock: jiff::Timestamp::now,
    };
    let executed = execute(specs, &settings, &|observation| collector.take(observation));
    // What is left of the trials' state serves no one; that it cannot be removed harms no result.
    let _ = std::fs::remove_dir_all(&state_root);
    match executed {
        Ok(()) | Err(ExecutionError::Cancelled { .. }) if cancellation.is_requested() => Ok(cancelled()),
        Ok(()) => Ok(Ending::default()),
        Err(ExecutionError::Held { .. }) => {
            let pause = watch.into_pause();
            let out_of_time = deadline.filter(|deadline| pause.is_none() && deadline.is_over());
            let limit = out_of_time.map(|deadline| Interruption::TimeLimit { seconds: deadline.seconds() });
            Ok(Ending { interruption: limit.or(Some(Interruption::Paused)), pause })
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
    let of_set = |case: &CaseOutline| prepared.project.file.trials(&case.set, case.trials);
    let trials = |case: &CaseOutline| job.request.trials.map_or_else(|| of_set(case), |asked| asked.max(of_set(case)));
    let mut planned = Vec::new();
    for selected in &prepared.plan.selected {
        let Some(head) = prepared.project.cases.get(&selected.case) else { continue };
        planned.push(Planned { case: head.into(), form: Form::Head, trials: trials(head) });
        if let Some(base) = job.old_forms.case(&selected.case) {
            planned.push(Planned { case: base.into(), form: Form::Base, trials: trials(base) });
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
    let old_forms: BTreeMap<&CaseId, PlannedForm> = planned
        .iter()
        .filter(|planned| planned.form == Form::Base)
        .map(|Planned { case, trials, .. }| {
            let case = case.outline();
            let form = PlannedForm { digest: case.digest.clone(), question: case.question.clone(), trials: *trials };
            (&case.id, form)
        })
        .collect();
    let heads: Vec<&Planned<'_>> = planned.iter().filter(|planned| planned.form == Form::Head).collect();
    let context = GradingContext { parts: &prepared.project.parts, texts: &prepared.project.texts };
    let of_nothing = in_parallel(&heads, |planned| do_nothing(&planned.case.open(), &context));
    let cases = heads.into_iter().zip(of_nothing).map(|(Planned { case, trials, .. }, do_nothing)| {
        let planned = PlannedCase {
            set: case.set.clone(),
            digest: case.digest.clone(),
            question: case.question.clone(),
            trials: *trials,
            title: Some(case.title.clone()),
            workflow: Some(case.workflow.clone()),
            calls_seen: prepared.project.sees_calls_of(&case.workflow),
            do_nothing: Some(do_nothing),
            old_form: old_forms.get(&case.id).cloned(),
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
        inert: Some(job.inert.clone()),
        baseline_heads: prepared.accepted.baseline.heads.clone(),
        covers: covers(job),
        paused: prepared.pause.is_some() && planned.is_empty(),
        cases: cases.collect(),
        project_cases: prepared.project.cases.keys().cloned().collect(),
        imported_from: None,
        asked: Some(asked(job)),
        passed: Some(variables::passed(&prepared.project, &job.request.environment)),
        part: prepared.part.as_ref().map(|part| part.of.clone()),
        merged_from: job.on_record.map(OnRecord::merged_from).unwrap_or_default(),
    }
}

/// What was asked for, for a run that is cut off.
fn asked(job: &Job<'_>) -> Asked {
    let Job { request, prepared, .. } = job;
    // A run that goes on may have looked another way to find the same commits again.
    if let Some(asked) = job.on_record.and_then(|on_record| on_record.asked()) {
        return asked.clone();
    }
    Asked {
        base: request.base.clone(),
        head: request.head.clone(),
        base_commit: prepared.changes.base.commit.clone(),
        choice: request.choice.clone(),
        expected_heads: request.expected_heads.clone(),
        trials: request.trials,
        mutate: request.mutate,
        not_passed: prepared.not_passed.clone(),
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
    recorder: Recorder,
    graded: Mutex<Graded>,
}

#[derive(Default)]
struct Graded {
    trials: BTreeMap<(CaseId, Form), Vec<TrialResult>>,
    trials_executed: usize,
    mutated: Vec<CaseMutation>,
    left_running: LeftRunning,
    /// The first error of the record; the run then fails, whatever its results.
    lost: Option<StoreError>,
}

/// What is kept of a trial, and where.
fn kept(trial: &GradedTrial) -> ((CaseId, Form), TrialResult) {
    ((trial.observation.case.clone(), trial.observation.form), TrialResult::of(trial))
}

impl Graded {
    /// Keeps what is looked at later. The evidence is on record, and is read from there.
    fn add(&mut self, (place, result): ((CaseId, Form), TrialResult), mutated: Option<CaseMutation>) {
        // Most cases have a single trial.
        self.trials.entry(place).or_insert_with(|| Vec::with_capacity(1)).push(result);
        self.trials_executed += 1;
        self.mutated.extend(mutated);
    }
}

impl<'a> Collector<'a> {
    fn take(&self, raw: RawObservation<'_>) {
        let (case, left_running) = (raw.case(), raw.left_running());
        let (observation, redactor) = raw.for_grading();
        let project = &self.job.prepared.project;
        let context = GradingContext { parts: &project.parts, texts: &project.texts };
        let trial = self.left_open(case, grade(case, observation, &context));
        let mutated = self.mutated(case, &trial, &context, redactor);
        let trial = without_secrets(trial, redactor);
        let recorded = self.recorder.record(&trial, mutated.as_ref());
        let kept = kept(&trial);
        let mut graded = self.graded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = recorded {
            graded.lost.get_or_insert(error);
        }
        if left_running {
            graded.left_running.trials += 1;
            graded.left_running.first.get_or_insert_with(|| case.id.clone());
        }
        graded.add(kept, mutated);
    }

    /// A trial that was ended at once leaves open what it did to a target that outlives it.
    fn left_open(&self, case: &Case, trial: GradedTrial) -> GradedTrial {
        let job = self.job;
        let project = match trial.observation.form {
            Form::Head => &job.prepared.project,
            Form::Base => job.old_forms.project(&job.prepared.project),
        };
        if !project.outlives_trials(&case.workflow) {
            return trial;
        }
        let not_known = || format!(", {}", not_known(job, &case.id));
        cut_off(trial, not_known)
    }

    /// Counts what an earlier process of this run has left, and records what it did not: trials that are held since, or that
    /// come from the records of parts. Answers what is
    /// said of that.
    fn take_over(&mut self, taken: TakenUp) -> Result<Vec<Resumption>, PipelineError> {
        let graded = self.graded.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (trial, mutation) in taken.copied {
            self.recorder.record(&trial, mutation.as_ref())?;
            graded.add(kept(&trial), mutation);
        }
        for (trial, mutation) in taken.kept {
            graded.add(kept(&trial), mutation);
        }
        Ok(taken.resumptions)
    }

    /// Whether a trial may start: not once the record is lost, and on a target that outlives it not before its start is
    /// on record.
    fn may_start(&self, project: &Project, spec: &TrialSpec<'_>) -> bool {
        if self.graded.lock().unwrap_or_else(PoisonError::into_inner).lost.is_some() {
            return false;
        }
        if !project.outlives_trials(&spec.case.workflow) {
            return true;
        }
        match self.recorder.starting(key(spec), times::now()) {
            Ok(()) => true,
            Err(error) => {
                self.graded.lock().unwrap_or_else(PoisonError::into_inner).lost.get_or_insert(error);
                false
            }
        }
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
        resumptions: Vec<Resumption>,
    ) -> Result<Outcome, PipelineError> {
        self.recorder.wait()?;
        let graded = self.graded.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(lost) = graded.lost {
            return Err(lost.into());
        }
        let mutated = by_case(graded.mutated);
        let (mut by_form, trials_executed) = (graded.trials, graded.trials_executed);
        let left_running = graded.left_running;
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
        let recorder = self.recorder;
        Ok(Outcome {
            results,
            old_forms,
            mutated,
            complete,
            trials_executed,
            left_running,
            ending,
            recorder,
            header,
            resumptions,
        })
    }
}

/// Graders have seen the observation as it was; from here on nothing holds a secret.
pub(super) fn without_secrets(trial: GradedTrial, redactor: &Redactor) -> GradedTrial {
    let GradedTrial { observation, mut grades, claim_checks, status } = trial;
    for grade in &mut grades {
        if let Cow::Owned(redacted) = redactor.text(&grade.message) {
            grade.message = redacted;
        }
    }
    let checks = claim_checks.into_iter();
    let claim_checks = checks.map(|(operation, check)| (redactor.operation_id(&operation), check)).collect();
    GradedTrial { observation: redactor.observation(observation), grades, claim_checks, status }
}
