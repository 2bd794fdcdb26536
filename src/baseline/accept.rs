//! What a person accepts, as a record that is ready to be appended. Pure: time and identity are handed in.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::Snapshot;
use crate::domain::{Aspect, CaseId, CaseStatus, Digest, RunId};
use crate::grading::CaseResult;

use super::ledger::Ledger;
use super::record::{AcceptedCase, Baseline, Contents, RECORD_SCHEMA, Record, Scope};
use super::recorded_parts::RecordedSnapshot;

/// What is accepted, by whom and why.
#[derive(Clone, Copy, Debug)]
pub struct AcceptRequest<'a> {
    /// Who accepts.
    pub by: &'a str,
    /// Why.
    pub reason: &'a str,
    /// When, RFC 3339 in UTC.
    pub accepted: &'a str,
    /// The run.
    pub run: &'a RunId,
    /// The digest of all its results ([`super::reviewed_digest`]).
    pub reviewed: &'a Digest,
    /// The commit that was run, where there was one.
    pub commit: Option<&'a str>,
    /// The fingerprint of the parts that were run.
    pub fingerprint: &'a Digest,
    /// The parts as they were run.
    pub snapshot: &'a Snapshot,
    /// The baseline's heads that the run was compared with.
    pub run_heads: &'a [Digest],
    /// The results of the head's cases.
    pub results: &'a [CaseResult],
    /// The texts of their answers, by digest.
    pub answers: &'a BTreeMap<Digest, String>,
    /// The cases that were to run.
    pub selected: &'a BTreeSet<CaseId>,
    /// The cases that the plan left out.
    pub left_out: &'a BTreeSet<CaseId>,
    /// The named cases alone; `None` for the whole run.
    pub only: Option<&'a BTreeSet<CaseId>>,
    /// Whether every case that any change since the accepted parts puts at risk was run, so that the run may become
    /// the new base. Where it is false the accepted parts stay as they are: what was not run is still to be shown.
    pub covers: bool,
}

/// A record to append, with what a person should be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Acceptance {
    /// The record.
    pub record: Record,
    /// The answers and the parts that it refers to.
    pub contents: Contents,
    /// The accepted cases that failed: they become known failures, which no longer block.
    pub known_failures: Vec<CaseId>,
    /// The accepted cases that ran in fewer trials than the head of the ledger has of them: what happens now and then shows
    /// less from now on.
    pub fewer_trials: Vec<FewerTrials>,
}

/// A case that is accepted with fewer trials than were accepted before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FewerTrials {
    /// The case.
    pub case: CaseId,
    /// Trials that were accepted before.
    pub before: u32,
    /// Trials that are accepted now.
    pub now: u32,
}

/// Why something cannot be accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AcceptError {
    /// A name or a reason is missing.
    #[error("an acceptance needs {0}")]
    Missing(&'static str),
    /// The run was held against something that is no longer in force.
    #[error("run {run} was made before the newest acceptance: run it again, and look at what differs now")]
    Stale {
        /// The run.
        run: RunId,
    },
    /// Names that the run does not know.
    #[error("the run knows no case of this name: {}", listed(.0))]
    UnknownCases(Vec<CaseId>),
    /// Cases that have no result.
    #[error("these cases have no result in the run: {}", listed(.0))]
    NotRun(Vec<CaseId>),
    /// Cases whose results show nothing that could be accepted.
    #[error("a result without a conclusion cannot be accepted: {}; name the other cases with `--case`", with_status(.0))]
    Undecided(Vec<(CaseId, CaseStatus)>),
    /// All of it is in force already.
    #[error("all of this is in force already: there is nothing to accept")]
    NothingNew,
    /// Parts that cannot be written down.
    #[error("the parts have no form in JSON: {0}")]
    NoForm(String),
    /// A result whose answer was not handed in.
    #[error("the answer of {0} is not to be had, so that nobody could be shown later what was accepted")]
    NoAnswer(CaseId),
    /// A record that cannot be revoked.
    #[error("record {} cannot be revoked: {why}", record.short())]
    NotRevocable {
        /// The record.
        record: Digest,
        /// Why not.
        why: &'static str,
    },
}

fn listed(cases: &[CaseId]) -> String {
    cases.iter().map(CaseId::as_str).collect::<Vec<_>>().join(", ")
}

