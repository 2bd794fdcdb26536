//! Every row of the two tables, and what no order of attempts and looks may do.

use proptest::prelude::*;

use super::*;
use Outcome::{Committed, Duplicated, Mismatched, NotCommitted, NotStarted, Rejected, Replayed, Uncertain};

const ALL_OUTCOMES: [Outcome; 8] =
    [NotStarted, Rejected, NotCommitted, Committed, Replayed, Duplicated, Mismatched, Uncertain];

fn attempts(answers: Vec<Answered>) -> Vec<AttemptSeen> {
    let attempt = |(number, answered)| AttemptSeen {
        number,
        step: 1,
        call: None,
        identity: None,
        fault: None,
        answered,
        exchange: None,
        behind: None,
    };
    (1..).zip(answers).map(attempt).collect()
}

fn committed(receipt: &str) -> Answered {
    Answered::Committed { receipt: Some(receipt.to_owned()) }
}

fn replayed(receipt: &str) -> Answered {
    Answered::Replayed { receipt: Some(receipt.to_owned()) }
}

fn refused() -> Answered {
    Answered::Refused { reason: "slot is taken".to_owned() }
}

fn server_error() -> Answered {
    Answered::Error { detail: "status 500".to_owned() }
}

fn right(receipt: &str) -> EffectSeen {
    EffectSeen { receipt: Some(receipt.to_owned()), parameters_match: Some(true) }
}

fn wrong() -> EffectSeen {
    EffectSeen { receipt: None, parameters_match: Some(false) }
}

fn settled(effects: Vec<EffectSeen>) -> Vec<Look> {
    vec![Look::settled("orders", effects)]
}

fn read(settled: bool, authoritative: bool, effects: Vec<EffectSeen>) -> Look {
    Look { probe: "orders".to_owned(), state: LookState::Read { settled, authoritative }, effects }
}

fn outcome(answers: Vec<Answered>, looks: &[Look]) -> Outcome {
    conclude(&"op-1".into(), &attempts(answers), looks).outcome
}

#[test]
fn without_an_attempt_and_an_effect_nothing_was_started() {
    assert_eq!(outcome(vec![], &settled(vec![])), NotStarted);
}

#[test]
fn a_documented_refusal_and_no_effect_is_a_rejection() {
    assert_eq!(outcome(vec![refused()], &settled(vec![])), Rejected);
    assert_eq!(outcome(vec![Answered::NoAnswer, refused()], &settled(vec![])), Rejected);
}

#[test]
fn attempts_without_an_effect_at_a_settled_target_are_not_committed() {
    for answer in [Answered::NoAnswer, Answered::NotForwarded, server_error()] {
        assert_eq!(outcome(vec![answer], &settled(vec![])), NotCommitted);
    }
}

#[test]
fn one_effect_with_the_right_parameters_is_committed() {
    for answer in [committed("r1"), Answered::NoAnswer, server_error(), refused()] {
        assert_eq!(outcome(vec![answer], &settled(vec![right("r1")])), Committed);
    }
}

#[test]
fn an_effect_that_no_attempt_can_have_made_contradicts_them() {
    let kept_away = || Answered::NotForwarded;
    assert_eq!(outcome(vec![kept_away(), kept_away()], &settled(vec![right("r1")])), Uncertain);
    let mut refused_in_its_place = attempts(vec![refused()]);
    for (fault, expected) in [("status", Uncertain), ("rate_limited", Uncertain), ("lost_ack by reset", Committed)] {
        refused_in_its_place[0].fault = Some(fault.to_owned());
        let seen = conclude(&"op-1".into(), &refused_in_its_place, &settled(vec![right("r1")]));
        assert_eq!(seen.outcome, expected, "{fault}");
    }
    // One that did arrive explains it, and so does another way than the one that was watched.
    assert_eq!(outcome(vec![kept_away(), committed("r1")], &settled(vec![right("r1")])), Committed);
    assert_eq!(outcome(vec![], &settled(vec![right("r1")])), Committed);
    // More than one is too many, wherever they come from.
    assert_eq!(outcome(vec![kept_away()], &settled(vec![right("r1"), right("r2")])), Duplicated);
}

#[test]
fn an_effect_whose_intended_parameters_nobody_states_is_committed_and_says_so() {
    let seen = conclude(&"op-1".into(), &[], &settled(vec![EffectSeen::default()]));
    assert_eq!(seen.outcome, Committed);
    assert!(seen.evidence.iter().any(|sentence| sentence.contains("Nothing states which parameters")));
}

