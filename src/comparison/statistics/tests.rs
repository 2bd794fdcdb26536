//! Published figures, and what must hold of every count.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn close(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} is not {expected}");
}

#[track_caller]
fn ends(found: Option<Interval>, low: f64, high: f64, within: f64) {
    let found = found.unwrap();
    close(found.low, low, within);
    close(found.high, high, within);
}

/// Half a unit of the fourth decimal, in which the tables are printed.
const PRINTED: f64 = 5.1e-5;

/// Half a unit of the sixth decimal.
const SIX: f64 = 5.1e-7;

#[test]
fn wilson_agrees_with_newcombe_1998_table_1() {
    for (count, of, low, high) in
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
    {
        ends(wilson(count, of, 0.95), low, high, PRINTED);
    }
    ends(wilson(20, 20, 0.95), 0.838_875, 1.0, SIX);
    ends(wilson(19, 20, 0.95), 0.763_869, 0.991_119, SIX);
}

#[test]
fn clopper_pearson_agrees_with_the_beta_distribution() {
    ends(clopper_pearson(0, 20, 0.95), 0.0, 0.168_433, SIX);
    ends(clopper_pearson(19, 20, 0.95), 0.751_267, 0.998_735, SIX);
    ends(clopper_pearson(20, 20, 0.95), 0.831_567, 1.0, SIX);
}

#[test]
fn the_one_sided_limit_is_close_to_the_rule_of_three_and_is_the_closed_form_without_a_failure() {
    close(upper_limit(0, 30, 0.95).unwrap(), 0.0950, PRINTED);
    assert!(upper_limit(0, 30, 0.95).unwrap() < 3.0 / 30.0);
    close(upper_limit(0, 20, 0.95).unwrap(), 0.139_108, SIX);
    close(lower_limit(20, 20, 0.95).unwrap(), 1.0 - 0.139_108, SIX);
    close(upper_limit(0, 1, 0.95).unwrap(), 0.95, SIX);
    // The upper end of the two-sided 90 % interval: scipy.stats.beta.ppf(0.95, k + 1, n - k).
    close(upper_limit(1, 20, 0.95).unwrap(), 0.216_106, SIX);
    close(upper_limit(3, 20, 0.95).unwrap(), 0.343_664, SIX);
    close(upper_limit(5, 10, 0.95).unwrap(), 0.777_559, SIX);
}

#[test]
fn many_cases_do_not_underflow() {
    let limit = upper_limit(2_000, 100_000, 0.95).unwrap();
    assert!((0.020..0.021_5).contains(&limit), "{limit}");
}

#[test]
fn independent_differences_agree_with_newcombe_1998_table_2() {
    for (first, second, low, high) in [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ] {
        ends(independent_difference(first, second, 0.95), low, high, PRINTED);
    }
}

#[test]
fn paired_differences_agree_with_newcombe_1998_table_3() {
    for ((both, first, second, neither), low, high) in [
        ((36, 12, 2, 0), 0.0569, 0.3404),
        ((20, 12, 2, 16), 0.0562, 0.3292),
        ((36, 14, 0, 0), 0.1528, 0.4167),
        ((54, 0, 0, 0), -0.0664, 0.0664),
    ] {
        ends(paired_difference(both, first, second, neither, 0.95), low, high, PRINTED);
    }
}

#[test]
fn mcnemar_agrees_with_armitage_and_berry() {
    let flips = Flips { worse: 12, better: 2 };
    close(flips.exact(), 0.0129, PRINTED);
    close(flips.corrected_chi_square().unwrap(), 5.785_714, SIX);
    close(chi_square_p(flips.corrected_chi_square().unwrap()), 0.0162, PRINTED);
    ends(flips.ratio_interval(0.95), 1.335_744, 55.197_091, 5.1e-6);
}

#[test]
fn mcnemar_agrees_with_the_course_at_penn_state_and_with_fagerland_2013() {
    let many = Flips { worse: 150, better: 86 };
    close(many.chi_square().unwrap(), 17.3559, PRINTED);
    close(chi_square_p(many.chi_square().unwrap()), 3.099e-5, 5e-9);
    let few = Flips { worse: 1, better: 7 };
    close(few.exact(), 0.0703, PRINTED);
    close(few.mid_p(), 0.0391, PRINTED);
    close(chi_square_p(few.chi_square().unwrap()), 0.0339, PRINTED);
    close(chi_square_p(few.corrected_chi_square().unwrap()), 0.0771, PRINTED);
    let some = Flips { worse: 10, better: 2 };
    close(some.exact(), 0.038_574, SIX);
    close(some.mid_p(), 0.022_461, SIX);
}

#[test]
fn six_flips_one_way_are_the_least_that_show_anything_at_five_percent() {
    close(Flips { worse: 5, better: 0 }.exact(), 0.0625, 1e-12);
    close(Flips { worse: 6, better: 0 }.exact(), 0.031_25, 1e-12);
    assert_eq!(least_flips(0.05), 6);
    assert_eq!(least_flips(0.05 / 3.0), 7);
    assert_eq!(least_flips(0.0), usize::MAX);
}

