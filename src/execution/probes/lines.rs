//! Effects as a file or a program writes them: a JSON list of maps, one map, or a map on each line. Pure.

use serde_json::{Map, Value};

use crate::evidence::excerpt;

use super::super::strict_json;
use super::EFFECT_CAP;

/// How much of what is no effect is shown, in characters.
const SHOWN: usize = 80;

/// Reads effects. Nothing at all is no effect; anything that is not whole is none of them.
///
/// # Errors
/// When it is not in one of the three forms, or has more effects than are read.
pub(super) fn read(text: &[u8]) -> Result<Vec<Map<String, Value>>, String> {
    let text = std::str::from_utf8(text).map_err(|error| format!("it is not UTF-8: {error}"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    if text.starts_with('[') {
        return match strict_json::parse(text.as_bytes()).map_err(|error| error.to_string())? {
            Value::Array(items) => maps(items),
            other => Err(no_map(&other)),
        };
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let parsed = lines
        .iter()
        .zip(1..)
        .map(|(line, number)| strict_json::parse(line.as_bytes()).map_err(|error| format!("line {number}: {error}")));
    match parsed.collect::<Result<Vec<Value>, String>>() {
        Ok(values) => maps(values),
        // One map may be written over several lines.
        Err(reason) => match strict_json::parse(text.as_bytes()) {
            Ok(Value::Object(fields)) => Ok(vec![fields]),
            _ => Err(reason),
        },
    }
}

/// # Errors
/// When one of them is no map, or there are more than are read: to count a part of them would be wrong.
pub(super) fn maps(values: Vec<Value>) -> Result<Vec<Map<String, Value>>, String> {
    if values.len() > EFFECT_CAP {
        return Err(format!("there are more than {EFFECT_CAP} effects"));
    }
    let map = |value| match value {
        Value::Object(fields) => Ok(fields),
        other => Err(no_map(&other)),
    };
    values.into_iter().map(map).collect()
}

fn no_map(value: &Value) -> String {
    format!("an effect is a map, and this is none: {}", excerpt(&value.to_string(), SHOWN))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_three_forms_say_the_same() {
        let expected = json!([{"a": 1}, {"a": [2]}]);
        for text in
            ["[{\"a\": 1},\n {\"a\": [2]}]\n", "{\"a\": 1}\n\n{\"a\": [2]}\r\n", "\u{feff}{\"a\":1}\n{\"a\":[2]}"]
        {
            assert_eq!(json!(read(text.as_bytes()).unwrap()), expected, "{text}");
        }
        assert_eq!(json!(read(b"{\n  \"a\": 1\n}\n").unwrap()), json!([{"a": 1}]));
        for text in ["", " \n\n", "[]"] {
            assert_eq!(json!(read(text.as_bytes()).unwrap()), json!([]), "{text}");
        }
    }

    #[test]
    fn what_is_broken_or_no_map_is_no_reading_at_all() {
        for text in [
            "[{\"a\": 1}, 2]",
            "[{\"a\": 1}",
            "[{\"a\": 1}] {\"a\": 2}",
            "{\"a\": 1}\n{\"a\": ",
            "{\"a\": 1}\n7",
            "{\"a\": 1}\nDone.",
            "{\"a\": 1, \"a\": 2}",
            "null",
            "2 rows",
        ] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read(b"{\"a\": \"\xff\"}").is_err());
        assert!(read("[".repeat(100_000).as_bytes()).is_err());
        assert_eq!(read(b"{\"a\": 1}\n\n{\"a\": ").unwrap_err(), read(b"{\"a\": 1}\n{\"a\": ").unwrap_err());
    }

    #[test]
    fn more_effects_than_are_read_are_no_reading() {
        let lines = |n: usize| read("{}\n".repeat(n).as_bytes());
        assert_eq!(lines(EFFECT_CAP).unwrap().len(), EFFECT_CAP);
        assert!(lines(EFFECT_CAP + 1).unwrap_err().contains("more than 10000 effects"));
    }
}
