//! What was seen, as lines that become expectations when their `#` is taken away. What went wrong is turned: no line asks for it
//! again.

use serde_json::{Value, json};

use crate::domain::{Claim, ClaimCheck, OperationId, Outcome, TrialStatus};
use crate::evidence::{Answer, Reading};
use crate::grading::GradedTrial;
use crate::manifest::conceal_json;

use super::{TrialGround, pruned};

/// So many fields of a JSON answer are offered.
const FIELDS: usize = 8;

/// The longest answer that is offered as a whole, in characters.
const WHOLE: usize = 200;

/// One line below `expect`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    /// An expectation, with why it stands here.
    Expectation {
        /// The expectation.
        expectation: Value,
        /// Why.
        remark: String,
    },
    /// Something that was seen and is no expectation.
    Remark(String),
}

impl Line {
    fn new(expectation: Value, remark: impl Into<String>) -> Self {
        Self::Expectation { expectation, remark: remark.into() }
    }
}

pub(super) fn lines_of_trial(ground: &TrialGround<'_>) -> Vec<Line> {
    let trial = ground.trial;
    let is_right = trial.status == TrialStatus::Passed;
    let holds_secret = holds_secret(trial);
    // A sentence quotes a piece of what was seen, and a piece of a secret looks like nothing.
    let words = |message: &str| if holds_secret { LEFT_OUT.to_owned() } else { message.to_owned() };
    let mut lines = Vec::new();
    for (expectation, grade) in ground.expect.iter().zip(&trial.grades) {
        let stood = match grade.pass {
            Some(true) => "The case expects it, and it held.".to_owned(),
            Some(false) => format!("The case expects it, and it fell: {}", words(&grade.message)),
            None => format!("The case expects it, and it came to no judgement: {}", words(&grade.message)),
        };
        lines.push(Line::new(expectation.clone(), stood));
    }
    if let Some(error) = &trial.observation.error {
        lines.push(Line::Remark(format!("The trial came to no answer: {}", words(&error.message))));
    }
    for operation in &trial.observation.operations {
        let claim = trial.observation.last_claim(&operation.operation);
        let check = trial.claim_checks.get(&operation.operation).copied();
        lines.extend(lines_of_operation(&operation.operation, operation.outcome, claim, check));
    }
    for (probe, reading) in &trial.observation.readings {
        match reading {
            Reading::Effects(rows) if is_right => {
                let expectation = json!({"effects": {"probe": probe, "count": rows.len()}});
                lines.push(Line::new(expectation, "Seen, in all."));
            }
            Reading::Effects(rows) => {
                let seen = format!("The probe {probe} shows {}; how many must there be?", rows.len());
                lines.push(Line::Remark(seen));
            }
            Reading::Unreadable(why) => lines.push(Line::Remark(format!("The probe {probe} could not be read: {why}"))),
        }
    }
    lines.extend(trial.observation.last_answer().into_iter().flat_map(|answer| lines_of_answer(answer, is_right)));
    without_repeats(lines)
}

/// Stands for a sentence that may quote a piece of a secret.
const LEFT_OUT: &str = "(its words are left out, for what was seen holds something that looks like a secret)";

/// Whether anything that was seen in a trial looks like a secret.
fn holds_secret(trial: &GradedTrial) -> bool {
    let seen = serde_json::to_value(&trial.observation).unwrap_or_default();
    conceal_json(&seen) != seen
}

/// Each expectation once: what the case expects already says what was seen, too.
fn without_repeats(lines: Vec<Line>) -> Vec<Line> {
    let mut kept: Vec<Line> = Vec::new();
    for line in lines {
        let is_there = |there: &Line| match (there, &line) {
            (Line::Expectation { expectation: one, .. }, Line::Expectation { expectation: other, .. }) => {
                pruned(one) == pruned(other)
            }
            _ => *there == line,
        };
        if !kept.iter().any(is_there) {
            kept.push(line);
        }
    }
    kept
}

/// What to ask of an operation that ended so. The outcomes that are never meant are turned round.
pub(super) fn lines_of_operation(
    operation: &OperationId,
    outcome: Outcome,
    claim: Option<Claim>,
    check: Option<ClaimCheck>,
) -> Vec<Line> {
    let is = json!({"outcome": {"operation": operation, "is": outcome}});
    let mut lines = vec![match outcome {
        Outcome::Duplicated | Outcome::Mismatched => Line::new(
            json!({"not": is}),
            format!("Seen: {}. One intention must leave one effect, as it was meant.", outcome.name()),
        ),
        Outcome::Uncertain => Line::new(json!({"not": is}), "Seen: uncertain. Which end is right?"),
        _ => Line::new(is, "Seen. Is it what must come of it?"),
    }];
    let Some(claim) = claim else { return lines };
    match check {
        Some(ClaimCheck::FalseSuccess | ClaimCheck::FalseFailure | ClaimCheck::Overclaimed) => {
            let seen = format!("Seen: {operation} claimed as {}, against the evidence.", claim.name());
            lines.push(Line::new(json!({"claim": "matches_evidence"}), seen));
        }
        _ => lines
            .push(Line::new(json!({"claim": {"operation": operation, "is": claim}}), "Seen. Is it what must be said?")),
    }
    lines
}

/// What was answered. Of a trial that did not pass nobody knows whether the answer is right, so it is told and not offered.
fn lines_of_answer(answer: &Answer, is_right: bool) -> Vec<Line> {
    let text = answer.output_text();
    if !is_right {
        return vec![Line::Remark(format!("It answered: {text}"))];
    }
    if let Value::Object(fields) = &answer.output {
        let is_plain = |value: &&Value| !value.is_object() && !value.is_array();
        let plain = fields
            .iter()
            .filter(|(key, value)| is_plain(value) && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        return plain
            .take(FIELDS)
            .map(|(key, value)| Line::new(json!({"json": {"path": format!("$.{key}"), "equals": value}}), "Seen."))
            .collect();
    }
    if text.trim().is_empty() || text.chars().count() > WHOLE || text.trim().contains('\n') {
        return vec![Line::Remark(format!("It answered: {text}"))];
    }
    vec![Line::new(json!({"contains": text.trim()}), "Seen. Which words of it must stand there?")]
}
