//! That the first request still runs is neither a refusal nor a failure: ask again later, under the same key.

use crate::domain::Claim;
use crate::evidence::Answered;
use crate::manifest::AnswerInFlight;

use super::Found;
use super::look::looks_after;
use super::scene::{Intent, Scene, Told, Try};

pub(super) fn is_no_conflict(scene: &Scene<'_>, found: &mut Found) {
    for intent in &scene.intents {
        for (at, one) in intent.tries.iter().enumerate() {
            match one.told() {
                Told::InFlight => judge(scene, intent, at, found),
                _ if may_be_in_flight(one) && claims_absence(scene, intent, one).is_some() => {
                    found.not_judged("whether an answer said that the first request still runs was not seen");
                }
                _ => {}
            }
        }
    }
}

fn judge(scene: &Scene<'_>, intent: &Intent<'_>, at: usize, found: &mut Found) {
    let one = &intent.tries[at];
    let later = &intent.tries[at + 1..];
    if let Some(next) = later.first()
        && let (Some(key), Some(other)) = (one.key(), next.key())
        && key != other
    {
        let message = format!(
            "Attempt {} was told that the first request still runs, and attempt {} took another key.",
            one.number(),
            next.number()
        );
        return found.breach(intent, &[one, next], message);
    }
    match claims_absence(scene, intent, one) {
        Some(claim) => {
            let message = format!(
                "Attempt {} was told that the first request still runs, and the workflow claimed `{claim}`.",
                one.number()
            );
            found.breach(intent, &[one], message);
        }
        None => found.occasion(),
    }
}

/// The claim that nothing was done which an answer makes after an attempt, where nothing in between says so.
fn claims_absence(scene: &Scene<'_>, intent: &Intent<'_>, one: &Try<'_>) -> Option<Claim> {
    let claims = scene.claims(intent.id()).filter(|(step, _)| *step >= one.step());
    let mut absent = claims.filter(|(_, claim)| matches!(claim, Claim::Rejected | Claim::Failed));
    absent.find(|(step, _)| !is_settled_by(scene, intent, one, *step)).map(|(_, claim)| claim)
}

/// Whether a later attempt, or a look, told the workflow by the end of a step what became of it.
fn is_settled_by(scene: &Scene<'_>, intent: &Intent<'_>, one: &Try<'_>, step: u32) -> bool {
    let later = intent.tries.iter().filter(|other| other.number() > one.number() && other.step() <= step);
    let mut later = later.map(Try::told);
    later.any(|told| matches!(told, Told::Done | Told::Refused))
        || !looks_after(scene, intent, one, |look| look.step <= step).is_empty()
}

/// Whether an attempt of which the wire was not seen, or whose contract does not name the status, may have been told so.
fn may_be_in_flight(one: &Try<'_>) -> bool {
    let Some(contract) = one.contract else { return false };
    match one.exchange {
        None => {
            contract.idempotency.in_flight == AnswerInFlight::Conflict
                && one.attempt.fault.is_none()
                && matches!(one.attempt.answered, Answered::Error { .. })
        }
        Some(exchange) => {
            let names_it = contract.wire.as_ref().is_some_and(|wire| wire.in_flight.is_some());
            contract.idempotency.in_flight == AnswerInFlight::Conflict
                && !names_it
                && exchange.delivered_status == Some(409)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, assert_not_judged, trial};
    use crate::domain::{Claim, Rule};

    const RULE: Rule = Rule::InFlightIsNoConflict;

    fn lost() -> Call {
        Call::reserve("O-1").key("k").lost()
    }

    fn in_flight() -> Call {
        Call::reserve("O-1").key("k").status(409)
    }

    #[test]
    fn to_ask_again_or_to_stop_without_a_word_of_refusal_keeps_the_rule() {
        assert_kept(RULE, &trial(&[lost(), in_flight(), Call::reserve("O-1").key("k")]), 1);
        for claim in [Claim::Unknown, Claim::Held] {
            assert_kept(RULE, &trial(&[lost(), in_flight()]).claim(1, "reserve:O-1", claim), 1);
        }
        assert_no_occasion(RULE, &trial(&[lost()]).claim(1, "reserve:O-1", Claim::Failed));
    }

    #[test]
    fn to_call_it_refused_or_failed_breaks_the_rule() {
        for claim in [Claim::Rejected, Claim::Failed] {
            let seen = trial(&[lost(), in_flight()]).claim(1, "reserve:O-1", claim);
            assert_breach(RULE, &seen, Some("reserve:O-1"), &[2]);
        }
    }

    #[test]
    fn another_key_after_it_breaks_the_rule() {
        let seen = trial(&[lost(), in_flight(), Call::reserve("O-1").key("l")]);
        assert_breach(RULE, &seen, Some("reserve:O-1"), &[2, 3]);
    }

    #[test]
    fn a_refusal_that_came_later_is_one() {
        let seen = trial(&[lost(), in_flight(), Call::reserve("O-1").key("k").status(422)]);
        assert_kept(RULE, &seen.claim(1, "reserve:O-1", Claim::Rejected), 1);
        let looked = trial(&[lost(), in_flight(), Call::look("O-1")]).claim(1, "reserve:O-1", Claim::Failed);
        assert_kept(RULE, &looked, 1);
    }

    #[test]
    fn a_claim_in_an_earlier_step_is_about_something_else() {
        let seen = trial(&[lost(), in_flight().step(2)]);
        assert_kept(RULE, &seen.claim(1, "reserve:O-1", Claim::Failed).claim(2, "reserve:O-1", Claim::Unknown), 1);
    }

    #[test]
    fn an_error_that_may_have_said_so_is_not_judged() {
        let seen = trial(&[lost(), in_flight()]).claim(1, "reserve:O-1", Claim::Failed).without_exchanges();
        assert_not_judged(RULE, &seen_without_fault(seen));
        let hold = |call: Call| call.to("inventory", "hold");
        let seen = trial(&[hold(lost()), hold(in_flight())]).claim(1, "reserve:O-1", Claim::Failed);
        assert_not_judged(RULE, &seen);
    }

    fn seen_without_fault(mut seen: super::super::specimen::Trial) -> super::super::specimen::Trial {
        let attempts = seen.observation.operations.iter_mut().flat_map(|seen| &mut seen.attempts);
        attempts.for_each(|attempt| attempt.fault = None);
        seen
    }
}
