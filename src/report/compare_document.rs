//! `holdpoint.compare/1`: two recorded sides held against each other.
//!
//! The field names are a contract: fields are added, never renamed or taken away.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparison::{Compared, Ended, GradeChange, OutcomeChange, Standing, evidence_statement};
use crate::domain::{Aspect, CaseId, CaseStatus, Digest, Risk, counted};

use super::set_view::{SetView, set_views};
use super::words::days_between;

/// The value of [`CompareDocument::schema`].
pub const COMPARE_SCHEMA: &str = "holdpoint.compare/1";

/// What two sides have in common and in what they differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompareDocument {
    /// [`COMPARE_SCHEMA`].
    pub schema: String,
    /// What the project is called.
    pub project: String,
    /// The side that is held against.
    pub before: SideView,
    /// The side that is looked at.
    pub now: SideView,
    /// How many cases stand how, by the standing's name; standings that none has are left out.
    pub counts: BTreeMap<Standing, usize>,
    /// What the passes now say of the workflow, in one sentence.
    pub evidence_statement: String,
    /// What the counts of each set support, by set.
    pub sets: Vec<SetView>,
    /// Every case of either side, by id.
    pub cases: Vec<ComparedCaseView>,
    /// What this comparison does not show, a sentence each.
    pub limits: Vec<String>,
}

/// Whether a side is a run or accepted results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SideKind {
    /// A recorded run.
    Run,
    /// Accepted results.
    Baseline,
}

/// One side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SideView {
    /// What it is.
    pub kind: SideKind,
    /// The run's id, or `baseline`, or the digest of the record up to which acceptances count.
    pub name: String,
    /// When the run began or the newest acceptance was made, RFC 3339; `None` of a baseline without any.
    pub time: Option<String>,
    /// The fingerprint of the parts, where it is known.
    pub fingerprint: Option<Digest>,
    /// How many cases it has a result of.
    pub cases: usize,
}

/// One case of either side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedCaseView {
    /// The case.
    pub id: CaseId,
    /// Its set.
    pub set: Risk,
    /// How it stands now against before.
    pub standing: Standing,
    /// Why, in one sentence.
    pub why: String,
    /// In what the two results do not speak of the same thing.
    pub differs: Vec<Aspect>,
    /// The expectations that changed sides.
    pub changed_grades: Vec<GradeChange>,
    /// The operations that came out otherwise.
    pub changed_outcomes: Vec<OutcomeChange>,
    /// How it ended before.
    pub before: Option<Ended>,
    /// How it ended now.
    pub now: Option<Ended>,
    /// Whether the answer's text is another in any trial; `None` where a side has none. Of an accepted result the first
    /// trial's answer is known.
    pub answer_changed: Option<bool>,
    /// Of a case that did not run now: whole days from its result before to now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_days: Option<u64>,
}

/// What a comparison says of one case beyond its standing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseDetail {
    /// As in [`ComparedCaseView`].
    pub answer_changed: Option<bool>,
    /// When the result before was accepted or ran, RFC 3339.
    pub since: Option<String>,
}

/// What a comparison is made of.
#[derive(Clone, Copy, Debug)]
pub struct CompareInput<'a> {
    /// What the project is called.
    pub project: &'a str,
    /// The side that is held against.
    pub before: &'a SideView,
    /// The side that is looked at.
    pub now: &'a SideView,
    /// Each case's standing.
    pub compared: &'a [Compared],
    /// What is said of single cases.
    pub details: &'a BTreeMap<CaseId, CaseDetail>,
    /// What this comparison does not show, beyond what it can tell by itself.
    pub limits: &'a [String],
}

impl CompareDocument {
    /// The document of a comparison. Pure: the same input gives the same document.
    pub fn new(input: &CompareInput<'_>) -> Self {
        let mut counts: BTreeMap<Standing, usize> = BTreeMap::new();
        input.compared.iter().for_each(|one| *counts.entry(one.standing).or_default() += 1);
        let ran = input.compared.iter().filter_map(|one| one.now);
        let passed = ran.clone().filter(|ended| ended.status == CaseStatus::Passed).count();
        let cases: Vec<ComparedCaseView> = input.compared.iter().map(|one| case_view(one, input)).collect();
        let mut limits = input.limits.to_vec();
        let apart = cases.iter().filter(|case| case.standing == Standing::NotComparable).count();
        if apart > 0 {
            limits.push(format!("Not comparable, and so in no paired figure: {}.", counted(apart, "case")));
        }
        Self {
            schema: COMPARE_SCHEMA.to_owned(),
            project: input.project.to_owned(),
            before: input.before.clone(),
            now: input.now.clone(),
            counts,
            evidence_statement: evidence_statement(passed, ran.count()),
            sets: set_views(input.compared, &[]),
            cases,
            limits,
        }
    }

    /// How old the oldest result is on which a case stands that did not run, in a sentence without its end.
    pub(super) fn oldest(&self, standing: Standing) -> Option<String> {
        let days = self.with(standing).filter_map(|case| case.age_days).max()?;
        let age = match days {
            0 => "less than a day".to_owned(),
            days => counted(usize::try_from(days).ok()?, "day"),
        };
        Some(format!("the oldest of their results was {age} old then"))
    }

    /// The fingerprints of the parts on both sides, in a phrase; nothing where a side has none.
    pub(super) fn parts(&self) -> Option<String> {
        let (before, now) = (self.before.fingerprint.as_ref()?, self.now.fingerprint.as_ref()?);
        Some(if before == now {
            format!("the same on both sides, fingerprint {}", now.short())
        } else {
            format!("fingerprint {} now, {} before", now.short(), before.short())
        })
    }

