//! What a run does not show, in numbers.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::comparison::evidence_statement;
use crate::domain::{Outcome, counted, some_of};
use crate::grading::DoNothing;

use super::document::{ExcludedView, ReportDocument};

/// The limits that the document itself tells; a sentence each, the weightiest first.
///
/// `different_inputs` is how many of the cases that were to run ask another thing than the others.
pub(super) fn limits(document: &ReportDocument, different_inputs: usize) -> Vec<String> {
    [
        Some(what_ran(document, different_inputs)),
        Some(statement(document)),
        errored(document),
        unreached(document),
        uncertain_operations(document),
        unknown_calls(document),
        passed_by_doing_nothing(document),
        single_trials(document),
        inherited(document),
        not_run(document),
        uncovered(document),
        unclassified(document),
        outside_project(document),
        removed(document),
        no_baseline(document),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn what_ran(document: &ReportDocument, different_inputs: usize) -> String {
    let counts = &document.counts;
    let of_project = format!("{} of the project's {}", counts.selected, counted(counts.total, "case"));
    let ran = match unfinished(document) {
        0 => format!("Run: {of_project}"),
        unfinished => format!("Selected: {of_project}; run: {}", counts.selected.saturating_sub(unfinished)),
    };
    format!(
        "{ran}, in {}, with {}. Cases are chosen, not drawn at random: they are no sample of what the workflow meets in use.",
        counted(counts.trials, "trial"),
        counted(different_inputs, "different input"),
    )
}

/// How many of the cases that were to run have no finished trial: the run ended, or was stopped, before.
pub(super) fn unfinished(document: &ReportDocument) -> usize {
    document.cases.iter().filter(|case| case.trials.is_empty()).count()
}

/// The failure rate that the passes still allow. A case counts once, however many trials it has.
pub(super) fn statement(document: &ReportDocument) -> String {
    evidence_statement(document.counts.passed, document.counts.selected)
}

/// What came about at another try only is said: a workflow that is hard to reach is a finding of its own.
fn unreached(document: &ReportDocument) -> Option<String> {
    let trials = || document.cases.iter().flat_map(|case| &case.trials).filter(|trial| !trial.unreached.is_empty());
    let tries: usize = trials().map(|trial| trial.unreached.len()).sum();
    let first = trials().flat_map(|trial| &trial.unreached).next()?;
    Some(format!(
        "In {} a workflow or a target was not reached at once, in {} together, and nothing was sent in those. The first: {}; {}.",
        counted(trials().count(), "trial"),
        counted(tries, "try").replace("trys", "tries"),
        first.why.lines().next().unwrap_or_default(),
        first.then,
    ))
}

fn errored(document: &ReportDocument) -> Option<String> {
    let errored = document.counts.errored;
    let rest = match unfinished(document) {
        0 => String::new(),
        unfinished => format!(" Without a single finished trial: {}.", counted(unfinished, "case")),
    };
    (errored > 0).then(|| {
        format!(
            "Errored: {}. Nothing is known of the workflow there, and none of it counts as passed.{rest}",
            counted(errored, "case")
        )
    })
}

fn uncertain_operations(document: &ReportDocument) -> Option<String> {
    let operations = || document.cases.iter().flat_map(|case| &case.trials).flat_map(|trial| &trial.operations);
    let uncertain = operations().filter(|operation| operation.outcome == Outcome::Uncertain).count();
    (uncertain > 0).then(|| {
        format!(
            "For {uncertain} of {} the evidence supports neither that it took effect nor that it did not.",
            counted(operations().count(), "operation")
        )
    })
}

/// Calls to a connector that no operation of its manifest describes: nobody knows what they were attempts at.
fn unknown_calls(document: &ReportDocument) -> Option<String> {
    let trials = document.cases.iter().flat_map(|case| &case.trials);
    let unknown: Vec<_> =
        trials.flat_map(|trial| &trial.exchanges).filter(|exchange| exchange.operation.is_none()).collect();
    let connectors: BTreeSet<&str> = unknown.iter().map(|exchange| exchange.connector.as_str()).collect();
    (!unknown.is_empty()).then(|| {
        format!(
            "{} to {} fit no operation that the manifest describes: no fault could fall on them, and what they did is \
             nobody's attempt.",
            counted(unknown.len(), "call"),
            connectors.into_iter().collect::<Vec<_>>().join(", ")
        )
    })
}

/// So many cases are named; the document has the word of each.
const CASES_NAMED: usize = 5;

fn passed_by_doing_nothing(document: &ReportDocument) -> Option<String> {
    let with = |word: DoNothing| -> Vec<&str> {
        document.cases.iter().filter(|case| case.do_nothing == Some(word)).map(|case| case.id.as_str()).collect()
    };
    let (passed, open) = (with(DoNothing::Passes), with(DoNothing::NotJudged));
    let named = |cases: &[&str]| some_of(cases, CASES_NAMED);
    let mut sentences = Vec::new();
    if !passed.is_empty() {
        let count = counted(passed.len(), "case");
        sentences.push(format!(
            "A workflow that does nothing would pass {count} too: a pass there shows nothing of this one ({}).",
            named(&passed)
        ));
    }
    if !open.is_empty() {
        let count = counted(open.len(), "case");
        sentences.push(format!("Whether it would pass {count} only a judging program could say ({}).", named(&open)));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn single_trials(document: &ReportDocument) -> Option<String> {
    let once = document.cases.iter().filter(|case| case.trials.len() == 1).count();
    (once > 0).then(|| {
        format!(
            "Run in a single trial: {}. An answer that changes from one execution to the next would not show there.",
            counted(once, "case")
        )
    })
}

fn inherited(document: &ReportDocument) -> Option<String> {
    let inherited = document.counts.inherited;
    if inherited == 0 {
        return None;
    }
    let age = match (oldest(&document.excluded), document.finished.parse::<Timestamp>()) {
        (Some(oldest), Ok(finished)) => {
            let days = finished.duration_since(oldest).as_hours() / 24;
            format!(
                "; the oldest was accepted on {}, {} before this run ended",
                oldest.strftime("%Y-%m-%d"),
                counted(usize::try_from(days).unwrap_or(0), "day")
            )
        }
        _ => String::new(),
    };
    Some(format!("Not run, and standing on a result that was accepted earlier: {}{age}.", counted(inherited, "case")))
}

fn oldest(excluded: &[ExcludedView]) -> Option<Timestamp> {
    excluded
        .iter()
        .filter_map(|excluded| excluded.inherited.as_ref())
        .filter_map(|inherited| inherited.accepted.parse().ok())
        .min()
}

fn not_run(document: &ReportDocument) -> Option<String> {
    let not_run = document.counts.not_run;
    (not_run > 0)
        .then(|| format!("Not run, and without any accepted result to stand on: {}.", counted(not_run, "case")))
}

fn uncovered(document: &ReportDocument) -> Option<String> {
    let uncovered = document.uncovered.len();
    (uncovered > 0).then(|| {
        format!("Without a single case: {} that a change brings. Nothing was tried there.", counted(uncovered, "risk"))
    })
}

fn unclassified(document: &ReportDocument) -> Option<String> {
    let unclassified = document.unclassified.len();
    (unclassified > 0).then(|| {
        format!(
            "Known to no rule: {}. What they can change is open, so everything was selected.",
            counted(unclassified, "changed path")
        )
    })
}

fn outside_project(document: &ReportDocument) -> Option<String> {
    let outside = document.outside_project;
    (outside > 0)
        .then(|| format!("Not looked at, because outside the project's folder: {}.", counted(outside, "changed path")))
}

fn removed(document: &ReportDocument) -> Option<String> {
    let removed = document.removed.len();
    (removed > 0).then(|| {
        format!(
            "Gone from the project, though the baseline knows them: {}. What they showed is no longer tried.",
            counted(removed, "case")
        )
    })
}

fn no_baseline(document: &ReportDocument) -> Option<String> {
    let why = document.baseline_state.why_none()?;
    let (first, rest) = why.split_at(1);
    Some(format!("{}{rest}: nothing here says whether anything got worse.", first.to_uppercase()))
}
