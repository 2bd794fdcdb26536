//! From the results of a run to its document. Pure: the same input and the same trials give the same document.

mod evidence;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::comparison::{Compared, Ended, Standing, Tries, case_tries};
use crate::domain::{CaseId, CaseStatus, Digest, PartId, Risk, TrialStatus};
use crate::evidence::Form;
use crate::grading::{CaseResult, GradedTrial, TrialResult};
use crate::manifest::{Case, FaultSpec};
use crate::selection::{Excluded, Mode, PlannedChange, Selected, Uncovered};

use super::document::{
    CaseView, ChangeView, ComparisonCounts, Counts, ExcludedView, InheritedView, OldFormView, REPORT_SCHEMA,
    ReasonView, RemovedView, ReportDocument, UncoveredView,
};
use super::doing_nothing::passed_by_doing_nothing;
use super::group::Group;
use super::input::ReportInput;
use super::limits::{limits, statement};
use super::set_view::set_views;
use super::shadow_view::shadow_view;
use super::trend_view::TrendPoint;
use super::words::days_between;

use self::evidence::{Room, trial_views};

/// Where the evidence of a report comes from, and where it goes: a case at a time, so that a run's evidence need not fit into memory.
pub trait CaseFeed {
    /// Why evidence could not be read, or a case not be taken.
    type Error;

    /// The whole of a case, where the head has it. Each is asked for once, by id: who holds it need not hold it any longer.
    fn case(&mut self, case: &CaseId) -> Option<Case>;

    /// The trials of one form of a case, by number, of which so many are on record. They are asked for by case, and of one case the base's
    /// form first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn trials(&mut self, case: &CaseId, form: Form, recorded: usize) -> Result<Vec<GradedTrial>, Self::Error>;

    /// The text of the answer that was accepted earlier; `None` where it cannot be had.
    ///
    /// # Errors
    /// When it cannot be read, and that is no finding of its own.
    fn accepted(&mut self, case: &CaseId) -> Result<Option<String>, Self::Error>;

    /// Takes a case with all its evidence, by id. What it changes in it, the document has too.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn whole(&mut self, case: &mut CaseView) -> Result<(), Self::Error>;
}

/// Builds the document. Every case of the plan stands in it exactly once: in `cases` or in `excluded`. Of cases beyond those that a
/// page shows in full the evidence is left out of it; the feed has had them whole.
///
/// # Errors
/// Those of the feed.
pub fn build<F: CaseFeed>(input: &ReportInput, feed: &mut F) -> Result<ReportDocument, F::Error> {
    let (cases, different_inputs) = case_views(input, feed)?;
    let ran: BTreeSet<&CaseId> = cases.iter().map(|case| &case.id).collect();
    let excluded: Vec<ExcludedView> = not_run(input, &ran);
    let removed = removed_views(input.compared, &ran);
    let mut document = ReportDocument {
        schema: REPORT_SCHEMA.to_owned(),
        run: input.run.clone(),
        project: input.project.to_owned(),
        started: input.started.to_owned(),
        finished: input.finished.to_owned(),
        verdict: input.verdict.word,
        exit_code: input.verdict.code.number(),
        verdict_reasons: verdict_reasons(input),
        verdict_notes: input.verdict.notes.clone(),
        base: input.plan.base.clone(),
        head: input.plan.head.clone(),
        fingerprint: input.fingerprint.clone(),
        baseline_heads: input.baseline_heads.to_vec(),
        baseline_state: input.baseline_state,
        results_digest: input.results_digest.cloned(),
        shadow: input.shadow.map(|shadow| shadow_view(shadow, &cases)),
        part: input.part.cloned(),
        mode: mode_name(input.plan.mode).to_owned(),
        mode_reason: input.plan.mode_reason.clone(),
        changes: input.plan.changes.iter().map(change_view).collect(),
        unclassified: input.plan.unclassified.clone(),
        uncovered: uncovered_views(input),
        bumps_without_change: input.plan.bumps_without_change.clone(),
        changes_without_bump: input.plan.changes_without_bump.clone(),
        outside_project: input.plan.outside_project,
        counts: counts(&cases, &excluded),
        comparison: comparison_counts(&cases, &excluded, &removed),
        trend: trend(input, &cases),
        scorecard: None,
        failure_table: Vec::new(),
        evidence_statement: String::new(),
        sets: set_views(input.compared, &input.verdict.sets),
        cases,
        excluded,
        removed,
        limits: Vec::new(),
        accept_command: input.accept_command.map(str::to_owned),
        project_option: input.project_option.to_owned(),
    };
    for view in &mut document.sets {
        let own = document.cases.iter().filter(|case| case.set == view.figures.set);
        view.do_nothing = passed_by_doing_nothing(own);
    }
    document.evidence_statement = statement(&document);
    document.limits = limits(&document, different_inputs);
    document.limits.extend(input.limits.iter().cloned());
    Ok(document)
}

