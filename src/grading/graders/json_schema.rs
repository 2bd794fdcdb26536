//! `json_schema`: the answer fits a JSON Schema.

use std::borrow::Cow;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Validator};
use serde_json::{Map, Value};

use crate::evidence::Answer;
use crate::grading::json_path::{json_of, one_value};
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::JsonSchemaCheck;

impl Judge for JsonSchemaCheck {
    const DOC: GraderDoc = GraderDoc {
        name: "json_schema",
        summary: "The output, or the one value at `path` in the JSON answer, fits a JSON Schema (draft 2020-12). \
                  The path starts at the whole answer, not at its `output`. An answer that is read as a text and is \
                  JSON is judged as that JSON, unless the schema speaks of texts. `format` is checked; nothing is ever \
                  fetched. Where the path finds no single value it fails, and \
                  under `not` it is no judgement; so is an answer that is no JSON and does not fit, unless the schema \
                  says `type: string`. With `anywhere` it is enough that one map or list in the answer's text fits; an \
                  answer without any fails, and is no judgement under `not`.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let validator = compile(self)?;
        let answer = subject.answer()?;
        if self.anywhere {
            return anywhere(&validator, &answer.output_text());
        }
        let (expected, value) = match &self.path {
            None => ("the output to fit the schema".to_owned(), Ok(output(answer, &self.schema))),
            Some(path) => (format!("the value at {} to fit the schema", quoted(path)), one_value(answer, path)?),
        };
        let value = match value {
            Err(found) => return Ok(Finding::absent(expected, found)),
            Ok(value) => value,
        };
        Ok(match (describe(&validator, &value)?, json_of(answer)) {
            (None, _) => Finding::of(true, expected, quoted(&value.to_string())),
            // A schema that does not speak of texts says nothing of an answer that is nothing else.
            (Some(_), Err(not_json)) if !speaks_of_texts(&self.schema) => Finding::absent(expected, not_json),
            (Some(found), _) => Finding::of(false, expected, found),
        })
    }
}

/// The output: of an answer that was read as a text and is JSON, that JSON, unless it is the text that the schema means.
fn output<'a>(answer: &'a Answer, schema: &Map<String, Value>) -> Cow<'a, Value> {
    const OF_TEXTS: [&str; 4] = ["pattern", "minLength", "maxLength", "format"];
    let is_about_texts = || !schema.contains_key("type") && OF_TEXTS.iter().any(|key| schema.contains_key(*key));
    let is_read = answer.json.is_none() && !speaks_of_texts(schema) && !is_about_texts();
    let json = is_read.then(|| json_of(answer).ok()).flatten();
    json.unwrap_or(Cow::Borrowed(&answer.output))
}

/// So many places of a text are tried: where each could begin something and nothing ends, trying takes long.
const MOST_TRIED: usize = 1_000;

/// The longest text in which values are looked for, in bytes.
const LONGEST: usize = 1 << 20;

fn anywhere(validator: &Validator, text: &str) -> Result<Finding, NoJudgement> {
    let expected = "a map or a list in the answer's text to fit the schema".to_owned();
    let values = values_in(text)?;
    for value in &values {
        if describe(validator, value)?.is_none() {
            return Ok(Finding::of(true, expected, quoted(&value.to_string())));
        }
    }
    Ok(match values.len() {
        0 => Finding::absent(expected, format!("none in {}", quoted(text))),
        found => Finding::of(false, expected, format!("{found} that do not fit in {}", quoted(text))),
    })
}

