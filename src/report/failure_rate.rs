//! The failure rate that a number of cases still allows.

/// The one-sided 95 % upper limit (Clopper-Pearson) for the rate of failure after `failures` of `cases` did not pass:
/// the rate at which so few failures, or fewer, would be seen in one run out of twenty. 1 where nothing passed or
/// nothing ran. Without a failure it is `1 - 0.05^(1/n)`, Clopper and Pearson, Biometrika 26 (1934) 404.
pub(super) fn upper_limit(failures: usize, cases: usize) -> f64 {
    const TAIL: f64 = 0.05;
    if failures >= cases {
        return 1.0;
    }
    if failures == 0 {
        return 1.0 - TAIL.powf(1.0 / as_f64(cases));
    }
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    // Sixty halvings leave less than a double's own step between the two.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if at_most(failures, cases, middle) > TAIL { low = middle } else { high = middle }
    }
    high
}

/// The limit in percent, with one decimal, never rounded to the favourable side.
pub(super) fn percent_rounded_up(rate: f64) -> String {
    // The small subtraction keeps 14.000000000000002 from becoming 14.1.
    format!("{:.1}", ((rate * 1000.0) - 1e-9).ceil() / 10.0)
}

/// The probability of at most `failures` among `cases` at this rate. The terms are summed by their logarithms, so
/// that hundreds of thousands of cases do not underflow.
fn at_most(failures: usize, cases: usize, rate: f64) -> f64 {
    let (log_rate, log_rest) = (rate.ln(), (-rate).ln_1p());
    let mut log_ways = 0.0;
    let mut sum = 0.0;
    for k in 0..=failures {
        if k > 0 {
            log_ways += (as_f64(cases - k + 1) / as_f64(k)).ln();
        }
        sum += (as_f64(k).mul_add(log_rate, log_ways) + as_f64(cases - k) * log_rest).exp();
    }
    sum
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases lie far below 2^53")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }

    #[test]
    fn without_a_failure_it_is_the_closed_form() {
        close(upper_limit(0, 20), 0.139_108);
        close(upper_limit(0, 30), 0.095_034);
        close(upper_limit(0, 1), 0.95);
    }

    /// The two-sided 90 % interval's upper end is the one-sided 95 % limit; scipy.stats.beta.ppf(0.95, k + 1, n - k).
    #[test]
    fn with_failures_it_is_the_quantile_of_the_beta_distribution() {
        close(upper_limit(1, 20), 0.216_106);
        close(upper_limit(3, 20), 0.343_664);
        close(upper_limit(5, 10), 0.777_559);
    }

    #[test]
    fn nothing_passed_and_nothing_ran_leave_every_rate_open() {
        close(upper_limit(7, 7), 1.0);
        close(upper_limit(0, 0), 1.0);
    }

    #[test]
    fn many_cases_do_not_underflow() {
        let limit = upper_limit(2_000, 100_000);
        assert!((0.020..0.021_5).contains(&limit), "{limit}");
    }

    #[test]
    fn percents_are_rounded_against_the_workflow() {
        assert_eq!(percent_rounded_up(0.139_108), "14.0");
        assert_eq!(percent_rounded_up(0.14), "14.0");
        assert_eq!(percent_rounded_up(1.0), "100.0");
    }
}
