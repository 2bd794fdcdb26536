//! `number`: a number, within a tolerance.

use std::borrow::Cow;

use serde_json::Value;

use crate::grading::json_path::one_value;
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::NumberCheck;

impl Judge for NumberCheck {
    const DOC: GraderDoc = GraderDoc {
        name: "number",
        summary: "The output, or the one value at `path` in the JSON answer, is this number, off by at most \
                  `tolerance`. The path starts at the whole answer, not at its `output`. A text that is a number and nothing else counts as one. Anything else fails, and under \
                  `not` is no judgement; NaN and infinity are never a judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        if !self.is.is_finite() || !self.tolerance.is_finite() || self.tolerance < 0.0 {
            return Err(NoJudgement::new(format!("{} within {} is no number to expect", self.is, self.tolerance)));
        }
        let answer = subject.answer()?;
        let expected = match self.tolerance {
            0.0 => format!("the number {}", self.is),
            tolerance => format!("the number {} within {tolerance}", self.is),
        };
        let value = match &self.path {
            None => Ok(Cow::Borrowed(&answer.output)),
            Some(path) => one_value(answer, path)?,
        };
        let value = match value {
            Err(found) => return Ok(Finding::absent(expected, found)),
            Ok(value) => value,
        };
        match number_in(&value) {
            None => Ok(Finding::absent(expected, format!("no number: {}", quoted(&value.to_string())))),
            Some(number) if !number.is_finite() => {
                Err(NoJudgement::new(format!("{} is no finite number", quoted(&value.to_string()))))
            }
            Some(number) => Ok(Finding::of(is_within(number, self.is, self.tolerance), expected, number.to_string())),
        }
    }
}

fn number_in(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// Whether `number` is off by at most `tolerance`. Where there is a tolerance, its edge is drawn a few roundings
/// wide, so that 1.1 is within 0.1 of 1 although their difference as binary numbers is a little more.
fn is_within(number: f64, wanted: f64, tolerance: f64) -> bool {
    let largest = number.abs().max(wanted.abs());
    let rounding = if tolerance > 0.0 { 4.0 * f64::EPSILON * largest } else { 0.0 };
    (number - wanted).abs() <= tolerance + rounding
}

#[cfg(test)]
mod tests {
    use crate::grading::specimen::{assert_both, assert_no_judgement, json_answer, observation, passes, text};
    use serde_json::{Value, json};

    fn is(number: f64, tolerance: f64) -> Value {
        json!({"number": {"is": number, "tolerance": tolerance}})
    }

    #[test]
    fn a_number_may_be_off_by_its_tolerance_and_no_more() {
        let seen = observation(Some(json_answer(json!({"output": 1.1}))));
        assert_both(&is(1.0, 0.1), &seen, Some(true), Some(false));
        assert_both(&is(1.0, 0.099), &seen, Some(false), Some(true));
        assert_both(&is(1.0, 0.0), &seen, Some(false), Some(true));
        assert_both(&is(1.1, 0.0), &seen, Some(true), Some(false));
    }

    #[test]
    fn a_text_that_is_a_number_counts_as_one() {
        assert_eq!(passes(is(42.0, 0.0), text(" 42\n")), Some(true));
        assert_eq!(passes(is(-0.5, 0.0), text("-5e-1")), Some(true));
        assert_eq!(passes(is(42.0, 0.0), text("43")), Some(false));
    }

    #[test]
    fn what_is_no_number_fails_and_shows_nothing_of_the_opposite() {
        for output in ["", "42 days", "1,000", "forty-two", "0x2a"] {
            assert_both(&is(42.0, 1e9), &observation(Some(text(output))), Some(false), None);
        }
        assert_both(&is(1.0, 0.0), &observation(Some(json_answer(json!({"output": true})))), Some(false), None);
        let at_path = json!({"number": {"path": "$.days", "is": 3}});
        assert_both(&at_path, &observation(Some(json_answer(json!({"month": 3})))), Some(false), None);
    }

    #[test]
    fn a_path_leads_to_the_number() {
        let at_path = json!({"number": {"path": "$.days", "is": 3}});
        assert_eq!(passes(at_path.clone(), json_answer(json!({"days": 3}))), Some(true));
        assert_eq!(passes(at_path.clone(), json_answer(json!({"days": "4"}))), Some(false));
        assert_eq!(passes(at_path.clone(), text("{\"days\": 3}\n")), Some(true), "a text that is JSON is looked into");
        assert_eq!(passes(at_path, text("{\"days\": 4}\n")), Some(false));
    }

    #[test]
    fn what_is_not_finite_is_never_a_judgement() {
        for output in ["NaN", "inf", "-Infinity", "1e999"] {
            assert_no_judgement(&is(1.0, 1e300), &observation(Some(text(output))));
        }
    }

    #[test]
    fn settings_that_say_nothing_and_a_missing_answer_are_no_judgement() {
        assert_no_judgement(&is(1.0, -1.0), &observation(Some(text("1"))));
        assert_no_judgement(&is(1.0, 0.0), &observation(None));
    }
}