/// The line of each case: what came of it, what its file says, and its evidence. Hands it over whole, and leaves it the evidence where
/// there is room. Answers beside them how many different things the cases ask.
fn case_views<F: CaseFeed>(input: &ReportInput, feed: &mut F) -> Result<(Vec<CaseView>, usize), F::Error> {
    let all = found(input);
    let mut room = Room::for_cases(all.iter().map(|(id, found)| (*id, found.group(input, id))), input);
    let mut asked: BTreeSet<[u8; 32]> = BTreeSet::new();
    let mut cases = Vec::with_capacity(all.len());
    for (id, found) in all {
        let mut case = case_view(input, id, found);
        if let Some(said) = feed.case(id) {
            case.say(said, input);
        }
        asked.insert(Digest::of_json(case.asked()).to_bytes());
        if let Some((old, result)) = case.old_form.as_mut().zip(found.old_form) {
            old.trials = trial_views(&feed.trials(id, Form::Base, result.trials.len())?);
        }
        // Without a result nothing is shown, whatever is on record.
        if let Some(result) = found.result {
            case.trials = trial_views(&feed.trials(id, Form::Head, result.trials.len())?);
        }
        if input.accepted_answers.contains_key(id) {
            case.accepted_output = feed.accepted(id)?;
        }
        feed.whole(&mut case)?;
        if !room.take(&case) {
            case.lighten();
        }
        cases.push(case);
    }
    Ok((cases, asked.len()))
}

impl CaseView {
    /// Takes over what the case's file says.
    fn say(&mut self, said: Case, input: &ReportInput) {
        self.title = Arc::clone(&said.title);
        self.workflow = Some(said.workflow.clone());
        self.path = Some(said.path.clone());
        self.line = Some(said.line);
        self.outlives_trials = input.outlives_trials.get(&said.workflow).copied();
        self.faults = said.faults.iter().map(fault_text).collect();
        self.input = Some(Box::new(said.input));
    }
}

/// This run behind those before it.
fn trend(input: &ReportInput, cases: &[CaseView]) -> Vec<TrendPoint> {
    let this = TrendPoint {
        run: input.run.clone(),
        finished: input.finished.to_owned(),
        verdict: input.verdict.word,
        exit_code: input.verdict.code.number(),
        selected: cases.len(),
        passed: cases.iter().filter(|case| case.status == CaseStatus::Passed).count(),
    };
    input.earlier_runs.iter().cloned().chain([this]).collect()
}

fn uncovered_views(input: &ReportInput) -> Vec<UncoveredView> {
    input.plan.uncovered.iter().map(|uncovered| uncovered_view(uncovered, input.project_option)).collect()
}

fn not_run(input: &ReportInput, ran: &BTreeSet<&CaseId>) -> Vec<ExcludedView> {
    let excluded = input.plan.excluded.iter().filter(|excluded| !ran.contains(&excluded.case));
    excluded.map(|excluded| excluded_view(excluded, Some(input.finished))).collect()
}

/// The cases that only the baseline knows.
fn removed_views(compared: &[Compared], ran: &BTreeSet<&CaseId>) -> Vec<RemovedView> {
    let removed = compared.iter().filter(|one| one.standing == Standing::Removed && !ran.contains(&one.case));
    let view = |one: &Compared| RemovedView { case: one.case.clone(), set: one.set.clone(), why: one.why.to_string() };
    removed.map(view).collect()
}

/// The name of a mode in files and reports.
pub(super) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Selective => "selective",
        Mode::All => "all",
    }
}

