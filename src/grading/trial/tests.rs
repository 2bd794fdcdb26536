//! How a trial ends, and what holds for every grader.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::domain::{Claim, ClaimCheck};
use crate::evidence::{Answer, ErrorKind, Judgement, Reading, TrialError};
use crate::grading::specimen::{Shelf, case, claiming, graded, json_answer, observation, operation, text};

fn grade_with(expectations: &[Value], observation: Observation) -> GradedTrial {
    grade(&case(expectations), observation, &Shelf::new().context())
}

fn status_with(expectations: &[Value], observation: Observation) -> TrialStatus {
    grade_with(expectations, observation).status
}

#[test]
fn every_grade_must_pass() {
    let seen = || observation(Some(text("yes")));
    assert_eq!(status_with(&[json!({"equals": "yes"})], seen()), TrialStatus::Passed);
    assert_eq!(status_with(&[json!({"equals": "yes"}), json!({"contains": "no"})], seen()), TrialStatus::Failed);
}

#[test]
fn grades_stand_in_the_order_of_the_expectations() {
    let expectations =
        [json!({"contains": "yes"}), json!({"not": {"equals": "no"}}), json!({"length": {"at_most": 3}})];
    let trial = grade_with(&expectations, observation(Some(text("yes"))));
    let names: Vec<&str> = trial.grades.iter().map(|grade| grade.grader.as_str()).collect();
    assert_eq!(names, ["contains", "not equals", "length"]);
}

#[test]
fn a_trial_with_an_error_is_errored_and_has_no_grades_whatever_was_answered() {
    let mut seen = observation(Some(text("yes")));
    seen.error = Some(TrialError { kind: ErrorKind::Exit, message: "it ended with status 1".to_owned() });
    let trial = grade_with(&[json!({"equals": "yes"})], seen);
    assert_eq!((trial.status, trial.grades.len()), (TrialStatus::Errored, 0));
}

#[test]
fn one_grader_without_a_judgement_is_an_error_beside_passes_and_failures() {
    let unread = json!({"effects": {"probe": "queue", "count": 0}});
    for turned in [unread.clone(), json!({ "not": unread })] {
        for answer in ["yes", "no"] {
            let status = status_with(&[json!({"equals": "yes"}), turned.clone()], observation(Some(text(answer))));
            assert_eq!(status, TrialStatus::Errored);
        }
    }
}

#[test]
fn no_expectation_at_all_is_an_error() {
    assert_eq!(status_with(&[], observation(Some(text("yes")))), TrialStatus::Errored);
}

#[test]
fn no_answer_at_all_is_an_error() {
    assert_eq!(status_with(&[json!({"not": {"contains": "refund"}})], observation(None)), TrialStatus::Errored);
}

fn uncertain_operation() -> Observation {
    let mut seen = observation(Some(claiming(&[("op-1", Claim::Unknown)])));
    seen.operations.push(operation("op-1", Outcome::Uncertain, 0));
    seen
}

#[test]
fn an_uncertain_operation_makes_the_trial_uncertain_whatever_the_grades_say() {
    for expected in ["done", "something else"] {
        assert_eq!(status_with(&[json!({"equals": expected})], uncertain_operation()), TrialStatus::Uncertain);
    }
    let not_duplicated = json!({"not": {"outcome": {"operation": "op-1", "is": "duplicated"}}});
    assert_eq!(status_with(&[not_duplicated], uncertain_operation()), TrialStatus::Uncertain);
}

#[test]
fn a_claim_of_something_nobody_saw_makes_the_trial_uncertain() {
    let seen = observation(Some(claiming(&[("op-1", Claim::Completed)])));
    assert_eq!(status_with(&[json!({"equals": "done"})], seen), TrialStatus::Uncertain);
}

#[test]
fn a_case_can_expect_that_an_operation_stays_uncertain() {
    for expectation in [
        json!({"outcome": {"operation": "op-1", "is": "uncertain"}}),
        json!({"claim": {"operation": "op-1", "is": "unknown"}}),
    ] {
        assert_eq!(status_with(&[expectation], uncertain_operation()), TrialStatus::Passed);
    }
}

