//! Damaged trials: what is damaged, who notices, and who is blind.

use super::*;
use crate::evidence::{Observation, Reading};
use crate::grading::contract::specimen::{Call, trial};
use crate::grading::specimen::{Shelf, case, claiming, json_answer, observation, operation, text};
use serde_json::{Value, json};

fn rows(rows: Value) -> Reading {
    Reading::Effects(rows.as_array().unwrap().iter().map(|row| row.as_object().unwrap().clone()).collect())
}

/// One staging that is done, claimed as done, and shown by a probe beside somebody else's.
fn staged() -> Observation {
    let mut seen = observation(Some(claiming(&[("op-1", Claim::Completed)])));
    seen.operations.push(operation("op-1", Outcome::Committed, 1));
    let shown = json!([{"operation": "op-1", "quantity": 2, "sent": false}, {"operation": "op-0", "quantity": 9, "sent": null}]);
    seen.readings.insert("queue".to_owned(), rows(shown));
    seen
}

#[track_caller]
fn check(expectations: &[Value], seen: Observation) -> CaseMutation {
    let shelf = Shelf::new();
    let case = case(expectations);
    let graded = grade(&case, seen, &shelf.context());
    mutate(&case, &graded, &shelf.context()).unwrap_or_else(|| panic!("{:?}", graded.grades))
}

fn sights(checked: &CaseMutation) -> Vec<Sight> {
    checked.graders.iter().map(|grader| grader.sight).collect()
}

fn effects(settings: Value) -> Value {
    let mut settings = settings;
    settings["probe"] = json!("queue");
    json!({ "effects": settings })
}

#[test]
fn every_kind_of_damage_is_done_once_in_each_place() {
    let checked = check(&[effects(json!({"where": {"operation": "op-1"}, "count": 1}))], staged());
    // Two outcomes, a claim, two rows dropped, two copied, one added, six fields; the answer gone, another, cut short.
    assert_eq!((checked.mutants, checked.left_out), (17, 0));
    assert_eq!(checked.noticed + checked.survivors.len(), checked.mutants);
    // The own row gone, copied, added, and its operation altered.
    assert_eq!(checked.noticed, 4);
}

#[test]
fn a_grader_that_counts_what_is_there_sees() {
    let checked =
        check(&[effects(json!({"where": {"operation": "op-1"}, "count": 1, "fields": {"quantity": 2}}))], staged());
    assert_eq!(sights(&checked), [Sight::Sees]);
    assert_eq!((checked.graders[0].concerned, checked.graders[0].noticed), (5, 5));
}

#[test]
fn a_grader_whose_bound_is_too_loose_is_blind() {
    let loose = effects(json!({"where": {"operation": "op-1"}, "at_most": 3}));
    let checked = check(&[loose], staged());
    assert_eq!(sights(&checked), [Sight::Blind]);
    assert_eq!(checked.blind().count(), 1);
    let tight = effects(json!({"where": {"operation": "op-1"}, "at_most": 1}));
    assert_eq!(sights(&check(&[tight], staged())), [Sight::Sees]);
}

#[test]
fn a_grader_that_says_nothing_may_be_there_is_tried_with_something() {
    let none = effects(json!({"where": {"operation": "op-7"}, "count": 0}));
    let checked = check(&[none], staged());
    assert_eq!(sights(&checked), [Sight::Sees]);
    assert_eq!(checked.graders[0].concerned, 1);
    let mut empty = staged();
    empty.readings.insert("queue".to_owned(), rows(json!([])));
    assert_eq!(sights(&check(&[effects(json!({"where": {"operation": "op-7"}, "count": 0}))], empty)), [Sight::Sees]);
}

#[test]
fn damage_elsewhere_does_not_make_a_grader_blind() {
    let outcome = json!({"outcome": {"operation": "op-1", "is": "committed"}});
    let mut seen = staged();
    seen.operations.push(operation("op-2", Outcome::Rejected, 0));
    let checked = check(&[outcome.clone(), json!({"claim": "matches_evidence"})], seen.clone());
    assert_eq!(sights(&checked), [Sight::Sees, Sight::Sees]);
    let checked = check(&[outcome, json!({"contains": {"none": ["undone"]}})], seen);
    assert_eq!(sights(&checked), [Sight::Sees, Sight::Untried]);
    let other = |mutation: &&Mutation| matches!(mutation, Mutation::FlipOutcome { operation, .. } if operation.as_str() == "op-2");
    assert_eq!(checked.survivors.iter().filter(other).count(), 1);
}

