//! One text for one JSON value, so that equal values have equal digests.

use serde_json::Value;

/// Writes `value` with object keys in byte order and without white space, in the manner of
/// RFC 8785 (JSON Canonicalization Scheme). Numbers stay as `serde_json` prints them, so `1` and `1.0`
/// are different values here; files that holdpoint hashes never depend on the difference.
pub fn canonical_json(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

fn write_value(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_value(item, text);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            let mut keys: Vec<&String> = fields.keys().collect();
            keys.sort_unstable();
            text.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write_value(&fields[key], text);
            }
            text.push('}');
        }
        leaf => text.push_str(&leaf.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn key_order_and_spacing_do_not_matter() {
        let one: Value =
            serde_json::from_str(r#"{ "b": [1, {"y": null, "x": "é\n"}], "a": true }"#).unwrap_or_default();
        assert_eq!(canonical_json(&one), r#"{"a":true,"b":[1,{"x":"é\n","y":null}]}"#);
    }

    #[test]
    fn list_order_does_matter() {
        assert_ne!(canonical_json(&json!([1, 2])), canonical_json(&json!([2, 1])));
    }
}