#[test]
fn to_expect_the_opposite_or_another_operation_is_not_to_expect_uncertainty() {
    let opposite = json!({"not": {"outcome": {"operation": "op-1", "is": "uncertain"}}});
    assert_eq!(status_with(&[opposite], uncertain_operation()), TrialStatus::Uncertain);
    let mut seen = uncertain_operation();
    seen.operations.push(operation("op-2", Outcome::Uncertain, 0));
    let first_alone = json!({"outcome": {"operation": "op-1", "is": "uncertain"}});
    assert_eq!(status_with(&[first_alone], seen), TrialStatus::Uncertain);
}

#[test]
fn a_trial_that_was_ended_at_once_is_uncertain_where_it_had_begun_a_step() {
    let ended = |kind, steps: usize| {
        let mut seen = observation(Some(text("yes")));
        assert!(!seen.steps.is_empty());
        seen.steps.truncate(steps);
        seen.error = Some(TrialError { kind, message: "it was killed".to_owned() });
        cut_off(grade_with(&[json!({"equals": "yes"})], seen), || ", and what it did is not known".to_owned())
    };
    let open = ended(ErrorKind::Cancelled, 1);
    assert_eq!((open.status, open.grades.len()), (TrialStatus::Uncertain, 0));
    assert_eq!(open.observation.error.unwrap().message, "it was killed, and what it did is not known");
    for (kind, steps) in [(ErrorKind::Cancelled, 0), (ErrorKind::Timeout, 1)] {
        let trial = ended(kind, steps);
        assert_eq!(trial.status, TrialStatus::Errored, "{kind:?}");
        assert_eq!(trial.observation.error.unwrap().message, "it was killed");
    }
}

#[test]
fn claims_are_checked_also_where_the_trial_has_an_error() {
    let mut seen = observation(Some(claiming(&[("op-1", Claim::Completed)])));
    seen.operations.push(operation("op-1", Outcome::NotCommitted, 0));
    seen.error = Some(TrialError { kind: ErrorKind::Timeout, message: "it took too long".to_owned() });
    let trial = grade_with(&[json!({"equals": "done"})], seen);
    assert_eq!(trial.claim_checks.get("op-1"), Some(&ClaimCheck::FalseSuccess));
}

#[test]
fn what_the_workflow_prints_cannot_break_out_of_a_message() {
    let hostile = "\u{1b}[31m\n::error::<script>\u{202e}\u{0}".repeat(2_000);
    for expectation in [
        json!({"equals": "x"}),
        json!({"contains": "x"}),
        json!({"number": {"is": 1}}),
        json!({"json": {"path": "$.x"}}),
    ] {
        let grade = graded(expectation, &observation(Some(text(&hostile))));
        assert!(!grade.message.chars().any(char::is_control), "{}", grade.message);
        assert!(grade.message.chars().count() <= 520, "{}", grade.message);
    }
}

fn any_expectation() -> impl Strategy<Value = Value> {
    let forms = [
        json!({"equals": "yes"}),
        json!({"contains": ["yes", "no"]}),
        json!({"contains": {"any": ["yes"], "none": ["no"], "ignore_case": true}}),
        json!({"contains": ""}),
        json!({"regex": {"pattern": "y.s", "count": 1}}),
        json!({"regex": "("}),
        json!({"json": {"path": "$.n", "above": 1}}),
        json!({"json": {"path": "$.n", "exists": false}}),
        json!({"json_schema": {"schema": {"type": "string"}}}),
        json!({"json_schema": {"schema": {"type": "integer"}, "path": "$.n"}}),
        json!({"similar": {"to": "yes and no", "at_least": 0.5}}),
        json!({"number": {"is": 1, "tolerance": 0.5}}),
        json!({"length": {"at_most": 3}}),
        json!({"duration": {"at_most_ms": 10}}),
        json!({"cites": {}}),
        json!({"effects": {"probe": "queue", "where": {"operation": "op-1"}, "count": 1}}),
        json!({"outcome": {"operation": "op-1", "is": "committed"}}),
        json!({"claim": {"operation": "op-1", "is": "completed"}}),
        json!({"claim": "matches_evidence"}),
        json!({"http_status": {"is": 200}}),
        json!({"command": {"run": ["./judge"]}}),
    ];
    prop::sample::select(forms.to_vec())
}

