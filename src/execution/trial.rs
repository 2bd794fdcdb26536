//! One trial from its state directory to its observation.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;

use crate::domain::PartId;
use crate::evidence::{ErrorKind, Form, Judgement, Observation, StepObservation, TrialError, Unreached};
use crate::manifest::{Case, CaseRef, Grader, InvokeStep, Project, Step};

use super::aftermath::Aftermath;
use super::cancellation::Cancellation;
use super::clock::TrialClock;
use super::invocation::{InvocationFrame, step_input};
use super::judges::{self, JudgeInput};
use super::orphans::Spare;
use super::practice_workflow::PracticeMemory;
use super::probes::HttpAsker;
use super::program::Surroundings;
use super::retry::{Retries, Starter};
use super::state_dir::StateDir;
use super::time_limit::TimeLimit;
use super::wiring::{SharedProxy, TrialWires, Wiring, seed};
use super::workflow::{StepContext, StepEnd, Workflow};

/// One trial to be executed.
#[derive(Clone, Copy, Debug)]
pub struct TrialSpec<'a> {
    /// The case, in the form that is executed.
    pub case: CaseRef<'a>,
    /// Which form that is.
    pub form: Form,
    /// The trial's number, from 1.
    pub trial: u32,
}

/// The same with the whole case.
#[derive(Clone, Copy)]
pub(super) struct BegunTrial<'a> {
    pub(super) case: &'a Case,
    pub(super) form: Form,
    pub(super) trial: u32,
}

/// What all trials of a run share.
#[derive(Clone, Copy)]
pub(super) struct Surrounding<'a> {
    pub(super) project: &'a Project,
    pub(super) programs: Surroundings<'a>,
    pub(super) cancellation: &'a Cancellation,
    pub(super) clock: fn() -> Timestamp,
    pub(super) proxy: &'a SharedProxy,
    pub(super) asker: &'a HttpAsker,
    pub(super) retries: &'a Retries,
    /// Until when steps may go on, where the run is limited.
    pub(super) until: Option<TimeLimit>,
}

/// Runs a trial's steps, asks the probes and the judges, and says what was seen.
pub(super) fn run(
    spec: BegunTrial<'_>,
    workflow: Option<&Workflow<'_>>,
    state_dir: Result<StateDir, TrialError>,
    surrounding: Surrounding<'_>,
) -> Observation {
    let started = surrounding.clock;
    let mut observation = empty(spec, started());
    let mut unreached = Vec::new();
    let prepared = state_dir.and_then(|state_dir| {
        let missing = || setup(format!("the project has no workflow `{}` any more", spec.case.workflow));
        let workflow = workflow.ok_or_else(missing)?;
        let clock = TrialClock::new(spec.case.now.as_deref().or(workflow.now), surrounding.clock)?;
        let seed = seed(&spec.case.id, spec.trial);
        let wires = TrialWires { state_dir: state_dir.path(), faults: &spec.case.faults, seed };
        let starter = Starter { workflow: &spec.case.workflow, seed, is_workflow: false, until: surrounding.until };
        let not_ready = |opened: &Result<Wiring<'_>, TrialError>| {
            opened.as_ref().err().filter(|error| error.kind == ErrorKind::Start).map(|error| error.message.clone())
        };
        let open = |tries| {
            if tries > 1 {
                state_dir.renew(&spec.case.fixtures)?;
            }
            workflow.wired.open(&wires, surrounding.proxy, surrounding.cancellation)
        };
        let wiring = surrounding.retries.persist(starter, surrounding.cancellation, &mut unreached, not_ready, open)?;
        let connectors = connectors(workflow, &wiring);
        Ok(Trial {
            spec,
            workflow,
            surrounding,
            wiring,
            connectors,
            state_dir,
            clock,
            until: surrounding.until,
            memory: PracticeMemory::default(),
            unreached: std::mem::take(&mut unreached),
        })
    });
    match prepared {
        Err(error) => (observation.error, observation.unreached) = (Some(error), unreached),
        Ok(mut trial) => {
            let origin = Instant::now();
            trial.steps(&mut observation);
            observation.unreached = std::mem::take(&mut trial.unreached);
            trial.look(&mut observation, origin);
            let trial = trial.without_targets();
            trial.judge(&mut observation);
        }
    }
    observation
}

/// The observation of a trial that came to nothing.
pub(super) fn failed(spec: BegunTrial<'_>, started: Timestamp, error: TrialError) -> Observation {
    Observation { error: Some(error), ..empty(spec, started) }
}

fn empty(spec: BegunTrial<'_>, started: Timestamp) -> Observation {
    Observation::begun(&spec.case.id, spec.form, spec.trial, format!("{started:.3}"))
}

/// The addresses that the workflow gets: the trial's own, and of connectors that are not passed on those of their manifests.
fn connectors(workflow: &Workflow<'_>, wiring: &Wiring<'_>) -> BTreeMap<PartId, String> {
    let mut connectors = workflow.connectors.clone();
    connectors.extend(wiring.addresses().map(|(id, address)| (id.clone(), address.clone())));
    connectors
}