#[test]
fn claims_are_turned_round_in_every_form() {
    let mut seen = staged();
    let document = json!({"claims": [{"operation": "op-1", "claim": "completed"}]});
    let answer = seen.steps[0].answer.as_mut().unwrap();
    (answer.json, answer.output) = (Some(document.clone()), document);
    let path = json!({"json": {"path": "$.claims[0].claim", "equals": "completed"}});
    let checked = check(&[json!({"claim": {"operation": "op-1", "is": "completed"}}), path], seen);
    assert_eq!(sights(&checked), [Sight::Sees; 2]);
    let flipped = |mutation: &Mutation| matches!(mutation, Mutation::FlipClaim { .. });
    assert!(!checked.survivors.iter().any(flipped), "{:?}", checked.survivors);
}

#[test]
fn a_program_and_what_is_turned_round_are_not_judged() {
    let mut seen = staged();
    let verdict = crate::evidence::Judgement::Verdict { pass: true, message: String::new() };
    seen.judgements.insert(0, verdict);
    let turned = json!({"not": effects(json!({"count": 5}))});
    let checked = check(&[json!({"command": {"run": ["judge"]}}), turned], seen);
    assert_eq!(sights(&checked), [Sight::NotJudged, Sight::NotJudged]);
}

#[test]
fn a_trial_that_did_not_pass_is_not_damaged() {
    let shelf = Shelf::new();
    let case = case(&[effects(json!({"count": 5}))]);
    let graded = grade(&case, staged(), &shelf.context());
    assert_eq!(mutate(&case, &graded, &shelf.context()), None);
}

#[test]
fn calls_are_dropped_with_their_attempts_and_their_arguments_altered() {
    let mut shelf = Shelf::new();
    for manifest in crate::grading::contract::specimen::shop().into_values() {
        shelf.add(serde_json::to_value(manifest).unwrap());
    }
    let keyed = || Call::reserve("O-1").key("k");
    let seen = trial(&[keyed().lost(), keyed(), Call::send("O-1")]).observation;
    let case = case(&[
        json!({"attempts": {"operation": "reserve:O-1", "at_least": 2}}),
        json!({"attempts": {"operation": "reserve:O-1", "at_most": 9}}),
        json!({"parameters": "unchanged"}),
        json!({"depends": {"call": "messaging/send", "on": "inventory/reserve"}}),
    ]);
    let graded = grade(&case, seen, &shelf.context());
    let checked = mutate(&case, &graded, &shelf.context()).unwrap_or_else(|| panic!("{:?}", graded.grades));
    assert_eq!(sights(&checked), [Sight::Sees; 4]);
    let concerned: Vec<usize> = checked.graders.iter().map(|grader| grader.concerned).collect();
    // Each of two attempts gone, and both; a hundred more; two arguments of each; all attempts at what it depends on gone or
    // made too late, and two other outcomes of it.
    assert_eq!(concerned, [3, 1, 4, 4]);
    assert!(checked.graders.iter().all(|grader| grader.noticed == grader.concerned), "{:?}", checked.graders);
}

/// How graders of calls stand the check, of a trial in which a reservation took three attempts.
#[track_caller]
fn calls(expectations: &[Value]) -> Vec<(Sight, usize)> {
    let mut shelf = Shelf::new();
    for manifest in crate::grading::contract::specimen::shop().into_values() {
        shelf.add(serde_json::to_value(manifest).unwrap());
    }
    let keyed = || Call::reserve("O-1").key("k");
    let seen = trial(&[keyed().lost(), keyed().lost(), keyed(), Call::send("O-1")]).observation;
    let case = case(expectations);
    let graded = grade(&case, seen, &shelf.context());
    let checked = mutate(&case, &graded, &shelf.context()).unwrap_or_else(|| panic!("{:?}", graded.grades));
    checked.graders.iter().map(|grader| (grader.sight, grader.concerned)).collect()
}

