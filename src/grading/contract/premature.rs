//! What must come first is known to be done before the call that needs it.

use crate::domain::PartId;
use crate::evidence::{Answered, Delivered, Exchange};
use crate::manifest::CallName;

use super::Found;
use super::scene::{Intent, Scene, Told};

/// Known to be done is what the workflow was told in an answer of 2xx, or what a look had shown it. An answer that takes a request
/// in before its effect exists says nothing of the kind.
///
/// Which operation of the needed kind counts is the one with the same business identity (`reserve:O-1` for `send:O-1`), or
/// those whose identity or receipt the call names; where there is none such, any: not every call says what it rests on.
pub(super) fn call(scene: &Scene<'_>, found: &mut Found) {
    check(scene, found, |connector, operation| {
        scene.terms.operation(connector, operation).map_or(&[][..], |contract| &contract.requires)
    });
}

/// The same for what `needs` says that a connector's operation needs.
pub(super) fn check<'n>(scene: &Scene<'_>, found: &mut Found, needs: impl Fn(&PartId, &str) -> &'n [CallName]) {
    for exchange in &scene.exchanges {
        for needed in needs(&exchange.connector, exchange.operation.as_deref().unwrap_or_default()) {
            if is_known(scene, exchange, needed) {
                found.occasion();
                continue;
            }
            let message = format!(
                "{}/{} was called before {needed} was known to be done.",
                exchange.connector,
                exchange.operation.as_deref().unwrap_or_default()
            );
            let attempt = attempt_of(scene, exchange);
            found.breach_of(exchange.intention.clone(), attempt.into_iter().collect(), message);
        }
    }
    for intent in scene.intents.iter().filter(|intent| intent.tries.iter().any(|one| one.exchange.is_none())) {
        let Some(call) = intent.call() else { continue };
        judge_by_steps(scene, intent, needs(&call.connector, &call.operation), found);
    }
}

fn is_known(scene: &Scene<'_>, exchange: &Exchange, needed: &CallName) -> bool {
    let identity = exchange.intention.as_ref().and_then(|id| id.as_str().split_once(':')).map(|(_, rest)| rest);
    candidates(scene, needed, identity, Some(exchange)).into_iter().any(|intent| {
        let told = intent
            .tries
            .iter()
            .any(|one| one.told() == Told::Done && one.exchange.is_some_and(|seen| seen.ended_us <= exchange.begun_us));
        told || is_shown(scene, intent, exchange)
    })
}

/// The operations of a kind that a call may need.
fn candidates<'s, 'a>(
    scene: &'s Scene<'a>,
    needed: &CallName,
    identity: Option<&str>,
    exchange: Option<&Exchange>,
) -> Vec<&'s Intent<'a>> {
    let is_needed = |intent: &&Intent<'_>| intent.call().is_some_and(|call| call.to_string() == needed.as_str());
    let all: Vec<&Intent<'_>> = scene.intents.iter().filter(is_needed).collect();
    let is_own = |intent: &&Intent<'_>| {
        Some(intent.business_identity()) == identity || exchange.is_some_and(|exchange| names(exchange, intent))
    };
    let own: Vec<&Intent<'_>> = all.iter().copied().filter(is_own).collect();
    if own.is_empty() { all } else { own }
}

/// Whether a request names an operation: by its identity, or by a receipt for it.
fn names(exchange: &Exchange, intent: &Intent<'_>) -> bool {
    let receipts = intent.tries.iter().filter_map(|one| one.attempt.answered.receipt());
    let texts = [exchange.target.as_str(), exchange.request.text.as_str()];
    receipts
        .chain([intent.business_identity()])
        .any(|name| texts.iter().any(|text| super::look::contains_name(text, name)))
}

/// Whether a read of its connector had shown it before the call began.
fn is_shown(scene: &Scene<'_>, intent: &Intent<'_>, before: &Exchange) -> bool {
    let Some(call) = intent.call() else { return false };
    let reads = scene
        .exchanges
        .iter()
        .filter(|read| read.connector == call.connector && read.ended_us <= before.begun_us && scene.reads(read));
    reads.into_iter().any(|read| {
        let is_told = read.delivered == Delivered::Whole && read.status == read.delivered_status;
        let is_success = read.status.is_some_and(|status| (200..300).contains(&status));
        let answer = read.answer.as_ref().map_or("", |answer| answer.text.as_str());
        is_told && is_success && super::look::contains_name(answer, intent.business_identity())
    })
}

fn attempt_of(scene: &Scene<'_>, exchange: &Exchange) -> Option<u32> {
    let mut tries = scene.intents.iter().flat_map(|intent| &intent.tries);
    tries.find(|one| one.exchange.is_some_and(|seen| seen.number == exchange.number)).map(|one| one.number())
}

