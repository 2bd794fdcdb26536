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
    Ok(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
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
