//! The workflow that does nothing: what it would pass shows nothing of one that does something. Pure.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{OperationId, Outcome, TrialStatus};
use crate::evidence::{Answer, Form, Observation, OperationSeen, Reading, StepObservation, operations_named};
use crate::manifest::{Case, Expectation, Grader};

use super::grade::GradingContext;
use super::trial::grade;

/// Whether a workflow that does nothing would pass a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DoNothing {
    /// It would: a pass of this case shows nothing of what the workflow does.
    Passes,
    /// It would not.
    Fails,
    /// Everything else holds, and a program would have to judge.
    NotJudged,
}

impl DoNothing {
    /// Whether it would pass.
    pub fn passes(self) -> bool {
        self == Self::Passes
    }

    /// Whether only a judging program could say.
    pub fn is_open(self) -> bool {
        self == Self::NotJudged
    }
}

/// The grade of a workflow that answers each invoke with nothing at all, at once: no word, no claim, no call, no attempt at any
/// operation, and every probe shows no effect. What fixtures put into a target before the first step is not counted as there.
pub fn do_nothing(case: &Case, context: &GradingContext<'_>) -> DoNothing {
    let graded = grade(case, nothing(case), context);
    if graded.status == TrialStatus::Passed {
        return DoNothing::Passes;
    }
    let is_program = |expectation: &Expectation| matches!(expectation.grader(), Some((Grader::Command(_), _)));
    let mut others = case.expect.iter().zip(&graded.grades).filter(|(expectation, _)| !is_program(expectation));
    if case.expect.iter().any(is_program) && others.all(|(_, grade)| grade.pass == Some(true)) {
        return DoNothing::NotJudged;
    }
    DoNothing::Fails
}

fn nothing(case: &Case) -> Observation {
    let steps = (1..).zip(&case.steps).map(|(number, step)| {
        let (kind, answers) = match (&step.invoke, &step.restart) {
            (Some(_), _) => ("invoke", true),
            (None, Some(_)) => ("restart", false),
            (None, None) => ("clock", false),
        };
        StepObservation {
            number,
            kind: kind.to_owned(),
            duration_ms: 0,
            answer: answers.then(no_word),
            http_status: answers.then_some(200),
            failure: None,
            stderr: String::new(),
        }
    });
    let operations = named(case).into_iter().map(|operation| OperationSeen {
        operation,
        outcome: Outcome::NotStarted,
        attempts: Vec::new(),
        effects: 0,
        evidence: Vec::new(),
    });
    Observation {
        case: case.id.clone(),
        form: Form::Head,
        trial: 1,
        started: "1970-01-01T00:00:00Z".to_owned(),
        duration_ms: 0,
        steps: steps.collect(),
        operations: operations.collect(),
        readings: probes(case).into_iter().map(|probe| (probe, Reading::Effects(Vec::new()))).collect(),
        looks: BTreeMap::new(),
        exchanges: Vec::new(),
        judgements: BTreeMap::new(),
        unreached: Vec::new(),
        error: None,
    }
}

fn no_word() -> Answer {
    Answer { text: String::new(), json: None, output: "".into(), claims: Vec::new() }
}

/// Every operation that an expectation names, whatever it says of it.
fn named(case: &Case) -> BTreeSet<OperationId> {
    let bounded = case.expect.iter().filter_map(|expectation| match expectation.grader()?.0 {
        Grader::Attempts(bounds) => bounds.operation,
        Grader::Backoff(backoff) => backoff.operation,
        Grader::NoRetry(no_retry) => no_retry.operation,
        Grader::RetryLayers(layers) => layers.operation,
        Grader::RetryAfter(calls) | Grader::Identity(calls) => calls.operation,
        _ => None,
    });
    operations_named(case, &[]).into_iter().chain(bounded).collect()
}

fn probes(case: &Case) -> BTreeSet<String> {
    let effects = case.expect.iter().filter_map(|expectation| match expectation.grader()?.0 {
        Grader::Effects(effects) => Some(effects.probe),
        _ => None,
    });
    effects.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grading::specimen::{Shelf, case};
    use serde_json::{Value, json};

    fn of(expectations: &[Value]) -> DoNothing {
        let mut case = case(expectations);
        case.steps =
            serde_json::from_value(json!([{"invoke": {}}, {"clock": {"advance_s": 5}}, {"invoke": {}}])).unwrap();
        do_nothing(&case, &Shelf::new().context())
    }

    #[test]
    fn what_only_forbids_is_passed_by_doing_nothing() {
        for expectation in [
            json!({"not": {"contains": "ten days"}}),
            json!({"effects": {"probe": "queue", "count": 0}}),
            json!({"effects": {"probe": "queue", "where": {"operation": "op-1"}, "at_most": 1}}),
            json!({"outcome": {"operation": "op-1", "is": "not_started"}}),
            json!({"attempts": {"operation": "op-1", "at_most": 3}}),
            json!({"length": {"at_most": 80}}),
            json!({"duration": {"at_most_ms": 1}}),
            json!({"equals": ""}),
            json!({"http_status": {"is": 200}}),
        ] {
            assert_eq!(of(std::slice::from_ref(&expectation)), DoNothing::Passes, "{expectation}");
        }
    }

    #[test]
    fn what_asks_for_something_is_not() {
        for expectation in [
            json!({"contains": "thirty days"}),
            json!({"effects": {"probe": "queue", "count": 1}}),
            json!({"outcome": {"operation": "op-1", "is": "committed"}}),
            json!({"claim": {"operation": "op-1", "is": "held"}}),
            json!({"claim": "matches_evidence"}),
            json!({"json": {"path": "$.receipt"}}),
            json!({"json": {"path": "$.receipt", "exists": false}}),
            json!({"contract": "kept"}),
            json!({"attempts": {"operation": "op-1", "at_least": 1}}),
            json!({"not": {"json": {"path": "$.receipt"}}}),
        ] {
            assert_eq!(of(std::slice::from_ref(&expectation)), DoNothing::Fails, "{expectation}");
        }
    }

    #[test]
    fn one_expectation_that_asks_for_something_is_enough() {
        let forbids = json!({"effects": {"probe": "queue", "count": 0}});
        assert_eq!(of(&[forbids.clone(), json!({"contains": "thirty"})]), DoNothing::Fails);
        assert_eq!(of(&[forbids.clone(), json!({"not": {"contains": "ten"}})]), DoNothing::Passes);
    }

    #[test]
    fn a_program_decides_only_where_everything_else_holds() {
        let program = json!({"command": {"run": ["judge"]}});
        assert_eq!(of(std::slice::from_ref(&program)), DoNothing::NotJudged);
        assert_eq!(of(&[program.clone(), json!({"not": {"contains": "ten"}})]), DoNothing::NotJudged);
        assert_eq!(of(&[program.clone(), json!({"contains": "ten"})]), DoNothing::Fails);
        assert_eq!(of(&[json!({"not": program})]), DoNothing::NotJudged);
    }
}
