//! From results and accepted results to standings.

use std::collections::BTreeMap;

use crate::baseline::{AcceptedCase, Baseline, BaselineEntry, ChangedOutcome};
use crate::change::CaseChange;
use crate::domain::{CaseId, CaseStatus};
use crate::grading::CaseResult;
use crate::manifest::Case;

use super::standing::{Compared, Standing};

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct CompareInput<'a> {
    /// The results of the cases as the head has them.
    pub results: &'a [CaseResult],
    /// The results of the cases as the base has them, for those that were edited.
    pub old_forms: &'a [CaseResult],
    /// What was accepted.
    pub baseline: &'a Baseline,
    /// The head's cases.
    pub cases: &'a BTreeMap<CaseId, Case>,
    /// The cases that differ between base and head.
    pub changed: &'a BTreeMap<CaseId, CaseChange>,
}

/// The standing of every case of the head and of every case that only the baseline knows, by id.
///
/// A result that is neither passed nor failed supports no comparison: its standing is
/// [`Standing::NotComparable`], its status says the rest.
pub fn compare(input: &CompareInput<'_>) -> Vec<Compared> {
    let results = by_case(input.results);
    let old_forms = by_case(input.old_forms);
    let mut compared: BTreeMap<&CaseId, Compared> = BTreeMap::new();
    for (id, case) in input.cases {
        let subject = Subject {
            case,
            result: results.get(id).copied(),
            old_form: old_forms.get(id).copied(),
            accepted: input.baseline.cases.get(id),
            any_baseline: !input.baseline.is_empty(),
            has_old_form: input.changed.get(id).is_some_and(|change| change.base.is_some()),
        };
        compared.insert(id, subject.compared());
    }
    for (id, entry) in &input.baseline.cases {
        compared.entry(id).or_insert_with(|| Compared {
            case: id.clone(),
            set: entry.case.set.clone(),
            status: None,
            old_form: None,
            standing: Standing::Removed,
            why: format!("the project no longer has it; {}", accepted_as(entry)),
        });
    }
    compared.into_values().collect()
}

fn by_case(results: &[CaseResult]) -> BTreeMap<&CaseId, &CaseResult> {
    results.iter().map(|result| (&result.case, result)).collect()
}

/// One case of the head with all that speaks of it.
struct Subject<'a> {
    case: &'a Case,
    result: Option<&'a CaseResult>,
    old_form: Option<&'a CaseResult>,
    accepted: Option<&'a BaselineEntry>,
    any_baseline: bool,
    /// Whether the base has another form of the case.
    has_old_form: bool,
}

impl Subject<'_> {
    fn compared(&self) -> Compared {
        let (standing, why) = match self.result {
            None => self.not_run(),
            Some(result) => match (self.accepted, result.status) {
                _ if result.digest != self.case.digest => {
                    (Standing::NotComparable, "what ran is not the case as it stands now".to_owned())
                }
                (_, CaseStatus::Errored | CaseStatus::Uncertain | CaseStatus::Flaky) => self.undecided(result.status),
                (Some(accepted), _) if accepted.case.digest == result.digest => same_form(accepted, result),
                (Some(accepted), CaseStatus::Passed) => self.edited_and_passed(accepted),
                (Some(accepted), _) => edited_and_failed(accepted),
                (None, status) => self.unknown(status),
            },
        };
        Compared {
            case: self.case.id.clone(),
            set: self.case.set.clone(),
            status: self.result.map(|result| result.status),
            old_form: self.old_form.map(|result| result.status),
            standing,
            why,
        }
    }

    fn not_run(&self) -> (Standing, String) {
        match self.accepted {
            None => (self.without_entry(), "it did not run and nothing was accepted for it".to_owned()),
            Some(accepted) if accepted.case.digest == self.case.digest => {
                (Standing::Inherited, format!("it did not run; {}", accepted_as(accepted)))
            }
            Some(accepted) => {
                let why = format!("it did not run, and another form of it was accepted: {}", accepted_as(accepted));
                (Standing::NotComparable, why)
            }
        }
    }

    /// Neither a pass nor a failure was shown. Without an accepted result there is nothing to compare anyway.
    fn undecided(&self, status: CaseStatus) -> (Standing, String) {
        match self.accepted {
            None => (self.without_entry(), format!("nothing was accepted for it, and it is {status} now")),
            Some(accepted) => (
                Standing::NotComparable,
                format!("it is {status} now, which decides nothing; {}", accepted_as(accepted)),
            ),
        }
    }

    /// What passes and is not what was accepted. Only the accepted form, run again, can show that the edit alone does
    /// not make the difference.
    fn edited_and_passed(&self, accepted: &BaselineEntry) -> (Standing, String) {
        let Some(old_form) = self.old_form else {
            let why = format!("another form of it was accepted and was not run again; {}", accepted_as(accepted));
            return (Standing::NotComparable, why);
        };
        if old_form.status != CaseStatus::Passed {
            return only_new_form(old_form.status);
        }
        if old_form.digest != accepted.case.digest {
            let why =
                format!("it passes in both forms, and yet another form of it was accepted: {}", accepted_as(accepted));
            return (Standing::NotComparable, why);
        }
        if let Some(why) = fewer_trials(accepted, old_form) {
            return (Standing::NotComparable, why);
        }
        match accepted.case.status {
            CaseStatus::Passed => {
                (Standing::Unchanged, "it was edited and passes in its old and its new form".to_owned())
            }
            _ => (Standing::Fixed, format!("it passes in its old and its new form; {}", accepted_as(accepted))),
        }
    }

    /// A case that no baseline knows and that passed or failed.
    fn unknown(&self, status: CaseStatus) -> (Standing, String) {
        match (self.old_form.map(|result| result.status), status) {
            (Some(old), CaseStatus::Passed) if old != CaseStatus::Passed => only_new_form(old),
            (None, CaseStatus::Passed) if self.has_old_form => {
                (Standing::NotComparable, "it was edited and its old form was not run".to_owned())
            }
            _ => (self.without_entry(), format!("nothing was accepted for it; it {status} now")),
        }
    }

    fn without_entry(&self) -> Standing {
        if self.any_baseline { Standing::New } else { Standing::NoBaseline }
    }
}

