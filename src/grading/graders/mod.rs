//! A file per grader. Each implements [`super::judge::Judge`] for its settings, as the manifest room read them.

mod attempts;
mod backoff;
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
mod order;
mod outcome;
mod permitted_calls;
mod placeholder;
mod regex;
mod retry_after;
mod retry_layers;
mod rows;
mod rules;
mod similar;

pub(super) use claim::ClaimsMatchEvidence;
pub(super) use equals::Equals;
pub(super) use order::InOrder;
pub(super) use retry_after::RetryAfterHonoured;
pub(super) use rules::{ContractKept, IdentityKept, ParametersUnchanged};