#[test]
fn one_of_several_calls_that_is_gone_makes_no_true_expectation_blind() {
    let call = json!({"call": "inventory/reserve", "at_least": 2, "at_most": 4});
    let operation = json!({"operation": "reserve:O-1", "at_least": 1});
    let pair = json!({"call": "inventory/reserve", "before": "messaging/send"});
    let checked = calls(&[json!({"attempts": call}), json!({"attempts": operation}), json!({"order": [pair]})]);
    // All gone, and a hundred more; all gone; all gone, and the two the other way round.
    assert_eq!(checked, [(Sight::Sees, 2), (Sight::Sees, 1), (Sight::Sees, 2)]);
}

#[test]
fn a_bound_that_no_number_of_attempts_breaks_is_blind() {
    let never = json!({"attempts": {"call": "messaging/release", "at_most": 0}});
    let loose = json!({"attempts": {"operation": "reserve:O-1", "at_most": 1000}});
    let none = json!({"attempts": {"operation": "reserve:O-1", "within_s": 1000}});
    let checked = calls(&[never, loose, none]);
    assert_eq!(checked, [(Sight::Sees, 1), (Sight::Blind, 1), (Sight::Untried, 0)]);
}

#[test]
fn mutants_are_bounded_and_what_is_left_out_is_counted() {
    let mut seen = staged();
    let many: Vec<Value> = (0..200).map(|number| json!({"operation": format!("x-{number}"), "quantity": 1})).collect();
    seen.readings.insert("queue".to_owned(), rows(Value::from(many)));
    let checked = check(&[effects(json!({"count": 200}))], seen);
    assert_eq!(checked.mutants, MOST);
    // Three of operations, 200 dropped, 200 copied, one added, 400 fields, three of the answer.
    assert_eq!(checked.left_out, 3 + 200 + 200 + 1 + 400 + 3 - MOST);
}

#[test]
fn the_same_trial_always_gives_the_same_mutants() {
    let of = || check(&[effects(json!({"count": 2}))], staged());
    assert_eq!(of(), of());
}

#[test]
fn trials_of_one_case_are_added_up() {
    let of = |settings| check(&[effects(settings)], staged());
    let cases = by_case([of(json!({"count": 2})), of(json!({"count": 2}))]);
    assert_eq!(cases.len(), 1);
    let (one, both) = (of(json!({"count": 2})), &cases[0]);
    assert_eq!((both.trials, both.mutants, both.noticed), (2, 2 * one.mutants, 2 * one.noticed));
    assert_eq!(both.survivors, one.survivors);
    let totals = MutationTotals::of(&cases);
    assert_eq!((totals.cases, totals.mutants, totals.blind), (1, 2 * one.mutants, 0));
    assert_eq!(totals.dropped_effects_unnoticed, 0);
    let unseen = check(&[json!({"equals": "done"})], staged());
    assert_eq!(MutationTotals::of([&unseen]).dropped_effects_unnoticed, 2);
}

#[test]
fn every_mutation_is_said_in_a_clause() {
    let said = Mutation::AlterField { probe: "queue".to_owned(), row: 0, field: "quantity".to_owned() }.phrase();
    assert_eq!(said, "effect 1 of queue had another quantity");
    let written = serde_json::to_value(Mutation::DropExchange { exchange: 3 }).unwrap();
    assert_eq!(written, json!({"kind": "drop_exchange", "exchange": 3}));
}

/// How the graders of an answer stand the check, and what nobody noticed.
#[track_caller]
fn answered(expectations: &[Value], answer: Answer) -> (Vec<(Sight, usize)>, CaseMutation) {
    let checked = check(expectations, observation(Some(answer)));
    (checked.graders.iter().map(|grader| (grader.sight, grader.concerned)).collect(), checked)
}

