//! `attempts`: how often an operation is tried, and how long that takes together.

use std::collections::BTreeSet;

use super::length::range_phrase;
use super::rows::{Row, rows};
use crate::domain::PartId;
use crate::evidence::Exchange;
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::{AttemptBounds, CallsMeant, Count};

/// Microseconds in a second.
const SECOND_US: f64 = 1_000_000.0;

impl Judge for AttemptBounds {
    const DOC: GraderDoc = GraderDoc {
        name: "attempts",
        summary: "An operation, or each operation that makes a call, was tried `at_least` and `at_most` so often, and all of \
                  it took at most `within_s` seconds. An operation of which nothing was gathered is no judgement, nor is \
                  a time where the calls themselves were not seen, nor an `at_most` beside writing calls to the same \
                  connector that its manifest does not describe. A call that was never made has no attempts.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let meant = CallsMeant { operation: self.operation.clone(), call: self.call.clone() };
        let rows = rows(subject, &meant)?;
        let at_least = usize::try_from(self.at_least.unwrap_or(0)).unwrap_or(usize::MAX);
        let at_most = self.at_most.and_then(|most| usize::try_from(most).ok());
        let range = Count { at_least, at_most };
        let within = self.within_s.map(|seconds| format!(" within {seconds} s")).unwrap_or_default();
        let expected = format!("{} attempts{within}", range_phrase(range));
        if rows.is_empty() {
            if self.within_s.is_some() {
                return Err(NoJudgement::new("there was no attempt whose time could be taken"));
            }
            if let Some(reason) = went_unseen(subject, &meant) {
                return Err(NoJudgement::new(reason));
            }
            let call = self.call.as_ref().map(|call| format!(" of {}", quoted(call.as_str()))).unwrap_or_default();
            return Ok(Finding::of(range.holds(0), expected, format!("no attempt{call}")));
        }
        for row in &rows {
            let count = row.attempts.len();
            if !range.holds(count) {
                return Ok(Finding::of(false, expected, format!("{count} at {}", row.name)));
            }
            if let Some(within_s) = self.within_s {
                let took_s = took_s(row)?;
                if took_s > within_s {
                    return Ok(Finding::of(false, expected, format!("{took_s:.3} s at {}", row.name)));
                }
            }
        }
        if let Some(reason) = range.at_most.and_then(|_| may_be_more(subject, &rows)) {
            return Err(NoJudgement::new(reason));
        }
        let counts: Vec<String> = rows.iter().map(|row| format!("{} at {}", row.attempts.len(), row.name)).collect();
        Ok(Finding::of(true, expected, counts.join(", ")))
    }
}

/// Why no attempt seen does not mean that none was made: the target shows an effect all the same, or the connector got
/// calls that its manifest does not describe.
fn went_unseen(subject: &Subject<'_>, meant: &CallsMeant) -> Option<String> {
    let call = meant.call.as_ref()?;
    let (connector, operation) = call.parts()?;
    let is_of_call = |id: &str| id.split_once(':').is_some_and(|(name, _)| name == operation);
    let observation = subject.observation;
    let mut shown = observation.operations.iter().filter(|seen| seen.effects > 0);
    if let Some(shown) = shown.find(|seen| is_of_call(seen.operation.as_str())) {
        let id = quoted(shown.operation.as_str());
        return Some(format!("the target shows an effect of {id}, and no attempt at it was seen"));
    }
    let mut unknown = observation.exchanges.iter().filter(|exchange| exchange.operation.is_none());
    unknown.find(|exchange| exchange.connector.as_str() == connector).map(undescribed)
}

/// Why there may be more attempts than those that were seen: a writing call to the same connector is described by nothing.
fn may_be_more(subject: &Subject<'_>, rows: &[Row<'_>]) -> Option<String> {
    let calls = rows.iter().flat_map(|row| &row.attempts).filter_map(|attempt| attempt.exchange);
    let connectors: BTreeSet<&PartId> = calls.map(|exchange| &exchange.connector).collect();
    let mut unknown = subject.observation.exchanges.iter().filter(|exchange| exchange.operation.is_none());
    unknown.find(|exchange| !exchange.is_safe() && connectors.contains(&exchange.connector)).map(undescribed)
}

fn undescribed(exchange: &Exchange) -> String {
    let (method, connector) = (quoted(&exchange.method), &exchange.connector);
    format!("a {method} went to `{connector}` that no operation of its manifest describes: it may be such an attempt")
}

