//! Two operations that ask for the same are two: a key made of what they ask for, or a cache of answers, swallows the second.

use super::Found;
use super::scene::{Intent, Scene};

pub(super) fn both_succeed(scene: &Scene<'_>, found: &mut Found) {
    for (at, one) in scene.intents.iter().enumerate() {
        for other in &scene.intents[at + 1..] {
            if one.call().is_some() && one.call() == other.call() {
                judge(one, other, found);
            }
        }
    }
}

fn judge(one: &Intent<'_>, other: &Intent<'_>, found: &mut Found) {
    let name = one.id();
    if shares(one, other, |intent| intent.tries.iter().filter_map(|attempt| attempt.key()).collect()) {
        return blame(other, found, &format!("It carried the same key as `{name}`, which is another operation."));
    }
    if shares(one, other, receipts) {
        return blame(other, found, &format!("It got the receipt of `{name}`, which is another operation."));
    }
    if are_alike(one, other) == Some(true) && one.is_done() && other.is_done() {
        found.occasion();
    }
}

fn blame(intent: &Intent<'_>, found: &mut Found, message: &str) {
    let tries: Vec<_> = intent.tries.iter().collect();
    found.breach(intent, &tries, message);
}

fn receipts<'a>(intent: &Intent<'a>) -> Vec<&'a str> {
    intent.tries.iter().filter_map(|attempt| attempt.attempt.answered.receipt()).collect()
}

fn shares<'a>(one: &Intent<'a>, other: &Intent<'a>, named: impl Fn(&Intent<'a>) -> Vec<&'a str>) -> bool {
    let names = named(one);
    named(other).iter().any(|name| names.contains(name))
}

/// Whether their first attempts ask for the same; `None` where that was not seen.
fn are_alike(one: &Intent<'_>, other: &Intent<'_>) -> Option<bool> {
    Some(one.tries.first()?.payload()?.is_alike(&other.tries.first()?.payload()?))
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, trial};
    use crate::domain::{Outcome, Rule};

    const RULE: Rule = Rule::EqualOperationsBothSucceed;

    #[test]
    fn two_equal_operations_that_are_both_done_keep_the_rule() {
        assert_kept(RULE, &trial(&[Call::reserve("O-1").key("k"), Call::reserve("O-2").key("l")]), 1);
    }

    #[test]
    fn a_key_of_both_breaks_the_rule_also_where_the_wire_was_not_seen() {
        let seen = trial(&[Call::reserve("O-1").key("k"), Call::reserve("O-2").key("k")]);
        assert_breach(RULE, &seen, Some("reserve:O-2"), &[1]);
        assert_breach(RULE, &seen.without_exchanges(), Some("reserve:O-2"), &[1]);
    }

    #[test]
    fn the_receipt_of_the_other_breaks_the_rule() {
        let second = Call::reserve("O-2").key("l").answer(r#"{"receipt": "R-O-1", "replayed": true}"#);
        let seen = trial(&[Call::reserve("O-1").key("k"), second]).outcome("reserve:O-2", Outcome::Uncertain, 0);
        assert_breach(RULE, &seen, Some("reserve:O-2"), &[1]);
    }

    #[test]
    fn operations_that_differ_or_failed_or_call_something_else_give_no_occasion() {
        let other = Call::reserve("O-2").key("l").body(r#"{"order": "O-2", "quantity": 5}"#);
        assert_no_occasion(RULE, &trial(&[Call::reserve("O-1").key("k"), other]));
        assert_no_occasion(RULE, &trial(&[Call::reserve("O-1").key("k"), Call::reserve("O-2").key("l").status(500)]));
        assert_no_occasion(RULE, &trial(&[Call::reserve("O-1").key("k"), Call::release("O-1").key("k")]));
    }
}
