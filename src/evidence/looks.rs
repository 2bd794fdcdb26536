//! From what probes read to what each look shows of one operation. Pure.

use serde_json::{Map, Value};

use crate::domain::OperationId;
use crate::manifest::Probe;

use super::attempts::{json_body, plain};
use super::exchange::Exchange;
use super::observation::{AttemptSeen, LookHad, Reading};
use super::outcome::{EffectSeen, Look, LookState};
use super::wire::is_by_content;

/// A probe whose effects name the operation that made them, with what it read and how that look was had.
#[derive(Clone, Copy, Debug)]
pub struct ProbedTarget<'a> {
    /// The probe's name.
    pub name: &'a str,
    /// The field of an effect that holds the operation's identity.
    pub column: &'a str,
    /// The probe.
    pub probe: &'a Probe,
    /// What it read.
    pub reading: &'a Reading,
    /// How the look was had.
    pub had: &'a LookHad,
}

/// What was seen of an operation on its way to the target.
#[derive(Clone, Copy, Debug, Default)]
pub struct SeenOnTheWay<'a> {
    /// Its attempts, in order.
    pub attempts: &'a [AttemptSeen],
    /// All calls of the trial.
    pub exchanges: &'a [Exchange],
}

impl<'a> ProbedTarget<'a> {
    /// A probe with its reading; `None` where its effects name no operation, and so are evidence for none.
    pub fn new(name: &'a str, probe: &'a Probe, reading: &'a Reading, had: &'a LookHad) -> Option<Self> {
        Some(Self { name, column: probe.operation.as_deref()?, probe, reading, had })
    }

    /// The operations that made the effects which it read.
    pub fn operations(&self) -> impl Iterator<Item = OperationId> {
        self.effects().iter().filter_map(|effect| self.operation(effect))
    }

