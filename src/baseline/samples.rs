//! Records and results for the tests of this room and of those that read accepted results.

use std::collections::BTreeMap;

use serde_json::json;

use super::{AcceptedCase, Contents, RECORD_SCHEMA, Record, RecordedPart, RecordedSnapshot, Scope};
use crate::change::{PartSnapshot, RestDigests, Snapshot};
use crate::domain::{CaseId, CaseStatus, Digest, OperationId, Outcome, PartId, Question, Risk, RunId, TrialStatus};
use crate::grading::{CaseResult, GraderResult, TrialResult};
use crate::manifest::PartKind;

pub(super) fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

/// A snapshot of one model with this temperature.
pub(crate) fn snapshot(temperature: f64) -> Snapshot {
    let part = PartSnapshot {
        kind: PartKind::Model,
        version: "1".to_owned(),
        path: "manifests/model.yaml".to_owned(),
        facets: BTreeMap::from([("sampling.temperature".to_owned(), json!(temperature))]),
        files: BTreeMap::new(),
    };
    Snapshot {
        parts: BTreeMap::from([(PartId::from("model"), part)]),
        project_file: digest("holdpoint.yaml"),
        policy: None,
        rest: RestDigests::default(),
    }
}

/// An accepted result whose answer is `output`.
pub(crate) fn accepted(status: CaseStatus, output: &str) -> AcceptedCase {
    AcceptedCase {
        set: Risk::from("access"),
        digest: digest("form"),
        status,
        passed: u32::from(status == CaseStatus::Passed),
        trials: 1,
        output: Some(digest(output)),
        outcomes: BTreeMap::from([("op-1".to_owned(), "committed".to_owned())]),
        failing: Vec::new(),
        question: Question::default(),
    }
}

/// A record accepted `second` seconds into a certain minute, that holds these cases as passed with these answers.
pub(super) fn record(parents: &[&Digest], second: u32, cases: &[(&str, &str)]) -> Record {
    Record {
        schema: RECORD_SCHEMA.to_owned(),
        parents: parents.iter().map(|parent| (*parent).clone()).collect(),
        by: "Ada".to_owned(),
        reason: "first".to_owned(),
        accepted: format!("2026-01-01T00:00:{second:02}Z"),
        run: RunId::from("run-1"),
        reviewed: None,
        commit: None,
        fingerprint: digest("fingerprint"),
        scope: Scope::Cases,
        snapshot: None,
        cases: cases.iter().map(|(case, output)| (CaseId::from(*case), accepted(CaseStatus::Passed, output))).collect(),
        removed: Vec::new(),
        revokes: Vec::new(),
    }
}

pub(super) fn digest_of(record: &Record) -> Digest {
    digest(&record.text().unwrap())
}

/// Answers to hand in with a record.
pub(super) fn outputs(texts: &[&str]) -> Contents {
    let outputs = texts.iter().map(|text| (digest(text), (*text).to_owned())).collect();
    Contents { outputs, parts: BTreeMap::new() }
}

/// A snapshot as new records have it.
pub(super) fn kept(snapshot: &Snapshot) -> RecordedSnapshot {
    RecordedSnapshot::keep(snapshot, &mut Contents::default()).unwrap()
}

/// A snapshot as records of format 1 have it, which needs nothing beside the record.
pub(super) fn whole(snapshot: &Snapshot) -> RecordedSnapshot {
    let whole = |part: &PartSnapshot| RecordedPart::Whole(Box::new(part.clone()));
    RecordedSnapshot {
        parts: snapshot.parts.iter().map(|(id, part)| (id.clone(), whole(part))).collect(),
        project_file: snapshot.project_file.clone(),
        policy: snapshot.policy.clone(),
        rest: snapshot.rest.clone(),
    }
}

/// A result of one trial with this answer.
pub(crate) fn result(case: &str, status: CaseStatus, answer: &str) -> CaseResult {
    let trial = TrialResult {
        number: 1,
        status: if status == CaseStatus::Passed { TrialStatus::Passed } else { TrialStatus::Failed },
        duration_ms: 1,
        grades: Box::default(),
        outcomes: Box::default(),
        answer: Some(digest(answer)),
        did_nothing: answer.is_empty(),
    };
    CaseResult {
        case: CaseId::from(case),
        set: Risk::from("access"),
        digest: digest("form"),
        question: Question::default(),
        trials: vec![trial],
        status,
    }
}

/// A trial that failed these of its three expectations.
pub(crate) fn failing_trial(failing: &[usize]) -> TrialResult {
    let mut trial = result("a", CaseStatus::Failed, "no").trials.remove(0);
    let grade =
        |index: usize| GraderResult { grader: format!("grader-{index}").into(), pass: Some(!failing.contains(&index)) };
    trial.grades = (0..3).map(grade).collect();
    trial
}

/// An operation with this outcome.
pub(crate) fn operation(id: &str, outcome: Outcome) -> (OperationId, Outcome) {
    (OperationId::from(id), outcome)
}
