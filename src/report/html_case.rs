//! One case as the HTML page shows it.

use serde::Serialize;
use serde_json::Value;

use super::answer_diff::{Panel, SideText, logged, panels, plain, pretty};
use super::brief::is_open;
use super::changed_answer::{answer_changed, answer_text};
use super::document::{CaseView, OldFormView};
use super::findings::{first_unpassed, headline};
use super::group::Group;
use super::html_page::value_text;
use super::payload::{Cap, Payloads};
use super::timeline::{Event, other_calls, timeline};
use super::trial_view::{ExchangeView, GradeView, OperationView, StepView, TrialView};
use super::visible::shown_bytes;
use super::words::millis_text;
use crate::domain::TrialStatus;
use crate::evidence::Unreached;

/// Bytes of one payload that the page shows at the most.
const PAYLOAD_CAP: usize = 8_000;

/// Bytes of one payload of a case that passed.
const PASSED_CAP: usize = 2_000;

/// Bytes of lines and payloads that the whole page shows at the most; cases beyond are named on a line.
const PAGE_CAP: usize = 7_000_000;

/// Bytes that are left for payloads at the least, however many cases have a line.
const LEAST_FOR_PAYLOADS: usize = 2_000_000;

/// Bytes of markup around a case's line.
const LINE_MARKUP: usize = 330;

/// Bytes of markup around what is shown of a case beyond its line.
const DETAIL_MARKUP: usize = 2_500;

/// Passed cases that are shown with their answers, folded; more are only named.
pub(super) const OPENABLE_PASSES: usize = 300;

/// More other cases than these are never shown in full: their markup alone fills the page.
pub(super) const PAGE_CASES: usize = PAGE_CAP / DETAIL_MARKUP;

/// Bytes of the line that says what went wrong.
const LONGEST_HEADLINE: usize = 240;

/// Cases that need attention and are unfolded at first; more would bury the list.
const OPEN_CASES: usize = 12;

/// Trials that are shown in full for one case.
const SHOWN_TRIALS: usize = 5;

/// What the page may still show in full.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: usize,
    passes: usize,
    open: usize,
}

impl Budget {
    /// The budget of a page on which these cases have a line each.
    pub(super) fn new<'a>(listed: impl Iterator<Item = &'a CaseView>) -> Self {
        let lines: usize = listed.map(line_weight).sum();
        let bytes = PAGE_CAP.saturating_sub(lines).max(LEAST_FOR_PAYLOADS);
        Self { bytes, passes: OPENABLE_PASSES, open: OPEN_CASES }
    }

    /// Whether one more case is unfolded at first.
    fn open(&mut self, group: Group) -> bool {
        let open = group.needs_attention() && self.open > 0;
        self.open -= usize::from(open);
        open
    }

    /// Takes what a case needs; false where it is spent, or the case's evidence is not at hand.
    fn take(&mut self, case: &CaseView, group: Group, cap: usize) -> bool {
        if case.lightened.is_some() {
            return false;
        }
        if group == Group::Passed {
            let Some(passes) = self.passes.checked_sub(1) else { return false };
            self.passes = passes;
        }
        let Some(bytes) = self.bytes.checked_sub(weight(case, cap)) else { return false };
        self.bytes = bytes;
        true
    }
}

/// The bytes of a case's line.
fn line_weight(case: &CaseView) -> usize {
    let shown = |text: &str| shown_bytes(text, text.len());
    let title = if case.title.is_empty() { 0 } else { shown(&case.title) };
    LINE_MARKUP
        + 3 * shown(case.id.as_str())
        + 2 * shown(case.set.as_str())
        + title
        + shown_bytes(&case.why, LONGEST_HEADLINE)
}

