//! What each policy makes of each set of counts, and that no change weakens it in silence.

use proptest::prelude::*;

use super::super::{BaselineState, Purpose, Verdict, VerdictInput, verdict};
use super::*;
use crate::change::Side;
use crate::comparison::Ended;
use crate::domain::ExitCode;
use crate::manifest::SetPolicy;
use crate::selection::{Excluded, ExclusionReason, Mode, Selected, SelectionReason};

use CaseStatus::{Errored, Failed, Flaky, Passed, Uncertain};

fn minimum(at_least: f64) -> SetPolicy {
    SetPolicy { minimum_rate: Some(MinimumRate { at_least, confidence: 0.95 }), ..SetPolicy::default() }
}

fn no_drop() -> SetPolicy {
    SetPolicy { no_significant_drop: Some(NoSignificantDrop { alpha: 0.05, margin: None }), ..SetPolicy::default() }
}

fn within(margin: f64) -> SetPolicy {
    let drop = NoSignificantDrop { alpha: 0.05, margin: Some(margin) };
    SetPolicy { no_significant_drop: Some(drop), ..SetPolicy::default() }
}

fn policy(sets: &[(&str, SetPolicy)]) -> ProjectPolicy {
    let sets = sets.iter().map(|(set, policy)| (Risk::from(*set), *policy));
    ProjectPolicy { sets: sets.collect(), ..ProjectPolicy::default() }
}

/// So many cases of a set with the same standing and end, before and now.
#[derive(Clone, Copy)]
struct Many<'a>(usize, &'a str, Standing, Option<CaseStatus>, CaseStatus);

fn regressed(count: usize, set: &str) -> Many<'_> {
    Many(count, set, Standing::Regressed, Some(Passed), Failed)
}

fn fixed(count: usize, set: &str) -> Many<'_> {
    Many(count, set, Standing::Fixed, Some(Failed), Passed)
}

fn unchanged(count: usize, set: &str) -> Many<'_> {
    Many(count, set, Standing::Unchanged, Some(Passed), Passed)
}

fn new(count: usize, set: &str, now: CaseStatus) -> Many<'_> {
    Many(count, set, Standing::New, None, now)
}

