//! Idempotency keys: the same over the retries of one intention, another one for another payload, and never left out.

use crate::evidence::Exchange;
use crate::manifest::IdempotencyKey;

use super::Found;
use super::look::looks_after;
use super::payload::Payload;
use super::scene::{Intent, Scene, Told, Try, float};

/// The key is the same on every attempt at one intention.
///
/// Another key is right where the earlier attempt was refused and left nothing, where the target remembers the earlier key no
/// more and was asked what became of it, and where the payload is another one and the earlier attempt is known to have been
/// done. As long as the earlier one may have been done or not, another request under another key may do it twice.
pub(super) fn stable(scene: &Scene<'_>, found: &mut Found) {
    for intent in scene.intents.iter().filter(|intent| takes_a_key(intent)) {
        for (earlier, later) in intent.retries() {
            let (Some(first), Some(second)) = (earlier.key(), later.key()) else {
                if earlier.exchange.is_some() && states_no_place(earlier) {
                    found.not_judged("the connector's manifest does not say where a request carries its key");
                }
                continue;
            };
            if first == second || is_over(scene, intent, earlier, later) {
                found.occasion();
                continue;
            }
            match asks_for_something_else(earlier, later) {
                Some(true) if earlier.told() == Told::Done => found.occasion(),
                Some(is_changed) => {
                    let (one, other) = (earlier.number(), later.number());
                    let open = if is_changed { ", and nothing said what became of the first" } else { "" };
                    let message = format!("Attempts {one} and {other} at one operation carried different keys{open}.");
                    found.breach(intent, &[earlier, later], message);
                }
                None => found.not_judged("what attempts with different keys asked for was not seen"),
            }
        }
    }
}

fn takes_a_key(intent: &Intent<'_>) -> bool {
    intent.contract().is_some_and(|contract| contract.idempotency.key == IdempotencyKey::Caller)
}

fn states_no_place(one: &Try<'_>) -> bool {
    one.contract.and_then(|contract| contract.wire.as_ref()?.key.as_ref()).is_none()
}

/// How often the header in which its key stands was there.
fn keys_at_once(one: &Try<'_>) -> usize {
    let place = one.contract.and_then(|contract| contract.wire.as_ref()?.key.as_ref());
    let (Some(name), Some(exchange)) = (place.and_then(|place| place.header.as_ref()), one.exchange) else { return 0 };
    exchange.request.headers.iter().filter(|(found, _)| found.eq_ignore_ascii_case(name)).count()
}

fn asks_for_something_else(earlier: &Try<'_>, later: &Try<'_>) -> Option<bool> {
    Some(!earlier.payload()?.is_alike(&later.payload()?))
}

/// Whether the earlier attempt's key has done its service.
fn is_over(scene: &Scene<'_>, intent: &Intent<'_>, earlier: &Try<'_>, later: &Try<'_>) -> bool {
    if earlier.told() == Told::Refused {
        return true;
    }
    let window_s = earlier.contract.and_then(|contract| contract.idempotency.window_s);
    let has_passed =
        window_s.is_some_and(|window_s| scene.elapsed(earlier, later).exceeds(float(window_s)) == Some(true));
    let begun_us = later.exchange.map_or(0, |exchange| exchange.begun_us);
    has_passed && !looks_after(scene, intent, earlier, |look| look.ended_us <= begun_us).is_empty()
}

/// Whether the target takes a later attempt for the same request as an earlier one, so that it adds nothing.
pub(super) fn is_protected(scene: &Scene<'_>, earlier: &Try<'_>, later: &Try<'_>) -> bool {
    let Some(idempotency) = later.contract.map(|contract| &contract.idempotency) else { return false };
    let has_passed = |window_s| scene.elapsed(earlier, later).exceeds(float(window_s)) == Some(true);
    let is_remembered = !idempotency.window_s.is_some_and(has_passed);
    match idempotency.key {
        IdempotencyKey::None => false,
        IdempotencyKey::Caller => later.key().is_some() && earlier.key() == later.key() && is_remembered,
        IdempotencyKey::Content => is_remembered,
        IdempotencyKey::Resource => true,
    }
}

