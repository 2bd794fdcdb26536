//! Two runs, two baselines, or one of each, held against each other as they were recorded: nothing is run again.

use std::collections::{BTreeMap, BTreeSet};

use crate::baseline::AcceptedCase;
use crate::domain::{Aspect, CaseId, CaseStatus};
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
}

impl SideCase {
    /// A result that a run recorded.
    pub fn of(result: &CaseResult) -> Self {
        Self { summary: AcceptedCase::of(result), graders: graders(result) }
    }

    /// A result that was accepted.
    pub fn accepted(case: &AcceptedCase) -> Self {
        Self { summary: case.clone(), graders: Vec::new() }
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
    let (standing, why) = standing(before, result, &differs, &before_as);
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

fn standing(before: &AcceptedCase, now: Result<'_>, differs: &[Aspect], before_as: &str) -> (Standing, String) {
    let status = now.summary.status;
    if !differs.is_empty() {
        let why = format!("the two do not speak of the same thing; what differs: {}; {before_as}", named(differs));
        return (Standing::NotComparable, why);
    }
    if let Some(standing) = Standing::undecided(status) {
        return (standing, format!("it is {status} now, which decides nothing; {before_as}"));
    }
    match (before.status, status) {
        // Some of its trials failed before, and none does now.
        (CaseStatus::Flaky, CaseStatus::Passed) if now.summary.trials >= before.trials => {
            (Standing::Fixed, format!("it passes now; {before_as}"))
        }
        (CaseStatus::Errored | CaseStatus::Uncertain | CaseStatus::Flaky, _) => (
            Standing::NotComparable,
            format!("it {status} now, and there is nothing to hold that against: {before_as}"),
        ),
        _ => same_form::same_form(before, now, before_as),
    }
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
    use crate::domain::{Digest, Outcome};

    use CaseStatus::{Errored, Failed, Flaky, Passed, Uncertain};

    fn case(status: CaseStatus) -> SideCase {
        SideCase {
            summary: samples::accepted(status, "answer"),
            graders: vec!["contains".to_owned(), "json".to_owned()],
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
            (Flaky, Failed, Standing::NotComparable),
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
}
