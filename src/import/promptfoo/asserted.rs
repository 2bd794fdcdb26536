//! What stands below `assert`: a list of maps, and whatever else somebody wrote there. None of it is passed over.

use serde_json::{Map, Value};

use crate::import::brought::{Brought, Kind};
use crate::import::case_draft::one_line;

use super::source::Place;

/// Longest value in the words of a placeholder, in characters.
const SHOWN: usize = 300;

/// An assertion, or what stands where one should, with its place.
pub(super) type Asserted = (Value, Place);

/// What is listed below an `assert`. One map is taken for a list of one; what is neither stays as it is, and is no assertion.
pub(super) fn listed(value: Option<&Value>, place: &Place, brought: &mut Brought) -> Vec<Asserted> {
    match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => {
            items.iter().enumerate().map(|(at, one)| (one.clone(), place.below(&at.to_string()))).collect()
        }
        Some(Value::Object(one)) => {
            let why = "it stands below `assert` without a list, and was taken for a list of one";
            brought.note(Kind::Changed, place.spot(), in_words(one), why);
            vec![(Value::Object(one.clone()), place.clone())]
        }
        Some(other) => vec![(other.clone(), place.clone())],
    }
}

/// The assertion as a reader knows it: `llm-rubric: is polite`. What has no type, or holds others, is shown as it stands there.
pub(super) fn in_words(assertion: &Map<String, Value>) -> String {
    let kind = match assertion.get("type").and_then(Value::as_str) {
        Some("assert-set") | None => return quoted(&Value::Object(assertion.clone())),
        Some(kind) => kind,
    };
    let value = match assertion.get("value") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => format!(": {text}"),
        Some(other) => format!(": {other}"),
    };
    let threshold =
        assertion.get("threshold").map_or_else(String::new, |threshold| format!(" (threshold {threshold})"));
    one_line(&format!("{kind}{value}{threshold}"), SHOWN)
}

/// A value as it stood there, on one line.
pub(super) fn quoted(value: &Value) -> String {
    one_line(&format!("assert: {value}"), SHOWN)
}