struct Trial<'a> {
    spec: BegunTrial<'a>,
    workflow: &'a Workflow<'a>,
    surrounding: Surrounding<'a>,
    // Before the state directory: what still runs on it ends before it goes.
    wiring: Wiring<'a>,
    connectors: BTreeMap<PartId, String>,
    state_dir: StateDir,
    clock: TrialClock,
    /// Until when its steps may go on.
    until: Option<TimeLimit>,
    memory: PracticeMemory,
    unreached: Vec<Unreached>,
}

impl Trial<'_> {
    /// Does the steps in order, up to the first that errors.
    fn steps(&mut self, observation: &mut Observation) {
        let mut took = Duration::ZERO;
        self.workflow.make_ready();
        self.until = TimeLimit::of_trial(self.workflow.trial_timeout_s, self.until);
        observation.steps.reserve_exact(self.spec.case.steps.len());
        for (step, number) in self.spec.case.steps.iter().zip(1..) {
            let begun = Instant::now();
            self.wiring.begin_step(number);
            let (kind, end) = self.step(step, number);
            self.wiring.end_step();
            took += begun.elapsed();
            let (end, failure) = permitted(step, end);
            observation.steps.push(StepObservation {
                number,
                kind: kind.to_owned(),
                duration_ms: milliseconds(begun.elapsed()),
                answer: end.answer,
                http_status: end.http_status,
                stderr: end.stderr,
                failure,
            });
            // A target that is gone explains whatever the workflow says of it.
            observation.error = self.wiring.ended().filter(|_| !is_cancelled(&end.error)).or(end.error);
            if observation.error.is_some() {
                break;
            }
        }
        observation.duration_ms = milliseconds(took);
    }

    /// The trial once its targets have ended.
    fn without_targets(self) -> Self {
        Self { wiring: Wiring::default(), ..self }
    }

    fn step(&mut self, step: &Step, number: u32) -> (&'static str, StepEnd) {
        let done = |result: Result<(), TrialError>| StepEnd { error: result.err(), ..StepEnd::default() };
        if let Some(invoke) = &step.invoke {
            ("invoke", self.invoke(invoke, number).unwrap_or_else(|error| StepEnd::of(Err(error))))
        } else if step.restart.is_some() {
            ("restart", done(self.workflow.restart()))
        } else if let Some(clock) = &step.clock {
            ("clock", done(self.clock.advance(clock.advance_s)))
        } else {
            ("invoke", StepEnd::error(ErrorKind::Setup, "the step does nothing"))
        }
    }

    fn invoke(&mut self, step: &InvokeStep, number: u32) -> Result<StepEnd, TrialError> {
        let input = step_input(self.spec.case, step)?;
        let now = self.clock.now()?;
        let frame = InvocationFrame {
            case: &self.spec.case.id,
            trial: self.spec.trial,
            state_dir: utf8(self.state_dir.path())?,
            connectors: &self.connectors,
        };
        let context = StepContext {
            state_dir: self.state_dir.path(),
            environment: &self.wiring.environment,
            spare: if self.wiring.has_targets() { Spare::Targets } else { Spare::Nothing },
            faults: &self.spec.case.faults,
            judges_status: graders(self.spec.case).any(|(_, grader)| matches!(grader, Grader::HttpStatus(_))),
            cancellation: self.surrounding.cancellation,
            until: self.until,
        };
        let invocation = frame.invocation(number, &input, &now);
        let Self { spec, workflow, memory, unreached, surrounding, until, .. } = self;
        let seed = seed(&spec.case.id, spec.trial).wrapping_add(u64::from(number));
        let starter = Starter { workflow: &spec.case.workflow, seed, is_workflow: true, until: *until };
        let why = |end: &StepEnd| end.error.as_ref().filter(|_| end.unreached).map(|error| error.message.clone());
        let invoke = |_| workflow.invoke(&invocation, &context, memory);
        Ok(surrounding.retries.persist(starter, surrounding.cancellation, unreached, why, invoke))
    }

    /// Looks at what the steps have left, also after an error: that is when it is worth most.
    fn look(&mut self, observation: &mut Observation, origin: Instant) {
        let aftermath = Aftermath {
            case: self.spec.case,
            trial: self.spec.trial,
            workflow: self.workflow,
            surrounding: self.surrounding,
            state_dir: self.state_dir.path(),
            memory: &self.memory,
        };
        aftermath.observe(&mut self.wiring, origin, observation);
    }

    fn judge(&self, observation: &mut Observation) {
        if observation.error.is_none() {
            observation.judgements = self.judgements(observation);
            if self.surrounding.cancellation.is_forced() {
                let message = "the run was cancelled before every grader had judged".to_owned();
                observation.error = Some(TrialError { kind: ErrorKind::Cancelled, message });
            }
        }
    }

    fn judgements(&self, observation: &Observation) -> BTreeMap<usize, Judgement> {
        let input = self.judged_input();
        let judged = graders(self.spec.case).filter_map(|(index, grader)| {
            let Grader::Command(grader) = grader else { return None };
            let judgement = match observation.last_answer() {
                None => Judgement::Unclear("there is no answer to judge".to_owned()),
                Some(answer) => {
                    let case = &self.spec.case.id;
                    let input = JudgeInput::new(case, self.spec.trial, &input, answer, &observation.readings);
                    let Surrounding { programs, cancellation, .. } = self.surrounding;
                    judges::judge(&grader, &input, self.state_dir.path(), programs, cancellation)
                }
            };
            Some((index, judgement))
        });
        judged.collect()
    }

    /// The input of the last invocation, whose answer is judged.
    fn judged_input(&self) -> Cow<'_, Value> {
        let case = self.spec.case;
        let last = case.steps.iter().rev().find_map(|step| step.invoke.as_ref());
        last.and_then(|step| step_input(case, step).ok()).unwrap_or(Cow::Borrowed(&case.input))
    }
}

