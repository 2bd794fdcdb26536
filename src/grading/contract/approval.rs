//! An approval that has expired stops no look at what was done, and gives no right to do it anew.

use crate::domain::Claim;
use crate::evidence::Answered;

use super::Found;
use super::scene::{Intent, Scene, Try, float};

/// An approval was there when the first attempt was made, so that it has expired once more time has passed since then than it
/// holds. An invoke with another input may have brought a new one.
pub(super) fn expired_gives_nothing(scene: &Scene<'_>, found: &mut Found) {
    for intent in &scene.intents {
        let (Some(call), Some(first)) = (intent.call(), intent.tries.first()) else { continue };
        let Some(holds_s) = scene.terms.approvals.get(&call.to_string()).copied() else { continue };
        for (at, later) in intent.tries.iter().enumerate().skip(1) {
            match scene.elapsed(first, later).exceeds(float(holds_s)) {
                Some(false) => {}
                None => found.not_judged("when an attempt was made was not seen"),
                Some(true) => judge_attempt(scene, intent, at, holds_s, found),
            }
        }
        judge_claims(scene, intent, first, holds_s, found);
    }
}

fn judge_attempt(scene: &Scene<'_>, intent: &Intent<'_>, at: usize, holds_s: u64, found: &mut Found) {
    let (first, later) = (&intent.tries[0], &intent.tries[at]);
    let earlier = || intent.tries[..at].iter().filter_map(|one| one.attempt.answered.receipt());
    let is_new = match &later.attempt.answered {
        Answered::Committed { receipt: Some(receipt) } => !earlier().any(|known| known == receipt),
        Answered::Committed { receipt: None } => true,
        _ => false,
    };
    let may_be_approved_anew =
        scene.terms.other_inputs.range(first.step() + 1..=later.step().max(first.step() + 1)).next().is_some();
    if !is_new {
        found.occasion();
    } else if may_be_approved_anew {
        found.not_judged("whether a later invoke brought a new approval was not seen");
    } else {
        let message = format!(
            "Attempt {} was committed after the {holds_s} s for which the approval of attempt {} holds.",
            later.number(),
            first.number()
        );
        found.breach(intent, &[later], message);
    }
}

/// What was done stays done: after the expiry it is not called refused or failed.
fn judge_claims(scene: &Scene<'_>, intent: &Intent<'_>, first: &Try<'_>, holds_s: u64, found: &mut Found) {
    let passed_before = |step: u32| {
        let (from, to) = (scene.terms.advanced_s(first.step()), scene.terms.advanced_s(step));
        to.saturating_sub(from) > holds_s
    };
    if !intent.is_done() {
        return;
    }
    for (step, claim) in scene.claims(intent.id()).filter(|(step, _)| passed_before(*step)) {
        if matches!(claim, Claim::Rejected | Claim::Failed) {
            let message = format!(
                "In step {step}, after the approval had expired, the workflow claimed `{claim}` of what is done."
            );
            found.breach(intent, &[], message);
        } else {
            found.occasion();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{
        Call, Trial, assert_breach, assert_kept, assert_no_occasion, assert_not_judged, trial,
    };
    use crate::domain::{Claim, Outcome, Rule};

    const RULE: Rule = Rule::ExpiredApprovalGivesNothing;
    const OPERATION: &str = "reserve:O-1";

    /// A lost attempt, time that passes, and another attempt; approvals hold for an hour.
    fn after(seconds: u64, second: Call) -> Trial {
        approved(trial(&[Call::reserve("O-1").key("k").status(500), second.step(3)]).clock(2, seconds))
    }

    fn approved(mut seen: Trial) -> Trial {
        seen.terms.approvals.insert("inventory/reserve".to_owned(), 3_600);
        seen
    }

    fn again() -> Call {
        Call::reserve("O-1").key("k")
    }

    #[test]
    fn to_do_it_anew_after_the_expiry_breaks_the_rule() {
        assert_breach(RULE, &after(3_700, again()), Some(OPERATION), &[2]);
        assert_no_occasion(RULE, &after(3_500, again()));
    }

    #[test]
    fn a_replay_and_a_refusal_give_nothing() {
        let replay = again().answer(r#"{"receipt": "R-O-1", "replayed": true}"#);
        assert_kept(RULE, &after(3_700, replay), 1);
        assert_kept(RULE, &after(3_700, again().status(422)).outcome(OPERATION, Outcome::Rejected, 0), 1);
        let same_receipt = trial(&[Call::reserve("O-1").key("k").lost(), again().step(3)]).clock(2, 3_700);
        assert_kept(RULE, &approved(same_receipt), 1);
    }

    #[test]
    fn an_invoke_that_says_something_else_may_approve_anew() {
        let mut seen = after(3_700, again());
        seen.terms.other_inputs.insert(3);
        assert_not_judged(RULE, &seen);
    }

    #[test]
    fn what_is_done_is_still_reported_after_the_expiry() {
        let done = || approved(trial(&[again()]).clock(2, 3_700));
        assert_kept(RULE, &done().claim(3, OPERATION, Claim::Completed), 1);
        assert_breach(RULE, &done().claim(3, OPERATION, Claim::Rejected), Some(OPERATION), &[]);
        let before = approved(trial(&[again()]).clock(2, 60)).claim(3, OPERATION, Claim::Rejected);
        assert_no_occasion(RULE, &before);
    }

    #[test]
    fn calls_that_no_action_names_need_no_approval() {
        let seen = trial(&[Call::reserve("O-1").key("k").status(500), again().step(3)]).clock(2, 3_700);
        assert_no_occasion(RULE, &seen);
    }
}
