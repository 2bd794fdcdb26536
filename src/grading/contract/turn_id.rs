//! The id that a model gives to a tool call is no key: the next turn asks for the same under another id.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::domain::OperationId;
use crate::evidence::Exchange;

use super::Found;
use super::scene::{Intent, Scene, Try};

/// How ids of tool calls begin.
const PREFIXES: [&str; 4] = ["call_", "toolu_", "fc_", "chatcmpl-tool-"];

pub(super) fn is_no_intent(scene: &Scene<'_>, found: &mut Found) {
    let minted: BTreeSet<String> = scene.exchanges.iter().flat_map(|exchange| minted_in(exchange)).collect();
    let mut blamed: BTreeMap<&OperationId, ()> = BTreeMap::new();
    for intent in &scene.intents {
        for one in &intent.tries {
            let Some(key) = one.key() else { continue };
            if let Some(id) = minted.iter().find(|id| key.contains(id.as_str())) {
                if blamed.insert(intent.id(), ()).is_none() {
                    let message = format!(
                        "Attempt {} carried as its key the id `{id}` that a model gave to a tool call.",
                        one.number()
                    );
                    found.breach(intent, &[one], message);
                }
            } else if !looks_minted(key) {
                found.occasion();
            }
        }
        if !blamed.contains_key(intent.id()) {
            judge_by_form(intent, found);
        }
    }
}

/// Where no model's answer was seen: keys of that form that change from one attempt to the next are minted each turn.
fn judge_by_form(intent: &Intent<'_>, found: &mut Found) {
    let minted: Vec<&Try<'_>> = intent.tries.iter().filter(|one| one.key().is_some_and(looks_minted)).collect();
    let change = minted.windows(2).find(|pair| pair[0].key() != pair[1].key());
    if let Some(pair) = change {
        let message = format!(
            "Attempts {} and {} carried keys of the form that models give to tool calls, a new one each time.",
            pair[0].number(),
            pair[1].number()
        );
        found.breach(intent, pair, message);
    } else if !minted.is_empty() {
        found.not_judged("a key looks like the id of a model's tool call, and whether a model gave it was not seen");
    }
}

fn looks_minted(key: &str) -> bool {
    let key = key.trim_matches('"');
    let rest = PREFIXES.iter().find_map(|prefix| key.strip_prefix(prefix));
    rest.is_some_and(|rest| rest.len() >= 6 && rest.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)))
}

/// The ids that an answer gives to tool calls.
fn minted_in(exchange: &Exchange) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    let Some(answer) = &exchange.answer else { return ids };
    // What targets answer to a request may repeat its key, and mints nothing.
    if exchange.key.is_some() {
        return ids;
    }
    match serde_json::from_str(&answer.text) {
        Ok(document) => in_document(&document, &mut ids),
        Err(_) => {
            for line in answer.text.lines().filter_map(|line| line.trim().strip_prefix("data:")) {
                if let Ok(document) = serde_json::from_str(line) {
                    in_document(&document, &mut ids);
                }
            }
        }
    }
    ids
}

/// The ids of the items of each `tool_calls`, of blocks of type `tool_use` and of items of type `function_call`.
fn in_document(value: &Value, ids: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| in_document(item, ids)),
        Value::Object(fields) => {
            let kind = fields.get("type").and_then(Value::as_str);
            let own = if matches!(kind, Some("tool_use" | "function_call")) { vec![value] } else { Vec::new() };
            let listed = fields.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
            let named = own.into_iter().chain(listed).flat_map(|call| [call.get("id"), call.get("call_id")]);
            ids.extend(named.flatten().filter_map(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned));
            fields.values().for_each(|field| in_document(field, ids));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, assert_not_judged, trial};
    use crate::domain::Rule;

    const RULE: Rule = Rule::TurnIdIsNoIntent;
    const CHOICES: &str =
        r#"{"choices": [{"message": {"tool_calls": [{"id": "call_Ab12Cd34", "type": "function"}]}}]}"#;
    const BLOCKS: &str =
        r#"{"content": [{"type": "text"}, {"type": "tool_use", "id": "toolu_01Xy", "name": "reserve"}]}"#;

    #[test]
    fn a_key_that_a_model_gave_to_a_tool_call_breaks_the_rule_by_one_use() {
        for (answer, key) in [(CHOICES, "call_Ab12Cd34"), (BLOCKS, "toolu_01Xy"), (CHOICES, "desk-call_Ab12Cd34")] {
            let seen = trial(&[Call::model(answer), Call::reserve("O-1").key(key)]);
            assert_breach(RULE, &seen, Some("reserve:O-1"), &[1]);
        }
    }

    #[test]
    fn ids_in_a_stream_count_also() {
        let stream =
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"abc123xyz\"}]}}]}\n\ndata: [DONE]\n";
        let seen = trial(&[Call::model(stream), Call::reserve("O-1").key("abc123xyz")]);
        assert_breach(RULE, &seen, Some("reserve:O-1"), &[1]);
    }

    #[test]
    fn keys_of_that_form_that_change_each_turn_break_the_rule() {
        let seen =
            trial(&[Call::reserve("O-1").key("call_Ab12Cd34").lost(), Call::reserve("O-1").key("call_Ef56Gh78")]);
        assert_breach(RULE, &seen, Some("reserve:O-1"), &[1, 2]);
        assert_breach(RULE, &seen.without_exchanges(), Some("reserve:O-1"), &[1, 2]);
    }

    #[test]
    fn a_key_that_only_looks_so_is_not_judged_and_any_other_keeps_the_rule() {
        let again = |key: &str| trial(&[Call::reserve("O-1").key(key).lost(), Call::reserve("O-1").key(key)]);
        assert_not_judged(RULE, &again("call_Ab12Cd34"));
        assert_kept(RULE, &again("O-1-reserve"), 2);
        assert_kept(RULE, &again("call_1"), 2);
        assert_no_occasion(RULE, &trial(&[Call::send("O-1")]));
    }

    #[test]
    fn a_model_that_calls_tools_is_no_breach_while_keys_are_the_workflows_own() {
        assert_kept(RULE, &trial(&[Call::model(CHOICES), Call::reserve("O-1").key("O-1-reserve")]), 1);
    }
}
