//! Papers of whole runs.

use proptest::prelude::*;
use serde_json::Value;

use crate::domain::{Claim, ClaimCheck, OperationId, Outcome, TrialStatus};
use crate::evidence::{Answered, Form as CaseForm, Look, conclude};
use crate::manifest::IdempotencyKey;

use super::specimen::{PERSONAL, RunFixture, attempt, contract, operation};
use super::*;

const OUTCOMES: [Outcome; 8] = [
    Outcome::NotStarted,
    Outcome::Rejected,
    Outcome::NotCommitted,
    Outcome::Committed,
    Outcome::Replayed,
    Outcome::Duplicated,
    Outcome::Mismatched,
    Outcome::Uncertain,
];

fn text(paper: &impl Paper) -> String {
    paper.write(Form::Text).unwrap()
}

fn json(paper: &impl Paper) -> Value {
    serde_json::from_str(&paper.write(Form::Json).unwrap()).unwrap()
}

#[test]
fn the_papers_of_lost_acknowledgments_and_a_refusal_read_so() {
    let fixture = RunFixture::lost_acknowledgments();
    let account = fixture.account();
    insta::assert_snapshot!("scorecard", text(&scorecard(&account)));
    insta::assert_snapshot!("failures", text(&failure_table(&account)));
    insta::assert_snapshot!("incident", text(&incident(&account, &Links::default())));
    insta::assert_snapshot!("handover", text(&handover(&account)));
    insta::assert_snapshot!("failures_markdown", failure_table(&account).write(Form::Markdown).unwrap());
}

#[test]
fn each_document_names_its_format() {
    let fixture = RunFixture::lost_acknowledgments();
    let account = fixture.account();
    let schemas = [
        json(&scorecard(&account)),
        json(&failure_table(&account)),
        json(&incident(&account, &Links::default())),
        json(&handover(&account)),
    ]
    .map(|document| document["schema"].as_str().unwrap().to_owned());
    assert_eq!(
        schemas,
        ["holdpoint.scorecard/1", "holdpoint.failures/1", "holdpoint.incident/1", "holdpoint.handover/1"]
    );
}

#[test]
fn attempts_are_never_counted_as_operations() {
    let mut fixture = RunFixture::empty();
    let attempts: Vec<_> = (1..=3).map(|number| attempt(number, None, Answered::NoAnswer)).collect();
    fixture.add("case", "One job", &[], conclude(&OperationId::new("op"), &attempts, &[]));
    let account = fixture.account();
    let scores = json(&scorecard(&account));
    assert_eq!((&scores["operations"]["operations"], &scores["operations"]["attempts"]), (&1.into(), &3.into()));
    assert_eq!(failure_table(&account).rows.len(), 1);
}

#[test]
fn what_was_not_observed_is_blank_and_never_zero() {
    let fixture = RunFixture::empty();
    let scores = json(&scorecard(&fixture.account()));
    for place in [
        "/cases/eligible",
        "/cases/passed_checks",
        "/cases/accepted",
        "/cases/accepted_at_first_review",
        "/cases/corrections",
        "/operations/operations",
        "/operations/attempts",
        "/operations/outcomes",
        "/refusals/refusals",
        "/refusals/right",
        "/exceptions/exceptions",
        "/exceptions/unresolved",
        "/exceptions/unassigned",
        "/effort/minutes",
        "/effort/machine_minutes",
        "/cost",
        "/queue/waiting",
        "/queue/oldest_minutes",
        "/review_load/0/reviews",
        "/review_load/2/minutes",
        "/review_load/1/exceptions",
    ] {
        assert_eq!(scores.pointer(place), Some(&Value::Null), "{place}");
    }
}

#[test]
fn attempts_that_go_past_the_runner_are_blank_and_permit_nothing() {
    let mut account = RunFixture::empty().account();
    account.operations = vec![operation(Outcome::NotStarted, None, 0)];
    account.operations[0].attempts_observed = false;
    assert_eq!(json(&scorecard(&account))["operations"]["attempts"], Value::Null);
    assert_eq!(failure_table(&account).rows[0].attempts, None);
    let note = incident(&account, &Links::default());
    assert_eq!((note.scope.attempts, note.requested[0].attempts), (None, None));
    assert!(note.known[0].text.starts_with("It left nothing; whether it was begun was not observed."));
    assert_eq!(next_step(&account.operations[0]).another_attempt, Permission::NotKnown);
}

