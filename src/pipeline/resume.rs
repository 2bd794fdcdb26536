//! A run that goes on after it was cut off: what it had finished counts as it is, and the rest is done.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::Snapshot;
use crate::domain::{CaseId, PartId, RunId, counted, some_of};
use crate::evidence::{ErrorKind, Form, Observation, TrialError};
use crate::execution::Cancellation;
use crate::grading::{CaseMutation, GradedTrial, held};
use crate::manifest::HeldCase;
use crate::report::ReportDocument;
use crate::selection::{Excluded, Selected, SelectionReason};
use crate::store::{Asked, Resumption, RunHeader, RunKind, RunStatuses, Store, TrialKey, UnfinishedRun};

use super::carry_out::{Job, Planned, Progress};
use super::merge::{MergedParts, require_own};
use super::parts::divided_as_recorded;
use super::prepare::{Prepared, prepare_after};
use super::{
    Begun, Choice, Concluded, PartRequest, PipelineError, Request, conclude_begun, leftovers, project_option, publish,
    times, variables,
};

/// So many names stand in one sentence; the report's cases show the rest.
const NAMED: usize = 20;

/// Which run is to go on.
#[derive(Clone, Debug)]
pub struct ResumeRequest {
    /// The run: its id, the beginning of it, or `latest`.
    pub run: String,
    /// Cases of which a person says that a trial which is held can run anew.
    pub rerun: Vec<String>,
    /// Which cases, where that was said again: it must be what the run was asked for.
    pub choice: Option<Choice>,
}

/// What became of a run that was to go on.
#[derive(Debug)]
pub enum Resumed {
    /// It went on to its end.
    Concluded(Box<Concluded>),
    /// There was nothing left of it to do.
    Complete(Box<CompleteRun>),
}

/// A run that had come to its end before.
#[derive(Debug)]
pub struct CompleteRun {
    /// The run.
    pub run: RunId,
    /// Its report as it was written.
    pub document: ReportDocument,
    /// How it had ended.
    pub code: u8,
    /// Where the report lies.
    pub report_folder: std::path::PathBuf,
}

/// Goes on with a recorded run as it was asked for, and ends as it would have without the interruption. Options that
/// `request` repeats must say the same again; the number of jobs is free.
///
/// # Errors
/// As [`super::conclude`]; and when there is no such run, another process carries it out, it was asked for something else,
/// or it had ended and what it tested is no longer what stands there.
pub fn resume(
    request: &Request,
    kind: RunKind,
    asked: &ResumeRequest,
    cancellation: &Cancellation,
    progress: &Progress<'_>,
) -> Result<Resumed, PipelineError> {
    let store = Store::of_project(&request.project_root);
    let run = find_to_go_on(&store, &asked.run, kind)?;
    // Where the results are noted in the end.
    store.history()?;
    let _alive = store.hold_run(&run)?;
    let unfinished = store.read_unfinished(&run)?;
    require_own(&unfinished.record.header)?;
    let mut request = as_asked(request, kind, asked, &unfinished.record.header)?;
    let prepared = prepare_again(&mut request, &unfinished.record.header)?;
    let prepared = match &unfinished.record.header {
        RunHeader { part: Some(of), cases, .. } => divided_as_recorded(prepared, of, &cases.keys().cloned().collect())?,
        _ => prepared,
    };
    let on_record = CutOff { unfinished, rerun: asked.rerun.iter().cloned().map(CaseId::new).collect() };
    on_record.require_held()?;
    if let Some(complete) = on_record.complete(&request, &prepared)? {
        return Ok(Resumed::Complete(Box::new(complete)));
    }
    leftovers::clear(&store);
    leftovers::clear_own(&store, &run);
    let started = on_record.header().started.clone();
    let prepared = with_recorded_cases(prepared, &on_record, &request);
    let begun = Begun { run, started, store, prepared, on_record: Some(OnRecord::CutOff(Box::new(on_record))) };
    let concluded = conclude_begun(&request, kind, begun, cancellation, progress)?;
    Ok(Resumed::Concluded(Box::new(concluded)))
}

