//! Each operation's claim, held against the evidence.

use std::collections::BTreeMap;

use crate::domain::{ClaimCheck, OperationId, Outcome};
use crate::evidence::{Observation, check_claim};

/// What the evidence supports for every operation that was seen or claimed. An operation that is only claimed, and of
/// which no evidence was gathered, is uncertain.
pub(super) fn outcomes(observation: &Observation) -> BTreeMap<OperationId, Outcome> {
    let answers = observation.steps.iter().filter_map(|step| step.answer.as_ref());
    let claimed = answers.flat_map(|answer| &answer.claims).map(|made| (made.operation.clone(), Outcome::Uncertain));
    let seen = observation.operations.iter().map(|seen| (seen.operation.clone(), seen.outcome));
    claimed.chain(seen).collect()
}

/// The last claim of each of those operations against that outcome.
pub(super) fn claim_checks(observation: &Observation) -> BTreeMap<OperationId, ClaimCheck> {
    let check = |(operation, outcome)| {
        let claim = observation.last_claim(&operation);
        (operation, check_claim(outcome, claim))
    };
    outcomes(observation).into_iter().map(check).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Claim;
    use crate::grading::specimen::{claiming, observation, operation};

    #[test]
    fn every_operation_seen_or_claimed_is_checked_by_its_last_claim() {
        let mut seen = observation(Some(claiming(&[("op-1", Claim::Completed), ("op-2", Claim::Completed)])));
        let mut later = seen.steps[0].clone();
        later.answer = Some(claiming(&[("op-1", Claim::Failed)]));
        seen.steps.push(later);
        seen.operations = vec![operation("op-1", Outcome::Committed, 1), operation("op-3", Outcome::NotStarted, 0)];
        let expected = [
            ("op-1".into(), ClaimCheck::FalseFailure),
            ("op-2".into(), ClaimCheck::Overclaimed),
            ("op-3".into(), ClaimCheck::Silent),
        ];
        assert_eq!(claim_checks(&seen), BTreeMap::from(expected));
    }
}
