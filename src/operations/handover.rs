//! The handover: what someone needs who takes a case over.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{CaseId, OperationId, Outcome, counted};

use super::account::{Account, OperationAccount, Place, Source, Statement, StatementKind};
use super::incident::{attempt_words, claim_words, push_statements, statement_words};
use super::next_step::{Permission, next_step};
use super::paper::{OnSheet, push_remarks, recorded, source_facts};
use super::reference::{reference, shown};
use super::sheet::Sheet;

/// A handover.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Handover {
    /// `holdpoint.handover/1`.
    pub schema: String,
    /// Where it comes from.
    pub source: Source,
    /// One item for each case, and in a run for each trial of it.
    pub items: Vec<HandoverItem>,
    /// What persons stated of the whole: scope, containment and checks.
    pub statements: Vec<Statement>,
    /// What a reader should know, a sentence each.
    pub remarks: Vec<String>,
}

/// One piece of work that is handed over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HandoverItem {
    /// The case.
    pub case: CaseId,
    /// The trial of it, in a run.
    pub trial: Option<u32>,
    /// What should come of it.
    pub intended: Option<String>,
    /// What is verified: records that exist, and steps that are known to have left nothing.
    pub verified: Vec<String>,
    /// What nobody knows.
    pub open_questions: Vec<String>,
    /// What was looked at, and what that showed.
    pub checks: Vec<String>,
    /// The steps that cannot go on, and what each waits for.
    pub blocked: Vec<String>,
    /// For each operation, whether another attempt is permitted and what lets the work resume.
    pub attempts: Vec<AttemptRule>,
}

/// Whether an operation may be attempted again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptRule {
    /// Which.
    #[serde(flatten)]
    pub place: Place,
    /// What the evidence supports.
    pub outcome: Outcome,
    /// Whether someone still has to do something about it.
    pub open: bool,
    /// Whether another attempt is permitted.
    pub another_attempt: Permission,
    /// Why.
    pub why: String,
    /// What evidence lets the work resume.
    pub resume_on: Vec<String>,
    /// The next step.
    pub next_step: String,
    /// Who is answerable.
    pub owner: Option<String>,
    /// What authority the next step needs.
    pub authority: String,
}

/// The handover of an account.
pub fn handover(account: &Account) -> Handover {
    let mut keys: Vec<(&CaseId, Option<u32>)> =
        account.operations.iter().map(|operation| (&operation.case, operation.trial)).collect();
    keys.dedup();
    let whole = |statement: &Statement| {
        statement.operation.is_none()
            && matches!(statement.about, StatementKind::Scope | StatementKind::Containment | StatementKind::Check)
    };
    Handover {
        schema: "holdpoint.handover/1".to_owned(),
        source: account.source.clone(),
        items: keys.into_iter().map(|(case, trial)| item(account, case, trial)).collect(),
        statements: account.statements.iter().filter(|statement| whole(statement)).cloned().collect(),
        remarks: account.remarks.clone(),
    }
}

fn item(account: &Account, case: &CaseId, trial: Option<u32>) -> HandoverItem {
    let of_item = |operation: &&OperationAccount| operation.case == *case && operation.trial == trial;
    let operations: Vec<&OperationAccount> = account.operations.iter().filter(of_item).collect();
    let known = account.cases.iter().find(|known| known.case == *case);
    let about = |kind: StatementKind| {
        let concerns = |id: &OperationId| operations.iter().any(|operation| operation.operation == *id);
        let statements = account.stated(kind).into_iter();
        statements.filter(move |statement| statement.operation.as_ref().is_some_and(concerns)).collect::<Vec<_>>()
    };
    let grounds = operations.iter().flat_map(|operation| {
        let looked = operation.attempts.iter().map(attempt_words).chain(operation.grounds.iter().cloned());
        looked.map(|sentence| format!("{}: {sentence}", shown(operation.operation.as_str())))
    });
    HandoverItem {
        case: case.clone(),
        trial,
        intended: known.and_then(|known| known.intended.clone()),
        verified: operations.iter().filter_map(|operation| verified(operation)).collect(),
        open_questions: open_questions(&operations)
            .chain(about(StatementKind::Question).iter().map(statement_words))
            .collect(),
        checks: grounds.chain(about(StatementKind::Check).iter().map(statement_words)).collect(),
        blocked: operations.iter().filter_map(|operation| blocked(operation)).collect(),
        attempts: operations.iter().map(|operation| rule(operation)).collect(),
    }
}

