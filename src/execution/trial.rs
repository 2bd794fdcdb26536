//! One trial from its state directory to its observation.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;

use crate::evidence::{ErrorKind, Form, Judgement, Observation, Reading, StepObservation, TrialError};
use crate::manifest::{Case, Grader, InvokeStep, Project, Step};

use super::cancellation::Cancellation;
use super::clock::TrialClock;
use super::invocation::{InvocationFrame, step_input};
use super::judges::{self, JudgeInput};
use super::operations::{ProbedTarget, Traces};
use super::practice_workflow::PracticeMemory;
use super::program::Surroundings;
use super::sql_probe;
use super::state_dir::StateDir;
use super::workflow::{StepContext, StepEnd, Workflow};

/// One trial to be executed.
#[derive(Clone, Copy, Debug)]
pub struct TrialSpec<'a> {
    /// The case, in the form that is executed.
    pub case: &'a Case,
    /// Which form that is.
    pub form: Form,
    /// The trial's number, from 1.
    pub trial: u32,
}

/// What all trials of a run share.
#[derive(Clone, Copy)]
pub(super) struct Surrounding<'a> {
    pub(super) project: &'a Project,
    pub(super) programs: Surroundings<'a>,
    pub(super) cancellation: &'a Cancellation,
    pub(super) clock: fn() -> Timestamp,
}

/// Runs a trial's steps, asks the probes and the judges, and says what was seen.
pub(super) fn run(
    spec: &TrialSpec<'_>,
    workflow: Option<&Workflow<'_>>,
    state_dir: Result<StateDir, TrialError>,
    surrounding: Surrounding<'_>,
) -> Observation {
    let started = surrounding.clock;
    let mut observation = empty(spec, started());
    let prepared = state_dir.and_then(|state_dir| {
        let missing = || setup(format!("the project has no workflow `{}` any more", spec.case.workflow));
        let workflow = workflow.ok_or_else(missing)?;
        let clock = TrialClock::new(spec.case.now.as_deref().or(workflow.now), surrounding.clock)?;
        Ok(Trial { spec, workflow, surrounding, state_dir, clock, memory: PracticeMemory::default() })
    });
    match prepared {
        Err(error) => observation.error = Some(error),
        Ok(mut trial) => {
            trial.steps(&mut observation);
            trial.look(&mut observation);
        }
    }
    observation
}

/// The observation of a trial that came to nothing.
pub(super) fn failed(spec: &TrialSpec<'_>, started: Timestamp, error: TrialError) -> Observation {
    Observation { error: Some(error), ..empty(spec, started) }
}

fn empty(spec: &TrialSpec<'_>, started: Timestamp) -> Observation {
    Observation {
        case: spec.case.id.clone(),
        form: spec.form,
        trial: spec.trial,
        started: format!("{started:.3}"),
        duration_ms: 0,
        steps: Vec::new(),
        operations: Vec::new(),
        readings: BTreeMap::new(),
        looks: BTreeMap::new(),
        exchanges: Vec::new(),
        judgements: BTreeMap::new(),
        error: None,
    }
}

struct Trial<'a> {
    spec: &'a TrialSpec<'a>,
    workflow: &'a Workflow<'a>,
    surrounding: Surrounding<'a>,
    state_dir: StateDir,
    clock: TrialClock,
    memory: PracticeMemory,
}

impl Trial<'_> {
    /// Does the steps in order, up to the first that errors.
    fn steps(&mut self, observation: &mut Observation) {
        let mut took = Duration::ZERO;
        for (step, number) in self.spec.case.steps.iter().zip(1..) {
            let begun = Instant::now();
            let (kind, end) = self.step(step, number);
            took += begun.elapsed();
            observation.steps.push(StepObservation {
                number,
                kind: kind.to_owned(),
                duration_ms: milliseconds(begun.elapsed()),
                answer: end.answer,
                http_status: end.http_status,
                stderr: end.stderr,
            });
            observation.error = end.error;
            if observation.error.is_some() {
                break;
            }
        }
        observation.duration_ms = milliseconds(took);
        if observation.error.is_none() {
            observation.error = self.faults_not_fired();
        }
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
            connectors: &self.workflow.connectors,
        };
        let context = StepContext {
            state_dir: self.state_dir.path(),
            faults: &self.spec.case.faults,
            judges_status: graders(self.spec.case).any(|(_, grader)| matches!(grader, Grader::HttpStatus(_))),
            cancellation: self.surrounding.cancellation,
        };
        Ok(self.workflow.invoke(&frame.invocation(number, &input, &now), &context, &mut self.memory))
    }

    fn faults_not_fired(&self) -> Option<TrialError> {
        let faults = self.spec.case.faults.iter().enumerate();
        let missed: Vec<String> = faults
            .filter(|(index, _)| !self.memory.fired.contains(index))
            .map(|(_, fault)| format!("attempt {} at {}/{}", fault.attempt, fault.connector, fault.operation))
            .collect();
        let message = format!("a fault was scheduled and never fired: {}", missed.join(", "));
        (!missed.is_empty()).then_some(TrialError { kind: ErrorKind::FaultNotFired, message })
    }

    /// Looks at what the steps have left, also after an error: that is when it is worth most.
    fn look(&self, observation: &mut Observation) {
        observation.readings = self.readings();
        let targets = self.operation_probes().filter_map(|(name, column)| {
            Some(ProbedTarget { probe: name, column, reading: observation.readings.get(name)? })
        });
        let traces = Traces {
            case: self.spec.case,
            steps: &observation.steps,
            memory: &self.memory,
            targets: targets.collect(),
            is_settled: self.workflow.ends_with_its_step(),
        };
        observation.operations = traces.operations();
        if observation.error.is_none() {
            observation.judgements = self.judgements(observation);
            if self.surrounding.cancellation.is_forced() {
                let message = "the run was cancelled before every grader had judged".to_owned();
                observation.error = Some(TrialError { kind: ErrorKind::Cancelled, message });
            }
        }
    }

    fn readings(&self) -> BTreeMap<String, Reading> {
        let probes = graders(self.spec.case).filter_map(|(_, grader)| match grader {
            Grader::Effects(effects) => Some(effects.probe),
            _ => None,
        });
        let for_operations = self.operation_probes().map(|(name, _)| name.to_owned());
        let names: BTreeSet<String> = probes.chain(for_operations).collect();
        names.into_iter().map(|name| (name.clone(), self.reading(&name))).collect()
    }

    /// The probes that give evidence for operations of this trial's workflow, each with the column of their identity.
    fn operation_probes(&self) -> impl Iterator<Item = (&str, &str)> {
        let workflow = &self.spec.case.workflow;
        let probes = self.surrounding.project.file.probes.iter();
        probes
            .filter(move |(_, probe)| probe.workflow.as_ref().is_none_or(|named| named == workflow))
            .filter_map(|(name, probe)| Some((name.as_str(), probe.operation.as_deref()?)))
    }

    fn reading(&self, name: &str) -> Reading {
        match self.surrounding.project.file.probes.get(name) {
            None => Reading::Unreadable(format!("the project has no probe `{name}` any more")),
            Some(probe) => match &probe.sql {
                Some(sql) => sql_probe::ask(sql, self.state_dir.path()),
                None => Reading::Unreadable(format!("the probe `{name}` asks nothing")),
            },
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

/// The graders of a case, by the index of their expectation.
fn graders(case: &Case) -> impl Iterator<Item = (usize, Grader)> + '_ {
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
