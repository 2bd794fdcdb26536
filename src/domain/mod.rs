//! Leaf values that every other room speaks in: identities, digests, risks, outcomes, statuses, exit codes.

mod baseline_health;
mod canonical;
mod counting;
mod digest;
mod exit_code;
mod identity;
mod many;
mod outcome;
mod own_kind;
mod question;
mod risk;
mod rule;
mod status;

pub use baseline_health::BaselineHealth;
pub use canonical::canonical_json;
pub use counting::{counted, some_of};
pub use digest::{Digest, DigestError, Digester};
pub use exit_code::ExitCode;
pub use identity::{CaseId, OperationId, PartId, RunId, WorkflowId};
pub use many::in_parallel;
pub use outcome::{Claim, ClaimCheck, Outcome};
pub use own_kind::OwnKind;
pub use question::{Aspect, Question};
pub use risk::{ANSWER_RISKS, BUILT_IN_RISKS, CALL_RISKS, FORM_RISK, Risk};
pub use rule::Rule;
pub use status::{CaseStatus, TrialStatus};
