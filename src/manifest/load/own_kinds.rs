//! Kinds of part and rules that a project declares: what is wrong with them, and the schemas by which manifests are read.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::domain::OwnKind;
use crate::manifest::compile::compile_json_schema;
use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::node::{Half, below};
use crate::manifest::own_kinds::{KindSpec, RuleSpec};
use crate::manifest::part::PartKind;
use crate::manifest::project_file::ProjectFile;
use crate::manifest::schema::{FileKind, json_schema};
use crate::manifest::suggest::{hint_for, list_of, nearest};
use crate::manifest::yaml::Document;

use super::expectations::{schema_fault, unknown_keywords};

/// What changes are called that are none of a part.
const NOT_OF_PARTS: [&str; 5] = ["code", "case", "project", "unclassified", "inert"];

/// The keys that every manifest has.
const EVERY_MANIFEST: [&str; 6] = ["id", "kind", "version", "description", "files", "globs"];

/// The kinds of a project's own, ready to read manifests by.
pub(super) struct OwnKinds {
    kinds: BTreeMap<OwnKind, Option<(Value, Validator)>>,
    /// Whether the project file could be read, so that an unknown kind is known to be none.
    pub(super) is_known: bool,
}

impl OwnKinds {
    /// Those of a project file. Of a schema with a fault nothing is asked, since the fault is told where it stands. Where the file
    /// does not fit its own schema, its kinds are those that its document names: a slip elsewhere in it is no slip of each manifest.
    pub(super) fn of(file: Option<&ProjectFile>, document: Option<&Document>) -> Self {
        let kinds = match file {
            Some(file) => file.kinds.iter().filter_map(|(name, spec)| ready(name, Some(spec))).collect(),
            None => document.map(|document| of_document(&document.json)).unwrap_or_default(),
        };
        Self { kinds, is_known: file.is_some() }
    }

    /// The kind of that name.
    pub(super) fn find(&self, name: &str) -> Option<OwnKind> {
        self.kinds.keys().copied().find(|kind| kind.name() == name)
    }

    /// The names of all kinds, the built-in ones first.
    pub(super) fn names(&self) -> Vec<&str> {
        built_in().into_iter().chain(self.kinds.keys().map(OwnKind::name)).collect()
    }

    /// The schema of a kind's manifests, and its validator.
    pub(super) fn schema(&self, kind: OwnKind) -> Option<&(Value, Validator)> {
        self.kinds.get(&kind)?.as_ref()
    }
}

/// The kinds that a document names which is no project file as a whole. One whose own entry is at fault has a name, and no schema.
fn of_document(document: &Value) -> BTreeMap<OwnKind, Option<(Value, Validator)>> {
    let named = document.get("kinds").and_then(Value::as_object).into_iter().flatten();
    named
        .filter_map(|(name, spec)| ready(name, serde_json::from_value::<KindSpec>(spec.clone()).ok().as_ref()))
        .collect()
}

/// A kind ready to read manifests by.
fn ready(name: &str, spec: Option<&KindSpec>) -> Option<(OwnKind, Option<(Value, Validator)>)> {
    let schema = spec.map(|spec| own_kind_schema(name, spec));
    let schema = schema.and_then(|schema| Some((compile_json_schema(&schema).ok()?, schema)));
    Some((name.parse().ok()?, schema.map(|(validator, schema)| (schema, validator))))
}

/// The names of the built-in kinds.
fn built_in() -> [&'static str; 6] {
    static KINDS: [PartKind; 6] = PartKind::BUILT_IN;
    KINDS.each_ref().map(PartKind::name)
}

/// The JSON Schema of the manifests of a kind of the project's own: the keys that every manifest has, and the kind's.
pub fn own_kind_schema(name: &str, spec: &KindSpec) -> Value {
    let mut schema = spec.schema.clone().unwrap_or_default();
    let every =
        name.parse().map(|kind| json_schema(FileKind::Manifest(PartKind::Own(kind))).clone()).unwrap_or_default();
    schema.entry("type").or_insert_with(|| json!("object"));
    schema.insert("title".to_owned(), json!(format!("{name} manifest")));
    if let (Some(description), false) = (&spec.description, schema.contains_key("description")) {
        schema.insert("description".to_owned(), json!(description));
    }
    for key in ["properties", "$defs"] {
        let (Some(every), own) =
            (every.get(key).and_then(Value::as_object), schema.entry(key).or_insert_with(|| json!({})))
        else {
            continue;
        };
        if let Some(own) = own.as_object_mut() {
            own.extend(every.clone());
        }
    }
    if let Some(kind) = schema.get_mut("properties").and_then(|keys| keys.get_mut("kind")) {
        *kind = json!({"const": name, "description": "The kind, as the project file names it."});
    }
    let required = schema.entry("required").or_insert_with(|| json!([]));
    if let (Some(own), Some(every)) = (required.as_array_mut(), every.get("required").and_then(Value::as_array)) {
        own.extend(every.iter().cloned());
    }
    Value::Object(schema)
}

/// Checks what a project file declares of kinds and rules.
pub(super) fn check(file: &ProjectFile, document: &Document, errors: &mut Vec<Diagnostic>) {
    for (name, spec) in &file.kinds {
        let pointer = below("/kinds", name);
        check_name(name, document, &pointer, errors);
        if let Some(schema) = &spec.schema {
            check_schema(&Value::Object(schema.clone()), document, &below(&pointer, "schema"), errors);
        }
    }
    for (index, rule) in file.rules.iter().enumerate() {
        check_rule(rule, file, document, &below("/rules", index), errors);
    }
}

