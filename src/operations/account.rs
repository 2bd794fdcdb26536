//! The account: what is known of cases and operations, whichever source it came from.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{CaseId, CaseStatus, Claim, ClaimCheck, Digest, OperationId, Outcome, RunId};
use crate::evidence::AttemptSeen;
use crate::grading::DoNothing;

use super::contract::Contract;

/// Where an account comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Source {
    /// A recorded run.
    Run {
        /// The run.
        run: RunId,
        /// When it began, RFC 3339.
        started: String,
        /// When it ended; `None` for a run that was cut off.
        finished: Option<String>,
        /// Its verdict in a word; as `finished`.
        verdict: Option<String>,
        /// The commit it ran on, where there is one.
        commit: Option<String>,
        /// The digest over the parts that produced the results.
        fingerprint: Digest,
    },
    /// An operation ledger.
    Ledger {
        /// The workflow that it names.
        workflow: String,
        /// The digest of the file.
        digest: Digest,
        /// How many entries it has.
        entries: usize,
        /// The time of its first entry, RFC 3339.
        first: String,
        /// The time of its last entry. What is said of ages is said as of then.
        last: String,
    },
}

/// All that is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Where it comes from.
    pub source: Source,
    /// The cases, by id.
    pub cases: Vec<CaseAccount>,
    /// How the checks of every case of the run ended, also of those that this account leaves out; empty for a ledger.
    pub results: BTreeMap<CaseId, CaseStatus>,
    /// The operations, by case, trial and id.
    pub operations: Vec<OperationAccount>,
    /// Effort that belongs to no single case, in minutes by kind.
    pub effort: BTreeMap<String, f64>,
    /// Cost that belongs to no single case.
    pub costs: Vec<CostAccount>,
    /// What persons stated, in order.
    pub statements: Vec<Statement>,
    /// What a reader should know of the account itself, a sentence each.
    pub remarks: Vec<String>,
}

/// One case: in a run a case of the project, in a ledger one piece of the workflow's real work.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseAccount {
    /// The case.
    pub case: CaseId,
    /// What should have come of it.
    pub intended: Option<String>,
    /// The digest of the form that ran.
    pub digest: Option<Digest>,
    /// Whether the workflow was meant for it.
    pub eligible: bool,
    /// How its checks ended, in a run.
    pub status: Option<CaseStatus>,
    /// Whether a workflow that does nothing would pass its checks, in a run.
    pub do_nothing: Option<DoNothing>,
    /// Time that the machine took, in milliseconds, in a run.
    pub machine_ms: Option<u64>,
    /// The reviewers' decisions, in order.
    pub decisions: Vec<Decision>,
    /// Whether it was ever put into the review queue.
    pub was_queued: bool,
    /// For how many minutes it has been waiting for a review, where it waits.
    pub waiting_minutes: Option<f64>,
    /// Effort in minutes, by kind.
    pub effort: BTreeMap<String, f64>,
    /// Cost, by currency.
    pub costs: Vec<CostAccount>,
}

/// What a reviewer decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Taken as it is.
    Accepted,
    /// Taken after the reviewer had corrected it.
    Corrected,
    /// Sent back.
    Returned,
}

/// A cost, where one is known. Amounts are in millionths of the currency's unit, so that sums are exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostAccount {
    /// The currency, ISO 4217.
    pub currency: String,
    /// What the model cost.
    pub model_millionths: Option<i64>,
    /// What the tools cost.
    pub tool_millionths: Option<i64>,
}

