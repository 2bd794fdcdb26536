//! A manifest as a flat map from the path of each leaf to its value, and the difference of two such maps.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// What names a manifest, and is compared by itself. A `description` is none of these: a tool's reaches the model, and
/// a workflow may read any.
const NO_FACETS: [&str; 3] = ["id", "kind", "version"];

/// The facet that keeps the order of a list whose entries go by their names.
const ORDER: &str = "[order]";

/// Every leaf of a manifest but `id`, `kind` and `version`, by path. An entry of a list goes by its
/// number (`files[0]`), or by its `name` or `id` (`operations.reserve`) where each entry is a map that has one of its
/// own; the order of those is the facet `operations[order]`. A key that could be mistaken for more than one is
/// written as a JSON text (`"a.b"`), so that different manifests never have the same facets.
pub(super) fn facets_of(document: &Map<String, Value>) -> BTreeMap<String, Value> {
    let mut facets = BTreeMap::new();
    for (key, value) in document.iter().filter(|(key, _)| !NO_FACETS.contains(&key.as_str())) {
        flatten(&key_text(key), value, &mut facets);
    }
    facets
}

/// The path of the leaf under these keys, outermost first.
pub(super) fn path_of(keys: &[&str]) -> String {
    let keys: Vec<String> = keys.iter().map(|key| key_text(key)).collect();
    keys.join(".")
}

fn flatten(path: &str, value: &Value, facets: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (key, value) in fields {
                flatten(&format!("{path}.{}", key_text(key)), value, facets);
            }
        }
        Value::Array(items) if !items.is_empty() => match names_of(items) {
            Some(names) => {
                for (name, item) in names.iter().zip(items) {
                    flatten(&format!("{path}.{}", key_text(name)), item, facets);
                }
                facets.insert(format!("{path}{ORDER}"), names.into());
            }
            None => {
                for (index, item) in items.iter().enumerate() {
                    flatten(&format!("{path}[{index}]"), item, facets);
                }
            }
        },
        leaf => {
            facets.insert(path.to_owned(), leaf.clone());
        }
    }
}

/// The names of a list's entries, where each is a map with a `name`, or each with an `id`, and no two have the same.
fn names_of(items: &[Value]) -> Option<Vec<String>> {
    ["name", "id"].into_iter().find_map(|field| {
        let names = items.iter().map(|item| item.as_object()?.get(field)?.as_str().map(str::to_owned));
        let names: Vec<String> = names.collect::<Option<_>>()?;
        let distinct: BTreeSet<&String> = names.iter().collect();
        (distinct.len() == names.len()).then_some(names)
    })
}

fn key_text(key: &str) -> String {
    let is_plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | ' '));
    if is_plain { key.to_owned() } else { Value::from(key).to_string() }
}

/// A facet that differs: its path, the base's value and the head's.
pub(super) type FacetChange = (String, Option<Value>, Option<Value>);

/// Every facet that differs. The order of a list is only told where nothing else in that list is: an entry that came
/// or went changes it too.
pub(super) fn diff_facets(base: &BTreeMap<String, Value>, head: &BTreeMap<String, Value>) -> Vec<FacetChange> {
    let paths: BTreeSet<&String> = base.keys().chain(head.keys()).collect();
    let differing = paths.into_iter().filter(|path| base.get(*path) != head.get(*path));
    let mut changes: Vec<FacetChange> =
        differing.map(|path| (path.clone(), base.get(path).cloned(), head.get(path).cloned())).collect();
    let others: Vec<String> =
        changes.iter().map(|(path, _, _)| path.clone()).filter(|path| !path.ends_with(ORDER)).collect();
    changes.retain(|(path, _, _)| match path.strip_suffix(ORDER) {
        Some(list) => !others.iter().any(|other| other.strip_prefix(list).is_some_and(|rest| rest.starts_with('.'))),
        None => true,
    });
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn facets(document: &Value) -> BTreeMap<String, Value> {
        facets_of(document.as_object().unwrap())
    }

    fn changed(base: &Value, head: &Value) -> Vec<String> {
        diff_facets(&facets(base), &facets(head)).into_iter().map(|(path, _, _)| path).collect()
    }

    #[test]
    fn a_leaf_is_found_again_by_its_keys() {
        let document = json!({"actions": {"a.b": {"needs_approval": true}}});
        assert_eq!(facets(&document).get(&path_of(&["actions", "a.b", "needs_approval"])), Some(&json!(true)));
    }

    #[test]
    fn leaves_go_by_path_and_named_entries_by_name() {
        let document = json!({"id": "crm", "kind": "connector", "version": "3", "description": "x", "release": "2.1",
            "operations": [{"name": "reserve", "idempotency": {"window": 60}}], "tags": ["a"], "empty": {}});
        let expected = [
            ("description", json!("x")),
            ("empty", json!({})),
            ("operations.reserve.idempotency.window", json!(60)),
            ("operations.reserve.name", json!("reserve")),
            ("operations[order]", json!(["reserve"])),
            ("release", json!("2.1")),
            ("tags[0]", json!("a")),
        ];
        assert_eq!(facets(&document), expected.map(|(path, value)| (path.to_owned(), value)).into());
    }

    #[test]
    fn an_entry_that_is_put_first_is_the_only_change_of_a_named_list() {
        let base = json!({"operations": [{"name": "a", "x": 1}, {"name": "b", "x": 1}]});
        let head = json!({"operations": [{"name": "c"}, {"name": "a", "x": 1}, {"name": "b", "x": 1}]});
        assert_eq!(changed(&base, &head), ["operations.c.name"]);
    }

    #[test]
    fn a_new_order_alone_is_a_change() {
        let base = json!({"operations": [{"name": "a"}, {"name": "b"}], "operations2": 1});
        let head = json!({"operations": [{"name": "b"}, {"name": "a"}], "operations2": 2});
        assert_eq!(changed(&base, &head), ["operations2", "operations[order]"]);
    }

    #[test]
    fn keys_that_look_like_paths_do_not_hide_a_change() {
        assert_eq!(changed(&json!({"a.b": 1}), &json!({"a": {"b": 1}})), [r#""a.b""#, "a.b"]);
        assert_eq!(changed(&json!({"a": {"[0]": 1}}), &json!({"a": [1]})).len(), 2);
        assert_eq!(changed(&json!({"a": null}), &json!({})), ["a"]);
        assert_eq!(changed(&json!({"a": 1}), &json!({"a": "1"})), ["a"]);
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(Value::Null), (0..3).prop_map(Value::from), "[ab.]{0,2}".prop_map(Value::from)];
        leaf.prop_recursive(3, 16, 3, |inner| {
            let key = prop_oneof!["[ab.\\[]{0,2}", Just("name".to_owned()), Just("0".to_owned())];
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                proptest::collection::btree_map(key, inner, 0..3)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn two_documents_have_the_same_facets_only_if_they_are_equal(one in value(), other in value()) {
            let (one, other) = (json!({"a": one}), json!({"a": other}));
            prop_assert_eq!(one == other, facets(&one) == facets(&other));
            prop_assert_eq!(one == other, changed(&one, &other).is_empty());
        }
    }
}
