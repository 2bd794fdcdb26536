//! Changes to JSON, byte by byte: what is not touched stays as it was written. Pure.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use hyper::body::Bytes;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::proxy::schedule::place;

/// A byte that no JSON text holds outside of its strings.
const ALIEN: u8 = b'#';

/// Damages a JSON text at one place, so that it is none any more; in a stream of events, the data of one event. `None`
/// where there is no JSON.
pub(super) fn damage_json(body: &[u8], is_event_stream: bool, seed: u64, call: u32) -> Option<Bytes> {
    let whole = std::iter::once(0..body.len()).filter(|_| !is_event_stream);
    let data = event_data(body).into_iter().filter(|_| is_event_stream);
    let texts: Vec<_> = whole.chain(data).filter(|range| is_json(&body[range.clone()])).collect();
    let range = texts.get(pick(seed, call, "event", texts.len()))?.clone();
    let marks = structure(&body[range.clone()]);
    let at = marks.get(pick(seed, call, "byte", marks.len()))?;
    let mut damaged = body.to_vec();
    damaged[range.start + at] = ALIEN;
    Some(Bytes::from(damaged))
}

fn pick(seed: u64, call: u32, what: &str, count: usize) -> usize {
    usize::try_from(place(seed, call, what, count as u64)).unwrap_or(0)
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Where the data of the events stand.
fn event_data(body: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"data:") {
            found.push(start + b"data:".len()..start + line.len());
        }
        start += line.len();
    }
    found
}

/// The bytes of a JSON text that hold it together; of a single value, its first.
fn structure(text: &[u8]) -> Vec<usize> {
    let mut marks = Vec::new();
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'}' | b'[' | b']' | b':' | b',' if !in_string => marks.push(at),
            _ => {}
        }
    }
    if marks.is_empty() {
        marks.extend(text.iter().position(|byte| !byte.is_ascii_whitespace()));
    }
    marks
}

/// Adds `text` to the end of the text to which the pointer leads.
///
/// # Errors
/// Says why it leads to none.
pub(super) fn inject_text(body: &[u8], pointer: &str, text: &str) -> Result<Bytes, String> {
    let document = std::str::from_utf8(body).map_err(|_| "the answer is no JSON".to_owned())?;
    let mut found: &RawValue = serde_json::from_str(document).map_err(|_| "the answer is no JSON".to_owned())?;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        found = member(found, &token).ok_or_else(|| format!("{pointer} leads to nothing in the answer"))?;
    }
    if !found.get().starts_with('"') {
        return Err(format!("{pointer} leads to no text in the answer"));
    }
    let written = serde_json::to_string(text).map_err(|error| error.to_string())?;
    let added = written.trim_start_matches('"');
    let added = added.strip_suffix('"').unwrap_or(added);
    // The raw value is a piece of the document itself.
    let end = found.get().as_ptr().addr() - document.as_ptr().addr() + found.get().len() - 1;
    Ok(Bytes::from([&document[..end], added, &document[end..]].concat()))
}

fn member<'d>(value: &'d RawValue, name: &str) -> Option<&'d RawValue> {
    if value.get().starts_with('{') {
        let members: HashMap<Cow<'d, str>, &'d RawValue> = serde_json::from_str(value.get()).ok()?;
        members.get(name).copied()
    } else {
        let items: Vec<&'d RawValue> = serde_json::from_str(value.get()).ok()?;
        let is_index = name == "0" || !name.starts_with(['0', '+']);
        items.get(name.parse::<usize>().ok().filter(|_| is_index)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,8}".prop_map(Value::from),
            Just(json!("{\"a\": [1, \\\"2\\\"]}")),
        ];
        leaf.prop_recursive(3, 20, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::hash_map("\\PC{0,4}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_damaged_text_is_no_json_and_differs_in_one_byte(value in any_json(), seed: u64, call: u32) {
            let text = serde_json::to_vec_pretty(&value).unwrap();
            let damaged = damage_json(&text, false, seed, call).unwrap();
            prop_assert!(serde_json::from_slice::<Value>(&damaged).is_err());
            prop_assert_eq!(damaged.len(), text.len());
            prop_assert_eq!(damaged.iter().zip(&text).filter(|(a, b)| a != b).count(), 1);
            prop_assert_eq!(damage_json(&text, false, seed, call).unwrap(), damaged);
        }

        #[test]
        fn what_is_injected_is_read_at_the_end_of_the_text_and_nothing_else_changes(
            value in any_json(), before in "\\PC{0,9}", added in ".{0,9}",
        ) {
            let document = json!({"a/b": [value.clone(), {"~": before.clone()}], "z": 1});
            let text = serde_json::to_vec_pretty(&document).unwrap();
            let injected = inject_text(&text, "/a~1b/1/~0", &added).unwrap();
            let expected = json!({"a/b": [value, {"~": format!("{before}{added}")}], "z": 1});
            prop_assert_eq!(serde_json::from_slice::<Value>(&injected).unwrap(), expected);
            prop_assert_eq!(inject_text(&text, "/a~1b/1/~0", "").unwrap(), text);
        }
    }

    #[test]
    fn other_seeds_damage_other_places() {
        let text = br#"{"a": [1, 2, 3], "b": {"c": [4, 5, 6]}}"#;
        let places: std::collections::BTreeSet<_> =
            (0..50).filter_map(|seed| damage_json(text, false, seed, 1)).collect();
        assert!(places.len() > 5, "{}", places.len());
    }

    #[test]
    fn of_a_stream_of_events_one_is_damaged() {
        let body = b"event: x\ndata: {\"a\":1}\n\ndata: {\"a\":2}\r\n\r\ndata: [DONE]\n\n";
        for seed in 0..20 {
            let damaged = damage_json(body, true, seed, 1).unwrap();
            let text = String::from_utf8(damaged.to_vec()).unwrap();
            let data: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
            let broken = data.iter().filter(|data| serde_json::from_str::<Value>(data).is_err()).count();
            assert_eq!((data.len(), broken), (3, 2), "{text}");
            assert!(text.contains("data: [DONE]"), "{text}");
        }
        assert!(damage_json(body, false, 1, 1).is_none());
        assert!(damage_json(b"data: [DONE]\n\n", true, 1, 1).is_none());
    }

    #[test]
    fn a_pointer_that_leads_to_no_text_says_so() {
        let body = br#"{"list": ["a", "b"], "number": 7}"#;
        for (pointer, expected) in [
            ("/absent", "leads to nothing"),
            ("/list/2", "leads to nothing"),
            ("/list/01", "leads to nothing"),
            ("/list/-", "leads to nothing"),
            ("/number/x", "leads to nothing"),
            ("/number", "leads to no text"),
            ("/list", "leads to no text"),
            ("", "leads to no text"),
        ] {
            let error = inject_text(body, pointer, "x").unwrap_err();
            assert!(error.contains(expected), "{pointer}: {error}");
        }
        assert_eq!(inject_text(b"<html>", "", "x").unwrap_err(), "the answer is no JSON");
        assert_eq!(inject_text(b"\"\xff\"", "", "x").unwrap_err(), "the answer is no JSON");
        assert_eq!(inject_text(br#""a\"""#, "", "\"").unwrap(), br#""a\"\"""#.as_slice());
    }
}
