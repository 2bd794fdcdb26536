//! `order` and `depends`: which call comes before which.

use super::rows::{Row, rows};
use crate::evidence::OperationSeen;
use crate::grading::contract::{RuleStanding, Terms, depends};
use crate::grading::judge::{Finding, GraderDoc, Judge, NoJudgement, Subject, quoted};
use crate::manifest::{CallName, CallsMeant, Dependency, Precedence};

/// `order`, with its pairs.
pub(in crate::grading) struct InOrder<'a>(pub(in crate::grading) &'a [Precedence]);

impl Judge for InOrder<'_> {
    const DOC: GraderDoc = GraderDoc {
        name: "order",
        summary: "Of each pair, the first call had ended at least once before the other one began for the first time. A pair \
                  whose second call was never made is in order; one of which neither was made is no judgement. Where the calls \
                  themselves were not seen, their steps must tell.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let mut shown = Vec::new();
        let expected = self.0.iter().map(|pair| format!("{} before {}", pair.call, pair.before));
        let expected = expected.collect::<Vec<_>>().join(", ");
        for pair in self.0 {
            let (first, second) = (rows_of(subject, &pair.call)?, rows_of(subject, &pair.before)?);
            match (first.is_empty(), second.is_empty()) {
                (true, true) => {
                    let (one, other) = (quoted(pair.call.as_str()), quoted(pair.before.as_str()));
                    return Err(NoJudgement::new(format!("neither {one} nor {other} was called")));
                }
                (true, false) => {
                    let found = format!("{} without {}", pair.before, pair.call);
                    return Ok(Finding::of(false, expected, found));
                }
                (false, true) => shown.push(format!("no {}", pair.before)),
                (false, false) => {
                    if !comes_before(&first, &second)? {
                        let found = format!("{} before {} had ended", pair.before, pair.call);
                        return Ok(Finding::of(false, expected, found));
                    }
                    shown.push(format!("{} before {}", pair.call, pair.before));
                }
            }
        }
        Ok(Finding::of(true, expected, shown.join(", ")))
    }
}

fn rows_of<'a>(subject: &Subject<'a>, call: &CallName) -> Result<Vec<Row<'a>>, NoJudgement> {
    rows(subject, &CallsMeant { operation: None, call: Some(call.clone()) })
}

/// Whether any of the first had ended before any of the second began.
fn comes_before(first: &[Row<'_>], second: &[Row<'_>]) -> Result<bool, NoJudgement> {
    let first = || first.iter().flat_map(|row| &row.attempts);
    let second = || second.iter().flat_map(|row| &row.attempts);
    let ended = first().map(|one| one.exchange.map(|exchange| exchange.ended_us)).min();
    let begun = second().map(|one| one.exchange.map(|exchange| exchange.begun_us)).min();
    if let (Some(Some(ended)), Some(Some(begun))) = (ended, begun) {
        return Ok(ended <= begun);
    }
    let (Some(one), Some(other)) = (first().map(|one| one.step).min(), second().map(|one| one.step).min()) else {
        return Err(NoJudgement::new("the calls were not seen"));
    };
    if one == other {
        return Err(NoJudgement::new("which of two calls in one step came first was not seen"));
    }
    Ok(one < other)
}

impl Judge for Dependency {
    const DOC: GraderDoc = GraderDoc {
        name: "depends",
        summary: "Whenever `call` was made, the workflow knew that what it depends `on` is done: an answer of 2xx had reached \
                  it, or a look had shown it; and in the end the evidence supports one of the outcomes in `being` (by default \
                  committed, replayed) for it. A receipt of what is taken in and not yet done is no such answer. Where the call \
                  was never made the other one must have been; neither is no judgement.",
    };

    fn judge(&self, subject: &Subject<'_>) -> Result<Finding, NoJudgement> {
        let expected = format!("{} only after {} is known to be done", self.call, self.on);
        let terms = Terms::of(subject.case, subject.context);
        match depends(&self.call, &self.on, subject.observation, &terms) {
            RuleStanding::Broken(breaches) => {
                let first = breaches.first().map(|breach| breach.message.clone()).unwrap_or_default();
                Ok(Finding::of(false, expected, first))
            }
            RuleStanding::NotJudged(reason) => Err(NoJudgement::new(reason)),
            RuleStanding::NoOccasion if rows_of(subject, &self.on)?.is_empty() => {
                let (one, other) = (quoted(self.call.as_str()), quoted(self.on.as_str()));
                Err(NoJudgement::new(format!("neither {one} nor {other} was called")))
            }
            RuleStanding::NoOccasion => Ok(Finding::of(true, expected, format!("no {}", self.call))),
            RuleStanding::Kept(_) => Ok(self.in_the_end(subject, expected)),
        }
    }
}

