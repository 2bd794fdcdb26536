//! From evidence to the outcome of an operation, and from a claim to how it stands to that outcome.
//!
//! Two kinds of statement are kept apart. That *something exists* (a second effect, an effect with other
//! parameters) is shown by any look that saw it: waiting does not make it untrue. That *nothing else exists* (no
//! effect, exactly one effect) is shown only by looks that were settled and authoritative; before that an empty
//! answer is no evidence. What a target answers can therefore weaken a conclusion and never carries one alone: a
//! missing answer, a 500 or a receipt leaves the outcome `uncertain` until the target itself was looked at.

use std::collections::BTreeSet;

use crate::domain::{Claim, ClaimCheck, OperationId, Outcome};
use crate::manifest::{Case, Grader};

use super::excerpt::excerpt;
use super::observation::{Answered, AttemptSeen, OperationSeen, StepObservation};

/// How much of a target's own words one sentence of evidence shows, in characters.
const SHOWN: usize = 200;

/// One probe's look for one operation: how much the look is worth, and the effects of that operation that it saw.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The probe.
    pub probe: String,
    /// How much it is worth.
    pub state: LookState,
    /// The effects that it saw, those of this operation alone.
    pub effects: Vec<EffectSeen>,
}

/// How much a look is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookState {
    /// The target could not be read; the text says why.
    Unreadable(String),
    /// It was read.
    Read {
        /// Whether no write can still be on its way: the probe has waited as its settling rule says.
        settled: bool,
        /// Whether the view holds all that the target has committed. A view that may lag is not authoritative.
        authoritative: bool,
    },
}

/// One effect of an operation, as one look saw it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectSeen {
    /// The receipt that the target gives callers for it, where its record holds that receipt.
    pub receipt: Option<String>,
    /// Whether its parameters are those of the intention; `None` where nothing states the intended ones, which the
    /// evidence then says.
    pub parameters_match: Option<bool>,
}

impl Look {
    /// A settled look at an authoritative view, such as a query on the target's own database after its last write.
    pub fn settled(probe: impl Into<String>, effects: Vec<EffectSeen>) -> Self {
        Self { probe: probe.into(), state: LookState::Read { settled: true, authoritative: true }, effects }
    }

    /// A look at a target that could not be read.
    pub fn unreadable(probe: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { probe: probe.into(), state: LookState::Unreadable(reason.into()), effects: Vec::new() }
    }

    /// Whether the view holds all that was committed, settled or not.
    fn is_authoritative(&self) -> bool {
        matches!(self.state, LookState::Read { authoritative: true, .. })
    }

    fn sentence(&self) -> String {
        let probe = excerpt(&self.probe, SHOWN);
        let seen = match self.effects.len() {
            0 => "no effect".to_owned(),
            1 => "one effect".to_owned(),
            many => format!("{many} effects"),
        };
        match &self.state {
            LookState::Unreadable(reason) => {
                format!("The probe `{probe}` could not be read: {}.", excerpt(reason, SHOWN))
            }
            LookState::Read { settled: true, authoritative: true } => {
                format!("The probe `{probe}` shows {seen}, settled.")
            }
            LookState::Read { settled: false, .. } => {
                format!("The probe `{probe}` shows {seen}, before a write on its way had to be there.")
            }
            LookState::Read { authoritative: false, .. } => {
                format!("The probe `{probe}` shows {seen}, in a view that may lag.")
            }
        }
    }
}

/// What attempts and looks support for one operation.
///
/// | outcome | supported by |
/// |---|---|
/// | `duplicated` | a look that shows more than one effect, whatever the answers said |
/// | `mismatched` | a look that shows an effect with other parameters |
/// | `replayed` | every look shows one effect, and a later attempt with an earlier one's identity got its receipt |
/// | `committed` | every look shows one effect |
/// | `rejected` | every look shows none, and a documented refusal was seen |
/// | `not_committed` | every look shows none, and attempts were made |
/// | `not_started` | every look shows none, and no attempt was seen |
/// | `uncertain` | all else: no look, one that was unreadable or not settled, looks or answers that contradict |
///
/// *Every look* means every authoritative one, of which there must be at least one, all readable and settled. A
/// view that may lag can show more than they do, which contradicts them, and can show less, which says nothing.
/// The contradictions of answers are a receipt with no effect to it, two different receipts for one effect, and an effect
/// where every attempt was kept from the target. A refusal beside one effect is none: the effect is there.
///
/// `attempts` are in the order in which they were made.
pub fn conclude(operation: &OperationId, attempts: &[AttemptSeen], looks: &[Look]) -> OperationSeen {
    let mut evidence: Vec<String> = attempts.iter().map(attempt_sentence).collect();
    evidence.extend(looks.iter().map(Look::sentence));
    let (outcome, why) = weigh(attempts, looks);
    evidence.push(why);
    let effects = looks.iter().map(|look| look.effects.len()).max().unwrap_or(0);
    OperationSeen { operation: operation.clone(), outcome, attempts: attempts.to_vec(), effects, evidence }
}

