//! Values as YAML that people can read and edit, and that is read back as the same values.

use serde_json::Value;

use crate::manifest::{hides_in_yaml as hides, yaml_word as word};

/// Longest value that stays on its key's line, in characters.
const SHORT: usize = 100;

/// `key: value` at a depth of indentation, ended.
pub(super) fn yaml(key: &str, value: &Value, depth: usize) -> String {
    let mut text = format!("{}{}:", "  ".repeat(depth), word(key));
    below(value, depth, &mut text);
    text
}

/// What stands behind a key or the dash of an item.
fn below(value: &Value, depth: usize, text: &mut String) {
    let flat = flow(value);
    let is_short = flat.chars().count() + 2 * depth <= SHORT;
    match value {
        Value::Object(fields) if !fields.is_empty() && !is_short => {
            text.push('\n');
            text.extend(fields.iter().map(|(key, value)| yaml(key, value, depth + 1)));
        }
        Value::Array(items) if !items.is_empty() && !is_short => {
            text.push('\n');
            for item in items {
                text.push_str(&format!("{}- {}\n", "  ".repeat(depth + 1), flow(item)));
            }
        }
        Value::String(line) => match block(line, depth + 1) {
            Some(block) => text.push_str(&block),
            None => text.push_str(&format!(" {flat}\n")),
        },
        _ => text.push_str(&format!(" {flat}\n")),
    }
}

/// A text of several plain lines as a literal block.
fn block(text: &str, depth: usize) -> Option<String> {
    let is_plain = |line: &str| !line.starts_with([' ', '\t']) && line.trim_end() == line && !line.chars().any(hides);
    let lines: Vec<&str> = text.split('\n').collect();
    let body = text.trim_end_matches('\n');
    let ends = text.len() - body.len();
    if lines.len() < 2 || ends > 1 || body.is_empty() || body.starts_with('\n') || !body.split('\n').all(is_plain) {
        return None;
    }
    let mut written = if ends == 1 { " |\n" } else { " |-\n" }.to_owned();
    for line in body.split('\n') {
        if !line.is_empty() {
            written.push_str(&"  ".repeat(depth));
        }
        written.push_str(line);
        written.push('\n');
    }
    Some(written)
}

/// A value on one line. JSON is YAML's flow style, but for what must not stand in a YAML file.
pub(super) fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => word(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{}: {}", word(key), flow(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::manifest::ForeignFile;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[ a\n\t:#'\"-]{0,12}".prop_map(Value::from),
            "[a-z]{0,60}( [a-z]{1,9}){0,4}(\n[a-z]{0,40}){0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(".{0,6}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(value in values()) {
            let text = yaml("key", &value, 0);
            let read = ForeignFile::read("a.yaml", text.as_bytes()).map_err(|errors| TestCaseError::fail(format!("{errors:?}\n{text}")))?;
            prop_assert_eq!(&read.json()["key"], &value, "{}", text);
        }
    }

    #[test]
    fn lines_are_lines_and_what_hides_is_shown() {
        assert_eq!(yaml("a", &json!("one\ntwo\n"), 1), "  a: |\n    one\n    two\n");
        assert_eq!(yaml("a", &json!("one\ntwo"), 0), "a: |-\n  one\n  two\n");
        assert_eq!(yaml("on", &json!("a\u{202e}b\u{7}"), 0), "\"on\": \"a\\u202eb\\u0007\"\n");
        assert_eq!(yaml("a", &json!({"b": [1, "x", "no"]}), 0), "a: {b: [1, x, \"no\"]}\n");
    }
}
