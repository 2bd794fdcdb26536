//! The answer as JSON, and values in it by JSONPath (RFC 9535).

use std::borrow::Cow;

use serde_json::Value;
use serde_json_path::JsonPath;

use crate::evidence::Answer;
use crate::evidence::strict_json::parse_printed;

use super::judge::{NoJudgement, quoted};

/// The whole answer as JSON: as what it was read, or, where it was read as a text, the one JSON document that it is.
///
/// # Errors
/// What is said of an answer that is no JSON.
pub(super) fn json_of(answer: &Answer) -> Result<Cow<'_, Value>, String> {
    match &answer.json {
        Some(json) => Ok(Cow::Borrowed(json)),
        None => {
            let read = parse_printed(answer.text.as_bytes()).or_else(|error| unadorned(answer).ok_or(error));
            read.map(Cow::Owned).map_err(|error| {
                // Of a text that begins like JSON a reader wants to know what is wrong with it.
                let begins = answer.text.trim_start().starts_with(['{', '[']);
                let reason = if begins { format!(" ({error})") } else { String::new() };
                format!("an answer that is no JSON{reason}: {}", quoted(&answer.text))
            })
        }
    }
}

/// The output of an answer that was read as a trimmed text: it can be JSON where what was printed has colours in it.
fn unadorned(answer: &Answer) -> Option<Value> {
    let output = answer.output.as_str()?;
    parse_printed(output.as_bytes()).ok()
}

/// A path, ready to be followed.
///
/// # Errors
/// Where it is none.
pub(super) fn parsed(path: &str) -> Result<JsonPath, NoJudgement> {
    JsonPath::parse(path).map_err(|error| NoJudgement::new(format!("{} is no JSONPath: {error}", quoted(path))))
}

/// The one value at `path`, or in words what is there instead.
///
/// # Errors
/// Where the path is none.
pub(super) fn one_value<'a>(answer: &'a Answer, path: &str) -> Result<Result<Cow<'a, Value>, String>, NoJudgement> {
    let way = parsed(path)?;
    Ok(json_of(answer).and_then(|json| match json {
        Cow::Borrowed(json) => one_at(json, &way, path).map(Cow::Borrowed),
        Cow::Owned(json) => one_at(&json, &way, path).map(|value| Cow::Owned(value.clone())),
    }))
}

fn one_at<'a>(json: &'a Value, way: &JsonPath, path: &str) -> Result<&'a Value, String> {
    match way.query(json).all().as_slice() {
        [value] => Ok(*value),
        [] => Err(nothing_at(json, path)),
        many => Err(format!("{} values at {}", many.len(), quoted(path))),
    }
}

/// What is said where a path finds nothing: that it starts at the whole answer and not at the output, with that answer;
/// first of all, whether the path was meant to begin with `$.output`.
pub(super) fn nothing_at(json: &Value, path: &str) -> String {
    let below = path.strip_prefix('$').map(|rest| format!("$.output{rest}"));
    let is_there = |path: &String| JsonPath::parse(path).is_ok_and(|way| !way.query(json).all().is_empty());
    let meant = below.filter(is_there).map(|path| format!(" (did you mean {}?)", quoted(&path)));
    let whole = quoted(&json.to_string());
    format!("nothing{}: the path starts at the whole answer, {whole}", meant.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::grading::specimen::{json_answer, text};

    #[test]
    fn an_answer_that_was_read_as_a_text_is_the_json_that_it_is() {
        for (answer, expected) in
            [("{\"a\": 1}", json!({"a": 1})), (" [1, 2]\n", json!([1, 2])), ("\u{feff}{}", json!({})), ("7", json!(7))]
        {
            assert_eq!(json_of(&text(answer)).unwrap().into_owned(), expected, "{answer}");
        }
        let whole = json!({"output": 1, "more": 2});
        assert_eq!(json_of(&json_answer(whole.clone())).unwrap().into_owned(), whole);
    }

    #[test]
    fn what_says_two_things_at_once_or_is_nearly_json_is_none_and_says_why() {
        for (answer, why) in [
            ("{\"a\": 1, \"a\": 2}", "occurs twice in one object: `a`"),
            ("{\"a\": NaN}", "it is no JSON"),
            ("{\"a\": 1} done", "it is no JSON"),
            ("[1, 2", "breaks off"),
        ] {
            let said = json_of(&text(answer)).unwrap_err();
            assert!(said.starts_with("an answer that is no JSON (") && said.contains(why), "{answer}: {said}");
        }
        assert_eq!(json_of(&text("thirty days")).unwrap_err(), "an answer that is no JSON: `thirty days`");
    }

    #[test]
    fn where_a_path_finds_nothing_it_is_said_where_it_starts_and_what_may_be_meant() {
        let whole = json!({"output": {"days": 30}});
        assert_eq!(
            nothing_at(&whole, "$.days"),
            "nothing (did you mean `$.output.days`?): the path starts at the whole answer, `{\"output\":{\"days\":30}}`"
        );
        let nowhere = "nothing: the path starts at the whole answer, `{\"output\":{\"days\":30}}`";
        assert_eq!(nothing_at(&whole, "$.months"), nowhere);
        assert_eq!(nothing_at(&whole, "$['months']"), nowhere);
        assert!(nothing_at(&whole, "$['days']").contains("`$.output['days']`"));
    }
}
