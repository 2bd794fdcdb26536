//! Making the mutants of a trial: what is damaged, in which order, and how.

use serde_json::{Map, Value};

use crate::domain::{CaseId, Claim, Digest, OperationId, Outcome};
use crate::evidence::{Answer, Exchange, Observation, Reading};
use crate::manifest::{Case, EffectCount, Grader};

use super::{Mutation, answers, calls};

/// Leaves of one request, or of one answer, that are altered at the most.
pub(super) const LEAVES: usize = 40;

/// How to make a mutant of an observation.
pub(super) struct Damage(Mutation, Option<Made>);

/// What was made up for a mutant.
enum Made {
    Row(Map<String, Value>),
    Answer(Answer),
}

/// Every mutant, the most telling kinds first, each kind in the order of what was observed. `others` are answers of other
/// cases to put in the place of this one's.
pub(super) fn mutants(
    case: &Case,
    observation: &Observation,
    others: &[(&CaseId, &Answer)],
) -> Vec<(Mutation, Damage)> {
    let plain = outcomes(observation)
        .chain(claims(observation))
        .chain(rows(observation, |probe, row| Mutation::DropEffect { probe, row }))
        .chain(rows(observation, |probe, row| Mutation::CopyEffect { probe, row }));
    let mut all: Vec<(Mutation, Damage)> = plain.map(|mutation| (mutation.clone(), Damage(mutation, None))).collect();
    all.extend(added(case, observation));
    let answered =
        |(mutation, answer): (Mutation, Option<Answer>)| (mutation.clone(), Damage(mutation, answer.map(Made::Answer)));
    all.extend(answers::whole(case, observation, others).into_iter().map(answered));
    let calls =
        calls::dropped(observation).chain(calls::advanced(observation)).chain(calls::repeated(case, observation));
    let rest = calls.chain(fields(observation)).chain(exchanges(observation)).chain(arguments(observation));
    all.extend(rest.map(|mutation| (mutation.clone(), Damage(mutation, None))));
    all.extend(answers::places(observation).into_iter().map(answered));
    all
}

fn outcomes(observation: &Observation) -> impl Iterator<Item = Mutation> + '_ {
    observation.operations.iter().flat_map(|seen| {
        let others: &[Outcome] = match seen.outcome {
            Outcome::Committed | Outcome::Replayed => &[Outcome::NotCommitted, Outcome::Duplicated],
            _ => &[Outcome::Committed],
        };
        others.iter().map(|to| Mutation::FlipOutcome { operation: seen.operation.clone(), to: *to })
    })
}

fn claims(observation: &Observation) -> impl Iterator<Item = Mutation> + '_ {
    let mut claimed: Vec<&OperationId> = Vec::new();
    for made in observation.steps.iter().filter_map(|step| step.answer.as_ref()).flat_map(|answer| &answer.claims) {
        if !claimed.contains(&&made.operation) {
            claimed.push(&made.operation);
        }
    }
    claimed.into_iter().filter_map(|operation| {
        let to = match observation.last_claim(operation)? {
            Claim::Completed => Claim::Failed,
            Claim::Rejected | Claim::Failed | Claim::Unknown | Claim::Held => Claim::Completed,
        };
        Some(Mutation::FlipClaim { operation: operation.clone(), to })
    })
}

fn effects(observation: &Observation) -> impl Iterator<Item = (&String, &Vec<Map<String, Value>>)> {
    observation.readings.iter().filter_map(|(probe, reading)| match reading {
        Reading::Effects(rows) => Some((probe, rows)),
        Reading::Unreadable(_) => None,
    })
}

fn rows<'o>(
    observation: &'o Observation,
    make: impl Fn(String, usize) -> Mutation + Copy + 'o,
) -> impl Iterator<Item = Mutation> + 'o {
    effects(observation).flat_map(move |(probe, rows)| (0..rows.len()).map(move |row| make(probe.clone(), row)))
}

