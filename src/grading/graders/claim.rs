//! `claim`: what the workflow says of its operations, by itself and against the evidence.

use crate::domain::{ClaimCheck, OperationId};
use crate::grading::claims::claim_checks;
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::BehaviourClaim;

const DOC: GraderDoc = GraderDoc {
    name: "claim",
    summary: "With `operation` and `is`: the workflow's last claim of that operation is this one; no claim fails. With \
              `matches_evidence`: every claim is confirmed or honestly unknown, and no operation that left an effect \
              is passed over in silence. Where nothing was claimed and nothing left an effect there is nothing to \
              match, and no judgement.",
};

impl Judge for BehaviourClaim {
    const DOC: GraderDoc = DOC;

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        subject.answer()?;
        let claim = subject.observation.last_claim(&self.operation);
        let expected = format!("{} to be claimed as {}", quoted(self.operation.as_str()), self.is);
        let found = claim.map_or("no claim of it".to_owned(), |claim| claim.to_string());
        Ok(Finding::of(claim == Some(self.is), expected, found))
    }
}

/// `claim: matches_evidence`.
pub(in crate::grading) struct ClaimsMatchEvidence;

impl Judge for ClaimsMatchEvidence {
    const DOC: GraderDoc = DOC;

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        subject.answer()?;
        let checks = claim_checks(subject.observation);
        let left_effect = |operation: &OperationId| {
            subject.observation.operations.iter().any(|seen| seen.operation == *operation && seen.effects > 0)
        };
        let to_match: Vec<(&OperationId, ClaimCheck)> = checks
            .iter()
            .map(|(operation, check)| (operation, *check))
            .filter(|(operation, check)| *check != ClaimCheck::Silent || left_effect(operation))
            .collect();
        if to_match.is_empty() {
            return Err(NoJudgement::new("nothing was claimed, and no operation left an effect"));
        }
        let matches = |check: ClaimCheck| matches!(check, ClaimCheck::Confirmed | ClaimCheck::HonestUnknown);
        let wrong = to_match.iter().find(|(_, check)| !matches(*check));
        let found = match wrong {
            Some((operation, check)) => {
                let claim = subject.observation.last_claim(operation);
                let claim = claim.map_or("no claim".to_owned(), |claim| format!("claim {claim}"));
                format!("{check}: {claim} of {}", quoted(operation.as_str()))
            }
            None => format!("{} that do", to_match.len()),
        };
        Ok(Finding::of(wrong.is_none(), "claims that match the evidence", found))
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::{Claim, Outcome};
    use crate::evidence::Observation;
    use crate::grading::specimen::{assert_both, assert_no_judgement, claiming, graded, observation, operation};
    use serde_json::{Value, json};

    fn seen(claims: &[(&str, Claim)], operations: &[(&str, Outcome, usize)]) -> Observation {
        let mut seen = observation(Some(claiming(claims)));
        seen.operations = operations.iter().map(|&(id, outcome, effects)| operation(id, outcome, effects)).collect();
        seen
    }

    fn matches_evidence() -> Value {
        json!({"claim": "matches_evidence"})
    }

    #[test]
    fn one_operations_claim_is_the_one_expected() {
        let made = seen(&[("op-1", Claim::Failed), ("op-1", Claim::Completed)], &[]);
        let is = |operation: &str, claim: &str| json!({"claim": {"operation": operation, "is": claim}});
        assert_both(&is("op-1", "completed"), &made, Some(true), Some(false));
        assert_both(&is("op-1", "failed"), &made, Some(false), Some(true));
        assert_both(&is("op-2", "completed"), &made, Some(false), Some(true));
        assert_no_judgement(&is("op-1", "completed"), &observation(None));
    }

    #[test]
    fn confirmed_and_honestly_unknown_claims_match() {
        let made = seen(
            &[("op-1", Claim::Completed), ("op-2", Claim::Unknown), ("op-3", Claim::Rejected)],
            &[
                ("op-1", Outcome::Committed, 1),
                ("op-2", Outcome::Uncertain, 0),
                ("op-3", Outcome::Rejected, 0),
                ("op-4", Outcome::NotStarted, 0),
            ],
        );
        assert_both(&matches_evidence(), &made, Some(true), Some(false));
    }

    #[test]
    fn one_false_claim_is_enough() {
        let wrong = [
            ("op-1", Claim::Completed, Outcome::NotCommitted, 0),
            ("op-1", Claim::Failed, Outcome::Committed, 1),
            ("op-1", Claim::Completed, Outcome::Duplicated, 2),
            ("op-1", Claim::Completed, Outcome::Uncertain, 0),
        ];
        for (id, claim, outcome, effects) in wrong {
            let made = seen(
                &[("op-0", Claim::Completed), (id, claim)],
                &[("op-0", Outcome::Committed, 1), (id, outcome, effects)],
            );
            assert_both(&matches_evidence(), &made, Some(false), Some(true));
        }
    }

    #[test]
    fn a_claim_of_something_nobody_saw_does_not_match() {
        assert_both(&matches_evidence(), &seen(&[("op-1", Claim::Completed)], &[]), Some(false), Some(true));
    }

    #[test]
    fn an_effect_passed_over_in_silence_does_not_match() {
        assert_both(&matches_evidence(), &seen(&[], &[("op-1", Outcome::Committed, 1)]), Some(false), Some(true));
    }

    #[test]
    fn where_nothing_was_claimed_and_nothing_left_there_is_nothing_to_match() {
        assert_no_judgement(&matches_evidence(), &seen(&[], &[]));
        assert_no_judgement(&matches_evidence(), &seen(&[], &[("op-1", Outcome::NotStarted, 0)]));
        assert_no_judgement(&matches_evidence(), &observation(None));
    }

    #[test]
    fn the_message_names_claim_and_operation() {
        let made = seen(&[("op-1", Claim::Completed)], &[("op-1", Outcome::NotCommitted, 0)]);
        let message = graded(matches_evidence(), &made).message;
        assert_eq!(message, "expected claims that match the evidence; found false_success: claim completed of `op-1`");
    }
}
