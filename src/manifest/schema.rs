//! The JSON Schema of every kind of file, generated from the types, and enforced: what an editor is told is what
//! the program demands.

mod explain;

use std::sync::OnceLock;

use jsonschema::Validator;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform as _};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::case_file::CaseFile;
use super::diagnostic::Diagnostic;
use super::part::{
    ConnectorManifest, ModelManifest, OwnManifest, PartKind, PermissionsManifest, PromptManifest, SourceManifest,
    ToolManifest,
};
use super::project_file::ProjectFile;
use super::yaml::Document;

/// The kinds of file that a project is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// `holdpoint.yaml`.
    Project,
    /// A case below `cases/`.
    Case,
    /// A manifest below `manifests/`, by its `kind`.
    Manifest(PartKind),
}

impl FileKind {
    /// Every kind that is built in.
    pub const ALL: [Self; 8] = [
        Self::Project,
        Self::Case,
        Self::Manifest(PartKind::Model),
        Self::Manifest(PartKind::Prompt),
        Self::Manifest(PartKind::Source),
        Self::Manifest(PartKind::Permissions),
        Self::Manifest(PartKind::Connector),
        Self::Manifest(PartKind::Tool),
    ];

    /// The name used on the command line: `project`, `case`, or the manifest's kind.
    pub fn name(&self) -> &str {
        match self {
            Self::Project => "project",
            Self::Case => "case",
            Self::Manifest(kind) => kind.name(),
        }
    }

    fn schema(self) -> &'static Schema {
        // The last one is that of all kinds of a project's own.
        const SCHEMAS_HELD: usize = FileKind::ALL.len() + 1;
        static SCHEMAS: [OnceLock<Schema>; SCHEMAS_HELD] = [const { OnceLock::new() }; SCHEMAS_HELD];
        let index = Self::ALL.iter().position(|kind| *kind == self).unwrap_or(Self::ALL.len());
        SCHEMAS[index].get_or_init(|| match self {
            Self::Project => Schema::of::<ProjectFile>("holdpoint project file"),
            Self::Case => Schema::of::<CaseFile>("holdpoint case"),
            Self::Manifest(PartKind::Model) => Schema::of::<ModelManifest>("holdpoint model manifest"),
            Self::Manifest(PartKind::Prompt) => Schema::of::<PromptManifest>("holdpoint prompt manifest"),
            Self::Manifest(PartKind::Source) => Schema::of::<SourceManifest>("holdpoint source manifest"),
            Self::Manifest(PartKind::Permissions) => {
                Schema::of::<PermissionsManifest>("holdpoint permissions manifest")
            }
            Self::Manifest(PartKind::Connector) => Schema::of::<ConnectorManifest>("holdpoint connector manifest"),
            Self::Manifest(PartKind::Tool) => Schema::of::<ToolManifest>("holdpoint tool manifest"),
            Self::Manifest(PartKind::Own(_)) => Schema::of::<OwnManifest>("holdpoint manifest of a kind of one's own"),
        })
    }
}

/// The JSON Schema (draft 2020-12) of a kind of file.
pub fn json_schema(kind: FileKind) -> &'static Value {
    &kind.schema().document
}

/// Holds a document against the schema of its kind and takes the raw value from it.
///
/// # Errors
/// One diagnostic for everything in the document that does not fit.
pub(super) fn read_raw<T: DeserializeOwned>(kind: FileKind, document: &Document) -> Result<T, Vec<Diagnostic>> {
    let schema = kind.schema();
    let validator = schema
        .validator
        .as_ref()
        .map_err(|reason| vec![document.error("", format!("the schema is broken: {reason}"))])?;
    read_with(&schema.document, validator, document)
}

/// The same with a schema that the project itself gives.
///
/// # Errors
/// One diagnostic for everything in the document that does not fit.
pub(super) fn read_with<T: DeserializeOwned>(
    schema: &Value,
    validator: &Validator,
    document: &Document,
) -> Result<T, Vec<Diagnostic>> {
    if !validator.is_valid(&document.json) {
        let explainer = explain::Explainer { schema, document };
        return Err(validator.iter_errors(&document.json).flat_map(|error| explainer.explain(&error)).collect());
    }
    T::deserialize(&document.json).map_err(|error| vec![document.error("", error.to_string())])
}

/// A schema as it is published, and the validator that enforces it.
struct Schema {
    document: Value,
    validator: Result<Validator, String>,
}

