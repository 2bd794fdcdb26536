//! What may have been done is not asked for again where nothing would make the two one.

use crate::manifest::IdempotencyKey;

use super::Found;
use super::keys::is_protected;
use super::look::looks_after;
use super::scene::{Intent, Scene, Told};

/// A look in between makes it right: whether the look settles anything is another rule's business.
pub(super) fn retry(scene: &Scene<'_>, found: &mut Found) {
    for intent in &scene.intents {
        if left_alone(intent) {
            found.occasion();
        }
        for (earlier, later) in intent.retries() {
            if later.contract.is_none() {
                found.not_judged("no manifest states the contract of an operation that was tried again");
            } else if !earlier.may_have_been_done() || is_protected(scene, earlier, later) {
                found.occasion();
            } else {
                let Some(begun_us) = later.exchange.map(|exchange| exchange.begun_us) else {
                    found.not_judged("whether a look came before another attempt was not seen");
                    continue;
                };
                if looks_after(scene, intent, earlier, |look| look.ended_us <= begun_us).is_empty() {
                    let (one, other) = (earlier.number(), later.number());
                    let message = format!(
                        "Attempt {one} may have been done, and attempt {other} asked for it again without a look, where \
                         the target takes it for a new request."
                    );
                    found.breach(intent, &[earlier, later], message);
                } else {
                    found.occasion();
                }
            }
        }
    }
}

/// Whether the last attempt may have been done, nothing would make another one the same, and there was none.
fn left_alone(intent: &Intent<'_>) -> bool {
    let Some(last) = intent.tries.last() else { return false };
    let is_open = matches!(last.told(), Told::Nothing | Told::Failed | Told::Open | Told::InFlight | Told::Unseen);
    is_open && last.contract.is_some_and(|contract| contract.idempotency.key == IdempotencyKey::None)
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, assert_not_judged, trial};
    use crate::domain::Rule;

    const RULE: Rule = Rule::UnprotectedRetry;

    #[test]
    fn without_a_key_another_attempt_needs_a_look() {
        let lost = || Call::send("O-1").lost();
        assert_breach(RULE, &trial(&[lost(), Call::send("O-1")]), Some("send:O-1"), &[1, 2]);
        assert_kept(RULE, &trial(&[lost(), Call::look_for_message("O-1"), Call::send("O-1")]), 1);
        assert_kept(RULE, &trial(&[lost()]), 1);
        assert_no_occasion(RULE, &trial(&[Call::reserve("O-1").key("k").lost()]));
        assert_no_occasion(RULE, &trial(&[Call::send("O-1")]));
    }

    #[test]
    fn what_is_done_is_not_asked_for_again_in_a_later_step_either() {
        assert_breach(RULE, &trial(&[Call::send("O-1"), Call::send("O-1").step(3)]), Some("send:O-1"), &[1, 2]);
    }

    #[test]
    fn after_a_refusal_and_under_a_key_nothing_can_double() {
        assert_kept(RULE, &trial(&[Call::send("O-1").status(422), Call::send("O-1")]), 1);
        assert_kept(RULE, &trial(&[Call::send("O-1").status(429), Call::send("O-1")]), 1);
        let keyed = || Call::reserve("O-1").key("k");
        assert_kept(RULE, &trial(&[keyed().lost(), keyed()]), 1);
        assert_kept(RULE, &trial(&[Call::release("O-1").lost(), Call::release("O-1")]), 1);
        assert_breach(RULE, &trial(&[Call::reserve("O-1").lost(), keyed()]), Some("reserve:O-1"), &[1, 2]);
        assert_breach(RULE, &trial(&[keyed().lost(), keyed().at(2_000)]), Some("reserve:O-1"), &[1, 2]);
    }

    #[test]
    fn without_the_calls_a_look_may_have_been_had() {
        assert_not_judged(RULE, &trial(&[Call::send("O-1").lost(), Call::send("O-1")]).without_exchanges());
    }
}
