//! A line of JSON, with what a parser passes over in silence: a key that stands twice, and numbers that are not kept as written.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use super::brought::{Brought, Kind};
use super::case_draft::one_line;

/// Longest number in a note, in characters.
const SHOWN: usize = 80;

/// A JSON object on a line of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// Which line, from 1.
    pub(super) number: usize,
    /// What it holds.
    pub(super) fields: Map<String, Value>,
    respelled: Vec<Respelled>,
}

/// A number that is not written back as it stood there.
#[derive(Clone, Debug)]
struct Respelled {
    pointer: String,
    text: String,
    /// Whether it is another number too, and not only another spelling of it.
    is_another: bool,
}

impl Line {
    /// A line whose values are texts, or were read elsewhere.
    pub(super) fn new(number: usize, fields: Map<String, Value>) -> Self {
        Self { number, fields, respelled: Vec::new() }
    }

    /// Reads one.
    ///
    /// # Errors
    /// What is wrong with it: it is no JSON, no object, or has a key twice.
    pub(super) fn read(number: usize, content: &str) -> Result<Self, String> {
        // This parser bounds how deep values lie in each other, so that the walk below need not.
        let fields = match serde_json::from_str(content) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return Err("the line is no JSON object".to_owned()),
            Err(error) => return Err(json_words(&error)),
        };
        let mut line = Self::new(number, fields);
        walk(content.trim(), "", &mut line.respelled)?;
        Ok(line)
    }

    /// Takes a key out. A number comes as the text that stood there: `1.10` is held against an answer as `1.10`.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        let pointer = below("", key);
        let written = self.respelled.iter().find(|one| one.pointer == pointer).map(|one| one.text.clone());
        let value = self.fields.shift_remove(key)?;
        Some(written.map_or(value, Value::String))
    }

    /// Keeps each number that would become another one as the text that stood there, and says so; but not at these keys.
    pub(super) fn keep_numbers(&mut self, path: &str, but: &[&str], brought: &mut Brought) {
        let mut all = Value::Object(std::mem::take(&mut self.fields));
        let is_kept = |one: &&Respelled| one.is_another && !but.contains(&one.pointer.trim_start_matches('/'));
        for number in self.respelled.iter().filter(is_kept) {
            if let Some(value) = all.pointer_mut(&number.pointer) {
                *value = Value::String(number.text.clone());
                let what = format!("the number {}", one_line(&number.text, SHOWN));
                let why = format!("it has more digits than a number here keeps, so `{}` became a text", number.pointer);
                brought.note(Kind::Changed, (path, self.number), what, why);
            }
        }
        if let Value::Object(fields) = all {
            self.fields = fields;
        }
    }
}

/// The parser's words without its own line number, which counts within the line.
pub(super) fn json_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let words = text.rfind(" at line ").map_or(text.as_str(), |end| &text[..end]);
    format!("this is no JSON: {words} (column {})", error.column())
}

/// The members of an object as they stand there, doubled keys among them.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = access.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Each).map(Members)
    }
}

fn walk(text: &str, pointer: &str, respelled: &mut Vec<Respelled>) -> Result<(), String> {
    match text.as_bytes().first() {
        Some(b'{') => {
            let Members(members) = serde_json::from_str(text).map_err(|error| json_words(&error))?;
            let mut seen = BTreeSet::new();
            for (key, value) in &members {
                if !seen.insert(key) {
                    let within = if pointer.is_empty() { String::new() } else { format!(" in `{pointer}`") };
                    return Err(format!("the key `{}` stands there twice{within}", one_line(key, SHOWN)));
                }
                walk(value.get(), &below(pointer, key), respelled)?;
            }
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| json_words(&error))?;
            for (index, item) in items.iter().enumerate() {
                walk(item.get(), &below(pointer, &index.to_string()), respelled)?;
            }
        }
        Some(b'-' | b'0'..=b'9') => {
            let number: Number = serde_json::from_str(text).map_err(|error| json_words(&error))?;
            let kept = number.to_string();
            if kept != text {
                let is_another = decimal(&kept) != decimal(text);
                respelled.push(Respelled { pointer: pointer.to_owned(), text: text.to_owned(), is_another });
            }
        }
        _ => {}
    }
    Ok(())
}

