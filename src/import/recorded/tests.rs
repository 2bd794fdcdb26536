//! A case begun from a record says what was seen, asserts nothing, and turns what went wrong round.

use super::seen::{Line, lines_of_operation};
use super::*;
use crate::domain::{Claim, ClaimCheck, OperationId, Outcome};

fn expectations_of(outcome: Outcome, claim: Option<Claim>, check: Option<ClaimCheck>) -> Vec<Value> {
    let lines = lines_of_operation(&OperationId::new("op-1"), outcome, claim, check);
    let expectations = lines.into_iter().map(|line| match line {
        Line::Expectation { expectation, .. } => expectation,
        Line::Remark(remark) => panic!("{remark}"),
    });
    expectations.collect()
}

#[test]
fn what_is_never_meant_is_turned_round_and_what_may_be_meant_is_asked() {
    for outcome in [Outcome::Duplicated, Outcome::Mismatched, Outcome::Uncertain] {
        let turned = json!({"not": {"outcome": {"operation": "op-1", "is": outcome}}});
        assert_eq!(expectations_of(outcome, None, None), [turned]);
    }
    for outcome in
        [Outcome::Committed, Outcome::Replayed, Outcome::Rejected, Outcome::NotCommitted, Outcome::NotStarted]
    {
        let asked = json!({"outcome": {"operation": "op-1", "is": outcome}});
        assert_eq!(expectations_of(outcome, None, None), [asked]);
    }
}

#[test]
fn a_claim_against_the_evidence_is_not_asked_for_again() {
    let of = |check| expectations_of(Outcome::NotCommitted, Some(Claim::Completed), Some(check)).remove(1);
    for check in [ClaimCheck::FalseSuccess, ClaimCheck::FalseFailure, ClaimCheck::Overclaimed] {
        assert_eq!(of(check), json!({"claim": "matches_evidence"}));
    }
    assert_eq!(of(ClaimCheck::Confirmed), json!({"claim": {"operation": "op-1", "is": "completed"}}));
}

#[test]
fn settings_that_say_nothing_are_left_out() {
    let steps = json!({"invoke": {"input": null, "may_fail": true}});
    assert_eq!(pruned(&steps), json!({"invoke": {"may_fail": true}}));
    assert_eq!(pruned(&json!({"restart": {}})), json!({"restart": {}}));
    assert_eq!(
        pruned(&json!({"effects": {"probe": "q", "where": {}, "count": 0}})),
        json!({"effects": {"probe": "q", "count": 0}})
    );
}