fn is_cancelled(error: &Option<TrialError>) -> bool {
    error.as_ref().is_some_and(|error| error.kind == ErrorKind::Cancelled)
}

/// How a step ended where it may fail, and how it failed. A program that could not even be started, or was set up
/// wrongly, shows nothing of what the case is about; and no step may use up the time of its whole trial or run.
fn permitted(step: &Step, end: StepEnd) -> (StepEnd, Option<TrialError>) {
    use ErrorKind::{Exit, HttpStatus, Malformed, OutputCap, Timeout, Transport};
    let may_fail = !end.time_is_up && step.invoke.as_ref().is_some_and(|invoke| invoke.may_fail);
    match end.error {
        Some(failure)
            if may_fail && matches!(failure.kind, Exit | HttpStatus | Malformed | OutputCap | Timeout | Transport) =>
        {
            (StepEnd { answer: None, error: None, ..end }, Some(failure))
        }
        error => (StepEnd { error, ..end }, None),
    }
}

/// The graders of a case, by the index of their expectation.
pub(super) fn graders(case: &Case) -> impl Iterator<Item = (usize, Grader)> + '_ {
    let expectations = case.expect.iter().enumerate();
    expectations.filter_map(|(index, expectation)| Some((index, expectation.grader()?.0)))
}

fn utf8(path: &Path) -> Result<&str, TrialError> {
    path.to_str().ok_or_else(|| setup(format!("the path of the state directory is no UTF-8: {}", path.display())))
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn setup(message: String) -> TrialError {
    TrialError { kind: ErrorKind::Setup, message }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::evidence::Answer;

    /// How a step with these settings ends that failed in this way, after an answer.
    fn ended(step: Value, kind: ErrorKind) -> (StepEnd, Option<TrialError>) {
        let answer = Answer { text: "500".to_owned(), json: None, output: json!("500"), claims: Vec::new() };
        let error = TrialError { kind, message: "it failed".to_owned() };
        let end = StepEnd { answer: Some(answer), http_status: Some(500), error: Some(error), ..StepEnd::default() };
        permitted(&serde_json::from_value(step).unwrap(), end)
    }

    #[test]
    fn what_may_fail_leaves_no_answer_and_keeps_how_it_failed() {
        use ErrorKind::{Exit, HttpStatus, Malformed, OutputCap, Timeout, Transport};
        for kind in [Exit, HttpStatus, Malformed, OutputCap, Timeout, Transport] {
            let (end, failure) = ended(json!({"invoke": {"may_fail": true}}), kind);
            assert!(end.error.is_none() && end.answer.is_none() && end.http_status == Some(500));
            assert_eq!(failure.map(|failure| failure.kind), Some(kind));
        }
    }

    #[test]
    fn a_step_that_may_fail_does_not_use_up_the_time_of_its_trial() {
        let step: Step = serde_json::from_value(json!({"invoke": {"may_fail": true}})).unwrap();
        for (time_is_up, fails_the_trial) in [(false, false), (true, true)] {
            let end = StepEnd { time_is_up, ..StepEnd::error(ErrorKind::Timeout, "it took too long") };
            let (end, failure) = permitted(&step, end);
            assert_eq!((end.error.is_some(), failure.is_none()), (fails_the_trial, fails_the_trial));
        }
    }

    #[test]
    fn what_was_set_up_wrongly_or_cancelled_ends_the_trial_all_the_same() {
        for kind in [ErrorKind::Start, ErrorKind::Setup, ErrorKind::Cancelled, ErrorKind::FaultNotFired] {
            let (end, failure) = ended(json!({"invoke": {"may_fail": true}}), kind);
            assert!(end.error.is_some() && failure.is_none(), "{kind:?}");
        }
        let (end, failure) = ended(json!({"invoke": {}}), ErrorKind::Exit);
        assert!(end.error.is_some() && end.answer.is_some() && failure.is_none());
    }
}
