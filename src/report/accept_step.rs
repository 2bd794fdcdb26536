//! What of a run can be accepted, and what accepting it lets through.

use crate::comparison::Standing;
use crate::domain::{CaseStatus, counted};

use super::document::{CaseView, ReportDocument};
use super::group::Group;
use super::next_step::NextStep;

/// Cases that one command accepts by name at the most.
const MOST_ACCEPTED: usize = 30;

/// The last thing to do: to accept what has been read. Nothing where no command for it would work.
///
/// A run with a case that reached no conclusion cannot be accepted as a whole, so its other news is accepted by name.
/// Failures can be accepted, and are known failures from then on: the step says how many it lets through.
pub(super) fn accept_step(document: &ReportDocument) -> Option<NextStep> {
    let command = document.accept_command.as_ref()?;
    let open = document.cases.iter().filter(|case| !is_concluded(case)).count();
    let failing = document.cases.iter().filter(|case| blocks(case)).count();
    if open == 0 && failing == 0 {
        let text = "When every result has been read and is right, accept the run.";
        return Some(NextStep::new(text, Some(command.clone()), "verdict"));
    }
    if open == 0 {
        let then = if failing == 1 {
            "it becomes a known failure, and no longer blocks"
        } else {
            "they become known failures, and no longer block"
        };
        let regressions = Group::Regressions.cases(document).len();
        let among = if regressions == 0 {
            String::new()
        } else {
            format!(", {} among them", counted(regressions, "regression"))
        };
        let text = format!(
            "Accept the run only where every result has been read and is right. It lets {} through{among}: {then}.",
            counted(failing, "failure"),
        );
        return Some(NextStep::new(text, Some(command.clone()), "verdict"));
    }
    let news: Vec<&CaseView> = document.cases.iter().filter(|case| is_good_news(case)).collect();
    if news.is_empty() || news.len() > MOST_ACCEPTED {
        return None;
    }
    let named: String = news.iter().map(|case| format!(" --case {}", case.id)).collect();
    let text = format!(
        "When read and right, accept {} that {}. The run as a whole cannot be accepted while {} without a conclusion.",
        counted(news.len(), "case"),
        if news.len() == 1 { "is new or fixed and passes" } else { "are new or fixed and pass" },
        if open == 1 { "1 case is".to_owned() } else { format!("{open} cases are") },
    );
    Some(NextStep::new(text, Some(format!("{command}{named}")), "verdict"))
}

fn is_concluded(case: &CaseView) -> bool {
    matches!(case.status, CaseStatus::Passed | CaseStatus::Failed)
}

/// Whether accepting the case turns a failure that blocks into one that does not.
fn blocks(case: &CaseView) -> bool {
    case.status == CaseStatus::Failed && Group::of(case) != Group::KnownFailures
}

/// Whether the case passes and the baseline does not say so yet. An edited expectation is accepted by a step of its own.
fn is_good_news(case: &CaseView) -> bool {
    case.status == CaseStatus::Passed && matches!(case.comparison, Standing::New | Standing::Fixed)
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    /// The sample with the cases alone that are wanted.
    fn document(wanted: impl Fn(&CaseView) -> bool) -> ReportDocument {
        let document = Sample::full().document();
        let cases = document.cases.iter().filter(|case| wanted(case)).cloned().collect();
        ReportDocument { cases, ..document }
    }

    #[test]
    fn a_run_whose_results_all_hold_is_accepted_as_it_is() {
        let document = document(|case| case.status == CaseStatus::Passed);
        let step = accept_step(&document).unwrap();
        assert_eq!(step.command, document.accept_command);
        assert!(!step.text.contains("through"), "{}", step.text);
    }

    #[test]
    fn what_accepting_lets_through_is_said() {
        let document = document(is_concluded);
        let failing = document.cases.iter().filter(|case| blocks(case)).count();
        let step = accept_step(&document).unwrap();
        assert!(
            step.text.contains(&format!("It lets {failing} failures through, 1 regression among them")),
            "{}",
            step.text
        );
        assert_eq!(step.command, document.accept_command);
        let known = super::super::next_step::next_steps(&document);
        assert_eq!(known.last().unwrap().text, step.text, "it is the last thing to do");
    }

    #[test]
    fn with_a_case_without_a_conclusion_only_a_command_that_works_is_given() {
        let full = Sample::full().document();
        let fixed = full.cases.iter().find(|case| case.comparison == Standing::Fixed).unwrap();
        let step = accept_step(&full).unwrap();
        assert_eq!(step.command.unwrap(), format!("{} --case {}", full.accept_command.as_ref().unwrap(), fixed.id));
        assert!(step.text.contains("while 3 cases are without a conclusion"), "{}", step.text);
        for status in [CaseStatus::Uncertain, CaseStatus::Errored, CaseStatus::Flaky] {
            let document = document(|case| case.status == status || case.comparison == Standing::Unchanged);
            assert_eq!(accept_step(&document), None, "{status}: nothing else is new");
        }
        assert_eq!(accept_step(&ReportDocument { accept_command: None, ..full }), None);
    }
}
