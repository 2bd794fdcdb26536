//! `outcome`: what the evidence supports for an operation.

use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::OperationOutcome;

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
        let found = format!("{}{because}", seen.outcome);
        Ok(Finding::of(seen.outcome == self.is, format!("{operation} to be {}", self.is), found))
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::Outcome;
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
    fn the_message_gives_the_reason() {
        let mut seen = observation(None);
        let mut uncertain = operation("op-1", Outcome::Uncertain, 0);
        uncertain.evidence = vec!["Attempt 1: no answer.".to_owned(), "The target was not looked at.".to_owned()];
        seen.operations.push(uncertain);
        let message = graded(json!({"outcome": {"operation": "op-1", "is": "committed"}}), &seen).message;
        assert_eq!(message, "expected `op-1` to be committed; found uncertain: The target was not looked at.");
    }
}
