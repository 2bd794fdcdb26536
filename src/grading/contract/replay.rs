//! A replay shows by the target's answer and by a count that did not change; one of the two is not enough.

use std::collections::BTreeSet;

use crate::domain::Outcome;
use crate::evidence::Answered;

use super::Found;
use super::scene::{Intent, Scene, Try};

pub(super) fn adds_nothing(scene: &Scene<'_>, found: &mut Found) {
    for intent in &scene.intents {
        let Some(replayed) = replayed(intent) else { continue };
        match intent.seen.outcome {
            Outcome::Duplicated => {
                let message = format!(
                    "Attempt {} was answered as a replay, and the target shows {} effects.",
                    replayed.number(),
                    intent.seen.effects
                );
                found.breach(intent, &[replayed], message);
            }
            Outcome::Uncertain => found.not_judged("the target's count after a replay is not settled"),
            _ => found.occasion(),
        }
    }
}

/// The first attempt that was answered as a replay: by the target's signal, or by the receipt of an earlier one.
fn replayed<'s, 'a>(intent: &'s Intent<'a>) -> Option<&'s Try<'a>> {
    let mut receipts: BTreeSet<&str> = BTreeSet::new();
    intent.tries.iter().find(|one| match &one.attempt.answered {
        Answered::Replayed { .. } => true,
        Answered::Committed { receipt: Some(receipt) } => !receipts.insert(receipt),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, assert_not_judged, trial};
    use crate::domain::{Outcome, Rule};

    const RULE: Rule = Rule::ReplayAddsNothing;

    fn twice(second: &str) -> super::super::specimen::Trial {
        trial(&[Call::reserve("O-1").key("k").lost(), Call::reserve("O-1").key("k").answer(second)])
    }

    #[test]
    fn a_replay_whose_target_shows_one_effect_keeps_the_rule() {
        let seen = twice(r#"{"receipt": "R-O-1", "replayed": true}"#);
        assert_kept(RULE, &seen.outcome("reserve:O-1", Outcome::Replayed, 1), 1);
    }

    #[test]
    fn a_replay_whose_target_shows_two_effects_breaks_it() {
        for second in [r#"{"receipt": "R-9", "replayed": true}"#, r#"{"receipt": "R-O-1"}"#] {
            let seen = twice(second).outcome("reserve:O-1", Outcome::Duplicated, 2);
            assert_breach(RULE, &seen, Some("reserve:O-1"), &[2]);
        }
    }

    #[test]
    fn two_effects_without_a_replay_are_another_matter() {
        let seen = twice(r#"{"receipt": "R-9"}"#).outcome("reserve:O-1", Outcome::Duplicated, 2);
        assert_no_occasion(RULE, &seen);
    }

    #[test]
    fn a_count_that_is_not_settled_is_not_judged() {
        let seen = twice(r#"{"receipt": "R-O-1", "replayed": true}"#);
        assert_not_judged(RULE, &seen.outcome("reserve:O-1", Outcome::Uncertain, 0));
    }
}
