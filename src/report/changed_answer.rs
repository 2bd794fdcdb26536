//! Answers that are no longer the accepted ones, though their cases pass.

use std::borrow::Cow;

use super::answer_diff::reads_the_same;
use super::document::{CaseView, ReportDocument};
use super::group::Group;
use super::html_page::value_text;
use super::trial_view::TrialView;

/// The whole text that a trial answered with, where it answered.
pub(super) fn answer_text(trial: &TrialView) -> Option<Cow<'_, str>> {
    let output = || trial.output.as_ref().map(|output| Cow::Owned(value_text(output)));
    trial.answer.as_deref().map(Cow::Borrowed).or_else(output)
}

/// Whether a trial of the case answered otherwise than was accepted; never where nothing was.
pub(super) fn answer_changed(case: &CaseView) -> bool {
    if let Some(known) = case.lightened {
        return known.answer_changed;
    }
    let Some(accepted) = &case.accepted_output else { return false };
    case.trials.iter().filter_map(answer_text).any(|answer| !reads_the_same(accepted, &answer))
}

/// How many answers of the group [`Group::Passed`] changed, as a sentence without its end; nothing where none did.
pub(super) fn changed_passes(document: &ReportDocument) -> Option<String> {
    match Group::Passed.cases(document).into_iter().filter(|case| answer_changed(case)).count() {
        0 => None,
        1 => Some("1 answer differs from what was accepted, and passes".to_owned()),
        count => Some(format!("{count} answers differ from what was accepted, and pass")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    /// The sample with these texts accepted for two of its passes, both of which answer "Within 30 days.".
    fn accepted(first: &str, second: &str) -> ReportDocument {
        let mut document = Sample::full().document();
        for (id, text) in [("policy-answer-01", first), ("policy-answer-02", second)] {
            let case = document.cases.iter_mut().find(|case| case.id.as_str() == id).unwrap();
            case.accepted_output = Some(text.to_owned());
        }
        document
    }

    #[test]
    fn passes_with_another_answer_than_the_accepted_one_are_counted() {
        let same = "Within 30 days.";
        assert_eq!(changed_passes(&accepted(same, same)), None);
        let one = changed_passes(&accepted("Within a month.", same));
        assert_eq!(one.as_deref(), Some("1 answer differs from what was accepted, and passes"));
        let two = changed_passes(&accepted("Within a month.", "In 30 days."));
        assert_eq!(two.as_deref(), Some("2 answers differ from what was accepted, and pass"));
    }

    #[test]
    fn a_case_that_does_not_pass_is_not_among_them() {
        let document = Sample::full().document();
        assert!(document.cases.iter().any(answer_changed), "the regression's answer changed");
        assert_eq!(changed_passes(&document), None);
    }
}
