//! Which call a new case's fault could fall on: one that the workflow is known to make, since a fault that nothing meets
//! makes an error of the trial.

use std::cmp::Reverse;

use serde_json::Value;

use crate::manifest::part::{Effect, Manifest, Part};
use crate::manifest::project_file::WorkflowSpec;

use super::text::Material;

/// An operation that leaves something behind, on whose way holdpoint stands.
pub(super) struct Faulty<'a> {
    /// The connector.
    pub(super) part: &'a Part,
    /// The operation.
    pub(super) operation: String,
    /// The connector's other operations of that kind, in the manifest's order.
    pub(super) others: Vec<String>,
}

/// What the cases of the workflow say of its calls.
struct Said {
    /// Their faults and expectations.
    asked: Vec<Value>,
    /// Their inputs, which in a practice workflow may name calls too.
    given: Vec<Value>,
}

/// Of the part itself where that is a connector, else of the workflow's first one: the operation that most of its cases fault
/// or expect, then the one that most of their inputs name, then the first in the manifest.
pub(super) fn faulty<'a>(material: &Material<'a>, spec: &WorkflowSpec) -> Option<Faulty<'a>> {
    let used = spec.parts.iter().filter_map(|id| material.input.parts.get(id));
    let own = std::iter::once(material.part).filter(|part| spec.parts.contains(&part.id));
    let said = said(material);
    own.chain(used).find_map(|part| {
        let mut operations = deliverable(material, spec, part);
        let rank = |operation: &&String| {
            let times = |all: &[Value]| {
                all.iter().filter(|value| names_call(value, part.id.as_str(), operation.as_str())).count()
            };
            Reverse((times(&said.asked), times(&said.given)))
        };
        // Of several with the same rank the first is taken.
        let operation = operations.iter().min_by_key(rank)?.clone();
        operations.retain(|other| *other != operation);
        Some(Faulty { part, operation, others: operations })
    })
}

fn said(material: &Material<'_>) -> Said {
    let mut said = Said { asked: Vec::new(), given: Vec::new() };
    for case in material.input.cases.values().filter(|case| case.workflow == *material.workflow) {
        let case = case.open();
        said.asked.push(serde_json::json!([case.faults, case.expect]));
        said.given.push(case.input);
    }
    said
}

/// The operations of a connector that leave something behind and that a fault can fall on, in the manifest's order.
fn deliverable(material: &Material<'_>, spec: &WorkflowSpec, part: &Part) -> Vec<String> {
    let Ok(Manifest::Connector(connector)) = part.manifest() else { return Vec::new() };
    let is_passed_on = material.input.file.connectors.contains_key(&part.id);
    let is_deliverable = |name: &&String| {
        connector.operations.get(*name).is_some_and(|operation| {
            operation.effect != Effect::None && (spec.practice.is_some() || is_passed_on && operation.wire.is_some())
        })
    };
    let written = part.document.get("operations").and_then(Value::as_object);
    written.into_iter().flat_map(|operations| operations.keys()).filter(is_deliverable).cloned().collect()
}

/// Whether what a case says names a call: as a fault does, as `connector/operation`, as the `call` of a record, or by an
/// operation that is called so on the wire.
fn names_call(value: &Value, connector: &str, operation: &str) -> bool {
    match value {
        Value::Object(fields) => {
            let text = |key: &str| fields.get(key).and_then(Value::as_str);
            let is_on_wire = |named: &str| named.strip_prefix(operation).is_some_and(|rest| rest.starts_with(':'));
            text("connector") == Some(connector) && text("operation") == Some(operation)
                || text("call") == Some(operation)
                || text("operation").is_some_and(is_on_wire)
                || fields.values().any(|field| names_call(field, connector, operation))
        }
        Value::Array(items) => items.iter().any(|item| names_call(item, connector, operation)),
        Value::String(text) => text.split_once('/') == Some((connector, operation)),
        _ => false,
    }
}