#[test]
fn a_lost_answer_and_then_the_earlier_result_is_replayed() {
    assert_eq!(outcome(vec![Answered::NoAnswer, replayed("r1")], &settled(vec![right("r1")])), Replayed);
}

#[test]
fn the_same_receipt_twice_is_replayed_also_where_the_target_has_no_signal_for_it() {
    assert_eq!(outcome(vec![committed("r1"), committed("r1")], &settled(vec![right("r1")])), Replayed);
    let silent = || Answered::Committed { receipt: None };
    assert_eq!(outcome(vec![silent(), silent()], &settled(vec![right("r1")])), Committed);
}

#[test]
fn the_attempt_that_came_to_the_target_last_is_the_one_that_got_the_earlier_result() {
    let receipts = |answers: Vec<Answered>, behind: &[(usize, u32)]| {
        let mut made = attempts(answers);
        for (index, other) in behind {
            made[*index].behind = Some(*other);
        }
        let seen = conclude(&"op-1".into(), &made, &settled(vec![right("r1")]));
        assert_eq!(seen.outcome, Replayed);
        seen.evidence.last().unwrap().split(" got").next().unwrap().to_owned()
    };
    let both = || vec![committed("r1"), committed("r1")];
    assert_eq!(receipts(both(), &[]), "Attempt 2");
    assert_eq!(receipts(both(), &[(0, 2)]), "Attempt 1", "the second was there first");
    assert_eq!(receipts(vec![replayed("r1"), committed("r1")], &[(0, 2)]), "Attempt 1");
    // The third was there first, then the second, then the first, which failed.
    let all = vec![server_error(), replayed("r1"), committed("r1")];
    assert_eq!(receipts(all, &[(0, 2), (1, 3)]), "Attempt 2");
}

#[test]
fn a_replay_needs_an_earlier_attempt_with_the_same_identity() {
    assert_eq!(outcome(vec![replayed("r1")], &settled(vec![right("r1")])), Committed);
    let mut made = attempts(vec![Answered::NoAnswer, replayed("r1")]);
    made[1].identity = Some("another".to_owned());
    assert_eq!(conclude(&"op-1".into(), &made, &settled(vec![right("r1")])).outcome, Committed);
}

#[test]
fn two_effects_are_duplicated_also_where_one_has_other_parameters() {
    assert_eq!(outcome(vec![committed("r1")], &settled(vec![right("r1"), right("r2")])), Duplicated);
    assert_eq!(outcome(vec![], &settled(vec![right("r1"), wrong()])), Duplicated);
}

#[test]
fn an_effect_with_other_parameters_is_mismatched_settled_or_not() {
    assert_eq!(outcome(vec![committed("r1")], &settled(vec![wrong()])), Mismatched);
    assert_eq!(outcome(vec![committed("r1")], &[read(false, true, vec![wrong()])]), Mismatched);
}

#[test]
fn without_a_look_at_the_target_everything_is_uncertain() {
    for answers in [vec![], vec![committed("r1")], vec![refused()], vec![Answered::NoAnswer, replayed("r1")]] {
        assert_eq!(outcome(answers, &[]), Uncertain);
    }
}

#[test]
fn a_look_that_is_too_early_or_may_lag_supports_neither_side() {
    for effects in [vec![], vec![right("r1")]] {
        assert_eq!(outcome(vec![Answered::NoAnswer], &[read(false, true, effects.clone())]), Uncertain);
        assert_eq!(outcome(vec![Answered::NoAnswer], &[read(true, false, effects)]), Uncertain);
    }
}

#[test]
fn looks_that_disagree_are_uncertain() {
    let looks = [Look::settled("queue", vec![right("r1")]), Look::settled("audit", vec![])];
    assert_eq!(outcome(vec![committed("r1")], &looks), Uncertain);
}

#[test]
fn a_lagging_view_can_contradict_by_showing_more_and_not_by_showing_less() {
    let behind = [Look::settled("orders", vec![right("r1")]), read(true, false, vec![])];
    assert_eq!(outcome(vec![committed("r1")], &behind), Committed);
    let ahead = [Look::settled("orders", vec![]), read(true, false, vec![right("r1")])];
    assert_eq!(outcome(vec![Answered::NoAnswer], &ahead), Uncertain);
}

#[test]
fn answers_that_contradict_the_target_are_uncertain() {
    assert_eq!(outcome(vec![committed("r1")], &settled(vec![])), Uncertain);
    assert_eq!(outcome(vec![refused(), replayed("r1")], &settled(vec![])), Uncertain);
    assert_eq!(outcome(vec![committed("r1"), committed("r2")], &settled(vec![right("r1")])), Uncertain);
    assert_eq!(outcome(vec![committed("r2")], &settled(vec![right("r1")])), Uncertain);
}

