//! `similar`: the output resembles a text.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::Similar;

/// Words of one side that are compared at the most: the comparison takes time in proportion to the words times
/// their differences, and an answer's length is the workflow's choice.
const MOST_WORDS: usize = 10_000;

impl Judge for Similar {
    const DOC: GraderDoc = GraderDoc {
        name: "similar",
        summary: "The output's words resemble those of another text: 2·M / (words of both) is at least so much, M \
                  being the most words that both have in the same order. 1 means the same words; white space does not \
                  count. Texts of more than 10,000 words are no judgement, unless their lengths alone decide.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        if !(self.at_least > 0.0 && self.at_least <= 1.0) {
            return Err(NoJudgement::new(format!("{} is no ratio above 0 and at most 1", self.at_least)));
        }
        let output = subject.answer()?.output_text();
        let (wanted, given): (Vec<&str>, Vec<&str>) =
            (self.to.split_whitespace().collect(), output.split_whitespace().collect());
        if wanted.is_empty() {
            return Err(NoJudgement::new("the text to compare with is empty"));
        }
        let expected = format!("a ratio of at least {} to {}", self.at_least, quoted(&self.to));
        let most_possible = ratio(wanted.len().min(given.len()), wanted.len(), given.len());
        if most_possible < self.at_least {
            let found = format!("at most {most_possible:.3} by length alone in {}", quoted(&output));
            return Ok(Finding::of(false, expected, found));
        }
        if wanted.len().max(given.len()) > MOST_WORDS {
            return Err(NoJudgement::new(format!("more than {MOST_WORDS} words are not compared")));
        }
        let ratio = ratio(words_in_common(&wanted, &given), wanted.len(), given.len());
        Ok(Finding::of(ratio >= self.at_least, expected, format!("{ratio:.3} in {}", quoted(&output))))
    }
}

/// 2·M / T, as Ratcliff and Obershelp ("Pattern Matching: The Gestalt Approach", 1988) have it.
fn ratio(matching: usize, one: usize, other: usize) -> f64 {
    2.0 * matching as f64 / (one + other) as f64
}

fn words_in_common(one: &[&str], other: &[&str]) -> usize {
    let same = |operation: DiffOp| match operation {
        DiffOp::Equal { len, .. } => len,
        _ => 0,
    };
    // The raw form finds the longest common subsequence; the other one may settle for less on hard input.
    capture_diff_slices(Algorithm::RawMyers, one, other).into_iter().map(same).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grading::specimen::{assert_both, assert_no_judgement, observation, passes, text};
    use proptest::prelude::*;
    use serde_json::json;

    fn to(text: &str, at_least: f64) -> serde_json::Value {
        json!({"similar": {"to": text, "at_least": at_least}})
    }

    #[test]
    fn the_ratio_is_that_of_words_in_common() {
        let seen = observation(Some(text("unworn shoes go back within thirty days")));
        // Six of seven words on each side: 12 / 14 = 0.857.
        assert_both(&to("unworn shoes go back within 30 days", 0.85), &seen, Some(true), Some(false));
        assert_both(&to("unworn shoes go back within 30 days", 0.86), &seen, Some(false), Some(true));
    }

    #[test]
    fn white_space_does_not_count_and_order_does() {
        assert_eq!(passes(to("a b c", 1.0), text(" a\nb\t c ")), Some(true));
        assert_eq!(passes(to("a b c", 0.7), text("c b a")), Some(false));
    }

    #[test]
    fn an_empty_output_resembles_nothing() {
        assert_eq!(passes(to("a", 0.000_001), text("")), Some(false));
    }

    #[test]
    fn a_flood_of_words_is_decided_by_its_length_or_not_at_all() {
        let flood = "a ".repeat(20_001);
        assert_eq!(passes(to("a b", 0.5), text(&flood)), Some(false));
        assert_no_judgement(&to(&flood, 0.5), &observation(Some(text(&flood))));
    }

    #[test]
    fn settings_that_say_nothing_and_a_missing_answer_are_no_judgement() {
        let seen = observation(Some(text("a")));
        for (text, at_least) in [("", 0.5), (" \n", 0.5), ("a", 0.0), ("a", -1.0), ("a", 1.1)] {
            assert_no_judgement(&to(text, at_least), &seen);
        }
        assert_no_judgement(&to("a", 0.5), &observation(None));
    }

    proptest! {
        #[test]
        fn a_text_resembles_itself_wholly_and_the_measure_is_symmetric(
            one in prop::collection::vec("[abc]", 1..12), other in prop::collection::vec("[abc]", 1..12)
        ) {
            let one: Vec<&str> = one.iter().map(String::as_str).collect();
            let other: Vec<&str> = other.iter().map(String::as_str).collect();
            prop_assert_eq!(words_in_common(&one, &one), one.len());
            prop_assert_eq!(words_in_common(&one, &other), words_in_common(&other, &one));
        }
    }
}
