//! The JSON Schemas of what scripts read: made from the types that are written, so that they cannot say anything else.
//!
//! They allow fields that they do not name: within a version, fields are added.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::exercise::{EXERCISE_SCHEMA, ExerciseTable};

use super::cases_document::{CASES_SCHEMA, CasesDocument};
use super::compare_document::{COMPARE_SCHEMA, CompareDocument};
use super::document::{REPORT_SCHEMA, ReportDocument};
use super::plan_document::{PLAN_SCHEMA, PlanDocument};

/// The JSON Schema (draft 2020-12) of `report.json`.
pub fn report_schema() -> Value {
    document_schema::<ReportDocument>(REPORT_SCHEMA)
}

/// The JSON Schema (draft 2020-12) of `plan --json`.
pub fn plan_schema() -> Value {
    document_schema::<PlanDocument>(PLAN_SCHEMA)
}

/// The JSON Schema (draft 2020-12) of `compare --json`.
pub fn compare_schema() -> Value {
    document_schema::<CompareDocument>(COMPARE_SCHEMA)
}

/// The JSON Schema (draft 2020-12) of `case list --json`.
pub fn cases_schema() -> Value {
    document_schema::<CasesDocument>(CASES_SCHEMA)
}

/// The JSON Schema (draft 2020-12) of `exercise.json`.
pub fn exercise_schema() -> Value {
    document_schema::<ExerciseTable>(EXERCISE_SCHEMA)
}

/// The JSON Schema (draft 2020-12) of a document as it is written, whose `schema` field, where it has one, says this name.
pub fn document_schema<T: JsonSchema>(name: &str) -> Value {
    let mut schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), name.into());
    let mut schema = schema.to_value();
    // The one field that says which version a document is of.
    if let Some(field) = schema.pointer_mut("/properties/schema").and_then(Value::as_object_mut) {
        field.insert("const".to_owned(), name.into());
    }
    schema
}