/// The run that is meant. `latest` passes over runs that a pause kept from starting anything, where one before them was cut off: to go on
/// with that one is what a person means who paused in the middle of it.
fn find_to_go_on(store: &Store, text: &str, kind: RunKind) -> Result<RunId, PipelineError> {
    let newest = store.find_run(text)?;
    if text != "latest" {
        return Ok(newest);
    }
    let before = store.runs()?.into_iter().rev().skip_while(|run| *run != newest);
    for run in before {
        // What cannot be read is not guessed at.
        let Ok(RunStatuses { header, summary, .. }) = store.read_statuses(&run) else { break };
        if !header.paused && header.kind != RunKind::Imported {
            let unfinished = header.kind == kind && summary.is_none_or(|summary| !summary.came_to_its_end());
            return Ok(if unfinished { run } else { newest });
        }
    }
    Ok(newest)
}

/// The request that the run began with.
fn as_asked(
    request: &Request,
    kind: RunKind,
    resume: &ResumeRequest,
    header: &RunHeader,
) -> Result<Request, PipelineError> {
    let refused = |text: String| Err(PipelineError::Resume(text));
    let run = &header.run;
    if header.kind != kind {
        let (was, is) = (header.kind.name(), kind.name());
        return refused(format!("run {run} was begun by `holdpoint {was}`, not by `holdpoint {is}`"));
    }
    let Some(asked) = header.asked.clone() else {
        return refused(format!("run {run} was recorded by an older holdpoint, which did not keep what was asked for"));
    };
    let differs = [
        ("--base", request.base.is_some() && request.base != asked.base),
        ("--head", request.head.is_some() && request.head != asked.head),
        ("--trials", request.trials.is_some() && request.trials != asked.trials),
        ("--mutate", request.mutate && !asked.mutate),
        ("--partition", request.part.as_ref().is_some_and(|said| !is_part(said, header))),
        ("--expect-head", !request.expected_heads.is_empty() && request.expected_heads != asked.expected_heads),
        ("which cases", resume.choice.as_ref().is_some_and(|said| *said != asked.choice)),
    ];
    let said: Vec<&str> = differs.iter().filter_map(|(name, differs)| differs.then_some(*name)).collect();
    if !said.is_empty() {
        let said = said.join(", ");
        return refused(format!("run {run} was asked for something else than is said now: {said}; leave that out"));
    }
    Ok(asked_again(request, asked))
}

/// The request with what a run was asked for in it.
pub(super) fn asked_again(request: &Request, asked: Asked) -> Request {
    let Asked { base, head, choice, expected_heads, trials, mutate, .. } = asked;
    Request { base, head, choice, expected_heads, trials, mutate, part: None, ..request.clone() }
}

/// Whether the part that is said is the one that the run is. Which cases it has is on record, so the durations are not
/// looked at again.
fn is_part(said: &PartRequest, header: &RunHeader) -> bool {
    header.part.as_ref().is_some_and(|of| of.part == said.part && of.by == said.by)
}

/// Plans as at the beginning: with the results that stood then, and against the commits that were found then, wherever a
/// branch leads by now.
pub(super) fn prepare_again(request: &mut Request, header: &RunHeader) -> Result<Prepared, PipelineError> {
    let asked = header.asked.clone().unwrap_or_default();
    let prepared = prepare_after(request, asked.not_passed.clone())?;
    let base_moved = asked.base_commit.is_some() && prepared.changes.base.commit != asked.base_commit;
    let head_moved = request.head.is_some() && header.commit.is_some() && prepared.changes.head.commit != header.commit;
    if !base_moved && !head_moved {
        return Ok(prepared);
    }
    if base_moved {
        request.base = asked.base_commit;
    }
    if head_moved {
        request.head.clone_from(&header.commit);
    }
    prepare_after(request, asked.not_passed)
}

/// What is on record of a run before anything of it is carried out here.
pub(super) enum OnRecord {
    /// The run itself, which was cut off and goes on.
    CutOff(Box<CutOff>),
    /// Its parts, which are put together.
    Parts(MergedParts),
}

