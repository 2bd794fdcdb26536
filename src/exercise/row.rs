//! The rows of an exercise: a fault, or a pair of them, and the two trials that show what it does.

use serde_json::Value;

use crate::domain::{CaseId, Risk, WorkflowId};
use crate::manifest::{
    Case, CaseOutline, ClaimForm, ClaimWord, Expectation, FaultSpec, Fixture, InvokeStep, RestartStep, Step,
};

use super::calls::LearnedCall;
use super::points::{self, Point};

/// What is exercised: a workflow, on one input.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The workflow.
    pub workflow: WorkflowId,
    /// What it gets.
    pub input: Value,
    /// Files for its state directory.
    pub fixtures: Vec<Fixture>,
    /// The time that it is told.
    pub now: Option<String>,
    /// Whether it is started anew between two runs; a service that serves other trials too cannot be.
    pub restarts: bool,
}

/// A row before it is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name: the same for the same call and fault in every exercise.
    pub id: String,
    /// The set that a case of it belongs to.
    pub risk: Risk,
    /// The faults; none in the clean row.
    pub faults: Vec<FaultSpec>,
    /// The trial that ends after the first run.
    pub first: Case,
    /// The trial that goes on with a restart and a second run.
    pub again: Case,
}

/// The row without a fault.
pub fn clean(subject: &Subject) -> Row {
    row(subject, "clean".to_owned(), "operations", Vec::new())
}

/// A row for each point of each call.
pub fn rows(subject: &Subject, calls: &[LearnedCall]) -> Vec<Row> {
    let of_call = |call| points::points(call).into_iter().map(move |point| (call, point));
    calls
        .iter()
        .flat_map(of_call)
        .map(|(call, point)| row(subject, name(call, &point), point.risk, vec![point.fault]))
        .collect()
}

/// A row for each pair of telling points of two different calls.
pub fn pairs(subject: &Subject, calls: &[LearnedCall]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (index, earlier) in calls.iter().enumerate() {
        for later in &calls[index + 1..] {
            for one in points::telling(earlier) {
                for other in points::telling(later) {
                    let id = format!("{}.and.{}", name(earlier, &one), name(later, &other));
                    rows.push(row(subject, id, one.risk, vec![one.fault.clone(), other.fault]));
                }
            }
        }
    }
    rows
}

fn name(call: &LearnedCall, point: &Point) -> String {
    let LearnedCall { connector, operation, occurrence, .. } = call;
    format!("{connector}.{operation}.{occurrence}.{}", point.name)
}

fn row(subject: &Subject, id: String, risk: &str, faults: Vec<FaultSpec>) -> Row {
    let invoke = || Step { invoke: Some(InvokeStep { input: None, may_fail: true }), restart: None, clock: None };
    let restart = || Step { invoke: None, restart: Some(RestartStep {}), clock: None };
    let first = case(subject, format!("{id}.first"), risk, vec![invoke()], &faults);
    let between = subject.restarts.then(restart);
    let steps = std::iter::once(invoke()).chain(between).chain([invoke()]).collect();
    let again = case(subject, format!("{id}.again"), risk, steps, &faults);
    Row { id, risk: Risk::from(risk), faults, first, again }
}

fn case(subject: &Subject, id: String, risk: &str, steps: Vec<Step>, faults: &[FaultSpec]) -> Case {
    let honest =
        Expectation { claim: Some(Box::new(ClaimForm::Word(ClaimWord::MatchesEvidence))), ..Expectation::default() };
    let title = format!("What {} does under {id}", subject.workflow);
    let names = CaseOutline::named(CaseId::new(id), Risk::from(risk), subject.workflow.clone());
    let outline = CaseOutline { title: title.into(), fixtures: subject.fixtures.clone(), ..names };
    let case = Case::new(outline, subject.input.clone(), vec![honest]);
    Case { steps, faults: faults.to_vec(), now: subject.now.clone(), ..case }
}