#[test]
fn no_flip_and_as_many_each_way_show_nothing() {
    for flips in [Flips { worse: 0, better: 0 }, Flips { worse: 4, better: 4 }] {
        close(flips.exact(), 1.0, 1e-12);
        close(flips.mid_p(), 1.0, 1e-12);
    }
    assert_eq!(Flips { worse: 0, better: 0 }.chi_square(), None);
    assert_eq!(Flips { worse: 3, better: 0 }.ratio_interval(0.95).unwrap().high, f64::INFINITY);
}

#[test]
fn fisher_agrees_with_the_tea_taster_and_with_two_suites_of_twenty() {
    let tea = Table { first: (3, 1), second: (1, 3) };
    close(fisher_greater(tea), 0.2429, PRINTED);
    close(fisher_two_sided(tea), 0.4857, PRINTED);
    let against = |passed: usize| fisher_two_sided(Table { first: (20, 0), second: (passed, 20 - passed) });
    close(against(17), 0.231, 5e-4);
    close(against(15), 0.0471, PRINTED);
    assert!(against(16) > 0.05 && against(15) < 0.05);
}

#[test]
fn pass_at_k_agrees_with_the_worked_example() {
    let of = CaseTrials { passed: 3, trials: 10 };
    close(pass_at_k(of, 1).unwrap(), 0.30, 1e-12);
    close(pass_at_k(of, 5).unwrap(), 0.9167, PRINTED);
    close(pass_at_k(of, 10).unwrap(), 1.0, 1e-12);
    assert_eq!((pass_at_k(of, 0), pass_hat_k(of, 11)), (None, None));
}

/// The airline tasks of tau-bench, by how many of their four trials succeeded.
fn airline() -> Vec<CaseTrials> {
    let by_successes = [(0, 14), (1, 12), (2, 10), (3, 4), (4, 10)];
    by_successes.iter().flat_map(|(passed, tasks)| vec![CaseTrials { passed: *passed, trials: 4 }; *tasks]).collect()
}

#[test]
fn pass_hat_k_agrees_with_the_published_runs_of_tau_bench() {
    let tasks = airline();
    for (k, expected) in [(1, 0.420), (2, 0.273), (3, 0.220), (4, 0.200)] {
        let mean = tasks.iter().map(|task| pass_hat_k(*task, k).unwrap()).sum::<f64>() / real(tasks.len());
        close(mean, expected, 5.1e-4);
    }
}

#[test]
fn the_clustered_standard_error_of_these_runs_is_half_again_as_large_as_the_naive_one() {
    let found = clustered_rate(&airline()).unwrap();
    close(found.rate, 0.42, 1e-12);
    // The figure was computed without the small-sample factor m / (m - 1) for its 50 tasks.
    close(found.standard_error.unwrap() * (49.0_f64 / 50.0).sqrt(), 0.0517, PRINTED);
    close((found.rate * (1.0 - found.rate) / 200.0).sqrt(), 0.0349, PRINTED);
    assert_eq!(clustered_rate(&[CaseTrials { passed: 3, trials: 4 }]).unwrap().standard_error, None);
    assert_eq!(clustered_rate(&[]), None);
}

#[test]
fn holm_multiplies_the_smallest_by_all_and_never_falls_again() {
    let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
    for (found, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
        close(*found, expected, 1e-12);
    }
    assert_eq!(holm(&[0.7, 0.9]), [1.0, 1.0]);
    assert!(holm(&[]).is_empty());
}

#[test]
fn the_bounds_of_the_sequential_test_are_those_of_wald() {
    let (above, below) = sprt_bounds(0.05, 0.10);
    close(above, 2.890, 5.1e-4);
    close(below, -2.251, 5.1e-4);
}

#[test]
fn of_nothing_or_more_than_all_nothing_is_said() {
    for (count, of) in [(0, 0), (3, 2)] {
        assert_eq!(wilson(count, of, 0.95), None);
        assert_eq!(clopper_pearson(count, of, 0.95), None);
    }
    assert_eq!(wilson(1, 2, 1.0), None);
    assert_eq!(independent_difference((0, 0), (1, 2), 0.95), None);
    assert_eq!(paired_difference(0, 0, 0, 0, 0.95), None);
}

#[test]
fn percents_never_round_to_the_favourable_side() {
    assert_eq!((percent_up(0.168_433), percent_down(0.831_567)), ("16.9".to_owned(), "83.1".to_owned()));
    assert_eq!((percent_up(0.14), percent_down(0.14)), ("14.0".to_owned(), "14.0".to_owned()));
    assert_eq!((percent_up(1.0), percent_down(0.0)), ("100.0".to_owned(), "0.0".to_owned()));
    assert_eq!((percent(0.9), percent(0.975), percent(1.0)), ("90".to_owned(), "97.5".to_owned(), "100".to_owned()));
}

fn count_of(most: usize) -> impl Strategy<Value = (usize, usize)> {
    (1..=most).prop_flat_map(|of| (0..=of, Just(of)))
}

