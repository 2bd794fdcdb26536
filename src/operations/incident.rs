//! The incident note: what was requested, what is known, what is uncertain, and what happens next.
//!
//! Nothing is filled in that nobody recorded: each gap is listed as missing.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{CaseId, CaseStatus, Outcome, counted, some_of};
use crate::evidence::{Answered, AttemptSeen};

use super::account::{Account, CaseAccount, OperationAccount, Place, Source, Statement, StatementKind, fallen};
use super::failures::effects_words;
use super::next_step::{Permission, next_step};
use super::paper::{
    NOT_OBSERVED, NOT_RECORDED, OnSheet, attempts_words, observed, push_remarks, recorded, source_facts, sum_observed,
};
use super::reference::{fault_reference, reference, shown};
use super::sheet::Sheet;

/// The most cases that did not pass of which each is named.
const FEW: usize = 5;

/// What is linked to the incident later, beside what a ledger states: as given on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Who is answerable.
    pub owner: Option<String>,
    /// What keeps the damage from growing.
    pub containment: Option<String>,
    /// What is looked at next.
    pub next_check: Option<String>,
    /// Why it happened.
    pub cause: Option<String>,
    /// The change that would prevent it or show it earlier.
    pub change: Option<String>,
    /// The case that verifies the change.
    pub case: Option<String>,
}

/// An incident note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Incident {
    /// `holdpoint.incident/1`.
    pub schema: String,
    /// Where it comes from.
    pub source: Source,
    /// The cases that it speaks of, and how their checks ended.
    #[serde(default)]
    pub cases: Vec<ConcernedCase>,
    /// What was requested.
    pub requested: Vec<Requested>,
    /// What is known to have happened, or not to have.
    pub known: Vec<Finding>,
    /// What remains uncertain.
    pub uncertain: Vec<Finding>,
    /// What is affected.
    pub scope: Scope,
    /// What keeps the damage from growing; empty where nobody recorded any.
    pub containment: Vec<Statement>,
    /// Who is answerable; empty where nobody is.
    pub owners: Vec<String>,
    /// What is looked at next.
    pub next_checks: Vec<Statement>,
    /// What may be done about each open operation.
    pub next_steps: Vec<NextStepView>,
    /// Every operation with an attempt, and what came back on each attempt.
    pub attempted: Vec<Attempted>,
    /// Every operation, apart by what the evidence supports.
    pub by_outcome: Vec<OutcomeGroup>,
    /// What was looked at by persons.
    pub checks: Vec<Statement>,
    /// Why it happened.
    pub cause: Vec<Statement>,
    /// The change that would prevent it or show it earlier.
    pub change: Vec<Statement>,
    /// The case that verifies the change, and what is known of its result.
    pub verification: Vec<Statement>,
    /// What nobody recorded, a sentence each.
    pub missing: Vec<String>,
    /// What a reader should know of the account, a sentence each.
    pub remarks: Vec<String>,
}

/// A case that an incident is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConcernedCase {
    /// The case.
    pub case: CaseId,
    /// What should have come of it.
    pub intended: Option<String>,
    /// How its checks ended, in a run.
    pub status: Option<CaseStatus>,
}

/// An operation as it was requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Requested {
    /// Which.
    #[serde(flatten)]
    pub place: Place,
    /// What is done.
    pub action: Option<String>,
    /// What should have come of it.
    pub intended: Option<String>,
    /// How many attempts were made; `null` where they could not be seen.
    pub attempts: Option<usize>,
}

/// Something said of an operation, with what it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The operation; `None` where it is about the whole.
    pub place: Option<Place>,
    /// What is said.
    pub text: String,
    /// What it rests on, a sentence each.
    pub evidence: Vec<String>,
}

/// What is affected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    /// How many cases.
    pub cases: usize,
    /// How many operations.
    pub operations: usize,
    /// How many attempts at them, as far as they could be seen; `null` where none could.
    pub attempts: Option<usize>,
    /// Operations that still need someone.
    pub open: usize,
    /// What was acted on: connectors' operations, or actions that a ledger names.
    pub actions: Vec<String>,
    /// What persons stated of the scope.
    pub stated: Vec<Statement>,
}

