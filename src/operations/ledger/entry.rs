//! The lines of a ledger, as they stand in the file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::domain::Claim;
use crate::manifest::Operation;
use crate::operations::account::StatementKind;

/// The value of the first line's `schema`.
pub const LEDGER_SCHEMA: &str = "holdpoint.ledger/1";

/// The JSON Schema of one line of a ledger.
pub fn ledger_schema() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Entry>();
    schema.insert("title".to_owned(), "one line of a holdpoint operation ledger".into());
    schema.to_value()
}

/// An identity or a reference: a word without spaces, so that no sentence about a person comes in by it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = r"^[A-Za-z0-9_.:/#+-]{1,120}$"))]
pub(in crate::operations) struct Reference(pub(super) String);

impl TryFrom<String> for Reference {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_.:/#+-".contains(c));
        if is_plain && (1..=120).contains(&text.len()) {
            Ok(Self(text))
        } else {
            Err("a reference has 1 to 120 letters, digits and signs of `_.:/#+-`, and no space".to_owned())
        }
    }
}

/// A sentence that a person wrote for other people. No personal content: refer to the record instead.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("minLength" = 1, "maxLength" = 500))]
pub(in crate::operations) struct Sentence(pub(super) String);

impl TryFrom<String> for Sentence {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let characters = text.chars().count();
        if (1..=500).contains(&characters) && !text.chars().any(char::is_control) {
            Ok(Self(text))
        } else {
            Err("a sentence has 1 to 500 characters and no line end or other control character".to_owned())
        }
    }
}

/// One line of an operation ledger. Lines stand in the order of their times, `at`, RFC 3339; the first has the entry
/// `ledger`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub(super) enum Entry {
    /// The first line: what is written here.
    Ledger(LedgerEntry),
    /// A case came in: one piece of the workflow's real work.
    Case(CaseEntry),
    /// The workflow intends an action.
    Operation(OperationEntry),
    /// It attempted the action.
    Attempt(AttemptEntry),
    /// Someone looked at the target.
    Look(LookEntry),
    /// The workflow said what became of it.
    Claim(ClaimEntry),
    /// Someone judged a refusal.
    Refusal(RefusalEntry),
    /// The case waits for a review.
    Queued(QueuedEntry),
    /// The case was reviewed.
    Review(ReviewEntry),
    /// Someone spent time.
    Effort(EffortEntry),
    /// Something was paid.
    Cost(CostEntry),
    /// Someone is answerable for an operation from now on.
    Assigned(AssignedEntry),
    /// Someone closed an exception.
    Resolved(ResolvedEntry),
    /// Someone stated something.
    Note(NoteEntry),
}

/// What is written here.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LedgerEntry {
    /// The format: `holdpoint.ledger/1`.
    #[schemars(extend("const" = "holdpoint.ledger/1"))]
    pub(super) schema: String,
    /// When the ledger was begun.
    pub(super) at: String,
    /// The workflow.
    pub(super) workflow: Reference,
    /// The actions that operations name, each with the target's contract. An action that does not stand here has no known
    /// contract, so nothing permits a second attempt at it.
    #[serde(default)]
    pub(super) actions: BTreeMap<String, ActionContract>,
}

/// What a target promises of an action, and who may decide it.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ActionContract {
    /// The contract, as a connector's manifest states it.
    pub(super) contract: Operation,
    /// Whether someone must approve it first.
    #[serde(default)]
    pub(super) needs_approval: Option<bool>,
    /// Who may approve it: roles or names.
    #[serde(default)]
    pub(super) approvers: Vec<Reference>,
}

/// A case came in.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseEntry {
    /// When.
    pub(super) at: String,
    /// The case.
    pub(super) case: Reference,
    /// Whether the workflow is meant for it.
    #[serde(default = "yes")]
    pub(super) eligible: bool,
    /// What should come of it.
    #[serde(default)]
    pub(super) intended: Option<Sentence>,
}

fn yes() -> bool {
    true
}