impl OnRecord {
    /// Whether the record is the run's own, to be written on in.
    pub(super) fn is_the_run_itself(&self) -> bool {
        matches!(self, Self::CutOff(_))
    }

    /// What the run was asked for.
    pub(super) fn asked(&self) -> Option<&Asked> {
        match self {
            Self::CutOff(run) => run.header().asked.as_ref(),
            Self::Parts(parts) => parts.asked(),
        }
    }

    /// The runs that it is put together from; none where it is a run of its own.
    pub(super) fn merged_from(&self) -> Vec<RunId> {
        match self {
            Self::CutOff(_) => Vec::new(),
            Self::Parts(parts) => parts.runs(),
        }
    }

    /// Why what is on record says nothing of what was to be tested. A run that goes on finds that out anew.
    pub(super) fn lost_evidence(&self) -> Vec<String> {
        match self {
            Self::CutOff(_) => Vec::new(),
            Self::Parts(parts) => parts.lost_evidence(),
        }
    }

    /// Decides for every trial on record what becomes of it.
    pub(super) fn take_up(&self, job: &Job<'_>, planned: &[Planned<'_>]) -> Result<TakenUp, PipelineError> {
        match self {
            Self::CutOff(run) => run.take_up(job, planned),
            Self::Parts(parts) => parts.take_up(planned),
        }
    }
}

/// What is on record of a run that goes on.
pub(super) struct CutOff {
    unfinished: UnfinishedRun,
    /// The cases whose held trials a person released.
    rerun: BTreeSet<CaseId>,
}

/// What a run that goes on takes over, each trial decided.
#[derive(Default)]
pub(super) struct TakenUp {
    /// Trials that count as they are, with what damaging them showed.
    pub(super) kept: Vec<(GradedTrial, Option<CaseMutation>)>,
    /// Trials that this run's record does not have yet, as `kept`: those that were in flight on a target that outlives them,
    /// of which nobody knows what they did, and those of parts.
    pub(super) copied: Vec<(GradedTrial, Option<CaseMutation>)>,
    /// Trials whose record is set aside.
    pub(super) set_aside: BTreeSet<TrialKey>,
    /// The times that the run went on, this one last; empty for a run that only begins.
    pub(super) resumptions: Vec<Resumption>,
    settled: BTreeSet<TrialKey>,
}

impl TakenUp {
    /// Says that a trial has nothing left to run.
    pub(super) fn settle(&mut self, trial: TrialKey) {
        self.settled.insert(trial);
    }

    /// Whether a trial has nothing left to run.
    pub(super) fn is_settled(&self, trial: &TrialKey) -> bool {
        self.settled.contains(trial)
    }
}

impl CutOff {
    fn header(&self) -> &RunHeader {
        &self.unfinished.record.header
    }

    /// Only what is held can be released: a result on record is never made again.
    fn require_held(&self) -> Result<(), PipelineError> {
        let held = self.held_or_in_flight();
        let unknown: Vec<&str> =
            self.rerun.iter().filter(|case| !held.iter().any(|key| key.case == **case)).map(CaseId::as_str).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let text = format!("run {} holds no trial of {}", self.header().run, unknown.join(", "));
        Err(PipelineError::Resume(format!("{text}: only what is held for a person is released with --rerun")))
    }

    /// The trials that are held, and those that were in flight on a target which outlives them.
    fn held_or_in_flight(&self) -> BTreeSet<TrialKey> {
        let trials = &self.unfinished.record.trials;
        let ended: BTreeSet<TrialKey> =
            trials.iter().filter(|trial| !is(trial, ErrorKind::Cancelled)).map(TrialKey::of).collect();
        let held = trials.iter().filter(|trial| is(trial, ErrorKind::Interrupted)).map(TrialKey::of);
        let in_flight = self.unfinished.started.keys().filter(|key| !ended.contains(key)).cloned();
        held.chain(in_flight).collect()
    }