/// The maps and lists in a text, from left to right, those inside of others left out.
fn values_in(text: &str) -> Result<Vec<Value>, NoJudgement> {
    if text.len() > LONGEST {
        return Err(NoJudgement::new(format!("values are looked for in {LONGEST} bytes at the most")));
    }
    let (mut values, mut from, mut tried) = (Vec::new(), 0, 0);
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(['{', '['])).map(|at| from + at) {
        tried += 1;
        if tried > MOST_TRIED {
            return Err(NoJudgement::new(format!("more than {MOST_TRIED} places of the answer could begin a value")));
        }
        let mut read = serde_json::Deserializer::from_str(text.get(at..).unwrap_or_default()).into_iter::<Value>();
        from = match read.next() {
            Some(Ok(value)) => {
                values.push(value);
                at + read.byte_offset().max(1)
            }
            _ => at + 1,
        };
    }
    Ok(values)
}

/// Whether a text is among the types that the schema allows by name.
fn speaks_of_texts(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(|name| name == "string"),
        Some(name) => name == "string",
        None => false,
    }
}

fn compile(check: &JsonSchemaCheck) -> Result<Validator, NoJudgement> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .should_ignore_unknown_formats(false)
        .offline()
        .build(&Value::Object(check.schema.clone()))
        .map_err(|error| NoJudgement::new(format!("the schema cannot be used: {error}")))
}

/// The first thing that does not fit, and how many more there are; `None` where all fits.
fn describe(validator: &Validator, value: &Value) -> Result<Option<String>, NoJudgement> {
    let mut first = None;
    let mut more = 0;
    for error in validator.iter_errors(value) {
        if matches!(error.kind(), ValidationErrorKind::BacktrackLimitExceeded { .. }) {
            return Err(NoJudgement::new("a pattern of the schema takes too long on this answer"));
        }
        if first.is_none() {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { String::new() } else { format!(" at {}", quoted(&place)) };
            first = Some(format!("{}{place}", quoted(&error.to_string())));
        } else {
            more += 1;
        }
    }
    Ok(first.map(|first| if more == 0 { first } else { format!("{first} and {more} more") }))
}

#[cfg(test)]
mod tests {
    use crate::grading::specimen::{assert_both, assert_no_judgement, json_answer, observation, passes, text};
    use serde_json::json;

    #[test]
    fn the_output_fits_or_does_not() {
        let schema = json!({"json_schema": {"schema": {
            "type": "object", "required": ["days"], "properties": {"days": {"type": "integer", "minimum": 1}},
        }}});
        let seen = |document| observation(Some(json_answer(document)));
        assert_both(&schema, &seen(json!({"output": {"days": 30}})), Some(true), Some(false));
        assert_both(&schema, &seen(json!({"output": {"days": 0}})), Some(false), Some(true));
        assert_both(&schema, &seen(json!({"output": {}})), Some(false), Some(true));
        assert_both(&schema, &observation(Some(text("30 days"))), Some(false), None);
    }

    #[test]
    fn a_text_that_is_json_is_judged_as_that_unless_the_schema_speaks_of_texts() {
        let schema = |schema: serde_json::Value| json!({"json_schema": {"schema": schema}});
        let seen = observation(Some(text("{\"output\": \"yes\", \"days\": 30}\n")));
        let days = |least: u8| {
            schema(json!({"type": "object", "required": ["output"], "properties": {"days": {"minimum": least}}}))
        };
        assert_both(&days(30), &seen, Some(true), Some(false));
        assert_both(&days(31), &seen, Some(false), Some(true));
        assert_both(&schema(json!({"required": ["reason"]})), &seen, Some(false), Some(true));
        assert_both(&schema(json!({"type": "string"})), &seen, Some(true), Some(false));
        assert_both(&schema(json!({"pattern": "refund"})), &seen, Some(false), Some(true));
        let twice = observation(Some(text("{\"days\": 1, \"days\": 30}")));
        assert_both(&schema(json!({"type": "object"})), &twice, Some(false), None);
    }