/// What may be done about an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NextStepView {
    /// Which.
    #[serde(flatten)]
    pub place: Place,
    /// The step.
    pub step: String,
    /// Whether another attempt is permitted.
    pub another_attempt: Permission,
    /// Why.
    pub why: String,
    /// Who is answerable.
    pub owner: Option<String>,
    /// What authority the step needs.
    pub authority: String,
}

/// An operation with its attempts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attempted {
    /// Which.
    #[serde(flatten)]
    pub place: Place,
    /// What came back on each attempt, in order.
    pub attempts: Vec<String>,
}

/// The operations of one outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeGroup {
    /// The outcome.
    pub outcome: Outcome,
    /// The operations, each with its evidence.
    pub operations: Vec<Finding>,
}

/// The outcomes in the order in which a note tells them apart.
const ORDER: [Outcome; 8] = [
    Outcome::Rejected,
    Outcome::Committed,
    Outcome::Replayed,
    Outcome::Uncertain,
    Outcome::Duplicated,
    Outcome::Mismatched,
    Outcome::NotCommitted,
    Outcome::NotStarted,
];

/// The outcomes that stand in every note, also where nothing has them.
const ALWAYS_SHOWN: [Outcome; 4] = [Outcome::Rejected, Outcome::Committed, Outcome::Replayed, Outcome::Uncertain];

/// The incident note of an account.
pub fn incident(account: &Account, links: &Links) -> Incident {
    let operations = &account.operations;
    let mut owners: Vec<String> = operations.iter().filter_map(|operation| operation.owner.clone()).collect();
    owners.extend(links.owner.clone());
    owners.sort_unstable();
    owners.dedup();
    let stated = |about, linked: &Option<String>| {
        let linked = linked.as_ref().map(|text| Statement {
            about,
            at: None,
            operation: None,
            text: text.clone(),
            by: None,
            due: None,
        });
        account.stated(about).into_iter().chain(linked).collect::<Vec<_>>()
    };
    let mut note = Incident {
        schema: "holdpoint.incident/1".to_owned(),
        source: account.source.clone(),
        cases: account.cases.iter().map(concerned).collect(),
        requested: operations.iter().map(requested).collect(),
        known: known_operations(operations).chain(fallen_answers(account)).collect(),
        uncertain: uncertain(account),
        scope: scope(account),
        containment: stated(StatementKind::Containment, &links.containment),
        owners,
        next_checks: stated(StatementKind::NextCheck, &links.next_check),
        next_steps: operations.iter().filter(|operation| operation.is_open()).map(next_step_view).collect(),
        attempted: operations.iter().filter(|operation| !operation.attempts.is_empty()).map(attempted).collect(),
        by_outcome: by_outcome(operations),
        checks: account.stated(StatementKind::Check),
        cause: stated(StatementKind::Cause, &links.cause),
        change: stated(StatementKind::Change, &links.change),
        verification: verification(account, links),
        missing: Vec::new(),
        remarks: account.remarks.clone(),
    };
    note.missing = missing(&note, account);
    note
}

fn requested(operation: &OperationAccount) -> Requested {
    Requested {
        place: operation.place(),
        action: operation.action.clone(),
        intended: operation.intended.clone(),
        attempts: operation.attempts_made(),
    }
}

fn concerned(case: &CaseAccount) -> ConcernedCase {
    ConcernedCase { case: case.case.clone(), intended: case.intended.clone(), status: case.status }
}

fn known_operations(operations: &[OperationAccount]) -> impl Iterator<Item = Finding> {
    operations.iter().filter(|operation| operation.outcome != Outcome::Uncertain).map(known)
}

