//! Past the time for which a target remembers a key, a retry is a new request: a look comes first.

use super::Found;
use super::look::looks_after;
use super::scene::{Scene, Try, float};

/// The time counts from the first attempt, which is when the target first saw the key.
pub(super) fn look_after(scene: &Scene<'_>, found: &mut Found) {
    for intent in &scene.intents {
        let Some(window_s) = intent.contract().and_then(|contract| contract.idempotency.window_s) else { continue };
        let Some(first) = intent.tries.first() else { continue };
        for (before, (earlier, later)) in (1..).zip(intent.retries()) {
            if !intent.tries[..before].iter().any(Try::may_have_been_done) {
                continue;
            }
            let (one, other) = (earlier.number(), later.number());
            match scene.elapsed(first, later).exceeds(float(window_s)) {
                Some(false) => {}
                None => found.not_judged(format!("when attempt {other} was made was not seen")),
                Some(true) => {
                    let Some(begun_us) = later.exchange.map(|exchange| exchange.begun_us) else {
                        found.not_judged("whether a look came before the last attempt was not seen");
                        continue;
                    };
                    if looks_after(scene, intent, earlier, |look| look.ended_us <= begun_us).is_empty() {
                        let message = format!(
                            "Attempt {other} came after the {window_s} s for which the target remembers the key of \
                             attempt {one}, and no look came before it."
                        );
                        found.breach(intent, &[earlier, later], message);
                    } else {
                        found.occasion();
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, assert_not_judged, trial};
    use crate::domain::Rule;

    const RULE: Rule = Rule::LookAfterWindow;

    fn lost() -> Call {
        Call::reserve("O-1").key("k").lost().at(10)
    }

    fn again(at: u64) -> Call {
        Call::reserve("O-1").key("k").at(at)
    }

    #[test]
    fn within_the_window_a_retry_needs_no_look() {
        assert_no_occasion(RULE, &trial(&[lost(), again(1_800)]));
        assert_no_occasion(RULE, &trial(&[lost(), again(1_810)]));
    }

    #[test]
    fn past_it_a_retry_without_a_look_breaks_the_rule() {
        assert_breach(RULE, &trial(&[lost(), again(1_811)]), Some("reserve:O-1"), &[1, 2]);
        assert_kept(RULE, &trial(&[lost(), Call::look("O-1").at(1_810), again(1_811)]), 1);
    }

    #[test]
    fn a_look_at_something_else_and_a_look_afterwards_are_none() {
        let other = trial(&[lost(), Call::look("O-10").at(1_810), again(1_811)]);
        assert_breach(RULE, &other, Some("reserve:O-1"), &[1, 2]);
        let late = trial(&[lost(), again(1_811), Call::look("O-1").at(1_812)]);
        assert_breach(RULE, &late, Some("reserve:O-1"), &[1, 2]);
    }

    #[test]
    fn the_window_counts_from_the_first_attempt_and_not_from_the_last() {
        let between = || Call::reserve("O-1").key("k").lost().at(1_500);
        assert_breach(RULE, &trial(&[lost(), between(), again(1_811)]), Some("reserve:O-1"), &[2, 3]);
    }

    #[test]
    fn time_that_a_case_lets_pass_counts() {
        let seen = |advance| trial(&[lost(), again(20).step(3)]).clock(2, advance);
        assert_breach(RULE, &seen(1_800), Some("reserve:O-1"), &[1, 2]);
        assert_no_occasion(RULE, &seen(1_700));
    }

    #[test]
    fn after_a_refusal_nothing_is_left_to_look_for() {
        let refused = || Call::reserve("O-1").key("k").status(422).at(20);
        assert_no_occasion(RULE, &trial(&[refused(), again(1_821)]));
        // The attempt before the refusal may still have been done.
        assert_breach(RULE, &trial(&[lost(), refused(), again(1_811)]), Some("reserve:O-1"), &[2, 3]);
    }

    #[test]
    fn without_the_calls_only_the_steps_tell_the_time() {
        let seen = |advance| trial(&[lost(), again(20).step(3)]).clock(2, advance).without_exchanges();
        assert_no_occasion(RULE, &seen(1_700));
        assert_not_judged(RULE, &seen(1_801));
    }
}
