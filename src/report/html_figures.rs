//! The figures of the page: rates by set, the runs before this one, the scorecard and the failure table.
//!
//! The drawings carry nothing that does not stand in words or numbers beside them, and need no colour to be read.

use serde::Serialize;

use crate::comparison::statistics::{Interval, interval_text};
use crate::domain::{CaseStatus, Risk, TrialStatus, counted};
use crate::operations::{FailureRow, Rate, Scorecard};
use crate::verdict::VerdictWord;

use super::document::{CaseView, ReportDocument};
use super::next_step::is_gone;
use super::set_view::SetView;
use super::trend_view::TrendPoint;

/// Rows of the failure table that the page shows; all of them stand in the document.
const FAILURE_ROWS: usize = 200;

/// The next step about an operation whose target is no more.
const ENDED_WITH_TRIAL: &str =
    "Nothing at the target, which ended with the trial: repair what led to it, and run the case again.";

/// The width of a rate's drawing, which is from 0 to 100 %.
const RATE_WIDTH: f64 = 200.0;

/// What is left free at both ends of it, so that no mark is cut off.
const RATE_MARGIN: f64 = 8.0;

/// Units from the beginning of one run's column to the next one's.
const COLUMN_STEP: usize = 30;

/// The height of a column of which everything passed.
const COLUMN_HEIGHT: usize = 60;

/// All figures.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    rates: Vec<RateRow>,
    trend: Option<Trend>,
    scores: Vec<Score>,
    remarks: Vec<String>,
    /// Operations whose trial did not pass.
    failures: Vec<FailureItem>,
    /// The others that are worth a look.
    other_operations: Vec<FailureItem>,
    left_out: Option<String>,
}

/// One set.
#[derive(Debug, Serialize)]
struct RateRow {
    set: String,
    rate: String,
    interval: String,
    accepted: String,
    /// What a workflow that does nothing would pass; empty where it is not known.
    do_nothing: String,
    /// Where the marks stand in the drawing, in its units.
    at: String,
    low: String,
    high: String,
    accepted_at: Option<String>,
    /// What the counts support.
    sentences: Vec<String>,
}

/// The runs up to this one.
#[derive(Debug, Serialize)]
struct Trend {
    runs: Vec<TrendItem>,
    width: usize,
    sentence: String,
}

/// One run.
#[derive(Debug, Serialize)]
struct TrendItem {
    run: String,
    finished: String,
    verdict: &'static str,
    letter: &'static str,
    exit_code: u8,
    selected: usize,
    passed: usize,
    x: usize,
    middle: usize,
    /// The height of what passed, from below.
    height: usize,
    y: usize,
    this: bool,
}

/// One score.
#[derive(Debug, Serialize)]
struct Score {
    name: String,
    value: String,
}

/// One operation.
#[derive(Debug, Serialize)]
struct FailureItem {
    case: String,
    operation: String,
    step: String,
    fault: String,
    shows: String,
    claim: String,
    outcome: &'static str,
    next_step: String,
    /// What right the step needs; empty where it needs none.
    authority: String,
    /// Empty where nobody is on record.
    owner: String,
}

/// The figures of a run.
pub(super) fn figures(document: &ReportDocument) -> Figures {
    let mut rows: Vec<(bool, &FailureRow)> =
        document.failure_table.iter().map(|row| (needs_reading(document, row), row)).collect();
    rows.sort_by_key(|(needs_reading, _)| !needs_reading);
    let left_out = rows.len().saturating_sub(FAILURE_ROWS);
    rows.truncate(FAILURE_ROWS);
    let (failures, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(needs_reading, _)| *needs_reading);
    let items = |rows: Vec<(bool, &FailureRow)>| rows.into_iter().map(|(_, row)| failure_item(document, row)).collect();
    Figures {
        rates: document.sets.iter().map(|set| rate_row(document, set)).collect(),
        trend: trend(&document.trend),
        scores: document.scorecard.as_ref().map(scores).unwrap_or_default(),
        remarks: document.scorecard.as_ref().map(|scorecard| scorecard.remarks.clone()).unwrap_or_default(),
        failures: items(failures),
        other_operations: items(others),
        left_out: (left_out > 0).then(|| format!("{} are left out here", counted(left_out, "further operation"))),
    }
}

/// Whether the trial in which the operation fell did not pass.
fn needs_reading(document: &ReportDocument, row: &FailureRow) -> bool {
    let trials = case_of(document, row).map(|case| &case.trials);
    let trial = trials.into_iter().flatten().find(|trial| Some(trial.number) == row.place.trial);
    trial.is_none_or(|trial| trial.status != TrialStatus::Passed)
}

