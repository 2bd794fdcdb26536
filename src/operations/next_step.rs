//! What may be done about an operation, by whom, and on what evidence. Decided by outcome and contract alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{Claim, ClaimCheck, Outcome, counted};
use crate::manifest::IdempotencyKey;

use super::account::OperationAccount;
use super::contract::Contract;
use super::reference::shown;

/// Whether another attempt is permitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// By the contract, as the same operation.
    Permitted,
    /// Not by the workflow itself: someone who may decide has to.
    NeedsDecision,
    /// No.
    NotPermitted,
    /// Nothing recorded says; until something does it is not.
    NotKnown,
}

impl Permission {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Permitted => "permitted",
            Self::NeedsDecision => "only after a decision",
            Self::NotPermitted => "not permitted",
            Self::NotKnown => "not known, so not permitted until it is",
        }
    }
}

/// What may be done next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NextStep {
    /// The step, in one sentence.
    pub step: String,
    /// Whether another attempt at the operation is permitted.
    pub another_attempt: Permission,
    /// Why.
    pub why: String,
    /// What evidence lets the work go on; each alone is enough for what it says.
    pub resume_on: Vec<String>,
    /// What authority the step needs.
    pub authority: String,
}

/// The next step of an operation.
///
/// | outcome | another attempt |
/// |---|---|
/// | committed, replayed | not permitted: it is done |
/// | rejected | not permitted: the refusal would be met again |
/// | duplicated, mismatched | not permitted: the correction is an action of its own |
/// | not_committed | by the retry contract; after a decision where its attempts are used up |
/// | not_started | permitted where nothing holds it |
/// | uncertain | only where the target recognises the request, within its window and the attempts of the contract |
pub fn next_step(operation: &OperationAccount) -> NextStep {
    if let Some(resolution) = &operation.resolution {
        return NextStep {
            step: format!("None: closed by {} on {}.", shown(&resolution.by), shown(&resolution.evidence)),
            another_attempt: Permission::NotPermitted,
            why: "A person has closed it.".to_owned(),
            resume_on: Vec::new(),
            authority: "None.".to_owned(),
        };
    }
    let next = by_outcome(operation);
    if operation.waits_for.is_empty() || operation.is_done() { next } else { waiting(operation, next) }
}

/// The same while something that it depends on is not verified: no contract permits an attempt then.
fn waiting(operation: &OperationAccount, next: NextStep) -> NextStep {
    let waits: Vec<String> = operation.waits_for.iter().map(|id| shown(id.as_str())).collect();
    let step = if operation.attempts.is_empty() {
        "Wait for what it depends on, and look at the target before it is begun.".to_owned()
    } else {
        next.step
    };
    let verified = format!("Exactly one verified effect of {}.", waits.join(" and of "));
    NextStep {
        step,
        another_attempt: Permission::NotPermitted,
        why: format!("It depends on {}, which is not verified.", waits.join(", ")),
        resume_on: [vec![verified], next.resume_on].concat(),
        authority: next.authority,
    }
}

fn by_outcome(operation: &OperationAccount) -> NextStep {
    match operation.outcome {
        Outcome::Committed | Outcome::Replayed => done(operation),
        Outcome::Rejected => rejected(operation),
        Outcome::NotCommitted => not_committed(operation),
        Outcome::NotStarted => not_started(operation),
        Outcome::Duplicated => {
            to_correct(operation, "Find out which of the effects stands, and have the others undone.")
        }
        Outcome::Mismatched => to_correct(
            operation,
            "Find out whether the effect can stand as it is, or has to be undone and decided anew.",
        ),
        Outcome::Uncertain => uncertain(operation),
    }
}

fn done(operation: &OperationAccount) -> NextStep {
    let step = match operation.claim_check {
        ClaimCheck::FalseFailure => "Correct the workflow's record: it says failed or refused, and the effect exists.",
        ClaimCheck::HonestUnknown => {
            "The workflow does not know yet that the effect exists: settle that in its record, then go on."
        }
        _ => "Go on with the next step; this one is done.",
    };
    NextStep {
        step: step.to_owned(),
        another_attempt: Permission::NotPermitted,
        why: "The effect exists exactly once.".to_owned(),
        resume_on: vec!["The one effect that the target shows.".to_owned()],
        authority: "None beyond the right to see the result.".to_owned(),
    }
}

fn rejected(operation: &OperationAccount) -> NextStep {
    let step = if operation.claim_check == ClaimCheck::FalseSuccess {
        "Correct the workflow's record: it says done, and the target refused."
    } else {
        "Nothing by repetition: settle what was refused (a right, an approval, a field), or leave it refused."
    };
    NextStep {
        step: step.to_owned(),
        another_attempt: Permission::NotPermitted,
        why: "The target refused; the same request would be refused again.".to_owned(),
        resume_on: vec!["A new decision that removes the reason of the refusal.".to_owned()],
        authority: approval_words(operation.contract.as_ref()),
    }
}

fn not_committed(operation: &OperationAccount) -> NextStep {
    let made = operation.attempts.len();
    let (another_attempt, why) = match &operation.contract {
        None => (Permission::NotKnown, "No contract of the target is recorded.".to_owned()),
        Some(contract) if contract.attempts_left(made) > 0 => (
            Permission::Permitted,
            format!(
                "A settled look shows no effect, and {made} of the {} that need no decision {} ({}).",
                counted(to_size(contract.attempts), "attempt"),
                was_made(made),
                shown(&contract.source)
            ),
        ),
        Some(contract) => (
            Permission::NeedsDecision,
            format!(
                "{} {}, and no more than {} may be without a decision ({}).",
                counted(made, "attempt"),
                was_made(made),
                contract.attempts,
                shown(&contract.source)
            ),
        ),
    };
    NextStep {
        step: "Find out why it failed; then attempt the same operation again under the conditions that hold now."
            .to_owned(),
        another_attempt,
        why,
        resume_on: vec!["The approval, the record and the source are still those that were decided on.".to_owned()],
        authority: approval_words(operation.contract.as_ref()),
    }
}