proptest! {
    #[test]
    fn an_interval_lies_between_nothing_and_all_around_the_share((count, of) in count_of(2000), confidence in 0.5_f64..0.999) {
        let share = real(count) / real(of);
        for found in [wilson(count, of, confidence).unwrap(), clopper_pearson(count, of, confidence).unwrap()] {
            prop_assert!(0.0 <= found.low && found.low <= share + 1e-9 && share <= found.high + 1e-9 && found.high <= 1.0);
        }
    }

    #[test]
    fn counting_the_others_mirrors_the_interval((count, of) in count_of(500)) {
        for (one, other) in [
            (wilson(count, of, 0.95).unwrap(), wilson(of - count, of, 0.95).unwrap()),
            (clopper_pearson(count, of, 0.95).unwrap(), clopper_pearson(of - count, of, 0.95).unwrap()),
        ] {
            prop_assert!((one.low - (1.0 - other.high)).abs() < 1e-9);
        }
    }

    #[test]
    fn more_passes_raise_both_ends((count, of) in count_of(500)) {
        prop_assume!(count < of);
        for interval in [wilson, clopper_pearson] {
            let (one, more) = (interval(count, of, 0.95).unwrap(), interval(count + 1, of, 0.95).unwrap());
            prop_assert!(one.low <= more.low + 1e-12 && one.high <= more.high + 1e-12);
        }
    }

    #[test]
    fn more_confidence_never_narrows((count, of) in count_of(300)) {
        let (less, more) = (clopper_pearson(count, of, 0.9).unwrap(), clopper_pearson(count, of, 0.99).unwrap());
        prop_assert!(more.low <= less.low + 1e-12 && less.high <= more.high + 1e-12);
        prop_assert!(upper_limit(count, of, 0.95).unwrap() <= clopper_pearson(count, of, 0.95).unwrap().high + 1e-12);
    }

    #[test]
    fn a_difference_turned_round_changes_its_sign(both in 0_usize..60, first in 0_usize..60, second in 0_usize..60, neither in 0_usize..60) {
        prop_assume!(both + first + second + neither > 0);
        let one = paired_difference(both, first, second, neither, 0.95).unwrap();
        let other = paired_difference(both, second, first, neither, 0.95).unwrap();
        prop_assert!((one.low + other.high).abs() < 1e-9 && (one.high + other.low).abs() < 1e-9);
        prop_assert!(-1.0 <= one.low && one.low <= one.high && one.high <= 1.0);
    }

    #[test]
    fn tests_give_probabilities_that_do_not_depend_on_the_direction(worse in 0_usize..200, better in 0_usize..200) {
        let (one, other) = (Flips { worse, better }, Flips { worse: better, better: worse });
        prop_assert!((one.exact() - other.exact()).abs() < 1e-12);
        prop_assert!(0.0 <= one.mid_p() && one.mid_p() <= one.exact() + 1e-12 && one.exact() <= 1.0);
    }

    #[test]
    fn fisher_is_a_probability_and_the_same_from_either_side(a in 0_usize..30, b in 0_usize..30, c in 0_usize..30, d in 0_usize..30) {
        let one = fisher_two_sided(Table { first: (a, b), second: (c, d) });
        let other = fisher_two_sided(Table { first: (c, d), second: (a, b) });
        prop_assert!((one - other).abs() < 1e-9 && 0.0 < one && one <= 1.0);
        let greater = fisher_greater(Table { first: (a, b), second: (c, d) });
        prop_assert!(greater <= 1.0);
    }

    #[test]
    fn all_of_k_is_never_likelier_than_one_of_them_nor_than_all_of_fewer((passed, trials) in count_of(40), k in 1_usize..40) {
        prop_assume!(k <= trials);
        let of = CaseTrials { passed, trials };
        let (all, any) = (pass_hat_k(of, k).unwrap(), pass_at_k(of, k).unwrap());
        prop_assert!((0.0..=1.0).contains(&all) && all <= any + 1e-12 && any <= 1.0);
        prop_assert!(all <= pass_hat_k(of, 1).unwrap() + 1e-12 && pass_at_k(of, 1).unwrap() <= any + 1e-12);
    }

    #[test]
    fn holm_never_lowers_a_p_and_keeps_their_order(values in prop::collection::vec(0.0_f64..1.0, 0..12)) {
        let adjusted = holm(&values);
        for (one, p) in adjusted.iter().zip(&values) {
            prop_assert!(p <= one && *one <= 1.0);
        }
        for (i, j) in (0..values.len()).flat_map(|i| (0..values.len()).map(move |j| (i, j))) {
            prop_assert!(values[i] > values[j] || adjusted[i] <= adjusted[j]);
        }
    }

    #[test]
    fn one_trial_each_has_the_binomial_standard_error_but_for_the_small_sample((passed, of) in count_of(200)) {
        prop_assume!(of > 1);
        let cases: Vec<CaseTrials> = (0..of).map(|case| CaseTrials { passed: usize::from(case < passed), trials: 1 }).collect();
        let found = clustered_rate(&cases).unwrap();
        let naive = (found.rate * (1.0 - found.rate) / real(of - 1)).sqrt();
        prop_assert!((found.standard_error.unwrap() - naive).abs() < 1e-9);
    }
}
