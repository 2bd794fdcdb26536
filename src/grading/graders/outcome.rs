//! `outcome`: what the evidence supports for an operation.

use crate::domain::{Outcome, some_of};
use crate::evidence::{Observation, OperationSeen};
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::OperationOutcome;

/// So many operations are named in place of one that was not called.
const CALLED_SHOWN: usize = 3;

impl Judge for OperationOutcome {
    const DOC: GraderDoc = GraderDoc {
        name: "outcome",
        summary: "The evidence supports this outcome for an operation: not_started, rejected, not_committed, \
                  committed, replayed, duplicated, mismatched or uncertain. An operation of which no evidence was \
                  gathered is no judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let operation = quoted(self.operation.as_str());
        let seen = subject.observation.operations.iter().find(|seen| seen.operation == self.operation);
        let Some(seen) = seen else {
            return Err(NoJudgement::new(format!("no evidence was gathered on the operation {operation}")));
        };
        let because = seen.evidence.last().map(|sentence| format!(": {sentence}")).unwrap_or_default();
        let found = format!("{}{because}{}", seen.outcome, called_instead(seen, subject.observation));
        Ok(Finding::of(seen.outcome == self.is, format!("{operation} to be {}", self.is), found))
    }
}

/// The operations that were called, where the one that is meant is uncertain and was not: its name may be another than the case has.
fn called_instead(meant: &OperationSeen, observation: &Observation) -> String {
    if meant.outcome != Outcome::Uncertain || !meant.attempts.is_empty() {
        return String::new();
    }
    let called = observation.operations.iter().filter(|seen| !seen.attempts.is_empty());
    let called: Vec<String> = called.map(|seen| quoted(seen.operation.as_str())).collect();
    if called.is_empty() {
        return String::new();
    }
    format!(" No call of it was seen; what was called: {}.", some_of(called, CALLED_SHOWN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Answered, AttemptSeen};
    use crate::grading::specimen::{assert_both, assert_no_judgement, graded, observation, operation};
    use serde_json::json;

    #[test]
    fn the_outcome_is_the_one_expected_or_another() {
        let mut seen = observation(None);
        seen.operations.push(operation("op-1", Outcome::Replayed, 1));
        let is = |outcome: &str| json!({"outcome": {"operation": "op-1", "is": outcome}});
        assert_both(&is("replayed"), &seen, Some(true), Some(false));
        assert_both(&is("committed"), &seen, Some(false), Some(true));
    }

    #[test]
    fn an_operation_without_evidence_is_no_judgement() {
        let mut seen = observation(None);
        seen.operations.push(operation("op-1", Outcome::Committed, 1));
        assert_no_judgement(&json!({"outcome": {"operation": "op-2", "is": "not_started"}}), &seen);
    }

    #[test]
    fn an_operation_that_nobody_called_is_told_beside_those_that_were() {
        let mut seen = observation(None);
        seen.operations.push(operation("O-1", Outcome::Uncertain, 0));
        let message = |seen: &_| graded(json!({"outcome": {"operation": "O-1", "is": "committed"}}), seen).message;
        assert!(!message(&seen).contains("what was called"), "{}", message(&seen));
        let mut called = operation("order:O-1", Outcome::Committed, 1);
        called.attempts = vec![AttemptSeen {
            number: 1,
            step: 1,
            call: None,
            identity: None,
            fault: None,
            answered: Answered::NoAnswer,
            exchange: None,
            behind: None,
        }];
        seen.operations.push(called);
        assert!(
            message(&seen).ends_with("No call of it was seen; what was called: `order:O-1`."),
            "{}",
            message(&seen)
        );
        seen.operations[0].outcome = Outcome::NotStarted;
        assert!(!message(&seen).contains("what was called"), "that it was not called is what is known of it");
    }

    #[test]
    fn the_message_gives_the_reason() {
        let mut seen = observation(None);
        let mut uncertain = operation("op-1", Outcome::Uncertain, 0);
        uncertain.evidence = vec!["Attempt 1: no answer.".to_owned(), "The target was not looked at.".to_owned()];
        seen.operations.push(uncertain);
        let message = graded(json!({"outcome": {"operation": "op-1", "is": "committed"}}), &seen).message;
        assert_eq!(message, "expected `op-1` to be committed; found uncertain: The target was not looked at.");
    }
}