fn not_started(operation: &OperationAccount) -> NextStep {
    let authority = approval_words(operation.contract.as_ref());
    let (step, another_attempt, why, resume) = match operation.claim {
        Some(Claim::Rejected) => (
            "Nothing by repetition: the workflow itself refused. Settle what it refused for, or leave it refused.",
            Permission::NotPermitted,
            "The workflow refused before any attempt.".to_owned(),
            "A new decision that removes the reason of the refusal.".to_owned(),
        ),
        Some(Claim::Held | Claim::Unknown) => (
            "Take it over: the workflow has stopped and handed it to a person.",
            Permission::NeedsDecision,
            "The workflow holds it.".to_owned(),
            "The decision of the one who takes it over.".to_owned(),
        ),
        Some(Claim::Completed) => (
            "Correct the workflow's record: it says done, and nothing was begun.",
            Permission::NeedsDecision,
            "The workflow takes it for done and would not attempt it.".to_owned(),
            "A corrected record of the workflow.".to_owned(),
        ),
        _ if !operation.attempts_observed => (
            "Find out whether it was begun; if not, begin it, if it still serves.",
            Permission::NotKnown,
            "Whether it was attempted was not observed.".to_owned(),
            "The workflow's own record of its attempts.".to_owned(),
        ),
        _ => (
            "Begin it, if it still serves.",
            Permission::Permitted,
            "Nothing was attempted.".to_owned(),
            "The request still stands, and what it needs is approved.".to_owned(),
        ),
    };
    NextStep { step: step.to_owned(), another_attempt, why, resume_on: vec![resume], authority }
}

fn to_correct(operation: &OperationAccount, step: &str) -> NextStep {
    let deciders = operation.contract.as_ref().map(|contract| contract.approvers.join(", ")).unwrap_or_default();
    let authority = if deciders.is_empty() {
        "Undoing is an action of its own; who may decide it is not recorded.".to_owned()
    } else {
        format!(
            "Undoing is an action of its own and needs its own decision; the action itself is approved by {deciders}."
        )
    };
    NextStep {
        step: step.to_owned(),
        another_attempt: Permission::NotPermitted,
        why: "An effect exists that was not intended; another attempt could only add to it.".to_owned(),
        resume_on: vec!["A settled look that shows exactly one effect with the intended parameters.".to_owned()],
        authority,
    }
}

fn uncertain(operation: &OperationAccount) -> NextStep {
    let contract = operation.contract.as_ref();
    let (another_attempt, why) = repetition(contract, operation.attempts.len());
    let step = match contract.and_then(|contract| contract.lookup.as_ref()) {
        Some(lookup) => {
            let wait = if lookup.lag_s > 0.0 {
                format!(", no sooner than {} s after the last attempt", lookup.lag_s)
            } else {
                String::new()
            };
            let second = if lookup.authoritative {
                ""
            } else {
                "; its view may lag, so an empty answer needs a second, authoritative look"
            };
            format!("Look the operation up at the target by {}{wait}{second}.", shown(&lookup.by))
        }
        None => {
            "Have a person read the target's own records: no lookup is recorded, and silence proves nothing.".to_owned()
        }
    };
    NextStep {
        step,
        another_attempt,
        why,
        resume_on: vec![
            "A settled, authoritative look that shows exactly one effect with the intended parameters: then it is done, go on.".to_owned(),
            "A settled, authoritative look that shows none: then it may be attempted again as the retry contract says.".to_owned(),
        ],
        authority: "The right to read the target's records; for another attempt as for the first. ".to_owned() + &approval_words(contract),
    }
}

/// Whether an operation of unknown result may be repeated before anyone has looked.
fn repetition(contract: Option<&Contract>, made: usize) -> (Permission, String) {
    let Some(contract) = contract else {
        return (Permission::NotKnown, "Whether the target recognises a repeated request is not recorded.".to_owned());
    };
    let source = shown(&contract.source);
    if contract.key == IdempotencyKey::None {
        let why = format!("The target recognises no repeated request: another attempt could act twice ({source}).");
        return (Permission::NotPermitted, why);
    }
    let window = contract.window_s.map_or_else(
        || "for a time that is not stated".to_owned(),
        |seconds| format!("for {seconds} s after the first one"),
    );
    let terms = format!("the target recognises the same request {window} ({source}): same identity, same parameters");
    if contract.attempts_left(made) > 0 {
        (Permission::Permitted, format!("Within the contract: {terms}."))
    } else {
        let why = format!(
            "Used up: {}, the most that needs no decision; {terms}.",
            counted(to_size(contract.attempts), "attempt")
        );
        (Permission::NeedsDecision, why)
    }
}

fn was_made(number: usize) -> &'static str {
    if number == 1 { "was made" } else { "were made" }
}

fn to_size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn approval_words(contract: Option<&Contract>) -> String {
    match contract {
        None => "Who may approve it is not recorded.".to_owned(),
        Some(contract) if !contract.approvers.is_empty() => {
            format!("An approval that holds for exactly this action, by {}.", contract.approvers.join(" or "))
        }
        Some(contract) if contract.needs_approval == Some(true) => "An approval; by whom is not recorded.".to_owned(),
        Some(Contract { needs_approval: Some(false), .. }) => "No approval is needed.".to_owned(),
        Some(_) => "Whether it needs an approval is not recorded.".to_owned(),
    }
}
