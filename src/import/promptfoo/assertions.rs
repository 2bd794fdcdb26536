//! One assertion in our words, where we have them.

use serde_json::{Map, Value, json};

use crate::manifest::pattern_at_start;

use super::patterns::from_javascript;
use super::template::written;
use super::types::{known, why_none};

/// The expectation that means what an assertion with this type and this value means.
///
/// # Errors
/// Why there is none.
pub(super) fn expectation(kind: &str, value: &Value, assertion: &Map<String, Value>) -> Result<Value, String> {
    if let Some(plugin) = kind.strip_prefix("promptfoo:redteam:") {
        return Err(format!("the attack plugin `{plugin}` judges by a model"));
    }
    let (name, negated) = known(kind).ok_or_else(|| format!("`{kind}` is no type that is known here"))?;
    if assertion.contains_key("transform") {
        return Err("the answer is transformed before it is looked at, and nothing does that here".to_owned());
    }
    let threshold = assertion.get("threshold").and_then(Value::as_f64);
    let mapped = match name {
        "equals" => equals(value, negated),
        "contains" => text(value).map(|text| json!({"contains": text})),
        "icontains" => text(value).map(|text| json!({"contains": {"all": [text], "ignore_case": true}})),
        "contains-all" => texts(value).map(|texts| json!({"contains": {"all": texts}})),
        "contains-any" => texts(value).map(|texts| json!({"contains": {"any": texts}})),
        "icontains-all" => texts(value).map(|texts| json!({"contains": {"all": texts, "ignore_case": true}})),
        "icontains-any" => texts(value).map(|texts| json!({"contains": {"any": texts, "ignore_case": true}})),
        "starts-with" => non_empty(value).map(|text| json!({"regex": pattern_at_start(&text)})),
        "regex" => text(value).and_then(|pattern| from_javascript(&pattern)).map(|pattern| json!({"regex": pattern})),
        "is-json" if negated => Err(why_none(name).to_owned()),
        "is-json" => is_json(value),
        // The other tool also takes what is nearly JSON: turned round, that would let through what it stops.
        "contains-json" if negated => Err(why_none(name).to_owned()),
        "contains-json" => contains_json(value),
        "word-count" => word_count(value),
        "latency" => latency(threshold),
        _ => Err(why_none(name).to_owned()),
    }?;
    Ok(if negated { json!({"not": mapped}) } else { mapped })
}

/// A text is compared as a text, a map or list as what it is worth.
fn equals(value: &Value, negated: bool) -> Result<Value, String> {
    match value {
        Value::Object(_) | Value::Array(_) if negated => {
            Err("that an answer is not this value cannot be told from an answer that is no JSON".to_owned())
        }
        Value::Object(_) | Value::Array(_) => Ok(json!({"json": {"path": "$", "equals": value}})),
        _ => text(value).map(|text| json!({"equals": text})),
    }
}

fn text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(written(value)),
        Value::Null => Err("it has no value".to_owned()),
        _ => Err("its value is no text".to_owned()),
    }
}

fn non_empty(value: &Value) -> Result<String, String> {
    let text = text(value)?;
    if text.is_empty() { Err("every answer begins with the empty text".to_owned()) } else { Ok(text) }
}

/// A list, or texts with commas between them.
fn texts(value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::Array(items) => items.iter().map(text).collect(),
        Value::String(line) if line.contains('"') => Err("its value is a line with quotes: write a list".to_owned()),
        Value::String(line) => Ok(line.split(',').map(|part| part.trim().to_owned()).collect()),
        other => text(other).map(|text| vec![text]),
    }
}

fn is_json(value: &Value) -> Result<Value, String> {
    match value {
        Value::Null => Ok(json!({"json": {"path": "$"}})),
        schema => Ok(json!({"json_schema": {"schema": schema_of(schema)?}})),
    }
}

fn contains_json(value: &Value) -> Result<Value, String> {
    let schema = match value {
        Value::Null => json!({"type": ["object", "array"]}),
        schema => schema_of(schema)?.into(),
    };
    Ok(json!({"json_schema": {"anywhere": true, "schema": schema}}))
}

fn schema_of(value: &Value) -> Result<Map<String, Value>, String> {
    let schema = match value {
        Value::String(text) => {
            serde_json::from_str(text).map_err(|_| "its schema is a text that is no JSON".to_owned())?
        }
        other => other.clone(),
    };
    let Value::Object(mut schema) = schema else { return Err("its schema is no map".to_owned()) };
    // Only what both drafts read alike is kept: the checker refuses keywords that it does not know.
    schema.shift_remove("$schema");
    schema.shift_remove("$id");
    Ok(schema)
}

fn word_count(value: &Value) -> Result<Value, String> {
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    let bounds = match value {
        Value::Object(fields) => {
            let bound =
                |key: &str| fields.get(key).map(|value| number(value).ok_or("a bound of it is no whole number"));
            (bound("min").transpose()?, bound("max").transpose()?)
        }
        other => {
            let exact = number(other).ok_or("its value is no whole number")?;
            (Some(exact), Some(exact))
        }
    };
    let mut length = json!({"of": "words"});
    for (key, bound) in [("at_least", bounds.0), ("at_most", bounds.1)] {
        if let Some(bound) = bound {
            length[key] = bound.into();
        }
    }
    Ok(json!({"length": length}))
}

fn latency(threshold: Option<f64>) -> Result<Value, String> {
    let whole = threshold.filter(|ms| (1.0..=1e12).contains(ms)).ok_or("its threshold is no time in milliseconds")?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 1 and 10^12")]
    let at_most_ms = whole.floor() as u64;
    Ok(json!({"duration": {"at_most_ms": at_most_ms}}))
}
