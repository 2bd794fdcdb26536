//! All trials of a run, several at a time. The only user of the thread pool.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use jiff::Timestamp;

use crate::domain::WorkflowId;
use crate::evidence::{ErrorKind, Observation, TrialError};
use crate::manifest::{Case, Project};

use super::cancellation::Cancellation;
use super::orphans::{Spare, end_orphans};
use super::probes::HttpAsker;
use super::program::Surroundings;
use super::reaper::Reaper;
use super::redact::Redactor;
use super::retry::Retries;
use super::service;
use super::state_dir::{self, StateDir, folder_name};
use super::time_limit::RunDeadline;
use super::trial::{self, BegunTrial, Surrounding, TrialSpec};
use super::turns::Turns;
use super::wiring::SharedProxy;
use super::workflow::Workflow;

/// Where and how trials are executed.
#[derive(Clone, Copy)]
pub struct ExecutionSettings<'a> {
    /// The project: its workflows, probes, parts and texts. Both forms of a case run against it.
    pub project: &'a Project,
    /// The project's folder, in which programs are started.
    pub root: &'a Path,
    /// A folder of this run alone. Each trial gets its own below it. It is made where it is missing.
    pub state_root: &'a Path,
    /// The environment that the project file can pass parts of on to programs.
    pub environment: &'a BTreeMap<String, String>,
    /// How many trials run at the same time, where no limit of the project lets fewer.
    pub jobs: usize,
    /// Whether the trials' folders stay, for a look at them. Otherwise each is removed when its trial has ended.
    pub keep_state: bool,
    /// Who can stop the run.
    pub cancellation: &'a Cancellation,
    /// Asked before each trial, from the thread that would run it. Once it says no, no trial starts any more.
    pub may_start: &'a (dyn Fn(&TrialSpec<'_>) -> bool + Sync),
    /// When the steps in flight are ended; that no trial starts any more is said by `may_start`.
    pub deadline: Option<RunDeadline>,
    /// What time it is.
    pub clock: fn() -> Timestamp,
}

/// Why not every trial was executed. What was observed until then has been handed over.
#[derive(Debug, thiserror::Error)]
pub enum ExecutionError {
    /// The run was cancelled; so many trials were never started.
    #[error("the run was cancelled; {not_started} trials were not started")]
    Cancelled {
        /// How many trials have no observation.
        not_started: usize,
    },
    /// Trials were not allowed to start any more; so many never were.
    #[error("the run was held; {not_started} trials were not started")]
    Held {
        /// How many trials have no observation.
        not_started: usize,
    },
    /// The folder for the trials' state cannot be used.
    #[error("the folder for the trials' state cannot be used: `{path}`: {source}")]
    StateRoot {
        /// The folder.
        path: PathBuf,
        /// The system's own words.
        source: io::Error,
    },
    /// The threads could not be started.
    #[error("the threads that run trials could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// An observation as it was made, secrets included. Graders look at it as it is: a grader that is to find a leaked
/// secret could not find a redacted one. Nothing else may: what is recorded or shown is redacted first.
#[derive(Debug)]
pub struct RawObservation<'a> {
    observation: Observation,
    case: &'a Case,
    redactor: &'a Redactor,
    left_running: bool,
}

impl<'a> RawObservation<'a> {
    /// The case that was executed.
    pub fn case(&self) -> &'a Case {
        self.case
    }

    /// Whether processes that the trial had left running were ended after it. Where several trials ran at once, one that
    /// hides which it is of may be of a trial before.
    pub fn left_running(&self) -> bool {
        self.left_running
    }

    /// The observation with secrets in it, for graders alone, and what takes them out of it and of texts made from it,
    /// such as a grade's message.
    pub fn for_grading(self) -> (Observation, &'a Redactor) {
        (self.observation, self.redactor)
    }

    /// The observation without secrets, to be recorded and shown.
    pub fn redacted(self) -> Observation {
        self.redactor.observation(self.observation)
    }
}