fn with_status(cases: &[(CaseId, CaseStatus)]) -> String {
    cases.iter().map(|(case, status)| format!("{case} is {status}")).collect::<Vec<_>>().join(", ")
}

/// Makes the record that accepts a run, or named cases of it. It holds only what is not in force already, and the parts
/// as the new base only for a whole run that covers all that changed ([`AcceptRequest::covers`]).
///
/// # Errors
/// See [`AcceptError`]. Nothing is accepted in part: one case that cannot be accepted refuses the whole.
pub fn accept(request: &AcceptRequest<'_>, ledger: &Ledger) -> Result<Acceptance, AcceptError> {
    signed(request.by, request.reason)?;
    fresh(request, ledger)?;
    let baseline = ledger.fold();
    let known = known_cases(&baseline);
    let is_gone =
        |case: &CaseId| known.contains(case) && !request.selected.contains(case) && !request.left_out.contains(case);
    let wanted = wanted(request, is_gone)?;
    let whole = request.only.is_none();
    let removed: Vec<CaseId> = known
        .iter()
        .filter(|case| is_gone(case) && request.only.is_none_or(|only| only.contains(**case)))
        .map(|case| (*case).clone())
        .collect();
    let mut contents = Contents::default();
    let mut cases = BTreeMap::new();
    for result in wanted {
        let accepted = AcceptedCase::of(result);
        if !in_force(&result.case, &accepted, &baseline) {
            if let Some(output) = &accepted.output {
                let text = request.answers.get(output).ok_or_else(|| AcceptError::NoAnswer(result.case.clone()))?;
                contents.outputs.insert(output.clone(), text.clone());
            }
            cases.insert(result.case.clone(), accepted);
        }
    }
    let same_parts = baseline.snapshot.as_ref() == Some(request.snapshot)
        && baseline.conflicts.iter().all(|conflict| conflict.case.is_some());
    let is_new_base = whole && request.covers;
    if cases.is_empty() && removed.is_empty() && (!is_new_base || same_parts) {
        return Err(AcceptError::NothingNew);
    }
    let snapshot = is_new_base.then(|| RecordedSnapshot::keep(request.snapshot, &mut contents)).transpose();
    let failed =
        |(case, accepted): (&CaseId, &AcceptedCase)| (accepted.status == CaseStatus::Failed).then(|| case.clone());
    let known_failures = cases.iter().filter_map(failed).collect();
    let fewer = |(case, accepted): (&CaseId, &AcceptedCase)| {
        let before = baseline.cases.get(case)?.case.trials;
        let fewer = FewerTrials { case: case.clone(), before, now: accepted.trials };
        (fewer.now < before).then_some(fewer)
    };
    let fewer_trials = cases.iter().filter_map(fewer).collect();
    let record = Record {
        schema: RECORD_SCHEMA.to_owned(),
        parents: ledger.heads(),
        by: request.by.trim().to_owned(),
        reason: request.reason.trim().to_owned(),
        accepted: request.accepted.to_owned(),
        run: request.run.clone(),
        reviewed: Some(request.reviewed.clone()),
        commit: request.commit.map(str::to_owned),
        fingerprint: request.fingerprint.clone(),
        scope: if whole { Scope::Run } else { Scope::Cases },
        snapshot: snapshot.map_err(|error| AcceptError::NoForm(error.to_string()))?,
        cases,
        removed,
        revokes: Vec::new(),
    };
    Ok(Acceptance { record, contents, known_failures, fewer_trials })
}

/// Makes the record that takes earlier ones out of force again.
///
/// # Errors
/// When a record is not in the ledger, is revoked already, or nobody signs.
pub fn revoke(
    revokes: &[Digest],
    by: &str,
    reason: &str,
    accepted: &str,
    ledger: &Ledger,
) -> Result<Record, AcceptError> {
    signed(by, reason)?;
    let revoked = ledger.revoked();
    for digest in revokes {
        let refused = |why| AcceptError::NotRevocable { record: digest.clone(), why };
        ledger.record(digest).ok_or_else(|| refused("the ledger does not have it"))?;
        if revoked.contains(digest) {
            return Err(refused("it is out of force already"));
        }
    }
    let first = revokes.first().and_then(|digest| ledger.record(digest));
    let first = first.ok_or(AcceptError::Missing("a record to revoke"))?;
    let mut revokes = revokes.to_vec();
    revokes.sort_unstable();
    revokes.dedup();
    Ok(Record {
        schema: RECORD_SCHEMA.to_owned(),
        parents: ledger.heads(),
        by: by.trim().to_owned(),
        reason: reason.trim().to_owned(),
        accepted: accepted.to_owned(),
        run: first.run.clone(),
        reviewed: None,
        commit: first.commit.clone(),
        fingerprint: first.fingerprint.clone(),
        scope: Scope::Revocation,
        snapshot: None,
        cases: BTreeMap::new(),
        removed: Vec::new(),
        revokes,
    })
}