#[test]
fn the_evidence_names_each_attempt_and_each_look_and_stays_on_one_line() {
    let mut made = attempts(vec![Answered::Refused { reason: "no\n::error::forged".to_owned() }]);
    made[0].fault = Some("lost_ack".to_owned());
    let seen = conclude(&"op-1".into(), &made, &[Look::unreadable("orders", "database is locked")]);
    assert_eq!(
        seen.evidence,
        [
            r"Attempt 1 under `lost_ack`: refused: no\n::error::forged.",
            "The probe `orders` could not be read: database is locked.",
            "A target that should show the effect could not be read.",
        ]
    );
}

/// One row of the claim table: outcomes by what they make of the claim.
fn claims_as(claim: Claim, wanted: ClaimCheck, outcomes: &[Outcome]) {
    for outcome in ALL_OUTCOMES {
        let is_wanted = check_claim(outcome, Some(claim)) == wanted;
        assert_eq!(is_wanted, outcomes.contains(&outcome), "{claim} on {outcome} against {wanted}");
    }
}

#[test]
fn completed_is_confirmed_by_one_effect_alone() {
    claims_as(Claim::Completed, ClaimCheck::Confirmed, &[Committed, Replayed]);
    let false_success = [NotStarted, Rejected, NotCommitted, Duplicated, Mismatched];
    claims_as(Claim::Completed, ClaimCheck::FalseSuccess, &false_success);
    claims_as(Claim::Completed, ClaimCheck::Overclaimed, &[Uncertain]);
}

#[test]
fn rejected_is_confirmed_by_a_refusal_and_not_by_an_outage() {
    claims_as(Claim::Rejected, ClaimCheck::Confirmed, &[Rejected, NotStarted]);
    claims_as(Claim::Rejected, ClaimCheck::FalseFailure, &[Committed, Replayed, Duplicated, Mismatched]);
    claims_as(Claim::Rejected, ClaimCheck::Overclaimed, &[Uncertain, NotCommitted]);
}

#[test]
fn failed_is_confirmed_where_nothing_was_left() {
    claims_as(Claim::Failed, ClaimCheck::Confirmed, &[NotStarted, Rejected, NotCommitted]);
    claims_as(Claim::Failed, ClaimCheck::FalseFailure, &[Committed, Replayed, Duplicated, Mismatched]);
    claims_as(Claim::Failed, ClaimCheck::Overclaimed, &[Uncertain]);
}

#[test]
fn unknown_and_held_are_honest_and_never_confirmed() {
    claims_as(Claim::Unknown, ClaimCheck::HonestUnknown, &ALL_OUTCOMES);
    claims_as(Claim::Held, ClaimCheck::HonestUnknown, &ALL_OUTCOMES);
}

#[test]
fn no_claim_is_silent() {
    for outcome in ALL_OUTCOMES {
        assert_eq!(check_claim(outcome, None), ClaimCheck::Silent);
    }
}

fn any_answer() -> impl Strategy<Value = Answered> {
    let receipt = || prop_oneof![Just(None), Just(Some("r1".to_owned())), Just(Some("r2".to_owned()))];
    prop_oneof![
        receipt().prop_map(|receipt| Answered::Committed { receipt }),
        receipt().prop_map(|receipt| Answered::Replayed { receipt }),
        Just(refused()),
        Just(server_error()),
        Just(Answered::NoAnswer),
        Just(Answered::NotForwarded),
    ]
}

fn any_effect() -> impl Strategy<Value = EffectSeen> {
    let receipt = prop_oneof![Just(None), Just(Some("r1".to_owned())), Just(Some("r2".to_owned()))];
    let parameters = prop_oneof![Just(None), Just(Some(true)), Just(Some(false))];
    (receipt, parameters).prop_map(|(receipt, parameters_match)| EffectSeen { receipt, parameters_match })
}

fn any_look() -> impl Strategy<Value = Look> {
    let effects = || prop::collection::vec(any_effect(), 0..3);
    prop_oneof![
        Just(Look::unreadable("orders", "locked")),
        (any::<bool>(), any::<bool>(), effects()).prop_map(|(settled, whole, effects)| read(settled, whole, effects)),
        effects().prop_map(|effects| Look::settled("orders", effects)),
    ]
}

fn any_answers() -> impl Strategy<Value = Vec<Answered>> {
    prop::collection::vec(any_answer(), 0..5)
}