fn verdict_reasons(input: &ReportInput) -> Vec<ReasonView> {
    let view = |reason: &crate::verdict::VerdictReason| ReasonView {
        exit_code: reason.code.number(),
        text: reason.text.clone(),
    };
    input.verdict.reasons.iter().map(view).collect()
}

/// One change as plans and reports show it.
pub(super) fn change_view(planned: &PlannedChange) -> ChangeView {
    let change = &planned.change;
    ChangeView {
        kind: change.kind,
        part: change.part.clone(),
        case: change.case.clone(),
        facet: change.facet.clone(),
        change: change.direction,
        from: change.from.clone(),
        to: change.to.clone(),
        paths: change.paths.clone(),
        risks: planned.risks.clone(),
    }
}

/// One uncovered risk with the command that scaffolds its case.
pub(super) fn uncovered_view(uncovered: &Uncovered, project_option: &str) -> UncoveredView {
    UncoveredView {
        part: uncovered.part.clone(),
        risk: uncovered.risk.clone(),
        command: case_new_command(project_option, &uncovered.part, &uncovered.risk),
        unused: uncovered.unused,
    }
}

/// The command that begins a case for a risk of a part. `project_option` is empty, or names the project's folder as
/// ` --project DIR`.
pub fn case_new_command(project_option: &str, part: &PartId, risk: &Risk) -> String {
    format!("holdpoint{project_option} case new --for {part}/{risk}")
}

/// One case that does not run.
///
/// `now` is what the age of an accepted result is counted to.
pub(super) fn excluded_view(excluded: &Excluded, now: Option<&str>) -> ExcludedView {
    ExcludedView {
        case: excluded.case.clone(),
        set: excluded.set.clone(),
        reason: excluded.reason.to_string(),
        inherited: excluded.inherited.as_ref().map(|inherited| InheritedView {
            record: inherited.record.clone(),
            accepted: inherited.accepted.clone(),
            age_days: now.and_then(|now| days_between(&inherited.accepted, now)),
            acceptances_since: inherited.acceptances_since,
            status: inherited.status,
        }),
    }
}

/// The cases that were to run, and any that ran though the plan does not name it, by id.
fn found<'a>(input: &ReportInput<'a>) -> Vec<(&'a CaseId, Found<'a>)> {
    let mut all: BTreeMap<&CaseId, Found<'_>> = BTreeMap::new();
    input.plan.selected.iter().for_each(|one| all.entry(&one.case).or_default().selected = Some(one));
    input.results.iter().for_each(|one| all.entry(&one.case).or_default().result = Some(one));
    for one in input.old_forms {
        all.entry(&one.case).and_modify(|found| found.old_form = Some(one));
    }
    for one in input.compared {
        all.entry(&one.case).and_modify(|found| found.compared = Some(one));
    }
    all.into_iter().collect()
}

/// What is known of one case that was to run.
#[derive(Clone, Copy, Default)]
struct Found<'a> {
    selected: Option<&'a Selected>,
    result: Option<&'a CaseResult>,
    old_form: Option<&'a CaseResult>,
    compared: Option<&'a Compared>,
}

impl Found<'_> {
    fn group(&self, input: &ReportInput, id: &CaseId) -> Group {
        Group::of_result(tolerated(input, id), self.standing(), self.status())
    }

    /// No result at all is an error: it stays in the denominator, and never as a pass.
    fn status(&self) -> CaseStatus {
        self.result.map_or(CaseStatus::Errored, |result| result.status)
    }

    fn standing(&self) -> Standing {
        self.compared.map_or(Standing::NotComparable, |compared| compared.standing)
    }

    /// Why it stands so.
    fn why(&self) -> Arc<str> {
        match (self.compared, self.result) {
            (Some(compared), _) => Arc::clone(&compared.why),
            (None, Some(_)) => "it was not held against the baseline".into(),
            (None, None) => "it was to run and no trial of it was finished".into(),
        }
    }
}

fn tolerated(input: &ReportInput, id: &CaseId) -> bool {
    input.verdict.sets.iter().any(|judgement| judgement.tolerates(id))
}