fn weigh(attempts: &[AttemptSeen], looks: &[Look]) -> (Outcome, String) {
    if looks.iter().any(|look| look.effects.len() > 1) {
        return (Outcome::Duplicated, "More than one effect exists for one intention.".to_owned());
    }
    if looks.iter().flat_map(|look| &look.effects).any(|effect| effect.parameters_match == Some(false)) {
        return (Outcome::Mismatched, "The effect has other parameters than were intended.".to_owned());
    }
    match is_there(looks) {
        Err(why) => (Outcome::Uncertain, why),
        Ok(false) => weigh_absence(attempts),
        Ok(true) => weigh_presence(attempts, looks),
    }
}

/// Whether all authoritative looks show the effect, or all show none.
fn is_there(looks: &[Look]) -> Result<bool, String> {
    for look in looks {
        if matches!(look.state, LookState::Unreadable(_)) {
            return Err("A target that should show the effect could not be read.".to_owned());
        }
        if matches!(look.state, LookState::Read { settled: false, authoritative: true }) {
            return Err("The target was looked at before it had settled.".to_owned());
        }
    }
    let mut authoritative = looks.iter().filter(|look| look.is_authoritative());
    let Some(first) = authoritative.next() else {
        return Err("No authoritative look at a target was had.".to_owned());
    };
    if authoritative.any(|look| look.effects.len() != first.effects.len()) {
        return Err("The looks contradict each other: one shows an effect that another does not.".to_owned());
    }
    let lagging_shows_more = looks.iter().any(|look| look.effects.len() > first.effects.len());
    if lagging_shows_more {
        return Err("A view that may lag shows an effect that the authoritative one does not.".to_owned());
    }
    Ok(!first.effects.is_empty())
}

fn weigh_absence(attempts: &[AttemptSeen]) -> (Outcome, String) {
    if attempts.iter().any(|attempt| attempt.answered.says_done()) {
        return (Outcome::Uncertain, "The target said that it was done and shows no effect.".to_owned());
    }
    if attempts.is_empty() {
        return (Outcome::NotStarted, "No attempt was seen and the target shows no effect.".to_owned());
    }
    if attempts.iter().any(|attempt| matches!(attempt.answered, Answered::Refused { .. })) {
        return (Outcome::Rejected, "The target refused and shows no effect.".to_owned());
    }
    (Outcome::NotCommitted, "Attempts were made and the target shows no effect.".to_owned())
}

/// Every look that shows the effect counts, whichever was had first: one may know its receipt, another its parameters.
fn weigh_presence(attempts: &[AttemptSeen], looks: &[Look]) -> (Outcome, String) {
    let shown = || looks.iter().flat_map(|look| &look.effects);
    let answered = attempts.iter().filter_map(|attempt| attempt.answered.receipt());
    let receipts: BTreeSet<&str> = answered.chain(shown().filter_map(|effect| effect.receipt.as_deref())).collect();
    if receipts.len() > 1 {
        return (Outcome::Uncertain, "There are different receipts and only one effect.".to_owned());
    }
    if !attempts.is_empty() && attempts.iter().all(never_arrived) {
        return (Outcome::Uncertain, "An effect exists, and no attempt went on to the target.".to_owned());
    }
    let is_stated = shown().any(|effect| effect.parameters_match.is_some());
    let unstated = if is_stated { "" } else { " Nothing states which parameters it should have." };
    match replay(attempts) {
        Some(number) => (
            Outcome::Replayed,
            format!("Attempt {number} got the earlier result and added nothing to the one effect.{unstated}"),
        ),
        None => (Outcome::Committed, format!("Exactly one effect exists.{unstated}")),
    }
}

/// Faults by which a target gets nothing.
const KEPT_AWAY: [&str; 6] = ["refuse", "drop_before", "lost_request", "status", "unavailable", "rate_limited"];

/// Whether an attempt was kept from the target, whatever its caller was told.
fn never_arrived(attempt: &AttemptSeen) -> bool {
    let fault = attempt.fault.as_deref().and_then(|fault| fault.split_whitespace().next());
    attempt.answered == Answered::NotForwarded || fault.is_some_and(|fault| KEPT_AWAY.contains(&fault))
}

