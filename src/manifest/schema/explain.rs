//! What a JSON Schema validator finds, in plain sentences with a place and a hint.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::node::{Half, below};
use crate::manifest::suggest::{list_of, nearest};
use crate::manifest::yaml::Document;

use super::properties;

/// Words that are no slips of a valid key, and what they are meant as where that is one.
const MEANT: [(&str, &str); 2] = [("url", "path"), ("path", "url")];

/// Explains the errors of one document.
pub(super) struct Explainer<'a> {
    /// The schema it was held against.
    pub(super) schema: &'a Value,
    /// The document.
    pub(super) document: &'a Document,
}

impl Explainer<'_> {
    /// One diagnostic or more for one error.
    pub(super) fn explain(&self, error: &ValidationError<'_>) -> Vec<Diagnostic> {
        let pointer = error.instance_path().as_str();
        let one = |message: String, hint: Option<String>| vec![with(self.document.error(pointer, message), hint)];
        match error.kind() {
            Kind::AdditionalProperties { unexpected } => {
                unexpected.iter().map(|key| self.unknown_key(error, pointer, key)).collect()
            }
            Kind::Required { property } => vec![self.missing_key(error, pointer, property)],
            Kind::Type { kind } => vec![self.wrong_type(error, pointer, &names_of(kind))],
            Kind::Enum { options } => {
                let options: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                vec![self.wrong_word(error, pointer, &options)]
            }
            Kind::Constant { expected_value } => {
                vec![self.wrong_word(error, pointer, &[expected_value.as_str().unwrap_or_default()])]
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => self.no_branch(error, pointer, context),
            Kind::MinProperties { .. } if !self.takes_one_key(error) => {
                one("the map is empty".to_owned(), self.description(error))
            }
            Kind::MinProperties { .. } | Kind::MaxProperties { .. } => vec![self.not_exactly_one(error, pointer)],
            Kind::MinItems { .. } => {
                one("the list is empty".to_owned(), self.with_examples(pointer, self.description(error)))
            }
            Kind::Minimum { limit } => vec![self.out_of_range(error, "at least", limit)],
            Kind::Maximum { limit } => vec![self.out_of_range(error, "at most", limit)],
            Kind::ExclusiveMinimum { limit } => vec![self.out_of_range(error, "more than", limit)],
            Kind::ExclusiveMaximum { limit } => vec![self.out_of_range(error, "less than", limit)],
            Kind::MinLength { .. } => one("expected a text that is not empty".to_owned(), self.description(error)),
            Kind::UniqueItems => one("the list names something twice".to_owned(), self.description(error)),
            Kind::Custom { message, .. } => {
                let number = error.instance().as_f64().filter(|number| number.fract() == 0.0);
                one(message.clone(), number.map(|number| format!("write {number:.0}")))
            }
            _ => one(error.masked_with("the value").to_string(), None),
        }
    }

    fn out_of_range(&self, error: &ValidationError<'_>, words: &str, limit: &Value) -> Diagnostic {
        let limit =
            limit.as_f64().filter(|_| limit.is_f64()).map_or_else(|| limit.to_string(), |limit| limit.to_string());
        let pointer = error.instance_path().as_str();
        let found = self.document.written(pointer).map_or_else(|| error.instance().to_string(), str::to_owned);
        with(self.document.error(pointer, format!("expected {words} {limit}, found {found}")), self.description(error))
    }

    /// Whoever has no expectation yet is shown two.
    fn with_examples(&self, pointer: &str, hint: Option<String>) -> Option<String> {
        if pointer != "/expect" || self.schema.get("title").and_then(Value::as_str) != Some("holdpoint case") {
            return hint;
        }
        let examples = "as in `- contains: 30 days` or `- not: {contains: refund}`";
        Some(hint.map_or_else(|| examples.to_owned(), |hint| format!("{hint}, {examples}")))
    }

    fn takes_one_key(&self, error: &ValidationError<'_>) -> bool {
        self.owner(error).is_some_and(|owner| owner.get("maxProperties").is_some())
    }

    fn unknown_key(&self, error: &ValidationError<'_>, pointer: &str, key: &str) -> Diagnostic {
        let valid: Vec<&str> =
            self.owner(error).and_then(properties).into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let pointer = below(pointer, key);
        let meant = MEANT.iter().find(|(word, name)| *word == key && valid.contains(name)).map(|(_, name)| *name);
        let hint = match nearest(key, &valid).or(meant) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("the keys here are {}", list_of(&valid, "and")),
        };
        self.document.error_at(&pointer, Half::Key, format!("unknown key `{key}`")).with_hint(hint)
    }

    fn missing_key(&self, error: &ValidationError<'_>, pointer: &str, property: &Value) -> Diagnostic {
        let key = property.as_str().unwrap_or_default();
        let description = self
            .owner(error)
            .and_then(properties)
            .and_then(|keys| keys.get(key))
            .and_then(|schema| schema.get("description"))
            .and_then(Value::as_str)
            .map(|text| format!("`{key}`: {}", sentence(text)));
        with(self.document.error(pointer, format!("the key `{key}` is missing")), description)
    }

    fn wrong_type(&self, error: &ValidationError<'_>, pointer: &str, expected: &[&str]) -> Diagnostic {
        let found = self.document.node.at(pointer, Half::Value);
        let written = self.document.written(pointer);
        let found_words = match (&error.instance().as_ref(), written) {
            (Value::Number(_), Some(text)) => format!("the number {text}"),
            _ => found.kind.in_words(),
        };
        let is_scalar = matches!(error.instance().as_ref(), Value::Number(_) | Value::Bool(_));
        let hint = if expected.contains(&"a text") && is_scalar {
            written.map(|text| format!("quote it: \"{text}\""))
        } else if expected.contains(&"a list") && (is_scalar || error.instance().is_string()) {
            written.map(|text| match text.split_whitespace().collect::<Vec<_>>() {
                words if words.len() > 1 => format!("a list: [{}]", words.join(", ")),
                _ => format!("a list of one: [{text}]"),
            })
        } else if expected == ["true or false"] {
            Some("write `true` or `false`".to_owned())
        } else if error.instance().as_str().is_some_and(|text| text.parse::<f64>().is_ok()) {
            error.instance().as_str().map(|text| format!("write it without quotes: {text}"))
        } else if error.instance().is_null() {
            Some("leave the key out, or give it a value".to_owned())
        } else {
            self.description(error)
        };
        with(self.document.error(pointer, format!("expected {}, found {found_words}", list_of(expected, "or"))), hint)
    }

    fn wrong_word(&self, error: &ValidationError<'_>, pointer: &str, options: &[&str]) -> Diagnostic {
        let Value::String(word) = error.instance().as_ref() else {
            return self.wrong_type(error, pointer, &["a text"]);
        };
        let quoted: Vec<String> = options.iter().map(|option| format!("`{option}`")).collect();
        let quoted: Vec<&str> = quoted.iter().map(String::as_str).collect();
        let diagnostic = self.document.error(pointer, format!("expected {}, found `{word}`", list_of(&quoted, "or")));
        with(diagnostic, nearest(word, options).map(|name| format!("did you mean `{name}`?")))
    }

    /// None of several forms fits: the errors of the form that was meant, or the forms themselves.
    fn no_branch(
        &self,
        error: &ValidationError<'_>,
        pointer: &str,
        context: &[Vec<ValidationError<'static>>],
    ) -> Vec<Diagnostic> {
        let mut leaves = Vec::new();
        flatten(context, pointer, &mut leaves);
        if let Some(meant) = leaves.iter().find(|leaf| !leaf.is_empty() && !leaf.iter().any(|e| is_form(e, pointer))) {
            return meant.iter().flat_map(|error| self.explain(error)).collect();
        }
        let mut words = Vec::new();
        let mut types = Vec::new();
        for error in leaves.iter().copied().flatten().filter(|e| e.instance_path().as_str() == pointer) {
            match error.kind() {
                Kind::Constant { expected_value } => words.extend(expected_value.as_str()),
                Kind::Enum { options } => {
                    words.extend(options.as_array().into_iter().flatten().filter_map(Value::as_str))
                }
                Kind::Type { kind } => types.extend(names_of(kind)),
                _ => {}
            }
        }
        if !words.is_empty() && (error.instance().is_string() || types.is_empty()) {
            return vec![self.wrong_word(error, pointer, &words)];
        }
        if !words.is_empty() {
            types.insert(0, "a text");
        }
        types.dedup();
        vec![self.wrong_type(error, pointer, &types)]
    }

    fn not_exactly_one(&self, error: &ValidationError<'_>, pointer: &str) -> Diagnostic {
        let valid: Vec<&str> =
            self.owner(error).and_then(properties).into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let found: Vec<String> =
            error.instance().as_object().into_iter().flatten().map(|(key, _)| format!("`{key}`")).collect();
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        let hint = format!("the keys here are {}", list_of(&valid, "and"));
        let second = error.instance().as_object().and_then(|fields| fields.keys().nth(1));
        let (pointer, half, message) = match second {
            Some(key) => {
                let message = format!("expected exactly one key, found {}", list_of(&found, "and"));
                (below(pointer, key), Half::Key, message)
            }
            None => (pointer.to_owned(), Half::Value, "expected exactly one key, found none".to_owned()),
        };
        self.document.error_at(&pointer, half, message).with_hint(hint)
    }

    /// The schema that holds the keyword which failed.
    fn owner(&self, error: &ValidationError<'_>) -> Option<&Value> {
        let (owner, _) = error.schema_path().as_str().rsplit_once('/')?;
        self.schema.pointer(owner)
    }

    fn description(&self, error: &ValidationError<'_>) -> Option<String> {
        self.owner(error)?.get("description").and_then(Value::as_str).map(|text| sentence(text).to_owned())
    }
}