    /// The run as it ended, where nothing is left of it to do.
    fn complete(&self, request: &Request, prepared: &Prepared) -> Result<Option<CompleteRun>, PipelineError> {
        let Some(summary) = self.unfinished.record.summary.as_ref().filter(|summary| summary.came_to_its_end()) else {
            return Ok(None);
        };
        if !self.rerun.is_empty() {
            return Ok(None);
        }
        let run = &self.header().run;
        let edited = edited(self.header(), prepared, &prepared.sides.snapshot(&prepared.project)?);
        let edited = edited
            .with_variables(self.header(), prepared, request)
            .names()
            .into_iter()
            .chain(self.new_cases(prepared))
            .collect::<Vec<_>>();
        if !edited.is_empty() {
            let text = format!("run {run} is complete, and since then were edited: {}", some(&edited));
            return Err(PipelineError::Resume(format!("{text}; begin a new run")));
        }
        let report_folder = request.project_root.join(publish::REPORTS_FOLDER).join(run.as_str());
        // Where the report was taken away it is made anew, of what is on record.
        let Ok(document) = publish::read_document(&request.project_root, run) else { return Ok(None) };
        // The last thing that a run does, and so what one may have been killed before.
        publish::point_latest_at_newer(&request.project_root, run)?;
        Ok(Some(CompleteRun { run: run.clone(), document, code: summary.exit_code, report_folder }))
    }

    fn new_cases(&self, prepared: &Prepared) -> impl Iterator<Item = String> {
        let known = &self.header().project_cases;
        let new = prepared.project.cases.keys().filter(|id| !known.contains(*id));
        new.map(|id| format!("case {id}, which is new"))
    }

    /// Decides for every trial on record whether it counts, runs anew, or is held.
    fn take_up(&self, job: &Job<'_>, planned: &[Planned<'_>]) -> Result<TakenUp, PipelineError> {
        let edited = edited(self.header(), job.prepared, job.snapshot)
            .with_old_forms(self.header(), planned)
            .with_variables(self.header(), job.prepared, job.request);
        let trials: BTreeMap<(&CaseId, Form), u32> =
            planned.iter().map(|planned| ((&planned.case.id, planned.form), planned.trials)).collect();
        let is_planned =
            |key: &TrialKey| trials.get(&(&key.case, key.form)).is_some_and(|trials| key.number <= *trials);
        let mut taken = TakenUp::default();
        let mut again = BTreeSet::new();
        for trial in &self.unfinished.record.trials {
            let key = TrialKey::of(trial);
            let interrupted = is(trial, ErrorKind::Interrupted);
            let released = interrupted && self.rerun.contains(&key.case);
            let in_flight = is(trial, ErrorKind::Cancelled);
            let edited = !interrupted && edited.touches(&key.case);
            if in_flight || released || edited || !is_planned(&key) {
                if edited && !in_flight {
                    again.insert(key.case.to_string());
                }
                taken.set_aside.insert(key);
            } else {
                let mutation = self.unfinished.mutated.get(&key).cloned();
                taken.settled.insert(key);
                taken.kept.push((trial.clone(), mutation));
            }
        }
        let kept = taken.kept.iter().filter(|(trial, _)| !is(trial, ErrorKind::Interrupted)).count();
        let open: Vec<TrialKey> =
            self.held_or_in_flight().into_iter().filter(|key| !taken.settled.contains(key)).collect();
        for key in open {
            if self.rerun.contains(&key.case) || !is_planned(&key) {
                taken.set_aside.insert(key);
            } else {
                taken.copied.push((self.held(&key, job), None));
                taken.settled.insert(key);
            }
        }
        let sentences = self.sentences(&taken, &Found { kept, again, edited: edited.names() }, job);
        taken.resumptions.clone_from(&self.unfinished.resumptions);
        taken.resumptions.push(Resumption { at: times::now(), sentences });
        Ok(taken)
    }

    fn held(&self, key: &TrialKey, job: &Job<'_>) -> GradedTrial {
        let started = self.unfinished.started.get(key).cloned().unwrap_or_default();
        let open = not_known(job, &key.case);
        let message = format!("in flight when the run was cut off, begun {started}, {open}");
        let error = TrialError { kind: ErrorKind::Interrupted, message };
        held(Observation { error: Some(error), ..Observation::begun(&key.case, key.form, key.number, started) })
    }

    fn sentences(&self, taken: &TakenUp, found: &Found, job: &Job<'_>) -> Vec<String> {
        let mut sentences = vec![format!(
            "the run went on at {}, after it was cut off: {} that had ended count as they were recorded",
            times::now(),
            counted(found.kept, "trial")
        )];
        if !found.edited.is_empty() {
            let again = Vec::from_iter(found.again.iter().cloned());
            let anew = if again.is_empty() { "none".to_owned() } else { some(&again) };
            sentences.push(format!(
                "edited since the run began: {}; cases that had results and run anew, with all of their trials: {anew}",
                some(&found.edited)
            ));
        }
        let names = |keys: &mut dyn Iterator<Item = &TrialKey>| {
            some(&keys.map(|key| format!("{} (trial {})", key.case, key.number)).collect::<Vec<_>>())
        };
        if !taken.copied.is_empty() {
            let keys: Vec<TrialKey> = taken.copied.iter().map(|(trial, _)| TrialKey::of(trial)).collect();
            sentences.push(format!(
                "in flight when the run was cut off, on targets that outlive them, and held for a person: {}",
                names(&mut keys.iter())
            ));
        }
        if !self.rerun.is_empty() {
            let released = self.held_or_in_flight();
            let mut released = released.iter().filter(|key| self.rerun.contains(&key.case));
            sentences.push(format!("released by hand and run anew: {}", names(&mut released)));
        }
        if job.prepared.accepted.baseline.heads != self.header().baseline_heads {
            sentences.push("results were accepted since the run began; they are what it is compared with".to_owned());
        }
        sentences
    }
}

