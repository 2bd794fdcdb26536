//! Workflows that are built in: invoked in this process, on the trial's own state directory.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::PartId;
use crate::evidence::{Answer, ErrorKind, TrialError};
use crate::manifest::{Part, Project, WorkflowSpec};
use crate::practice::{self, Durability, PracticeAttempt, PracticeCall, PracticeError, TargetReading};

use super::answer::{read_answer, too_long};
use super::invocation::Invocation;
use super::workflow::{StepContext, StepEnd};

/// A practice workflow with its parts.
pub(super) struct PracticeRunner<'a> {
    spec: &'a WorkflowSpec,
    parts: BTreeMap<PartId, Part>,
    texts: &'a BTreeMap<PartId, BTreeMap<String, String>>,
}

/// What the runner learned from the invocations of one trial, beside the answers. It stays empty for other kinds.
#[derive(Debug, Default)]
pub(super) struct PracticeMemory {
    /// The attempts, in order.
    pub(super) attempts: Vec<PracticeAttempt>,
    /// The indexes of the faults that fired.
    pub(super) fired: BTreeSet<usize>,
    /// What the target showed after the last invocation; `None` where that one came to no answer.
    pub(super) readings: Option<Vec<TargetReading>>,
}

impl<'a> PracticeRunner<'a> {
    /// Picks the workflow's parts out of the project's.
    pub(super) fn new(spec: &'a WorkflowSpec, project: &'a Project) -> Self {
        let parts = spec.parts.iter().filter_map(|id| Some((id.clone(), project.parts.get(id)?.clone()))).collect();
        Self { spec, parts, texts: &project.texts }
    }

    /// The workflow's parts.
    pub(super) fn parts(&self) -> &BTreeMap<PartId, Part> {
        &self.parts
    }

    /// Invokes the workflow and remembers what was seen.
    pub(super) fn invoke(
        &self,
        invocation: &Invocation<'_>,
        context: &StepContext<'_>,
        memory: &mut PracticeMemory,
    ) -> StepEnd {
        StepEnd::of(self.answer(invocation, context, memory))
    }

    fn answer(
        &self,
        invocation: &Invocation<'_>,
        context: &StepContext<'_>,
        memory: &mut PracticeMemory,
    ) -> Result<Answer, TrialError> {
        memory.readings = None;
        let workflow = self.spec.practice.as_ref().ok_or_else(|| TrialError {
            kind: ErrorKind::Setup,
            message: "the workflow is no practice workflow".to_owned(),
        })?;
        let invocation = invocation.to_json()?;
        let call = PracticeCall {
            invocation: &invocation,
            parts: &self.parts,
            texts: self.texts,
            state_dir: context.state_dir,
            faults: context.faults,
            attempts_so_far: &memory.attempts,
            durability: Durability::Trial,
        };
        let answer = practice::invoke(workflow.name, &call).map_err(|error| practice_error(&error))?;
        memory.attempts.extend(answer.attempts);
        memory.fired.extend(answer.fired);
        memory.readings = Some(answer.readings);
        if answer.text.len() > self.spec.output_cap_bytes {
            return Err(too_long(self.spec.output_cap_bytes));
        }
        read_answer(answer.text.as_bytes(), self.spec.answer)
    }
}

fn practice_error(error: &PracticeError) -> TrialError {
    let kind = match error {
        PracticeError::Setup { .. } => ErrorKind::Setup,
        PracticeError::Store { .. } => ErrorKind::Exit,
    };
    TrialError { kind, message: error.to_string() }
}