/// One intended business action.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationAccount {
    /// The operation.
    pub operation: OperationId,
    /// Its case.
    pub case: CaseId,
    /// The trial of the case, in a run.
    pub trial: Option<u32>,
    /// What is done: a connector's operation, or an action that a ledger names.
    pub action: Option<String>,
    /// What should have come of it.
    pub intended: Option<String>,
    /// Operations that must be verified first and are not.
    pub waits_for: Vec<OperationId>,
    /// What the evidence supports.
    pub outcome: Outcome,
    /// What the workflow last claimed.
    pub claim: Option<Claim>,
    /// The claim against the evidence.
    pub claim_check: ClaimCheck,
    /// Whether attempts could be seen at all; where not, an empty list says nothing.
    pub attempts_observed: bool,
    /// The attempts, in order.
    pub attempts: Vec<AttemptSeen>,
    /// How many effects the target shows; `None` where that is not established.
    pub effects: Option<usize>,
    /// What looks at the target showed, and the conclusion, a sentence each.
    pub grounds: Vec<String>,
    /// What the target promises and who may decide, where that is known.
    pub contract: Option<Contract>,
    /// Whether it ended as it should: by the case's expectations in a run, by a person's judgement of a refusal in a ledger.
    pub right: Option<bool>,
    /// Who is answerable for it now.
    pub owner: Option<String>,
    /// How a person closed it.
    pub resolution: Option<Resolution>,
}

/// How a person closed an exception.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resolution {
    /// Who.
    pub by: String,
    /// What that rests on: a reference.
    pub evidence: String,
}

/// What a person stated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    /// What it is about.
    pub about: StatementKind,
    /// When it was stated, where that is known.
    pub at: Option<String>,
    /// The operation, where it concerns one.
    pub operation: Option<OperationId>,
    /// What was stated.
    pub text: String,
    /// By whom.
    pub by: Option<String>,
    /// For when, where it lies ahead.
    pub due: Option<String>,
}

/// What a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatementKind {
    /// What keeps the damage from growing.
    Containment,
    /// What is affected.
    Scope,
    /// What nobody knows yet.
    Question,
    /// What was looked at, and what it showed.
    Check,
    /// What is looked at next.
    NextCheck,
    /// Why it happened.
    Cause,
    /// The change that would prevent it or show it earlier.
    Change,
    /// The case that verifies the change.
    Verification,
}

impl Account {
    /// The account of these cases and operations alone: every operation whose id or whose case's id is named. `None` where a
    /// name fits nothing.
    pub fn about(&self, names: &[String]) -> Result<Self, String> {
        if names.is_empty() {
            return Ok(self.clone());
        }
        let fits = |operation: &OperationAccount, name: &String| {
            operation.operation.as_str() == name || operation.case.as_str() == name
        };
        let unknown = names.iter().find(|name| {
            !self.operations.iter().any(|operation| fits(operation, name))
                && !self.cases.iter().any(|case| case.case.as_str() == *name)
        });
        if let Some(unknown) = unknown {
            return Err(unknown.clone());
        }
        Ok(self.kept(
            |operation| names.iter().any(|name| fits(operation, name)),
            |case| names.iter().any(|name| case.case.as_str() == name),
        ))
    }

    /// The account of what an incident can be about, with a remark that counts the rest: an operation that was committed
    /// at the first attempt and truly claimed so needs no one's attention, nor does one that nobody began or claimed. A case
    /// that did not pass does, whatever its operations came to.
    #[must_use]
    pub fn notable(&self) -> Self {
        let mut kept = self.kept(|operation| operation.is_notable(), |case| fallen(case.status).is_some());
        let rest = self.operations.len() - kept.operations.len();
        if rest > 0 {
            kept.remarks.push(format!(
                "{rest} of {} operations are left out: committed at the first attempt and claimed so, or neither begun nor claimed.",
                self.operations.len()
            ));
        }
        kept
    }

    /// The account of the operations that `keep` says, their cases, and the cases that `keep_case` says.
    fn kept(&self, keep: impl Fn(&OperationAccount) -> bool, keep_case: impl Fn(&CaseAccount) -> bool) -> Self {
        let operations: Vec<OperationAccount> =
            self.operations.iter().filter(|operation| keep(operation)).cloned().collect();
        let concerns =
            |case: &CaseAccount| keep_case(case) || operations.iter().any(|operation| operation.case == case.case);
        let cases = self.cases.iter().filter(|case| concerns(case)).cloned().collect();
        let is_kept = |operation: &OperationId| operations.iter().any(|kept| kept.operation == *operation);
        let statements = self
            .statements
            .iter()
            .filter(|statement| statement.operation.as_ref().is_none_or(is_kept))
            .cloned()
            .collect();
        // Field by field: to copy the rest with `..self.clone()` would copy what is left out as well.
        Self {
            source: self.source.clone(),
            cases,
            results: self.results.clone(),
            operations,
            effort: self.effort.clone(),
            costs: self.costs.clone(),
            statements,
            remarks: self.remarks.clone(),
        }
    }