/// Cases that did not pass and of which no operation is in the account: what went wrong is the answer, or that there was none.
/// Many are counted, and some of them named.
fn fallen_answers(account: &Account) -> Vec<Finding> {
    let acting: BTreeSet<&str> = account.operations.iter().map(|operation| operation.case.as_str()).collect();
    let silent = account.cases.iter().filter(|case| !acting.contains(case.case.as_str()));
    let fell: Vec<(&str, CaseStatus)> =
        silent.filter_map(|case| Some((case.case.as_str(), fallen(case.status)?))).collect();
    if fell.len() <= FEW {
        return fell.into_iter().map(|(case, status)| fallen_answer(case, status)).collect();
    }
    let named = fell.iter().map(|(case, status)| format!("{} ({status})", shown(case)));
    let text = format!(
        "{} did not pass and have no operation noted here: {}.",
        counted(fell.len(), "case"),
        some_of(named, FEW)
    );
    vec![Finding { place: None, text, evidence: Vec::new() }]
}

fn fallen_answer(case: &str, status: CaseStatus) -> Finding {
    let text = format!("The case {} ended as {status}; no operation of it is noted here.", shown(case));
    Finding { place: None, text, evidence: Vec::new() }
}

fn known(operation: &OperationAccount) -> Finding {
    let what = match operation.outcome {
        Outcome::NotStarted if operation.attempts_observed => "was not begun",
        Outcome::NotStarted => "left nothing; whether it was begun was not observed",
        Outcome::Rejected => "was refused by the target and left nothing",
        Outcome::NotCommitted => "was attempted and left nothing",
        Outcome::Committed => "was done, exactly once",
        Outcome::Replayed => "was done exactly once; a later attempt got the first result and added nothing",
        Outcome::Duplicated => "was done more than once",
        Outcome::Mismatched => "was done with other parameters than intended",
        Outcome::Uncertain => "is uncertain",
    };
    Finding {
        place: Some(operation.place()),
        text: format!("It {what}. The target shows {}. {}", effects_words(operation.effects), claim_words(operation)),
        evidence: operation.grounds.clone(),
    }
}

/// What the workflow claims, and how that stands to the evidence.
pub(super) fn claim_words(operation: &OperationAccount) -> String {
    use crate::domain::ClaimCheck::{Confirmed, FalseFailure, FalseSuccess, HonestUnknown, Overclaimed, Silent};
    let claim = operation.claim.map_or("nothing", |claim| claim.name());
    let judged = match operation.claim_check {
        Confirmed => "which the evidence supports",
        FalseSuccess | FalseFailure => "which the evidence contradicts",
        Overclaimed => "which is more than the evidence supports",
        HonestUnknown => "which claims no more than it knew",
        Silent => "which can be neither right nor wrong",
    };
    format!("The workflow claims {claim}, {judged}.")
}

fn uncertain(account: &Account) -> Vec<Finding> {
    let operations = account.operations.iter().filter(|operation| operation.outcome == Outcome::Uncertain);
    let findings = operations.map(|operation| Finding {
        place: Some(operation.place()),
        text: format!(
            "Whether it was done is not established. {} An answer that never came is no proof of either.",
            claim_words(operation)
        ),
        evidence: operation.grounds.clone(),
    });
    let questions = account.stated(StatementKind::Question).into_iter().map(|question| Finding {
        place: None,
        text: match &question.operation {
            Some(operation) => format!("{}: {}", shown(operation.as_str()), question.text),
            None => question.text,
        },
        evidence: Vec::new(),
    });
    findings.chain(questions).collect()
}

fn scope(account: &Account) -> Scope {
    let mut actions: Vec<String> = account.operations.iter().filter_map(|operation| operation.action.clone()).collect();
    actions.sort_unstable();
    actions.dedup();
    Scope {
        cases: account.cases.len(),
        operations: account.operations.len(),
        attempts: sum_observed(account.operations.iter().map(OperationAccount::attempts_made)),
        open: account.operations.iter().filter(|operation| operation.is_open()).count(),
        actions,
        stated: account.stated(StatementKind::Scope),
    }
}

fn next_step_view(operation: &OperationAccount) -> NextStepView {
    let next = next_step(operation);
    NextStepView {
        place: operation.place(),
        step: next.step,
        another_attempt: next.another_attempt,
        why: next.why,
        owner: operation.owner.clone(),
        authority: next.authority,
    }
}

fn attempted(operation: &OperationAccount) -> Attempted {
    Attempted { place: operation.place(), attempts: operation.attempts.iter().map(attempt_words).collect() }
}

