//! From results and accepted results to standings.

use std::collections::BTreeMap;

use crate::baseline::{AcceptedCase, Baseline, BaselineEntry};
use crate::change::CaseChange;
use crate::domain::{Aspect, BaselineHealth, CaseId, CaseStatus, Digest, Risk};
use crate::grading::CaseResult;
use crate::manifest::HeldCase;

use super::same_form::{self, Result, ended, fewer_trials, grade_changes, outcome_changes};
use super::standing::{Compared, Standing};

/// How a standing says that only a run of the accepted form could tell more.
pub const ACCEPTED_FORM_NOT_RUN: &str = "the accepted form was not run again";

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct CompareInput<'a> {
    /// The results of the cases as the head has them.
    pub results: &'a [CaseResult],
    /// The results of the cases as the base has them, for those that were edited or are judged otherwise.
    pub old_forms: &'a [CaseResult],
    /// What was accepted.
    pub baseline: &'a Baseline,
    /// Whether that can be read and relied on.
    pub health: BaselineHealth,
    /// The head's cases.
    pub cases: &'a BTreeMap<CaseId, HeldCase>,
    /// The cases that differ between base and head.
    pub changed: &'a BTreeMap<CaseId, CaseChange>,
    /// The digest of the head's project file.
    pub project_file: &'a Digest,
}

/// The standing of every case of the head and of every case that only the baseline knows, by id.
///
/// A result that is neither passed nor failed supports no comparison: its standing says which of them it is.
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
            health: input.health,
            at_base: input.changed.get(id).and_then(|change| change.base.as_ref()),
            same_project_file: input.baseline.recorded_project_file(input.project_file),
        };
        compared.insert(id, subject.compared());
    }
    for (id, entry) in &input.baseline.cases {
        compared.entry(id).or_insert_with(|| {
            let why = format!("the project no longer has it; {}", accepted_as(entry));
            let before = Some(ended(&entry.case));
            Compared { before, ..Compared::new(id.clone(), entry.case.set.clone(), Standing::Removed, why) }
        });
    }
    compared.into_values().collect()
}

fn by_case(results: &[CaseResult]) -> BTreeMap<&CaseId, &CaseResult> {
    results.iter().map(|result| (&result.case, result)).collect()
}

/// One case of the head with all that speaks of it.
struct Subject<'a> {
    case: &'a HeldCase,
    result: Option<&'a CaseResult>,
    old_form: Option<&'a CaseResult>,
    accepted: Option<&'a BaselineEntry>,
    any_baseline: bool,
    health: BaselineHealth,
    /// The other form of the case that the base has.
    at_base: Option<&'a HeldCase>,
    /// Whether the project file is the one that was accepted.
    same_project_file: bool,
}

