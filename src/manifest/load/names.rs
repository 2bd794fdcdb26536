//! Identities: their form, and that no two are alike.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::Value;

use crate::manifest::case::HeldCase;
use crate::manifest::diagnostic::{Diagnostic, SourceText};
use crate::manifest::node::Half;
use crate::manifest::yaml::Document;

/// The most characters of an identity.
const MAX_LENGTH: usize = 100;

/// What is wrong with the form of a name, if anything.
pub(in crate::manifest) fn form_fault(what: &str, name: &str) -> Option<String> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if name.is_empty() {
        Some(format!("the {what} is empty"))
    } else if name.len() > MAX_LENGTH {
        Some(format!("the {what} has {} characters, and at most {MAX_LENGTH} are allowed", name.chars().count()))
    } else if !name.bytes().all(allowed) || !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        Some(format!("`{}` is no {what}", name.escape_debug()))
    } else {
        None
    }
}

/// The hint that goes with every fault of form.
pub(in crate::manifest) const FORM_HINT: &str =
    "a name has ASCII letters, digits, `.`, `_` and `-`, and begins with a letter or a digit";

/// Checks the form of the name that stands at `pointer`.
pub(super) fn check_form(document: &Document, pointer: &str, what: &str, name: &str, errors: &mut Vec<Diagnostic>) {
    if let Some(fault) = form_fault(what, name) {
        errors.push(document.error(pointer, fault).with_hint(FORM_HINT));
    }
}

/// The `id` of a document as it is written, whatever its type, without quotes.
fn written_id(document: &Document) -> Option<String> {
    match document.json.get("id")? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(document.written("/id").map_or_else(|| number.to_string(), str::to_owned)),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// An id and where it stands.
pub(super) struct IdPlace {
    /// The id as it is written.
    pub(super) id: String,
    line: usize,
    column: usize,
    source: SourceText,
}

impl IdPlace {
    /// The `id` of a document, where it has one that can be written as a text.
    pub(super) fn of(document: &Document) -> Option<Self> {
        let node = document.node.at("/id", Half::Value);
        let id = written_id(document)?;
        Some(Self { id, line: node.line, column: node.column, source: document.source.clone() })
    }

    /// The place of a case that was read before, whose text is not kept.
    pub(super) fn of_case(case: &HeldCase) -> Self {
        Self { id: case.id.to_string(), line: case.line, column: 1, source: SourceText::new(&case.path, "") }
    }

    /// The line, from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// An error at the id.
    pub(super) fn error(&self, message: String) -> Diagnostic {
        self.source.error(self.line, self.column, message)
    }
}

/// Reports every id that another one before it has too, also when letter case is ignored and when one of them is a
/// number without quotes.
pub(super) fn collisions<'p>(what: &str, places: impl Iterator<Item = &'p IdPlace>) -> Vec<Diagnostic> {
    let mut first: BTreeMap<String, &IdPlace> = BTreeMap::new();
    let mut errors = Vec::new();
    for place in places {
        let id = &place.id;
        match first.entry(id.to_lowercase()) {
            Entry::Vacant(entry) => {
                entry.insert(place);
            }
            Entry::Occupied(entry) => {
                let other = entry.get();
                let stands = format!("`{}` line {}", other.source.path(), other.line);
                let message = if other.id == *id {
                    format!("the {what} id `{id}` is already taken in {stands}")
                } else {
                    format!("the {what} id `{id}` differs only in letter case from `{}` in {stands}", other.id)
                };
                errors.push(place.error(message).with_hint("an id is unique in the project: choose another"));
            }
        }
    }
    errors
}