#[test]
fn what_was_observed_to_be_none_is_zero() {
    let mut fixture = RunFixture::empty();
    let seen = conclude(&OperationId::new("op"), &[], &[Look::settled("queue", Vec::new())]);
    fixture.add("case", "Nothing is staged", &[], seen);
    let scores = json(&scorecard(&fixture.account()));
    for place in
        ["/operations/attempts", "/exceptions/unresolved", "/refusals/refusals", "/operations/outcomes/uncertain"]
    {
        assert_eq!(scores.pointer(place), Some(&0.into()), "{place}");
    }
    assert_eq!(scores["cases"]["accepted"], Value::Null, "a run has no reviewer");
}

#[test]
fn a_rate_stands_with_its_count_and_interval() {
    let fixture = RunFixture::lost_acknowledgments();
    let scores = json(&scorecard(&fixture.account()));
    let rate = &scores["cases"]["passed_checks"];
    assert_eq!((&rate["count"], &rate["of"]), (&3.into(), &3.into()));
    assert!(rate["low"].as_f64().unwrap() < 0.5 && rate["high"].as_f64().unwrap() >= 1.0, "{rate}");
}

#[test]
fn a_case_whose_trials_are_not_all_recorded_stays_in_the_denominator() {
    let mut fixture = RunFixture::lost_acknowledgments();
    fixture.planned[0].2 = 2;
    let scores = json(&scorecard(&fixture.account()));
    let rate = &scores["cases"]["passed_checks"];
    assert_eq!((&rate["count"], &rate["of"]), (&2.into(), &3.into()));
}

#[test]
fn the_old_form_of_a_case_is_left_out_and_counted() {
    let mut fixture = RunFixture::lost_acknowledgments();
    let mut old = fixture.trials[0].clone();
    old.observation.form = CaseForm::Base;
    fixture.trials.push(old);
    let account = fixture.account();
    assert_eq!(account.operations.len(), 3);
    assert!(
        account.remarks.iter().any(|remark| remark.starts_with("Left out: 1 trial of edited cases")),
        "{account:?}"
    );
}

#[test]
fn a_refusal_is_right_where_its_trial_passed_and_wrong_where_it_failed() {
    let mut fixture = RunFixture::lost_acknowledgments();
    let scores = |fixture: &RunFixture| json(&scorecard(&fixture.account()))["refusals"].clone();
    assert_eq!(scores(&fixture)["right"], 1);
    fixture.trials[1].status = TrialStatus::Failed;
    assert_eq!((&scores(&fixture)["right"], &scores(&fixture)["wrong"]), (&0.into(), &1.into()));
    fixture.trials[1].status = TrialStatus::Errored;
    assert_eq!((&scores(&fixture)["right"], &scores(&fixture)["not_judged"]), (&Value::Null, &1.into()));
}

#[test]
fn an_empty_look_that_established_nothing_is_no_absence() {
    let fixture = RunFixture::lost_acknowledgments();
    let rows = failure_table(&fixture.account()).rows;
    let row = rows.iter().find(|row| row.outcome == Outcome::Uncertain).unwrap();
    assert_eq!(row.effects, None);
    assert_eq!(rows.iter().find(|row| row.outcome == Outcome::Rejected).unwrap().effects, Some(0));
}