/// Seconds from the beginning of the first attempt to the end of the last.
fn took_s(row: &Row<'_>) -> Result<f64, NoJudgement> {
    let exchanges = || row.attempts.iter().map(|attempt| attempt.exchange);
    let (Some(Some(first)), Some(Some(last))) = (exchanges().next(), exchanges().next_back()) else {
        return Err(NoJudgement::new(format!("the calls at {} were not seen, so nobody took their time", row.name)));
    };
    Ok(micros(last.ended_us.saturating_sub(first.begun_us)) / SECOND_US)
}

#[expect(clippy::cast_precision_loss, reason = "times of trials are far below 2^53 microseconds")]
pub(super) fn micros(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use crate::grading::contract::specimen::{Call, trial};
    use crate::grading::specimen::{assert_both, assert_no_judgement, graded};
    use serde_json::{Value, json};

    fn attempts(settings: Value) -> Value {
        json!({ "attempts": settings })
    }

    fn three() -> crate::evidence::Observation {
        let lost = |at| Call::reserve("O-1").key("k").lost().at(at);
        trial(&[lost(1), lost(2), Call::reserve("O-2").key("l").at(3), lost(4)]).observation
    }

    #[test]
    fn beside_writing_calls_that_nobody_describes_a_few_attempts_may_be_more() {
        let beside = |call: Call| trial(&[Call::reserve("O-1").key("k"), call]).observation;
        let most = attempts(json!({"call": "inventory/reserve", "at_most": 1}));
        assert_no_judgement(&most, &beside(Call::reserve("O-1").unknown()));
        assert_both(&most, &beside(Call::look("O-1").unknown()), Some(true), Some(false));
        // Of what was seen there are enough, or too many, whatever else there is.
        let seen = beside(Call::reserve("O-1").unknown());
        assert_both(&attempts(json!({"call": "inventory/reserve", "at_least": 1})), &seen, Some(true), Some(false));
        assert_both(&attempts(json!({"call": "inventory/reserve", "at_most": 0})), &seen, Some(false), Some(true));
    }

    #[test]
    fn attempts_at_one_operation_are_counted() {
        let of = |settings: Value| {
            let mut settings = settings;
            settings["operation"] = json!("reserve:O-1");
            attempts(settings)
        };
        assert_both(&of(json!({"at_most": 3})), &three(), Some(true), Some(false));
        assert_both(&of(json!({"at_most": 2})), &three(), Some(false), Some(true));
        assert_both(&of(json!({"at_least": 3})), &three(), Some(true), Some(false));
        assert_both(&of(json!({"at_least": 4})), &three(), Some(false), Some(true));
        assert_no_judgement(&attempts(json!({"operation": "reserve:O-9", "at_most": 3})), &three());
    }

    #[test]
    fn each_operation_that_makes_a_call_is_held_against_the_bounds() {
        let of = |most: u32| attempts(json!({"call": "inventory/reserve", "at_most": most}));
        assert_both(&of(3), &three(), Some(true), Some(false));
        assert_both(&of(2), &three(), Some(false), Some(true));
        assert!(graded(of(2), &three()).message.ends_with("found 3 at `reserve:O-1`"), "{:?}", graded(of(2), &three()));
    }

    #[test]
    fn a_call_that_was_never_made_has_no_attempts() {
        let of = |settings: Value| {
            let mut settings = settings;
            settings["call"] = json!("messaging/send");
            attempts(settings)
        };
        assert_both(&of(json!({"at_most": 0})), &three(), Some(true), Some(false));
        assert_both(&of(json!({"at_least": 1})), &three(), Some(false), Some(true));
        assert_no_judgement(&of(json!({"at_most": 1, "within_s": 3.0})), &three());
    }

    #[test]
    fn the_time_is_that_of_all_attempts_and_the_waits_between_them() {
        let of = |within: f64| attempts(json!({"operation": "reserve:O-1", "within_s": within}));
        assert_both(&of(3.01), &three(), Some(true), Some(false));
        assert_both(&of(2.99), &three(), Some(false), Some(true));
        let unseen = trial(&[Call::reserve("O-1").key("k")]).without_exchanges().observation;
        assert_no_judgement(&of(9.0), &unseen);
        assert_both(&attempts(json!({"operation": "reserve:O-1", "at_most": 1})), &unseen, Some(true), Some(false));
    }

    #[test]
    fn calls_that_only_read_are_counted_by_what_they_ask() {
        let seen =
            trial(&[Call::model("{}").status(500), Call::model("{}").status(500), Call::look("O-1")]).observation;
        let of = |call: &str| attempts(json!({"call": call, "at_most": 1}));
        assert_both(&of("model/chat"), &seen, Some(false), Some(true));
        assert_both(&of("inventory/allocations"), &seen, Some(true), Some(false));
    }
}
