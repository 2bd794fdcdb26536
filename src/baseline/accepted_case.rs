//! What is kept of a result that a person accepts, and what of it can get worse. Pure.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{Aspect, Outcome, Question, TrialStatus};
use crate::grading::CaseResult;

use super::record::AcceptedCase;

impl AcceptedCase {
    /// What would be kept of a result if it were accepted. A result now and an accepted one are compared in this form.
    pub fn of(result: &CaseResult) -> Self {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let passed = result.trials.iter().filter(|trial| trial.status == TrialStatus::Passed).count();
        Self {
            set: result.set.clone(),
            digest: result.digest.clone(),
            status: result.status,
            passed: count(passed),
            trials: count(result.trials.len()),
            output: result.trials.first().and_then(|trial| trial.answer.clone()),
            outcomes: outcomes(result),
            failing: failing(result),
            question: result.question.clone(),
        }
    }

    /// By what else than now it was judged, beside its own file. Where one of the two does not say, only an unchanged
    /// project file says that the probes are the same, and nothing that the programs are.
    pub fn judged_otherwise(&self, now: &Question, same_project_file: bool) -> Vec<Aspect> {
        let outside = [Aspect::JudgingPrograms, Aspect::Probes];
        if !self.question.is_unknown() && !now.is_unknown() {
            let mut differing = self.question.differing(now);
            differing.retain(|aspect| outside.contains(aspect));
            return differing;
        }
        let said = if now.is_unknown() { &self.question } else { now };
        let is_open = |aspect: &Aspect| *aspect != Aspect::Probes || !same_project_file;
        outside.into_iter().filter(|aspect| said.get(*aspect).is_some() && is_open(aspect)).collect()
    }

    /// The aspects in which what was accepted and a result now do not speak of the same thing; none where they do.
    pub fn differing(&self, now: &Self, same_project_file: bool) -> Vec<Aspect> {
        let mut differing = self.judged_otherwise(&now.question, same_project_file);
        if self.digest != now.digest {
            differing.extend(self.question.differing(&now.question));
            if self.trials != now.trials {
                differing.push(Aspect::Trials);
            }
            if differing.is_empty() {
                differing.push(Aspect::Case);
            }
        }
        differing.sort_unstable();
        differing.dedup();
        differing
    }

    /// The operations whose outcomes differ from these accepted ones, by id.
    pub fn changed_outcomes<'a>(&'a self, now: &'a Self) -> Vec<ChangedOutcome<'a>> {
        let operations: BTreeSet<&str> = self.outcomes.keys().chain(now.outcomes.keys()).map(String::as_str).collect();
        let changed = |operation: &'a str| {
            let of = |case: &'a Self| case.outcomes.get(operation).map_or(Outcome::NotStarted.name(), String::as_str);
            let (accepted, now) = (of(self), of(now));
            (accepted != now).then_some(ChangedOutcome { operation, accepted, now })
        };
        operations.into_iter().filter_map(changed).collect()
    }
}

/// An operation that came out otherwise than was accepted. One that was not seen counts as not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedOutcome<'a> {
    /// The operation.
    pub operation: &'a str,
    /// The outcome that was accepted.
    pub accepted: &'a str,
    /// The outcome now.
    pub now: &'a str,
}

impl ChangedOutcome<'_> {
    /// Whether there is harm now that was not there at acceptance.
    pub fn is_worse(self) -> bool {
        harm(self.now) > harm(self.accepted)
    }
}

/// How much harm an outcome shows, whatever was intended: none, harm that cannot be excluded, or harm.
fn harm(outcome: &str) -> u8 {
    const UNCERTAIN: &str = Outcome::Uncertain.name();
    const DUPLICATED: &str = Outcome::Duplicated.name();
    const MISMATCHED: &str = Outcome::Mismatched.name();
    match outcome {
        DUPLICATED | MISMATCHED => 2,
        UNCERTAIN => 1,
        _ => 0,
    }
}

/// Each operation's outcome: of the first trial, unless a later one shows more harm.
fn outcomes(result: &CaseResult) -> BTreeMap<String, String> {
    let mut outcomes: BTreeMap<String, String> = BTreeMap::new();
    for (operation, outcome) in result.trials.iter().flat_map(|trial| &trial.outcomes) {
        let outcome = outcome.name();
        let kept = outcomes.entry(operation.to_string()).or_insert_with(|| outcome.to_owned());
        if harm(outcome) > harm(kept) {
            outcome.clone_into(kept);
        }
    }
    outcomes
}

