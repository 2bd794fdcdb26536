//! `equals`: the output is exactly this.

use serde_json::Value;

use crate::evidence::strict_json;
use crate::grading::json_equality::json_equal;
use crate::grading::json_path::json_of;
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};

/// The value that the output must be.
pub(in crate::grading) struct Equals<'a>(pub(in crate::grading) &'a Value);

impl Judge for Equals<'_> {
    const DOC: GraderDoc = GraderDoc {
        name: "equals",
        summary: "The output is exactly this text or JSON value. Types count (the text `1` is not the number 1), white \
                  space counts, numbers are compared by what they are worth, the order of keys does not matter. Where \
                  the output is a map or a list, a text that is one in JSON stands for it. A JSON value other than a \
                  text is looked for in an answer that was read as JSON: any other answer fails, and under `not` it is \
                  no judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let answer = subject.answer()?;
        let output = &answer.output;
        let show = |value: &Value| format!("{} {}", kind(value), quoted(&value.to_string()));
        if answer.json.is_none() && !self.0.is_string() {
            let found = json_of(answer).err();
            let found = found.unwrap_or_else(|| format!("an answer that is read as a text: {}", quoted(&answer.text)));
            return Ok(Finding::absent(show(self.0), found));
        }
        let wanted = meant(self.0, output);
        Ok(Finding::of(json_equal(wanted.as_ref().unwrap_or(self.0), output), show(self.0), show(output)))
    }
}

/// The map or list that an expected text is in JSON, where the output is one. Other texts stand for themselves: the text
/// `1` is not the number.
fn meant(wanted: &Value, output: &Value) -> Option<Value> {
    let is_compound = |value: &Value| value.is_object() || value.is_array();
    let text = wanted.as_str().filter(|_| is_compound(output))?;
    strict_json::parse(text.as_bytes()).ok().filter(is_compound)
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
    use serde_json::{Value, json};

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
    fn a_text_that_is_a_map_or_a_list_in_json_stands_for_it_and_for_nothing_else() {
        let of = |document| observation(Some(json_answer(document)));
        let map = json!({"equals": "{\"a\": 1, \"b\": [2]}"});
        assert_both(&map, &of(json!({"b": [2], "a": 1.0})), Some(true), Some(false));
        assert_both(&map, &of(json!({"a": 1, "b": [3]})), Some(false), Some(true));
        assert_both(&map, &of(json!({"a": 1, "b": [2], "c": 3})), Some(false), Some(true));
        assert_both(&json!({"equals": "[1]"}), &of(json!({"output": [1]})), Some(true), Some(false));
        let twice = json!({"equals": "{\"a\": 2, \"a\": 1}"});
        assert_both(&twice, &of(json!({"a": 1})), Some(false), Some(true));
        for (text, output) in [("1", json!(1)), ("true", json!(true)), ("null", Value::Null)] {
            assert_both(&json!({ "equals": text }), &of(json!({ "output": output })), Some(false), Some(true));
        }
        // An answer that was read as a text is compared as one.
        let spaced = observation(Some(text("{\"b\": [2], \"a\": 1}")));
        assert_both(&map, &spaced, Some(false), Some(true));
        assert_both(&json!({"equals": {"a": 1, "b": [2]}}), &spaced, Some(false), None);
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