fn any_answer() -> impl Strategy<Value = Option<Answer>> {
    let citation = json!({"source": "returns", "version": "3", "quote": "30 days"});
    let answers = vec![
        None,
        Some(text("yes")),
        Some(text("1.2")),
        Some(text("NaN")),
        Some(text("")),
        Some(json_answer(json!({"n": 2, "citations": [citation]}))),
        Some(json_answer(json!({"output": "no", "n": "x", "citations": []}))),
        Some(claiming(&[("op-1", Claim::Completed)])),
        Some(claiming(&[("op-1", Claim::Failed)])),
    ];
    prop::sample::select(answers)
}

fn any_observation() -> impl Strategy<Value = Observation> {
    let row: Map<String, Value> = Map::from_iter([("operation".to_owned(), json!("op-1"))]);
    let readings = vec![
        None,
        Some(Reading::Unreadable("gone".to_owned())),
        Some(Reading::Effects(vec![])),
        Some(Reading::Effects(vec![row.clone()])),
        Some(Reading::Effects(vec![row.clone(), row])),
    ];
    let judgements = vec![
        None,
        Some(Judgement::Unclear("NaN".to_owned())),
        Some(Judgement::Verdict { pass: true, message: String::new() }),
        Some(Judgement::Verdict { pass: false, message: String::new() }),
    ];
    let outcomes = vec![None, Some(Outcome::Committed), Some(Outcome::NotCommitted), Some(Outcome::Uncertain)];
    let statuses = vec![None, Some(200), Some(500)];
    let select = prop::sample::select::<Option<Outcome>>(outcomes);
    (
        any_answer(),
        prop::sample::select(readings),
        prop::sample::select(judgements),
        select,
        prop::sample::select(statuses),
    )
        .prop_map(|(answer, reading, judgement, outcome, status)| {
            let mut seen = observation(answer);
            seen.readings.extend(reading.map(|reading| ("queue".to_owned(), reading)));
            seen.judgements.extend(judgement.map(|judgement| (0, judgement)));
            let effects = usize::from(outcome == Some(Outcome::Committed));
            seen.operations.extend(outcome.map(|outcome| operation("op-1", outcome, effects)));
            seen.steps[0].http_status = status;
            seen
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_opposite_of_a_judged_grade_is_its_opposite_or_no_judgement_and_never_a_second_pass(
        expectation in any_expectation(), seen in any_observation()
    ) {
        let plain = graded(expectation.clone(), &seen).pass;
        let turned = graded(json!({ "not": expectation }), &seen).pass;
        match (plain, turned) {
            (Some(plain), Some(turned)) => prop_assert_ne!(plain, turned),
            (None, turned) => prop_assert_eq!(turned, None),
            // What an expectation speaks of is not there: it fails, and its opposite is not shown.
            (Some(plain), None) => prop_assert!(!plain),
        }
    }

    #[test]
    fn turning_round_twice_changes_nothing(expectation in any_expectation(), seen in any_observation()) {
        let twice = json!({"not": {"not": expectation}});
        prop_assert_eq!(graded(twice, &seen), graded(expectation, &seen));
    }

    #[test]
    fn the_same_trial_gets_the_same_grades(
        expectations in prop::collection::vec(any_expectation(), 0..5), seen in any_observation()
    ) {
        prop_assert_eq!(grade_with(&expectations, seen.clone()), grade_with(&expectations, seen));
    }

    #[test]
    fn a_trial_passes_only_where_every_grade_does(
        expectations in prop::collection::vec(any_expectation(), 0..4), seen in any_observation()
    ) {
        let trial = grade_with(&expectations, seen);
        if trial.status == TrialStatus::Passed {
            prop_assert!(!trial.grades.is_empty());
            prop_assert!(trial.grades.iter().all(|grade| grade.pass == Some(true)));
        }
        if trial.grades.iter().any(|grade| grade.pass.is_none()) {
            prop_assert_eq!(trial.status, TrialStatus::Errored);
        }
    }
}