/// Executes trials and hands each observation to `finished` as soon as its trial ends, from the thread that ran it.
///
/// Trials under the same limits are started in the order of `specs` and end in any order; none of them sees another. What goes wrong in
/// a trial is its observation's error and ends nothing else.
///
/// # Errors
/// When the run was cancelled or held before every trial was started, or could not begin.
pub fn execute(
    specs: &[TrialSpec<'_>],
    settings: &ExecutionSettings<'_>,
    finished: &(dyn Fn(RawObservation<'_>) + Sync),
) -> Result<(), ExecutionError> {
    settings.cancellation.begin();
    let state_root = make_state_root(settings.state_root)
        .map_err(|source| ExecutionError::StateRoot { path: settings.state_root.to_owned(), source })?;
    let root = std::path::absolute(settings.root).unwrap_or_else(|_| settings.root.to_owned());
    let programs = Surroundings { root: &root, environment: settings.environment };
    let redactor = Redactor::for_project(settings.project, settings.environment);
    let workflows = workflows(specs, settings, programs, &state_root);
    // Dropped after the run, whose services go on until its end.
    let reaper = Reaper::begin(services(&workflows, settings.project, &state_root));
    let run = Run {
        settings,
        programs,
        state_root: &state_root,
        reaper: &reaper,
        workflows,
        proxy: SharedProxy::default(),
        asker: HttpAsker::new(settings.cancellation),
        retries: Retries::new(settings.project.file.retry.clone()),
    };
    let threads = settings.jobs.clamp(1, specs.len().max(1));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|n| format!("trial {n}")).build()?;

    let turns = Turns::new(specs, &settings.project.file, threads);
    let not_allowed = AtomicUsize::new(0);
    let held = AtomicBool::new(false);
    let is_over = || settings.cancellation.is_requested() || held.load(Ordering::Relaxed);
    pool.broadcast(|_| {
        while let Some(turn) = turns.take(is_over) {
            let Some(spec) = specs.get(turn.trial) else { return };
            if !(settings.may_start)(spec) {
                held.store(true, Ordering::Relaxed);
                not_allowed.fetch_add(1, Ordering::Relaxed);
                return;
            }
            let case = spec.case.open();
            let begun = BegunTrial { case: &case, form: spec.form, trial: spec.trial };
            let (observation, left_running) = run.trial(turn.trial, begun);
            finished(RawObservation { observation, case: &case, redactor: &redactor, left_running });
        }
    });
    drop(run);
    // What escaped its process group and hid from its trial goes now: what names the run, then whatever else is left.
    end_orphans(&state_root, Spare::Nothing);
    drop(reaper);
    match turns.waiting() + not_allowed.into_inner() {
        0 => Ok(()),
        not_started if !settings.cancellation.is_requested() => Err(ExecutionError::Held { not_started }),
        not_started => Err(ExecutionError::Cancelled { not_started }),
    }
}

fn make_state_root(path: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(path)?;
    path.canonicalize()
}

/// The workflows that these trials run against, by name.
fn workflows<'a>(
    specs: &[TrialSpec<'_>],
    settings: &ExecutionSettings<'a>,
    programs: Surroundings<'_>,
    state_root: &'a Path,
) -> BTreeMap<&'a WorkflowId, Workflow<'a>> {
    let is_used = |id: &WorkflowId| specs.iter().any(|spec| spec.case.workflow == *id);
    let used = settings.project.file.workflows.iter().filter(|(id, _)| is_used(id));
    used.map(|(id, spec)| {
        (id, Workflow::prepare(id, spec, settings.project, programs, state_root, settings.cancellation))
    })
    .collect()
}

/// The state directories of the services that these workflows start for the length of the run.
fn services<'a>(
    workflows: &'a BTreeMap<&WorkflowId, Workflow<'_>>,
    project: &'a Project,
    state_root: &'a Path,
) -> impl Iterator<Item = PathBuf> + 'a {
    let specs = workflows.keys().filter_map(move |id| Some((*id, project.file.workflows.get(*id)?)));
    let started = specs.filter(|(_, spec)| spec.http.as_ref().is_some_and(|http| !http.start.is_empty()));
    started.map(move |(id, _)| state_root.join(service::folder_name(id.as_str())))
}

struct Run<'a> {
    settings: &'a ExecutionSettings<'a>,
    programs: Surroundings<'a>,
    state_root: &'a Path,
    reaper: &'a Reaper,
    workflows: BTreeMap<&'a WorkflowId, Workflow<'a>>,
    proxy: SharedProxy,
    asker: HttpAsker,
    retries: Retries,
}

impl Run<'_> {
    /// Runs one trial, and ends what it left running: the answer says whether there was anything. Even a defect of holdpoint
    /// itself, or of a library below it, costs this trial alone.
    fn trial(&self, index: usize, spec: BegunTrial<'_>) -> (Observation, bool) {
        let name = folder_name(index, &spec.case.id, spec.form, spec.trial);
        let state_dir = self.state_root.join(&name);
        self.reaper.begin_trial(index, state_dir.clone());
        let observed = catch_unwind(AssertUnwindSafe(|| self.observe(&name, spec)));
        let left_running = self.reaper.end_trial(index);
        if left_running && !self.settings.keep_state {
            // It may have written there since the folder was removed.
            let _ = state_dir::remove(&state_dir);
        }
        let observation = observed.unwrap_or_else(|_| {
            let message = "holdpoint itself failed in this trial; please report it".to_owned();
            let error = TrialError { kind: ErrorKind::Setup, message };
            trial::failed(spec, (self.settings.clock)(), error)
        });
        (observation, left_running)
    }

    fn observe(&self, name: &str, spec: BegunTrial<'_>) -> Observation {
        if let Err(message) = self.retries.begin(&spec.case.workflow) {
            let error = TrialError { kind: ErrorKind::Start, message };
            return trial::failed(spec, (self.settings.clock)(), error);
        }
        let state_dir = StateDir::create(self.state_root, name, &spec.case.fixtures, self.settings.keep_state);
        let surrounding = Surrounding {
            project: self.settings.project,
            programs: self.programs,
            cancellation: self.settings.cancellation,
            clock: self.settings.clock,
            proxy: &self.proxy,
            asker: &self.asker,
            retries: &self.retries,
            until: self.settings.deadline.map(RunDeadline::limit),
        };
        trial::run(spec, self.workflows.get(&spec.case.workflow), state_dir, surrounding)
    }
}

#[cfg(test)]
mod tests;