impl Dependency {
    /// What the target shows in the end, of the operations that the call rests on: those with the same business identity
    /// where there are such, else all.
    fn in_the_end(&self, subject: &Subject<'_>, expected: String) -> Finding {
        let of = |call: &CallName| {
            let is_one = |seen: &&OperationSeen| {
                let mut calls = seen.attempts.iter().filter_map(|attempt| attempt.call.as_ref());
                calls.any(|made| made.to_string() == call.as_str())
            };
            subject.observation.operations.iter().filter(is_one).collect::<Vec<_>>()
        };
        let identity = |seen: &OperationSeen| seen.operation.as_str().split_once(':').map(|(_, rest)| rest.to_owned());
        let (callers, needed) = (of(&self.call), of(&self.on));
        let is_own = |seen: &&&OperationSeen| callers.iter().any(|caller| identity(caller) == identity(seen));
        let own: Vec<&OperationSeen> = needed.iter().filter(is_own).copied().collect();
        let needed = if own.is_empty() { needed } else { own };
        match needed.iter().find(|seen| !self.being.contains(&seen.outcome)) {
            Some(seen) => {
                let operation = quoted(seen.operation.as_str());
                Finding::of(false, expected, format!("{operation} is {} in the end", seen.outcome))
            }
            None => Finding::of(true, expected, "that it was".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::Outcome;
    use crate::grading::contract::specimen::{Call, Trial, shop, trial};
    use crate::grading::specimen::{Shelf, graded_with};
    use serde_json::{Value, json};

    #[track_caller]
    fn assert_pass(document: &Value, seen: &Trial, expected: Option<bool>) {
        let mut shelf = Shelf::new();
        for manifest in shop().into_values() {
            shelf.add(serde_json::to_value(manifest).unwrap());
        }
        let grade = graded_with(document.clone(), &seen.observation, &shelf);
        assert_eq!(grade.pass, expected, "{document}: {}", grade.message);
    }

    fn order() -> Value {
        json!({"order": [{"call": "inventory/reserve", "before": "messaging/send"}]})
    }

    fn depends() -> Value {
        json!({"depends": {"call": "messaging/send", "on": "inventory/reserve"}})
    }

    fn reserve() -> Call {
        Call::reserve("O-1").key("k")
    }

    #[test]
    fn the_first_call_had_ended_before_the_other_began() {
        assert_pass(&order(), &trial(&[reserve(), Call::send("O-1")]), Some(true));
        assert_pass(&order(), &trial(&[Call::send("O-1"), reserve()]), Some(false));
        assert_pass(&order(), &trial(&[Call::send("O-1")]), Some(false));
        // In order, whatever came of it: that is what `depends` is for.
        assert_pass(&order(), &trial(&[reserve().lost(), Call::send("O-1")]), Some(true));
        let mut overlapping = trial(&[reserve().at(1), Call::send("O-1").at(2)]);
        overlapping.observation.exchanges[0].ended_us = 3_000_000;
        assert_pass(&order(), &overlapping, Some(false));
    }

    #[test]
    fn a_call_that_was_never_made_is_in_order_and_two_are_no_judgement() {
        assert_pass(&order(), &trial(&[reserve()]), Some(true));
        assert_pass(&order(), &trial(&[]), None);
        assert_pass(&depends(), &trial(&[reserve().lost()]), Some(true));
        assert_pass(&depends(), &trial(&[]), None);
    }

    #[test]
    fn every_pair_counts() {
        let both = json!({"order": [{"call": "inventory/reserve", "before": "messaging/send"},
            {"call": "inventory/allocations", "before": "messaging/send"}]});
        assert_pass(&both, &trial(&[reserve(), Call::look("O-1"), Call::send("O-1")]), Some(true));
        assert_pass(&both, &trial(&[reserve(), Call::send("O-1"), Call::look("O-1")]), Some(false));
    }

    #[test]
    fn without_the_calls_the_steps_tell_the_order() {
        let seen = |first, second| trial(&[reserve().step(first), Call::send("O-1").step(second)]).without_exchanges();
        assert_pass(&order(), &seen(1, 2), Some(true));
        assert_pass(&order(), &seen(2, 1), Some(false));
        assert_pass(&order(), &seen(1, 1), None);
    }

    #[test]
    fn what_a_call_depends_on_is_known_before_and_there_in_the_end() {
        assert_pass(&depends(), &trial(&[reserve(), Call::send("O-1")]), Some(true));
        assert_pass(&depends(), &trial(&[reserve().lost(), Call::send("O-1")]), Some(false));
        let gone = trial(&[reserve(), Call::send("O-1")]).outcome("reserve:O-1", Outcome::Duplicated, 2);
        assert_pass(&depends(), &gone, Some(false));
        let also = json!({"depends": {"call": "messaging/send", "on": "inventory/reserve", "being": ["duplicated"]}});
        assert_pass(&also, &gone, Some(true));
        assert_pass(&also, &trial(&[reserve(), Call::send("O-1")]), Some(false));
    }

    #[test]
    fn another_orders_outcome_is_not_meant() {
        let seen = trial(&[reserve(), Call::reserve("O-2").key("l").lost(), Call::send("O-1")]);
        let seen = seen.outcome("reserve:O-2", Outcome::Uncertain, 0);
        assert_pass(&depends(), &seen, Some(true));
    }
}