/// One key never goes with two payloads.
pub(super) fn follows_payload(scene: &Scene<'_>, found: &mut Found) {
    for (at, later) in scene.exchanges.iter().enumerate() {
        let Some(key) = &later.key else { continue };
        let is_same_key = |earlier: &&&Exchange| {
            earlier.key.as_ref() == Some(key)
                && earlier.connector == later.connector
                && earlier.operation == later.operation
        };
        let Some(earlier) = scene.exchanges[..at].iter().find(is_same_key) else { continue };
        if !scene.is_meant(earlier) && !scene.is_meant(later) {
            continue;
        }
        let contract = scene.contract(later);
        match (Payload::of(earlier, contract), Payload::of(later, contract)) {
            (Some(one), Some(other)) if one.is_same(&other) => found.occasion(),
            (Some(_), Some(_)) => {
                let message = format!(
                    "Calls {} and {} to {} carried one key and asked for different things.",
                    earlier.number, later.number, later.connector
                );
                let attempts = numbers_of(scene, &[earlier, later]);
                found.breach_of(later.intention.clone().or_else(|| earlier.intention.clone()), attempts, message);
            }
            _ => found.not_judged("a request with a key that was used before did not arrive as a whole"),
        }
    }
    let unseen = |intent: &Intent<'_>| {
        let keys = intent.tries.iter().filter(|one| one.exchange.is_none()).filter_map(Try::key);
        let mut keys: Vec<&str> = keys.collect();
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair[0] == pair[1])
    };
    if scene.intents.iter().any(unseen) {
        found.not_judged("what attempts with the same key asked for was not seen");
    }
}

/// The numbers of the attempts that these calls are.
fn numbers_of(scene: &Scene<'_>, exchanges: &[&Exchange]) -> Vec<u32> {
    let tries = scene.intents.iter().flat_map(|intent| &intent.tries);
    let is_one = |one: &&Try<'_>| {
        one.exchange.is_some_and(|seen| exchanges.iter().any(|exchange| exchange.number == seen.number))
    };
    tries.filter(is_one).map(Try::number).collect()
}

