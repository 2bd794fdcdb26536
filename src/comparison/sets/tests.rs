//! The figures of made-up sets.

use proptest::prelude::*;

use super::*;
use crate::domain::CaseId;

use CaseStatus::{Failed, Flaky, Passed};

fn ended(status: CaseStatus) -> Ended {
    Ended { status, passed: u32::from(status == Passed), trials: 1 }
}

fn member(set: &str, standing: Standing, before: Option<CaseStatus>, now: Option<CaseStatus>) -> Compared {
    let new = Compared::new(CaseId::from("c"), Risk::from(set), standing, "");
    Compared { before: before.map(ended), now: now.map(ended), status: now, ..new }
}

fn many(count: usize, one: &Compared) -> Vec<Compared> {
    vec![one.clone(); count]
}

fn flips(set: &str, worse: usize, better: usize, both: usize) -> Vec<Compared> {
    let mut members = many(worse, &member(set, Standing::Regressed, Some(Passed), Some(Failed)));
    members.extend(many(better, &member(set, Standing::Fixed, Some(Failed), Some(Passed))));
    members.extend(many(both, &member(set, Standing::Unchanged, Some(Passed), Some(Passed))));
    members
}

#[test]
fn the_same_cases_are_paired_and_several_sets_are_adjusted_together() {
    let mut compared = flips("access", 10, 2, 8);
    compared.extend(flips("action", 1, 0, 3));
    let sets = set_comparisons(&compared);
    let paired = sets[0].paired.unwrap();
    assert!((paired.exact_p - 0.038_574).abs() < 1e-6 && (paired.mid_p - 0.022_461).abs() < 1e-6);
    assert!((paired.adjusted_p - 2.0 * paired.exact_p).abs() < 1e-12, "two sets were compared");
    assert!(paired.difference.unwrap().high < 0.0, "the rate fell: now minus before");
    assert_eq!((sets[0].cases, sets[0].passed, sets[0].unpaired), (20, 10, None));
    assert_eq!(sets[1].paired.unwrap().cases(), 4);
}

#[test]
fn other_cases_are_compared_as_a_whole_and_inherited_ones_not_at_all() {
    let mut compared = many(20, &member("access", Standing::Removed, Some(Passed), None));
    compared.extend(many(15, &member("access", Standing::New, None, Some(Passed))));
    compared.extend(many(5, &member("access", Standing::New, None, Some(Failed))));
    compared.extend(many(7, &member("access", Standing::Inherited, Some(Passed), None)));
    let set = &set_comparisons(&compared)[0];
    let unpaired = set.unpaired.unwrap();
    assert_eq!((unpaired.before, unpaired.now), ((20, 20), (15, 20)));
    assert!((unpaired.p - 0.0471).abs() < 5.1e-5);
    assert_eq!(set.paired, None);
}

#[test]
fn a_set_of_which_nothing_ran_has_no_figures() {
    assert!(set_comparisons(&[member("access", Standing::Inherited, Some(Passed), None)]).is_empty());
}

#[test]
fn a_flaky_case_flips_to_the_worse_and_what_asks_something_else_is_no_pair() {
    let flaky = member("access", Standing::Flaky, Some(Passed), Some(Flaky));
    let edited = Compared {
        differs: vec![crate::domain::Aspect::Case],
        ..member("access", Standing::Regressed, Some(Passed), Some(Failed))
    };
    let set = &set_comparisons(&[flaky, edited])[0];
    assert_eq!(set.paired.unwrap().flips, Flips { worse: 1, better: 0 });
    assert_eq!(set.paired.unwrap().cases(), 1);
    assert!(set.unpaired.is_some());
}

#[test]
fn trials_are_counted_by_case() {
    let with = |passed| {
        let ended = Ended { status: Flaky, passed, trials: 4 };
        Compared { now: Some(ended), ..member("access", Standing::New, None, Some(Flaky)) }
    };
    let compared: Vec<Compared> = [(0, 14), (1, 12), (2, 10), (3, 4), (4, 10)]
        .into_iter()
        .flat_map(|(passed, tasks)| many(tasks, &with(passed)))
        .collect();
    let trials = set_comparisons(&compared).remove(0).trials.unwrap();
    assert_eq!((trials.passed, trials.trials), (84, 200));
    assert!((trials.standard_error.unwrap() - 0.052_216).abs() < 1e-6);
    let all: Vec<f64> = trials.tries.iter().map(|tries| tries.all_pass).collect();
    for (found, expected) in all.iter().zip([0.420, 0.273, 0.220, 0.200]) {
        assert!((found - expected).abs() < 5.1e-4, "{all:?}");
    }
    assert_eq!(set_comparisons(&flips("access", 1, 1, 1))[0].trials, None, "single trials say nothing of repeats");
}

#[test]
fn further_tries_of_one_case_are_worked_out_up_to_all_of_its_trials() {
    assert!(case_tries(1, 1).is_empty());
    let ks: Vec<usize> = case_tries(3, 10).iter().map(|tries| tries.k).collect();
    assert_eq!(ks, [1, 2, 3, 4, 5, 10]);
    assert!((case_tries(3, 10)[4].any_passes - 0.9167).abs() < 5.1e-5);
}

proptest! {
    #[test]
    fn every_case_that_ran_is_counted_once(worse in 0_usize..8, better in 0_usize..8, both in 0_usize..8, new in 0_usize..8) {
        let mut compared = flips("access", worse, better, both);
        compared.extend(many(new, &member("access", Standing::New, None, Some(Passed))));
        let sets = set_comparisons(&compared);
        prop_assert_eq!(sets.iter().map(|set| set.cases).sum::<usize>(), worse + better + both + new);
        for set in &sets {
            prop_assert_eq!(set.passed, better + both + new);
            let paired = set.paired.map_or(0, |paired| paired.cases());
            prop_assert_eq!(paired, worse + better + both);
            prop_assert!(set.exact.unwrap().low <= set.wilson.unwrap().low + 0.05);
        }
    }
}
