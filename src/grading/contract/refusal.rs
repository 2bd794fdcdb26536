//! What was refused for good is not asked for again unchanged.

use super::Found;
use super::scene::{Scene, Told};

/// A refusal for now (429, or one with `Retry-After`) asks to come again. A later step is another request, by whoever invokes
/// the workflow.
pub(super) fn retried(scene: &Scene<'_>, found: &mut Found) {
    for intent in &scene.intents {
        for (at, one) in intent.tries.iter().enumerate().filter(|(_, one)| one.told() == Told::Refused) {
            let next = intent.tries.get(at + 1).filter(|next| next.step() == one.step());
            let Some(next) = next else {
                found.occasion();
                continue;
            };
            match (one.payload(), next.payload()) {
                (Some(first), Some(second)) if !first.is_alike(&second) => found.occasion(),
                (Some(_), Some(_)) => {
                    let (one_number, other) = (one.number(), next.number());
                    let message =
                        format!("Attempt {one_number} was refused, and attempt {other} asked for the same again.");
                    found.breach(intent, &[one, next], message);
                }
                _ => found.not_judged("whether an attempt after a refusal asked for the same was not seen"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, assert_not_judged, trial};
    use crate::domain::Rule;

    const RULE: Rule = Rule::RetriedRefusal;

    fn refused() -> Call {
        Call::reserve("O-1").key("k").status(422)
    }

    #[test]
    fn the_same_again_breaks_the_rule_whatever_its_key() {
        assert_breach(RULE, &trial(&[refused(), refused()]), Some("reserve:O-1"), &[1, 2]);
        assert_breach(RULE, &trial(&[refused(), Call::reserve("O-1").key("l")]), Some("reserve:O-1"), &[1, 2]);
    }

    #[test]
    fn a_corrected_request_and_another_step_keep_it() {
        assert_kept(RULE, &trial(&[refused()]), 1);
        let corrected = Call::reserve("O-1").key("l").body(r#"{"order": "O-1", "quantity": 2}"#);
        assert_kept(RULE, &trial(&[refused(), corrected]), 1);
        assert_kept(RULE, &trial(&[refused(), refused().step(2)]), 2);
    }

    #[test]
    fn a_refusal_for_now_asks_to_come_again() {
        for not_now in [refused().status(429), refused().retry_after("1"), refused().status(503), refused().status(409)]
        {
            assert_no_occasion(RULE, &trial(&[not_now, Call::reserve("O-1").key("k")]));
        }
    }

    #[test]
    fn what_was_asked_for_again_has_to_be_seen() {
        assert_not_judged(RULE, &trial(&[refused(), refused()]).without_exchanges());
    }
}
