//! From a recorded run to a record in the baseline.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::baseline::{self, AcceptError, Contents, FewerTrials, reviewed_digest};
use crate::domain::{CaseId, CaseStatus, Digest, RunId, TrialStatus};
use crate::evidence::Form;
use crate::grading::{CaseResult, TrialResult};
use crate::store::{PlannedCase, PlannedForm, RunHeader, RunKind, RunRecord, RunSummary, Store};

use super::accepted::{open_ledger, require_all_records};
use super::{PipelineError, times};

/// What is to be accepted, by whom and why.
#[derive(Clone, Debug)]
pub struct AcceptRequest<'a> {
    /// The project's folder.
    pub project_root: &'a Path,
    /// The run: its id, the beginning of it, or `latest`.
    pub run: &'a str,
    /// Who accepts.
    pub by: &'a str,
    /// Why.
    pub reason: &'a str,
    /// The digest of the results as the report showed it, or its first digits; whatever the run holds where none was given.
    pub reviewed: Option<&'a str>,
    /// These cases alone; all of the run where there are none.
    pub cases: BTreeSet<CaseId>,
}

/// What was accepted.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The run.
    pub run: RunId,
    /// The record that was appended.
    pub record: Digest,
    /// How many results it holds.
    pub cases: usize,
    /// The accepted cases that failed: they no longer block.
    pub known_failures: Vec<CaseId>,
    /// The accepted cases that ran in fewer trials than were accepted of them before.
    pub fewer_trials: Vec<FewerTrials>,
    /// Cases that the project no longer has, and that are no longer expected.
    pub removed: Vec<CaseId>,
}

/// Accepts what a recorded run measured.
///
/// # Errors
/// When there is no such run, it was cut off, or its results cannot be accepted as they are.
pub fn accept(request: &AcceptRequest<'_>) -> Result<Accepted, PipelineError> {
    let store = Store::of_project(request.project_root);
    let run = store.find_run(request.run)?;
    let record = store.read_run(&run)?;
    require_whole(&record)?;
    let header = &record.header;
    let results = results(&record);
    let reviewed = require_reviewed(&record, &results, request.reviewed)?;
    let selected: BTreeSet<CaseId> = header.cases.keys().cloned().collect();
    let left_out = header.project_cases.difference(&selected).cloned().collect();
    let mut ledger = open_ledger(request.project_root)?;
    require_all_records(request.project_root, &ledger)?;
    let acceptance = baseline::accept(
        &baseline::AcceptRequest {
            by: request.by,
            reason: request.reason,
            accepted: &times::now(),
            run: &run,
            reviewed: &reviewed,
            commit: header.commit.as_deref(),
            fingerprint: &header.fingerprint,
            snapshot: &header.snapshot,
            run_heads: &header.baseline_heads,
            results: &results,
            answers: &answers(&record),
            selected: &selected,
            left_out: &left_out,
            only: (!request.cases.is_empty()).then_some(&request.cases),
            covers: header.covers,
        },
        &ledger,
    )?;
    let digest = ledger.append(&acceptance.record, &acceptance.contents)?;
    let baseline::Acceptance { record, known_failures, fewer_trials, .. } = acceptance;
    let (cases, removed) = (record.cases.len(), record.removed);
    Ok(Accepted { run, record: digest, cases, known_failures, fewer_trials, removed })
}

/// Takes the record whose digest begins with `record` out of force, by appending.
///
/// # Errors
/// When there is no such record, or it is out of force already.
pub fn revoke(project_root: &Path, record: &str, by: &str, reason: &str) -> Result<Digest, PipelineError> {
    let mut ledger = open_ledger(project_root)?;
    let digest = ledger.find(record)?.clone();
    let revocation = baseline::revoke(&[digest], by, reason, &times::now(), &ledger)?;
    Ok(ledger.append(&revocation, &Contents::default())?)
}

/// A run that was cut off, cancelled, paused or out of time shows only a part of what it set out to show.
pub(super) fn require_whole(record: &RunRecord) -> Result<(), PipelineError> {
    let run = &record.header.run;
    if record.header.kind == RunKind::Imported {
        let text = format!(
            "run {run} was imported: it shows what another tool scored; run its cases here and accept that run"
        );
        return Err(PipelineError::NotAcceptable(text));
    }
    if let Some(of) = &record.header.part {
        let text = format!(
            "run {run} is {} alone, and nothing is known of the others: put all parts together with `holdpoint merge` and \
             accept that run",
            of.part
        );
        return Err(PipelineError::NotAcceptable(text));
    }
    if record.header.paused {
        let text = format!("run {run} ran nothing, since the project was paused: end the pause and run again");
        return Err(PipelineError::NotAcceptable(text));
    }
    match &record.summary {
        Some(RunSummary { verdict, .. }) if ["cancelled", "paused"].contains(&verdict.as_str()) => {
            Err(PipelineError::NotAcceptable(format!("run {run} was {verdict}: run it again to its end")))
        }
        Some(RunSummary { verdict, .. }) if verdict == RunSummary::TIME_LIMIT => {
            let text = format!("run {run} was out of time before its end: finish it with `--resume {run}`");
            Err(PipelineError::NotAcceptable(text))
        }
        Some(RunSummary { lost_evidence, .. }) if !lost_evidence.is_empty() => {
            let text = format!("run {run} shows nothing that could be accepted: {}", lost_evidence.join("; "));
            Err(PipelineError::NotAcceptable(text))
        }
        Some(_) => Ok(()),
        None => Err(PipelineError::NotAcceptable(format!("run {run} was cut off: run it again to its end"))),
    }
}