/// The expectations that some trial failed, by index, sorted.
fn failing(result: &CaseResult) -> Vec<usize> {
    let grades = result.trials.iter().flat_map(|trial| trial.grades.iter().enumerate());
    let failing: BTreeSet<usize> =
        grades.filter(|(_, grade)| grade.pass == Some(false)).map(|(index, _)| index).collect();
    failing.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{failing_trial, operation, result};
    use super::*;
    use crate::domain::CaseStatus::Failed;
    use crate::domain::Digest;

    #[test]
    fn the_expectations_that_any_trial_failed_are_kept_once_and_in_order() {
        let mut case = result("a", Failed, "no");
        case.trials = vec![failing_trial(&[2]), failing_trial(&[0, 2])];
        assert_eq!(AcceptedCase::of(&case).failing, [0, 2]);
    }

    #[test]
    fn an_outcome_is_that_of_the_first_trial_unless_a_later_one_shows_more_harm() {
        let mut case = result("a", Failed, "no");
        let mut later = case.trials[0].clone();
        case.trials[0].outcomes = [operation("op-1", Outcome::Committed), operation("op-2", Outcome::Committed)].into();
        later.outcomes = [operation("op-1", Outcome::Replayed), operation("op-2", Outcome::Duplicated)].into();
        case.trials.push(later);
        let outcomes = AcceptedCase::of(&case).outcomes;
        assert_eq!((outcomes["op-1"].as_str(), outcomes["op-2"].as_str()), ("committed", "duplicated"));
    }

    #[test]
    fn only_what_shows_more_harm_than_was_accepted_is_worse() {
        let table = [
            ("committed", "replayed", false),
            ("committed", "not_committed", false),
            ("committed", "uncertain", true),
            ("replayed", "duplicated", true),
            ("not_started", "mismatched", true),
            ("uncertain", "duplicated", true),
            ("duplicated", "mismatched", false),
            ("duplicated", "uncertain", false),
            ("uncertain", "committed", false),
        ];
        for (accepted, now, expected) in table {
            let changed = ChangedOutcome { operation: "op-1", accepted, now };
            assert_eq!(changed.is_worse(), expected, "{accepted} to {now}");
        }
    }

    #[test]
    fn a_case_is_read_in_every_form_that_was_ever_written_and_differs_only_in_what_both_say() {
        let digest = |digit: &str| format!("sha256:{}", digit.repeat(64));
        let oldest = format!(
            r#"{{"set":"access","digest":"{}","status":"failed","passed":0,"trials":1,"output":null,"outcomes":{{}}}}"#,
            digest("a")
        );
        let with = |more: &str| oldest.replace("}}", &format!("}}{more}}}"));
        let judged = |probes: &str| {
            let (expect, probes) = (digest("b"), digest(probes));
            with(&format!(r#","failing":[1],"question":{{"expectations":"{expect}","probes":"{probes}"}}"#))
        };
        let read = |text: &str| serde_json::from_str::<AcceptedCase>(text).unwrap();
        let (old, failing) = (read(&oldest), read(&with(r#","failing":[1]"#)));
        let (one, other) = (read(&judged("c")), read(&judged("d")));
        assert!(old.question.is_unknown() && failing.failing == [1]);
        assert_eq!(
            serde_json::to_value(&old).unwrap().as_object().unwrap().len(),
            7,
            "nothing is added to an old form"
        );
        assert_eq!(one.differing(&other, true), [Aspect::Probes]);
        assert_eq!(old.differing(&one, true), [], "an unchanged project file vouches for the probes");
        assert_eq!(old.differing(&one, false), [Aspect::Probes]);
        assert_eq!(one.differing(&old, false), [Aspect::Probes], "whichever of the two is the earlier one");
        assert_eq!(one.differing(&old, true), []);
    }

    #[test]
    fn what_differs_between_two_forms_is_named_as_closely_as_the_records_can() {
        let mut before = AcceptedCase::of(&result("a", Failed, "no"));
        before.question.set(Aspect::Expectations, Digest::of(b"one"));
        let with = |change: fn(&mut AcceptedCase)| {
            let mut now = before.clone();
            now.digest = Digest::of(b"another form");
            change(&mut now);
            before.differing(&now, true)
        };
        assert_eq!(with(|now| now.question.set(Aspect::Expectations, Digest::of(b"two"))), [Aspect::Expectations]);
        assert_eq!(with(|now| now.question.set(Aspect::FaultSchedule, Digest::of(b"x"))), [Aspect::FaultSchedule]);
        assert_eq!(with(|now| now.trials = 3), [Aspect::Trials]);
        assert_eq!(with(|_| ()), [Aspect::Case]);
        assert_eq!(before.differing(&before.clone(), true), []);
    }
}