fn with(diagnostic: Diagnostic, hint: Option<String>) -> Diagnostic {
    match hint {
        Some(hint) => diagnostic.with_hint(hint),
        None => diagnostic,
    }
}

/// The branches of nested `anyOf` and `oneOf` on the same value, as one list.
fn flatten<'e>(
    context: &'e [Vec<ValidationError<'static>>],
    pointer: &str,
    leaves: &mut Vec<&'e [ValidationError<'static>]>,
) {
    for branch in context {
        match branch.as_slice() {
            [only] if only.instance_path().as_str() == pointer => match only.kind() {
                Kind::AnyOf { context } | Kind::OneOfNotValid { context } => flatten(context, pointer, leaves),
                _ => leaves.push(branch),
            },
            _ => leaves.push(branch),
        }
    }
}

/// Whether an error says that the value is of another form altogether.
fn is_form(error: &ValidationError<'_>, pointer: &str) -> bool {
    error.instance_path().as_str() == pointer
        && matches!(error.kind(), Kind::Type { .. } | Kind::Constant { .. } | Kind::Enum { .. })
}

fn names_of(kind: &TypeKind) -> Vec<&'static str> {
    match kind {
        TypeKind::Single(name) => vec![name_of(*name)],
        TypeKind::Multiple(names) => names.iter().map(name_of).collect(),
    }
}

fn name_of(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Null => "nothing",
        JsonType::Number => "a number",
        JsonType::Object => "a map",
        JsonType::String => "a text",
    }
}

/// The first sentence of a description, on one line and without its full stop.
fn sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.split_once(". ").map_or(line, |(first, _)| first).trim_end_matches('.')
}