/// One attempt: what came back from the target, and what its caller got of it. A target's own words are shown where they
/// are a code, never where they could be a sentence about a person.
pub(super) fn attempt_words(attempt: &AttemptSeen) -> String {
    let answered = match &attempt.answered {
        Answered::Committed { receipt: None } => "the target said done".to_owned(),
        Answered::Committed { receipt: Some(receipt) } => {
            format!("the target said done, receipt {}", reference(receipt))
        }
        Answered::Replayed { receipt: None } => "the target said done before".to_owned(),
        Answered::Replayed { receipt: Some(receipt) } => {
            format!("the target said done before, receipt {}", reference(receipt))
        }
        Answered::Refused { reason } => format!("the target refused: {}", reference(reason)),
        Answered::Error { .. } => "the target answered with an error, which proves nothing".to_owned(),
        Answered::NoAnswer => "no answer came back".to_owned(),
        Answered::NotRecorded => "what came back was not written down".to_owned(),
        Answered::NotForwarded => "it never reached the target".to_owned(),
    };
    let fault = match attempt.fault.as_deref() {
        None => String::new(),
        Some("lost_ack") => "; the acknowledgment was lost on the way to the workflow (fault lost_ack)".to_owned(),
        Some(fault) => format!("; fault {}", fault_reference(fault)),
    };
    format!("Attempt {} in step {}: {answered}{fault}.", attempt.number, attempt.step)
}

fn by_outcome(operations: &[OperationAccount]) -> Vec<OutcomeGroup> {
    let group = |outcome: Outcome| {
        let of_outcome = operations.iter().filter(|operation| operation.outcome == outcome);
        let operations = of_outcome.map(|operation| Finding {
            place: Some(operation.place()),
            text: match operation.effects {
                Some(_) => format!("The target shows {}.", effects_words(operation.effects)),
                None => "What the target shows is not established.".to_owned(),
            },
            evidence: operation.grounds.clone(),
        });
        OutcomeGroup { outcome, operations: operations.collect() }
    };
    let groups = ORDER.into_iter().map(group);
    groups.filter(|group| !group.operations.is_empty() || ALWAYS_SHOWN.contains(&group.outcome)).collect()
}

/// The case that verifies the change, with its result where this account has it.
fn verification(account: &Account, links: &Links) -> Vec<Statement> {
    let mut found = account.stated(StatementKind::Verification);
    if let Some(case) = &links.case {
        let result = account.results.get(case.as_str()).copied();
        let text = match (result, &account.source) {
            (Some(CaseStatus::Passed), Source::Run { run, .. }) => {
                format!("Case {}: passed in run {run}.", shown(case))
            }
            (Some(status), Source::Run { run, .. }) => {
                format!("Case {}: {status} in run {run}; the change is not verified by it.", shown(case))
            }
            _ => format!("Case {}: no result of it is recorded here.", shown(case)),
        };
        let about = StatementKind::Verification;
        found.push(Statement { about, at: None, operation: None, text, by: None, due: None });
    }
    found
}

fn missing(note: &Incident, account: &Account) -> Vec<String> {
    let mut missing = Vec::new();
    let mut lacks = |is_missing: bool, what: &str| {
        if is_missing {
            missing.push(what.to_owned());
        }
    };
    let open = note.scope.open > 0;
    lacks(
        note.requested.iter().any(|requested| requested.intended.is_none()),
        "The intended outcome of some operations.",
    );
    lacks(
        note.requested.iter().any(|requested| requested.action.is_none()),
        "What some operations call: no attempt shows it.",
    );
    lacks(note.containment.is_empty(), "Any containment.");
    lacks(note.owners.is_empty(), "Any owner.");
    let unowned =
        account.operations.iter().filter(|operation| operation.is_open() && operation.owner.is_none()).count();
    lacks(unowned > 0 && !note.owners.is_empty(), &format!("The owner of {}.", counted(unowned, "open operation")));
    lacks(open && note.next_checks.is_empty(), "When the next check is due.");
    lacks(
        account.operations.iter().any(|operation| !operation.attempts.is_empty() && operation.contract.is_none()),
        "The target's contract for some operations.",
    );
    lacks(note.cause.is_empty(), "The cause.");
    lacks(note.change.is_empty(), "The change that would prevent it or show it earlier.");
    lacks(note.verification.is_empty(), "The case that verifies that change.");
    missing
}

