//! What holds for all rules together.

use proptest::prelude::*;

use super::specimen::{Call, Trial, trial};
use super::{Breach, RuleStanding, Terms, breaches, examine};
use crate::domain::{Claim, OperationId, Rule};
use crate::grading::specimen::{Shelf, case};

/// A call in an order's history: what it was told, which of the order's keys it carried, and how long after the one before.
type Step = (u8, u8, u64);

fn calls(order: &str, history: &[Step]) -> Vec<Call> {
    let mut at = 0;
    let mut call = |&(told, key, pause): &Step| {
        at += pause;
        let keyed = Call::reserve(order).key(&format!("{order}-key-{key}"));
        let call = match told {
            0 => keyed.lost(),
            1 => keyed.status(500),
            2 => keyed.status(409),
            3 => keyed.status(422),
            4 => Call::reserve(order),
            5 => Call::look(order),
            6 => Call::send(order).lost(),
            _ => keyed,
        };
        call.at(at)
    };
    history.iter().map(&mut call).collect()
}

fn of(all: &[Breach], order: &str) -> Vec<Breach> {
    let is_own = |operation: &OperationId| operation.as_str().ends_with(order);
    let own = all.iter().filter(|breach| breach.operation.as_ref().is_some_and(is_own));
    own.filter(|breach| breach.rule != Rule::PrematureCall).cloned().collect()
}

fn claimed(calls: &[Call], orders: &[&str], claim: Claim) -> Trial {
    orders.iter().fold(trial(calls), |seen, order| seen.claim(1, &format!("reserve:{order}"), claim))
}

fn history() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((0_u8..8, 0_u8..2, 1_u64..900), 0..6)
}

proptest! {
    /// Calls for another order, wherever they fall in between, change nothing of what is held against the first. What a call
    /// requires is left out: where nothing of its own was done, it may rest on what was done for another.
    #[test]
    fn operations_are_judged_by_their_own_calls(
        one in history(),
        other in history(),
        order in proptest::collection::vec(any::<bool>(), 12),
        claim in prop_oneof![Just(Claim::Failed), Just(Claim::Completed), Just(Claim::Unknown)],
    ) {
        let (ours, theirs) = (calls("O-1", &one), calls("X-2", &other));
        let (mut left, mut right) = (ours.iter(), theirs.iter());
        let mut merged: Vec<Call> = Vec::new();
        for first in order {
            merged.extend(if first { left.next() } else { right.next() }.cloned());
        }
        merged.extend(left.chain(right).cloned());
        let alone = claimed(&ours, &["O-1"], claim);
        let together = claimed(&merged, &["O-1", "X-2"], claim);
        prop_assert_eq!(
            of(&breaches(&together.observation, &together.terms), "O-1"),
            of(&breaches(&alone.observation, &alone.terms), "O-1")
        );
    }

    /// The order in which a record lists the calls is no order of time.
    #[test]
    fn the_order_of_the_record_says_nothing(one in history(), turn in 0_usize..6) {
        let seen = claimed(&calls("O-1", &one), &["O-1"], Claim::Failed);
        let mut turned = seen.observation.clone();
        turned.exchanges.reverse();
        let middle = turn.min(turned.exchanges.len());
        turned.exchanges.rotate_left(middle);
        prop_assert_eq!(breaches(&turned, &seen.terms), breaches(&seen.observation, &seen.terms));
    }

    /// Less evidence makes no new breach.
    #[test]
    fn what_was_not_seen_is_never_held_against_a_workflow(one in history()) {
        let seen = claimed(&calls("O-1", &one), &["O-1"], Claim::Failed);
        let blind = seen.clone().without_exchanges();
        for rule in Rule::ALL {
            let was_broken = matches!(seen.standing(rule), RuleStanding::Broken(_));
            let is_broken = matches!(blind.standing(rule), RuleStanding::Broken(_));
            prop_assert!(was_broken || !is_broken, "{}: {:?}", rule, blind.standing(rule));
        }
    }
}

#[test]
fn an_empty_trial_gives_no_occasion_for_any_rule_but_the_answer() {
    let empty = trial(&[]);
    for rule in Rule::ALL {
        let standing = examine(rule, &empty.observation, &empty.terms);
        let expected = if rule == Rule::NoAnswer { RuleStanding::Kept(1) } else { RuleStanding::NoOccasion };
        assert_eq!(standing, expected, "{rule}");
    }
}

#[test]
fn breaches_come_in_the_order_of_the_rules() {
    let seen = trial(&[Call::reserve("O-1").key("k").lost(), Call::reserve("O-1").key("l"), Call::send("O-1").lost()]);
    let rules: Vec<Rule> = breaches(&seen.observation, &seen.terms).iter().map(|breach| breach.rule).collect();
    assert!(rules.is_sorted(), "{rules:?}");
    assert!(rules.contains(&Rule::StableKey) && rules.contains(&Rule::Silent), "{rules:?}");
}

#[test]
fn the_terms_of_a_case_are_its_steps_and_the_manifests() {
    let mut shelf = Shelf::new();
    shelf.add(serde_json::json!({"id": "inventory", "kind": "connector", "version": "1", "release": "1",
        "operations": {"reserve": {"effect": "create"}}}));
    shelf.add(serde_json::json!({"id": "clerks", "kind": "permissions", "version": "1", "actors": {}, "actions": {
        "run": {"needs_approval": true, "approval_expires_s": 60, "calls": ["inventory/reserve"]},
        "rush": {"needs_approval": true, "approval_expires_s": 90, "calls": ["inventory/reserve"]},
        "look": {"approval_expires_s": 30, "calls": ["inventory/status"]}}}));
    let mut case = case(&[]);
    case.steps = serde_json::from_value(serde_json::json!([
        {"invoke": {}}, {"clock": {"advance_s": 30}}, {"clock": {"advance_s": 5}}, {"invoke": {"input": {"a": 1}}}
    ]))
    .unwrap();
    let terms = Terms::of(&case, &shelf.context());
    assert_eq!(terms.connectors.keys().map(crate::domain::PartId::as_str).collect::<Vec<_>>(), ["inventory"]);
    assert_eq!(terms.approvals.into_iter().collect::<Vec<_>>(), [("inventory/reserve".to_owned(), 90)]);
    assert_eq!(terms.other_inputs.into_iter().collect::<Vec<_>>(), [4]);
    assert_eq!(terms.clock_steps.into_iter().collect::<Vec<_>>(), [(2, 30), (3, 5)]);
}