/// What is known for certain of an operation; `None` where nothing is.
fn verified(operation: &OperationAccount) -> Option<String> {
    let name = shown(operation.operation.as_str());
    let receipt = operation.attempts.iter().find_map(|attempt| attempt.answered.receipt());
    let receipt =
        receipt.map_or_else(|| "no receipt is recorded".to_owned(), |text| format!("receipt {}", reference(text)));
    match operation.outcome {
        Outcome::Committed | Outcome::Replayed => Some(format!("{name} is done, exactly once: {receipt}.")),
        Outcome::Rejected => Some(format!("{name} was refused and left nothing.")),
        Outcome::NotCommitted => Some(format!("{name} left nothing.")),
        Outcome::NotStarted if operation.attempts_observed => Some(format!("{name} was not begun.")),
        Outcome::NotStarted => Some(format!("{name} left nothing.")),
        Outcome::Duplicated => Some(format!("{name} was done {} times: {receipt}.", operation.effects.unwrap_or(2))),
        Outcome::Mismatched => Some(format!("{name} was done with other parameters: {receipt}.")),
        Outcome::Uncertain => None,
    }
}

fn open_questions<'a>(operations: &'a [&'a OperationAccount]) -> impl Iterator<Item = String> + 'a {
    operations.iter().filter(|operation| operation.is_open()).map(|operation| {
        let name = shown(operation.operation.as_str());
        match operation.outcome {
            Outcome::Uncertain => format!("Was {name} done or not? {}", claim_words(operation)),
            Outcome::Duplicated => format!("Which effect of {name} stands?"),
            Outcome::Mismatched => format!("Can the effect of {name} stand as it is?"),
            Outcome::NotCommitted => format!("Why did {name} fail, and does it still serve?"),
            Outcome::NotStarted => format!("What does {name} wait for, and does it still serve?"),
            Outcome::Rejected | Outcome::Committed | Outcome::Replayed => {
                format!("Who relied on what the workflow said of {name}? {}", claim_words(operation))
            }
        }
    })
}

/// What an operation waits for, where it cannot go on.
fn blocked(operation: &OperationAccount) -> Option<String> {
    let name = shown(operation.operation.as_str());
    if operation.is_done() {
        return None;
    }
    let waits: Vec<String> = operation.waits_for.iter().map(|id| shown(id.as_str())).collect();
    if !waits.is_empty() {
        return Some(format!("{name} waits for a verified effect of {}.", waits.join(" and of ")));
    }
    operation.is_open().then(|| format!("{name} stands at {}; what builds on it waits.", operation.outcome))
}

fn rule(operation: &OperationAccount) -> AttemptRule {
    let next = next_step(operation);
    AttemptRule {
        place: operation.place(),
        outcome: operation.outcome,
        open: operation.is_open(),
        another_attempt: next.another_attempt,
        why: next.why,
        resume_on: next.resume_on,
        next_step: next.step,
        owner: operation.owner.clone(),
        authority: next.authority,
    }
}

impl OnSheet for Handover {
    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::new("Handover");
        sheet.facts(source_facts(&self.source));
        let open: usize = self.items.iter().flat_map(|item| &item.attempts).filter(|rule| rule.open).count();
        let operations: usize = self.items.iter().map(|item| item.attempts.len()).sum();
        sheet.text(format!("{}, {open} of them to follow up.", counted(operations, "operation")));
        for item in &self.items {
            push_item(&mut sheet, item);
        }
        if !self.statements.is_empty() {
            sheet.heading("Stated of the whole");
            push_statements(&mut sheet, &self.statements);
        }
        push_remarks(&mut sheet, &self.remarks);
        sheet
    }
}

fn push_item(sheet: &mut Sheet, item: &HandoverItem) {
    let trial = item.trial.map(|trial| format!(", trial {trial}")).unwrap_or_default();
    sheet.heading(format!("Case {}{trial}", shown(item.case.as_str())));
    sheet.facts([("Intended outcome", recorded(item.intended.as_deref()))]);
    for (heading, lines) in [
        ("Verified", &item.verified),
        ("Open questions", &item.open_questions),
        ("Checks made", &item.checks),
        ("Blocked", &item.blocked),
    ] {
        sheet.subheading(heading);
        if lines.is_empty() {
            sheet.text("None.");
        } else {
            sheet.list(lines.iter().cloned());
        }
    }
    for rule in &item.attempts {
        sheet.subheading(format!("Another attempt at {}", shown(rule.place.operation.as_str())));
        let resume = if rule.resume_on.is_empty() { "Nothing is needed.".to_owned() } else { rule.resume_on.join(" ") };
        sheet.facts([
            ("Outcome", rule.outcome.name().to_owned()),
            ("Permitted", format!("{}. {}", rule.another_attempt.words(), rule.why)),
            ("Resumes on", resume),
            ("Next step", rule.next_step.clone()),
            ("Owner", recorded(rule.owner.as_deref())),
            ("Authority", rule.authority.clone()),
        ]);
    }
}
