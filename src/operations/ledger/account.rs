//! From a ledger to an account. Outcomes are concluded from attempts and looks, by the rules of a run.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::domain::{CaseId, Claim, OperationId, Outcome};
use crate::evidence::{Answered, AttemptSeen, EffectSeen, Look, LookState, check_claim, conclude};
use crate::operations::account::{
    Account, CaseAccount, CostAccount, Decision, OperationAccount, Resolution, Source, Statement, StatementKind,
};
use crate::operations::contract::Contract;

use super::entry::{
    ActionContract, AnswerWord, AttemptEntry, CostEntry, DecisionWord, Entry, LookEntry, NoteEntry, OperationEntry,
};
use super::read::{Ledger, Line};

/// The account of a ledger. Ages are as of its last line: no clock is read.
pub fn account_of_ledger(ledger: &Ledger) -> Account {
    let mut draft = Draft::default();
    for line in &ledger.lines {
        draft.take(line);
    }
    let now = ledger.lines.last().map(|line| line.at);
    let end = |line: Option<&Line>| line.map(|line| line.entry.at().to_owned()).unwrap_or_default();
    let mut operations: Vec<OperationAccount> =
        draft.operations.iter().map(|(id, operation)| operation.account(id, &draft.actions)).collect();
    let verified: BTreeSet<OperationId> =
        operations.iter().filter(|operation| operation.is_done()).map(|done| done.operation.clone()).collect();
    for operation in &mut operations {
        operation.waits_for.retain(|id| !verified.contains(id));
    }
    operations.sort_by(|a, b| (&a.case, &a.operation).cmp(&(&b.case, &b.operation)));
    Account {
        source: Source::Ledger {
            workflow: draft.workflow,
            digest: ledger.digest.clone(),
            entries: ledger.lines.len(),
            first: end(ledger.lines.first()),
            last: end(ledger.lines.last()),
        },
        cases: draft.cases.into_values().map(|case| case.account(now)).collect(),
        results: BTreeMap::new(),
        operations,
        effort: draft.effort,
        costs: draft.costs,
        statements: draft.notes.into_iter().filter(|note| !note.is_answered).map(|note| note.statement).collect(),
        remarks: vec!["A ledger shows what the workflow wrote into it. What it left out is not here.".to_owned()],
    }
}

/// What the lines so far add up to.
#[derive(Default)]
struct Draft<'a> {
    workflow: String,
    actions: BTreeMap<&'a str, &'a ActionContract>,
    cases: BTreeMap<&'a str, CaseDraft>,
    operations: BTreeMap<&'a str, OperationDraft<'a>>,
    effort: BTreeMap<String, f64>,
    costs: Vec<CostAccount>,
    notes: Vec<NoteDraft<'a>>,
}

struct CaseDraft {
    account: CaseAccount,
    waits_since: Option<Timestamp>,
}

struct OperationDraft<'a> {
    intended: &'a OperationEntry,
    attempts: Vec<&'a AttemptEntry>,
    /// Looks by target; those from before the last attempt are taken out when it is made.
    looks: BTreeMap<&'a str, &'a LookEntry>,
    stale_looks: usize,
    claim: Option<Claim>,
    right: Option<bool>,
    owner: Option<String>,
    resolution: Option<Resolution>,
}

struct NoteDraft<'a> {
    id: Option<&'a str>,
    statement: Statement,
    is_answered: bool,
}

impl<'a> Draft<'a> {
    fn take(&mut self, line: &'a Line) {
        match &line.entry {
            Entry::Ledger(entry) => {
                self.workflow.clone_from(&entry.workflow.0);
                self.actions = entry.actions.iter().map(|(name, action)| (name.as_str(), action)).collect();
            }
            Entry::Case(entry) => {
                let account = CaseAccount {
                    intended: entry.intended.as_ref().map(|text| text.0.clone()),
                    eligible: entry.eligible,
                    ..CaseAccount::named(CaseId::new(entry.case.0.as_str()))
                };
                self.cases.insert(&entry.case.0, CaseDraft { account, waits_since: None });
            }
            Entry::Operation(entry) => {
                self.operations.insert(&entry.operation.0, OperationDraft::of(entry));
            }
            Entry::Queued(_) | Entry::Review(_) | Entry::Effort(_) | Entry::Cost(_) => self.take_work(line),
            Entry::Note(entry) => self.take_note(entry),
            other => self.take_evidence(other),
        }
    }