fn any_looks() -> impl Strategy<Value = Vec<Look>> {
    prop::collection::vec(any_look(), 0..4)
}

fn is_settled(look: &Look) -> bool {
    look.state == LookState::Read { settled: true, authoritative: true }
}

/// Found by the property below: a receipt that only the second look knows counts as much as one of the first.
#[test]
fn a_receipt_that_any_look_knows_contradicts_another_receipt() {
    let effect = |receipt: Option<&str>| EffectSeen { receipt: receipt.map(str::to_owned), parameters_match: None };
    let (knows, silent) = (read(true, true, vec![effect(Some("r1"))]), read(true, true, vec![effect(None)]));
    let answers = vec![Answered::Replayed { receipt: Some("r2".to_owned()) }];
    for looks in [[knows.clone(), silent.clone()], [silent, knows]] {
        assert_eq!(outcome(answers.clone(), &looks), Uncertain);
    }
}

proptest! {
    // They are cheap, and what they look for is rare.
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn nothing_about_absence_or_uniqueness_is_certain_without_a_settled_look(
        answers in any_answers(), looks in any_looks()
    ) {
        let outcome = outcome(answers, &looks);
        if !looks.iter().any(is_settled) {
            prop_assert!(matches!(outcome, Uncertain | Duplicated | Mismatched), "{outcome}");
        }
    }

    #[test]
    fn a_missing_answer_alone_never_rejects_or_shows_that_nothing_was_committed(
        number in 1..5_usize, looks in any_looks()
    ) {
        let outcome = outcome(vec![Answered::NoAnswer; number], &looks);
        prop_assert_ne!(outcome, Rejected);
        if outcome == NotCommitted {
            prop_assert!(looks.iter().any(is_settled));
        }
    }

    #[test]
    fn an_error_of_the_target_is_never_a_rejection(number in 1..5_usize, looks in any_looks()) {
        prop_assert_ne!(outcome(vec![server_error(); number], &looks), Rejected);
    }

    #[test]
    fn an_unreadable_look_never_makes_anything_more_certain(
        answers in any_answers(), looks in any_looks(), place in any::<prop::sample::Index>()
    ) {
        let before = outcome(answers.clone(), &looks);
        let mut more = looks;
        more.insert(place.index(more.len() + 1), Look::unreadable("audit", "gone"));
        let after = outcome(answers, &more);
        prop_assert!(after == before || after == Uncertain, "{before} became {after}");
    }

    #[test]
    fn two_effects_are_duplicated_whatever_was_answered(
        answers in any_answers(), looks in any_looks(), one in any_effect(), two in any_effect(), settled: bool, whole: bool
    ) {
        let mut more = looks;
        more.push(read(settled, whole, vec![one, two]));
        prop_assert_eq!(outcome(answers, &more), Duplicated);
    }

    #[test]
    fn the_order_of_looks_does_not_matter(
        answers in any_answers(), (looks, shuffled) in any_looks().prop_flat_map(|looks| (Just(looks.clone()), Just(looks).prop_shuffle()))
    ) {
        prop_assert_eq!(outcome(answers.clone(), &looks), outcome(answers, &shuffled));
    }

    #[test]
    fn the_order_of_attempts_changes_nothing_but_whether_one_was_a_replay(
        answers in any_answers(), looks in any_looks()
    ) {
        let merged = |outcome| if outcome == Replayed { Committed } else { outcome };
        let reversed = answers.iter().rev().cloned().collect();
        prop_assert_eq!(merged(outcome(answers, &looks)), merged(outcome(reversed, &looks)));
    }

    #[test]
    fn uncertain_is_never_confirmed(claim in prop_oneof![
        Just(Claim::Completed), Just(Claim::Rejected), Just(Claim::Failed), Just(Claim::Unknown), Just(Claim::Held)
    ]) {
        prop_assert_ne!(check_claim(Uncertain, Some(claim)), ClaimCheck::Confirmed);
    }
}

#[test]
fn grounds_are_what_looks_showed_and_the_conclusion_without_a_targets_words() {
    let refused = Answered::Refused { reason: "Jane Doe has no right".to_owned() };
    let attempt = AttemptSeen {
        number: 1,
        step: 1,
        call: None,
        identity: None,
        fault: None,
        answered: refused,
        exchange: None,
        behind: None,
    };
    let seen = conclude(&OperationId::new("op-1"), &[attempt], &[Look::settled("desk", Vec::new())]);
    let grounds: Vec<&str> = seen.grounds().collect();
    assert_eq!(grounds, ["The probe `desk` shows no effect, settled.", "The target refused and shows no effect."]);
}