#[test]
fn no_paper_holds_an_answer_an_input_or_a_targets_sentence() {
    let mut fixture = RunFixture::lost_acknowledgments();
    let told = |text: &str| Some(format!("{text} {PERSONAL}"));
    for (answered, case) in [
        (Answered::Committed { receipt: told("for") }, "a"),
        (Answered::Refused { reason: PERSONAL.to_owned() }, "b"),
        (Answered::Error { detail: PERSONAL.to_owned() }, "c"),
        (Answered::Replayed { receipt: told("for") }, "d"),
    ] {
        let seen = conclude(&OperationId::new("op"), &[attempt(1, Some(PERSONAL), answered)], &[]);
        fixture.add(case, "Title", &[], seen);
    }
    let account = fixture.account();
    for form in [Form::Text, Form::Markdown] {
        for paper in [
            scorecard(&account).write(form).unwrap(),
            incident(&account, &Links::default()).write(form).unwrap(),
            handover(&account).write(form).unwrap(),
        ] {
            assert!(!paper.contains("Jane") && !paper.contains("Elm"), "{paper}");
        }
    }
    let documents = [
        scorecard(&account).write(Form::Json).unwrap(),
        failure_table(&account).write(Form::Json).unwrap(),
        failure_table(&account).write(Form::Text).unwrap(),
        incident(&account, &Links::default()).write(Form::Json).unwrap(),
        handover(&account).write(Form::Json).unwrap(),
    ];
    for document in documents {
        assert!(!document.contains("Jane"), "{document}");
    }
}

#[test]
fn missing_information_stays_missing_until_it_is_given() {
    let fixture = RunFixture::lost_acknowledgments();
    let account = fixture.account();
    let bare = incident(&account, &Links::default());
    for gap in ["Any containment.", "Any owner.", "When the next check is due.", "The cause."] {
        assert!(bare.missing.iter().any(|missing| missing == gap), "{gap}: {:?}", bare.missing);
    }
    let links = Links {
        owner: Some("ivo".to_owned()),
        containment: Some("New staging is paused.".to_owned()),
        next_check: Some("Queue at noon.".to_owned()),
        cause: Some("The answer has no retry.".to_owned()),
        change: Some("c4b31e1".to_owned()),
        case: Some("lost-acknowledgment".to_owned()),
    };
    let told = incident(&account, &links);
    assert_eq!(told.missing, ["The owner of 1 open operation."]);
    assert_eq!(told.verification[0].text, "Case lost-acknowledgment: passed in run 20260302-090000000-00c0de.");
}

#[test]
fn a_case_that_did_not_pass_or_did_not_run_verifies_nothing() {
    let mut fixture = RunFixture::lost_acknowledgments();
    fixture.trials[0].status = TrialStatus::Failed;
    let account = fixture.account().notable();
    let verified = |case: &str| {
        let links = Links { case: Some(case.to_owned()), ..Links::default() };
        incident(&account, &links).verification[0].text.clone()
    };
    assert!(verified("lost-acknowledgment").ends_with("the change is not verified by it."));
    assert!(verified("another").ends_with("no result of it is recorded here."));
}

#[test]
fn an_incident_leaves_out_what_went_as_it_should_and_says_so() {
    let mut fixture = RunFixture::lost_acknowledgments();
    let done = Answered::Committed { receipt: None };
    let effects = vec![crate::evidence::EffectSeen { receipt: None, parameters_match: Some(true) }];
    let look = Look::settled("queue", effects);
    let seen = conclude(&OperationId::new("op-plain"), &[attempt(1, None, done)], &[look]);
    fixture.add("plain", "It is staged", &[("op-plain", Claim::Completed)], seen);
    let notable = fixture.account().notable();
    let ids: Vec<&str> = notable.operations.iter().map(|operation| operation.operation.as_str()).collect();
    assert_eq!(ids, ["op-8", "op-7", "op-9"]);
    assert!(notable.remarks.iter().any(|remark| remark.starts_with("1 of 4 operations are left out")));
}