    /// What people did with cases, and what it took.
    fn take_work(&mut self, line: &'a Line) {
        let case = line.entry.case_named().map(|case| case.0.as_str());
        let mut case = case.and_then(|case| self.cases.get_mut(case));
        match &line.entry {
            Entry::Queued(_) => {
                if let Some(case) = case {
                    case.account.was_queued = true;
                    case.waits_since = case.waits_since.or(Some(line.at));
                }
            }
            Entry::Review(entry) => {
                if let Some(case) = case {
                    case.waits_since = None;
                    case.account.decisions.push(match entry.decision {
                        DecisionWord::Accepted => Decision::Accepted,
                        DecisionWord::Corrected => Decision::Corrected,
                        DecisionWord::Returned => Decision::Returned,
                    });
                }
            }
            Entry::Effort(entry) => {
                let effort = case.as_mut().map_or(&mut self.effort, |case| &mut case.account.effort);
                *effort.entry(entry.kind.name().to_owned()).or_default() += entry.minutes;
            }
            Entry::Cost(entry) => {
                case.as_mut().map_or(&mut self.costs, |case| &mut case.account.costs).push(cost(entry));
            }
            _ => {}
        }
    }

    /// What was seen, claimed and decided of an operation.
    fn take_evidence(&mut self, entry: &'a Entry) {
        let named = entry.operations_named();
        let Some(operation) = named.first().and_then(|id| self.operations.get_mut(id.0.as_str())) else { return };
        match entry {
            Entry::Attempt(entry) => {
                operation.attempts.push(entry);
                operation.stale_looks += operation.looks.len();
                operation.looks.clear();
            }
            Entry::Look(entry) => {
                operation.looks.insert(&entry.target.0, entry);
            }
            Entry::Claim(entry) => operation.claim = Some(entry.claim),
            Entry::Refusal(entry) => operation.right = Some(entry.right),
            Entry::Assigned(entry) => operation.owner = Some(entry.owner.0.clone()),
            Entry::Resolved(entry) => {
                operation.resolution = Some(Resolution { by: entry.by.0.clone(), evidence: entry.evidence.0.clone() });
            }
            _ => {}
        }
    }

    fn take_note(&mut self, entry: &'a NoteEntry) {
        if let Some(answers) = &entry.answers {
            let asked = self.notes.iter_mut().filter(|note| note.id == Some(answers.0.as_str()));
            asked.for_each(|note| note.is_answered = true);
        }
        self.notes.push(NoteDraft {
            id: entry.id.as_ref().map(|id| id.0.as_str()),
            statement: Statement {
                about: entry.about,
                at: Some(entry.at.clone()),
                operation: entry.operation.as_ref().map(|id| OperationId::new(id.0.as_str())),
                text: entry.text.0.clone(),
                by: entry.by.as_ref().map(|by| by.0.clone()),
                due: entry.due.clone(),
            },
            // What answers a question is itself a check, whatever else it is about.
            is_answered: false,
        });
        if entry.answers.is_some()
            && let Some(note) = self.notes.last_mut().filter(|note| note.statement.about == StatementKind::Question)
        {
            note.statement.about = StatementKind::Check;
        }
    }
}

impl CaseDraft {
    fn account(self, now: Option<Timestamp>) -> CaseAccount {
        let waited = self.waits_since.zip(now).map(|(since, now)| now.duration_since(since).as_secs_f64() / 60.0);
        CaseAccount { waiting_minutes: waited, ..self.account }
    }
}

/// An amount in millionths; the rules have checked that it is in bounds.
#[expect(clippy::cast_possible_truncation, reason = "amounts lie between 0 and 10^9")]
fn millionths(amount: f64) -> i64 {
    (amount * 1e6).round() as i64
}

fn cost(entry: &CostEntry) -> CostAccount {
    CostAccount {
        currency: entry.currency.clone(),
        model_millionths: entry.model.map(millionths),
        tool_millionths: entry.tool.map(millionths),
    }
}