    /// The cases with this standing.
    pub(super) fn with(&self, standing: Standing) -> impl Iterator<Item = &ComparedCaseView> {
        self.cases.iter().filter(move |case| case.standing == standing)
    }
}

fn case_view(one: &Compared, input: &CompareInput<'_>) -> ComparedCaseView {
    let detail = input.details.get(&one.case);
    let age = || days_between(detail?.since.as_ref()?, input.now.time.as_ref()?);
    ComparedCaseView {
        id: one.case.clone(),
        set: one.set.clone(),
        standing: one.standing,
        why: one.why.to_string(),
        differs: one.differs.clone(),
        changed_grades: one.grades.clone(),
        changed_outcomes: one.outcomes.clone(),
        before: one.before,
        now: one.now,
        answer_changed: detail.and_then(|detail| detail.answer_changed),
        age_days: if one.standing == Standing::Inherited { age() } else { None },
    }
}

/// The standings in the order in which a reader meets them, worst first; what has them needs no words of its own where the
/// second part is false.
pub(super) const STANDINGS: [(Standing, &str, bool); 13] = [
    (Standing::Regressed, "Regressed", true),
    (Standing::Uncertain, "Uncertain", true),
    (Standing::Flaky, "Flaky", true),
    (Standing::Errored, "Errored", true),
    (Standing::NotComparable, "Not comparable", true),
    (Standing::ExpectationChanged, "Expectation changed", true),
    (Standing::New, "New", true),
    (Standing::NoBaseline, "Without baseline", true),
    (Standing::Removed, "Removed", true),
    (Standing::Fixed, "Fixed", true),
    (Standing::KnownFailure, "Known failures", true),
    (Standing::Inherited, "Did not run", false),
    (Standing::Unchanged, "Unchanged", false),
];

impl ComparedCaseView {
    /// What changed in it, a sentence each.
    pub(super) fn findings(&self) -> Vec<String> {
        let outcome = |change: &OutcomeChange| {
            let worse = if change.worse { ", which is worse" } else { "" };
            format!("{} was {} and is {}{worse}", change.operation, change.before, change.now)
        };
        let mut findings: Vec<String> = [false, true]
            .into_iter()
            .filter_map(|holds_now| grades_sentence(&self.changed_grades, holds_now))
            .collect();
        findings.extend(self.changed_outcomes.iter().map(outcome));
        if self.answer_changed == Some(true) {
            findings.push("the answer is another".to_owned());
        }
        findings
    }

    /// Whether it is worth a line of its own.
    pub(super) fn is_worth_a_line(&self) -> bool {
        let by_standing = STANDINGS.iter().any(|(standing, _, named)| *standing == self.standing && *named);
        by_standing || !self.findings().is_empty()
    }

    /// `passed in 3 of 4 trials`, on either side.
    pub(super) fn ends(&self) -> String {
        format!("before: {}; now: {}", how_ended(self.before), how_ended(self.now))
    }
}

fn how_ended(ended: Option<Ended>) -> String {
    match ended {
        None => "no result".to_owned(),
        // Each trial that is there passed, so what makes it errored is one that is not there.
        Some(ended) if ended.status == CaseStatus::Errored && ended.passed == ended.trials => {
            format!("{}: trials are missing, {} of {} that ran passed", ended.status, ended.passed, ended.trials)
        }
        Some(ended) => format!("{}, {} of {} passed", ended.status, ended.passed, ended.trials),
    }
}

/// The expectations that hold now and did not before, or the other way round, in one sentence.
fn grades_sentence(changed: &[GradeChange], holds_now: bool) -> Option<String> {
    let named = |change: &GradeChange| {
        let grader = if change.grader.is_empty() { String::new() } else { format!(" ({})", change.grader) };
        format!("{}{grader}", change.expectation)
    };
    let named: Vec<String> = changed.iter().filter(|change| change.holds_now == holds_now).map(named).collect();
    let (what, do_not) = match named.len() {
        0 => return None,
        1 => ("expectation", "does not"),
        _ => ("expectations", "do not"),
    };
    let how = match (holds_now, named.len()) {
        (true, 1) => "holds now, and did not before".to_owned(),
        (true, _) => "hold now, and did not before".to_owned(),
        (false, _) => format!("held before, and {do_not} now"),
    };
    Some(format!("{what} {} {how}", named.join(", ")))
}

impl SideView {
    /// `run 2026… of 2026-03-02T09:14:07Z, 20 cases`.
    pub(super) fn text(&self) -> String {
        let kind = match self.kind {
            SideKind::Run => "run ",
            SideKind::Baseline if self.name == "baseline" => "the ",
            SideKind::Baseline => "accepted up to record ",
        };
        let time = self.time.as_ref().map_or_else(String::new, |time| format!(" of {time}"));
        format!("{kind}{}{time}, {}", self.name, counted(self.cases, "case"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_that_is_errored_for_missing_trials_says_so() {
        let said = |status, passed, trials| how_ended(Some(Ended { status, passed, trials }));
        assert_eq!(said(CaseStatus::Errored, 1, 1), "errored: trials are missing, 1 of 1 that ran passed");
        assert_eq!(said(CaseStatus::Errored, 1, 2), "errored, 1 of 2 passed");
        assert_eq!(said(CaseStatus::Passed, 2, 2), "passed, 2 of 2 passed");
    }
}