    /// What persons stated about one thing.
    pub(super) fn stated(&self, about: StatementKind) -> Vec<Statement> {
        self.statements.iter().filter(|statement| statement.about == about).cloned().collect()
    }
}

impl CaseAccount {
    /// A case that the workflow was meant for, of which nothing else is known.
    pub(super) fn named(case: CaseId) -> Self {
        Self {
            case,
            intended: None,
            digest: None,
            eligible: true,
            status: None,
            do_nothing: None,
            machine_ms: None,
            decisions: Vec::new(),
            was_queued: false,
            waiting_minutes: None,
            effort: BTreeMap::new(),
            costs: Vec::new(),
        }
    }
}

impl OperationAccount {
    /// Whether someone still has to do something about it.
    pub fn is_open(&self) -> bool {
        self.resolution.is_none() && self.is_exception()
    }

    /// Whether it ended in a way that the workflow cannot leave at that.
    pub fn is_exception(&self) -> bool {
        use Outcome::{Committed, Duplicated, Mismatched, NotCommitted, NotStarted, Rejected, Replayed, Uncertain};
        // Handed to a person, who has not acted yet; or told otherwise than it is, which misleads whoever reads it.
        let is_handed_over = matches!(self.claim, Some(Claim::Held | Claim::Unknown));
        let is_told_wrongly = matches!(self.claim_check, ClaimCheck::FalseFailure | ClaimCheck::FalseSuccess);
        match self.outcome {
            Duplicated | Mismatched | NotCommitted | Uncertain => true,
            NotStarted | Committed | Replayed | Rejected => is_handed_over || is_told_wrongly,
        }
    }

    /// Whether exactly one effect is verified, with the right parameters.
    pub fn is_done(&self) -> bool {
        matches!(self.outcome, Outcome::Committed | Outcome::Replayed)
    }

    /// How many attempts were made; `None` where they could not be seen.
    pub fn attempts_made(&self) -> Option<usize> {
        self.attempts_observed.then_some(self.attempts.len())
    }

    /// Whether the workflow or its target refused it.
    pub fn is_refusal(&self) -> bool {
        self.outcome == Outcome::Rejected || self.outcome == Outcome::NotStarted && self.claim == Some(Claim::Rejected)
    }

    /// See [`Account::notable`].
    fn is_notable(&self) -> bool {
        let has_fault = self.attempts.iter().any(|attempt| attempt.fault.is_some());
        let plainly_done = self.outcome == Outcome::Committed
            && self.attempts.len() <= 1
            && matches!(self.claim_check, ClaimCheck::Confirmed | ClaimCheck::Silent);
        let never_meant = self.outcome == Outcome::NotStarted && self.claim.is_none();
        has_fault || !(plainly_done || never_meant) || self.is_exception()
    }

    /// How a paper names it: the operation, its case, and the trial in a run.
    pub(super) fn place(&self) -> Place {
        Place { operation: self.operation.clone(), case: self.case.clone(), trial: self.trial }
    }
}

/// How a case ended that did not pass; `None` for one that passed, or of which no result is known.
pub(super) fn fallen(status: Option<CaseStatus>) -> Option<CaseStatus> {
    status.filter(|status| *status != CaseStatus::Passed)
}

/// A sentence of evidence with its full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?', '…']) { text.to_owned() } else { format!("{text}.") }
}

/// Where the records of an operation are found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The operation.
    pub operation: OperationId,
    /// Its case.
    pub case: CaseId,
    /// The trial of the case, in a run.
    pub trial: Option<u32>,
}

impl Place {
    /// In words.
    pub(super) fn text(&self) -> String {
        let (operation, case) =
            (super::reference::shown(self.operation.as_str()), super::reference::shown(self.case.as_str()));
        match self.trial {
            Some(trial) => format!("{operation} (case {case}, trial {trial})"),
            None => format!("{operation} (case {case})"),
        }
    }
}
