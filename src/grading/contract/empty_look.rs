//! One empty look at once does not settle whether something was done: views lag, and writes are on their way.

use crate::domain::Claim;

use super::Found;
use super::keys::is_protected;
use super::look::{LookMade, Showed, looks_after, settle};
use super::scene::{Intent, Scene, Told, Try};

/// A look settles nothing before the connector's manifest says that a write must show; and a view that is not the system
/// of record has to be read twice. What rests on less than that breaks the rule: a claim that nothing was done, or an attempt that
/// the target would take for a new one.
pub(super) fn settles_nothing(scene: &Scene<'_>, found: &mut Found) {
    for intent in &scene.intents {
        for (at, one) in intent.tries.iter().enumerate() {
            if !matches!(one.told(), Told::Nothing | Told::Failed | Told::Open) {
                continue;
            }
            let next = intent.tries.get(at + 1);
            judge_the_next(scene, intent, one, next, found);
            judge_claims(scene, intent, one, next, found);
        }
    }
}

fn judge_the_next(scene: &Scene<'_>, intent: &Intent<'_>, one: &Try<'_>, next: Option<&Try<'_>>, found: &mut Found) {
    let Some((next, exchange)) = next.and_then(|next| Some((next, next.exchange?))) else { return };
    let looks = looks_after(scene, intent, one, |look| look.ended_us <= exchange.begun_us);
    if !are_empty(&looks) {
        return;
    }
    if is_protected(scene, one, next) || settle(&looks, one) {
        found.occasion();
    } else {
        let message = format!(
            "Attempt {} rests on {} after attempt {}, which {} could not settle whether that one was done.",
            next.number(),
            looks_phrase(&looks),
            one.number(),
            if looks.len() == 1 { "alone" } else { "together" }
        );
        found.breach(intent, &[one, next], message);
    }
}

fn judge_claims(scene: &Scene<'_>, intent: &Intent<'_>, one: &Try<'_>, next: Option<&Try<'_>>, found: &mut Found) {
    let until = next.map_or(u32::MAX, Try::step);
    for (step, claim) in scene.claims(intent.id()).filter(|(step, _)| *step >= one.step()) {
        // What a later attempt was told decides from then on.
        if step > until || (step == until && next.is_some()) {
            break;
        }
        let looks = looks_after(scene, intent, one, |look| look.step <= step);
        if !are_empty(&looks) {
            continue;
        }
        if !matches!(claim, Claim::Rejected | Claim::Failed) || settle(&looks, one) {
            found.occasion();
        } else {
            let message = format!(
                "The workflow claimed `{claim}` on {} after attempt {}, which could not settle whether it was done.",
                looks_phrase(&looks),
                one.number()
            );
            found.breach(intent, &[one], message);
        }
    }
}

/// Whether looks were had and none showed the operation.
fn are_empty(looks: &[LookMade]) -> bool {
    looks.iter().any(|look| look.showed == Showed::Nothing)
        && !looks.iter().any(|look| look.showed == Showed::Something)
}

fn looks_phrase(looks: &[LookMade]) -> String {
    if looks.len() == 1 { "one empty look".to_owned() } else { format!("{} empty looks", looks.len()) }
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, trial};
    use crate::domain::{Claim, Rule};

    const RULE: Rule = Rule::EmptyLookSettlesNothing;

    fn lost() -> Call {
        Call::send("O-1").lost().at(10)
    }

    fn reserved() -> Call {
        Call::reserve("O-1").key("k").lost().at(10)
    }

    #[test]
    fn an_unprotected_attempt_waits_until_a_look_settles() {
        let again = |look: u64| trial(&[lost(), Call::look_for_message("O-1").at(look), Call::send("O-1").at(100)]);
        assert_breach(RULE, &again(11), Some("send:O-1"), &[1, 2]);
        assert_kept(RULE, &again(21), 1);
    }

    #[test]
    fn an_attempt_under_the_same_key_needs_no_look_and_another_key_does() {
        let again = |key: &str| trial(&[reserved(), Call::look("O-1").at(12), Call::reserve("O-1").key(key).at(13)]);
        assert_kept(RULE, &again("k"), 1);
        assert_breach(RULE, &again("l"), Some("reserve:O-1"), &[1, 2]);
    }

    #[test]
    fn a_view_that_lags_is_read_twice_and_late() {
        let claimed = |looks: &[u64]| {
            let mut calls = vec![reserved()];
            calls.extend(looks.iter().map(|at| Call::look("O-1").at(*at)));
            trial(&calls).claim(1, "reserve:O-1", Claim::Failed)
        };
        assert_breach(RULE, &claimed(&[11]), Some("reserve:O-1"), &[1]);
        assert_breach(RULE, &claimed(&[11, 12]), Some("reserve:O-1"), &[1]);
        assert_breach(RULE, &claimed(&[80]), Some("reserve:O-1"), &[1]);
        assert_kept(RULE, &claimed(&[40, 80]), 1);
    }

    #[test]
    fn a_look_that_shows_it_and_a_claim_that_leaves_it_open_are_no_breach() {
        let shown = Call::look("O-1").at(11).answer(r#"[{"order": "O-1"}]"#);
        let seen = trial(&[reserved(), shown]).claim(1, "reserve:O-1", Claim::Failed);
        assert_no_occasion(RULE, &seen);
        let open = trial(&[reserved(), Call::look("O-1").at(11)]).claim(1, "reserve:O-1", Claim::Unknown);
        assert_kept(RULE, &open, 1);
    }

    #[test]
    fn a_look_for_another_order_is_none() {
        let seen = trial(&[reserved(), Call::look("O-12").at(11)]).claim(1, "reserve:O-1", Claim::Failed);
        assert_no_occasion(RULE, &seen);
    }

    #[test]
    fn a_404_is_an_empty_look_and_a_500_is_none() {
        let seen = |status| trial(&[reserved(), Call::look("O-1").at(11).status(status)]);
        let claimed = |status| seen(status).claim(1, "reserve:O-1", Claim::Failed);
        assert_breach(RULE, &claimed(404), Some("reserve:O-1"), &[1]);
        assert_no_occasion(RULE, &claimed(500));
    }

    #[test]
    fn time_that_a_case_lets_pass_counts() {
        let looks = [reserved(), Call::look("O-1").at(11), Call::look("O-1").at(12).step(3)];
        let seen = trial(&looks).clock(2, 60).claim(3, "reserve:O-1", Claim::Failed);
        assert_kept(RULE, &seen, 1);
    }
}
