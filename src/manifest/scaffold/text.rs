//! The text of a case that is begun: YAML, with its examples as comments.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::domain::{CaseId, Risk, WorkflowId};
use crate::manifest::case::{Case, HeldCase};
use crate::manifest::part::{Part, PartKind};
use crate::manifest::yaml_text::{quoted, schema_line, word};

use super::super::load::placeholder;
use super::ScaffoldInput;
use super::examples::{self, Ground};

/// How the line begins that still asserts nothing.
pub(super) const EXPECT: &str = "expect: []";

/// What leads from the folder of a case set to the project's.
const IN_A_SET: &str = "../..";

/// All that the text is made of.
pub(super) struct Material<'a> {
    /// The project.
    pub(super) input: &'a ScaffoldInput<'a>,
    /// The part that the case is for.
    pub(super) part: &'a Part,
    /// The risk that it is to show.
    pub(super) risk: &'a Risk,
    /// The workflow that it runs against.
    pub(super) workflow: &'a WorkflowId,
    /// Its id.
    pub(super) id: &'a CaseId,
}

/// The file's text.
pub(super) fn text(material: &Material<'_>) -> String {
    let Material { part, risk, workflow, id, .. } = material;
    let mut lines = vec![
        schema_line(IN_A_SET, "case"),
        format!("# Begun for {risk} of the {} {}: a change of it is to show here.", part.kind, part.id),
        format!("id: {}", word(id.as_str())),
        "# One sentence that says what holds when the case passes.".to_owned(),
        format!("title: {}", quoted(&format!("What holds for {risk} when {} changes", part.id))),
        format!("workflow: {}", word(workflow.as_str())),
    ];
    if part.kind == PartKind::Source {
        lines.push(format!("sources: [{}]", word(part.id.as_str())));
    }
    let model = model_case(material.input.cases, workflow, risk);
    input(model.as_ref(), &mut lines);
    let ground = Ground::of(material, model.as_ref());
    lines.extend(examples::fault(&ground));
    lines.push(
        "# What must hold. Take `[]` away, and the `#` from each line that fits, with words of this case in it."
            .to_owned(),
    );
    lines.push(EXPECT.to_owned());
    lines.extend(examples::expectations(&ground));
    lines.join("\n") + "\n"
}

/// The case whose input shows what the workflow takes: of the same set where that has any, and with the keys that
/// most of the workflow's cases have.
pub(super) fn model_case(cases: &BTreeMap<CaseId, HeldCase>, workflow: &WorkflowId, risk: &Risk) -> Option<Case> {
    let own = cases.values().filter(|case| case.workflow == *workflow);
    let own: Vec<(&HeldCase, Option<Vec<String>>)> = own.map(|case| (case, keys(&case.open().input))).collect();
    let mut alike: BTreeMap<&Option<Vec<String>>, usize> = BTreeMap::new();
    for (_, keys) in &own {
        *alike.entry(keys).or_default() += 1;
    }
    let rank = |(case, keys): &&(&HeldCase, Option<Vec<String>>)| {
        let usual = alike.get(keys).copied().unwrap_or_default();
        (keys.is_none(), case.set != *risk, Reverse(usual))
    };
    own.iter().min_by_key(rank).map(|(case, _)| case.open())
}

/// The keys of an input that is a map, sorted.
fn keys(input: &Value) -> Option<Vec<String>> {
    let mut keys: Vec<String> = input.as_object()?.keys().cloned().collect();
    keys.sort_unstable();
    Some(keys)
}

pub(super) fn input(model: Option<&Case>, lines: &mut Vec<String>) {
    let Some(model) = model else {
        lines.push("# What the workflow gets: any data. No other case shows what it takes.".to_owned());
        return lines.push("input: {}".to_owned());
    };
    lines.push(format!("# What the workflow gets; the keys are those of the case {}.", model.id));
    match shape(&model.input, "input") {
        Value::Object(fields) if !fields.is_empty() => {
            lines.push("input:".to_owned());
            lines.extend(fields.iter().map(|(key, value)| format!("  {}: {}", word(key), flow(value))));
        }
        other => lines.push(format!("input: {}", flow(&other))),
    }
}

/// The same keys with nothing of the values: a text becomes the name of its key, a list its first item's shape.
fn shape(value: &Value, key: &str) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => Value::Bool(false),
        Value::Number(_) => Value::from(0),
        Value::String(_) => Value::String(placeholder(key)),
        Value::Array(items) => items.first().map(|item| shape(item, key)).into_iter().collect(),
        Value::Object(fields) => {
            let fields: Map<String, Value> =
                fields.iter().map(|(key, value)| (key.clone(), shape(value, key))).collect();
            Value::Object(fields)
        }
    }
}

/// What stands for the identity of an operation that is called so on the wire.
pub(super) fn placeholder_of(operation: &str) -> String {
    format!("{operation}:<its identity>")
}

/// A value on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{}: {}", word(key), flow(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        plain => plain.to_string(),
    }
}
