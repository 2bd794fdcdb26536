//! `regex`: a regular expression is found in the output.

use regex::Regex;

use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted, quoted_around};
use crate::manifest::RegexCheck;

impl Judge for RegexCheck {
    const DOC: GraderDoc = GraderDoc {
        name: "regex",
        summary: "A regular expression (syntax of the Rust `regex` crate, linear time) is found in the output's text, \
                  anywhere unless anchored; with `count` exactly so many times, matches not overlapping.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let regex = compiled(&self.pattern)?;
        let output = subject.answer()?.output_text();
        let pattern = quoted(&self.pattern);
        Ok(match self.count {
            None => {
                let place = regex.find(&output);
                let found = place.map_or_else(|| quoted(&output), |found| quoted_around(&output, found.range()));
                Finding::of(place.is_some(), format!("a match of {pattern}"), found)
            }
            Some(count) => {
                let matches = regex.find_iter(&output).count();
                let found = format!("{matches} in {}", quoted(&output));
                Finding::of(matches == count, format!("{count} matches of {pattern}"), found)
            }
        })
    }
}

/// Compiles a pattern of a case.
///
/// # Errors
/// Where it is no pattern, or one whose program would be too large.
pub(super) fn compiled(pattern: &str) -> Result<Regex, NoJudgement> {
    let refused = |error| NoJudgement::new(format!("{} is no regular expression: {error}", quoted(pattern)));
    Regex::new(pattern).map_err(refused)
}

#[cfg(test)]
mod tests {
    use crate::grading::specimen::{assert_both, assert_no_judgement, observation, passes, text};
    use serde_json::json;

    #[test]
    fn a_pattern_is_found_anywhere_unless_anchored() {
        let seen = observation(Some(text("order A-17 staged")));
        assert_both(&json!({"regex": r"A-\d+"}), &seen, Some(true), Some(false));
        assert_both(&json!({"regex": r"^A-\d+$"}), &seen, Some(false), Some(true));
    }

    #[test]
    fn a_count_is_exact() {
        let times = |count: usize| json!({"regex": {"pattern": "a", "count": count}});
        assert_eq!(passes(times(2), text("a b a")), Some(true));
        assert_eq!(passes(times(1), text("a b a")), Some(false));
        assert_eq!(passes(times(3), text("a b a")), Some(false));
        assert_eq!(passes(times(0), text("b")), Some(true));
    }

    #[test]
    fn a_pattern_that_is_none_and_a_missing_answer_are_no_judgement() {
        assert_no_judgement(&json!({"regex": "("}), &observation(Some(text("("))));
        assert_no_judgement(&json!({"regex": "x"}), &observation(None));
    }
}
