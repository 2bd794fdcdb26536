//! Trials made up for the tests of this room.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::domain::{Claim, Outcome, PartId};
use crate::evidence::{Answer, ClaimMade, Form, Observation, OperationSeen, StepObservation};
use crate::manifest::{Case, CaseOutline, Expectation, Part, PartKind};

use super::grade::{Grade, GradingContext};
use super::judge::Subject;
use super::registry;

/// An expectation as a case would write it, here in JSON.
pub(super) fn expectation(document: Value) -> Expectation {
    serde_json::from_value(document).expect("the expectation is written as a case may write it")
}

/// A case with these expectations.
pub(super) fn case(expectations: &[Value]) -> Case {
    let outline = CaseOutline::named("specimen".into(), "action".into(), "mesa".into());
    Case::new(outline, json!({}), expectations.iter().cloned().map(expectation).collect())
}

/// A trial whose one step answered so; `None` for no answer at all.
pub(super) fn observation(answer: Option<Answer>) -> Observation {
    let step = StepObservation {
        number: 1,
        kind: "invoke".to_owned(),
        duration_ms: 20,
        answer,
        http_status: None,
        stderr: String::new(),
        failure: None,
    };
    Observation {
        duration_ms: 20,
        steps: vec![step],
        ..Observation::begun(&"specimen".into(), Form::Head, 1, "2031-01-01T00:00:00Z".to_owned())
    }
}

/// An answer of plain text.
pub(super) fn text(text: &str) -> Answer {
    Answer { text: text.to_owned(), json: None, output: Value::from(text), claims: Vec::new() }
}

/// A JSON answer, its `output` field taken as the output.
pub(super) fn json_answer(document: Value) -> Answer {
    let output = document.get("output").unwrap_or(&document).clone();
    Answer { text: document.to_string(), json: Some(document), output, claims: Vec::new() }
}

/// A text answer that makes these claims.
pub(super) fn claiming(claims: &[(&str, Claim)]) -> Answer {
    let made = |&(operation, claim): &(&str, Claim)| ClaimMade { operation: operation.into(), claim };
    Answer { claims: claims.iter().map(made).collect(), ..text("done") }
}

/// An operation with so many effects.
pub(super) fn operation(id: &str, outcome: Outcome, effects: usize) -> OperationSeen {
    OperationSeen { operation: id.into(), outcome, attempts: Vec::new(), effects, evidence: Vec::new() }
}

/// The parts and texts of a small project: the source `returns` at version 3, and a prompt.
pub(super) struct Shelf {
    pub(super) parts: BTreeMap<PartId, Part>,
    pub(super) texts: BTreeMap<PartId, BTreeMap<String, String>>,
}

impl Shelf {
    /// The project.
    pub(super) fn new() -> Self {
        let part = |id: &str, kind| {
            let path = format!("manifests/{id}.yaml");
            Part::new(id.into(), kind, "3".to_owned(), path, serde_json::Map::new(), BTreeMap::new())
        };
        let texts = |body: &str| BTreeMap::from([("policies/returns.md".to_owned(), body.to_owned())]);
        let named = |part: Part| (part.id.clone(), part);
        Self {
            parts: BTreeMap::from([
                named(part("returns", PartKind::Source)),
                named(part("unread", PartKind::Source)),
                named(part("drafter", PartKind::Prompt)),
            ]),
            texts: BTreeMap::from([
                ("returns".into(), texts("# Returns\n\nUnworn shoes go back\n  within 30 days.\n")),
                ("drafter".into(), texts("Unworn shoes go back within 30 days.")),
            ]),
        }
    }

    /// Adds a manifest.
    pub(super) fn add(&mut self, document: Value) {
        let Value::Object(document) = document else { panic!("a manifest is a map") };
        let text = |key: &str| document[key].as_str().expect("a manifest names it").to_owned();
        let kind = serde_json::from_value(document["kind"].clone()).expect("a kind");
        let (id, path) = (PartId::new(text("id")), format!("manifests/{}.yaml", text("id")));
        let part = Part::new(id, kind, text("version"), path, document.clone(), BTreeMap::new());
        self.parts.insert(part.id.clone(), part);
    }

    /// The project as graders see it.
    pub(super) fn context(&self) -> GradingContext<'_> {
        GradingContext { parts: &self.parts, texts: &self.texts }
    }
}

/// The grade of one expectation on a trial.
pub(super) fn graded(document: Value, observation: &Observation) -> Grade {
    graded_with(document, observation, &Shelf::new())
}

/// The grade of one expectation on a trial of a project.
pub(super) fn graded_with(document: Value, observation: &Observation, shelf: &Shelf) -> Grade {
    let case = case(&[document]);
    let subject = Subject { case: &case, observation, context: &shelf.context(), index: 0 };
    registry::judge(&case.expect[0], &subject)
}

/// Whether one expectation passes on an answer.
pub(super) fn passes(document: Value, answer: Answer) -> Option<bool> {
    graded(document, &observation(Some(answer))).pass
}

/// Asserts what an expectation and its opposite come to on a trial.
#[track_caller]
pub(super) fn assert_both(document: &Value, observation: &Observation, plain: Option<bool>, turned: Option<bool>) {
    let grade = graded(document.clone(), observation);
    assert_eq!(grade.pass, plain, "{document}: {}", grade.message);
    let grade = graded(json!({ "not": document }), observation);
    assert_eq!(grade.pass, turned, "not {document}: {}", grade.message);
}

/// Asserts that neither an expectation nor its opposite comes to a judgement on a trial.
#[track_caller]
pub(super) fn assert_no_judgement(document: &Value, observation: &Observation) {
    assert_both(document, observation, None, None);
}