/// The bytes that a case brings into the page beyond its line, its payloads as capped.
pub(super) fn weight(case: &CaseView, cap: usize) -> usize {
    let bytes = |text: &str| shown_bytes(text, cap);
    let payload = |value: Option<&Value>| value.map_or(0, |value| bytes(&value.to_string()));
    let trial = |trial: &TrialView| {
        let texts = trial.grades.iter().map(|grade| bytes(&grade.message)).sum::<usize>();
        let answer = trial.answer.as_ref().map_or(0, |answer| 2 * bytes(answer));
        let bodies = |exchange: &ExchangeView| {
            let answer = exchange.answer.as_ref().map_or(0, |answer| bytes(&answer.text));
            bytes(&exchange.request.text) + answer
        };
        let unreached = trial.unreached.iter().map(|tried| bytes(&tried.why) + bytes(&tried.then)).sum::<usize>();
        payload(trial.output.as_deref())
            + answer
            + texts
            + unreached
            + trial.exchanges.iter().map(bodies).sum::<usize>()
    };
    let old = case.old_form.iter().flat_map(|old| &old.trials);
    let accepted = case.accepted_output.as_ref().map_or(0, |accepted| bytes(accepted));
    DETAIL_MARKUP
        + bytes(&case.why)
        + payload(Some(case.asked()))
        + accepted
        + case.trials.iter().chain(old).take(2 * SHOWN_TRIALS).map(trial).sum::<usize>()
}

/// One case.
#[derive(Debug, Serialize)]
pub(super) struct CaseItem {
    id: String,
    title: String,
    set: String,
    status: &'static str,
    standing: String,
    duration: String,
    millis: u64,
    /// Whether it passes with another answer than was accepted.
    changed: bool,
    /// What went wrong, on one line.
    headline: Option<String>,
    /// Whether it is unfolded at first.
    open: bool,
    /// What is shown beyond its line.
    detail: Option<CaseDetail>,
    /// Why more is not shown.
    note: Option<&'static str>,
}

/// What is shown of a case beyond its line.
#[derive(Debug, Serialize)]
struct CaseDetail {
    why: String,
    reasons: Vec<String>,
    place: Option<String>,
    workflow: Option<String>,
    faults: Vec<String>,
    input: SideText,
    accepted: bool,
    trials: Vec<TrialItem>,
    more_trials: usize,
    old_form: Option<OldFormItem>,
}

/// The case in its old form.
#[derive(Debug, Serialize)]
struct OldFormItem {
    status: &'static str,
    trial: Option<TrialItem>,
    /// Whether it answers as the new form does; the answer is then not shown again.
    same_answer: bool,
}

/// One trial.
#[derive(Debug, Serialize)]
struct TrialItem {
    number: u32,
    status: &'static str,
    duration: String,
    open: bool,
    error: Option<String>,
    /// The tries that reached nothing: what was met instead, and what followed.
    unreached: Vec<UnreachedItem>,
    panels: Vec<Panel>,
    grades: Vec<GradeItem>,
    /// The operations that someone has to look after, or that came out otherwise than at acceptance.
    operations: Vec<OperationItem>,
    /// The others.
    quiet_operations: Vec<OperationItem>,
    other_calls: Vec<Event>,
    steps: Vec<StepItem>,
    readings: Vec<ReadingItem>,
}

/// One try that reached neither the workflow nor a target.
#[derive(Debug, Serialize)]
struct UnreachedItem {
    why: SideText,
    then: String,
}

/// One operation: what the evidence supports, what is claimed, and what happened.
#[derive(Debug, Serialize)]
struct OperationItem {
    operation: String,
    outcome: &'static str,
    /// What it was when it was accepted, where that was something else.
    before: Option<String>,
    claim: Option<&'static str>,
    claim_check: Option<&'static str>,
    attempts: usize,
    effects: usize,
    timeline: Vec<Event>,
    grounds: Vec<String>,
}

/// One grade.
#[derive(Debug, Serialize)]
struct GradeItem {
    verdict: &'static str,
    class: &'static str,
    /// What it was when it was accepted, where that was something else.
    before: Option<&'static str>,
    grader: String,
    message: SideText,
}

/// One step that has more to show than the last answer.
#[derive(Debug, Serialize)]
struct StepItem {
    number: u32,
    kind: String,
    duration: String,
    http_status: Option<u16>,
    answer: Option<SideText>,
    stderr: Option<SideText>,
    /// How it failed, where the case lets the trial go on after that.
    failure: Option<SideText>,
}