/// The workflow intends an action.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OperationEntry {
    /// When.
    pub(super) at: String,
    /// The operation: an identity that stays the same over all attempts.
    pub(super) operation: Reference,
    /// Its case.
    pub(super) case: Reference,
    /// The action.
    #[serde(default)]
    pub(super) action: Option<Reference>,
    /// What should come of it.
    #[serde(default)]
    pub(super) intended: Option<Sentence>,
    /// Operations that must be verified before this one may begin.
    #[serde(default)]
    pub(super) depends_on: Vec<Reference>,
}

/// It attempted the action.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AttemptEntry {
    /// When.
    pub(super) at: String,
    /// The operation.
    pub(super) operation: Reference,
    /// Which attempt at it, from 1 without a gap.
    #[schemars(range(min = 1))]
    pub(super) number: u32,
    /// What came back.
    pub(super) answered: AnswerWord,
    /// The identity that it carried on the wire.
    #[serde(default)]
    pub(super) identity: Option<Reference>,
    /// The receipt in the answer, where the target said `done` or `replayed`.
    #[serde(default)]
    pub(super) receipt: Option<Reference>,
    /// The target's code for a refusal.
    #[serde(default)]
    pub(super) reason: Option<Reference>,
    /// What went wrong on the way, in a word: `timeout`.
    #[serde(default)]
    pub(super) fault: Option<Reference>,
}

/// What came back on an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum AnswerWord {
    /// The target says that it is done.
    Done,
    /// The target says that it was done before.
    Replayed,
    /// A refusal that the target's contract documents as leaving nothing behind.
    Refused,
    /// Any other error: it proves nothing.
    Error,
    /// Nothing came back.
    NoAnswer,
    /// The attempt never left.
    NotSent,
    /// Nobody wrote down what came back.
    NotRecorded,
}

/// Someone looked at the target. Of several looks at one target the last counts; one before the last attempt does not.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LookEntry {
    /// When.
    pub(super) at: String,
    /// The operation.
    pub(super) operation: Reference,
    /// Where: the system and the view.
    pub(super) target: Reference,
    /// Whether it could be read.
    #[serde(default = "yes")]
    pub(super) readable: bool,
    /// Whether no write can still be on its way.
    #[serde(default)]
    pub(super) settled: bool,
    /// Whether the view holds all that the target has committed.
    #[serde(default)]
    pub(super) authoritative: bool,
    /// How many effects of this operation it showed.
    #[schemars(range(max = 1000))]
    pub(super) effects: u32,
    /// The receipt of the effect, where the record holds it.
    #[serde(default)]
    pub(super) receipt: Option<Reference>,
    /// Whether the effect has the intended parameters, where that was compared.
    #[serde(default)]
    pub(super) parameters_match: Option<bool>,
}

/// The workflow said what became of it. The last claim counts.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimEntry {
    /// When.
    pub(super) at: String,
    /// The operation.
    pub(super) operation: Reference,
    /// The claim.
    pub(super) claim: Claim,
}

/// Someone judged a refusal.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RefusalEntry {
    /// When.
    pub(super) at: String,
    /// The operation that was refused.
    pub(super) operation: Reference,
    /// Whether it was right to refuse.
    pub(super) right: bool,
}

/// The case waits for a review.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QueuedEntry {
    /// Since when.
    pub(super) at: String,
    /// The case.
    pub(super) case: Reference,
}

/// The case was reviewed.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReviewEntry {
    /// When.
    pub(super) at: String,
    /// The case.
    pub(super) case: Reference,
    /// What was decided.
    pub(super) decision: DecisionWord,
}

/// What a review decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum DecisionWord {
    /// Taken as it is.
    Accepted,
    /// Taken after a correction.
    Corrected,
    /// Sent back.
    Returned,
}

/// Someone spent time.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EffortEntry {
    /// When.
    pub(super) at: String,
    /// On what.
    pub(super) kind: EffortKind,
    /// How many minutes.
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub(super) minutes: f64,
    /// The case, where it was for one.
    #[serde(default)]
    pub(super) case: Option<Reference>,
}