fn check_name(name: &str, document: &Document, pointer: &str, errors: &mut Vec<Diagnostic>) {
    let fault = if built_in().contains(&name) {
        Some((format!("the kind `{name}` is built in"), "leave it out; `rules` can say more of it"))
    } else if NOT_OF_PARTS.contains(&name) {
        Some((format!("`{name}` is what another change is called"), "choose another name"))
    } else {
        let hint = "lower-case ASCII letters, digits, `_` and `-`, and a letter first";
        name.parse::<OwnKind>().err().map(|fault| (fault, hint))
    };
    errors.extend(fault.map(|(message, hint)| document.error_at(pointer, Half::Key, message).with_hint(hint)));
}

fn check_schema(schema: &Value, document: &Document, pointer: &str, errors: &mut Vec<Diagnostic>) {
    let mut unknown = Vec::new();
    unknown_keywords(schema, pointer, &mut unknown);
    let misspelt = unknown.into_iter().map(|(place, message, hint)| (place, Half::Key, message, hint));
    errors
        .extend(misspelt.map(|(place, half, message, hint)| document.error_at(&place, half, message).with_hint(hint)));
    let fault = schema_fault(schema, pointer);
    errors.extend(fault.map(|(place, message, hint)| document.error(&place, message).with_hint(hint)));
    if schema.get("type").is_some_and(|name| name != "object") {
        let error = document.error(&below(pointer, "type"), "a manifest is a map, so its schema's type is `object`");
        errors.push(error.with_hint("leave `type` out"));
    }
    let keys = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    for (key, _) in keys.filter(|(key, _)| EVERY_MANIFEST.contains(&key.as_str())) {
        let place = below(&below(pointer, "properties"), key);
        let error = document.error_at(&place, Half::Key, format!("every manifest has `{key}` already"));
        errors.push(error.with_hint("describe the kind's own keys alone"));
    }
}

fn check_rule(rule: &RuleSpec, file: &ProjectFile, document: &Document, pointer: &str, errors: &mut Vec<Diagnostic>) {
    let kinds: Vec<&str> = built_in().into_iter().chain(file.kinds.keys().map(String::as_str)).collect();
    let name = rule.kind.as_str();
    if !kinds.contains(&name) {
        let error = document.error(&below(pointer, "kind"), format!("`{}` is no kind of part", name.escape_debug()));
        errors.push(error.with_hint(match nearest(name, &kinds) {
            Some(near) => format!("did you mean `{near}`?"),
            None if NOT_OF_PARTS.contains(&name) => "rules speak of parts; what such a change runs is fixed".to_owned(),
            None => format!("declare it under `kinds`, or take one of {}", list_of(&kinds, "and")),
        }));
    } else if let Some(facet) = &rule.facet {
        check_facet(facet, name, file, document, &below(pointer, "facet"), errors);
    }
    let risks = file.risk_names();
    for (index, risk) in rule.risks.iter().enumerate().filter(|(_, risk)| !risks.contains(&risk.as_str())) {
        let message = format!("`{}` is no risk of this project", risk.as_str().escape_debug());
        let hint = hint_for(risk.as_str(), &risks, "risks");
        errors.push(document.error(&below(&below(pointer, "risks"), index), message).with_hint(hint));
    }
}

/// A facet begins with a key of the manifest. Where a kind's schema names keys, it is one of them, unless others are allowed and
/// none is near.
fn check_facet(
    facet: &str,
    kind: &str,
    file: &ProjectFile,
    document: &Document,
    pointer: &str,
    errors: &mut Vec<Diagnostic>,
) {
    let first = facet.split(['.', '[', ':']).next().unwrap_or_default();
    let own = file.kinds.get(kind);
    let schema = match (own, PartKind::BUILT_IN.into_iter().find(|built_in| built_in.name() == kind)) {
        (Some(spec), _) => own_kind_schema(kind, spec),
        (None, Some(built_in)) => json_schema(FileKind::Manifest(built_in)).clone(),
        (None, None) => return,
    };
    let keys = schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(key, _)| key.as_str());
    let keys: Vec<&str> = keys.filter(|key| !matches!(*key, "id" | "kind")).collect();
    let is_closed =
        ["additionalProperties", "unevaluatedProperties"].iter().any(|key| schema.get(key) == Some(&json!(false)));
    let near = nearest(first, &keys);
    if first.is_empty() || !keys.contains(&first) && (is_closed || near.is_some()) {
        let error =
            document.error(pointer, format!("a manifest of kind {kind} has no facet `{}`", facet.escape_debug()));
        errors.push(error.with_hint(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its facets begin with {}", list_of(&keys, "or")),
        }));
    }
}

/// Kinds of which no rule says anything: a change of such a part runs every case, which is seldom wanted for long.
pub(super) fn without_rule(file: &ProjectFile, document: &Document) -> Vec<Diagnostic> {
    let bare = file.kinds.keys().filter(|name| !file.rules.iter().any(|rule| rule.kind == **name));
    bare.map(|name| {
        let message = format!("no rule says what a change of kind `{name}` puts at risk, so it runs every case");
        let warning = document.error_at(&below("/kinds", name), Half::Key, message);
        warning.with_hint(format!("under `rules`: {{kind: {name}, risks: [...]}}")).as_warning()
    })
    .collect()
}
