//! The calls that a clean run made.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::{OperationId, PartId};
use crate::evidence::Observation;
use crate::manifest::{Effect, Manifest, Part};

/// A call of the clean run, at which faults can be laid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LearnedCall {
    /// The connector.
    pub connector: PartId,
    /// The operation, as the connector's manifest names it.
    pub operation: String,
    /// The how-many-eth call of that operation it is, from 1.
    pub occurrence: u32,
    /// What it leaves behind.
    pub effect: Effect,
    /// What it is an attempt at.
    pub intention: Option<OperationId>,
    /// Where its answer holds a text, as a JSON pointer; `None` where it holds none.
    pub text_pointer: Option<String>,
}

/// What a clean run teaches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// Its calls, in order.
    pub calls: Vec<LearnedCall>,
    /// Calls that only ask and that no operation of a manifest describes, as `connector: METHOD path`.
    pub unknown: BTreeSet<String>,
    /// The same of calls that may leave something behind.
    pub unknown_writes: BTreeSet<String>,
}

/// Learns the calls of a clean run's first step.
pub fn learn(observation: &Observation, parts: &BTreeMap<PartId, Part>) -> Learned {
    let mut learned = Learned::default();
    let mut seen: BTreeMap<(PartId, String), u32> = BTreeMap::new();
    for exchange in observation.exchanges.iter().filter(|exchange| exchange.step == 1) {
        let path = exchange.target.split('?').next().unwrap_or_default();
        let Some(operation) = &exchange.operation else {
            let calls = if exchange.is_safe() { &mut learned.unknown } else { &mut learned.unknown_writes };
            calls.insert(format!("{}: {} {path}", exchange.connector, exchange.method));
            continue;
        };
        let Some(effect) = effect_of(parts, &exchange.connector, operation) else { continue };
        let occurrence = seen.entry((exchange.connector.clone(), operation.clone())).or_default();
        *occurrence += 1;
        let answer = exchange.answer.as_ref().filter(|answer| !answer.is_cut);
        let body = answer.and_then(|answer| serde_json::from_str(&answer.text).ok());
        learned.calls.push(LearnedCall {
            connector: exchange.connector.clone(),
            operation: operation.clone(),
            occurrence: *occurrence,
            effect,
            intention: exchange.intention.clone(),
            text_pointer: body.as_ref().and_then(|body| first_text(body, String::new())),
        });
    }
    learned
}

/// What an operation of a connector leaves behind, as its manifest says.
pub(super) fn effect_of(parts: &BTreeMap<PartId, Part>, connector: &PartId, operation: &str) -> Option<Effect> {
    match parts.get(connector)?.manifest() {
        Ok(Manifest::Connector(manifest)) => Some(manifest.operations.get(operation)?.effect),
        _ => None,
    }
}

/// The JSON pointer to the first text of a value, in the order of the document.
fn first_text(value: &Value, pointer: String) -> Option<String> {
    match value {
        Value::String(_) => Some(pointer),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, item)| first_text(item, format!("{pointer}/{index}")))
        }
        Value::Object(fields) => fields.iter().find_map(|(name, field)| {
            first_text(field, format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")))
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_text_is_found_at_any_depth_and_its_pointer_is_escaped() {
        let found = |value: Value| first_text(&value, String::new());
        assert_eq!(found(json!("x")), Some(String::new()));
        assert_eq!(found(json!({"n": 1, "a/b": [2, {"~": "x"}]})), Some("/a~1b/1/~0".to_owned()));
        assert_eq!(found(json!({"n": [1, true, null]})), None);
    }
}
