//! Two runs, two baselines, or one of each, held against each other as they were recorded: nothing is run again.

use std::collections::{BTreeMap, BTreeSet};

use crate::baseline::AcceptedCase;
use crate::domain::{Aspect, CaseId, CaseStatus, Digest};
use crate::grading::CaseResult;

use super::compare::{graders, named};
use super::same_form::{self, Result, ended, grade_changes, outcome_changes};
use super::standing::{Compared, Standing};

/// One case as one side has it.
#[derive(Clone, Debug, PartialEq)]
pub struct SideCase {
    /// Its result.
    pub summary: AcceptedCase,
    /// The graders of its expectations, by index, where the record says.
    pub graders: Vec<String>,
    /// The answers of its trials, as far as the record has them.
    pub answers: BTreeSet<Digest>,
    /// Its result in the form that the base had, where that ran too.
    pub old_form: Option<AcceptedCase>,
    /// When it ran or was accepted, RFC 3339.
    pub since: String,
}

impl SideCase {
    /// A result that a run recorded which began then.
    pub fn of(result: &CaseResult, old_form: Option<&CaseResult>, since: &str) -> Self {
        Self {
            summary: AcceptedCase::of(result),
            graders: graders(result),
            answers: result.trials.iter().filter_map(|trial| trial.answer.clone()).collect(),
            old_form: old_form.map(AcceptedCase::of),
            since: since.to_owned(),
        }
    }

    /// A result that was accepted then. Of its answers the first alone is kept.
    pub fn accepted(case: &AcceptedCase, since: &str) -> Self {
        Self {
            summary: case.clone(),
            graders: Vec::new(),
            answers: case.output.iter().cloned().collect(),
            old_form: None,
            since: since.to_owned(),
        }
    }

    /// Whether any trial answers otherwise than before, or no longer as one did then; `None` where a side has no answer.
    pub fn answers_otherwise(&self, before: &Self) -> Option<bool> {
        (!self.answers.is_empty() && !before.answers.is_empty()).then(|| self.answers != before.answers)
    }
}

/// One side.
#[derive(Clone, Copy, Debug)]
pub struct ComparedSide<'a> {
    /// What it is called: `run 2026…`, `the baseline`.
    pub name: &'a str,
    /// Its results.
    pub cases: &'a BTreeMap<CaseId, SideCase>,
    /// The cases that its project had beside, and of which it has no result.
    pub known: &'a BTreeSet<CaseId>,
}

/// The standing of every case of either side, by id. `same_project_file` says whether both sides had the same project
/// file, which a record that does not say how it was judged rests on.
pub fn compare_sides(before: ComparedSide<'_>, now: ComparedSide<'_>, same_project_file: bool) -> Vec<Compared> {
    let ids: BTreeSet<&CaseId> = before.cases.keys().chain(now.cases.keys()).collect();
    let compared = ids.into_iter().filter_map(|id| match (before.cases.get(id), now.cases.get(id)) {
        (Some(then), Some(today)) => Some(both(id, (before.name, then), today, same_project_file)),
        (Some(then), None) => Some(gone(id, before.name, then, now)),
        (None, Some(today)) => Some(new(id, before, today)),
        (None, None) => None,
    });
    compared.collect()
}

fn both(id: &CaseId, (name, then): (&str, &SideCase), today: &SideCase, same_project_file: bool) -> Compared {
    let (before, now) = (&then.summary, &today.summary);
    let differs = before.differing(now, same_project_file);
    let graders = if today.graders.is_empty() { &then.graders } else { &today.graders };
    let result = Result { summary: now, graders };
    let before_as = format!("{name} has it as {}", before.status);
    let (standing, why) = standing(before, (result, today), &differs, &before_as);
    let same_expectations = !differs.iter().any(|aspect| matches!(aspect, Aspect::Expectations | Aspect::Case));
    Compared {
        status: Some(now.status),
        grades: if same_expectations { grade_changes(before, result) } else { Vec::new() },
        outcomes: outcome_changes(before, now),
        differs,
        before: Some(ended(before)),
        now: Some(ended(now)),
        ..Compared::new(id.clone(), now.set.clone(), standing, why)
    }
}

