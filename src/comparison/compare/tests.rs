//! Each way in which a case can stand against what was accepted.

use serde_json::json;

use super::super::standing::{Ended, GradeChange};
use super::*;
use crate::baseline::samples;
use crate::domain::{BaselineHealth, Digest, Outcome, WorkflowId};
use crate::manifest::{Case, CaseOutline};

use CaseStatus::{Errored, Failed, Flaky, Passed, Uncertain};

/// The forms of a case, told apart by their digests.
const ACCEPTED: &str = "accepted form";
const OLD: &str = "form of the base";
const NEW: &str = "form of the head";

fn case(id: &str, form: &str) -> Case {
    let outline = CaseOutline {
        line: 1,
        digest: Digest::of(form.as_bytes()),
        expectation_digest: Digest::of(form.as_bytes()),
        ..CaseOutline::named(CaseId::from(id), Risk::from("access"), WorkflowId::from("desk"))
    };
    Case::new(outline, json!({}), Vec::new())
}

fn result(form: &str, status: CaseStatus) -> CaseResult {
    CaseResult { digest: Digest::of(form.as_bytes()), ..samples::result("c", status, "answer") }
}

fn entry(form: &str, status: CaseStatus) -> BaselineEntry {
    BaselineEntry {
        record: Digest::of(b"record"),
        accepted: "2026-01-01T00:00:00Z".to_owned(),
        by: "someone".to_owned(),
        acceptances_since: 0,
        case: AcceptedCase {
            set: Risk::from("access"),
            digest: Digest::of(form.as_bytes()),
            status,
            passed: 1,
            trials: 1,
            output: None,
            outcomes: BTreeMap::new(),
            failing: Vec::new(),
            question: crate::domain::Question::default(),
        },
    }
}

