//! A case's result over its trials.

use crate::domain::{CaseStatus, TrialStatus};
use crate::manifest::CaseOutline;

use super::grade::CaseResult;
use super::trial_result::TrialResult;

impl CaseResult {
    /// Sums up the trials of one form of a case. `wanted` is how many there should be (the case's own number unless the
    /// run was told another): where one is missing or stands twice the case is errored, so that a trial
    /// that was lost can never leave a better result behind.
    pub fn of(case: &CaseOutline, wanted: u32, mut trials: Vec<TrialResult>) -> Self {
        trials.sort_by_key(|trial| trial.number);
        let complete = trials.iter().map(|trial| trial.number).eq(1..=wanted);
        let statuses: Vec<TrialStatus> = trials.iter().map(|trial| trial.status).collect();
        let status = if complete { CaseStatus::of_trials(&statuses) } else { CaseStatus::Errored };
        let (digest, question) = (case.digest.clone(), case.question.clone());
        Self { case: case.id.clone(), set: case.set.clone(), digest, question, trials, status }
    }

    /// Whether the workflow did nothing in any trial that could be seen: no word and no claim in an answer, no call, no attempt,
    /// and no effect that a probe shows.
    pub fn did_nothing(&self) -> bool {
        !self.trials.is_empty() && self.trials.iter().all(|trial| trial.did_nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Reading;
    use crate::grading::GradedTrial;
    use crate::grading::specimen::{Shelf, case, observation, text};
    use crate::grading::trial::grade;
    use serde_json::json;

    fn seen(number: u32, answer: &str) -> GradedTrial {
        let mut seen = observation(Some(text(answer)));
        seen.trial = number;
        grade(&case(&[json!({"equals": "yes"})]), seen, &Shelf::new().context())
    }

    fn trial(number: u32, answer: &str) -> TrialResult {
        TrialResult::of(&seen(number, answer))
    }

    fn status(wanted: u32, trials: Vec<TrialResult>) -> CaseStatus {
        CaseResult::of(&case(&[json!({"equals": "yes"})]), wanted, trials).status
    }

    #[test]
    fn trials_are_summed_up_in_the_order_of_their_numbers() {
        let result = CaseResult::of(&case(&[json!({"equals": "yes"})]), 2, vec![trial(2, "no"), trial(1, "yes")]);
        assert_eq!(result.status, CaseStatus::Flaky);
        assert_eq!(result.trials.iter().map(|trial| trial.number).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_missing_trial_is_an_error_whatever_the_others_came_to() {
        assert_eq!(status(2, vec![trial(1, "yes"), trial(2, "yes")]), CaseStatus::Passed);
        assert_eq!(status(2, vec![trial(1, "yes")]), CaseStatus::Errored);
        assert_eq!(status(1, vec![]), CaseStatus::Errored);
        assert_eq!(status(0, vec![]), CaseStatus::Errored);
    }

    #[test]
    fn a_workflow_that_answers_without_a_word_did_nothing_unless_something_is_seen_of_it() {
        let did_nothing = |answer: &str| CaseResult::of(&case(&[]), 1, vec![trial(1, answer)]).did_nothing();
        assert!(did_nothing("") && did_nothing(" \n") && !did_nothing("no"));
        let with_effect = || {
            let mut seen = seen(1, "");
            let row = json!({"operation": "op-1"}).as_object().cloned().unwrap();
            seen.observation.readings.insert("queue".to_owned(), Reading::Effects(vec![row]));
            TrialResult::of(&seen)
        };
        assert!(!CaseResult::of(&case(&[]), 1, vec![with_effect()]).did_nothing());
        let second = trial(2, "yes");
        assert!(!CaseResult::of(&case(&[]), 2, vec![trial(1, ""), second]).did_nothing(), "one trial says something");
        assert!(!CaseResult::of(&case(&[]), 0, vec![]).did_nothing(), "nothing was seen");
    }

    #[test]
    fn a_trial_that_stands_twice_or_was_not_asked_for_is_an_error() {
        assert_eq!(status(2, vec![trial(1, "yes"), trial(1, "yes")]), CaseStatus::Errored);
        assert_eq!(status(1, vec![trial(1, "yes"), trial(2, "yes")]), CaseStatus::Errored);
        assert_eq!(status(1, vec![trial(2, "yes")]), CaseStatus::Errored);
    }
}