fn standing(
    before: &AcceptedCase,
    (now, today): (Result<'_>, &SideCase),
    differs: &[Aspect],
    before_as: &str,
) -> (Standing, String) {
    let status = now.summary.status;
    if let Some(standing) = Standing::undecided(status) {
        let other = if differs.is_empty() { String::new() } else { format!("; what differs: {}", named(differs)) };
        return (standing, format!("it is {status} now, which decides nothing{other}; {before_as}"));
    }
    match differs {
        [] => {}
        [Aspect::Expectations] => return other_expectations(before, (now, today), before_as),
        several => {
            let why = format!("the two do not speak of the same thing; what differs: {}; {before_as}", named(several));
            return (Standing::NotComparable, why);
        }
    }
    match (before.status, status) {
        (CaseStatus::Flaky, _) => match same_form::fewer_trials(before, now.summary, before_as) {
            Some(why) => (Standing::NotComparable, why),
            // Some of its trials failed before, and none does now; or some passed, and none does.
            None if status == CaseStatus::Passed => (Standing::Fixed, format!("it passes now; {before_as}")),
            None => {
                let why = format!(
                    "it fails in all trials now, and passed in {} of {}; {before_as}",
                    before.passed, before.trials
                );
                (Standing::Regressed, why)
            }
        },
        (CaseStatus::Errored | CaseStatus::Uncertain, _) => (
            Standing::NotComparable,
            format!("it {status} now, and there is nothing to hold that against: {before_as}"),
        ),
        _ => same_form::same_form(before, now, before_as),
    }
}

/// A case of which the expectations alone are others now. Only its old form, run again beside the new one, can show that the
/// edit makes no difference.
fn other_expectations(
    before: &AcceptedCase,
    (now, today): (Result<'_>, &SideCase),
    before_as: &str,
) -> (Standing, String) {
    let old_form = today.old_form.as_ref().filter(|old| old.digest == before.digest);
    let passes = |case: &AcceptedCase| case.status == CaseStatus::Passed;
    if old_form.is_some_and(|old| passes(old) && passes(before) && old.trials >= before.trials) && passes(now.summary) {
        return (Standing::Unchanged, "edited: its expectations; it passes in its old and its new form".to_owned());
    }
    let old = old_form.map(|old| format!("; its old form ended as {} beside it", old.status)).unwrap_or_default();
    let failing = same_form::named_expectations(now.graders, &now.summary.failing);
    let failing = if failing.is_empty() { String::new() } else { format!(" in {}", failing.join(", ")) };
    let why = format!("its expectations are others now: it {} by them{failing}{old}; {before_as}", now.summary.status);
    (Standing::ExpectationChanged, why)
}

fn gone(id: &CaseId, name: &str, then: &SideCase, now: ComparedSide<'_>) -> Compared {
    let status = then.summary.status;
    let (standing, why) = if now.known.contains(id) {
        (Standing::Inherited, format!("it did not run in {}; {name} has it as {status}", now.name))
    } else {
        (Standing::Removed, format!("{} does not have it; {name} has it as {status}", now.name))
    };
    let new = Compared::new(id.clone(), then.summary.set.clone(), standing, why);
    Compared { before: Some(ended(&then.summary)), ..new }
}

fn new(id: &CaseId, before: ComparedSide<'_>, today: &SideCase) -> Compared {
    let status = today.summary.status;
    let does_not = if before.known.contains(id) { "did not run it" } else { "does not have it" };
    let why = format!("{} {does_not}; it is {status} now", before.name);
    let new = Compared::new(id.clone(), today.summary.set.clone(), Standing::New, why);
    Compared { status: Some(status), now: Some(ended(&today.summary)), ..new }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::samples;
    use crate::domain::{Outcome, Question};

    use CaseStatus::{Errored, Failed, Flaky, Passed, Uncertain};

    fn case(status: CaseStatus) -> SideCase {
        SideCase {
            summary: samples::accepted(status, "answer"),
            graders: vec!["contains".to_owned(), "json".to_owned()],
            answers: BTreeSet::from([Digest::of(b"answer")]),
            old_form: None,
            since: "2026-03-02T09:00:00Z".to_owned(),
        }
    }

    fn compared(before: Option<SideCase>, now: Option<SideCase>, known: &[&str]) -> Compared {
        let side = |case: Option<SideCase>| case.map(|case| (CaseId::from("c"), case)).into_iter().collect();
        let (before, now): (BTreeMap<_, _>, BTreeMap<_, _>) = (side(before), side(now));
        let known: BTreeSet<CaseId> = known.iter().map(|id| CaseId::from(*id)).collect();
        let before = ComparedSide { name: "run 1", cases: &before, known: &known };
        let now = ComparedSide { name: "run 2", cases: &now, known: &known };
        compare_sides(before, now, true).remove(0)
    }

    fn standing(before: CaseStatus, now: CaseStatus) -> Standing {
        compared(Some(case(before)), Some(case(now)), &[]).standing
    }

    #[test]
    fn each_pair_of_ends_has_its_standing() {
        for (before, now, expected) in [
            (Passed, Passed, Standing::Unchanged),
            (Passed, Failed, Standing::Regressed),
            (Failed, Passed, Standing::Fixed),
            (Failed, Failed, Standing::KnownFailure),
            (Passed, Flaky, Standing::Flaky),
            (Failed, Errored, Standing::Errored),
            (Passed, Uncertain, Standing::Uncertain),
            (Flaky, Passed, Standing::Fixed),
            (Flaky, Failed, Standing::Regressed),
            (Errored, Passed, Standing::NotComparable),
            (Uncertain, Failed, Standing::NotComparable),
        ] {
            assert_eq!(standing(before, now), expected, "{before} then {now}");
        }
    }

    #[test]
    fn what_only_one_side_has_is_new_removed_or_did_not_run() {
        assert_eq!(compared(None, Some(case(Passed)), &[]).standing, Standing::New);
        assert_eq!(compared(Some(case(Passed)), None, &[]).standing, Standing::Removed);
        let not_run = compared(Some(case(Passed)), None, &["c"]);
        assert_eq!((not_run.standing, not_run.now), (Standing::Inherited, None));
        assert!(compared(None, Some(case(Passed)), &["c"]).why.contains("run 1 did not run it"));
    }

    #[test]
    fn another_form_is_never_comparable_and_what_differs_is_named() {
        let mut other = case(Failed);
        other.summary.digest = Digest::of(b"other");
        other.summary.trials = 3;
        let compared = compared(Some(case(Passed)), Some(other), &[]);
        assert_eq!(
            (compared.standing, compared.differs.as_slice()),
            (Standing::NotComparable, [Aspect::Trials].as_slice())
        );
        assert!(compared.why.contains("what differs: its trials"), "{}", compared.why);
        assert_eq!(compared.pair(), None);
    }

    #[test]
    fn the_grades_and_outcomes_that_changed_are_named() {
        let mut failing = case(Failed);
        failing.summary.failing = vec![1];
        failing.summary.outcomes.insert("op-1".to_owned(), Outcome::Duplicated.name().to_owned());
        let compared = compared(Some(case(Passed)), Some(failing), &[]);
        let grade = &compared.grades[0];
        assert_eq!((grade.expectation, grade.grader.as_str(), grade.holds_now), (2, "json", false));
        assert!(compared.outcomes[0].worse);
    }

    #[test]
    fn a_flaky_case_that_ran_less_often_shows_nothing() {
        let trials = |status, passed, trials| {
            let mut side = case(status);
            (side.summary.passed, side.summary.trials) = (passed, trials);
            Some(side)
        };
        let regressed = compared(trials(Flaky, 1, 2), trials(Failed, 0, 2), &[]);
        assert!(regressed.why.contains("it fails in all trials now, and passed in 1 of 2"), "{}", regressed.why);
        assert_eq!(compared(trials(Flaky, 1, 2), trials(Failed, 0, 1), &[]).standing, Standing::NotComparable);
        assert_eq!(compared(trials(Flaky, 1, 2), trials(Passed, 1, 1), &[]).standing, Standing::NotComparable);
    }

    /// A case whose expectations, and nothing else, are those of this text.
    fn asking(status: CaseStatus, expectations: &str) -> SideCase {
        let mut side = case(status);
        side.summary.digest = Digest::of(expectations.as_bytes());
        side.summary.question = Question::default();
        side.summary.question.set(Aspect::Expectations, Digest::of(expectations.as_bytes()));
        side.summary.question.set(Aspect::Case, Digest::of(b"input"));
        side
    }

    #[test]
    fn other_expectations_are_named_as_that_unless_the_old_ones_were_met_too() {
        let (before, mut now) = (asking(Passed, "one"), asking(Passed, "two"));
        let changed = compared(Some(before.clone()), Some(now.clone()), &[]);
        assert_eq!((changed.standing, changed.pair()), (Standing::ExpectationChanged, None));
        assert!(changed.why.starts_with("its expectations are others now: it passed by them"), "{}", changed.why);
        let mut old_form = before.summary.clone();
        now.old_form = Some(old_form.clone());
        assert_eq!(compared(Some(before.clone()), Some(now.clone()), &[]).standing, Standing::Unchanged);
        old_form.status = Failed;
        now.old_form = Some(old_form);
        let changed = compared(Some(before.clone()), Some(now.clone()), &[]);
        assert!(changed.why.contains("its old form ended as failed beside it"), "{}", changed.why);
        now.summary.status = Failed;
        now.summary.failing = vec![1];
        let failing = compared(Some(before.clone()), Some(now.clone()), &[]);
        assert_eq!(failing.standing, Standing::ExpectationChanged);
        assert!(failing.why.contains("it failed by them in expectation 2 (json)"), "{}", failing.why);
        now.summary.question.set(Aspect::Case, Digest::of(b"another input"));
        let other = compared(Some(before), Some(now), &[]);
        assert_eq!(other.standing, Standing::NotComparable);
        assert_eq!(other.differs, [Aspect::Case, Aspect::Expectations]);
    }

    #[test]
    fn every_trial_s_answer_counts() {
        let answering = |texts: &[&str]| SideCase {
            answers: texts.iter().map(|text| Digest::of(text.as_bytes())).collect(),
            ..case(Passed)
        };
        let (one, two) = (answering(&["a"]), answering(&["a", "b"]));
        assert_eq!(two.answers_otherwise(&one), Some(true));
        assert_eq!(one.answers_otherwise(&two), Some(true));
        assert_eq!(two.answers_otherwise(&two.clone()), Some(false));
        assert_eq!(two.answers_otherwise(&answering(&[])), None);
    }
}