#[test]
fn cases_that_did_not_pass_are_in_the_note_whatever_their_operations_came_to() {
    let mut fixture = RunFixture::empty();
    let effects = vec![crate::evidence::EffectSeen { receipt: None, parameters_match: Some(true) }];
    for case in ["c-1", "c-2", "c-3", "c-4", "c-5", "c-6", "c-7"] {
        let done = attempt(1, None, Answered::Committed { receipt: None });
        let seen = conclude(&OperationId::new("op"), &[done], &[Look::settled("queue", effects.clone())]);
        fixture.add(case, "It is staged", &[("op", Claim::Completed)], seen);
    }
    fixture.trials.iter_mut().for_each(|trial| trial.status = TrialStatus::Passed);
    let note = |fixture: &RunFixture| incident(&fixture.account().notable(), &Links::default());
    assert!(note(&fixture).cases.is_empty());
    fixture.trials[0].status = TrialStatus::Failed;
    let one = note(&fixture);
    assert_eq!(one.known[0].text, "The case c-1 ended as failed; no operation of it is noted here.");
    assert_eq!((one.scope.cases, one.requested.len()), (1, 0));
    fixture.trials[..6].iter_mut().for_each(|trial| trial.status = TrialStatus::Failed);
    let six = note(&fixture);
    let [known] = &six.known[..] else { panic!("{:?}", six.known) };
    assert!(
        known.text.starts_with("6 cases did not pass") && known.text.contains("c-5 (failed) and 1 more"),
        "{known:?}"
    );
    let told = text(&six);
    assert!(told.contains("6, of which 6 did not pass: c-1, c-2"), "{told}");
    // Of one case alone nothing is said that befell another one.
    let own = six.of_case(&crate::domain::CaseId::new("c-6"));
    assert_eq!((own.cases.len(), own.scope.cases, own.known.len()), (1, 1, 1));
    assert!(own.known[0].text.starts_with("The case c-6 ended"), "{:?}", own.known);
    let mut mixed = RunFixture::lost_acknowledgments();
    mixed.trials[0].status = TrialStatus::Failed;
    let other = note(&mixed).of_case(&crate::domain::CaseId::new("nobody-looked"));
    assert!(other.requested.iter().all(|requested| requested.place.operation.as_str() == "op-9"));
    assert_eq!((other.requested.len(), other.attempted.len(), other.known.len()), (1, 1, 0));
    assert!(other.by_outcome.iter().flat_map(|group| &group.operations).count() == 1);
}

#[test]
fn a_name_that_fits_nothing_is_an_error_and_no_empty_paper() {
    let fixture = RunFixture::lost_acknowledgments();
    let account = fixture.account();
    assert_eq!(account.about(&["op-8".to_owned(), "op-x".to_owned()]).unwrap_err(), "op-x");
    assert_eq!(account.about(&["op-8".to_owned(), "nobody-looked".to_owned()]).unwrap().operations.len(), 2);
}

#[test]
fn another_attempt_is_decided_by_outcome_and_contract() {
    use Permission::{NeedsDecision, NotKnown, NotPermitted, Permitted};
    let with = |outcome, key: Option<IdempotencyKey>, attempts, made| {
        let mut seen = operation(outcome, None, made);
        seen.contract = key.map(|key| contract(key, attempts));
        next_step(&seen).another_attempt
    };
    let caller = Some(IdempotencyKey::Caller);
    for (outcome, key, attempts, made, expected) in [
        (Outcome::Committed, caller, 9, 1, NotPermitted),
        (Outcome::Replayed, caller, 9, 2, NotPermitted),
        (Outcome::Rejected, caller, 9, 1, NotPermitted),
        (Outcome::Duplicated, caller, 9, 2, NotPermitted),
        (Outcome::Mismatched, caller, 9, 1, NotPermitted),
        (Outcome::NotCommitted, caller, 2, 1, Permitted),
        (Outcome::NotCommitted, caller, 2, 2, NeedsDecision),
        (Outcome::NotCommitted, None, 0, 1, NotKnown),
        (Outcome::NotStarted, caller, 2, 0, Permitted),
        (Outcome::Uncertain, caller, 2, 1, Permitted),
        (Outcome::Uncertain, caller, 2, 2, NeedsDecision),
        (Outcome::Uncertain, Some(IdempotencyKey::Content), 2, 1, Permitted),
        (Outcome::Uncertain, Some(IdempotencyKey::None), 2, 1, NotPermitted),
        (Outcome::Uncertain, None, 0, 1, NotKnown),
    ] {
        assert_eq!(with(outcome, key, attempts, made), expected, "{outcome} {key:?} {attempts} {made}");
    }
}

