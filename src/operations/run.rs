//! From a recorded run to an account.

use std::collections::BTreeMap;

use crate::change::Snapshot;
use crate::domain::{CaseId, CaseStatus, Digest, Outcome, RunId, TrialStatus, counted};
use crate::evidence::{Form, OperationSeen};
use crate::grading::{DoNothing, GradedTrial};

use super::account::{Account, CaseAccount, OperationAccount, Source, sentence};
use super::contract::Contract;

/// A recorded run, as far as papers need it.
#[derive(Clone, Debug)]
pub struct RunSource<'a> {
    /// The run.
    pub run: &'a RunId,
    /// When it began, RFC 3339.
    pub started: &'a str,
    /// When it ended; `None` for a run that was cut off.
    pub finished: Option<&'a str>,
    /// Its verdict in a word; as `finished`.
    pub verdict: Option<&'a str>,
    /// The commit it ran on, where there is one.
    pub commit: Option<&'a str>,
    /// The digest over its parts.
    pub fingerprint: &'a Digest,
    /// Its parts.
    pub snapshot: &'a Snapshot,
    /// The cases that it set out to run.
    pub cases: BTreeMap<&'a CaseId, RunCase<'a>>,
    /// The trials that were recorded.
    pub trials: Vec<&'a GradedTrial>,
}

/// A case that a run set out to execute.
#[derive(Clone, Copy, Debug)]
pub struct RunCase<'a> {
    /// What holds when it passes, where the record has it.
    pub title: Option<&'a str>,
    /// The digest of its form.
    pub digest: &'a Digest,
    /// How many trials of it were to run.
    pub trials: u32,
    /// Whether the runner saw its workflow's calls.
    pub calls_seen: bool,
    /// Whether a workflow that does nothing would pass it, where the record has it.
    pub do_nothing: Option<DoNothing>,
}

/// The account of a run. Cases that ran in the base's form too are accounted for in the head's alone, and the remarks say
/// so; a case whose trials are not all recorded is errored and stays in every denominator.
pub fn account_of_run(source: &RunSource<'_>) -> Account {
    let heads: Vec<&GradedTrial> =
        source.trials.iter().copied().filter(|trial| trial.observation.form == Form::Head).collect();
    let mut by_case: BTreeMap<&CaseId, Vec<&GradedTrial>> = BTreeMap::new();
    for trial in &heads {
        by_case.entry(&trial.observation.case).or_default().push(trial);
    }
    let trials_of = |id: &CaseId| by_case.get(id).map(Vec::as_slice).unwrap_or_default();
    let cases: Vec<CaseAccount> = source.cases.iter().map(|(id, case)| case_account(id, case, trials_of(id))).collect();
    let mut operations: Vec<OperationAccount> = heads.iter().flat_map(|trial| operations_of(trial, source)).collect();
    let mut remarks = remarks(source, &heads);
    let unobserved = operations.iter().filter(|operation| !operation.attempts_observed).count();
    if unobserved > 0 {
        let count = counted(unobserved, "operation");
        remarks
            .push(format!("The calls of {count} went past the runner: attempts and faults there were not observed."));
    }
    operations.sort_by(|a, b| (&a.case, a.trial, &a.operation).cmp(&(&b.case, b.trial, &b.operation)));
    Account {
        source: Source::Run {
            run: source.run.clone(),
            started: source.started.to_owned(),
            finished: source.finished.map(str::to_owned),
            verdict: source.verdict.map(str::to_owned),
            commit: source.commit.map(str::to_owned),
            fingerprint: source.fingerprint.clone(),
        },
        results: cases.iter().filter_map(|case| Some((case.case.clone(), case.status?))).collect(),
        cases,
        operations,
        effort: BTreeMap::new(),
        costs: Vec::new(),
        statements: Vec::new(),
        remarks,
    }
}

fn remarks(source: &RunSource<'_>, heads: &[&GradedTrial]) -> Vec<String> {
    let mut remarks =
        vec!["A run shows how the workflow behaved in these cases. It is no measurement of live traffic.".to_owned()];
    let base_forms = source.trials.len() - heads.len();
    if base_forms > 0 {
        remarks.push(format!("Left out: {} of edited cases in their old form.", counted(base_forms, "trial")));
    }
    let errored = heads.iter().filter(|trial| trial.observation.error.is_some()).count();
    if errored > 0 {
        let count = counted(errored, "trial");
        remarks.push(format!("{count} came to no answer; what operations left there is shown as far as it was seen."));
    }
    if source.finished.is_none() {
        remarks.push("The run was cut off: what it did not record is missing here.".to_owned());
    }
    remarks
}

fn case_account(id: &CaseId, case: &RunCase<'_>, trials: &[&GradedTrial]) -> CaseAccount {
    let statuses: Vec<TrialStatus> = trials.iter().map(|trial| trial.status).collect();
    let is_complete = usize::try_from(case.trials).is_ok_and(|wanted| wanted == statuses.len());
    let status = if is_complete { CaseStatus::of_trials(&statuses) } else { CaseStatus::Errored };
    let machine_ms = (!trials.is_empty()).then(|| trials.iter().map(|trial| trial.observation.duration_ms).sum());
    CaseAccount {
        case: id.as_str().to_owned(),
        intended: case.title.map(str::to_owned),
        digest: Some(case.digest.clone()),
        eligible: true,
        status: Some(status),
        machine_ms,
        do_nothing: case.do_nothing,
        ..CaseAccount::default()
    }
}

fn operations_of<'a>(trial: &'a GradedTrial, source: &'a RunSource<'_>) -> impl Iterator<Item = OperationAccount> + 'a {
    trial.observation.operations.iter().map(move |seen| {
        let observation = &trial.observation;
        let claim = observation.last_claim(&seen.operation);
        let call = seen.attempts.iter().rev().find_map(|attempt| attempt.call.as_ref());
        OperationAccount {
            operation: seen.operation.clone(),
            case: observation.case.clone(),
            trial: Some(observation.trial),
            action: call.map(ToString::to_string),
            intended: source.cases.get(&observation.case).and_then(|case| case.title).map(str::to_owned),
            waits_for: Vec::new(),
            outcome: seen.outcome,
            claim,
            claim_check: crate::evidence::check_claim(seen.outcome, claim),
            attempts_observed: !seen.attempts.is_empty()
                || source.cases.get(&observation.case).is_some_and(|case| case.calls_seen),
            attempts: seen.attempts.clone(),
            effects: effects_of(seen),
            grounds: seen.grounds().map(sentence).collect(),
            contract: call.and_then(|call| Contract::of_call(source.snapshot, call)),
            right: match trial.status {
                TrialStatus::Passed => Some(true),
                TrialStatus::Failed => Some(false),
                TrialStatus::Uncertain | TrialStatus::Errored => None,
            },
            owner: None,
            resolution: None,
        }
    })
}

/// How many effects are established: an uncertain look that showed none establishes nothing.
fn effects_of(seen: &OperationSeen) -> Option<usize> {
    (seen.outcome != Outcome::Uncertain || seen.effects > 0).then_some(seen.effects)
}