/// The very form that was accepted, passed or failed now. A form that a person accepted is compared as it is, also
/// where the base has an older one.
fn same_form(accepted: &BaselineEntry, result: &CaseResult) -> (Standing, String) {
    let passes = result.status == CaseStatus::Passed;
    let accepted_as = accepted_as(accepted);
    match (accepted.case.status, passes) {
        // What failed once did fail, in however few trials.
        (CaseStatus::Passed, false) => (Standing::Regressed, format!("it fails now; {accepted_as}")),
        (CaseStatus::Failed, false) => still_failing(accepted, result),
        // No such result can be accepted; a record that says so all the same excuses no failure.
        (_, false) => (Standing::NotComparable, format!("it fails now; {accepted_as}")),
        (status, true) => match fewer_trials(accepted, result) {
            Some(why) => (Standing::NotComparable, why),
            None if status == CaseStatus::Passed => {
                let now = AcceptedCase::of(result);
                let changed = outcomes_sentence(accepted.case.changed_outcomes(&now));
                let changed = changed.map_or_else(String::new, |changed| format!(" with other outcomes ({changed})"));
                (Standing::Unchanged, format!("it passes{changed}, and {accepted_as}"))
            }
            None => (Standing::Fixed, format!("it passes now; {accepted_as}")),
        },
    }
}

/// A failure that was accepted excuses no other: neither another expectation that fails, nor harm that was not there.
fn still_failing(accepted: &BaselineEntry, result: &CaseResult) -> (Standing, String) {
    let now = AcceptedCase::of(result);
    let accepted_as = accepted_as(accepted);
    let mut worse = accepted.case.changed_outcomes(&now);
    worse.retain(|changed| changed.is_worse());
    if let Some(worse) = outcomes_sentence(worse) {
        return (Standing::Regressed, format!("it still fails, and with a worse outcome ({worse}); {accepted_as}"));
    }
    // A record that was written before the failing expectations were kept does not say what it excuses.
    if accepted.case.failing.is_empty() && !now.failing.is_empty() {
        let why =
            format!("it still fails, and which expectations failed at acceptance was not recorded; {accepted_as}");
        return (Standing::NotComparable, why);
    }
    let new = now.failing.iter().filter(|index| !accepted.case.failing.contains(index));
    let new: Vec<String> = new.map(|index| expectation(result, *index)).collect();
    if !new.is_empty() {
        let why = format!("it fails where it did not at acceptance: {}; {accepted_as}", new.join(", "));
        return (Standing::Regressed, why);
    }
    match fewer_trials(accepted, result) {
        Some(why) => (Standing::NotComparable, why),
        None => (Standing::KnownFailure, format!("it still fails; {accepted_as}")),
    }
}

/// Fewer trials show less than was accepted: what happens now and then may just not have happened.
fn fewer_trials(accepted: &BaselineEntry, result: &CaseResult) -> Option<String> {
    let (ran, before) = (result.trials.len(), accepted.case.trials);
    let fewer = u32::try_from(ran).is_ok_and(|ran| ran < before);
    fewer.then(|| format!("fewer trials than at acceptance: {ran} now, {before} then; {}", accepted_as(accepted)))
}

/// An expectation by its place and its grader, as `expectation 2 (contains)`.
fn expectation(result: &CaseResult, index: usize) -> String {
    let grade = result.trials.iter().find_map(|trial| trial.grades.get(index));
    format!("expectation {} ({})", index + 1, grade.map_or("", |grade| grade.grader.as_str()))
}

/// `op-1 was committed and is duplicated`; `None` where nothing changed.
fn outcomes_sentence(changed: Vec<ChangedOutcome<'_>>) -> Option<String> {
    let sentence =
        |change: &ChangedOutcome<'_>| format!("{} was {} and is {}", change.operation, change.accepted, change.now);
    let sentences: Vec<String> = changed.iter().map(sentence).collect();
    (!sentences.is_empty()).then(|| sentences.join(", "))
}

/// A failure in an edited form is no known failure, whatever was accepted for another form.
fn edited_and_failed(accepted: &BaselineEntry) -> (Standing, String) {
    let standing =
        if accepted.case.status == CaseStatus::Passed { Standing::Regressed } else { Standing::NotComparable };
    (standing, format!("it was edited and fails in its new form; {}", accepted_as(accepted)))
}

fn only_new_form(old: CaseStatus) -> (Standing, String) {
    (Standing::ExpectationChanged, format!("it passes in its new form alone; its old form {}", ended(old)))
}

fn ended(status: CaseStatus) -> String {
    match status {
        CaseStatus::Passed | CaseStatus::Failed | CaseStatus::Errored => status.to_string(),
        CaseStatus::Uncertain | CaseStatus::Flaky => format!("is {status}"),
    }
}

fn accepted_as(entry: &BaselineEntry) -> String {
    format!("record {} of {} has it as {}", entry.record.short(), entry.accepted, entry.case.status)
}

#[cfg(test)]
mod tests;
