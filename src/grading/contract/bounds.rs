//! Attempts, and the time that they take, within what the connector's manifest states.

use std::collections::BTreeMap;

use crate::domain::OperationId;
use crate::evidence::{Delivered, Exchange};
use crate::manifest::Retry;

use super::Found;
use super::scene::{Intent, Scene, Try};

/// By how much the attempts of one step may take longer than their budget: scheduling, not waiting.
const SLACK_S: f64 = 0.25;

/// The bounds hold for one run of the workflow: what a later step tries again counts anew.
pub(super) fn unbounded(scene: &Scene<'_>, found: &mut Found) {
    for intent in &scene.intents {
        let Some(retry) = intent.contract().map(|contract| &contract.retry) else { continue };
        let mut steps: BTreeMap<u32, Vec<&Try<'_>>> = BTreeMap::new();
        intent.tries.iter().for_each(|one| steps.entry(one.step()).or_default().push(one));
        for tries in steps.values() {
            judge(intent, retry, tries, found);
        }
    }
    judge_reads(scene, found);
}

fn judge(intent: &Intent<'_>, retry: &Retry, tries: &[&Try<'_>], found: &mut Found) {
    let count = u32::try_from(tries.len()).unwrap_or(u32::MAX);
    if count > retry.attempts {
        let message = format!("{count} attempts were made where the manifest states {} at the most.", retry.attempts);
        return found.breach(intent, tries, message);
    }
    let (first, last) = (tries.first().and_then(|one| one.begun_s()), tries.last().and_then(|one| one.ended_s()));
    match (retry.budget_s, first, last) {
        (Some(budget_s), Some(first), Some(last)) if last - first > budget_s + SLACK_S => {
            let took = last - first;
            let message = format!("The attempts took {took:.1} s where the manifest states {budget_s} s at the most.");
            found.breach(intent, tries, message);
        }
        (Some(_), None, _) | (Some(_), _, None) if tries.len() > 1 => {
            found.not_judged("how long the attempts took together was not seen");
        }
        _ if tries.len() > 1 => found.occasion(),
        _ => {}
    }
}

/// Calls that only read are no attempts at an operation. The same one in a row without an answer is a retry all the same.
fn judge_reads(scene: &Scene<'_>, found: &mut Found) {
    let mut rows: BTreeMap<(u32, &str, &str, &str, Option<&OperationId>), u32> = BTreeMap::new();
    for exchange in scene.exchanges.iter().filter(|exchange| scene.reads(exchange)) {
        let Some(contract) = scene.contract(exchange) else { continue };
        let operation = exchange.operation.as_deref().unwrap_or_default();
        let connector = exchange.connector.as_str();
        let key = (exchange.step, connector, operation, exchange.target.as_str(), exchange.intention.as_ref());
        let row = rows.entry(key).or_default();
        *row += 1;
        // Once for each row: at the first call too many.
        if *row == contract.retry.attempts.saturating_add(1) {
            let most = contract.retry.attempts;
            let message = format!(
                "{connector}/{operation} was called more than {most} times in a row without an answer, where the manifest \
                 states {most} attempts at the most."
            );
            found.breach_of(exchange.intention.clone(), Vec::new(), message);
        } else if *row > 1 {
            found.occasion();
        }
        if is_answered(exchange) {
            rows.remove(&key);
        }
    }
}

fn is_answered(exchange: &Exchange) -> bool {
    exchange.delivered == Delivered::Whole
        && exchange.delivered_status.is_some_and(|status| status < 500 && status != 429 && status != 409)
}

#[cfg(test)]
mod tests {
    use super::super::specimen::{Call, assert_breach, assert_kept, assert_no_occasion, assert_not_judged, trial};
    use crate::domain::Rule;

    const RULE: Rule = Rule::UnboundedRetry;

    fn lost(step: u32) -> Call {
        Call::reserve("O-1").key("k").lost().step(step)
    }

    #[test]
    fn so_many_attempts_are_enough_and_one_more_is_too_many() {
        assert_no_occasion(RULE, &trial(&[lost(1)]));
        assert_kept(RULE, &trial(&[lost(1), lost(1), lost(1)]), 1);
        assert_breach(RULE, &trial(&[lost(1), lost(1), lost(1), lost(1)]), Some("reserve:O-1"), &[1, 2, 3, 4]);
    }

    #[test]
    fn a_later_step_counts_anew() {
        assert_kept(RULE, &trial(&[lost(1), lost(1), lost(1), lost(2)]), 1);
    }

    #[test]
    fn attempts_at_different_operations_are_not_added_up() {
        let other = || Call::reserve("O-2").key("l").lost();
        assert_kept(RULE, &trial(&[lost(1), lost(1), other(), other()]), 2);
    }

    #[test]
    fn the_time_for_all_of_them_is_bounded() {
        assert_kept(RULE, &trial(&[lost(1).at(1), lost(1).at(60)]), 1);
        assert_breach(RULE, &trial(&[lost(1).at(1), lost(1).at(62)]), Some("reserve:O-1"), &[1, 2]);
        assert_not_judged(RULE, &trial(&[lost(1).at(1), lost(1).at(62)]).without_exchanges());
    }

    #[test]
    fn reads_without_an_answer_are_bounded_and_polling_is_not() {
        let failing = |count: usize| trial(&vec![Call::model("{}").status(429); count]);
        assert_kept(RULE, &failing(3), 2);
        assert_breach(RULE, &failing(45), Some("chat:1"), &[]);
        assert_no_occasion(RULE, &trial(&vec![Call::look("O-1"); 9]));
    }
}