impl Schema {
    fn of<T: JsonSchema>(title: &str) -> Self {
        let settings = SchemaSettings::draft2020_12()
            .for_deserialize()
            .with_transform(RecursiveTransform(without_null))
            .with_transform(RecursiveTransform(bounded));
        let mut schema = settings.into_generator().into_root_schema_for::<T>();
        schema.insert("title".to_owned(), Value::from(title));
        let document = schema.clone().to_value();
        RecursiveTransform(whole).transform(&mut schema);
        let validator = jsonschema::options()
            .with_keyword(WHOLE, |_, _, _| Ok(Box::new(Whole)))
            .build(schema.as_value())
            .map_err(|error| error.to_string());
        Self { document, validator }
    }
}

/// A key that may be left out may not be empty instead: a key without a value is a mistake more often than not.
fn without_null(schema: &mut schemars::Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    let Some(Value::Array(branches)) = schema.get_mut("anyOf") else { return };
    branches.retain(|branch| *branch != json!({"type": "null"}));
    if let [Value::Object(only)] = branches.as_slice() {
        let only = only.clone();
        schema.remove("anyOf");
        for (key, value) in only {
            schema.insert(key, value);
        }
    }
}

/// Integers keep to the size of their type.
fn bounded(schema: &mut schemars::Schema) {
    let most = match schema.get("format").and_then(Value::as_str) {
        Some("uint16") => u64::from(u16::MAX),
        Some("uint32") => u64::from(u32::MAX),
        _ => return,
    };
    if schema.get("maximum").is_none() {
        schema.insert("maximum".to_owned(), most.into());
    }
}

const WHOLE: &str = "holdpoint:whole";

/// JSON Schema takes `1.0` for an integer (draft 2020-12, 4.2.3), serde does not. The validator says so with a place.
fn whole(schema: &mut schemars::Schema) {
    if schema.get("type").is_some_and(|name| name == "integer") {
        schema.insert(WHOLE.to_owned(), true.into());
    }
}

struct Whole;

impl jsonschema::Keyword<'_> for Whole {
    fn validate(&self, instance: &Value) -> Result<(), jsonschema::ValidationError<'static>> {
        if jsonschema::Keyword::is_valid(self, instance) {
            Ok(())
        } else {
            Err(jsonschema::ValidationError::custom("expected a whole number without a decimal point"))
        }
    }

    fn is_valid(&self, instance: &Value) -> bool {
        !instance.is_f64()
    }
}

/// The keys of the map that a schema describes, with their own schemas.
fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_file_has_its_own_schema_and_a_validator() {
        for kind in FileKind::ALL {
            let schema = kind.schema();
            assert_eq!(schema.validator.as_ref().err(), None, "{}", kind.name());
            assert!(jsonschema::meta::is_valid(&schema.document), "{}", kind.name());
            let title = schema.document["title"].as_str().unwrap();
            assert!(title.contains(kind.name()), "{title}");
            if let FileKind::Manifest(part) = kind {
                assert_eq!(schema.document["properties"]["kind"]["const"], part.name());
            }
        }
    }

    #[test]
    fn the_published_schema_allows_no_null_and_no_unknown_key_and_has_no_keyword_of_our_own() {
        fn look(value: &Value, at: &str) {
            match value {
                Value::Object(fields) => {
                    assert!(fields.get("type").is_none_or(|kind| *kind != "null"), "{at}");
                    assert!(!fields.contains_key(WHOLE), "{at}");
                    let closed = fields.get("properties").is_none_or(|_| fields["additionalProperties"] == false);
                    assert!(closed || at.ends_with("/properties"), "{at}");
                    fields.iter().for_each(|(key, value)| look(value, &format!("{at}/{key}")));
                }
                Value::Array(items) => items.iter().for_each(|item| look(item, at)),
                _ => {}
            }
        }
        for kind in FileKind::ALL {
            look(json_schema(kind), kind.name());
        }
    }

    #[test]
    fn every_key_is_described_for_whoever_edits_a_file() {
        fn look(value: &Value, at: &str, bare: &mut Vec<String>) {
            let Value::Object(fields) = value else { return };
            for (key, value) in fields {
                let at = format!("{at}/{key}");
                if key == "properties" {
                    let keys = value.as_object().into_iter().flatten();
                    bare.extend(
                        keys.filter(|(_, key)| key.get("description").is_none()).map(|(key, _)| format!("{at}/{key}")),
                    );
                }
                look(value, &at, bare);
            }
        }
        let mut bare = Vec::new();
        FileKind::ALL.into_iter().for_each(|kind| look(json_schema(kind), kind.name(), &mut bare));
        assert_eq!(bare, Vec::<String>::new());
    }
}