fn fields(observation: &Observation) -> impl Iterator<Item = Mutation> + '_ {
    effects(observation).flat_map(|(probe, rows)| {
        rows.iter().enumerate().flat_map(move |(row, fields)| {
            fields.keys().map(move |field| Mutation::AlterField { probe: probe.clone(), row, field: field.clone() })
        })
    })
}

/// For every expectation that bounds a count from above: one effect that it counts, made of what is there.
fn added<'c>(case: &'c Case, observation: &'c Observation) -> impl Iterator<Item = (Mutation, Damage)> + 'c {
    case.expect.iter().enumerate().filter_map(|(expectation, raw)| {
        let (Grader::Effects(count), false) = raw.grader()? else { return None };
        if count.count.is_none() && count.at_most.is_none() {
            return None;
        }
        let Reading::Effects(rows) = observation.readings.get(&count.probe)? else { return None };
        let mutation = Mutation::AddEffect { probe: count.probe.clone(), expectation };
        Some((mutation.clone(), Damage(mutation, Some(Made::Row(counted_row(&count, rows))))))
    })
}

fn counted_row(count: &EffectCount, rows: &[Map<String, Value>]) -> Map<String, Value> {
    let mut row = rows.first().cloned().unwrap_or_default();
    let wanted = count.r#where.iter().chain(&count.fields);
    row.extend(wanted.map(|(field, value)| (field.clone(), value.clone())));
    row
}

fn exchanges(observation: &Observation) -> impl Iterator<Item = Mutation> + '_ {
    observation.exchanges.iter().map(|exchange| Mutation::DropExchange { exchange: exchange.number })
}

fn arguments(observation: &Observation) -> impl Iterator<Item = Mutation> + '_ {
    observation.exchanges.iter().flat_map(|exchange| {
        let mut pointers = Vec::new();
        if let Some(body) = body_of(exchange) {
            leaves(&body, String::new(), &mut pointers);
        }
        pointers.truncate(LEAVES);
        pointers.into_iter().map(|pointer| Mutation::AlterArgument { exchange: exchange.number, pointer })
    })
}

/// The body of a request that arrived as a whole and is JSON.
fn body_of(exchange: &Exchange) -> Option<Value> {
    let is_whole = exchange.request.digest.is_some() && !exchange.request.is_cut;
    is_whole.then(|| serde_json::from_str(&exchange.request.text).ok()).flatten()
}

/// The places of all values that hold no others.
pub(super) fn leaves(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                leaves(field, format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                leaves(item, format!("{pointer}/{index}"), found);
            }
        }
        _ => found.push(pointer),
    }
}

impl Damage {
    /// The observation of a trial of `case` with the damage done.
    pub(super) fn apply(self, case: &Case, observation: &Observation) -> Observation {
        let mut mutant = observation.clone();
        match self.0 {
            Mutation::FlipOutcome { operation, to } => flip_outcome(&mut mutant, &operation, to),
            Mutation::FlipClaim { operation, to } => flip_claim(&mut mutant, &operation, to),
            Mutation::DropEffect { probe, row } => in_rows(&mut mutant, &probe, |rows| {
                rows.remove(row);
            }),
            Mutation::CopyEffect { probe, row } => in_rows(&mut mutant, &probe, |rows| rows.push(rows[row].clone())),
            Mutation::AddEffect { probe, .. } => in_rows(&mut mutant, &probe, |rows| {
                if let Some(Made::Row(row)) = self.1 {
                    rows.push(row);
                }
            }),
            Mutation::AlterField { probe, row, field } => in_rows(&mut mutant, &probe, |rows| {
                if let Some(value) = rows[row].get_mut(&field) {
                    alter(value);
                }
            }),
            Mutation::DropExchange { exchange } => drop_exchange(&mut mutant, exchange),
            Mutation::DropCalls { call } => calls::drop_all(&mut mutant, &call),
            Mutation::AdvanceCalls { call, before } => calls::advance(&mut mutant, &call, &before),
            Mutation::RepeatAttempts { expectation } => calls::repeat(&mut mutant, case, expectation),
            Mutation::AlterArgument { exchange, pointer } => alter_argument(&mut mutant, exchange, &pointer),
            Mutation::AlterStatus { .. } => answers::alter_status(&mut mutant),
            Mutation::Delay { expectation } => answers::delay(&mut mutant, case, expectation),
            Mutation::EmptyAnswer
            | Mutation::ReplaceAnswer
            | Mutation::SwapAnswer { .. }
            | Mutation::CutAnswer
            | Mutation::LengthenAnswer { .. }
            | Mutation::AlterNumber { .. }
            | Mutation::NegateAnswer
            | Mutation::DropAnswerField { .. }
            | Mutation::AlterAnswerField { .. } => {
                if let Some(Made::Answer(answer)) = self.1 {
                    answers::replace(&mut mutant, answer);
                }
            }
        }
        mutant
    }
}

