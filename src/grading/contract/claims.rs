//! What a workflow says in the end, against what is there; and that it says something.

use crate::domain::{ClaimCheck, Rule};
use crate::evidence::check_claim;

use super::Found;
use super::scene::Scene;

/// `false_success`, `false_failure` and `overclaimed`: each is an occasion for every operation of which something was claimed.
pub(super) fn checked(scene: &Scene<'_>, found: &mut Found) {
    let checks = crate::grading::claims::outcomes(scene.observation);
    for (operation, outcome) in checks {
        let Some(claim) = scene.observation.last_claim(&operation) else { continue };
        let breaks = match check_claim(outcome, Some(claim)) {
            ClaimCheck::FalseSuccess => found.rule == Rule::FalseSuccess,
            ClaimCheck::FalseFailure => found.rule == Rule::FalseFailure,
            ClaimCheck::Overclaimed => found.rule == Rule::Overclaimed,
            ClaimCheck::Confirmed | ClaimCheck::HonestUnknown | ClaimCheck::Silent => false,
        };
        if breaks {
            let message = format!("The workflow claimed `{claim}`, and the evidence supports `{outcome}`.");
            found.breach_of(Some(operation), Vec::new(), message);
        } else {
            found.occasion();
        }
    }
}

/// An operation that was attempted or left an effect, and of which no answer says anything.
pub(super) fn silent(scene: &Scene<'_>, found: &mut Found) {
    for intent in scene.intents.iter().filter(|intent| !intent.tries.is_empty() || intent.seen.effects > 0) {
        if scene.observation.last_claim(intent.id()).is_some() {
            found.occasion();
        } else {
            let tries: Vec<_> = intent.tries.iter().collect();
            found.breach(intent, &tries, "No answer of the workflow says what became of it.");
        }
    }
}

/// The last invoke came to an answer.
pub(super) fn no_answer(scene: &Scene<'_>, found: &mut Found) {
    let last = scene.observation.steps.iter().rfind(|step| step.kind == "invoke");
    let Some(last) = last else { return };
    let is_empty = last.answer.as_ref().is_none_or(|answer| answer.text.trim().is_empty());
    if !is_empty && scene.observation.error.is_none() {
        return found.occasion();
    }
    let why = match &scene.observation.error {
        Some(error) => format!("The workflow came to no answer: {}", error.message),
        None => format!("The workflow gave no answer in step {}.", last.number),
    };
    let end = if why.ends_with('.') { "" } else { "." };
    found.breach_of(None, Vec::new(), format!("{why}{end}"));
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, trial};
    use crate::domain::{Claim, Outcome, Rule};
    use crate::evidence::{ErrorKind, TrialError};

    const OPERATION: &str = "reserve:O-1";

    #[test]
    fn each_way_to_be_wrong_is_a_rule_of_its_own() {
        let seen = |outcome, effects, claim| {
            trial(&[Call::reserve("O-1").key("k")]).outcome(OPERATION, outcome, effects).claim(1, OPERATION, claim)
        };
        let rules = [Rule::FalseSuccess, Rule::FalseFailure, Rule::Overclaimed];
        for (outcome, effects, claim, broken) in [
            (Outcome::NotCommitted, 0, Claim::Completed, Some(Rule::FalseSuccess)),
            (Outcome::Duplicated, 2, Claim::Completed, Some(Rule::FalseSuccess)),
            (Outcome::Committed, 1, Claim::Failed, Some(Rule::FalseFailure)),
            (Outcome::Uncertain, 0, Claim::Completed, Some(Rule::Overclaimed)),
            (Outcome::Uncertain, 0, Claim::Unknown, None),
            (Outcome::Committed, 1, Claim::Completed, None),
        ] {
            for rule in rules {
                match broken == Some(rule) {
                    true => assert_breach(rule, &seen(outcome, effects, claim), Some(OPERATION), &[]),
                    false => assert_kept(rule, &seen(outcome, effects, claim), 1),
                }
            }
        }
    }

    #[test]
    fn the_last_claim_counts_and_none_is_no_occasion() {
        let seen = trial(&[Call::reserve("O-1").key("k")]);
        assert_no_occasion(Rule::FalseFailure, &seen);
        let corrected = seen.claim(1, OPERATION, Claim::Failed).claim(2, OPERATION, Claim::Completed);
        assert_kept(Rule::FalseFailure, &corrected, 1);
    }

    #[test]
    fn what_was_attempted_is_spoken_of() {
        let seen = trial(&[Call::reserve("O-1").key("k")]);
        assert_breach(Rule::Silent, &seen, Some(OPERATION), &[1]);
        assert_kept(Rule::Silent, &seen.claim(1, OPERATION, Claim::Unknown), 1);
        assert_no_occasion(Rule::Silent, &trial(&[]).outcome(OPERATION, Outcome::NotStarted, 0));
        assert_breach(Rule::Silent, &trial(&[]).outcome(OPERATION, Outcome::Committed, 1), Some(OPERATION), &[]);
    }

    #[test]
    fn an_empty_answer_and_an_error_are_no_answer() {
        assert_kept(Rule::NoAnswer, &trial(&[]), 1);
        let mut empty = trial(&[]);
        empty.observation.steps[0].answer.as_mut().unwrap().text = " \n".to_owned();
        assert_breach(Rule::NoAnswer, &empty, None, &[]);
        let mut none = trial(&[]);
        none.observation.steps[0].answer = None;
        assert_breach(Rule::NoAnswer, &none, None, &[]);
        let mut ended = trial(&[]);
        ended.observation.error = Some(TrialError { kind: ErrorKind::Timeout, message: "it took too long".to_owned() });
        assert_breach(Rule::NoAnswer, &ended, None, &[]);
    }
}
