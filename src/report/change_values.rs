//! What changed within a changed value: the leaves that differ, instead of two whole values to compare by eye.

use std::collections::BTreeSet;

use serde_json::Value;

/// More differing leaves than these are no easier to read than the two values.
const MOST_LEAVES: usize = 6;

/// One place at which two values differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference<'a> {
    /// Where, below the values: `[0].contains`; empty for the values themselves.
    pub(super) place: String,
    /// The old value there; `None` where it has none.
    pub(super) from: Option<&'a Value>,
    /// The new value there; `None` where it has none.
    pub(super) to: Option<&'a Value>,
}

/// The places at which two values differ, in their order; the values themselves where there are too many, or where
/// nothing is below them.
pub(super) fn differences<'a>(from: Option<&'a Value>, to: Option<&'a Value>) -> Vec<Difference<'a>> {
    let mut found = Vec::new();
    collect(String::new(), from, to, &mut found);
    if found.is_empty() || found.len() > MOST_LEAVES {
        return vec![Difference { place: String::new(), from, to }];
    }
    found
}

fn collect<'a>(place: String, from: Option<&'a Value>, to: Option<&'a Value>, found: &mut Vec<Difference<'a>>) {
    match (from, to) {
        (Some(old), Some(new)) if old == new => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys {
                let below = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
                collect(below, old.get(key), new.get(key), found);
            }
        }
        // Items that were added or taken away shift all others: then they are not held against each other.
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                collect(format!("{place}[{index}]"), Some(old), Some(new), found);
            }
        }
        _ => found.push(Difference { place, from, to }),
    }
}

/// A facet with a place below it: `expect` and `[0].contains` are `expect[0].contains`.
pub(super) fn placed(facet: &str, place: &str) -> String {
    let dot = if facet.is_empty() || place.is_empty() || place.starts_with('[') { "" } else { "." };
    format!("{facet}{dot}{place}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(from: &Value, to: &Value) -> Vec<(String, Value, Value)> {
        let value = |value: Option<&Value>| value.cloned().unwrap_or(Value::Null);
        let differences = differences(Some(from), Some(to));
        differences.into_iter().map(|one| (one.place, value(one.from), value(one.to))).collect()
    }

    #[test]
    fn of_two_values_only_the_leaves_that_differ_are_told() {
        let from = json!([{"contains": "within 12 days"}, {"not": {"contains": "3 days"}}]);
        let to = json!([{"contains": "within 5 days"}, {"not": {"contains": "3 days"}}]);
        assert_eq!(told(&from, &to), [("[0].contains".to_owned(), json!("within 12 days"), json!("within 5 days"))]);
        let (from, to) = (json!({"a": {"b": 1}, "c": 2}), json!({"a": {"b": 3}}));
        assert_eq!(told(&from, &to), [("a.b".to_owned(), 1.into(), 3.into()), ("c".to_owned(), 2.into(), Value::Null)]);
    }

    #[test]
    fn lists_of_other_lengths_and_values_that_differ_everywhere_are_told_whole() {
        let (from, to) = (json!(["a"]), json!(["a", "b"]));
        assert_eq!(told(&from, &to), [(String::new(), from.clone(), to.clone())]);
        let many = |from: i32| Value::from((from..from + 7).collect::<Vec<_>>());
        assert_eq!(told(&many(0), &many(1)).len(), 1);
        assert_eq!(told(&json!(1), &json!(1)).len(), 1, "a change is told though nothing shows");
        assert_eq!(differences(None, Some(&json!({"a": 1}))).len(), 1);
    }

    #[test]
    fn a_place_follows_its_facet() {
        assert_eq!(placed("expect", "[0].contains"), "expect[0].contains");
        assert_eq!(placed("settings", "a.b"), "settings.a.b");
        assert_eq!(placed("release", ""), "release");
    }
}