/// What time was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum EffortKind {
    /// Reviewing.
    Review,
    /// Correcting.
    Correction,
    /// Finding out what happened.
    Reconciliation,
    /// Anything else.
    Other,
}

impl EffortKind {
    /// The name used in files and papers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::Correction => "correction",
            Self::Reconciliation => "reconciliation",
            Self::Other => "other",
        }
    }
}

/// Something was paid.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CostEntry {
    /// When.
    pub(super) at: String,
    /// The currency, ISO 4217.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    pub(super) currency: String,
    /// What the model cost.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1_000_000_000.0))]
    pub(super) model: Option<f64>,
    /// What tools cost.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1_000_000_000.0))]
    pub(super) tool: Option<f64>,
    /// The case, where it was for one.
    #[serde(default)]
    pub(super) case: Option<Reference>,
}

/// Someone is answerable for an operation from now on.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AssignedEntry {
    /// From when.
    pub(super) at: String,
    /// The operation.
    pub(super) operation: Reference,
    /// Who: a role or a name.
    pub(super) owner: Reference,
}

/// Someone closed an exception. What the evidence supports stays what it is.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ResolvedEntry {
    /// When.
    pub(super) at: String,
    /// The operation.
    pub(super) operation: Reference,
    /// Who.
    pub(super) by: Reference,
    /// What that rests on: a reference to a record.
    pub(super) evidence: Reference,
}

/// Someone stated something.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoteEntry {
    /// When.
    pub(super) at: String,
    /// About what.
    pub(super) about: StatementKind,
    /// What. Refer to records; copy no personal content from them.
    pub(super) text: Sentence,
    /// An identity, where a later note answers this one.
    #[serde(default)]
    pub(super) id: Option<Reference>,
    /// The question that this note answers, by its `id`; the question is then no longer open.
    #[serde(default)]
    pub(super) answers: Option<Reference>,
    /// The operation, where it concerns one.
    #[serde(default)]
    pub(super) operation: Option<Reference>,
    /// By whom.
    #[serde(default)]
    pub(super) by: Option<Reference>,
    /// For when, where it lies ahead.
    #[serde(default)]
    pub(super) due: Option<String>,
}

impl Entry {
    /// Its time, as written.
    pub(super) fn at(&self) -> &str {
        match self {
            Self::Ledger(entry) => &entry.at,
            Self::Case(entry) => &entry.at,
            Self::Operation(entry) => &entry.at,
            Self::Attempt(entry) => &entry.at,
            Self::Look(entry) => &entry.at,
            Self::Claim(entry) => &entry.at,
            Self::Refusal(entry) => &entry.at,
            Self::Queued(entry) => &entry.at,
            Self::Review(entry) => &entry.at,
            Self::Effort(entry) => &entry.at,
            Self::Cost(entry) => &entry.at,
            Self::Assigned(entry) => &entry.at,
            Self::Resolved(entry) => &entry.at,
            Self::Note(entry) => &entry.at,
        }
    }

    /// The case that must have come in before, where the entry names one.
    pub(super) fn case_named(&self) -> Option<&Reference> {
        match self {
            Self::Operation(entry) => Some(&entry.case),
            Self::Queued(entry) => Some(&entry.case),
            Self::Review(entry) => Some(&entry.case),
            Self::Effort(entry) => entry.case.as_ref(),
            Self::Cost(entry) => entry.case.as_ref(),
            _ => None,
        }
    }

    /// The operations that must have been intended before.
    pub(super) fn operations_named(&self) -> Vec<&Reference> {
        match self {
            Self::Operation(entry) => entry.depends_on.iter().collect(),
            Self::Attempt(entry) => vec![&entry.operation],
            Self::Look(entry) => vec![&entry.operation],
            Self::Claim(entry) => vec![&entry.operation],
            Self::Refusal(entry) => vec![&entry.operation],
            Self::Assigned(entry) => vec![&entry.operation],
            Self::Resolved(entry) => vec![&entry.operation],
            Self::Note(entry) => entry.operation.iter().collect(),
            _ => Vec::new(),
        }
    }
}
