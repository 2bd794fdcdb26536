//! Rules about how a workflow makes its calls, held against what was observed and what its targets promise. Pure.
//!
//! A rule comes to one of four standings. It is *kept* only where something happened in which it could have been broken; where
//! nothing did there was *no occasion*; and where something did and the observation does not show how it went, it is *not judged*,
//! which is neither a pass nor a breach.
//!
//! What a rule holds against a workflow is what the workflow was *told*: an answer that was withheld from it is no
//! answer, whatever its target said. Times are the workflow's own, so that a case can let an hour pass in a step.

mod approval;
mod bounds;
mod claims;
mod effects;
mod empty_look;
mod equal_operations;
mod in_flight;
mod keys;
mod look;
mod payload;
mod premature;
mod refusal;
mod replay;
mod scene;
mod server_error;
#[cfg(test)]
pub(super) mod specimen;
mod terms;
mod turn_id;
mod unprotected;
mod window;

use serde::{Deserialize, Serialize};

use crate::domain::{OperationId, PartId, Rule};
use crate::evidence::{Observation, OperationSeen};
use crate::manifest::CallName;

use scene::{Intent, Scene, Try};

pub use terms::Terms;

/// A rule that a workflow broke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breach {
    /// The rule.
    pub rule: Rule,
    /// The operation; `None` where it is not about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<OperationId>,
    /// The numbers of the attempts at that operation that show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<u32>,
    /// What happened, in one sentence.
    pub message: String,
}

/// How a rule stands after a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleStanding {
    /// It could have been broken so many times and never was.
    Kept(usize),
    /// It was broken.
    Broken(Vec<Breach>),
    /// Nothing happened in which it could have been broken.
    NoOccasion,
    /// It may have been broken, and the observation does not show it. The text says what is missing.
    NotJudged(String),
}

/// Every breach of every rule, in the order of the rules.
pub fn breaches(observation: &Observation, terms: &Terms) -> Vec<Breach> {
    let standings = Rule::ALL.into_iter().map(|rule| examine(rule, observation, terms));
    standings
        .flat_map(|standing| match standing {
            RuleStanding::Broken(breaches) => breaches,
            _ => Vec::new(),
        })
        .collect()
}

/// How one rule stands.
pub fn examine(rule: Rule, observation: &Observation, terms: &Terms) -> RuleStanding {
    stand(rule, &Scene::of(observation, terms))
}

/// How one rule stands for some of the operations.
pub(super) fn examine_some(
    rule: Rule,
    observation: &Observation,
    terms: &Terms,
    is_meant: impl Fn(&OperationSeen) -> bool,
) -> RuleStanding {
    stand(rule, &Scene::of_some(observation, terms, is_meant))
}

/// How it stands with one call that depends on another: whether that one was known to be done before.
pub(super) fn depends(call: &CallName, on: &CallName, observation: &Observation, terms: &Terms) -> RuleStanding {
    let mut found = Found::none(Rule::PrematureCall);
    let is_call = |connector: &PartId, operation: &str| call.parts() == Some((connector.as_str(), operation));
    premature::check(&Scene::of(observation, terms), &mut found, |connector, operation| {
        if is_call(connector, operation) { std::slice::from_ref(on) } else { &[] }
    });
    found.standing()
}

fn stand(rule: Rule, scene: &Scene<'_>) -> RuleStanding {
    let mut found = Found::none(rule);
    match rule {
        Rule::StableKey => keys::stable(scene, &mut found),
        Rule::KeyFollowsPayload => keys::follows_payload(scene, &mut found),
        Rule::LookAfterWindow => window::look_after(scene, &mut found),
        Rule::InFlightIsNoConflict => in_flight::is_no_conflict(scene, &mut found),
        Rule::ServerErrorIsUncertain => server_error::is_uncertain(scene, &mut found),
        Rule::ReplayAddsNothing => replay::adds_nothing(scene, &mut found),
        Rule::TurnIdIsNoIntent => turn_id::is_no_intent(scene, &mut found),
        Rule::EqualOperationsBothSucceed => equal_operations::both_succeed(scene, &mut found),
        Rule::EmptyLookSettlesNothing => empty_look::settles_nothing(scene, &mut found),
        Rule::ExpiredApprovalGivesNothing => approval::expired_gives_nothing(scene, &mut found),
        Rule::DuplicatedEffect => effects::duplicated(scene, &mut found),
        Rule::MismatchedEffect => effects::mismatched(scene, &mut found),
        Rule::FalseSuccess | Rule::FalseFailure | Rule::Overclaimed => claims::checked(scene, &mut found),
        Rule::Silent => claims::silent(scene, &mut found),
        Rule::NoAnswer => claims::no_answer(scene, &mut found),
        Rule::UnboundedRetry => bounds::unbounded(scene, &mut found),
        Rule::RetriedRefusal => refusal::retried(scene, &mut found),
        Rule::UnprotectedRetry => unprotected::retry(scene, &mut found),
        Rule::LostIdentity => keys::lost(scene, &mut found),
        Rule::PrematureCall => premature::call(scene, &mut found),
    }
    found.standing()
}

/// What one rule has found so far.
struct Found {
    rule: Rule,
    occasions: usize,
    breaches: Vec<Breach>,
    missing: Option<String>,
}

impl Found {
    fn none(rule: Rule) -> Self {
        Self { rule, occasions: 0, breaches: Vec::new(), missing: None }
    }

    /// Something happened in which the rule could have been broken.
    fn occasion(&mut self) {
        self.occasions += 1;
    }

    /// It was broken by these attempts at an operation.
    fn breach(&mut self, intent: &Intent<'_>, tries: &[&Try<'_>], message: impl Into<String>) {
        self.breach_of(Some(intent.id().clone()), tries.iter().map(|one| one.number()).collect(), message);
    }

    /// It was broken.
    fn breach_of(&mut self, operation: Option<OperationId>, attempts: Vec<u32>, message: impl Into<String>) {
        self.occasions += 1;
        self.breaches.push(Breach { rule: self.rule, operation, attempts, message: message.into() });
    }

    /// It may have been broken, and something that would show it is missing: a clause without a full stop.
    fn not_judged(&mut self, missing: impl Into<String>) {
        self.missing.get_or_insert(missing.into());
    }

    fn standing(self) -> RuleStanding {
        match self.missing {
            _ if !self.breaches.is_empty() => RuleStanding::Broken(self.breaches),
            Some(missing) => RuleStanding::NotJudged(missing),
            None if self.occasions == 0 => RuleStanding::NoOccasion,
            None => RuleStanding::Kept(self.occasions),
        }
    }
}

#[cfg(test)]
mod tests;
