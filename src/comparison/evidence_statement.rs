//! What a number of passes says of the workflow, in one sentence: never more than the numbers support.

use super::statistics::{clopper_pearson, percent_up};

/// The confidence of the interval whose upper end the statement names.
const CONFIDENCE: f64 = 0.95;

/// The failure rate that `passed` of `of` still allows: the upper end of the exact two-sided 95 % interval, which each
/// report shows as an interval too. Each counted thing must be a case of its own, and what did not pass failed.
pub fn evidence_statement(passed: usize, of: usize) -> String {
    let Some(interval) = of.checked_sub(passed).and_then(|failed| clopper_pearson(failed, of, CONFIDENCE)) else {
        return "Nothing ran, so this run says nothing about how often the workflow fails.".to_owned();
    };
    // What would round up to all of them is no limit.
    if interval.high > 0.999 {
        return format!("{passed} of {of} passed: this supports no limit on how often the workflow fails.");
    }
    format!(
        "{passed} of {of} passed: for inputs like these, the failure rate is below {} % with 95 % confidence (upper end \
         of the exact two-sided interval, Clopper-Pearson; everything but a pass counts as a failure).",
        percent_up(interval.high)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_of_twenty_leave_a_failure_rate_of_up_to_16_9_percent() {
        let text = evidence_statement(20, 20);
        assert!(text.starts_with(
            "20 of 20 passed: for inputs like these, the failure rate is below 16.9 % with 95 % confidence"
        ));
        assert!(text.contains("two-sided"), "{text}");
    }

    #[test]
    fn what_supports_no_limit_is_not_given_one() {
        assert!(evidence_statement(0, 3).contains("supports no limit"));
        assert!(evidence_statement(0, 0).contains("says nothing"));
        assert!(evidence_statement(1, 0).contains("says nothing"));
    }

    #[test]
    fn no_statement_says_that_all_is_well() {
        for passed in 0..40 {
            assert!(!evidence_statement(passed, 40).contains("100"), "{passed}");
        }
    }
}
