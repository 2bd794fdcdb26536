//! A workflow of the project, ready to be invoked, whatever its kind.

use std::collections::BTreeMap;
use std::path::Path;

use crate::domain::{PartId, WorkflowId};
use crate::evidence::{Answer, ErrorKind, TrialError};
use crate::manifest::{FaultSpec, Project, WorkflowSpec};

use super::cancellation::Cancellation;
use super::command_workflow::CommandRunner;
use super::http_workflow::HttpRunner;
use super::invocation::{Invocation, connectors};
use super::orphans::Spare;
use super::practice_workflow::{PracticeMemory, PracticeRunner};
use super::program::Surroundings;
use super::time_limit::TimeLimit;
use super::wiring::WiredConnectors;

/// A workflow with all that its trials share.
pub(super) struct Workflow<'a> {
    /// The time that it is told where the case names none.
    pub(super) now: Option<&'a str>,
    /// How long the steps of one trial may take together, in seconds, where that is limited.
    pub(super) trial_timeout_s: Option<u64>,
    /// The addresses of its connectors, as their manifests state them.
    pub(super) connectors: BTreeMap<PartId, String>,
    /// Those of its connectors whose calls are passed on.
    pub(super) wired: WiredConnectors<'a>,
    kind: Kind<'a>,
}

enum Kind<'a> {
    Command(CommandRunner<'a>),
    Http(Box<HttpRunner<'a>>),
    Practice(PracticeRunner<'a>),
    /// It cannot be invoked at all; every trial of it ends with this error.
    Unusable(TrialError),
}

/// What one step needs beside the invocation.
pub(super) struct StepContext<'a> {
    /// The trial's state directory.
    pub(super) state_dir: &'a Path,
    /// Further variables for a program: where it reaches its connectors.
    pub(super) environment: &'a BTreeMap<String, String>,
    /// What goes on when a step's program has ended.
    pub(super) spare: Spare,
    /// The faults of the whole trial.
    pub(super) faults: &'a [FaultSpec],
    /// Whether the case itself judges the HTTP status.
    pub(super) judges_status: bool,
    /// Who can end the step from outside.
    pub(super) cancellation: &'a Cancellation,
    /// Until when the steps of the trial may go on, where that is limited.
    pub(super) until: Option<TimeLimit>,
}

/// How an invocation ended.
#[derive(Debug, Default)]
pub(super) struct StepEnd {
    pub(super) answer: Option<Answer>,
    pub(super) http_status: Option<u16>,
    pub(super) stderr: String,
    pub(super) error: Option<TrialError>,
    /// Whether it is certain that the workflow was never reached, so that another try repeats nothing.
    pub(super) unreached: bool,
    /// Whether the time of the whole trial or run is up, which ends the trial also where the step may fail.
    pub(super) time_is_up: bool,
}

impl StepEnd {
    /// An answer, or why there is none.
    pub(super) fn of(answer: Result<Answer, TrialError>) -> Self {
        match answer {
            Ok(answer) => Self { answer: Some(answer), ..Self::default() },
            Err(error) => Self { error: Some(error), ..Self::default() },
        }
    }

    /// No answer, for this reason.
    pub(super) fn error(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::of(Err(TrialError { kind, message: message.into() }))
    }
}

impl<'a> Workflow<'a> {
    /// Makes a workflow ready. `state_root` is where it may keep state that its trials share.
    pub(super) fn prepare(
        id: &WorkflowId,
        spec: &'a WorkflowSpec,
        project: &'a Project,
        surroundings: Surroundings<'_>,
        state_root: &'a Path,
        cancellation: &'a Cancellation,
    ) -> Self {
        let practice = PracticeRunner::new(spec, project);
        let connectors = connectors(practice.parts());
        let kind = if let Some(command) = &spec.command {
            CommandRunner::new(spec, command, surroundings).map_or_else(Kind::Unusable, Kind::Command)
        } else if let Some(http) = &spec.http {
            HttpRunner::new(id, spec, http, surroundings, state_root, cancellation)
                .map_or_else(Kind::Unusable, |runner| Kind::Http(Box::new(runner)))
        } else if spec.practice.is_some() {
            Kind::Practice(practice)
        } else {
            let message = format!("the workflow `{id}` is neither a command nor http nor practice");
            Kind::Unusable(TrialError { kind: ErrorKind::Setup, message })
        };
        let (wired, kind) = match WiredConnectors::of(spec, project, surroundings) {
            Ok(wired) => (wired, kind),
            Err(error) => (WiredConnectors::default(), Kind::Unusable(error)),
        };
        Self { now: spec.now.as_deref(), trial_timeout_s: spec.trial_timeout_s, connectors, wired, kind }
    }

    /// Starts what its trials share, where it is not there yet: that takes nobody's time. Why it could not be started is
    /// said by whoever invokes it.
    pub(super) fn make_ready(&self) {
        if let Kind::Http(runner) = &self.kind {
            runner.make_ready();
        }
    }

    /// Invokes it once.
    pub(super) fn invoke(
        &self,
        invocation: &Invocation<'_>,
        context: &StepContext<'_>,
        memory: &mut PracticeMemory,
    ) -> StepEnd {
        if let Some(limit) = context.until.filter(TimeLimit::is_over) {
            let message = format!("{} was over before the step began", limit.phrase());
            return StepEnd { time_is_up: true, ..StepEnd::error(ErrorKind::Timeout, message) };
        }
        match &self.kind {
            Kind::Command(runner) => runner.invoke(invocation, context),
            Kind::Http(runner) => runner.invoke(invocation, context),
            Kind::Practice(runner) => runner.invoke(invocation, context, memory),
            Kind::Unusable(error) => StepEnd::of(Err(error.clone())),
        }
    }

    /// Ends its process and starts it anew, where it has one for each trial.
    ///
    /// # Errors
    /// When it has not: a restart that does nothing would make its case pass for the wrong reason.
    pub(super) fn restart(&self) -> Result<(), TrialError> {
        match &self.kind {
            // A command has a process for each invocation, and a practice workflow keeps nothing in memory between two.
            Kind::Command(_) | Kind::Practice(_) => Ok(()),
            Kind::Http(_) => {
                let message = "a `restart` step cannot restart a service, which other trials use at the same time";
                Err(TrialError { kind: ErrorKind::Setup, message: message.to_owned() })
            }
            Kind::Unusable(error) => Err(error.clone()),
        }
    }

    /// Whether nothing of it can still write when a step is over. A service can.
    pub(super) fn ends_with_its_step(&self) -> bool {
        matches!(self.kind, Kind::Command(_) | Kind::Practice(_))
    }
}