/// One case without what its file says and what was seen.
fn case_view(input: &ReportInput, id: &CaseId, found: Found) -> CaseView {
    let set = found
        .selected
        .map(|selected| &selected.set)
        .or(found.result.map(|result| &result.set))
        .cloned()
        .unwrap_or_else(|| Risk::new(""));
    let reasons = match found.selected {
        Some(selected) => selected.reasons.iter().map(ToString::to_string).collect(),
        None => vec!["it ran though the plan does not name it".to_owned()],
    };
    CaseView {
        id: id.clone(),
        set,
        title: "".into(),
        workflow: None,
        path: None,
        line: None,
        reasons,
        status: found.status(),
        comparison: found.standing(),
        why: found.why(),
        differs: found.compared.map(|compared| compared.differs.clone()).unwrap_or_default(),
        changed_grades: found.compared.map(|compared| compared.grades.clone()).unwrap_or_default(),
        changed_outcomes: found.compared.map(|compared| compared.outcomes.clone()).unwrap_or_default(),
        accepted: found.compared.and_then(|compared| compared.before),
        passes: found.result.map(passes),
        tries: found.result.map(|result| tries(&result.trials)).unwrap_or_default(),
        do_nothing: input.do_nothing.get(id).copied(),
        tolerated: tolerated(input, id),
        input: None,
        faults: Vec::new(),
        outlives_trials: None,
        accepted_output: None,
        trials: Vec::new(),
        old_form: found.old_form.map(|old| OldFormView { status: old.status, trials: Vec::new() }),
        lightened: None,
    }
}

fn passed(trials: &[TrialResult]) -> usize {
    trials.iter().filter(|trial| trial.status == TrialStatus::Passed).count()
}

fn passes(result: &CaseResult) -> Ended {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Ended { status: result.status, passed: count(passed(&result.trials)), trials: count(result.trials.len()) }
}

fn tries(trials: &[TrialResult]) -> Vec<Tries> {
    case_tries(passed(trials), trials.len())
}

fn fault_text(fault: &FaultSpec) -> String {
    let name = serde_json::to_value(fault.fault).ok().and_then(|value| value.as_str().map(str::to_owned));
    format!("{} on attempt {} at {} of {}", name.unwrap_or_default(), fault.attempt, fault.operation, fault.connector)
}

fn counts(cases: &[CaseView], excluded: &[ExcludedView]) -> Counts {
    let ended = |status: CaseStatus| cases.iter().filter(|case| case.status == status).count();
    let inherited = excluded.iter().filter(|excluded| excluded.inherited.is_some()).count();
    Counts {
        selected: cases.len(),
        passed: ended(CaseStatus::Passed),
        failed: ended(CaseStatus::Failed),
        errored: ended(CaseStatus::Errored),
        uncertain: ended(CaseStatus::Uncertain),
        flaky: ended(CaseStatus::Flaky),
        inherited,
        not_run: excluded.len() - inherited,
        total: cases.len() + excluded.len(),
        trials: cases.iter().map(|case| case.trials.len()).sum(),
    }
}

fn comparison_counts(cases: &[CaseView], excluded: &[ExcludedView], removed: &[RemovedView]) -> ComparisonCounts {
    let inherited = excluded.iter().filter(|excluded| excluded.inherited.is_some()).count();
    let mut counts = ComparisonCounts {
        inherited,
        no_baseline: excluded.len() - inherited,
        removed: removed.len(),
        ..ComparisonCounts::default()
    };
    for case in cases {
        let place = match case.comparison {
            Standing::Regressed => &mut counts.regressed,
            Standing::Fixed => &mut counts.fixed,
            Standing::Unchanged => &mut counts.unchanged,
            Standing::KnownFailure => &mut counts.known_failure,
            Standing::New => &mut counts.new,
            Standing::ExpectationChanged => &mut counts.expectation_changed,
            Standing::Flaky => &mut counts.flaky,
            Standing::Errored => &mut counts.errored,
            Standing::Uncertain => &mut counts.uncertain,
            // A case that ran is neither removed nor inherited: standings that say so do not fit it.
            Standing::NotComparable | Standing::Removed | Standing::Inherited => &mut counts.not_comparable,
            Standing::NoBaseline => &mut counts.no_baseline,
        };
        *place += 1;
    }
    counts
}

#[cfg(test)]
mod tests;