impl Subject<'_> {
    fn compared(&self) -> Compared {
        let (id, set) = (self.case.id.clone(), self.case.set.clone());
        let now = self.result.map(AcceptedCase::of);
        let graders = self.result.map(graders).unwrap_or_default();
        let now = now.as_ref().map(|summary| Result { summary, graders: &graders });
        let differs = self.differs();
        let (standing, why) = match (self.result, now) {
            (Some(result), Some(now)) => self.ran(result, now, &differs),
            _ => self.not_run(&differs),
        };
        let both = self.accepted.map(|entry| &entry.case).zip(now);
        let same_expectations = !differs.iter().any(|aspect| matches!(aspect, Aspect::Expectations | Aspect::Case));
        let (grades, outcomes) = match both {
            Some((before, now)) => {
                let grades = if same_expectations { grade_changes(before, now) } else { Vec::new() };
                (grades, outcome_changes(before, now.summary))
            }
            None => (Vec::new(), Vec::new()),
        };
        let fewer = both.is_some_and(|(before, now)| now.summary.trials < before.trials);
        let mut differs = differs;
        if fewer && standing == Standing::NotComparable && !differs.contains(&Aspect::Trials) {
            differs.push(Aspect::Trials);
        }
        Compared {
            former_set: self.former_set(),
            status: self.result.map(|result| result.status),
            old_form: self.old_form.map(|result| result.status),
            differs,
            grades,
            outcomes,
            before: self.accepted.map(|entry| ended(&entry.case)),
            now: now.map(|now| ended(now.summary)),
            ..Compared::new(id, set, standing, why)
        }
    }

    /// A case takes no policy with it that was not its own when it was accepted.
    fn former_set(&self) -> Option<Risk> {
        let accepted = self.accepted.map(|entry| &entry.case.set);
        accepted.or(self.at_base.map(|base| &base.set)).filter(|set| **set != self.case.set).cloned()
    }

    /// In what the case as the head has it and what was accepted do not speak of the same thing.
    fn differs(&self) -> Vec<Aspect> {
        let Some(entry) = self.accepted else { return Vec::new() };
        let accepted = &entry.case;
        let trials =
            self.result.map_or(accepted.trials, |result| u32::try_from(result.trials.len()).unwrap_or(u32::MAX));
        let now = AcceptedCase {
            digest: self.case.digest.clone(),
            question: self.case.question.clone(),
            trials,
            ..accepted.clone()
        };
        accepted.differing(&now, self.same_project_file)
    }

    fn ran(&self, result: &CaseResult, now: Result<'_>, differs: &[Aspect]) -> (Standing, String) {
        if result.digest != self.case.digest {
            return (Standing::NotComparable, "what ran is not the case as it stands now".to_owned());
        }
        if let Some(standing) = Standing::undecided(result.status) {
            return self.undecided(standing, result.status);
        }
        if let Some(why) = self.accepted.and_then(|accepted| silent_pass(result, now.summary, accepted)) {
            return (Standing::NotComparable, why);
        }
        match self.accepted {
            Some(accepted) if differs.is_empty() => same_form::same_form(&accepted.case, now, &accepted_as(accepted)),
            Some(accepted) if result.status == CaseStatus::Passed => self.edited_and_passed(accepted, differs),
            Some(accepted) => edited_and_failed(accepted, differs),
            None => self.unknown(result.status),
        }
    }

    fn not_run(&self, differs: &[Aspect]) -> (Standing, String) {
        match self.accepted {
            None => (self.without_entry(), format!("it did not run, and {}", self.no_entry())),
            Some(accepted) if differs.is_empty() => {
                (Standing::Inherited, format!("it did not run; {}", accepted_as(accepted)))
            }
            Some(accepted) => {
                let (what, accepted_as) = (named(differs), accepted_as(accepted));
                let why =
                    format!("it did not run, and something else was accepted; what differs: {what}; {accepted_as}");
                (Standing::NotComparable, why)
            }
        }
    }

    /// Neither a pass nor a failure was shown. Without an accepted result there is nothing to compare anyway.
    fn undecided(&self, standing: Standing, status: CaseStatus) -> (Standing, String) {
        match self.accepted {
            None => (self.without_entry(), format!("{}, and it is {status} now", self.no_entry())),
            Some(accepted) => {
                (standing, format!("it is {status} now, which decides nothing; {}", accepted_as(accepted)))
            }
        }
    }

    /// What passes and is not what was accepted. Only the accepted form, run again and judged as it was, can show that
    /// the edit alone does not make the difference.
    fn edited_and_passed(&self, accepted: &BaselineEntry, differs: &[Aspect]) -> (Standing, String) {
        let what = named(differs);
        let Some(old_form) = self.old_form else {
            let why = format!("not as it was accepted: {what}; {ACCEPTED_FORM_NOT_RUN}; {}", accepted_as(accepted));
            return (Standing::NotComparable, why);
        };
        if old_form.status != CaseStatus::Passed {
            return only_new_form(old_form.status, &what);
        }
        let old = AcceptedCase::of(old_form);
        if old.digest != accepted.case.digest
            || !accepted.case.judged_otherwise(&old.question, self.same_project_file).is_empty()
        {
            let why =
                format!("it passes in both forms, and yet another form of it was accepted: {}", accepted_as(accepted));
            return (Standing::NotComparable, why);
        }
        if let Some(why) = fewer_trials(&accepted.case, &old, &accepted_as(accepted)) {
            return (Standing::NotComparable, why);
        }
        match accepted.case.status {
            CaseStatus::Passed => {
                (Standing::Unchanged, format!("edited: {what}; it passes in its old and its new form"))
            }
            _ => (Standing::Fixed, format!("it passes in its old and its new form; {}", accepted_as(accepted))),
        }
    }

    /// A case that no baseline knows and that passed or failed.
    fn unknown(&self, status: CaseStatus) -> (Standing, String) {
        match (self.old_form.map(|result| result.status), status) {
            (Some(old), CaseStatus::Passed) if old != CaseStatus::Passed => only_new_form(old, "the case itself"),
            (None, CaseStatus::Passed) if self.at_base.is_some() => {
                (Standing::NotComparable, "it was edited and its old form was not run".to_owned())
            }
            _ => (self.without_entry(), format!("{}; it {status} now", self.no_entry())),
        }
    }

    fn no_entry(&self) -> &'static str {
        let unreadable = self.health.why_none().filter(|_| self.health.is_unreadable());
        unreadable.unwrap_or("nothing was accepted for it")
    }

    fn without_entry(&self) -> Standing {
        if self.any_baseline { Standing::New } else { Standing::NoBaseline }
    }
}

/// The graders of a result's expectations, by index.
pub(super) fn graders(result: &CaseResult) -> Vec<String> {
    let grades = result.trials.iter().map(|trial| &trial.grades).find(|grades| !grades.is_empty());
    grades.into_iter().flatten().map(|grade| grade.grader.to_string()).collect()
}

/// A pass of a workflow that did nothing at all shows nothing of what was accepted, unless that was the same silence: what
/// only forbids is fulfilled by any failure to act.
fn silent_pass(result: &CaseResult, now: &AcceptedCase, accepted: &BaselineEntry) -> Option<String> {
    let is_new = accepted.case.output != now.output || accepted.case.outcomes != now.outcomes;
    let silent = result.status == CaseStatus::Passed && is_new && result.did_nothing();
    silent.then(|| format!("it passes without a word, a call or an effect; {}", accepted_as(accepted)))
}

/// A failure in an edited form, or under another judge, is no known failure, whatever was accepted.
fn edited_and_failed(accepted: &BaselineEntry, differs: &[Aspect]) -> (Standing, String) {
    let standing =
        if accepted.case.status == CaseStatus::Passed { Standing::Regressed } else { Standing::NotComparable };
    (standing, format!("edited: {}; it fails in its new form; {}", named(differs), accepted_as(accepted)))
}

fn only_new_form(old: CaseStatus, what: &str) -> (Standing, String) {
    let why = format!("edited: {what}; it passes in its new form alone; its old form {}", status_words(old));
    (Standing::ExpectationChanged, why)
}

fn status_words(status: CaseStatus) -> String {
    match status {
        CaseStatus::Passed | CaseStatus::Failed | CaseStatus::Errored => status.to_string(),
        CaseStatus::Uncertain | CaseStatus::Flaky => format!("is {status}"),
    }
}

/// `its expectations and a probe that it is judged by`.
pub(super) fn named(differs: &[Aspect]) -> String {
    differs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
}

fn accepted_as(entry: &BaselineEntry) -> String {
    format!("record {} of {} has it as {}", entry.record.short(), entry.accepted, entry.case.status)
}

#[cfg(test)]
mod tests;
