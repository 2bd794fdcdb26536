//! The failure table: a row for each operation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{Claim, ClaimCheck, Outcome, counted};

use super::account::{Account, OperationAccount, Place, Source};
use super::next_step::{Permission, next_step};
use super::paper::{NOT_OBSERVED, OnSheet, attempts_words, push_remarks, recorded, source_facts, sum_observed};
use super::reference::{fault_reference, shown};
use super::sheet::Sheet;

/// The failure table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailureTable {
    /// `holdpoint.failures/1`.
    pub schema: String,
    /// Where it comes from.
    pub source: Source,
    /// The operations, by case, trial and id.
    pub rows: Vec<FailureRow>,
    /// What a reader should know, a sentence each.
    pub remarks: Vec<String>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailureRow {
    /// Which.
    #[serde(flatten)]
    pub place: Place,
    /// The step that it is: a connector's operation, or an action that a ledger names.
    pub step: Option<String>,
    /// The faults that fell on its attempts, in order.
    pub faults: Vec<String>,
    /// How many attempts were made; `null` where they could not be seen. Attempts are not operations.
    pub attempts: Option<usize>,
    /// How many effects the target shows; `null` where that is not established.
    pub effects: Option<usize>,
    /// What the workflow claimed.
    pub claim: Option<Claim>,
    /// The claim against the evidence.
    pub claim_check: ClaimCheck,
    /// What the evidence supports.
    pub outcome: Outcome,
    /// What is to be done.
    pub next_step: String,
    /// Whether another attempt is permitted.
    pub another_attempt: Permission,
    /// Who is answerable.
    pub owner: Option<String>,
    /// What authority the next step needs.
    pub authority: String,
}

/// The failure table of an account.
pub fn failure_table(account: &Account) -> FailureTable {
    FailureTable {
        schema: "holdpoint.failures/1".to_owned(),
        source: account.source.clone(),
        rows: account.operations.iter().map(row).collect(),
        remarks: account.remarks.clone(),
    }
}

fn row(operation: &OperationAccount) -> FailureRow {
    let next = next_step(operation);
    FailureRow {
        place: operation.place(),
        step: operation.action.clone(),
        faults: operation.attempts.iter().filter_map(|attempt| attempt.fault.as_deref()).map(fault_reference).collect(),
        attempts: operation.attempts_made(),
        effects: operation.effects,
        claim: operation.claim,
        claim_check: operation.claim_check,
        outcome: operation.outcome,
        next_step: next.step,
        another_attempt: next.another_attempt,
        owner: operation.owner.clone(),
        authority: next.authority,
    }
}

/// What the target shows, in words.
pub(super) fn effects_words(effects: Option<usize>) -> String {
    match effects {
        None => "not established".to_owned(),
        Some(0) => "no effect".to_owned(),
        Some(1) => "one effect".to_owned(),
        Some(many) => format!("{many} effects"),
    }
}

impl OnSheet for FailureTable {
    fn sheet(&self) -> Sheet {
        let attempts = sum_observed(self.rows.iter().map(|row| row.attempts));
        let mut sheet = Sheet::new("Failure table");
        sheet.facts(source_facts(&self.source));
        sheet.text(format!("{}, {}.", counted(self.rows.len(), "operation"), attempts_words(attempts)));
        let head = ["operation", "step", "fault", "target shows", "claimed", "outcome", "next step", "owner"];
        let rows = self.rows.iter().map(|row| {
            let fault = match row.attempts {
                None => NOT_OBSERVED.to_owned(),
                Some(made) if row.faults.is_empty() => format!("none; {}", counted(made, "attempt")),
                Some(made) => format!("{}; {}", row.faults.join(", "), counted(made, "attempt")),
            };
            let claim = row.claim.map_or_else(|| "nothing".to_owned(), |claim| claim.name().to_owned());
            vec![
                row.place.text(),
                row.step.as_deref().map_or_else(|| NOT_OBSERVED.to_owned(), shown),
                fault,
                effects_words(row.effects),
                format!("{claim} ({})", row.claim_check),
                row.outcome.name().to_owned(),
                row.next_step.clone(),
                recorded(row.owner.as_deref()),
            ]
        });
        sheet.table(&head, rows.collect());
        push_remarks(&mut sheet, &self.remarks);
        sheet
    }
}
