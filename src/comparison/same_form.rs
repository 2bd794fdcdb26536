//! Two results of the very same form of a case, and what differs between any two results.

use crate::baseline::{AcceptedCase, ChangedOutcome};
use crate::domain::CaseStatus;

use super::standing::{Ended, GradeChange, OutcomeChange, Standing};

/// A result in the form in which two are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Result<'a> {
    pub(super) summary: &'a AcceptedCase,
    /// The graders of its expectations, by index, as far as they are known.
    pub(super) graders: &'a [String],
}

/// How the same form stands that ended so before and ends so now, neither of them without a conclusion now. `before_as`
/// says where the earlier result stands and what it was.
pub(super) fn same_form(before: &AcceptedCase, now: Result<'_>, before_as: &str) -> (Standing, String) {
    let passes = now.summary.status == CaseStatus::Passed;
    match (before.status, passes) {
        // What failed once did fail, in however few trials.
        (CaseStatus::Passed, false) => (Standing::Regressed, format!("it fails now; {before_as}")),
        (CaseStatus::Failed, false) => still_failing(before, now, before_as),
        // A result without a conclusion excuses no failure.
        (_, false) => (Standing::NotComparable, format!("it fails now; {before_as}")),
        (status, true) => match fewer_trials(before, now.summary, before_as) {
            Some(why) => (Standing::NotComparable, why),
            None if status == CaseStatus::Passed => {
                let changed = outcomes_sentence(before.changed_outcomes(now.summary));
                let changed = changed.map_or_else(String::new, |changed| format!(" with other outcomes ({changed})"));
                (Standing::Unchanged, format!("it passes{changed}, and {before_as}"))
            }
            None => (Standing::Fixed, format!("it passes now; {before_as}")),
        },
    }
}

/// A failure that was there before excuses no other: neither another expectation that fails, nor harm that was not
/// there.
fn still_failing(before: &AcceptedCase, now: Result<'_>, before_as: &str) -> (Standing, String) {
    let mut worse = before.changed_outcomes(now.summary);
    worse.retain(|changed| changed.is_worse());
    if let Some(worse) = outcomes_sentence(worse) {
        return (Standing::Regressed, format!("it still fails, and with a worse outcome ({worse}); {before_as}"));
    }
    // A record that was written before the failing expectations were kept does not say what it excuses.
    if before.failing.is_empty() && !now.summary.failing.is_empty() {
        let why = format!("it still fails, and which expectations failed before was not recorded; {before_as}");
        return (Standing::NotComparable, why);
    }
    let new = now.summary.failing.iter().filter(|index| !before.failing.contains(index));
    let new = named_expectations(now.graders, &new.copied().collect::<Vec<_>>());
    if !new.is_empty() {
        let why = format!("it fails where it did not before: {}; {before_as}", new.join(", "));
        return (Standing::Regressed, why);
    }
    match fewer_trials(before, now.summary, before_as) {
        Some(why) => (Standing::NotComparable, why),
        None => (Standing::KnownFailure, format!("it still fails; {before_as}")),
    }
}

/// Fewer trials show less than before: what happens now and then may just not have happened.
pub(super) fn fewer_trials(before: &AcceptedCase, now: &AcceptedCase, before_as: &str) -> Option<String> {
    let (ran, then) = (now.trials, before.trials);
    (ran < then).then(|| format!("fewer trials than before: {ran} now, {then} then; {before_as}"))
}

/// These expectations by their places and their graders.
pub(super) fn named_expectations(graders: &[String], indices: &[usize]) -> Vec<String> {
    indices.iter().map(|index| expectation(graders, *index)).collect()
}

/// An expectation by its place and its grader, as `expectation 2 (contains)`.
fn expectation(graders: &[String], index: usize) -> String {
    format!("expectation {} ({})", index + 1, graders.get(index).map_or("", String::as_str))
}

/// `op-1 was committed and is duplicated`; `None` where nothing changed.
fn outcomes_sentence(changed: Vec<ChangedOutcome<'_>>) -> Option<String> {
    let sentence =
        |change: &ChangedOutcome<'_>| format!("{} was {} and is {}", change.operation, change.accepted, change.now);
    let sentences: Vec<String> = changed.iter().map(sentence).collect();
    (!sentences.is_empty()).then(|| sentences.join(", "))
}

/// How a result ended.
pub(super) fn ended(result: &AcceptedCase) -> Ended {
    Ended { status: result.status, passed: result.passed, trials: result.trials }
}

/// The operations that came out otherwise.
pub(super) fn outcome_changes(before: &AcceptedCase, now: &AcceptedCase) -> Vec<OutcomeChange> {
    let owned = |change: ChangedOutcome<'_>| OutcomeChange {
        operation: change.operation.to_owned(),
        before: change.accepted.to_owned(),
        now: change.now.to_owned(),
        worse: change.is_worse(),
    };
    before.changed_outcomes(now).into_iter().map(owned).collect()
}

/// The expectations that changed sides. Both results must be of the same expectations, and the earlier one must say which of
/// them failed.
pub(super) fn grade_changes(before: &AcceptedCase, now: Result<'_>) -> Vec<GradeChange> {
    let (then, now_failing) = (&before.failing, &now.summary.failing);
    if before.status != CaseStatus::Passed && then.is_empty() || now.summary.status == CaseStatus::Errored {
        return Vec::new();
    }
    let mut changed: Vec<usize> = then.iter().filter(|index| !now_failing.contains(index)).copied().collect();
    changed.extend(now_failing.iter().filter(|index| !then.contains(index)));
    changed.sort_unstable();
    let change = |index: usize| GradeChange {
        expectation: index + 1,
        grader: now.graders.get(index).cloned().unwrap_or_default(),
        holds_now: !now_failing.contains(&index),
    };
    changed.into_iter().map(change).collect()
}