    fn effects(&self) -> &'a [Map<String, Value>] {
        match self.reading {
            Reading::Effects(effects) => effects,
            Reading::Unreadable(_) => &[],
        }
    }

    /// The connector and the operation of it that the probe is limited to.
    fn of(&self) -> Option<(&'a str, &'a str)> {
        self.probe.of.as_deref()?.split_once('/')
    }

    /// The operation that made an effect.
    fn operation(&self, effect: &Map<String, Value>) -> Option<OperationId> {
        let identity = plain(effect.get(self.column)?)?;
        Some(match self.of() {
            Some((_, operation)) => OperationId::new(format!("{operation}:{identity}")),
            None => OperationId::new(identity),
        })
    }

    /// Whether it can show anything of an operation. A probe of one connector's operation says nothing of any other; a
    /// probe of none says nothing of an operation that was seen on its way, whose identity is one among those of the
    /// connector's operation.
    fn is_about(&self, operation: &OperationId, seen: &SeenOnTheWay<'_>) -> bool {
        let mut calls = seen.attempts.iter().filter(|attempt| attempt.exchange.is_some());
        match self.of() {
            None => calls.next().is_none(),
            Some((connector, named)) => {
                let has_its_form = operation.as_str().strip_prefix(named).is_some_and(|rest| rest.starts_with(':'));
                let is_its_call = |attempt: &AttemptSeen| {
                    attempt
                        .call
                        .as_ref()
                        .is_some_and(|call| call.connector.as_str() == connector && call.operation == named)
                };
                has_its_form && calls.all(is_its_call) && !self.cannot_know(operation)
            }
        }
    }

    /// Whether the operation's identity is but the content of its request, which no target keeps: that none of the effects
    /// names it shows nothing.
    fn cannot_know(&self, operation: &OperationId) -> bool {
        is_by_content(operation) && !self.operations().any(|shown| shown == *operation)
    }

    /// What it shows of one operation; `None` where it is about others. An effect that names no operation could be
    /// anyone's: the look then tells nothing.
    pub fn look(&self, operation: &OperationId, seen: &SeenOnTheWay<'_>) -> Option<Look> {
        if !self.is_about(operation, seen) {
            return None;
        }
        if let Reading::Unreadable(reason) = self.reading {
            return Some(Look::unreadable(self.name, reason));
        }
        let owners: Option<Vec<OperationId>> = self.effects().iter().map(|effect| self.operation(effect)).collect();
        let Some(owners) = owners else {
            let reason = format!("an effect names no operation in the field `{}`", self.column);
            return Some(Look::unreadable(self.name, reason));
        };
        let intended = seen.first_request();
        let own = owners.iter().zip(self.effects()).filter(|(owner, _)| *owner == operation);
        let own: Vec<&Map<String, Value>> = own.map(|(_, effect)| effect).collect();
        // Several effects are too many whatever they hold.
        if let ([effect], Some(field)) = (own.as_slice(), &self.probe.receipt)
            && !effect.contains_key(field)
        {
            let reason = format!("an effect lacks the field `{field}`, which the probe names as its receipt");
            return Some(Look::unreadable(self.name, reason));
        }
        let effects: Vec<EffectSeen> = own
            .into_iter()
            .map(|effect| EffectSeen {
                receipt: self.probe.receipt.as_ref().and_then(|field| plain(effect.get(field)?)),
                parameters_match: self.parameters_match(effect, intended.as_ref()),
            })
            .collect();
        // What the project says must be the same and could not be compared is not known to be the same. Several effects
        // are too many whatever they hold.
        if let [EffectSeen { parameters_match: None, .. }] = effects.as_slice()
            && !self.probe.parameters.is_empty()
        {
            let reason = "what the effect holds could not be compared with what the first attempt asked for: the effect \
                          lacks a field, or the request was not seen, was not recorded whole or is no JSON";
            return Some(Look::unreadable(self.name, reason));
        }
        let LookHad { settled, authoritative, .. } = *self.had;
        let state = LookState::Read { settled, authoritative };
        Some(Look { probe: self.name.to_owned(), state, effects })
    }

    /// Whether an effect is what was asked for. One parameter that differs is enough to say no; to say yes, the effect
    /// and the request must show all of them.
    fn parameters_match(&self, effect: &Map<String, Value>, request: Option<&Value>) -> Option<bool> {
        let parameters = &self.probe.parameters;
        let same =
            parameters.iter().map(|(field, pointer)| Some(is_same(effect.get(field)?, request?.pointer(pointer)?)));
        let same: Vec<Option<bool>> = same.collect();
        if same.contains(&Some(false)) {
            return Some(false);
        }
        (!same.is_empty() && same.iter().all(Option::is_some)).then_some(true)
    }
}

impl SeenOnTheWay<'_> {
    /// The body of the first attempt's request, where it was recorded whole and is JSON.
    fn first_request(&self) -> Option<Value> {
        let number = self.attempts.first()?.exchange?;
        json_body(&self.exchanges.iter().find(|exchange| exchange.number == number)?.request)
    }
}

/// Whether two values say the same, though a target may keep a number as a text, and a truth value as 0 or 1.
fn is_same(kept: &Value, asked: &Value) -> bool {
    match (kept, asked) {
        (Value::Number(one), Value::Number(other)) => {
            let both = (one.as_f64(), other.as_f64());
            one == other || (!(one.is_i64() && other.is_i64()) && both.0 == both.1)
        }
        (Value::Number(number), Value::String(text)) | (Value::String(text), Value::Number(number)) => {
            *text == number.to_string()
        }
        (Value::Number(number), Value::Bool(flag)) | (Value::Bool(flag), Value::Number(number)) => {
            number.as_i64() == Some(i64::from(*flag))
        }
        (Value::Array(kept), Value::Array(asked)) => {
            kept.len() == asked.len() && kept.iter().zip(asked).all(|(kept, asked)| is_same(kept, asked))
        }
        (Value::Object(kept), Value::Object(asked)) => {
            let same = |(name, asked): (&String, &Value)| kept.get(name).is_some_and(|kept| is_same(kept, asked));
            kept.len() == asked.len() && asked.iter().all(same)
        }
        _ => kept == asked,
    }
}

#[cfg(test)]
mod tests;
