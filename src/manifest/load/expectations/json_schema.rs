//! JSON Schemas in cases that say nothing: misspelt keywords, and schemas that accept every value.

use serde_json::Value;

use crate::manifest::compile::compile_json_schema;
use crate::manifest::node::below;
use crate::manifest::suggest::nearest;

/// Keywords of draft 2020-12 that describe and never refuse.
const SILENT: [&str; 19] = [
    "$schema",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$vocabulary",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "deprecated",
    "readOnly",
    "writeOnly",
    "examples",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "format",
];

/// Keywords that can refuse a value.
const ASSERTING: [&str; 40] = [
    "$ref",
    "$dynamicRef",
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxContains",
    "minContains",
    "maxProperties",
    "minProperties",
    "required",
    "dependentRequired",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "prefixItems",
    "items",
    "contains",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "dependencies",
];

/// Keywords whose value is a schema.
const ONE: [&str; 11] = [
    "not",
    "if",
    "then",
    "else",
    "items",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
/// Keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is a map of schemas.
const MAP: [&str; 5] = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/// Where a schema that stands at `pointer` is none, what is wrong there, and a hint; `None` where it is one.
pub(in crate::manifest::load) fn schema_fault(schema: &Value, pointer: &str) -> Option<(String, String, &'static str)> {
    let error = compile_json_schema(schema).err()?;
    let place = format!("{pointer}{}", error.pointer);
    Some((place, format!("this is no JSON Schema: {error}"), "it is read as draft 2020-12, and nothing is fetched"))
}

/// Every keyword that draft 2020-12 does not know: its place, what is wrong, and a hint. A keyword that begins with
/// `x-` is the author's own.
pub(in crate::manifest::load) fn unknown_keywords(
    schema: &Value,
    pointer: &str,
    found: &mut Vec<(String, String, String)>,
) {
    let Value::Object(keywords) = schema else { return };
    for (keyword, value) in keywords {
        let place = below(pointer, keyword);
        let name = keyword.as_str();
        let known = SILENT.contains(&name) || ASSERTING.contains(&name) || name.starts_with("x-");
        if !known {
            let names: Vec<&str> = SILENT.iter().chain(&ASSERTING).copied().collect();
            let hint = match nearest(name, &names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "a keyword that nobody knows refuses nothing; one of your own begins with `x-`".to_owned(),
            };
            found.push((place, format!("`{name}` is no keyword of JSON Schema"), hint));
        } else if ONE.contains(&name) {
            unknown_keywords(value, &place, found);
        } else if LIST.contains(&name) {
            for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                unknown_keywords(item, &below(&place, index), found);
            }
        } else if MAP.contains(&name) {
            for (key, item) in value.as_object().into_iter().flatten() {
                unknown_keywords(item, &below(&place, key), found);
            }
        }
    }
}

/// Whether a schema refuses no value at all, as far as its keywords show.
pub(super) fn accepts_everything(schema: &Value) -> bool {
    match schema {
        Value::Bool(accepts) => *accepts,
        Value::Object(keywords) => keywords.iter().all(|(keyword, value)| is_idle(keyword, value)),
        _ => false,
    }
}

fn is_idle(keyword: &str, value: &Value) -> bool {
    let all = |values: &Value| values.as_array().is_some_and(|values| values.iter().all(accepts_everything));
    match keyword {
        name if !ASSERTING.contains(&name) => true,
        "minLength" | "minItems" | "minProperties" => value.as_f64() == Some(0.0),
        "required" => value.as_array().is_some_and(Vec::is_empty),
        "dependentRequired" => value.as_object().is_some_and(serde_json::Map::is_empty),
        "uniqueItems" => value == false,
        "type" => {
            let names = value.as_array().map(Vec::as_slice).unwrap_or_default();
            ["null", "boolean", "number", "string", "array", "object"]
                .iter()
                .all(|kind| names.iter().any(|n| n == kind))
        }
        "allOf" | "prefixItems" => all(value),
        "anyOf" => value.as_array().is_some_and(|values| values.iter().any(accepts_everything)),
        "properties" | "patternProperties" | "dependentSchemas" => {
            value.as_object().is_some_and(|fields| fields.values().all(accepts_everything))
        }
        "items" | "additionalProperties" | "propertyNames" | "unevaluatedItems" | "unevaluatedProperties" => {
            accepts_everything(value)
        }
        // `if` alone refuses nothing; `then` and `else` are judged by themselves.
        "if" => true,
        "then" | "else" => accepts_everything(value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_that_refuses_something_is_told_from_one_that_does_not() {
        for idle in [
            json!({}),
            json!({"title": "An answer"}),
            json!({"properties": {"answer": {}}}),
            json!({"additionalProperties": true}),
            json!({"anyOf": [{"type": "string"}, {}]}),
            json!({"required": []}),
            json!({"minLength": 0}),
            json!({"type": ["null", "boolean", "number", "string", "array", "object"]}),
            json!({"allOf": [true, {"description": "x"}]}),
            json!({"if": {"type": "string"}, "then": {}}),
            json!({"$defs": {"a": {"type": "string"}}}),
        ] {
            assert!(accepts_everything(&idle), "{idle}");
        }
        for asserting in [
            json!({"type": "object"}),
            json!({"required": ["answer"]}),
            json!({"properties": {"answer": {"type": "string"}}}),
            json!({"additionalProperties": false}),
            json!({"maxLength": 5}),
            json!({"not": {}}),
            json!({"enum": []}),
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}),
        ] {
            assert!(!accepts_everything(&asserting), "{asserting}");
        }
    }

    #[test]
    fn a_misspelt_keyword_is_found_at_any_depth() {
        let mut found = Vec::new();
        unknown_keywords(&json!({"properties": {"requried": {"items": {"requried": []}}}, "x-own": 1}), "", &mut found);
        let [(place, message, hint)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(place, "/properties/requried/items/requried");
        assert_eq!(message, "`requried` is no keyword of JSON Schema");
        assert_eq!(hint, "did you mean `required`?");
    }
}