fn case_of<'a>(document: &'a ReportDocument, row: &FailureRow) -> Option<&'a CaseView> {
    let found = document.cases.binary_search_by(|case| case.id.cmp(&row.place.case));
    found.ok().map(|index| &document.cases[index])
}

/// Of the cases of a set that ran and were accepted earlier: how many were accepted as passing, and how many there are.
fn accepted(document: &ReportDocument, set: &Risk) -> (usize, usize) {
    let before = || document.cases.iter().filter(|case| case.set == *set).filter_map(|case| case.accepted.as_ref());
    (before().filter(|ended| ended.status == CaseStatus::Passed).count(), before().count())
}

fn rate_row(document: &ReportDocument, view: &SetView) -> RateRow {
    let figures = &view.figures;
    let (accepted, of) = accepted(document, &figures.set);
    let place = |share: f64| format!("{:.1}", RATE_MARGIN + share * (RATE_WIDTH - 2.0 * RATE_MARGIN));
    let interval = figures.wilson.unwrap_or(Interval { low: 0.0, high: 1.0 });
    RateRow {
        set: figures.set.to_string(),
        rate: format!("{} of {}", figures.passed, figures.cases),
        interval: figures.wilson.map_or_else(String::new, |interval| interval_text(interval.low, interval.high)),
        accepted: if of == 0 { String::new() } else { format!("{accepted} of {of}") },
        do_nothing: view.do_nothing.map(|passed| format!("{passed} of {}", figures.cases)).unwrap_or_default(),
        at: place(share(figures.passed, figures.cases)),
        low: place(interval.low),
        high: place(interval.high),
        accepted_at: (of > 0).then(|| place(share(accepted, of))),
        sentences: view.sentences(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases stay far below 2^52")]
fn share(count: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { count as f64 / of as f64 }
}

/// Nothing where there is no run to compare with.
fn trend(points: &[TrendPoint]) -> Option<Trend> {
    let last = points.len().checked_sub(1).filter(|last| *last > 0)?;
    let item = |(index, point): (usize, &TrendPoint)| {
        // What passed is rounded down: a column is full only where everything passed.
        let height = point.passed * COLUMN_HEIGHT / point.selected.max(1);
        TrendItem {
            run: point.run.to_string(),
            finished: point.finished.clone(),
            verdict: point.verdict.name(),
            letter: match point.verdict {
                VerdictWord::Pass => "P",
                VerdictWord::Fail => "F",
                VerdictWord::Inconclusive => "I",
            },
            exit_code: point.exit_code,
            selected: point.selected,
            passed: point.passed,
            x: index * COLUMN_STEP + 4,
            middle: index * COLUMN_STEP + COLUMN_STEP / 2,
            height,
            y: COLUMN_HEIGHT - height + 2,
            this: index == last,
        }
    };
    let passed = points.iter().filter(|point| point.verdict == VerdictWord::Pass).count();
    Some(Trend {
        runs: points.iter().enumerate().map(item).collect(),
        width: points.len() * COLUMN_STEP,
        sentence: format!(
            "{passed} of the last {} on this machine passed. Runs differ in which cases they had.",
            counted(points.len(), "run")
        ),
    })
}

/// The scores that a run can know; what only a ledger of live work knows is left out, and said.
fn scores(scorecard: &Scorecard) -> Vec<Score> {
    let mut scores = Vec::new();
    let mut push = |name: &str, value: Option<String>| {
        scores.push(Score { name: name.to_owned(), value: value.unwrap_or_else(|| "not observed".to_owned()) });
    };
    let number = |count: Option<usize>| count.map(|count| count.to_string());
    push("Cases that passed every check", scorecard.cases.passed_checks.as_ref().map(Rate::text));
    push("Operations", number(scorecard.operations.operations));
    push("Attempts at them", number(scorecard.operations.attempts));
    for (name, counts) in [
        ("Operations by outcome", &scorecard.operations.outcomes),
        ("Claims against the evidence", &scorecard.operations.claims),
    ] {
        let words = counts.as_ref().map(|counts| {
            let seen = counts.iter().filter(|(_, count)| **count > 0);
            seen.map(|(word, count)| format!("{count} {}", word.replace('_', " "))).collect::<Vec<_>>().join(", ")
        });
        push(name, words);
    }
    push("Refusals", number(scorecard.refusals.refusals));
    push("Refusals that were right", number(scorecard.refusals.right));
    push("Exceptions", number(scorecard.exceptions.exceptions));
    push("Exceptions that nobody has closed", number(scorecard.exceptions.unresolved));
    push("Machine time", scorecard.effort.machine_minutes.map(|minutes| format!("{minutes:.2} min")));
    scores
}

fn failure_item(document: &ReportDocument, row: &FailureRow) -> FailureItem {
    let (next_step, authority) = match case_of(document, row) {
        // What an operator would do about it in live work has no object here.
        Some(case) if is_gone(case) => (ENDED_WITH_TRIAL.to_owned(), String::new()),
        _ => (row.next_step.clone(), row.authority.clone()),
    };
    let attempts = row.attempts.map_or_else(|| "attempts not observed".to_owned(), |made| counted(made, "attempt"));
    let faults: Vec<String> = row.faults.iter().map(|fault| fault.replace('_', " ")).collect();
    let claim = row.claim.map_or("nothing", |claim| claim.name());
    FailureItem {
        case: row.place.case.to_string(),
        operation: row.place.operation.to_string(),
        step: row.step.clone().unwrap_or_default(),
        fault: if faults.is_empty() {
            format!("none; {attempts}")
        } else {
            format!("{}; {attempts}", faults.join(", "))
        },
        shows: match row.effects {
            None => "not established".to_owned(),
            Some(0) => "no effect".to_owned(),
            Some(effects) => counted(effects, "effect"),
        },
        claim: format!("{claim} ({})", row.claim_check).replace('_', " "),
        outcome: row.outcome.name(),
        next_step,
        authority,
        owner: row.owner.clone().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    #[test]
    fn the_marks_of_a_rate_stand_in_the_order_of_its_numbers() {
        let figures = figures(&Sample::full().document());
        for row in &figures.rates {
            let number = |text: &str| text.parse::<f64>().unwrap();
            let (low, at, high) = (number(&row.low), number(&row.at), number(&row.high));
            assert!(RATE_MARGIN <= low && low <= at && at <= high && high <= RATE_WIDTH - RATE_MARGIN, "{row:?}");
        }
        let row = figures.rates.iter().find(|row| row.set == "policy_accuracy").unwrap();
        assert_eq!((row.rate.as_str(), row.interval.as_str()), ("14 of 16", "63.9 % to 96.6 %"));
        assert_eq!(row.do_nothing, "1 of 16", "not judged is no pass");
        assert_eq!(row.accepted, "15 of 16", "a regression passed when it was accepted, a known failure did not");
    }

    #[test]
    fn the_page_and_the_scorecard_round_every_bound_alike_and_outwards() {
        use crate::comparison::statistics::wilson;
        for of in 2..60 {
            for count in 1..of {
                let interval = wilson(count, of, 0.95).unwrap();
                let page = interval_text(interval.low, interval.high);
                let scorecard = Rate::new(count, of).text();
                assert!(scorecard.ends_with(&format!("95 % interval {page})")), "{scorecard} and {page}");
                let ends: Vec<f64> =
                    page.split(" % to ").map(|end| end.trim_end_matches(" %").parse().unwrap()).collect();
                assert!(ends[0] / 100.0 <= interval.low + 1e-9 && interval.high <= ends[1] / 100.0 + 1e-9, "{page}");
            }
        }
    }

    #[test]
    fn an_operation_of_a_trial_that_did_not_pass_is_to_be_read_first() {
        let figures = figures(&Sample::full().document());
        assert_eq!(figures.failures.len(), 1);
        assert_eq!(figures.failures[0].operation, "op-7");
        assert_eq!(figures.failures[0].claim, "completed (overclaimed)");
        assert!(figures.other_operations.is_empty());
    }

    #[test]
    fn a_column_is_full_only_where_everything_passed() {
        let mut document = Sample::full().document();
        document.trend[1].selected = 1_000;
        document.trend[1].passed = 999;
        let trend = figures(&document).trend.unwrap();
        let heights: Vec<usize> = trend.runs.iter().map(|run| run.height).collect();
        assert_eq!(heights, [60, 59, 60, 43]);
        assert!(trend.runs[3].this && !trend.runs[2].this);
    }

    #[test]
    fn a_single_run_is_no_trend() {
        let mut document = Sample::full().document();
        document.trend.drain(..3);
        assert!(figures(&document).trend.is_none());
    }

    #[test]
    fn what_is_left_out_of_the_failure_table_is_counted() {
        let mut document = Sample::full().document();
        let row = document.failure_table[0].clone();
        document.failure_table = vec![row; FAILURE_ROWS + 2];
        assert_eq!(figures(&document).left_out.as_deref(), Some("2 further operations are left out here"));
    }
}
