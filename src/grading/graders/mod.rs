//! A file per grader. Each implements [`super::judge::Judge`] for its settings, as the manifest room read them.

mod cites;
mod claim;
mod command;
mod contains;
mod duration;
mod effects;
mod equals;
mod http_status;
mod json;
mod json_schema;
mod length;
mod number;
mod outcome;
mod regex;
mod similar;

pub(super) use claim::ClaimsMatchEvidence;
pub(super) use equals::Equals;