/// What is said of a trial of which nobody knows what it did, and how it is released.
pub(super) fn not_known(job: &Job<'_>, case: &CaseId) -> String {
    let (run, kind) = (job.run, job.kind.name());
    let option = project_option(job.request.named_folder.as_deref());
    format!(
        "on a target that outlives the trial: what it did there is not known. Look at the target, put right what must be, \
         then let the trial run anew with `holdpoint {kind} --resume {run} --rerun {case}{option}`"
    )
}

/// What the record and the files held against each other show.
struct Found {
    kept: usize,
    /// Cases with results that no longer count.
    again: BTreeSet<String>,
    edited: Vec<String>,
}

/// What was edited since a run began, of all that can change a result.
#[derive(Default)]
pub(super) struct Edited {
    /// What touches every case.
    all: Vec<String>,
    parts: BTreeMap<PartId, BTreeSet<CaseId>>,
    /// What a workflow was given of the environment, in words.
    variables: BTreeMap<String, BTreeSet<CaseId>>,
    cases: BTreeMap<CaseId, String>,
}

impl Edited {
    fn touches(&self, case: &CaseId) -> bool {
        !self.all.is_empty()
            || self.cases.contains_key(case)
            || self.parts.values().chain(self.variables.values()).any(|touched| touched.contains(case))
    }

    /// In words.
    pub(super) fn names(&self) -> Vec<String> {
        let parts = self.parts.keys().map(|part| part.to_string());
        let variables = self.variables.keys().cloned();
        self.all.iter().cloned().chain(parts).chain(variables).chain(self.cases.values().cloned()).collect()
    }

    /// With the workflows to which other variables are passed on, since they are set or are no longer.
    fn with_variables(mut self, header: &RunHeader, prepared: &Prepared, request: &Request) -> Self {
        let now = variables::passed(&prepared.project, &request.environment);
        self.variables = variables::differing(header.passed.as_ref(), &now, &prepared.project);
        self
    }

