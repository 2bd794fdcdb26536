//! From the two trials of a row to what it shows.

use std::collections::BTreeSet;

use crate::domain::{ClaimCheck, OperationId, Outcome, Rule};
use crate::evidence::{ErrorKind, Exchange, Observation};
use crate::grading::{GradedTrial, GradingContext, RuleStanding, Terms, breaches, examine};
use crate::manifest::Effect;

use super::calls::effect_of;
use super::row::Row;
use super::table::{Finding, OperationShown, RowResult, RowVerdict, RunShown};

/// What a row's trials show, beside what `clean`, the row without a fault, shows already.
pub fn row_result(
    row: &Row,
    [first, again]: [&GradedTrial; 2],
    clean: Option<&RowResult>,
    context: &GradingContext<'_>,
) -> RowResult {
    let mut findings = findings(&first.observation, &Terms::of(&row.first, context), false);
    let terms = Terms::of(&row.again, context);
    for finding in self::findings(&again.observation, &terms, true) {
        if !findings.iter().any(|known| is_same(known, &finding)) {
            findings.push(finding);
        }
    }
    let all = findings.len();
    findings.retain(|finding| !clean.is_some_and(|clean| shows(clean, finding)));
    let (first_shown, again_shown) = (shown(first), shown(again));
    let mut verdict = verdict([&first.observation, &again.observation], &findings, [&first_shown, &again_shown]);
    match verdict {
        RowVerdict::Sound if all > 0 => verdict = RowVerdict::AsClean,
        // It was another question than the one that was asked.
        RowVerdict::NotFired => findings.clear(),
        _ => {}
    }
    let is_kept = |rule: &Rule| matches!(examine(*rule, &again.observation, &terms), RuleStanding::Kept(_));
    RowResult {
        kept: Rule::ALL.into_iter().filter(is_kept).map(|rule| rule.name().to_owned()).collect(),
        id: row.id.clone(),
        risk: row.risk.clone(),
        faults: row.faults.clone(),
        verdict,
        second_run: second_run(row, &again.observation, context),
        first: first_shown,
        again: again_shown,
        findings,
    }
}

/// Whether a row shows this already, in the same run or an earlier one.
fn shows(row: &RowResult, finding: &Finding) -> bool {
    row.findings.iter().any(|known| is_same(known, finding) && known.after_second_run <= finding.after_second_run)
}

/// Whether both say the same of the same operation, whichever run showed it.
fn is_same(one: &Finding, other: &Finding) -> bool {
    (&one.rule, &one.operation) == (&other.rule, &other.operation)
}

fn verdict(trials: [&Observation; 2], findings: &[Finding], shown: [&RunShown; 2]) -> RowVerdict {
    let errors = || trials.iter().filter_map(|trial| trial.error.as_ref());
    if errors().any(|error| error.kind == ErrorKind::FaultNotFired) {
        return RowVerdict::NotFired;
    }
    if errors().next().is_some() {
        return RowVerdict::Errored;
    }
    if !findings.is_empty() {
        return RowVerdict::Found;
    }
    let mut operations = shown.iter().flat_map(|shown| &shown.operations);
    if operations.any(|operation| operation.outcome == Outcome::Uncertain) {
        return RowVerdict::Uncertain;
    }
    RowVerdict::Sound
}

fn findings(observation: &Observation, terms: &Terms, after_second_run: bool) -> Vec<Finding> {
    let found = breaches(observation, terms).into_iter().map(|breach| Finding {
        rule: breach.rule.name().to_owned(),
        operation: breach.operation,
        after_second_run,
        message: breach.message,
    });
    found.collect::<BTreeSet<_>>().into_iter().collect()
}

fn shown(trial: &GradedTrial) -> RunShown {
    let observation = &trial.observation;
    let operations = observation.operations.iter().map(|seen| OperationShown {
        operation: seen.operation.clone(),
        outcome: seen.outcome,
        effects: seen.effects,
        attempts: seen.attempts.len(),
        claim: observation.last_claim(&seen.operation),
        claim_check: trial.claim_checks.get(&seen.operation).copied().unwrap_or(ClaimCheck::Silent),
    });
    let failures = observation.steps.iter().filter_map(|step| Some((step.number, step.failure.as_ref()?)));
    RunShown {
        operations: operations.collect(),
        failures: failures.map(|(step, failure)| format!("step {step}: {}", failure.message)).collect(),
        problem: observation.error.as_ref().map(|error| error.message.clone()),
    }
}

/// What the second run did about the operations whose calls were failed in the first.
fn second_run(row: &Row, observation: &Observation, context: &GradingContext<'_>) -> String {
    let is_failed = |exchange: &&Exchange| {
        row.faults
            .iter()
            .any(|fault| fault.connector == exchange.connector && Some(&fault.operation) == exchange.operation.as_ref())
    };
    let exchanges = || observation.exchanges.iter();
    // The second run is the last step, whether or not a restart lies between.
    let last = u32::try_from(row.again.steps.len()).unwrap_or(u32::MAX);
    let later: Vec<&Exchange> = exchanges().filter(|exchange| exchange.step == last).collect();
    if row.faults.is_empty() {
        let writes = later.iter().filter(|exchange| writes(exchange, context)).count();
        return if writes == 0 { "wrote nothing".to_owned() } else { format!("made {writes} writing calls") };
    }
    let before: Vec<&Exchange> = exchanges().filter(|exchange| exchange.step == 1).filter(is_failed).collect();
    let intentions: BTreeSet<&OperationId> = before.iter().filter_map(|exchange| exchange.intention.as_ref()).collect();
    let repeated: Vec<&&Exchange> = later
        .iter()
        .filter(|exchange| is_failed(exchange) && exchange.intention.as_ref().is_some_and(|it| intentions.contains(it)))
        .collect();
    let Some(first) = repeated.first() else {
        let connectors: BTreeSet<_> = row.faults.iter().map(|fault| &fault.connector).collect();
        let looked = later.iter().any(|exchange| connectors.contains(&exchange.connector));
        return if looked { "looked, and wrote nothing".to_owned() } else { "let it be".to_owned() };
    };
    let had_key = before.iter().any(|exchange| exchange.key.is_some() && exchange.key == first.key);
    match (&first.key, had_key) {
        (Some(_), true) => "tried again under the same key".to_owned(),
        (Some(_), false) => "sent anew, under another key".to_owned(),
        (None, _) => "sent again, without a key".to_owned(),
    }
}

fn writes(exchange: &Exchange, context: &GradingContext<'_>) -> bool {
    let operation = exchange.operation.as_deref();
    let effect = operation.and_then(|operation| effect_of(context.parts, &exchange.connector, operation));
    effect.is_some_and(|effect| effect != Effect::None)
}