/// The digest of a run's results, as they stand in its record now.
pub(super) fn digest_of(record: &RunRecord, results: &[CaseResult]) -> Result<Digest, PipelineError> {
    let RunHeader { run, fingerprint, snapshot, .. } = &record.header;
    reviewed_digest(fingerprint, snapshot, results)
        .map_err(|error| PipelineError::NotAcceptable(format!("the results of run {run} have no digest: {error}")))
}

/// A sentence where the results in the record, which have this digest now, are not those that the run wrote at its end.
pub(super) fn changed_after(record: &RunRecord, digest: &Digest) -> Option<String> {
    let run = &record.header.run;
    let written = record.summary.as_ref()?.results.as_ref().filter(|written| *written != digest)?;
    Some(format!(
        "the record of run {run} was changed after the run: its results had the digest {} and have {} now",
        written.short(),
        digest.short()
    ))
}

/// What is accepted is what the run wrote at its end and, where that was said, what a person looked at.
fn require_reviewed(
    record: &RunRecord,
    results: &[CaseResult],
    reviewed: Option<&str>,
) -> Result<Digest, PipelineError> {
    let run = &record.header.run;
    let refused = |text: String| Err(PipelineError::NotAcceptable(text));
    let digest = digest_of(record, results)?;
    if let Some(changed) = changed_after(record, &digest) {
        return refused(changed);
    }
    let Some(reviewed) = reviewed else { return Ok(digest) };
    let wanted = reviewed.strip_prefix("sha256:").unwrap_or(reviewed);
    if wanted.len() < digest.short().len() {
        return refused(format!("give at least {} digits of the digest of what was reviewed", digest.short().len()));
    }
    if !digest.hex().starts_with(wanted) {
        return refused(format!(
            "run {run} holds other results than were reviewed: they have the digest {}, not {wanted}; look at its report",
            digest.short()
        ));
    }
    Ok(digest)
}

/// The texts that the head forms answered with, by digest.
fn answers(record: &RunRecord) -> BTreeMap<Digest, String> {
    let heads = record.trials.iter().filter(|trial| trial.observation.form == Form::Head);
    let answers = heads.filter_map(|trial| trial.observation.last_answer());
    answers.map(|answer| (Digest::of(answer.text.as_bytes()), answer.text.clone())).collect()
}

/// The results of the head forms. A case of which trials are missing is errored: it is never accepted.
pub(super) fn results(record: &RunRecord) -> Vec<CaseResult> {
    results_in(record, Form::Head, |planned| {
        Some(PlannedForm { digest: planned.digest.clone(), question: planned.question.clone(), trials: planned.trials })
    })
}

/// The results of the forms that the base had.
pub(super) fn old_forms(record: &RunRecord) -> Vec<CaseResult> {
    results_in(record, Form::Base, |planned| planned.old_form.clone())
}

fn results_in(
    record: &RunRecord,
    form: Form,
    planned_form: impl Fn(&PlannedCase) -> Option<PlannedForm>,
) -> Vec<CaseResult> {
    let mut trials: BTreeMap<&CaseId, Vec<TrialResult>> = BTreeMap::new();
    for trial in record.trials.iter().filter(|trial| trial.observation.form == form) {
        trials.entry(&trial.observation.case).or_default().push(TrialResult::of(trial));
    }
    let result = |(id, planned): (&CaseId, &PlannedCase)| {
        let PlannedForm { digest, question, trials: asked } = planned_form(planned)?;
        let trials = trials.remove(id)?;
        let statuses: Vec<TrialStatus> = trials.iter().map(|trial| trial.status).collect();
        let whole = trials.iter().map(|trial| trial.number).eq(1..=asked);
        let status = if whole { CaseStatus::of_trials(&statuses) } else { CaseStatus::Errored };
        Some(CaseResult { case: id.clone(), set: planned.set.clone(), digest, question, trials, status })
    };
    record.header.cases.iter().filter_map(result).collect()
}

impl From<AcceptError> for PipelineError {
    fn from(error: AcceptError) -> Self {
        Self::NotAcceptable(error.to_string())
    }
}