/// A call that takes a key carries one, and only one: which of two a target goes by is not known, and some make one of both.
pub(super) fn lost(scene: &Scene<'_>, found: &mut Found) {
    for intent in scene.intents.iter().filter(|intent| takes_a_key(intent)) {
        for one in &intent.tries {
            if one.exchange.is_some() && states_no_place(one) {
                found.not_judged("the connector's manifest does not say where a request carries its key");
            } else if let keys @ 2.. = keys_at_once(one) {
                let message =
                    format!("Attempt {} carried {keys} keys, and which of them counts is not known.", one.number());
                found.breach(intent, &[one], message);
            } else if one.key().is_some_and(|key| !key.trim().is_empty()) {
                found.occasion();
            } else {
                let message =
                    format!("Attempt {} carried no key, and its target makes two one only by a key.", one.number());
                found.breach(intent, &[one], message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, assert_not_judged, trial};
    use crate::domain::Rule;

    #[test]
    fn the_same_key_on_every_attempt_keeps_the_rule_and_another_breaks_it() {
        let lost = || Call::reserve("O-1").lost();
        assert_kept(Rule::StableKey, &trial(&[lost().key("k"), lost().key("k"), Call::reserve("O-1").key("k")]), 2);
        let other = trial(&[lost().key("k"), lost().key("k"), Call::reserve("O-1").key("l")]);
        assert_breach(Rule::StableKey, &other, Some("reserve:O-1"), &[2, 3]);
        assert_no_occasion(Rule::StableKey, &trial(&[Call::reserve("O-1").key("k")]));
    }

    #[test]
    fn where_the_payloads_were_not_seen_different_keys_may_be_right() {
        let seen = trial(&[Call::reserve("O-1").key("k").lost(), Call::reserve("O-1").key("l")]);
        assert_not_judged(Rule::StableKey, &seen.without_exchanges());
    }

    #[test]
    fn keys_of_different_intentions_may_differ() {
        assert_no_occasion(Rule::StableKey, &trial(&[Call::reserve("O-1").key("k"), Call::reserve("O-2").key("l")]));
    }

    #[test]
    fn a_changed_payload_after_a_known_end_and_a_refusal_are_reasons_for_another_key() {
        let done = Call::reserve("O-1").key("k");
        let changed = || Call::reserve("O-1").key("l").body(r#"{"order": "O-1", "quantity": 9}"#);
        assert_kept(Rule::StableKey, &trial(&[done, changed()]), 1);
        // The first may have been done: whoever asks for something else under another key may have both.
        let lost = Call::reserve("O-1").key("k").lost();
        assert_breach(Rule::StableKey, &trial(&[lost, changed()]), Some("reserve:O-1"), &[1, 2]);
        let refused = Call::reserve("O-1").key("k").status(422);
        assert_kept(Rule::StableKey, &trial(&[refused, Call::reserve("O-1").key("l")]), 1);
        // A failure inside is no refusal.
        let failed = Call::reserve("O-1").key("k").status(500);
        assert_breach(Rule::StableKey, &trial(&[failed, Call::reserve("O-1").key("l")]), Some("reserve:O-1"), &[1, 2]);
    }

    #[test]
    fn past_the_window_a_look_comes_before_another_key() {
        let lost = || Call::reserve("O-1").key("k").lost();
        let later = || Call::reserve("O-1").key("l").at(2_000);
        assert_kept(Rule::StableKey, &trial(&[lost(), Call::look("O-1").at(1_900), later()]), 1);
        assert_breach(Rule::StableKey, &trial(&[lost(), later()]), Some("reserve:O-1"), &[1, 2]);
        let too_early = trial(&[lost(), Call::look("O-1").at(20), Call::reserve("O-1").key("l").at(30)]);
        assert_breach(Rule::StableKey, &too_early, Some("reserve:O-1"), &[1, 2]);
    }

    #[test]
    fn where_nobody_says_where_the_key_stands_no_key_is_missing() {
        let unstated = |call: Call| call.to("inventory", "hold");
        let seen = trial(&[unstated(Call::reserve("O-1")).lost(), unstated(Call::reserve("O-1"))]);
        assert_not_judged(Rule::StableKey, &seen);
        assert_not_judged(Rule::LostIdentity, &seen);
    }

    #[test]
    fn one_key_goes_with_one_payload() {
        let first = || Call::reserve("O-1").key("k").body(r#"{"order": "O-1", "quantity": 2}"#);
        let rewritten = Call::reserve("O-1").key("k").body(r#"{"quantity":2.0,"order":"O-1"}"#);
        assert_kept(Rule::KeyFollowsPayload, &trial(&[first().lost(), rewritten]), 1);
        let changed = Call::reserve("O-1").key("k").body(r#"{"order": "O-1", "quantity": 3}"#);
        let seen = trial(&[first().lost(), changed]);
        assert_breach(Rule::KeyFollowsPayload, &seen, Some("reserve:O-1"), &[1, 2]);
        let another = Call::reserve("O-2").key("k").body(r#"{"order": "O-2", "quantity": 2}"#);
        assert_breach(Rule::KeyFollowsPayload, &trial(&[first(), another]), Some("reserve:O-2"), &[1, 1]);
    }

    #[test]
    fn a_key_is_unique_within_one_operation_of_a_connector() {
        let seen = trial(&[Call::reserve("O-1").key("k"), Call::release("O-1").key("k")]);
        assert_no_occasion(Rule::KeyFollowsPayload, &seen);
    }

    #[test]
    fn a_payload_that_was_not_seen_is_not_judged() {
        let seen = trial(&[Call::reserve("O-1").key("k").lost(), Call::reserve("O-1").key("k").unread()]);
        assert_not_judged(Rule::KeyFollowsPayload, &seen);
        let twice = trial(&[Call::reserve("O-1").key("k").lost(), Call::reserve("O-1").key("k")]).without_exchanges();
        assert_not_judged(Rule::KeyFollowsPayload, &twice);
    }

    #[test]
    fn a_call_that_takes_a_key_carries_one() {
        assert_kept(Rule::LostIdentity, &trial(&[Call::reserve("O-1").key("k")]), 1);
        assert_breach(Rule::LostIdentity, &trial(&[Call::reserve("O-1")]), Some("reserve:O-1"), &[1]);
        assert_breach(Rule::LostIdentity, &trial(&[Call::reserve("O-1").key(" ")]), Some("reserve:O-1"), &[1]);
        assert_no_occasion(Rule::LostIdentity, &trial(&[Call::send("O-1")]));
    }

    #[test]
    fn a_call_that_carries_two_keys_carries_none_that_its_target_is_known_to_go_by() {
        let keyed = |keys: &[&str]| {
            let call = Call::reserve("O-1").key(keys[0]);
            trial(&[keys.iter().fold(call, |call, key| call.header("idempotency-key", key))])
        };
        assert_kept(Rule::LostIdentity, &keyed(&["k"]), 1);
        assert_breach(Rule::LostIdentity, &keyed(&["k", "l"]), Some("reserve:O-1"), &[1]);
        // A target that joins the two takes "k, k" for the key.
        assert_breach(Rule::LostIdentity, &keyed(&["k", "k"]), Some("reserve:O-1"), &[1]);
    }
}
