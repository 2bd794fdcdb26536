//! `length`: how long the output's text is.

use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject};
use crate::manifest::{Count, Length, LengthUnit};

impl Judge for Length {
    const DOC: GraderDoc = GraderDoc {
        name: "length",
        summary: "The output's text has at least and at most so many characters (Unicode scalar values), words (runs \
                  between white space) or lines.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        if self.at_least.is_none() && self.at_most.is_none() {
            return Err(NoJudgement::new("neither `at_least` nor `at_most` is given"));
        }
        let range = Count { at_least: self.at_least.unwrap_or(0), at_most: self.at_most };
        let output = subject.answer()?.output_text();
        let (length, unit) = match self.of {
            LengthUnit::Characters => (output.chars().count(), "characters"),
            LengthUnit::Words => (output.split_whitespace().count(), "words"),
            LengthUnit::Lines => (output.lines().count(), "lines"),
        };
        let expected = format!("{} {unit}", range_phrase(range));
        Ok(Finding::of(range.holds(length), expected, length.to_string()))
    }
}

/// A range in words.
pub(super) fn range_phrase(range: Count) -> String {
    match (range.at_least, range.at_most) {
        (least, Some(most)) if least == most => format!("exactly {least}"),
        (0, Some(most)) => format!("at most {most}"),
        (least, Some(most)) => format!("{least} to {most}"),
        (least, None) => format!("at least {least}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::grading::specimen::{assert_both, assert_no_judgement, graded, observation, passes, text};
    use serde_json::json;

    #[test]
    fn characters_are_counted_not_bytes() {
        let seen = observation(Some(text("äöü")));
        assert_both(&json!({"length": {"at_most": 3}}), &seen, Some(true), Some(false));
        assert_both(&json!({"length": {"at_most": 2}}), &seen, Some(false), Some(true));
        assert_both(&json!({"length": {"at_least": 4}}), &seen, Some(false), Some(true));
    }

    #[test]
    fn words_and_lines_are_counted() {
        let exactly = |unit: &str, count: usize| json!({"length": {"of": unit, "at_least": count, "at_most": count}});
        assert_eq!(passes(exactly("words", 3), text(" one two\nthree ")), Some(true));
        assert_eq!(passes(exactly("lines", 2), text("one\ntwo\n")), Some(true));
        assert_eq!(passes(exactly("lines", 2), text("one\ntwo")), Some(true));
        assert_eq!(passes(exactly("words", 2), text("one two three")), Some(false));
    }

    #[test]
    fn no_limit_and_no_answer_are_no_judgement() {
        assert_no_judgement(&json!({"length": {}}), &observation(Some(text("x"))));
        assert_no_judgement(&json!({"length": {"at_least": 0}}), &observation(None));
    }

    #[test]
    fn the_message_names_range_and_length() {
        let grade =
            graded(json!({"length": {"of": "words", "at_least": 2, "at_most": 4}}), &observation(Some(text("x"))));
        assert_eq!(grade.message, "expected 2 to 4 words; found 1");
    }
}