    /// With the cases whose form at the base is another than it was.
    fn with_old_forms(mut self, header: &RunHeader, planned: &[Planned<'_>]) -> Self {
        let now: BTreeMap<&CaseId, &Planned<'_>> =
            planned.iter().filter(|planned| planned.form == Form::Base).map(|one| (&one.case.id, one)).collect();
        for (id, then) in &header.cases {
            let same = match (&then.old_form, now.get(id)) {
                (None, None) => true,
                (Some(then), Some(now)) => then.digest == now.case.digest && then.question == now.case.question,
                _ => false,
            };
            if !same {
                self.cases.entry(id.clone()).or_insert_with(|| format!("case {id} (its form at the base)"));
            }
        }
        self
    }
}

pub(super) fn edited(header: &RunHeader, prepared: &Prepared, now: &Snapshot) -> Edited {
    let then = &header.snapshot;
    let mut edited = Edited::default();
    if then.project_file != now.project_file {
        edited.all.push("the project file".to_owned());
    }
    if then.rest.code != now.rest.code {
        let names: BTreeSet<&String> = then.rest.code.keys().chain(now.rest.code.keys()).collect();
        let differing = names.into_iter().filter(|name| then.rest.code.get(*name) != now.rest.code.get(*name));
        edited.all.push(format!("code ({})", some(&differing.cloned().collect::<Vec<_>>())));
    }
    let project = &prepared.project;
    let parts: BTreeSet<&PartId> = then.parts.keys().chain(now.parts.keys()).collect();
    for part in parts.into_iter().filter(|part| then.parts.get(*part) != now.parts.get(*part)) {
        let users = |case: &&HeldCase| {
            let workflow = project.file.workflows.get(&case.workflow);
            workflow.is_none_or(|workflow| workflow.parts.contains(part))
        };
        let cases: BTreeSet<CaseId> = project.cases.values().filter(users).map(|case| case.id.clone()).collect();
        // What no workflow names may still be what a grader looks at.
        let cases = if cases.is_empty() { project.cases.keys().cloned().collect() } else { cases };
        edited.parts.insert(part.clone(), cases);
    }
    for (id, planned) in &header.cases {
        let why = match project.cases.get(id) {
            None => "it is gone".to_owned(),
            Some(case) => {
                let aspects = planned.question.differing(&case.question);
                let aspects: Vec<String> = aspects.into_iter().map(|aspect| aspect.to_string()).collect();
                match (case.digest == planned.digest, aspects.is_empty()) {
                    (true, true) => continue,
                    (false, true) => "the case itself".to_owned(),
                    (_, false) => aspects.join(", "),
                }
            }
        };
        edited.cases.insert(id.clone(), format!("case {id} ({why})"));
    }
    edited
}

/// A case that the run had chosen and has results of stays chosen: a result on record never leaves the count because
/// the plan would be another by now. An edited case is the new plan's business.
fn with_recorded_cases(mut prepared: Prepared, on_record: &CutOff, request: &Request) -> Prepared {
    let Ok(snapshot) = prepared.sides.snapshot(&prepared.project) else { return prepared };
    let edited = edited(on_record.header(), &prepared, &snapshot);
    let edited = edited.with_variables(on_record.header(), &prepared, request);
    let recorded: BTreeSet<&CaseId> =
        on_record.unfinished.record.trials.iter().map(|trial| &trial.observation.case).collect();
    let plan = &mut prepared.plan;
    let (back, excluded): (Vec<Excluded>, Vec<Excluded>) = std::mem::take(&mut plan.excluded)
        .into_iter()
        .partition(|one| recorded.contains(&one.case) && !edited.touches(&one.case));
    plan.excluded = excluded;
    let chosen = |one: Excluded| Selected { case: one.case, set: one.set, reasons: vec![SelectionReason::OnRecord] };
    plan.selected.extend(back.into_iter().map(chosen));
    plan.selected.sort_by(|a, b| a.case.cmp(&b.case));
    prepared
}

fn is(trial: &GradedTrial, kind: ErrorKind) -> bool {
    trial.observation.error.as_ref().is_some_and(|error| error.kind == kind)
}

/// As many of these names as a sentence bears.
pub(super) fn some(names: &[String]) -> String {
    some_of(names, NAMED)
}