fn signed(by: &str, reason: &str) -> Result<(), AcceptError> {
    if by.trim().is_empty() {
        return Err(AcceptError::Missing("the name of who accepts"));
    }
    if reason.trim().is_empty() {
        return Err(AcceptError::Missing("a reason"));
    }
    Ok(())
}

/// A run speaks of the baseline that it was compared with. What was accepted since then changes nothing of that
/// where it comes from the very same run.
fn fresh(request: &AcceptRequest<'_>, ledger: &Ledger) -> Result<(), AcceptError> {
    let from_this_run = |run: &RunId| run == request.run;
    let known = request.run_heads.iter().all(|head| ledger.record(head).is_some());
    let newer = ledger.newer_than(request.run_heads);
    let fresh = known && newer.iter().all(|record| from_this_run(&record.run) && record.scope != Scope::Revocation);
    if fresh { Ok(()) } else { Err(AcceptError::Stale { run: request.run.clone() }) }
}

/// The results that are to be accepted.
fn wanted<'a>(
    request: &AcceptRequest<'a>,
    is_gone: impl Fn(&CaseId) -> bool,
) -> Result<Vec<&'a CaseResult>, AcceptError> {
    let results: BTreeMap<&CaseId, &CaseResult> = request.results.iter().map(|result| (&result.case, result)).collect();
    let names = request.only.unwrap_or(request.selected);
    let knows = |case: &CaseId| request.selected.contains(case) || request.left_out.contains(case) || is_gone(case);
    let unknown: Vec<CaseId> = names.iter().filter(|case| !knows(case)).cloned().collect();
    if !unknown.is_empty() {
        return Err(AcceptError::UnknownCases(unknown));
    }
    let not_run: Vec<CaseId> =
        names.iter().filter(|case| !results.contains_key(case) && !is_gone(case)).cloned().collect();
    if !not_run.is_empty() {
        return Err(AcceptError::NotRun(not_run));
    }
    let wanted: Vec<&CaseResult> = names.iter().filter_map(|case| results.get(case).copied()).collect();
    let undecided: Vec<(CaseId, CaseStatus)> = wanted
        .iter()
        .filter(|result| !matches!(result.status, CaseStatus::Passed | CaseStatus::Failed))
        .map(|result| (result.case.clone(), result.status))
        .collect();
    if undecided.is_empty() { Ok(wanted) } else { Err(AcceptError::Undecided(undecided)) }
}

/// The cases that the baseline speaks of: those with a result in force, and those that one branch of a fork took out
/// and another accepted.
fn known_cases(baseline: &Baseline) -> BTreeSet<&CaseId> {
    let conflicting = baseline.conflicts.iter().filter_map(|conflict| conflict.case.as_ref());
    baseline.cases.keys().chain(conflicting).collect()
}

/// Whether the baseline says exactly this already, and no branch of a fork says otherwise.
fn in_force(case: &CaseId, accepted: &AcceptedCase, baseline: &Baseline) -> bool {
    let conflicting = baseline.conflicts.iter().any(|conflict| conflict.case.as_ref() == Some(case));
    !conflicting && baseline.cases.get(case).is_some_and(|entry| says_the_same(&entry.case, accepted))
}

/// A record of before it was kept what goes into a case says the same without it: the digest of the case covers it.
fn says_the_same(before: &AcceptedCase, accepted: &AcceptedCase) -> bool {
    if before.question.get(Aspect::Case).is_some() {
        return before == accepted;
    }
    let mut accepted = accepted.clone();
    accepted.question.forget(Aspect::Case);
    *before == accepted
}

#[cfg(test)]
mod tests;