/// Where the calls were not seen, only their steps tell which came first.
fn judge_by_steps(scene: &Scene<'_>, intent: &Intent<'_>, needs: &[CallName], found: &mut Found) {
    for needed in needs {
        let Some(first) = intent.tries.first() else { return };
        let candidates = candidates(scene, needed, Some(intent.business_identity()), None);
        let done: Vec<_> =
            candidates.iter().flat_map(|intent| &intent.tries).filter(|one| one.told() == Told::Done).collect();
        let may_be_done = candidates
            .iter()
            .flat_map(|intent| &intent.tries)
            .any(|one| one.told() == Told::Unseen || matches!(one.attempt.answered, Answered::Replayed { .. }));
        if done.iter().any(|one| one.step() < first.step()) {
            found.occasion();
        } else if may_be_done || done.iter().any(|one| one.step() == first.step()) {
            found.not_judged("which of two calls came first was not seen");
        } else if candidates.iter().all(|intent| intent.tries.is_empty()) {
            let message = format!("It was called, and {needed} never was.");
            found.breach(intent, &[first], message);
        } else {
            found.not_judged("whether a look came before a call was not seen");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, assert_not_judged, trial};
    use crate::domain::Rule;

    const RULE: Rule = Rule::PrematureCall;

    #[test]
    fn a_call_after_what_it_needs_was_answered_keeps_the_rule() {
        assert_kept(RULE, &trial(&[Call::reserve("O-1").key("k"), Call::send("O-1")]), 1);
        assert_no_occasion(RULE, &trial(&[Call::reserve("O-1").key("k")]));
    }

    #[test]
    fn a_call_before_it_was_known_breaks_the_rule_also_where_it_was_done() {
        let lost = Call::reserve("O-1").key("k").lost();
        assert_breach(RULE, &trial(&[lost, Call::send("O-1")]), Some("send:O-1"), &[1]);
        assert_breach(RULE, &trial(&[Call::send("O-1")]), Some("send:O-1"), &[1]);
        let failed = Call::reserve("O-1").key("k").status(500);
        assert_breach(RULE, &trial(&[failed, Call::send("O-1")]), Some("send:O-1"), &[1]);
    }

    #[test]
    fn a_look_that_shows_it_is_enough_and_an_empty_one_is_not() {
        let lost = || Call::reserve("O-1").key("k").lost();
        let shown = Call::look("O-1").answer(r#"[{"order": "O-1"}]"#);
        assert_kept(RULE, &trial(&[lost(), shown, Call::send("O-1")]), 1);
        assert_breach(RULE, &trial(&[lost(), Call::look("O-1"), Call::send("O-1")]), Some("send:O-1"), &[1]);
    }

    #[test]
    fn another_orders_reservation_is_not_the_one() {
        let both = [Call::reserve("O-2").key("l"), Call::reserve("O-1").key("k").lost(), Call::send("O-1")];
        assert_breach(RULE, &trial(&both), Some("send:O-1"), &[1]);
    }

    #[test]
    fn a_call_that_names_a_receipt_rests_on_that_one() {
        let reserved = |order: &str| Call::reserve(order).key(order);
        let named = |order: &str| Call::send("M-1").body(&format!(r#"{{"allocation": "R-{order}"}}"#));
        assert_kept(RULE, &trial(&[reserved("O-1"), reserved("O-2").lost(), named("O-1")]), 1);
        let seen = trial(&[reserved("O-1"), reserved("O-2").lost(), named("O-2")]);
        assert_breach(RULE, &seen, Some("send:M-1"), &[1]);
        // Nothing says which it rests on.
        assert_kept(RULE, &trial(&[reserved("O-1"), Call::send("M-1").body("{}")]), 1);
    }

    #[test]
    fn an_answer_that_came_too_late_is_none() {
        // The reservation is under way when the message is sent.
        let mut seen = trial(&[Call::reserve("O-1").key("k").at(1), Call::send("O-1").at(2)]);
        seen.observation.exchanges[0].ended_us = 2_500_000;
        assert_breach(RULE, &seen, Some("send:O-1"), &[1]);
    }

    #[test]
    fn without_the_calls_the_steps_tell_what_they_can() {
        let same = trial(&[Call::reserve("O-1").key("k"), Call::send("O-1")]).without_exchanges();
        assert_not_judged(RULE, &same);
        let later = trial(&[Call::reserve("O-1").key("k"), Call::send("O-1").step(2)]).without_exchanges();
        assert_kept(RULE, &later, 1);
        assert_breach(RULE, &trial(&[Call::send("O-1")]).without_exchanges(), Some("send:O-1"), &[1]);
    }
}