#[test]
fn an_answer_is_emptied_exchanged_cut_and_altered_in_each_place() {
    let said = "Parts can be returned within 30 days, or 14 where opened.";
    let (_, checked) = answered(&[json!({"not": {"contains": "zebra"}})], text(said));
    let expected = [
        Mutation::EmptyAnswer,
        Mutation::ReplaceAnswer,
        Mutation::CutAnswer,
        Mutation::AlterNumber { number: 0 },
        Mutation::AlterNumber { number: 1 },
        Mutation::NegateAnswer,
    ];
    assert_eq!(checked.survivors, expected);
    let (_, checked) = answered(&[json!({"contains": ["can be", "30 days", "14 where"]})], text(said));
    assert_eq!((checked.noticed, checked.survivors), (6, vec![]));
    let (_, checked) = answered(&[json!({"contains": "be returned"})], text("It cannot be said not to be returned"));
    assert_eq!(checked.survivors, [Mutation::NegateAnswer], "what is denied is said");
}

#[test]
fn a_json_answer_loses_and_alters_each_field_but_its_claims() {
    let document =
        json!({"output": "yes", "sure": true, "list": [{"a/b": 1}], "claims": [{"operation": "o", "claim": "held"}]});
    let expectations = [json!({"json": {"path": "$.sure", "equals": true}})];
    let (sights, checked) = answered(&expectations, json_answer(document));
    assert_eq!(sights, [(Sight::Sees, 1)]);
    let left: Vec<String> = checked.survivors.iter().map(Mutation::phrase).collect();
    let own = [
        "the answer lacked /output",
        "the answer had another /output",
        "the answer lacked /list/0/a~1b",
        "the answer had another /list/0/a~1b",
    ];
    assert_eq!(left, own);
    // Without a word, about something else, in the middle broken off, and the field gone or altered.
    assert_eq!((checked.mutants, checked.noticed, checked.noticed_silence), (9, 5, 1));
}

#[test]
fn a_grader_of_the_answer_that_an_empty_one_passes_is_blind() {
    let (sights, _) = answered(
        &[json!({"regex": {"pattern": ".*"}}), json!({"json_schema": {"schema": {"type": "string"}}})],
        text("so"),
    );
    assert_eq!(sights, [(Sight::Blind, 1); 2]);
    let (sights, _) =
        answered(&[json!({"contains": {"none": ["x"]}}), json!({"regex": {"pattern": "x", "count": 0}})], text("so"));
    assert_eq!(sights, [(Sight::Untried, 0); 2]);
    let (sights, checked) = answered(&[json!({"length": {"at_least": 1}})], text("so"));
    assert_eq!(sights, [(Sight::Sees, 1)]);
    assert_eq!((checked.noticed, checked.noticed_silence), (1, 1), "any words pass");
    let (_, checked) = answered(&[json!({"equals": ""})], text(""));
    assert!(!checked.survivors.contains(&Mutation::EmptyAnswer), "nothing was damaged");
}

#[test]
fn bounds_of_length_time_and_status_are_passed() {
    for unit in ["characters", "words", "lines"] {
        let (sights, _) = answered(&[json!({"length": {"of": unit, "at_most": 5000}})], text("so"));
        assert_eq!(sights, [(Sight::Sees, 1)], "{unit}");
    }
    let mut seen = observation(Some(text("so")));
    seen.steps[0].http_status = Some(404);
    let checked =
        check(&[json!({"http_status": {"is": 404}}), json!({"duration": {"at_most_ms": 5000}})], seen.clone());
    assert_eq!(sights(&checked), [Sight::Sees; 2]);
    let checked = check(&[json!({"contains": "so"})], seen);
    assert!(
        !checked.survivors.iter().any(|mutation| matches!(mutation, Mutation::AlterStatus { .. })),
        "nobody expects one"
    );
}

#[test]
fn what_another_case_was_answered_is_put_in_the_place() {
    let shelf = Shelf::new();
    let (own, other) = (case(&[json!({"regex": {"pattern": "[0-9]+ days"}})]), CaseId::from("other"));
    let graded = grade(&own, observation(Some(text("within 30 days"))), &shelf.context());
    let swap = Mutation::SwapAnswer { case: other.clone() };
    let beside = |words: &str| {
        CaseMutation::beside(&own, &graded, &[(&other, &text(words))], &shelf.context()).unwrap().survivors
    };
    assert!(beside("14 days").contains(&swap));
    assert!(!beside("no").contains(&swap));
    assert!(!beside("within 30 days").contains(&swap), "the same words are no damage");
}
