//! A case that someone has to decide about, in the two sentences that it takes: what happened, and why it ran.

use crate::domain::{ClaimCheck, Outcome, counted};

use super::answer_diff::changed_words;
use super::changed_answer::answer_text;
use super::document::CaseView;
use super::fault_words::fault_of;
use super::findings::{first_unpassed, headline, one_line};
use super::trial_view::{OperationView, TrialView};
use super::visible::capped;

/// Bytes of one sentence at the most.
const LONGEST: usize = 300;

/// Bytes of a finding before the pieces that it quotes are shortened.
const LONGEST_FINDING: usize = 2_000;

/// Bytes of one piece that it quotes.
const LONGEST_SPAN: usize = 48;

/// What happened, on one line; nothing where nothing speaks against the case.
pub(super) fn what_happened(case: &CaseView) -> Option<String> {
    let trial = first_unpassed(&case.trials);
    let operation = trial.and_then(|trial| trial.operations.iter().find(|operation| is_open(operation)));
    if let Some(operation) = operation {
        return Some(one_line(&operation_sentence(operation), LONGEST));
    }
    let headline = one_line(&short_spans(&headline(case, LONGEST_FINDING)?), LONGEST);
    let Some(words) = trial.and_then(|trial| changed_in(case, trial)) else { return Some(headline) };
    // What was found is said by these words already.
    let expected = headline.split("; found ").next().unwrap_or_default();
    Some(format!("{words}; {expected}"))
}

/// Reasons that are given in full.
const REASONS: usize = 2;

/// Why it ran: the first reasons, and how many more there are.
pub(super) fn why_it_ran(case: &CaseView) -> Option<String> {
    let (first, others) = case.reasons.split_at(case.reasons.len().min(REASONS));
    let first: Vec<String> = first.iter().map(|reason| one_line(reason, LONGEST)).collect();
    let more = match others.len() {
        0 => String::new(),
        more => format!(" (and {})", counted(more, "more reason")),
    };
    (!first.is_empty()).then(|| format!("{}{more}", first.join("; ")))
}

/// Whether someone has to look after the operation before anything is repeated.
pub(super) fn is_open(operation: &OperationView) -> bool {
    let outcome = matches!(operation.outcome, Outcome::Uncertain | Outcome::Duplicated | Outcome::Mismatched);
    let check = operation.claim_check;
    outcome
        || check.is_some_and(|check| {
            matches!(check, ClaimCheck::FalseSuccess | ClaimCheck::FalseFailure | ClaimCheck::Overclaimed)
        })
}

/// The sentence with what it quotes between back quotes shortened: the whole of it stands with the case.
fn short_spans(text: &str) -> String {
    let shorten = |(index, piece): (usize, &str)| match capped(piece, LONGEST_SPAN) {
        (shown, left_out) if index % 2 == 1 && left_out > 0 => format!("{shown}…"),
        _ => piece.to_owned(),
    };
    text.split('`').enumerate().map(shorten).collect::<Vec<_>>().join("`")
}

fn operation_sentence(operation: &OperationView) -> String {
    let faults: Vec<String> = operation
        .attempts_seen
        .iter()
        .filter_map(|attempt| attempt.fault.as_deref())
        .map(|fault| fault_of(fault).map_or(fault, |fault| fault.name()).replace('_', " "))
        .collect();
    let faults = if faults.is_empty() { String::new() } else { format!(" (fault: {})", faults.join(", ")) };
    let claim = operation.claim.map_or("nothing", |claim| claim.name());
    let supports = match operation.outcome {
        Outcome::Uncertain => "neither that it took effect nor that it did not".to_owned(),
        other => other.name().replace('_', " "),
    };
    let last = operation.evidence.last().filter(|_| operation.outcome == Outcome::Uncertain);
    let last = last.map(|sentence| format!(" {sentence}")).unwrap_or_default();
    format!(
        "Operation `{}`: {}{faults}, {} in the target; the workflow claims {claim}, the evidence supports {supports}.{last}",
        operation.operation,
        counted(operation.attempts, "attempt"),
        counted(operation.effects, "effect"),
    )
}

/// The few words that differ between the accepted answer and this one.
fn changed_in(case: &CaseView, trial: &TrialView) -> Option<String> {
    let (old, new) = changed_words(case.accepted_output.as_deref()?, &answer_text(trial)?)?;
    Some(format!("The answer says {new} where the accepted one says {old}"))
}

#[cfg(test)]
mod tests {
    use super::super::document::ReportDocument;
    use super::super::sample::Sample;
    use super::*;

    fn case<'a>(document: &'a ReportDocument, id: &str) -> &'a CaseView {
        document.cases.iter().find(|case| case.id.as_str() == id).unwrap()
    }

    #[test]
    fn a_regression_is_told_by_the_words_that_changed_and_the_expectation_that_fell() {
        let document = Sample::full().document();
        let told = what_happened(case(&document, "holiday-hours"));
        assert_eq!(told, None, "nothing speaks against a pass");
        let told = what_happened(case(&document, "returns-window")).unwrap();
        assert!(told.ends_with("expected `30 days` in the output"), "the words say what was found: {told}");
        let mut changed = case(&document, "returns-window").clone();
        changed.trials[0].answer = None;
        changed.trials[0].output = Some(Box::new("Returns are taken within 14 days.".into()));
        changed.accepted_output = Some("Returns are taken within 30 days.".to_owned());
        let told = what_happened(&changed).unwrap();
        assert!(told.starts_with("The answer says `14` where the accepted one says `30`; contains: "), "{told}");
    }

    #[test]
    fn an_uncertain_operation_is_told_by_what_was_tried_what_shows_and_what_is_claimed() {
        let document = Sample::full().document();
        assert_eq!(
            what_happened(case(&document, "lost-ack-after-commit")).unwrap(),
            "Operation `op-7`: 2 attempts (fault: lost ack), 0 effects in the target; the workflow claims completed, the \
             evidence supports neither that it took effect nor that it did not. The target was looked at before it had \
             settled."
        );
    }

    #[test]
    fn what_a_finding_quotes_at_length_is_shortened_and_stays_code() {
        let long = "word ".repeat(40);
        let told = short_spans(&format!("expected `30 days`; found no `30 days` in `{long}`"));
        let shown = &long[..LONGEST_SPAN];
        assert_eq!(told, format!("expected `30 days`; found no `30 days` in `{shown}…`"));
    }

    #[test]
    fn the_first_reasons_to_run_are_given_and_the_others_are_counted() {
        let document = Sample::full().document();
        let mut one = case(&document, "returns-window").clone();
        let first = "source returns-policy file:policies/returns.md modified puts policy_accuracy at risk";
        assert_eq!(why_it_ran(&one).as_deref(), Some(first));
        one.reasons.push("marked `always`".to_owned());
        assert_eq!(why_it_ran(&one), Some(format!("{first}; marked `always`")));
        one.reasons.push("did not pass the last time".to_owned());
        assert_eq!(why_it_ran(&one), Some(format!("{first}; marked `always` (and 1 more reason)")));
        one.reasons.clear();
        assert_eq!(why_it_ran(&one), None);
    }
}
