//! The desk's calls to its connector: each attempt counted, each scheduled fault laid on the attempt it names.

use crate::domain::{OperationId, PartId};
use crate::evidence::{Answered, AttemptSeen, Call};
use crate::manifest::FaultName;
use crate::practice::{PracticeAttempt, PracticeCall};

/// The calls of one invocation.
pub(super) struct Calls<'c> {
    call: &'c PracticeCall<'c>,
    connector: PartId,
    step: u32,
    attempts: Vec<PracticeAttempt>,
    fired: Vec<usize>,
}

/// A call under way.
pub(super) struct Attempt {
    operation: OperationId,
    call: &'static str,
    number: u32,
    /// The fault that is scheduled for it, by its index, until it falls due.
    scheduled: Option<(usize, FaultName)>,
    fault: Option<FaultName>,
}

impl<'c> Calls<'c> {
    /// No call to the connector yet.
    pub(super) fn new(call: &'c PracticeCall<'c>, connector: PartId) -> Self {
        let step = call.invocation["step"].as_u64().and_then(|step| u32::try_from(step).ok()).unwrap_or(1);
        Self { call, connector, step, attempts: Vec::new(), fired: Vec::new() }
    }

    /// Begins an attempt.
    pub(super) fn begin(&self, operation: &OperationId, call: &'static str) -> Attempt {
        let earlier = || self.call.attempts_so_far.iter().chain(&self.attempts);
        let of_call = earlier().filter(|attempt| attempt.connector == self.connector && attempt.call == call).count();
        let of_operation = earlier().filter(|attempt| attempt.operation == *operation).count();
        let falls_here = |attempt: u32| usize::try_from(attempt).is_ok_and(|number| number == of_call + 1);
        let scheduled = self.call.faults.iter().enumerate().find(|(_, fault)| {
            fault.connector == self.connector && fault.operation == call && falls_here(fault.attempt)
        });
        Attempt {
            operation: operation.clone(),
            call,
            number: u32::try_from(of_operation + 1).unwrap_or(u32::MAX),
            scheduled: scheduled.map(|(index, fault)| (index, fault.fault)),
            fault: None,
        }
    }

    /// Whether the fault of that name falls on the attempt now. From here on it has fired.
    pub(super) fn fires(&mut self, attempt: &mut Attempt, name: FaultName) -> bool {
        let Some((index, fault)) = attempt.scheduled.filter(|(_, fault)| *fault == name) else { return false };
        if attempt.fault.is_none() {
            self.fired.push(index);
            attempt.fault = Some(fault);
        }
        true
    }

    /// Ends the attempt with what came back from the target, whether or not the desk got to see it.
    pub(super) fn end(&mut self, attempt: Attempt, answered: Answered) {
        let seen = AttemptSeen {
            number: attempt.number,
            step: self.step,
            call: Some(Call { connector: self.connector.clone(), operation: attempt.call.to_owned() }),
            identity: Some(attempt.operation.as_str().to_owned()),
            fault: attempt.fault.map(|fault| fault.name().to_owned()),
            answered,
            exchange: None,
            behind: None,
        };
        let Attempt { operation, call, .. } = attempt;
        let connector = self.connector.clone();
        self.attempts.push(PracticeAttempt { operation, connector, call: call.to_owned(), seen });
    }

    /// The attempts, and the indexes of the faults that fired.
    pub(super) fn into_parts(self) -> (Vec<PracticeAttempt>, Vec<usize>) {
        (self.attempts, self.fired)
    }
}
