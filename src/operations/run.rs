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

/// The account of a run whose trials are all at hand; see [`RunAccount`].
pub fn account_of_run<'t>(source: RunSource<'_>, trials: impl IntoIterator<Item = &'t GradedTrial>) -> Account {
    let mut account = RunAccount::new(source);
    trials.into_iter().for_each(|trial| account.add(trial));
    account.finish()
}

/// The account of a run, made from one trial after the other, so that no trial is kept for it. Cases that ran in the base's form too
/// are accounted for in the head's alone, and the remarks say so; a case whose trials are not all recorded is errored and stays in
/// every denominator.
#[derive(Debug)]
pub struct RunAccount<'a> {
    source: RunSource<'a>,
    ended: BTreeMap<CaseId, Ended>,
    operations: Vec<OperationAccount>,
    base_forms: usize,
    errored: usize,
}

/// How the trials of a case ended.
#[derive(Debug, Default)]
struct Ended {
    statuses: Vec<TrialStatus>,
    machine_ms: u64,
}

impl<'a> RunAccount<'a> {
    /// Of a run none of whose trials has been looked at yet.
    pub fn new(source: RunSource<'a>) -> Self {
        Self { source, ended: BTreeMap::new(), operations: Vec::new(), base_forms: 0, errored: 0 }
    }

    /// Takes one more recorded trial.
    pub fn add(&mut self, trial: &GradedTrial) {
        let observation = &trial.observation;
        if observation.form != Form::Head {
            self.base_forms += 1;
            return;
        }
        let ended = self.ended.entry(observation.case.clone()).or_default();
        ended.statuses.push(trial.status);
        ended.machine_ms += observation.duration_ms;
        self.errored += usize::from(observation.error.is_some());
        self.operations.extend(operations_of(trial, &self.source));
    }

    /// The account of all that was taken.
    pub fn finish(self) -> Account {
        let mut remarks = self.remarks();
        let Self { source, ended, mut operations, .. } = self;
        let cases: Vec<CaseAccount> =
            source.cases.iter().map(|(id, case)| case_account(id, case, ended.get(*id))).collect();
        let unobserved = operations.iter().filter(|operation| !operation.attempts_observed).count();
        if unobserved > 0 {
            let count = counted(unobserved, "operation");
            remarks.push(format!(
                "The calls of {count} went past the runner: attempts and faults there were not observed."
            ));
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

    fn remarks(&self) -> Vec<String> {
        let mut remarks = vec![
            "A run shows how the workflow behaved in these cases. It is no measurement of live traffic.".to_owned(),
        ];
        if self.base_forms > 0 {
            remarks.push(format!("Left out: {} of edited cases in their old form.", counted(self.base_forms, "trial")));
        }
        if self.errored > 0 {
            let count = counted(self.errored, "trial");
            remarks
                .push(format!("{count} came to no answer; what operations left there is shown as far as it was seen."));
        }
        if self.source.finished.is_none() {
            remarks.push("The run was cut off: what it did not record is missing here.".to_owned());
        }
        remarks
    }
}

fn case_account(id: &CaseId, case: &RunCase<'_>, ended: Option<&Ended>) -> CaseAccount {
    let statuses = ended.map(|ended| ended.statuses.as_slice()).unwrap_or_default();
    let is_complete = usize::try_from(case.trials).is_ok_and(|wanted| wanted == statuses.len());
    let status = if is_complete { CaseStatus::of_trials(statuses) } else { CaseStatus::Errored };
    CaseAccount {
        intended: case.title.map(str::to_owned),
        digest: Some(case.digest.clone()),
        status: Some(status),
        machine_ms: ended.map(|ended| ended.machine_ms),
        do_nothing: case.do_nothing,
        ..CaseAccount::named(id.clone())
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
