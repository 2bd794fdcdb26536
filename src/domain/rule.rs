//! Rules about how a workflow makes its calls, by name.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One rule that any workflow which acts should keep. The first ten follow from what targets promise of a request that
/// they get twice; the others are ways in which an operation goes wrong whatever its target promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The key is the same on every attempt at one intention.
    StableKey,
    /// One key never goes with two payloads.
    KeyFollowsPayload,
    /// Past the time for which the target remembers a key, a look comes before another attempt.
    LookAfterWindow,
    /// *The first request still runs* is neither a refusal nor a failure.
    InFlightIsNoConflict,
    /// A failure inside the target leaves open what happened.
    ServerErrorIsUncertain,
    /// A replay shows by the target's answer and by a count that did not change.
    ReplayAddsNothing,
    /// The id that a model gave to a tool call is no key: the next turn gives another one.
    TurnIdIsNoIntent,
    /// Two operations that ask for the same are two, and both are done.
    EqualOperationsBothSucceed,
    /// One empty look at once does not settle whether something was done.
    EmptyLookSettlesNothing,
    /// An approval that has expired stops no look at what was done, and gives no right to do it anew.
    ExpiredApprovalGivesNothing,
    /// One intention leaves one effect.
    DuplicatedEffect,
    /// The effect is the one that was intended.
    MismatchedEffect,
    /// What is claimed as done is there.
    FalseSuccess,
    /// What is claimed as failed or refused is not there.
    FalseFailure,
    /// Nothing is claimed with more certainty than the evidence has.
    Overclaimed,
    /// Whoever asked is told what became of an operation.
    Silent,
    /// The workflow comes to an answer.
    NoAnswer,
    /// Attempts and the time that they take are within what the connector's manifest states.
    UnboundedRetry,
    /// What was refused is not asked for again unchanged.
    RetriedRefusal,
    /// What may have been done is not asked for again where nothing would make the two one.
    UnprotectedRetry,
    /// A call that takes a key carries one.
    LostIdentity,
    /// What must come first is known to be done before the call that needs it.
    PrematureCall,
}

impl Rule {
    /// Every rule, those that follow from what targets promise first.
    pub const ALL: [Self; 22] = [
        Self::StableKey,
        Self::KeyFollowsPayload,
        Self::LookAfterWindow,
        Self::InFlightIsNoConflict,
        Self::ServerErrorIsUncertain,
        Self::ReplayAddsNothing,
        Self::TurnIdIsNoIntent,
        Self::EqualOperationsBothSucceed,
        Self::EmptyLookSettlesNothing,
        Self::ExpiredApprovalGivesNothing,
        Self::DuplicatedEffect,
        Self::MismatchedEffect,
        Self::FalseSuccess,
        Self::FalseFailure,
        Self::Overclaimed,
        Self::Silent,
        Self::NoAnswer,
        Self::UnboundedRetry,
        Self::RetriedRefusal,
        Self::UnprotectedRetry,
        Self::LostIdentity,
        Self::PrematureCall,
    ];

    /// How many of [`Rule::ALL`] follow from what targets promise of a request that they get twice.
    pub const OF_CONTRACT: usize = 10;

    /// The name used in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StableKey => "stable_key",
            Self::KeyFollowsPayload => "key_follows_payload",
            Self::LookAfterWindow => "look_after_window",
            Self::InFlightIsNoConflict => "in_flight_is_no_conflict",
            Self::ServerErrorIsUncertain => "server_error_is_uncertain",
            Self::ReplayAddsNothing => "replay_adds_nothing",
            Self::TurnIdIsNoIntent => "turn_id_is_no_intent",
            Self::EqualOperationsBothSucceed => "equal_operations_both_succeed",
            Self::EmptyLookSettlesNothing => "empty_look_settles_nothing",
            Self::ExpiredApprovalGivesNothing => "expired_approval_gives_nothing",
            Self::DuplicatedEffect => "duplicated_effect",
            Self::MismatchedEffect => "mismatched_effect",
            Self::FalseSuccess => "false_success",
            Self::FalseFailure => "false_failure",
            Self::Overclaimed => "overclaimed",
            Self::Silent => "silent",
            Self::NoAnswer => "no_answer",
            Self::UnboundedRetry => "unbounded_retry",
            Self::RetriedRefusal => "retried_refusal",
            Self::UnprotectedRetry => "unprotected_retry",
            Self::LostIdentity => "lost_identity",
            Self::PrematureCall => "premature_call",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_written_as_it_is_named_and_stands_once() {
        for rule in Rule::ALL {
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.name());
        }
        let sorted: std::collections::BTreeSet<Rule> = Rule::ALL.into_iter().collect();
        assert!(sorted.into_iter().eq(Rule::ALL), "the order is that of the enumeration, and each stands once");
        assert_eq!(Rule::ALL[Rule::OF_CONTRACT], Rule::DuplicatedEffect);
    }
}