/// The first attempt that repeats an earlier one's identity and got the earlier result: by the target's own
/// signal, or by the very receipt that an earlier attempt had got. Earlier is what came to the target before it.
fn replay(attempts: &[AttemptSeen]) -> Option<u32> {
    let attempts = as_they_arrived(attempts);
    attempts.iter().enumerate().find_map(|(index, attempt)| {
        let mut earlier = attempts[..index].iter().filter(|before| before.identity == attempt.identity);
        let repeats = match &attempt.answered {
            Answered::Replayed { .. } => earlier.next().is_some(),
            Answered::Committed { receipt: Some(receipt) } => {
                earlier.any(|before| before.answered.receipt() == Some(receipt.as_str()))
            }
            _ => false,
        };
        repeats.then_some(attempt.number)
    })
}

/// The attempts in the order in which they came to the target: one that was overtaken follows whoever overtook it first.
fn as_they_arrived(attempts: &[AttemptSeen]) -> Vec<&AttemptSeen> {
    let mut arrived: Vec<&AttemptSeen> = Vec::with_capacity(attempts.len());
    for attempt in attempts.iter().rev() {
        let before = attempt.behind.and_then(|other| arrived.iter().position(|later| later.number == other));
        arrived.insert(before.map_or(0, |place| place + 1), attempt);
    }
    arrived
}

pub(super) fn attempt_sentence(attempt: &AttemptSeen) -> String {
    let fault = attempt.fault.as_deref().map(|fault| format!(" under `{}`", excerpt(fault, SHOWN)));
    let behind = attempt.behind.map(|other| format!(", which came to the target after attempt {other}"));
    let (fault, behind) = (fault.unwrap_or_default(), behind.unwrap_or_default());
    format!("Attempt {}{fault}{behind}: {}.", attempt.number, attempt.answered)
}

/// How a claim stands to what the evidence supports.
///
/// | claimed | confirmed by | `false_success` / `false_failure` | overclaimed |
/// |---|---|---|---|
/// | completed | committed, replayed | not_started, rejected, not_committed, duplicated, mismatched | uncertain |
/// | rejected | rejected, not_started (the workflow itself refused) | committed, replayed, duplicated, mismatched | uncertain, not_committed |
/// | failed | not_started, rejected, not_committed | committed, replayed, duplicated, mismatched | uncertain |
/// | unknown, held | never | never | never: `honest_unknown` throughout |
///
/// A refusal that nobody saw is overclaimed, since an outage must not pass for the system working right. To say
/// *unknown* or *held* of what the evidence settles is `honest_unknown` too: after a lost answer the workflow can
/// know less than the runner that stood between. It is never `confirmed`. No claim at all is `silent`.
pub fn check_claim(outcome: Outcome, claim: Option<Claim>) -> ClaimCheck {
    use Outcome::{Committed, Duplicated, Mismatched, NotCommitted, NotStarted, Rejected, Replayed, Uncertain};
    let Some(claim) = claim else { return ClaimCheck::Silent };
    match (claim, outcome) {
        (Claim::Unknown | Claim::Held, _) => ClaimCheck::HonestUnknown,
        (_, Uncertain) => ClaimCheck::Overclaimed,
        (Claim::Completed, Committed | Replayed) => ClaimCheck::Confirmed,
        (Claim::Completed, NotStarted | Rejected | NotCommitted | Duplicated | Mismatched) => ClaimCheck::FalseSuccess,
        (Claim::Rejected | Claim::Failed, Committed | Replayed | Duplicated | Mismatched) => ClaimCheck::FalseFailure,
        (Claim::Rejected, NotCommitted) => ClaimCheck::Overclaimed,
        (Claim::Rejected, Rejected | NotStarted) => ClaimCheck::Confirmed,
        (Claim::Failed, NotStarted | Rejected | NotCommitted) => ClaimCheck::Confirmed,
    }
}

/// The operations that a trial must come to an outcome for even where no attempt at them was seen: those that the
/// case's expectations name and those that the answers claim something of.
pub fn operations_named(case: &Case, steps: &[StepObservation]) -> BTreeSet<OperationId> {
    let expected = case.expect.iter().filter_map(|expectation| match expectation.grader()?.0 {
        Grader::Outcome(outcome) => Some(outcome.operation),
        Grader::Claim(claim) => Some(claim.operation),
        _ => None,
    });
    let claims = steps.iter().filter_map(|step| step.answer.as_ref()).flat_map(|answer| &answer.claims);
    expected.chain(claims.map(|claim| claim.operation.clone())).collect()
}

#[cfg(test)]
mod tests;