/// A statement for a reader, with who made it and when.
pub(super) fn statement_words(statement: &Statement) -> String {
    let mut text = statement.text.clone();
    if let Some(operation) = &statement.operation {
        text = format!("{}: {text}", shown(operation.as_str()));
    }
    let by = statement.by.as_ref().map(|by| format!("by {}", shown(by)));
    let due = statement.due.as_ref().map(|due| format!("due {due}"));
    let marks: Vec<String> = [by, statement.at.clone(), due].into_iter().flatten().collect();
    if marks.is_empty() { text } else { format!("{text} ({})", marks.join(", ")) }
}

impl OnSheet for Incident {
    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::new("Incident note");
        sheet.facts(source_facts(&self.source));
        self.push_request(&mut sheet);
        sheet.heading("Known");
        let nothing = match self.fallen().len() {
            0 => "Nothing is established.",
            _ => "Of the operations nothing is established; Scope says which cases did not pass.",
        };
        push_findings(&mut sheet, &self.known, nothing);
        sheet.heading("Uncertain");
        push_findings(
            &mut sheet,
            &self.uncertain,
            "Nothing: no operation's outcome is open, and no question is recorded.",
        );
        self.push_scope(&mut sheet);
        self.push_next(&mut sheet);
        self.push_evidence(&mut sheet);
        for (heading, statements) in
            [("Cause", &self.cause), ("Preventing change", &self.change), ("Verified by", &self.verification)]
        {
            sheet.heading(heading);
            push_statements(&mut sheet, statements);
        }
        sheet.heading("Missing");
        if self.missing.is_empty() {
            sheet.text("Nothing that this note asks for.");
        } else {
            sheet.list(self.missing.iter().cloned());
        }
        push_remarks(&mut sheet, &self.remarks);
        sheet
    }
}

impl Incident {
    /// The note of one of its cases alone: what a case is made of must not hold what befell another one.
    #[must_use]
    pub fn of_case(&self, case: &CaseId) -> Self {
        let is_of = |place: &Place| place.case == *case;
        let of_place = |finding: &Finding| finding.place.as_ref().is_none_or(is_of);
        let mut note = self.clone();
        note.cases.retain(|one| one.case == *case);
        note.requested.retain(|requested| is_of(&requested.place));
        // What is known of no operation is known of cases, and may count those of others.
        note.known.retain(|finding| finding.place.is_some() && of_place(finding));
        if note.requested.is_empty() {
            note.known.extend(note.fallen().into_iter().map(|(case, status)| fallen_answer(case.as_str(), status)));
        }
        note.uncertain.retain(of_place);
        note.next_steps.retain(|next| is_of(&next.place));
        note.attempted.retain(|attempted| is_of(&attempted.place));
        note.by_outcome.iter_mut().for_each(|group| group.operations.retain(of_place));
        let mut actions: Vec<String> = note.requested.iter().filter_map(|requested| requested.action.clone()).collect();
        actions.sort_unstable();
        actions.dedup();
        note.scope = Scope {
            cases: note.cases.len(),
            operations: note.requested.len(),
            attempts: sum_observed(note.requested.iter().map(|requested| requested.attempts)),
            open: note.next_steps.len(),
            actions,
            stated: note.scope.stated,
        };
        note
    }

    /// The cases that did not pass, and how each ended.
    pub fn fallen(&self) -> Vec<(CaseId, CaseStatus)> {
        self.cases.iter().filter_map(|case| Some((case.case.clone(), fallen(case.status)?))).collect()
    }

    /// How many cases there are, and how many of them did not pass.
    fn cases_words(&self) -> String {
        let fell = self.fallen();
        if fell.is_empty() {
            return self.scope.cases.to_string();
        }
        let named = some_of(fell.iter().map(|(case, _)| shown(case.as_str())), FEW);
        format!("{}, of which {} did not pass: {named}", self.scope.cases, fell.len())
    }