/// What one probe read.
#[derive(Debug, Serialize)]
struct ReadingItem {
    probe: String,
    text: SideText,
}

impl CaseItem {
    /// The case as it is shown in its group.
    pub(super) fn of(case: &CaseView, group: Group, budget: &mut Budget, payloads: &Payloads) -> Self {
        let cap = Cap::new(if group == Group::Passed { PASSED_CAP } else { PAYLOAD_CAP }, payloads);
        let shown = budget.take(case, group, cap.bytes);
        let millis = case.trials.iter().map(|trial| trial.duration_ms).sum();
        Self {
            id: case.id.to_string(),
            title: case.title.to_string(),
            set: case.set.to_string(),
            status: case.status.name(),
            standing: case.comparison.name().replace('_', " "),
            duration: millis_text(millis),
            millis,
            changed: group == Group::Passed && answer_changed(case),
            headline: headline(case, LONGEST_HEADLINE),
            open: budget.open(group),
            detail: shown.then(|| detail(case, cap)),
            note: (!shown && group != Group::Passed).then_some("The page is full; this case stands in report.json."),
        }
    }
}

fn detail(case: &CaseView, cap: Cap<'_>) -> CaseDetail {
    // The first trial that did not pass is the one to read; where all passed, the first.
    let open = case.trials.iter().position(|trial| trial.status != TrialStatus::Passed).unwrap_or(0);
    let accepted = case.accepted_output.as_deref();
    let mut order: Vec<usize> = (0..case.trials.len()).collect();
    order.sort_by_key(|index| *index != open);
    let trials = order
        .into_iter()
        .take(SHOWN_TRIALS)
        .map(|index| trial_item(&case.trials[index], Some(case), index == open, cap))
        .collect();
    CaseDetail {
        why: case.why.to_string(),
        reasons: case.reasons.clone(),
        place: case.path.as_ref().map(|path| match case.line {
            Some(line) => format!("{path}:{line}"),
            None => path.clone(),
        }),
        workflow: case.workflow.as_ref().map(ToString::to_string),
        faults: case.faults.clone(),
        input: plain(&value_text(case.asked()), cap),
        accepted: accepted.is_some(),
        trials,
        more_trials: case.trials.len().saturating_sub(SHOWN_TRIALS),
        old_form: case.old_form.as_ref().map(|old| old_form_item(old, case.trials.get(open), cap)),
    }
}

/// `now` is the trial of the new form that is shown first.
fn old_form_item(old: &OldFormView, now: Option<&TrialView>, cap: Cap<'_>) -> OldFormItem {
    let trial = first_unpassed(&old.trials).or_else(|| old.trials.first());
    let same_answer = now.zip(trial).is_some_and(|(now, trial)| answer_text(now) == answer_text(trial));
    let mut item = trial.map(|trial| trial_item(trial, None, true, cap));
    if let Some(item) = item.as_mut().filter(|_| same_answer) {
        item.panels.clear();
    }
    OldFormItem { status: old.status.name(), trial: item, same_answer }
}

/// `case` is the trial's, where it is one of the head form: the accepted results speak of that.
fn trial_item(trial: &TrialView, case: Option<&CaseView>, open: bool, cap: Cap<'_>) -> TrialItem {
    let accepted = case.and_then(|case| case.accepted_output.as_deref());
    let grades = (1..).zip(&trial.grades);
    let (operations, quiet): (Vec<_>, Vec<_>) =
        trial.operations.iter().partition(|operation| is_open(operation) || outcome_before(operation, case).is_some());
    let items = |operations: Vec<&OperationView>| {
        operations.into_iter().map(|operation| operation_item(operation, trial, case, cap)).collect()
    };
    let panels = answer_text(trial).map(|answer| panels(accepted, &answer, cap)).unwrap_or_default();
    TrialItem {
        number: trial.number,
        status: trial.status.name(),
        duration: millis_text(trial.duration_ms),
        open,
        error: trial.error.as_ref().map(|error| error.message.clone()),
        unreached: trial
            .unreached
            .iter()
            .map(|Unreached { why, then }| UnreachedItem { why: plain(why, cap), then: then.clone() })
            .collect(),
        panels,
        grades: grades.map(|(place, grade)| grade_item(grade, grade_before(case, place), cap)).collect(),
        operations: items(operations),
        quiet_operations: items(quiet),
        other_calls: other_calls(trial, cap),
        steps: step_items(&trial.steps, cap),
        readings: trial
            .readings
            .iter()
            .map(|(probe, reading)| ReadingItem { probe: probe.clone(), text: plain(&reading_text(reading), cap) })
            .collect(),
    }
}