impl<'a> OperationDraft<'a> {
    fn of(intended: &'a OperationEntry) -> Self {
        Self {
            intended,
            attempts: Vec::new(),
            looks: BTreeMap::new(),
            stale_looks: 0,
            claim: None,
            right: None,
            owner: None,
            resolution: None,
        }
    }

    fn account(&self, id: &str, actions: &BTreeMap<&str, &ActionContract>) -> OperationAccount {
        let operation = OperationId::new(id);
        let attempts: Vec<AttemptSeen> = self.attempts.iter().map(|entry| attempt(entry)).collect();
        let looks: Vec<Look> = self.looks.values().map(|entry| look(entry)).collect();
        let seen = conclude(&operation, &attempts, &looks);
        let action = self.intended.action.as_ref().map(|action| action.0.clone());
        let mut grounds: Vec<String> = seen.grounds().map(str::to_owned).collect();
        if self.stale_looks > 0 {
            grounds.push(format!("{} before the last attempt are no evidence of it.", looks_counted(self.stale_looks)));
        }
        let contract = action.as_deref().and_then(|action| Some((action, *actions.get(action)?)));
        OperationAccount {
            case: CaseId::new(self.intended.case.0.as_str()),
            trial: None,
            intended: self.intended.intended.as_ref().map(|text| text.0.clone()),
            waits_for: unique(&self.intended.depends_on.iter().map(|id| id.0.as_str()).collect()),
            outcome: seen.outcome,
            claim: self.claim,
            claim_check: check_claim(seen.outcome, self.claim),
            effects: (seen.outcome != Outcome::Uncertain || seen.effects > 0).then_some(seen.effects),
            contract: contract.map(|(name, action)| contract_of(name, action)),
            right: self.right,
            owner: self.owner.clone(),
            resolution: self.resolution.clone(),
            operation,
            action,
            attempts,
            grounds,
            attempts_observed: true,
        }
    }
}

fn looks_counted(number: usize) -> String {
    if number == 1 { "One look".to_owned() } else { format!("{number} looks") }
}

fn unique(ids: &BTreeSet<&str>) -> Vec<OperationId> {
    ids.iter().map(|id| OperationId::new(*id)).collect()
}

fn contract_of(name: &str, action: &ActionContract) -> Contract {
    Contract {
        source: format!("the ledger's action {name}"),
        key: action.contract.idempotency.key,
        window_s: action.contract.idempotency.window_s,
        attempts: action.contract.retry.attempts,
        lookup: action.contract.lookup.clone(),
        needs_approval: action.needs_approval,
        approvers: action.approvers.iter().map(|approver| approver.0.clone()).collect(),
    }
}

fn attempt(entry: &AttemptEntry) -> AttemptSeen {
    let receipt = || entry.receipt.as_ref().map(|receipt| receipt.0.clone());
    let reason = || entry.reason.as_ref().map(|reason| reason.0.clone()).unwrap_or_default();
    AttemptSeen {
        number: entry.number,
        step: 1,
        call: None,
        // An attempt that names no identity of its own carries the operation's.
        identity: Some(entry.identity.as_ref().unwrap_or(&entry.operation).0.clone()),
        fault: entry.fault.as_ref().map(|fault| fault.0.clone()),
        answered: match entry.answered {
            AnswerWord::Done => Answered::Committed { receipt: receipt() },
            AnswerWord::Replayed => Answered::Replayed { receipt: receipt() },
            AnswerWord::Refused => Answered::Refused { reason: reason() },
            AnswerWord::Error => Answered::Error { detail: String::new() },
            AnswerWord::NoAnswer => Answered::NoAnswer,
            AnswerWord::NotSent => Answered::NotForwarded,
            AnswerWord::NotRecorded => Answered::NotRecorded,
        },
        exchange: None,
        behind: None,
    }
}

fn look(entry: &LookEntry) -> Look {
    let state = if entry.readable {
        LookState::Read { settled: entry.settled, authoritative: entry.authoritative }
    } else {
        LookState::Unreadable("the ledger says so".to_owned())
    };
    let receipt = entry.receipt.as_ref().map(|receipt| receipt.0.clone());
    let effect = EffectSeen { receipt, parameters_match: entry.parameters_match };
    Look { probe: entry.target.0.clone(), state, effects: vec![effect; usize::try_from(entry.effects).unwrap_or(0)] }
}
