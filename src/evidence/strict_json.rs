//! JSON from a source that is not trusted: an object that names a key twice says two things at once and is refused.

use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A text that is no JSON document, or one that two readers could understand differently.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JsonError {
    /// A key occurs twice in one object.
    #[error("{0}")]
    DuplicateKey(String),
    /// The document breaks off before its end.
    #[error("the JSON breaks off: {0}")]
    BrokenOff(String),
    /// It is no JSON.
    #[error("it is no JSON: {0}")]
    Syntax(String),
}

const DUPLICATE: &str = "the key occurs twice in one object: ";

/// Reads exactly one JSON document with nothing but white space around it.
///
/// # Errors
/// As [`JsonError`] says. Nesting deeper than 128 and numbers that no double holds are refused as well.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Strict.deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    value.map_err(|error| {
        let text = error.to_string();
        if error.is_eof() {
            JsonError::BrokenOff(text)
        } else if text.starts_with(DUPLICATE) {
            JsonError::DuplicateKey(text)
        } else {
            JsonError::Syntax(text)
        }
    })
}

/// Reads JSON that a workflow printed: a byte order mark is no part of it, and half a surrogate pair, which names no
/// character, is read as U+FFFD.
///
/// # Errors
/// As [`parse`] says.
pub(crate) fn parse_printed(bytes: &[u8]) -> Result<Value, JsonError> {
    let bytes = without_mark(bytes);
    match parse(bytes) {
        Err(JsonError::Syntax(reason)) => match lone_surrogates_replaced(bytes) {
            Some(replaced) => parse(&replaced),
            None => Err(JsonError::Syntax(reason)),
        },
        read => read,
    }
}

/// The bytes without the byte order mark that some systems print first.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// The text with `\ufffd` in the place of each escape of half a surrogate pair; nothing where it has no such escape.
///
/// Such an escape names no character, and a string cut in the middle of a pair leaves one behind. The usual reader
/// refuses the whole document for it.
fn lone_surrogates_replaced(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut replaced = bytes.to_vec();
    let mut found = false;
    let mut at = 0;
    while at < bytes.len() {
        let (length, lone) = match (bytes[at], escaped_unit(&bytes[at..])) {
            (_, Some(0xD800..=0xDBFF)) if matches!(escaped_unit(&bytes[at + UNIT..]), Some(0xDC00..=0xDFFF)) => {
                (2 * UNIT, false)
            }
            (_, Some(unit)) => (UNIT, (0xD800..=0xDFFF).contains(&unit)),
            (b'\\', None) => (2, false),
            _ => (1, false),
        };
        if lone {
            replaced[at..at + UNIT].copy_from_slice(br"\ufffd");
            found = true;
        }
        at += length;
    }
    found.then_some(replaced)
}

/// Bytes of an escape like `\u00e9`.
const UNIT: usize = 6;

/// The UTF-16 unit that the text begins with an escape of.
fn escaped_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(br"\u")?.get(..4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(Strict)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if fields.contains_key(&key) {
                return Err(A::Error::custom(format_args!("{DUPLICATE}`{}`", key.escape_debug())));
            }
            fields.insert(key, entries.next_value_seed(Strict)?);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_that_occurs_twice_is_refused_at_any_depth() {
        for text in [r#"{"pass": true, "pass": false}"#, r#"[{"a": {"b": 1, "\u0062": 2}}]"#] {
            assert!(matches!(parse(text.as_bytes()), Err(JsonError::DuplicateKey(_))), "{text}");
        }
        assert_eq!(parse(br#"{"a": {"a": 1}}"#).unwrap(), json!({"a": {"a": 1}}));
    }

    #[test]
    fn what_only_some_readers_take_is_refused() {
        for text in ["NaN", "[Infinity]", "1e999", "{\"a\": 1,}", "{} {}", "'a'", "{a: 1}", "\u{feff}{}", "\"\\ud800\""]
        {
            assert!(matches!(parse(text.as_bytes()), Err(JsonError::Syntax(_))), "{text}");
        }
        assert!(matches!(parse(b"\"\xff\""), Err(JsonError::Syntax(_))));
        assert!(matches!(parse("[".repeat(100_000).as_bytes()), Err(JsonError::Syntax(_))));
    }

    #[test]
    fn a_document_that_breaks_off_is_told_apart() {
        for text in ["", "{", "{\"output\": \"hal", "[1, 2", "{\"a\": tr"] {
            assert!(matches!(parse(text.as_bytes()), Err(JsonError::BrokenOff(_))), "{text}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced_and_nothing_else_is() {
        let replaced =
            |text: &str| lone_surrogates_replaced(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap());
        for (text, expected) in [
            (r#"{"a":"x\ud800"}"#, r#"{"a":"x\ufffd"}"#),
            (r#""\uDC00y""#, r#""\ufffdy""#),
            (r#""\ud800\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ud800\u0041""#, r#""\ufffd\u0041""#),
            (r#""\\\ud800""#, r#""\\\ufffd""#),
        ] {
            assert_eq!(replaced(text).as_deref(), Some(expected), "{text}");
            assert!(parse(expected.as_bytes()).is_ok());
        }
        for whole in [r#""\ud83d\ude00""#, r#""\\ud800""#, r#""\u00e9""#, r#""\ud8""#, "plain", "", "\\"] {
            assert_eq!(replaced(whole), None, "{whole}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_document_is_read_as_the_usual_reader_reads_it(value in any_json()) {
            prop_assert_eq!(parse(value.to_string().as_bytes()).unwrap(), value);
        }

        #[test]
        fn no_text_is_read_beyond_its_end(text in "(\\\\|u|d8|dc|00|\"|x){0,20}") {
            if let Some(replaced) = lone_surrogates_replaced(text.as_bytes()) {
                prop_assert_eq!(replaced.len(), text.len());
                prop_assert!(lone_surrogates_replaced(&replaced).is_none());
            }
        }

        #[test]
        fn no_bytes_make_it_fail_otherwise(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(value) = parse(&bytes) {
                prop_assert_eq!(Some(value), serde_json::from_slice(&bytes).ok());
            }
        }
    }
}