fn members(groups: &[Many<'_>]) -> Vec<Compared> {
    let ended = |status| Ended { status, passed: u32::from(status == Passed), trials: 1 };
    let mut members: Vec<Compared> = Vec::new();
    for Many(count, set, standing, before, now) in groups {
        for _ in 0..*count {
            let id = CaseId::new(format!("{set}-{:03}", members.len()));
            members.push(Compared {
                status: Some(*now),
                before: before.map(ended),
                now: Some(ended(*now)),
                ..Compared::new(id, Risk::from(*set), *standing, "")
            });
        }
    }
    members
}

/// The verdict over these cases, with so many more of the set `access` that did not run.
fn judged(groups: &[Many<'_>], left_out: usize, policy: &ProjectPolicy, earlier: &[ProjectPolicy]) -> Verdict {
    judged_of(&members(groups), left_out, policy, earlier)
}

fn judged_of(compared: &[Compared], left_out: usize, policy: &ProjectPolicy, earlier: &[ProjectPolicy]) -> Verdict {
    let side = |name: &str| Side { name: name.to_owned(), commit: None, note: None };
    let select = |one: &Compared| Selected {
        case: one.case.clone(),
        set: one.set.clone(),
        reasons: vec![SelectionReason::Always],
    };
    let excluded = (0..left_out).map(|index| Excluded {
        case: CaseId::new(format!("left-out-{index}")),
        set: Risk::from("access"),
        reason: ExclusionReason::NoRiskTouched,
        inherited: None,
    });
    let plan = Plan {
        base: side("main"),
        head: side("working tree"),
        mode: Mode::Selective,
        mode_reason: String::new(),
        changes: Vec::new(),
        selected: compared.iter().map(select).collect(),
        excluded: excluded.collect(),
        unclassified: Vec::new(),
        uncovered: Vec::new(),
        bumps_without_change: Vec::new(),
        changes_without_bump: Vec::new(),
        outside_project: 0,
    };
    verdict(&VerdictInput {
        purpose: Purpose::Gate,
        plan: &plan,
        compared,
        policy,
        earlier,
        baseline: BaselineState::Sound,
        conflicting_cases: BTreeSet::new(),
        base_in_doubt: false,
        elsewhere: 0,
        interruption: None,
        paused: "",
        trials_executed: compared.len(),
        blind_graders: &[],
        lost_evidence: &[],
    })
}

fn code(groups: &[Many<'_>], policy: &ProjectPolicy) -> ExitCode {
    judged(groups, 0, policy, &[]).code
}

#[test]
fn a_minimum_rate_tolerates_what_the_rest_makes_up_for_and_names_it() {
    let policy = policy(&[("access", minimum(0.8))]);
    // 2 of 40: the one-sided lower limit of the rate is 85.08 %.
    let tolerated =
        judged(&[regressed(1, "access"), new(1, "access", Failed), unchanged(38, "access")], 0, &policy, &[]);
    assert_eq!(tolerated.code, ExitCode::Passed, "{:?}", tolerated.reasons);
    let note = &tolerated.notes[0];
    assert!(note.contains("tolerates 2 cases that did not pass (access-000, access-001)"), "{note}");
    assert!(
        note.contains("at least 80 % must pass, with 95 % confidence; 38 of 40 passed, which shows at least 85.0 %")
    );
    // 17 of 20 pass: between 65.6 % and 95.8 %, one-sided.
    let open = judged(&[regressed(3, "access"), unchanged(17, "access")], 0, &policy, &[]);
    assert_eq!(open.code, ExitCode::Inconclusive);
    assert_eq!(open.reasons.len(), 1, "the failures are that reason's: {:?}", open.reasons);
    assert!(open.reasons[0].text.contains("access-002"), "{}", open.reasons[0].text);
    assert_eq!(code(&[regressed(12, "access"), unchanged(8, "access")], &policy), ExitCode::Failed);
}

#[test]
fn what_broke_is_not_made_up_for_by_cases_that_nobody_has_accepted() {
    let policy = policy(&[("access", minimum(0.6))]);
    let broken = [regressed(14, "access"), unchanged(6, "access")];
    assert_eq!(code(&broken, &policy), ExitCode::Failed);
    let padded = judged(&[broken[0], broken[1], new(90, "access", Passed)], 0, &policy, &[]);
    assert_eq!(padded.code, ExitCode::Failed);
    assert!(
        padded.reasons[0].text.contains("without the new cases 6 of 20, which shows at most"),
        "{:?}",
        padded.reasons
    );
    // 5 of 20 leave it open whether 60 % pass; with 90 more it would be beyond doubt.
    let open = [regressed(5, "access"), unchanged(15, "access"), new(90, "access", Passed)];
    assert_eq!(code(&open, &policy), ExitCode::Inconclusive);
    // Where all that was accepted passes, new cases count like any other.
    assert_eq!(
        code(&[unchanged(5, "access"), new(30, "access", Passed), new(1, "access", Failed)], &policy),
        ExitCode::Passed
    );
}

#[test]
fn too_few_passes_to_show_the_rate_decide_nothing() {
    let policy = policy(&[("access", minimum(0.9))]);
    // All of n must pass, and 0.9^n must not be above 5 %: n is 29.
    assert_eq!(code(&[unchanged(28, "access")], &policy), ExitCode::Inconclusive);
    assert_eq!(code(&[unchanged(29, "access")], &policy), ExitCode::Passed);
    let part = judged(&[unchanged(3, "access")], 30, &policy, &[]);
    assert_eq!(part.code, ExitCode::Passed, "a part of the set cannot show the rate, and has nothing to tolerate");
    assert!(part.sets[0].decision == PolicyDecision::Holds && part.notes[0].contains("the other 30 did not run"));
}

#[test]
fn a_policy_tolerates_failures_alone_and_only_in_its_own_set() {
    let policy = policy(&[("access", minimum(0.8))]);
    let many = unchanged(60, "access");
    assert_eq!(code(&[many, new(1, "access", Flaky)], &policy), ExitCode::Passed);
    assert_eq!(code(&[many, new(1, "access", Errored)], &policy), ExitCode::Inconclusive);
    assert_eq!(code(&[many, new(1, "access", Uncertain)], &policy), ExitCode::Inconclusive);
    assert_eq!(code(&[many, regressed(1, "action")], &policy), ExitCode::Failed);
    let edited = Many(1, "access", Standing::ExpectationChanged, Some(Passed), Passed);
    assert_eq!(code(&[many, edited], &policy), ExitCode::Inconclusive);
}

#[test]
fn a_margin_asks_that_the_drop_be_shown_to_be_smaller() {
    let drop = |worse, both, margin| {
        code(&[regressed(worse, "access"), unchanged(both, "access")], &policy(&[("access", within(margin))]))
    };
    // Newcombe's paired interval, method 10 with continuity-corrected phi, two-sided at 90 %: 1 flip of 100 gives a drop of at
    // most 4.4 points, 3 of at most 7.3, 30 of at least 22.5.
    assert_eq!(drop(1, 99, 0.05), ExitCode::Passed);
    assert_eq!(drop(1, 99, 0.04), ExitCode::Inconclusive);
    assert_eq!(drop(3, 97, 0.05), ExitCode::Inconclusive);
    assert_eq!(drop(3, 97, 0.08), ExitCode::Passed);
    assert_eq!(drop(30, 70, 0.05), ExitCode::Failed);
    assert_eq!(drop(0, 3, 0.05), ExitCode::Passed, "where nothing fails there is nothing to tolerate");
    assert_eq!(drop(1, 9, 0.05), ExitCode::Inconclusive, "too few cases to show anything");
}

#[test]
fn a_drop_that_no_test_finds_is_still_no_drop_within_the_margin() {
    let groups = [regressed(9, "access"), fixed(4, "access"), unchanged(20, "access")];
    assert_eq!(code(&groups, &policy(&[("access", no_drop())])), ExitCode::Passed, "13 flips find nothing");
    assert_eq!(code(&groups, &policy(&[("access", within(0.05))])), ExitCode::Inconclusive);
}

#[test]
fn a_set_with_a_margin_takes_no_part_in_the_correction_of_the_others() {
    let groups = [regressed(6, "access"), unchanged(30, "access"), regressed(1, "action"), unchanged(199, "action")];
    let both = policy(&[("access", no_drop()), ("action", no_drop())]);
    assert_eq!(code(&groups, &both), ExitCode::Inconclusive, "six flips are not enough for two sets");
    let apart = policy(&[("access", no_drop()), ("action", within(0.05))]);
    assert_eq!(code(&groups, &apart), ExitCode::Failed);
}

#[test]
fn no_significant_drop_needs_six_flips_to_say_anything() {
    let policy = policy(&[("access", no_drop())]);
    let many = unchanged(30, "access");
    assert_eq!(code(&[many, fixed(2, "access")], &policy), ExitCode::Passed);
    for worse in 1..=5 {
        assert_eq!(code(&[many, regressed(worse, "access")], &policy), ExitCode::Inconclusive, "{worse}");
    }
    assert_eq!(code(&[many, regressed(6, "access")], &policy), ExitCode::Failed);
    let balanced = judged(&[many, regressed(4, "access"), fixed(3, "access")], 0, &policy, &[]);
    assert_eq!(balanced.code, ExitCode::Passed);
    assert!(balanced.notes[0].contains("tolerates 4 cases"), "{}", balanced.notes[0]);
    assert_eq!(code(&[many, new(1, "access", Failed)], &policy), ExitCode::Failed, "a new case was never better");
}

#[test]
fn several_sets_are_held_to_their_drop_together() {
    let alone = policy(&[("access", no_drop())]);
    let together = policy(&[("access", no_drop()), ("action", no_drop())]);
    let groups = [regressed(6, "access"), unchanged(30, "access"), unchanged(30, "action")];
    // 6 flips give p = .03125; for two sets it is .0625, and 7 are the least that could show anything.
    assert_eq!(code(&groups, &alone), ExitCode::Failed);
    assert_eq!(code(&groups, &together), ExitCode::Inconclusive);
    // What is said of the test's power is the level at which it was held, of several policies the strictest.
    let least = |policy: &ProjectPolicy, earlier: &[ProjectPolicy]| {
        judged(&groups, 0, policy, earlier).sets[0].level.unwrap().least_flips()
    };
    assert_eq!((least(&alone, &[]), least(&together, &[])), (6, 7));
    assert_eq!(least(&alone, std::slice::from_ref(&together)), 7);
}

#[test]
fn a_set_in_which_nothing_can_be_tested_makes_no_other_test_weaker() {
    let together = policy(&[("access", no_drop()), ("action", no_drop())]);
    let groups = [regressed(6, "access"), unchanged(30, "access"), new(3, "action", Passed)];
    let verdict = judged(&groups, 0, &together, &[]);
    assert_eq!(verdict.code, ExitCode::Failed, "{:?}", verdict.notes);
    let note = verdict.notes.iter().find(|note| note.contains("action")).unwrap();
    assert!(note.contains("nothing can be said") && !note.contains("no drop at all"), "{note}");
}

#[test]
fn the_policies_of_before_are_corrected_for_their_own_sets_alone() {
    let alone = policy(&[("access", no_drop())]);
    let together = policy(&[("access", no_drop()), ("action", no_drop())]);
    let groups = [regressed(6, "access"), unchanged(30, "access"), unchanged(30, "action")];
    let verdict = judged(&groups, 0, &together, std::slice::from_ref(&alone));
    assert_eq!(verdict.code, ExitCode::Failed, "{:?}", verdict.reasons);
}

#[test]
fn a_case_that_was_moved_is_tolerated_only_where_both_of_its_sets_would() {
    let moved = |from: &str, policy: &ProjectPolicy| {
        let mut compared = members(&[regressed(1, "access"), unchanged(60, "access"), unchanged(60, "action")]);
        compared[0].former_set = Some(Risk::from(from));
        judged_of(&compared, 0, policy, &[])
    };
    let one = policy(&[("access", minimum(0.8))]);
    let both = policy(&[("access", minimum(0.8)), ("action", minimum(0.8))]);
    let strict = policy(&[("access", minimum(0.8)), ("action", minimum(0.99))]);
    let verdict = moved("action", &one);
    assert_eq!(verdict.code, ExitCode::Failed, "{:?}", verdict.notes);
    assert!(verdict.reasons[0].text.contains("worse than at acceptance: 1 case (access-000)"), "{:?}", verdict.reasons);
    assert_eq!(moved("action", &both).code, ExitCode::Passed);
    assert_eq!(moved("action", &strict).code, ExitCode::Inconclusive);
}

#[test]
fn a_policy_that_is_lowered_in_the_same_change_is_judged_by_the_stricter_one() {
    let groups = [regressed(1, "access"), unchanged(60, "access")];
    let lenient = policy(&[("access", minimum(0.8))]);
    assert_eq!(judged(&groups, 0, &lenient, &[]).code, ExitCode::Passed);
    let by_base = judged(&groups, 0, &lenient, &[ProjectPolicy::default()]);
    assert_eq!(by_base.code, ExitCode::Failed);
    assert!(by_base.notes[0].contains("the stricter one counts") && by_base.notes[0].contains("zero tolerance"));
    let stricter = policy(&[("access", minimum(0.99))]);
    assert_ne!(judged(&groups, 0, &lenient, std::slice::from_ref(&stricter)).code, ExitCode::Passed);
    assert_ne!(
        judged(&groups, 0, &stricter, std::slice::from_ref(&lenient)).code,
        ExitCode::Passed,
        "raising counts at once"
    );
    assert_eq!(judged(&groups, 0, &lenient, std::slice::from_ref(&lenient)).code, ExitCode::Passed);
}

fn any_policy() -> impl Strategy<Value = SetPolicy> {
    prop_oneof![Just(SetPolicy::default()), (0.5_f64..0.99).prop_map(minimum), Just(no_drop())]
}

proptest! {
    #[test]
    fn no_policy_turns_a_gate_green_that_either_policy_alone_would_not(
        worse in 0_usize..9, better in 0_usize..9, same in 0_usize..60, fresh in 0_usize..3,
        one in any_policy(), other in any_policy(),
    ) {
        let groups = [regressed(worse, "access"), fixed(better, "access"), unchanged(same, "access"), new(fresh, "access", Failed)];
        let (one, other) = (policy(&[("access", one)]), policy(&[("access", other)]));
        let both = judged(&groups, 0, &one, std::slice::from_ref(&other)).code;
        for alone in [&one, &other] {
            if judged(&groups, 0, alone, &[]).code != ExitCode::Passed {
                prop_assert_ne!(both, ExitCode::Passed);
            }
        }
        // A set of which nothing ran has no verdict of its own.
        if worse + better + same + fresh > 0 {
            let swapped = judged(&groups, 0, &other, std::slice::from_ref(&one)).code;
            prop_assert_eq!(both == ExitCode::Passed, swapped == ExitCode::Passed);
        }
    }

    #[test]
    fn whatever_is_tolerated_is_named_in_a_note(worse in 0_usize..20, same in 0_usize..200, at_least in 0.5_f64..0.99) {
        let policy = policy(&[("access", minimum(at_least))]);
        let verdict = judged(&[regressed(worse, "access"), unchanged(same, "access")], 0, &policy, &[]);
        if verdict.code == ExitCode::Passed {
            for index in 0..worse {
                let named = verdict.notes[0].contains(&format!("access-{index:03}"));
                prop_assert!(named);
            }
        }
    }

    #[test]
    fn one_more_failure_never_helps(worse in 0_usize..20, same in 1_usize..100, at_least in 0.5_f64..0.99) {
        let policy = policy(&[("access", minimum(at_least))]);
        let decision = |worse| judged(&[regressed(worse, "access"), unchanged(same, "access")], 0, &policy, &[]).sets[0].decision;
        // The same number of passes of more cases shows less.
        prop_assert!(decision(worse) <= decision(worse + 1));
    }
}