#[test]
fn what_depends_on_an_unverified_step_waits() {
    let mut message = operation(Outcome::NotStarted, None, 0);
    message.waits_for = vec![OperationId::new("op-reserve")];
    let next = next_step(&message);
    assert_eq!(next.another_attempt, Permission::NotPermitted);
    assert_eq!(next.resume_on[0], "Exactly one verified effect of op-reserve.");
    message.outcome = Outcome::Uncertain;
    assert_eq!(next_step(&message).another_attempt, Permission::NotPermitted, "whatever the contract permits");
}

#[test]
fn an_operation_that_was_handed_over_is_open_also_where_the_evidence_settles_it() {
    assert!(operation(Outcome::Committed, Some(Claim::Unknown), 1).is_open());
    assert!(operation(Outcome::NotStarted, Some(Claim::Held), 0).is_open());
    assert!(operation(Outcome::Committed, Some(Claim::Failed), 1).is_open());
    assert!(!operation(Outcome::Committed, Some(Claim::Completed), 1).is_open());
    assert!(!operation(Outcome::Rejected, Some(Claim::Rejected), 1).is_open());
    let mut closed = operation(Outcome::Uncertain, None, 1);
    closed.resolution = Some(Resolution { by: "ivo".to_owned(), evidence: "t-1".to_owned() });
    assert!(closed.is_exception() && !closed.is_open());
}

#[test]
fn a_hostile_id_forms_no_markup_and_moves_no_cursor() {
    let mut fixture = RunFixture::empty();
    let hostile = "op\u{1b}[2J\u{202e}|<b>\n# x";
    fixture.add("case", "Title", &[], conclude(&OperationId::new(hostile), &[], &[]));
    let account = fixture.account();
    for form in [Form::Text, Form::Markdown] {
        for paper in [
            failure_table(&account).write(form).unwrap(),
            incident(&account, &Links::default()).write(form).unwrap(),
            handover(&account).write(form).unwrap(),
        ] {
            assert!(!paper.contains(['\u{1b}', '\u{202e}']) && !paper.contains("\n# x"), "{paper}");
            assert!(form == Form::Text || !paper.contains("<b>"), "{paper}");
        }
    }
}

proptest! {
    #[test]
    fn outcomes_and_claims_add_up_to_the_operations(picks in prop::collection::vec((0_usize..8, 0_usize..6, 0_u32..4), 1..40)) {
        let claims = [None, Some(Claim::Completed), Some(Claim::Rejected), Some(Claim::Failed), Some(Claim::Unknown), Some(Claim::Held)];
        let mut account = RunFixture::empty().account();
        account.operations =
            picks.iter().map(|(outcome, claim, made)| operation(OUTCOMES[*outcome], claims[*claim], *made)).collect();
        let scores = scorecard(&account);
        let total = |counts: &Option<std::collections::BTreeMap<String, usize>>| counts.as_ref().unwrap().values().sum::<usize>();
        prop_assert_eq!(total(&scores.operations.outcomes), picks.len());
        prop_assert_eq!(total(&scores.operations.claims), picks.len());
        let made: u32 = picks.iter().map(|(_, _, made)| made).sum();
        prop_assert_eq!(scores.operations.attempts, Some(usize::try_from(made).unwrap()));
        prop_assert_eq!(failure_table(&account).rows.len(), picks.len());
        let note = incident(&account, &Links::default());
        prop_assert_eq!(note.by_outcome.iter().map(|group| group.operations.len()).sum::<usize>(), picks.len());
        prop_assert_eq!(note.known.len() + note.uncertain.len(), picks.len());
        prop_assert_eq!(handover(&account).items.iter().map(|item| item.attempts.len()).sum::<usize>(), picks.len());
    }

    #[test]
    fn nothing_uncertain_is_ever_verified(made in 0_u32..4) {
        let mut account = RunFixture::empty().account();
        account.operations = vec![operation(Outcome::Uncertain, Some(Claim::Completed), made)];
        let papers = handover(&account);
        prop_assert!(papers.items[0].verified.is_empty() && !papers.items[0].open_questions.is_empty());
        prop_assert_eq!(account.operations[0].claim_check, ClaimCheck::Overclaimed);
    }
}
