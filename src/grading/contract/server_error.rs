//! A failure inside the target (5xx) leaves open what happened: it is never a refusal, and no proof that nothing was done.

use crate::domain::Claim;

use super::Found;
use super::look::looks_after;
use super::scene::{Intent, Scene, Told, Try};

/// What an answer of a step claims is held against what its workflow had been told by then.
pub(super) fn is_uncertain(scene: &Scene<'_>, found: &mut Found) {
    for intent in &scene.intents {
        let has_failed = |told| told == Told::Failed;
        if !intent.tries.iter().map(Try::told).any(has_failed) {
            continue;
        }
        let absent = scene.claims(intent.id()).filter(|(_, claim)| matches!(claim, Claim::Rejected | Claim::Failed));
        let open = absent.filter_map(|(step, claim)| Some((claim, left_open(scene, intent, step)?)));
        match open.into_iter().next() {
            None => found.occasion(),
            Some((_, one)) if one.exchange.is_none() => {
                found.not_judged("whether a look came after a failure inside the target was not seen");
            }
            Some((claim, one)) => {
                let message = format!(
                    "Attempt {} ended with a failure inside the target, which leaves open what happened, and the \
                     workflow claimed `{claim}`.",
                    one.number()
                );
                found.breach(intent, &[one], message);
            }
        }
    }
}

/// The attempt whose failure nothing had settled by the end of a step.
fn left_open<'s, 'a>(scene: &Scene<'a>, intent: &'s Intent<'a>, step: u32) -> Option<&'s Try<'a>> {
    let mut open: Option<&Try<'_>> = None;
    for one in intent.tries.iter().filter(|one| one.step() <= step) {
        match one.told() {
            Told::Failed => open = Some(one),
            Told::Done | Told::Refused => open = None,
            _ => {}
        }
    }
    open.filter(|one| looks_after(scene, intent, one, |look| look.step <= step).is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, assert_not_judged, trial};
    use crate::domain::{Claim, Rule};

    const RULE: Rule = Rule::ServerErrorIsUncertain;

    fn failed() -> Call {
        Call::reserve("O-1").key("k").status(500)
    }

    #[test]
    fn to_call_it_refused_or_failed_breaks_the_rule_whatever_is_true() {
        for claim in [Claim::Rejected, Claim::Failed] {
            let seen = trial(&[failed()]).claim(1, "reserve:O-1", claim);
            assert_breach(RULE, &seen, Some("reserve:O-1"), &[1]);
            let true_by_chance = seen.outcome("reserve:O-1", crate::domain::Outcome::NotCommitted, 0);
            assert_breach(RULE, &true_by_chance, Some("reserve:O-1"), &[1]);
        }
    }

    #[test]
    fn to_say_that_it_is_unknown_keeps_the_rule() {
        assert_kept(RULE, &trial(&[failed()]).claim(1, "reserve:O-1", Claim::Unknown), 1);
        assert_kept(RULE, &trial(&[failed()]), 1);
    }

    #[test]
    fn a_refusal_or_a_look_afterwards_settles_it() {
        let refused = trial(&[failed(), Call::reserve("O-1").key("k").status(422)]);
        assert_kept(RULE, &refused.claim(1, "reserve:O-1", Claim::Rejected), 1);
        let looked = trial(&[failed(), Call::look("O-1")]).claim(1, "reserve:O-1", Claim::Failed);
        assert_kept(RULE, &looked, 1);
    }

    #[test]
    fn an_answer_that_was_lost_afterwards_settles_nothing() {
        let lost = trial(&[failed(), Call::reserve("O-1").key("k").lost()]);
        assert_breach(RULE, &lost.claim(1, "reserve:O-1", Claim::Failed), Some("reserve:O-1"), &[1]);
    }

    #[test]
    fn an_early_claim_counts_although_a_later_one_takes_it_back() {
        let seen = trial(&[failed(), Call::reserve("O-1").key("k").step(2)]);
        let seen = seen.claim(1, "reserve:O-1", Claim::Failed).claim(2, "reserve:O-1", Claim::Completed);
        assert_breach(RULE, &seen, Some("reserve:O-1"), &[1]);
    }

    #[test]
    fn a_documented_refusal_and_a_plain_no_are_no_failures_inside() {
        let refused = trial(&[Call::reserve("O-1").key("k").status(422)]).claim(1, "reserve:O-1", Claim::Rejected);
        assert_no_occasion(RULE, &refused);
        let other = trial(&[Call::reserve("O-1").key("k").status(404)]).claim(1, "reserve:O-1", Claim::Failed);
        assert_no_occasion(RULE, &other);
    }

    #[test]
    fn without_the_calls_a_look_may_have_been_had() {
        let seen = trial(&[failed()]).without_exchanges();
        assert_kept(RULE, &seen.clone().claim(1, "reserve:O-1", Claim::Unknown), 1);
        assert_not_judged(RULE, &seen.claim(1, "reserve:O-1", Claim::Failed));
    }
}