fn operation_item(
    operation: &OperationView,
    trial: &TrialView,
    case: Option<&CaseView>,
    cap: Cap<'_>,
) -> OperationItem {
    let of_attempts = operation.attempts_seen.len();
    // Documents that were written before grounds were kept apart have the attempts' sentences first.
    let grounds = if operation.grounds.is_empty() {
        operation.evidence.get(of_attempts..).unwrap_or_default()
    } else {
        &operation.grounds
    };
    OperationItem {
        operation: operation.operation.to_string(),
        outcome: operation.outcome.name(),
        before: outcome_before(operation, case),
        claim: operation.claim.map(|claim| claim.name()),
        claim_check: operation.claim_check.map(|check| check.name()),
        attempts: operation.attempts,
        effects: operation.effects,
        timeline: timeline(operation, trial, cap),
        grounds: grounds.to_vec(),
    }
}

/// What the operation was when it was accepted, where that was something else.
fn outcome_before(operation: &OperationView, case: Option<&CaseView>) -> Option<String> {
    let mut changes = case?.changed_outcomes.iter();
    let change = changes.find(|change| change.operation == operation.operation.as_str())?;
    Some(change.before.replace('_', " "))
}

fn reading_text(reading: &crate::evidence::Reading) -> String {
    match reading {
        crate::evidence::Reading::Effects(rows) if rows.is_empty() => "no effect".to_owned(),
        crate::evidence::Reading::Effects(rows) => {
            rows.iter().map(|row| pretty(&Value::Object(row.clone()))).collect::<Vec<_>>().join("\n")
        }
        crate::evidence::Reading::Unreadable(why) => format!("could not be read: {why}"),
    }
}

/// How the expectation at this place, from 1, stood when it was accepted, where that has changed.
fn grade_before(case: Option<&CaseView>, place: usize) -> Option<&'static str> {
    let change = case?.changed_grades.iter().find(|change| change.expectation == place)?;
    Some(if change.holds_now { "did not hold when accepted" } else { "held when accepted" })
}

fn grade_item(grade: &GradeView, before: Option<&'static str>, cap: Cap<'_>) -> GradeItem {
    let (verdict, class) = match grade.pass {
        Some(true) => ("holds", "pass"),
        Some(false) => ("does not hold", "fail"),
        None => ("not judged", "error"),
    };
    GradeItem {
        verdict,
        class,
        before,
        grader: grade.grader.clone(),
        message: plain(&grade.message, cap.at_most(4_000)),
    }
}

/// Nothing where there is only one quiet step: the answer has been shown already.
fn step_items(steps: &[StepView], cap: Cap<'_>) -> Vec<StepItem> {
    let quiet = |step: &StepView| step.stderr.is_empty() && step.http_status.is_none() && step.failure.is_none();
    if steps.len() <= 1 && steps.iter().all(quiet) {
        return Vec::new();
    }
    steps
        .iter()
        .map(|step| StepItem {
            number: step.number,
            kind: step.kind.clone(),
            duration: millis_text(step.duration_ms),
            http_status: step.http_status,
            answer: step.answer.as_ref().map(|answer| plain(answer, cap)),
            stderr: (!step.stderr.is_empty()).then(|| logged(&step.stderr, cap)),
            failure: step.failure.as_ref().map(|failure| logged(&failure.message, cap)),
        })
        .collect()
}