/// One situation of one case, `c`.
#[derive(Clone, Copy, Default)]
struct Situation<'a> {
    /// The form of the head.
    form: &'a str,
    /// How it ended in its head form, if it ran.
    now: Option<CaseStatus>,
    /// The base's form and how it ended, if it ran.
    old: Option<(&'a str, CaseStatus)>,
    /// Whether the base has another form.
    edited: bool,
    /// The form that was accepted and how it ended.
    accepted: Option<(&'a str, CaseStatus)>,
    /// Whether there is any baseline although it does not know the case.
    other_baseline: bool,
}

fn compared(situation: Situation<'_>) -> Compared {
    let mut baseline = Baseline::default();
    if situation.other_baseline {
        baseline.cases.insert(CaseId::from("another"), entry(ACCEPTED, Passed));
    }
    baseline.cases.extend(situation.accepted.map(|(form, status)| (CaseId::from("c"), entry(form, status))));
    let change = CaseChange { base: Some(case("c", OLD).held()), expectation_only: true };
    let results: Vec<CaseResult> = situation.now.map(|status| result(situation.form, status)).into_iter().collect();
    let old_forms: Vec<CaseResult> = situation.old.map(|(form, status)| result(form, status)).into_iter().collect();
    let all = compare(&CompareInput {
        results: &results,
        old_forms: &old_forms,
        baseline: &baseline,
        health: BaselineHealth::Sound,
        cases: &BTreeMap::from([(CaseId::from("c"), case("c", situation.form).held())]),
        changed: &situation.edited.then_some((CaseId::from("c"), change)).into_iter().collect(),
        project_file: &Digest::of(b"holdpoint.yaml"),
    });
    assert_eq!(all.len(), 1 + usize::from(situation.other_baseline));
    let compared = all.into_iter().find(|compared| compared.case.as_str() == "c").unwrap();
    assert_eq!(compared.status, situation.now, "the status is that of the head's form, untouched");
    assert_eq!(compared.old_form, situation.old.map(|(_, status)| status));
    compared
}

fn standing(situation: Situation<'_>) -> Standing {
    compared(situation).standing
}

#[test]
fn the_accepted_form_run_again_is_unchanged_regressed_fixed_or_a_known_failure() {
    let table = [
        (Passed, Passed, Standing::Unchanged),
        (Passed, Failed, Standing::Regressed),
        (Failed, Passed, Standing::Fixed),
        (Failed, Failed, Standing::KnownFailure),
    ];
    for (accepted, now, expected) in table {
        let situation =
            Situation { form: NEW, now: Some(now), accepted: Some((NEW, accepted)), ..Situation::default() };
        assert_eq!(standing(situation), expected, "{accepted} then {now}");
    }
}

#[test]
fn what_came_to_no_conclusion_stands_as_that_whatever_was_accepted() {
    let table = [(Errored, Standing::Errored), (Uncertain, Standing::Uncertain), (Flaky, Standing::Flaky)];
    for (now, expected) in table {
        for accepted in [Passed, Failed, Errored, Uncertain, Flaky] {
            for old in [None, Some((ACCEPTED, Passed))] {
                let situation = Situation {
                    form: NEW,
                    now: Some(now),
                    old,
                    edited: old.is_some(),
                    accepted: Some((if old.is_some() { ACCEPTED } else { NEW }, accepted)),
                    other_baseline: false,
                };
                assert_eq!(standing(situation), expected, "{accepted} then {now}");
            }
        }
    }
}

#[test]
fn a_record_with_an_inconclusive_result_excuses_no_failure() {
    for accepted in [Errored, Uncertain, Flaky] {
        let situation =
            Situation { form: NEW, now: Some(Failed), accepted: Some((NEW, accepted)), ..Situation::default() };
        assert_ne!(standing(situation), Standing::KnownFailure, "{accepted}");
    }
}

#[test]
fn an_edited_case_is_judged_by_both_of_its_forms() {
    let table = [
        // accepted, the accepted form run again, the new form, standing
        (Passed, Passed, Passed, Standing::Unchanged),
        (Passed, Failed, Passed, Standing::ExpectationChanged),
        (Passed, Errored, Passed, Standing::ExpectationChanged),
        (Passed, Uncertain, Passed, Standing::ExpectationChanged),
        (Passed, Flaky, Passed, Standing::ExpectationChanged),
        (Passed, Passed, Failed, Standing::Regressed),
        (Passed, Failed, Failed, Standing::Regressed),
        (Failed, Failed, Passed, Standing::ExpectationChanged),
        (Failed, Passed, Passed, Standing::Fixed),
        (Failed, Failed, Failed, Standing::NotComparable),
    ];
    for (accepted, old, now, expected) in table {
        let situation = Situation {
            form: NEW,
            now: Some(now),
            old: Some((ACCEPTED, old)),
            edited: true,
            accepted: Some((ACCEPTED, accepted)),
            other_baseline: false,
        };
        assert_eq!(standing(situation), expected, "accepted {accepted}, old form {old}, new form {now}");
    }
}

#[test]
fn an_edited_case_whose_old_form_did_not_run_is_not_comparable() {
    for edited in [true, false] {
        let situation = Situation {
            form: NEW,
            now: Some(Passed),
            edited,
            accepted: Some((ACCEPTED, Passed)),
            ..Situation::default()
        };
        assert_eq!(standing(situation), Standing::NotComparable);
    }
}

#[test]
fn passing_in_the_base_form_says_nothing_of_a_third_form_that_was_accepted() {
    let situation = Situation {
        form: NEW,
        now: Some(Passed),
        old: Some((OLD, Passed)),
        edited: true,
        accepted: Some((ACCEPTED, Passed)),
        other_baseline: false,
    };
    assert_eq!(standing(situation), Standing::NotComparable);
}

#[test]
fn an_edit_that_a_person_accepted_is_compared_as_any_other_case() {
    let situation = Situation {
        form: NEW,
        now: Some(Passed),
        old: Some((OLD, Failed)),
        edited: true,
        accepted: Some((NEW, Passed)),
        other_baseline: false,
    };
    assert_eq!(standing(situation), Standing::Unchanged);
    assert_eq!(standing(Situation { now: Some(Failed), ..situation }), Standing::Regressed);
}

#[test]
fn a_case_without_an_accepted_result_is_new_or_without_baseline() {
    for now in [Passed, Failed, Errored, Uncertain, Flaky] {
        let situation = Situation { form: NEW, now: Some(now), other_baseline: true, ..Situation::default() };
        assert_eq!(standing(situation), Standing::New, "{now}");
        assert_eq!(standing(Situation { other_baseline: false, ..situation }), Standing::NoBaseline, "{now}");
    }
}

#[test]
fn an_unaccepted_case_that_was_edited_must_pass_in_its_old_form_too() {
    for other_baseline in [true, false] {
        let fresh = if other_baseline { Standing::New } else { Standing::NoBaseline };
        let situation =
            Situation { form: NEW, now: Some(Passed), edited: true, other_baseline, ..Situation::default() };
        assert_eq!(standing(Situation { old: Some((OLD, Failed)), ..situation }), Standing::ExpectationChanged);
        assert_eq!(standing(Situation { old: Some((OLD, Passed)), ..situation }), fresh);
        assert_eq!(standing(Situation { old: None, ..situation }), Standing::NotComparable);
        assert_eq!(standing(Situation { old: Some((OLD, Failed)), now: Some(Failed), ..situation }), fresh);
    }
}

#[test]
fn a_case_that_did_not_run_inherits_only_the_result_of_its_own_form() {
    let situation = Situation { form: NEW, accepted: Some((NEW, Passed)), ..Situation::default() };
    let inherited = compared(situation);
    assert_eq!(inherited.standing, Standing::Inherited);
    let short = Digest::of(b"record").short().to_owned();
    assert!(inherited.why.contains(&short) && inherited.why.contains("2026-01-01"), "{}", inherited.why);
    let other_form = Situation { accepted: Some((ACCEPTED, Passed)), ..situation };
    assert_eq!(standing(other_form), Standing::NotComparable);
    assert_eq!(standing(Situation { accepted: None, other_baseline: true, ..situation }), Standing::New);
    assert_eq!(standing(Situation { accepted: None, ..situation }), Standing::NoBaseline);
}

#[test]
fn a_case_that_only_the_baseline_knows_is_removed() {
    let baseline =
        Baseline { cases: BTreeMap::from([(CaseId::from("gone"), entry(ACCEPTED, Passed))]), ..Baseline::default() };
    let compared = compare(&CompareInput {
        results: &[],
        old_forms: &[],
        baseline: &baseline,
        health: BaselineHealth::Sound,
        cases: &BTreeMap::new(),
        changed: &BTreeMap::new(),
        project_file: &Digest::of(b"holdpoint.yaml"),
    });
    assert_eq!((compared[0].standing, compared[0].status), (Standing::Removed, None));
}

#[test]
fn a_result_of_another_form_than_the_project_has_now_counts_for_nothing() {
    let baseline = Baseline { cases: BTreeMap::from([(CaseId::from("c"), entry(OLD, Passed))]), ..Baseline::default() };
    let compared = compare(&CompareInput {
        results: &[result(OLD, Passed)],
        old_forms: &[],
        baseline: &baseline,
        health: BaselineHealth::Sound,
        cases: &BTreeMap::from([(CaseId::from("c"), case("c", NEW).held())]),
        changed: &BTreeMap::new(),
        project_file: &Digest::of(b"holdpoint.yaml"),
    });
    assert_eq!(compared[0].standing, Standing::NotComparable);
}

/// How the accepted form stands that ended so at acceptance and ends so now.
fn from_to(accepted: &CaseResult, now: &CaseResult) -> Compared {
    let entry = BaselineEntry { case: AcceptedCase::of(accepted), ..entry(NEW, Passed) };
    let baseline = Baseline { cases: BTreeMap::from([(CaseId::from("c"), entry)]), ..Baseline::default() };
    let mut compared = compare(&CompareInput {
        results: std::slice::from_ref(now),
        old_forms: &[],
        baseline: &baseline,
        health: BaselineHealth::Sound,
        cases: &BTreeMap::from([(CaseId::from("c"), case("c", NEW).held())]),
        changed: &BTreeMap::new(),
        project_file: &Digest::of(b"holdpoint.yaml"),
    });
    compared.remove(0)
}

/// A result whose trials failed these expectations, all of them passed where none failed.
fn failing(trials: &[&[usize]]) -> CaseResult {
    let status = if trials.iter().all(|failing| failing.is_empty()) { Passed } else { Failed };
    CaseResult { trials: trials.iter().map(|failing| samples::failing_trial(failing)).collect(), ..result(NEW, status) }
}

/// A result of one trial in which the operation came out so.
fn coming_out(status: CaseStatus, outcome: Outcome) -> CaseResult {
    let mut result = result(NEW, status);
    result.trials[0].outcomes = [samples::operation("op-1", outcome)].into();
    result
}

#[test]
fn a_failure_is_known_only_where_every_expectation_that_fails_in_any_trial_failed_at_acceptance() {
    let accepted = failing(&[&[0], &[1]]);
    for now in [failing(&[&[0], &[1]]), failing(&[&[1], &[1]]), failing(&[&[0, 1], &[0]])] {
        assert_eq!(from_to(&accepted, &now).standing, Standing::KnownFailure);
    }
    for now in [failing(&[&[2], &[2]]), failing(&[&[0], &[0, 2]])] {
        let compared = from_to(&accepted, &now);
        assert_eq!(compared.standing, Standing::Regressed);
        assert!(compared.why.contains("expectation 3 (grader-2)"), "{}", compared.why);
        assert!(!compared.why.contains("grader-0"), "{}", compared.why);
    }
}

#[test]
fn a_record_that_does_not_say_what_failed_excuses_nothing() {
    let mut silent = failing(&[&[0]]);
    silent.trials[0].grades = Box::default();
    assert_eq!(from_to(&silent, &failing(&[&[0]])).standing, Standing::NotComparable);
}

#[test]
fn a_known_failure_whose_outcome_got_worse_is_regressed() {
    for accepted in [Outcome::Committed, Outcome::Replayed] {
        for now in [Outcome::Duplicated, Outcome::Mismatched, Outcome::Uncertain] {
            let compared = from_to(&coming_out(Failed, accepted), &coming_out(Failed, now));
            assert_eq!(compared.standing, Standing::Regressed, "{accepted} then {now}");
            assert!(compared.why.contains(&format!("op-1 was {accepted} and is {now}")), "{}", compared.why);
        }
    }
    let harmless = from_to(&coming_out(Failed, Outcome::Committed), &coming_out(Failed, Outcome::Replayed));
    assert_eq!(harmless.standing, Standing::KnownFailure);
    let unseen = from_to(&result(NEW, Failed), &coming_out(Failed, Outcome::Duplicated));
    assert_eq!(unseen.standing, Standing::Regressed, "an operation that was not seen at acceptance");
}

#[test]
fn a_pass_with_another_outcome_than_was_accepted_is_unchanged_and_says_so() {
    let compared = from_to(&coming_out(Passed, Outcome::Committed), &coming_out(Passed, Outcome::Duplicated));
    assert_eq!(compared.standing, Standing::Unchanged);
    assert!(compared.why.contains("op-1 was committed and is duplicated"), "{}", compared.why);
    let same = from_to(&coming_out(Passed, Outcome::Committed), &coming_out(Passed, Outcome::Committed));
    assert!(!same.why.contains("outcome"), "{}", same.why);
}

#[test]
fn fewer_trials_than_were_accepted_are_not_comparable_unless_they_show_something_worse() {
    let (passed, failed): (&[usize], &[usize]) = (&[], &[0]);
    let table = [
        ([passed, passed], passed, Standing::NotComparable),
        ([failed, failed], passed, Standing::NotComparable),
        ([failed, failed], failed, Standing::NotComparable),
        ([passed, passed], failed, Standing::Regressed),
        ([failed, failed], &[1], Standing::Regressed),
    ];
    for (accepted, now, expected) in table {
        let compared = from_to(&failing(&accepted), &failing(&[now]));
        assert_eq!(compared.standing, expected, "{accepted:?} then {now:?}");
        let says_why = compared.why.contains("fewer trials than before: 1 now, 2 then");
        assert_eq!(says_why, expected == Standing::NotComparable, "{}", compared.why);
    }
    let more = from_to(&failing(&[passed]), &failing(&[passed, passed]));
    assert_eq!(more.standing, Standing::Unchanged);
}

#[test]
fn the_accepted_form_run_again_with_fewer_trials_says_nothing_of_an_edited_case() {
    let mut baseline = Baseline::default();
    let mut accepted = entry(ACCEPTED, Passed);
    accepted.case.trials = 2;
    baseline.cases.insert(CaseId::from("c"), accepted);
    let change = CaseChange { base: Some(case("c", ACCEPTED).held()), expectation_only: true };
    let compared = compare(&CompareInput {
        results: &[result(NEW, Passed)],
        old_forms: &[result(ACCEPTED, Passed)],
        baseline: &baseline,
        health: BaselineHealth::Sound,
        cases: &BTreeMap::from([(CaseId::from("c"), case("c", NEW).held())]),
        changed: &BTreeMap::from([(CaseId::from("c"), change)]),
        project_file: &Digest::of(b"holdpoint.yaml"),
    });
    assert_eq!(compared[0].standing, Standing::NotComparable);
}

/// A question that is judged by this probe and this program.
fn question(probe: &str, program: &str) -> crate::domain::Question {
    let mut question = crate::domain::Question::default();
    question.set(Aspect::Expectations, Digest::of(b"expect"));
    for (aspect, text) in [(Aspect::Probes, probe), (Aspect::JudgingPrograms, program)] {
        if !text.is_empty() {
            question.set(aspect, Digest::of(text.as_bytes()));
        }
    }
    question
}

/// A case whose form stays what it was and that is judged by something else than at acceptance. `old` is how it ended as
/// it was judged then, where that ran again.
fn judged_otherwise(
    accepted: (CaseStatus, crate::domain::Question),
    now: (Option<CaseStatus>, crate::domain::Question),
    old: Option<CaseStatus>,
    project_file: &str,
) -> Compared {
    let mut baseline = Baseline { snapshot: Some(samples::snapshot(0.0)), ..Baseline::default() };
    let mut entry = entry(NEW, accepted.0);
    entry.case.question = accepted.1.clone();
    baseline.cases.insert(CaseId::from("c"), entry);
    let ran =
        |status, question: &crate::domain::Question| CaseResult { question: question.clone(), ..result(NEW, status) };
    let results: Vec<CaseResult> = now.0.map(|status| ran(status, &now.1)).into_iter().collect();
    let old_forms: Vec<CaseResult> = old.map(|status| ran(status, &accepted.1)).into_iter().collect();
    let mut case = case("c", NEW);
    case.question = now.1;
    let compared = compare(&CompareInput {
        results: &results,
        old_forms: &old_forms,
        baseline: &baseline,
        health: BaselineHealth::Sound,
        cases: &BTreeMap::from([(CaseId::from("c"), case.held())]),
        changed: &BTreeMap::new(),
        project_file: &Digest::of(project_file.as_bytes()),
    });
    compared.into_iter().next().unwrap()
}

#[test]
fn an_edited_probe_or_judging_program_never_turns_a_case_green_by_itself() {
    let table = [
        // accepted, as it was judged then, as it is judged now, standing
        (Passed, None, Passed, Standing::NotComparable),
        (Passed, Some(Failed), Passed, Standing::ExpectationChanged),
        (Passed, Some(Errored), Passed, Standing::ExpectationChanged),
        (Passed, Some(Passed), Passed, Standing::Unchanged),
        (Failed, Some(Failed), Passed, Standing::ExpectationChanged),
        (Failed, None, Passed, Standing::NotComparable),
        (Passed, Some(Passed), Failed, Standing::Regressed),
        (Failed, None, Failed, Standing::NotComparable),
    ];
    for (before, after, aspect) in [
        (question("a", ""), question("b", ""), Aspect::Probes),
        (question("", "a"), question("", "b"), Aspect::JudgingPrograms),
        (question("", ""), question("a", ""), Aspect::Probes),
        (question("", "a"), question("", ""), Aspect::JudgingPrograms),
    ] {
        for (accepted, old, now, expected) in table {
            let compared =
                judged_otherwise((accepted, before.clone()), (Some(now), after.clone()), old, "holdpoint.yaml");
            assert_eq!(compared.standing, expected, "accepted {accepted}, old form {old:?}, now {now}");
            assert_eq!(compared.differs, [aspect]);
            assert!(compared.why.contains(&aspect.to_string()) || old == Some(Passed), "{}", compared.why);
        }
    }
}

#[test]
fn a_case_that_did_not_run_inherits_nothing_that_was_judged_otherwise() {
    let not_run = |before: &str, after: &str| {
        judged_otherwise((Passed, question(before, "")), (None, question(after, "")), None, "holdpoint.yaml").standing
    };
    assert_eq!(not_run("a", "a"), Standing::Inherited);
    assert_eq!(not_run("a", "b"), Standing::NotComparable);
}

#[test]
fn a_record_that_does_not_say_how_it_was_judged_vouches_only_for_an_unchanged_project_file() {
    let unknown = crate::domain::Question::default;
    let standing = |probe: &str, program: &str, file: &str| {
        judged_otherwise((Passed, unknown()), (Some(Passed), question(probe, program)), None, file).standing
    };
    assert_eq!(standing("a", "", "holdpoint.yaml"), Standing::Unchanged);
    assert_eq!(standing("a", "", "edited"), Standing::NotComparable);
    assert_eq!(standing("", "a", "holdpoint.yaml"), Standing::NotComparable);
    assert_eq!(standing("", "", "edited"), Standing::Unchanged);
}

#[test]
fn the_grades_and_outcomes_that_changed_are_named() {
    let compared = from_to(&failing(&[&[0], &[1]]), &failing(&[&[1, 2], &[2]]));
    let change = |expectation: usize, holds_now| GradeChange {
        expectation,
        grader: format!("grader-{}", expectation - 1),
        holds_now,
    };
    assert_eq!(compared.grades, [change(1, true), change(3, false)]);
    assert_eq!(compared.before, Some(Ended { status: Failed, passed: 0, trials: 2 }));

    let compared = from_to(&coming_out(Passed, Outcome::Committed), &coming_out(Passed, Outcome::Duplicated));
    let outcome = &compared.outcomes[0];
    assert_eq!((outcome.before.as_str(), outcome.now.as_str(), outcome.worse), ("committed", "duplicated", true));
}

#[test]
fn an_edited_form_names_no_grades_and_a_pair_needs_the_same_question() {
    let situation = Situation {
        form: NEW,
        now: Some(Failed),
        old: Some((ACCEPTED, Passed)),
        edited: true,
        accepted: Some((ACCEPTED, Passed)),
        other_baseline: false,
    };
    let compared = compared(situation);
    assert_eq!((compared.differs.as_slice(), compared.grades.len()), ([Aspect::Case].as_slice(), 0));
    assert_eq!(compared.pair(), None);
    let same = from_to(&failing(&[&[]]), &failing(&[&[0]]));
    assert!(same.pair().is_some());
}

#[test]
fn a_case_in_another_set_than_it_was_accepted_in_or_had_at_the_base_says_which() {
    let moved = |accepted: Option<&str>, base: &str| {
        let in_set = |set: &str| {
            let mut case = case("c", NEW);
            case.set = Risk::from(set);
            case.held()
        };
        let mut baseline = Baseline::default();
        baseline.cases.extend(accepted.map(|set| {
            let mut entry = entry(NEW, Passed);
            entry.case.set = Risk::from(set);
            (CaseId::from("c"), entry)
        }));
        let change = CaseChange { base: Some(in_set(base)), expectation_only: false };
        let all = compare(&CompareInput {
            results: &[result(NEW, Passed)],
            old_forms: &[],
            baseline: &baseline,
            health: BaselineHealth::Sound,
            cases: &BTreeMap::from([(CaseId::from("c"), in_set("access"))]),
            changed: &BTreeMap::from([(CaseId::from("c"), change)]),
            project_file: &Digest::of(b"holdpoint.yaml"),
        });
        all[0].former_set.as_ref().map(ToString::to_string)
    };
    assert_eq!(moved(Some("action"), "access").as_deref(), Some("action"));
    assert_eq!(moved(Some("access"), "action"), None, "what was accepted counts");
    assert_eq!(moved(None, "action").as_deref(), Some("action"));
    assert_eq!(moved(None, "access"), None);
}
