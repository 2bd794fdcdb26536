//! One trial: its grades, and how it ended.

use std::collections::BTreeMap;

use crate::domain::{Claim, OperationId, Outcome, TrialStatus};
use crate::evidence::{ErrorKind, Observation};
use crate::manifest::{Case, Grader};

use super::claims::{claim_checks, outcomes};
use super::grade::{Grade, GradedTrial, GradingContext};
use super::judge::Subject;
use super::registry;

/// Grades one trial of a case, in the form of the case that ran.
///
/// A trial that did not come to an answer is errored and has no grades: half an answer says nothing of the workflow. Else
/// the first of these holds:
/// 1. no expectation at all, or one without a judgement: errored, since nothing was shown;
/// 2. an operation's outcome is uncertain and the case does not expect that (by `outcome: {is: uncertain}`, or by a
///    claim of `unknown` or `held`, for that operation): uncertain, also where grades failed, because they
///    may have failed for what could not be known;
/// 3. every grade passes: passed; else failed.
pub fn grade(case: &Case, observation: Observation, context: &GradingContext<'_>) -> GradedTrial {
    let claim_checks = claim_checks(&observation);
    let grades = if observation.error.is_some() { Vec::new() } else { grades(case, &observation, context) };
    let status = status(case, &observation, &grades);
    GradedTrial { observation, grades, claim_checks, status }
}

/// A trial of which nobody knows what it did: it has no grades, and is uncertain until someone has looked.
pub fn held(observation: Observation) -> GradedTrial {
    GradedTrial { observation, grades: Vec::new(), claim_checks: BTreeMap::new(), status: TrialStatus::Uncertain }
}

/// A trial on a target that outlives it, where it was ended at once: what its steps had begun may be done or not, so it is
/// uncertain, and `not_known` is added to what is said. A trial without any step did nothing, and one that ended otherwise
/// stays as it is.
pub fn cut_off(mut trial: GradedTrial, not_known: impl FnOnce() -> String) -> GradedTrial {
    let acted = !trial.observation.steps.is_empty();
    if let Some(error) = trial.observation.error.as_mut().filter(|error| acted && error.kind == ErrorKind::Cancelled) {
        error.message.push_str(&not_known());
        trial.status = TrialStatus::Uncertain;
    }
    trial
}

fn grades(case: &Case, observation: &Observation, context: &GradingContext<'_>) -> Vec<Grade> {
    let judge = |(index, expectation)| registry::judge(expectation, &Subject { case, observation, context, index });
    case.expect.iter().enumerate().map(judge).collect()
}

fn status(case: &Case, observation: &Observation, grades: &[Grade]) -> TrialStatus {
    // A trial with an error has no grades, so it ends here too.
    if grades.is_empty() || grades.iter().any(|grade| grade.pass.is_none()) {
        return TrialStatus::Errored;
    }
    let is_open = |(operation, outcome): (OperationId, Outcome)| {
        outcome == Outcome::Uncertain && !expects_uncertainty(case, &operation)
    };
    if outcomes(observation).into_iter().any(is_open) {
        TrialStatus::Uncertain
    } else if grades.iter().all(|grade| grade.pass == Some(true)) {
        TrialStatus::Passed
    } else {
        TrialStatus::Failed
    }
}

/// Whether the case itself expects that an operation stays uncertain.
fn expects_uncertainty(case: &Case, operation: &OperationId) -> bool {
    case.expect.iter().filter_map(|expectation| expectation.grader()).any(|(grader, negated)| {
        !negated
            && match grader {
                Grader::Outcome(outcome) => outcome.operation == *operation && outcome.is == Outcome::Uncertain,
                Grader::Claim(claim) => {
                    claim.operation == *operation && matches!(claim.is, Claim::Unknown | Claim::Held)
                }
                _ => false,
            }
    })
}

#[cfg(test)]
mod tests;