    #[test]
    fn under_not_an_answer_that_is_no_json_is_judged_only_by_a_schema_that_speaks_of_texts() {
        let seen = observation(Some(text("Traceback")));
        let schema = |schema: serde_json::Value| json!({"json_schema": {"schema": schema}});
        for text in [json!("string"), json!(["null", "string"])] {
            assert_both(&schema(json!({"type": text, "pattern": "^sorry"})), &seen, Some(false), Some(true));
        }
        for other in [json!({"type": "object"}), json!({"type": ["null", "object"]}), json!({"const": 5})] {
            assert_both(&schema(other), &seen, Some(false), None);
        }
        assert_both(&schema(json!({"required": ["days"]})), &seen, Some(true), Some(false));
    }

    #[test]
    fn a_path_leads_to_the_one_value_that_must_fit() {
        let schema = |path: &str| json!({"json_schema": {"path": path, "schema": {"type": "integer"}}});
        let seen = observation(Some(json_answer(json!({"days": 30, "list": [1, 2]}))));
        assert_both(&schema("$.days"), &seen, Some(true), Some(false));
        assert_both(&schema("$.list"), &seen, Some(false), Some(true));
        assert_both(&schema("$.list[*]"), &seen, Some(false), None);
        assert_both(&schema("$.months"), &seen, Some(false), None);
        assert_both(&schema("$.days"), &observation(Some(text("30"))), Some(false), None);
    }

    #[test]
    fn a_value_with_words_around_it_is_found_where_that_is_asked_for() {
        let schema = json!({"json_schema": {"anywhere": true, "schema": {"type": "object", "required": ["days"]}}});
        let judged = |answer: &str, pass, turned| assert_both(&schema, &observation(Some(text(answer))), pass, turned);
        judged("Here you are: {\"days\": 30}. Anything else?", Some(true), Some(false));
        judged("```json\n{\"other\": 1}\n```\nor {\"days\": 1}", Some(true), Some(false));
        judged("[1] {not json} {\"other\": {\"days\": 1}}", Some(false), Some(true));
        judged("{\"days\": 30", Some(false), None);
        judged("thirty days", Some(false), None);
        judged("é{\"days\": 30}é", Some(true), Some(false));
        assert_both(&schema, &observation(Some(json_answer(json!({"output": {"days": 1}})))), Some(true), Some(false));
        assert_no_judgement(&schema, &observation(Some(text(&"{".repeat(2_000)))));
        assert_no_judgement(&schema, &observation(Some(text(&" ".repeat(2 << 20)))));
    }

    #[test]
    fn a_format_is_checked() {
        let schema = json!({"json_schema": {"schema": {"type": "string", "format": "date"}}});
        assert_eq!(passes(schema.clone(), text("2031-02-28")), Some(true));
        assert_eq!(passes(schema, text("2031-02-30")), Some(false));
    }

    #[test]
    fn a_reference_that_leads_inside_is_followed_and_none_is_fetched() {
        let inside = json!({"$defs": {"days": {"type": "integer"}}, "$ref": "#/$defs/days"});
        assert_eq!(passes(json!({"json_schema": {"schema": inside}}), json_answer(json!({"output": 3}))), Some(true));
        let seen = observation(Some(text("x")));
        for away in ["https://example.com/schema.json", "file:///etc/passwd", "other.json"] {
            assert_no_judgement(&json!({"json_schema": {"schema": {"$ref": away}}}), &seen);
        }
    }

    #[test]
    fn a_schema_that_is_none_an_unknown_format_and_a_missing_answer_are_no_judgement() {
        let seen = observation(Some(text("x")));
        assert_no_judgement(&json!({"json_schema": {"schema": {"type": "integr"}}}), &seen);
        assert_no_judgement(&json!({"json_schema": {"schema": {"format": "datum"}}}), &seen);
        assert_no_judgement(&json!({"json_schema": {"schema": {"type": "string"}}}), &observation(None));
    }

    #[test]
    fn a_pattern_that_takes_too_long_is_no_judgement() {
        let schema = json!({"json_schema": {"schema": {"pattern": r"^(?:(a+)\1?)+$"}}});
        assert_no_judgement(&schema, &observation(Some(text(&format!("{}b", "a".repeat(200))))));
    }
}
