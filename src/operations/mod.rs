//! The operator's papers: scorecard, failure table, incident note, handover and evaluation plan.
//!
//! Two sources lead into one account: what a recorded run observed ([`account_of_run`]) and what a workflow wrote into an
//! operation ledger ([`read_ledger`], [`account_of_ledger`]). Every paper is a view over that [`Account`], and is written as
//! text, Markdown or JSON. Nothing here reads a file, a clock or the environment, and nothing prints.
//!
//! Papers hold references and no copies: ids, digests and receipts, never an input, an answer or a target's own sentences.
//! What was not observed stays blank; it is never a zero.

mod account;
mod contract;
mod evaluation_plan;
mod exercise;
mod failures;
mod handover;
mod incident;
mod ledger;
mod next_step;
mod paper;
mod rate;
mod reference;
mod run;
mod scorecard;
mod sheet;

pub use account::{Account, CaseAccount, OperationAccount, Resolution, Source, Statement, StatementKind};
pub use contract::Contract;
pub use evaluation_plan::{EvaluationPlan, Observed, PlannedEvaluation, evaluation_plan};
pub use failures::{FailureRow, FailureTable, failure_table};
pub use handover::{Handover, HandoverItem, handover};
pub use incident::{ConcernedCase, Incident, Links, incident};
pub use ledger::{LEDGER_SCHEMA, Ledger, account_of_ledger, ledger_schema, read_ledger};
pub use next_step::{NextStep, Permission, next_step};
pub use paper::{Form, Paper};
pub use rate::Rate;
pub use run::{RunAccount, RunCase, RunSource, account_of_run};
pub use scorecard::{Scorecard, scorecard};
pub use sheet::{Block, Sheet};

#[cfg(test)]
mod specimen;
#[cfg(test)]
mod tests;
