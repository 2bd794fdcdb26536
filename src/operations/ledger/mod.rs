//! The operation ledger, `holdpoint.ledger/1`: JSON Lines that a workflow writes while it works.
//!
//! It states what happened and who decided; what that supports is concluded here, by the same rules as in a run. A workflow
//! cannot write an outcome into it.

mod account;
mod entry;
mod read;
mod rules;

pub use account::account_of_ledger;
pub use entry::{LEDGER_SCHEMA, ledger_schema};
pub use read::{Ledger, read_ledger};

#[cfg(test)]
mod tests;