    fn push_request(&self, sheet: &mut Sheet) {
        sheet.heading("Requested");
        let items = self.requested.iter().map(|requested| {
            format!(
                "{}: {}, {}. Intended: {}",
                requested.place.text(),
                requested.action.as_deref().map_or_else(|| format!("call {NOT_OBSERVED}"), shown),
                attempts_words(requested.attempts),
                recorded(requested.intended.as_deref()),
            )
        });
        if self.requested.is_empty() {
            sheet.text("No operation.");
        } else {
            sheet.list(items.collect::<Vec<_>>());
        }
    }

    fn push_scope(&self, sheet: &mut Sheet) {
        sheet.heading("Scope");
        let scope = &self.scope;
        let actions = if scope.actions.is_empty() { NOT_OBSERVED.to_owned() } else { scope.actions.join(", ") };
        sheet.facts([
            ("Cases", self.cases_words()),
            ("Operations", scope.operations.to_string()),
            ("Attempts", observed(scope.attempts)),
            ("To follow up", scope.open.to_string()),
            ("Acted on", actions),
        ]);
        if !scope.stated.is_empty() {
            sheet.list(scope.stated.iter().map(statement_words).collect::<Vec<_>>());
        }
        sheet.heading("Containment");
        push_statements(sheet, &self.containment);
        sheet.heading("Owner");
        sheet.text(if self.owners.is_empty() { NOT_RECORDED.to_owned() } else { self.owners.join(", ") });
    }

    fn push_next(&self, sheet: &mut Sheet) {
        sheet.heading("Next check");
        push_statements(sheet, &self.next_checks);
        sheet.heading("Next steps");
        if self.next_steps.is_empty() {
            sheet.text("No operation is open.");
        }
        for next in &self.next_steps {
            sheet.subheading(next.place.text());
            sheet.facts([
                ("Step", next.step.clone()),
                ("Another attempt", format!("{}. {}", next.another_attempt.words(), next.why)),
                ("Owner", recorded(next.owner.as_deref())),
                ("Authority", next.authority.clone()),
            ]);
        }
    }

    fn push_evidence(&self, sheet: &mut Sheet) {
        sheet.heading("Attempted");
        if self.attempted.is_empty() {
            sheet.text("No attempt was seen.");
        }
        for attempted in &self.attempted {
            sheet.subheading(attempted.place.text());
            sheet.list(attempted.attempts.iter().cloned());
        }
        for group in &self.by_outcome {
            sheet.heading(outcome_heading(group.outcome));
            push_findings(sheet, &group.operations, "None.");
        }
        if !self.checks.is_empty() {
            sheet.heading("Checks made");
            push_statements(sheet, &self.checks);
        }
    }
}

fn outcome_heading(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::NotStarted => "Not begun",
        Outcome::Rejected => "Rejected",
        Outcome::NotCommitted => "Not committed",
        Outcome::Committed => "Committed",
        Outcome::Replayed => "Replayed",
        Outcome::Duplicated => "Duplicated",
        Outcome::Mismatched => "Mismatched",
        Outcome::Uncertain => "Uncertain: neither done nor not done is established",
    }
}

fn push_findings(sheet: &mut Sheet, findings: &[Finding], nothing: &str) {
    if findings.is_empty() {
        sheet.text(nothing);
        return;
    }
    let items = findings.iter().map(|finding| {
        let place = finding.place.as_ref().map(|place| format!("{}: ", place.text())).unwrap_or_default();
        let evidence = if finding.evidence.is_empty() {
            String::new()
        } else {
            format!(" Evidence: {}", finding.evidence.join(" "))
        };
        format!("{place}{}{evidence}", finding.text)
    });
    sheet.list(items.collect::<Vec<_>>());
}

pub(super) fn push_statements(sheet: &mut Sheet, statements: &[Statement]) {
    if statements.is_empty() {
        sheet.text(NOT_RECORDED);
    } else {
        sheet.list(statements.iter().map(statement_words).collect::<Vec<_>>());
    }
}
