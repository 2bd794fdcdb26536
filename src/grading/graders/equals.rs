//! `equals`: the output is exactly this.

use serde_json::Value;

use crate::grading::json_equality::json_equal;
use crate::grading::json_path::not_json;
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};

/// The value that the output must be.
pub(in crate::grading) struct Equals<'a>(pub(in crate::grading) &'a Value);

impl Judge for Equals<'_> {
    const DOC: GraderDoc = GraderDoc {
        name: "equals",
        summary: "The output is exactly this text or JSON value. Types count (the text `1` is not the number 1), white \
                  space counts, numbers are compared by what they are worth, the order of keys does not matter. A \
                  JSON value other than a text is looked for in a JSON answer: any other answer fails, and under \
                  `not` it is no judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let answer = subject.answer()?;
        let output = &answer.output;
        let show = |value: &Value| format!("{} {}", kind(value), quoted(&value.to_string()));
        if answer.json.is_none() && !self.0.is_string() {
            return Ok(Finding::absent(show(self.0), not_json(answer)));
        }
        Ok(Finding::of(json_equal(self.0, output), show(self.0), show(output)))
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "the value",
        Value::Bool(_) => "the boolean",
        Value::Number(_) => "the number",
        Value::String(_) => "the text",
        Value::Array(_) => "the list",
        Value::Object(_) => "the map",
    }
}

#[cfg(test)]
mod tests {
    use crate::grading::specimen::{assert_both, assert_no_judgement, graded, json_answer, observation, passes, text};
    use serde_json::json;

    #[test]
    fn the_same_value_passes_and_any_other_fails() {
        assert_both(&json!({"equals": "yes"}), &observation(Some(text("yes"))), Some(true), Some(false));
        assert_both(&json!({"equals": "yes"}), &observation(Some(text("yes\n"))), Some(false), Some(true));
        assert_eq!(passes(json!({"equals": {"a": 1}}), json_answer(json!({"output": {"a": 1.0}}))), Some(true));
    }

    #[test]
    fn types_count() {
        assert_eq!(passes(json!({"equals": 1}), text("1")), Some(false));
        assert_eq!(passes(json!({"equals": null}), json_answer(json!({"output": null}))), Some(true));
        assert_eq!(passes(json!({"equals": null}), text("")), Some(false));
    }

    #[test]
    fn an_answer_that_is_no_json_does_not_pass_for_one_that_is_another_value() {
        for wanted in [json!(5), json!(null), json!(true), json!({"error": "x"}), json!([1])] {
            assert_both(&json!({ "equals": wanted }), &observation(Some(text("Traceback"))), Some(false), None);
        }
        assert_both(
            &json!({"equals": 5}),
            &observation(Some(json_answer(json!({"output": 6})))),
            Some(false),
            Some(true),
        );
    }

    #[test]
    fn without_an_answer_there_is_no_judgement() {
        assert_no_judgement(&json!({"equals": ""}), &observation(None));
    }

    #[test]
    fn the_message_shows_both_sides() {
        let grade = graded(json!({"equals": "yes"}), &observation(Some(text("no\n"))));
        assert_eq!(grade.message, r#"expected the text `"yes"`; found the text `"no\n"`"#);
    }

    #[test]
    fn what_looks_like_a_template_or_a_path_is_data() {
        for data in ["{{ name }}", "{# x", "file:///etc/passwd", "${HOME}"] {
            assert_eq!(passes(json!({"equals": data}), text(data)), Some(true), "{data}");
            assert_eq!(passes(json!({"equals": data}), text("")), Some(false), "{data}");
        }
    }
}