fn in_rows(mutant: &mut Observation, probe: &str, change: impl FnOnce(&mut Vec<Map<String, Value>>)) {
    if let Some(Reading::Effects(rows)) = mutant.readings.get_mut(probe) {
        change(rows);
    }
}

fn flip_outcome(mutant: &mut Observation, operation: &OperationId, to: Outcome) {
    for seen in mutant.operations.iter_mut().filter(|seen| seen.operation == *operation) {
        seen.outcome = to;
        seen.effects = match to {
            Outcome::Duplicated => 2,
            Outcome::Committed => 1,
            _ => 0,
        };
    }
}

/// The last answer that claims something of the operation claims something else, in its JSON form too.
fn flip_claim(mutant: &mut Observation, operation: &OperationId, to: Claim) {
    let answers = mutant.steps.iter_mut().rev().filter_map(|step| step.answer.as_mut());
    let mut claiming = answers.filter(|answer| answer.claims.iter().any(|made| made.operation == *operation));
    let Some(answer) = claiming.next() else { return };
    answer.claims.iter_mut().filter(|made| made.operation == *operation).for_each(|made| made.claim = to);
    let Answer { json, output, .. } = answer;
    let is_whole = json.as_ref() == Some(output);
    let listed = json.as_mut().and_then(|json| json.get_mut("claims")).and_then(Value::as_array_mut);
    for made in listed.into_iter().flatten() {
        if made.get("operation").and_then(Value::as_str) == Some(operation.as_str()) {
            made["claim"] = Value::from(to.to_string());
        }
    }
    if let (true, Some(json)) = (is_whole, json) {
        output.clone_from(json);
    }
}

/// The call was never made, so that the attempt is none either.
pub(super) fn drop_exchange(mutant: &mut Observation, number: u32) {
    mutant.exchanges.retain(|exchange| exchange.number != number);
    for seen in &mut mutant.operations {
        seen.attempts.retain(|attempt| attempt.exchange != Some(number));
    }
}

fn alter_argument(mutant: &mut Observation, number: u32, pointer: &str) {
    for exchange in mutant.exchanges.iter_mut().filter(|exchange| exchange.number == number) {
        let Some(mut body) = body_of(exchange) else { continue };
        if let Some(value) = body.pointer_mut(pointer) {
            alter(value);
        }
        let text = body.to_string();
        exchange.request.digest = Some(Digest::of(text.as_bytes()));
        exchange.request.bytes = text.len() as u64;
        exchange.request.text = text;
    }
}

/// Another value of the same type, as near as can be.
pub(super) fn alter(value: &mut Value) {
    *value = match value.take() {
        Value::Bool(flag) => Value::Bool(!flag),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::from(whole.checked_add(1).unwrap_or(0)),
            (None, Some(number)) => Value::from(if number.abs() < 1e15 { number + 1.0 } else { 0.0 }),
            (None, None) => Value::from(0),
        },
        Value::String(text) => Value::from(format!("{text}~")),
        Value::Null => Value::from("~"),
        Value::Array(_) | Value::Object(_) => Value::Null,
    };
}
