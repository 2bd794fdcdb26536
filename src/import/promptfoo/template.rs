//! Plain variables in texts. Whatever else a template could compute is not guessed at.

use serde_json::{Map, Value};

/// The text with each `{{name}}` replaced by that variable.
///
/// # Errors
/// The reason in words where the template does more than that, or names a variable that is not there.
pub(super) fn fill(text: &str, vars: &Map<String, Value>) -> Result<String, String> {
    for (mark, what) in [("{%", "a block (`{% ... %}`)"), ("{#", "a comment (`{# ... #}`)")] {
        if text.contains(mark) {
            return Err(format!("the template has {what}, and no template is computed here"));
        }
    }
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((inside, behind)) = after.split_once("}}") else { break };
        filled.push_str(before);
        filled.push_str(&variable(inside.trim_matches(['-', ' ', '\t', '\n']), vars)?);
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// The same for every text in a value.
///
/// # Errors
/// As [`fill`].
pub(super) fn fill_value(value: &Value, vars: &Map<String, Value>) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => Value::String(fill(text, vars)?),
        Value::Array(items) => Value::Array(items.iter().map(|item| fill_value(item, vars)).collect::<Result<_, _>>()?),
        Value::Object(fields) => {
            let filled = fields.iter().map(|(key, value)| Ok((key.clone(), fill_value(value, vars)?)));
            Value::Object(filled.collect::<Result<_, String>>()?)
        }
        plain => plain.clone(),
    })
}

/// The variables that a text names plainly, in order, each once.
pub(super) fn named(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for inside in text.split("{{").skip(1).filter_map(|part| part.split_once("}}")).map(|(inside, _)| inside.trim()) {
        if is_name(inside) && !names.iter().any(|name| name == inside) {
            names.push(inside.to_owned());
        }
    }
    names
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn variable(inside: &str, vars: &Map<String, Value>) -> Result<String, String> {
    let mut names = inside.split('.');
    let first = names.next().unwrap_or_default();
    if !inside.split('.').all(is_name) {
        return Err(format!("`{{{{{inside}}}}}` computes something, and no template is computed here"));
    }
    let missing = || format!("`{{{{{inside}}}}}` names no variable of the test");
    let mut value = vars.get(first).ok_or_else(missing)?;
    for name in names {
        value = value.get(name).ok_or_else(missing)?;
    }
    Ok(value.as_str().map_or_else(|| written(value), str::to_owned))
}

/// A value as JavaScript writes it into a text: as JSON, with numbers in its own spelling.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), spelled),
        Value::Array(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let each = fields.iter().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), written(value)));
            format!("{{{}}}", each.collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

/// A value with each number as JavaScript would hand it on: `5.0` is `5` there.
pub(super) fn respelled(value: &Value) -> Value {
    match value {
        Value::Number(_) => serde_json::from_str(&written(value)).unwrap_or_else(|_| value.clone()),
        Value::Array(items) => items.iter().map(respelled).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (key.clone(), respelled(value))).collect())
        }
        other => other.clone(),
    }
}

/// A number as JavaScript writes it: the fewest digits that mean it, with an exponent only where it is very large or very small.
fn spelled(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if (1e-6..1e21).contains(&size) {
        number.to_string()
    } else if size < 1.0 {
        format!("{number:e}")
    } else {
        format!("{number:e}").replace('e', "e+")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn vars() -> Map<String, Value> {
        json!({"a": "one", "n": 2, "m": {"b": "deep"}, "t": "{{a}}"}).as_object().unwrap().clone()
    }

    #[test]
    fn plain_variables_are_filled_in_and_what_they_hold_is_not_read_again() {
        assert_eq!(fill("{{a}}/{{ n }}/{{m.b}}/{{m}}", &vars()).unwrap(), "one/2/deep/{\"b\":\"deep\"}");
        assert_eq!(fill("{{t}} {{", &vars()).unwrap(), "{{a}} {{");
        assert_eq!(named("{{a}} {{ b }} {{a | upper}} {{a}}"), ["a", "b"]);
    }

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        for (json, text) in [
            ("5.0", "5"),
            ("1e3", "1000"),
            ("-2.50", "-2.5"),
            ("-0.0", "0"),
            ("0.1", "0.1"),
            ("7", "7"),
            ("1e20", "100000000000000000000"),
            ("1e21", "1e+21"),
            ("-1.5e300", "-1.5e+300"),
            ("0.000001", "0.000001"),
            ("1.5e-7", "1.5e-7"),
            ("9007199254740993", "9007199254740992"),
            ("12345678901234567890", "12345678901234567000"),
            (r#"{"a\"": [1.0, null, "x", true]}"#, r#"{"a\"":[1,null,"x",true]}"#),
        ] {
            let value: Value = serde_json::from_str(json).unwrap();
            assert_eq!(written(&value), text);
            let vars = Map::from_iter([("v".to_owned(), value)]);
            assert_eq!(fill("at {{v}}", &vars).unwrap(), format!("at {text}"));
        }
        let handed_on = respelled(&json!({"a": [5.0, 0.5, "5.0"], "b": 1e3}));
        assert_eq!(handed_on.to_string(), r#"{"a":[5,0.5,"5.0"],"b":1000}"#);
    }

    #[test]
    fn what_would_have_to_be_computed_is_refused() {
        for text in [
            "{{a | upper}}",
            "{% if a %}x{% endif %}",
            "{{a + 1}}",
            "{{missing}}",
            "{{m.c}}",
            "{# no #}",
            "{{f(1)}}",
            "{{}}",
        ] {
            assert!(fill(text, &vars()).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_text_without_braces_stays_as_it_is(text in "[^{}]*") {
            prop_assert_eq!(fill(&text, &vars()).unwrap(), text);
        }

        #[test]
        fn any_text_is_filled_or_refused(text in "[{}%#a |.-]{0,30}") {
            let _ = fill(&text, &vars());
        }
    }
}
