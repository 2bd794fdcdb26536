//! One intention leaves one effect, and the one that was intended.

use crate::domain::Outcome;

use super::Found;
use super::scene::Scene;

/// More than one effect for one intention.
pub(super) fn duplicated(scene: &Scene<'_>, found: &mut Found) {
    check(scene, found, Outcome::Duplicated, |effects| format!("The target shows {effects} effects of one intention."));
}

/// An effect with other parameters than were intended.
pub(super) fn mismatched(scene: &Scene<'_>, found: &mut Found) {
    check(scene, found, Outcome::Mismatched, |_| {
        "The target shows an effect with other parameters than intended.".to_owned()
    });
}

/// An occasion is every operation of which the target shows an effect.
fn check(scene: &Scene<'_>, found: &mut Found, wrong: Outcome, message: impl Fn(usize) -> String) {
    for intent in &scene.intents {
        let tries: Vec<_> = intent.tries.iter().collect();
        if intent.seen.outcome == wrong {
            found.breach(intent, &tries, message(intent.seen.effects));
        } else if intent.seen.outcome == Outcome::Uncertain && !tries.is_empty() {
            found.not_judged("what the target shows of an operation is not settled");
        } else if intent.seen.effects > 0 {
            found.occasion();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, assert_not_judged, trial};
    use crate::domain::{Outcome, Rule};

    #[test]
    fn a_second_effect_and_another_effect_are_told_apart() {
        let seen = |outcome, effects| {
            trial(&[Call::reserve("O-1").key("k").lost(), Call::reserve("O-1").key("k")]).outcome(
                "reserve:O-1",
                outcome,
                effects,
            )
        };
        let twice = seen(Outcome::Duplicated, 2);
        assert_breach(Rule::DuplicatedEffect, &twice, Some("reserve:O-1"), &[1, 2]);
        assert_kept(Rule::MismatchedEffect, &twice, 1);
        let other = seen(Outcome::Mismatched, 1);
        assert_breach(Rule::MismatchedEffect, &other, Some("reserve:O-1"), &[1, 2]);
        assert_kept(Rule::DuplicatedEffect, &other, 1);
        assert_kept(Rule::DuplicatedEffect, &seen(Outcome::Replayed, 1), 1);
    }

    #[test]
    fn without_an_effect_there_is_no_occasion_and_without_certainty_no_judgement() {
        let seen = |outcome| trial(&[Call::reserve("O-1").key("k").lost()]).outcome("reserve:O-1", outcome, 0);
        assert_no_occasion(Rule::DuplicatedEffect, &seen(Outcome::NotCommitted));
        assert_not_judged(Rule::DuplicatedEffect, &seen(Outcome::Uncertain));
    }
}