fn below(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// A decimal number as its sign, its digits without zeros at either end, and the exponent of the last of them.
fn decimal(text: &str) -> Option<(bool, String, i64)> {
    let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    let significant = kept.trim_start_matches('0');
    if significant.is_empty() {
        return Some((false, String::new(), 0));
    }
    let places = i64::try_from(digits.len() - kept.len()).ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    Some((is_negative, significant.to_owned(), exponent.parse::<i64>().ok()?.checked_add(places)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Line {
        Line::read(3, text).unwrap()
    }

    #[test]
    fn a_doubled_key_is_refused_wherever_it_stands() {
        let refused = |text: &str| Line::read(1, text).unwrap_err();
        assert_eq!(refused(r#"{"a": 1, "b": 2, "a": 1}"#), "the key `a` stands there twice");
        assert_eq!(refused(r#"{"a": 1, "\u0061": 1}"#), "the key `a` stands there twice");
        assert_eq!(
            refused(r#" {"x": [{}, {"y/z": {"a": 1, "a": 2}}]}"#),
            "the key `a` stands there twice in `/x/1/y~1z`"
        );
        assert_eq!(refused("[1]"), "the line is no JSON object");
        assert!(refused(&format!("{{\"a\": {}", "[".repeat(100_000))).starts_with("this is no JSON: recursion"));
        assert_eq!(
            read(r#"{"a": {"a": 1}, "b": {"a": 1}}"#).fields,
            *json!({"a": {"a": 1}, "b": {"a": 1}}).as_object().unwrap()
        );
    }

    #[test]
    fn a_number_that_would_become_another_is_kept_as_a_text_and_named() {
        let mut brought = Brought::default();
        let mut line = read(
            r#"{"big": 12345678901234567890123, "in": [1.10, {"n": 0.1000000000000000055511151231257827}], "plain": 1e2, "n": 0.12345678901234567890}"#,
        );
        line.keep_numbers("r.jsonl", &["n"], &mut brought);
        assert_eq!(
            Value::Object(line.fields),
            json!({"big": "12345678901234567890123", "in": [1.1, {"n": "0.1000000000000000055511151231257827"}], "plain": 100.0, "n": 0.123_456_789_012_345_68})
        );
        let notes: Vec<String> =
            brought.notes.iter().map(|note| format!("{} {}: {}", note.place(), note.what, note.why)).collect();
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert_eq!(
            notes[0],
            "r.jsonl:3 the number 12345678901234567890123: it has more digits than a number here keeps, so `/big` became a text"
        );
    }

    #[test]
    fn what_is_taken_out_keeps_the_spelling_of_its_number() {
        let mut line = read(r#"{"a": 1.10, "b": 1.1, "c/d": 1E3, "e": [1.10]}"#);
        assert_eq!(line.take("a"), Some(json!("1.10")));
        assert_eq!(line.take("b"), Some(json!(1.1)));
        assert_eq!(line.take("c/d"), Some(json!("1E3")));
        assert_eq!(line.take("e"), Some(json!([1.1])));
        assert_eq!(line.take("f"), None);
        assert!(line.fields.is_empty());
    }

    proptest! {
        /// What fits a number here is the same number, however it is spelled.
        #[test]
        fn another_spelling_is_no_other_number(number in any::<i32>(), zeros in 0_usize..4, places in 0_usize..4) {
            prop_assume!(number != 0);
            let digits = number.unsigned_abs().to_string() + &"0".repeat(zeros);
            let sign = if number < 0 { "-" } else { "" };
            let text = format!("{{\"a\": {sign}{digits}.{}e-{places}}}", "0".repeat(places + 1));
            let mut brought = Brought::default();
            let mut line = read(&text);
            line.keep_numbers("a", &[], &mut brought);
            prop_assert!(brought.notes.is_empty(), "{}: {:?}", text, brought.notes);
            prop_assert!(line.fields["a"].is_number());
        }
    }
}
