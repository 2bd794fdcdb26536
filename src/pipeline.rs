//! The whole order, and the only place that knows it: files, change, plan, execution, grading, comparison, verdict,
//! report.

mod acceptance;
mod accepted;
mod audit;
mod carry_out;
mod case_from;
mod cases;
mod compare_records;
mod drift;
mod error;
mod examples;
mod exercise;
mod explain;
mod figures;
mod grounds;
mod import;
mod init;
mod leftovers;
mod lint;
mod meanwhile;
mod merge;
mod new_file;
mod old_forms;
mod parts;
mod pause_watch;
mod prepare;
mod publish;
mod report_file;
mod resume;
mod schemas;
mod templates;
mod times;
mod unsettled;
mod variables;

pub use crate::store::Choice;
pub use acceptance::{AcceptRequest, Accepted, accept, revoke};
pub use accepted::{LedgerCheck, open_ledger, verify_ledger};
pub use audit::audit;
pub use carry_out::{Progress, ProgressEvent};
pub use case_from::{BegunCase, CaseFromRequest, CaseOrigin, new_case_from};
pub use cases::{CaseCell, CaseOverview, NewCase, case_overview, new_case};
pub use compare_records::compare_records;
pub use error::PipelineError;
pub use examples::{Example, lay_down_example};
pub use exercise::{ExerciseProgress, ExerciseRequest, Exercised, exercise, keep_row};
pub use explain::{ExplainedClaim, ExplainedPath, explain_paths};
pub use import::{LaidDown, lay_down, record_imported};
pub use init::{BegunProject, InitRequest, init};
pub use lint::{CaseLint, NearCopy, lint_cases};
pub use merge::merge;
pub use parts::PartRequest;
pub use prepare::Prepared;
pub use publish::{REPORTS_FOLDER, project_option, read_document};
pub use report_file::DOCUMENT;
pub use resume::{CompleteRun, ResumeRequest, Resumed, resume};
pub use schemas::{Renewal, WrittenSchemas, own_kind_schemas, write_schemas};
pub use unsettled::unsettled;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::comparison::{CompareInput, compare};
use crate::domain::{CaseId, CaseStatus, Digest, ExitCode, RunId};
use crate::execution::Cancellation;
use crate::manifest::{Diagnostic, DiskFiles, Project, load_project};
use crate::report::{MutationDocument, ReportDocument, blind_sentences, check_templates};
use crate::selection::Plan;
use crate::store::{EndedRun, RunKind, RunSummary, ShadowRun, Store};
use crate::verdict::{Interruption, Purpose, Shadow, Verdict, VerdictInput, verdict};

use carry_out::Outcome;

/// What a gate, a plan or a run is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The project's folder.
    pub project_root: PathBuf,
    /// How the project's folder was named on the command line, so that commands which are printed work from there;
    /// `None` where it is the current folder.
    pub named_folder: Option<String>,
    /// The environment, as the command line found it.
    pub environment: BTreeMap<String, String>,
    /// The base that was asked for.
    pub base: Option<String>,
    /// The head that was asked for; the working tree where none was.
    pub head: Option<String>,
    /// Which cases.
    pub choice: Choice,
    /// Records that must be among the accepted ones, as earlier reports printed them.
    pub expected_heads: Vec<Digest>,
    /// Trials at the same time; one for each processor where nothing was said.
    pub jobs: Option<usize>,
    /// At least so many trials of each case; a case that says more gets more.
    pub trials: Option<u32>,
    /// Whether the trials that pass are damaged and graded again, to find graders that are blind.
    pub mutate: bool,
    /// Which part of the run is carried out, where it is not the whole.
    pub part: Option<PartRequest>,
    /// What an earlier run left open, as [`unsettled()`] says it: it stands among the report's limits.
    pub unsettled: Option<String>,
}

/// A run that came to its end.
#[derive(Debug)]
pub struct Concluded {
    /// The run.
    pub run: RunId,
    /// Its report, without the evidence of cases beyond those that a page shows in full: that stands in [`DOCUMENT`].
    pub document: ReportDocument,
    /// What was to run, and why.
    pub plan: Plan,
    /// What damaging the passing trials showed, where that was asked for.
    pub mutation: Option<MutationDocument>,
    /// The gate's answer.
    pub verdict: Verdict,
    /// Where the report lies.
    pub report_folder: PathBuf,
    /// What is allowed and worth a look.
    pub warnings: Vec<Diagnostic>,
}

/// Reads and checks every file of the project; runs nothing.
///
/// # Errors
/// [`PipelineError::Invalid`] with all that is wrong.
pub fn check(
    project_root: &Path,
    environment: &BTreeMap<String, String>,
) -> Result<(Project, Vec<Diagnostic>), PipelineError> {
    let files = DiskFiles::new(project_root);
    let loaded = load_project(&files, environment).map_err(PipelineError::Invalid)?;
    Ok((loaded.project, loaded.warnings))
}

/// Checks the project's own templates without rendering them.
///
/// # Errors
/// When one cannot be read, is no template, or overrides a block that does not exist.
pub fn check_report_templates(project_root: &Path) -> Result<(), PipelineError> {
    Ok(check_templates(&templates::project_templates(project_root)?)?)
}

/// Plans as a gate would; runs nothing.
///
/// # Errors
/// As [`conclude`], but for what concerns running and reports.
pub fn plan(request: &Request) -> Result<Prepared, PipelineError> {
    prepare::prepare(request)
}

/// Plans, runs, compares, judges and reports. Whatever the verdict, a report is written.
///
/// # Errors
/// When no verdict can be reached at all: the project is invalid, a record cannot be kept, a report not written.
pub fn conclude(
    request: &Request,
    kind: RunKind,
    cancellation: &Cancellation,
    progress: &Progress<'_>,
) -> Result<Concluded, PipelineError> {
    let started = times::now();
    let run = times::run_id(&started);
    let prepared = prepare::prepare(request)?;
    let store = Store::of_project(&request.project_root);
    // Where the results are noted in the end: what keeps that from being done is to be known before anything runs.
    store.history()?;
    let _alive = store.hold_run(&run)?;
    leftovers::clear(&store);
    conclude_begun(request, kind, Begun { run, started, store, prepared, on_record: None }, cancellation, progress)
}

/// A run whose plan is made and whose folder is held.
struct Begun {
    run: RunId,
    started: String,
    store: Store,
    prepared: Prepared,
    /// What is on record of it, where it goes on.
    on_record: Option<resume::OnRecord>,
}

fn conclude_begun(
    request: &Request,
    kind: RunKind,
    begun: Begun,
    cancellation: &Cancellation,
    progress: &Progress<'_>,
) -> Result<Concluded, PipelineError> {
    let Begun { run, started, store, mut prepared, on_record } = begun;
    let folder = publish::make_report_folder(&request.project_root, &run)?;
    let checkout = prepared.sides.export_head(&store.checkout_folder(&run))?;
    let base_folder = store.base_folder(&run);
    let head_root = checkout.as_deref().unwrap_or(&request.project_root);
    let places = old_forms::Places { head: head_root, base: &base_folder };
    let old_forms = old_forms::OldForms::gather(&prepared, &request.environment, places)?;
    let job = carry_out::Job {
        request,
        kind,
        run: &run,
        started: &started,
        head_root,
        snapshot: &prepared.sides.snapshot(&prepared.project)?,
        inert: &prepared.sides.inert(&prepared.project)?,
        prepared: &prepared,
        old_forms: &old_forms,
        store: &store,
        on_record: on_record.as_ref(),
    };
    let mut outcome = carry_out::carry_out(&job, cancellation, progress)?;
    let mut lost = on_record.as_ref().map(resume::OnRecord::lost_evidence).unwrap_or_default();
    lost.extend(meanwhile::edited_meanwhile(request, &prepared, job.snapshot)?);
    let mutation = request.mutate.then(|| mutation_document(&run, &outcome));
    let mut judged = judge(&job, &outcome, &Doubts { lost: &lost, mutation: mutation.as_ref() });
    let results = results_to_note(&outcome);
    let seen_last = publish::SeenLast::taken_from(&mut prepared.project, &mut outcome, &mut judged);
    let material = publish::Material {
        request,
        store: &store,
        run: &run,
        started: &started,
        finished: &times::now(),
        kind,
        prepared: &prepared,
        outcome: &outcome,
        judged: &judged,
        mutation: mutation.as_ref(),
        folder: &folder,
        head_root,
    };
    let publish::Published { document, broken } = publish::publish(&material, seen_last)?;
    remove_copies([Some(base_folder), checkout]);
    keep(&store, &run, (outcome, &results), &judged, &document, &lost)?;
    publish::point_latest_at(&request.project_root, &run)?;
    // Everything is kept: the run can be read in its other forms, and in the shipped page.
    if let Some(broken) = broken {
        let (verdict, report) = (judged.verdict.code, folder.join(publish::PAGE));
        return Err(PipelineError::Template { broken: Box::new(broken), verdict, report });
    }
    let Prepared { plan, warnings, .. } = prepared;
    Ok(Concluded { run, document, plan, mutation, verdict: judged.verdict, report_folder: folder, warnings })
}

/// Removes copies of revisions' files. The files are in git; that a copy cannot be removed, or is not there, harms no
/// result.
fn remove_copies(folders: [Option<PathBuf>; 2]) {
    for folder in folders.into_iter().flatten() {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// Standings and verdict.
struct Judged {
    compared: Vec<crate::comparison::Compared>,
    verdict: Verdict,
    shadow: Option<Shadow>,
}

/// What speaks against believing the results, a sentence each.
struct Doubts<'d> {
    /// Evidence that could not be kept, or no longer speaks of what stands there.
    lost: &'d [String],
    /// What damage to passing trials showed of the graders.
    mutation: Option<&'d MutationDocument>,
}

fn judge(job: &carry_out::Job<'_>, outcome: &Outcome, doubts: &Doubts<'_>) -> Judged {
    let prepared = job.prepared;
    let blind = doubts.mutation.map(|document| blind_sentences(&document.cases)).unwrap_or_default();
    let mut compared = compare(&CompareInput {
        results: &outcome.results,
        old_forms: &outcome.old_forms,
        baseline: &prepared.accepted.baseline,
        health: prepared.accepted.state.health(),
        cases: &prepared.project.cases,
        changed: &prepared.changes.cases,
        project_file: &prepared.project.file_digest,
    });
    let elsewhere = prepared.part.as_ref().map(|part| &part.elsewhere);
    let is_elsewhere = |case: &CaseId| elsewhere.is_some_and(|elsewhere| elsewhere.contains(case));
    compared.retain(|one| !is_elsewhere(&one.case));
    let pause = prepared.pause.as_ref().or(outcome.ending.pause.as_ref());
    let paused = pause.map(|pause| format!(" since {} by {} ({})", pause.since, pause.by, pause.reason));
    let paused = paused.unwrap_or_default();
    let mut verdict = verdict(&VerdictInput {
        purpose: match job.kind {
            RunKind::Gate => Purpose::Gate,
            RunKind::Run | RunKind::Imported => Purpose::Run,
        },
        plan: &prepared.plan,
        compared: &compared,
        policy: &prepared.project.file.policy(),
        earlier: &prepared.earlier_policies(),
        baseline: prepared.accepted.state.clone(),
        interruption: outcome.ending.interruption,
        paused: &paused,
        conflicting_cases: prepared
            .accepted
            .baseline
            .conflicts
            .iter()
            .filter_map(|conflict| conflict.case.clone())
            .filter(|case| !is_elsewhere(case))
            .collect(),
        elsewhere: elsewhere.map_or(0, BTreeSet::len),
        base_in_doubt: prepared.accepted.baseline.conflicts.iter().any(|conflict| conflict.case.is_none()),
        trials_executed: outcome.trials_executed,
        blind_graders: &blind,
        lost_evidence: doubts.lost,
    });
    if let Some(part) = &prepared.part {
        verdict.notes.insert(0, part.sentence(prepared.plan.selected.len()));
    }
    verdict.notes.extend(prepared.accepted.notes.iter().cloned());
    verdict.notes.extend(drift::drift(prepared.accepted.baseline.snapshot.as_ref(), job.snapshot, &prepared.changes));
    verdict.notes.extend(job.old_forms.missing());
    verdict.notes.extend(grounds::grounds(&prepared.project, &prepared.changes));
    verdict.notes.extend(outside(prepared.plan.outside_project));
    verdict.notes.extend(outcome.resumptions.iter().flat_map(|resumption| resumption.sentences.iter().cloned()));
    let shadow = prepared.would_select.as_ref().map(|selection| Shadow::of(selection, &compared));
    let verdict = match &shadow {
        Some(shadow) => shadow.added_to(verdict),
        None => verdict,
    };
    Judged { compared, verdict, shadow }
}

/// What damaging the passing trials showed; a case of which none passed is named.
fn mutation_document(run: &RunId, outcome: &Outcome) -> MutationDocument {
    let tried: BTreeSet<&CaseId> = outcome.mutated.iter().map(|case| &case.case).collect();
    let ran = outcome.results.iter().map(|result| &result.case);
    let not_tried = ran.filter(|case| !tried.contains(case)).cloned().collect();
    MutationDocument::new(run, outcome.mutated.clone(), not_tried)
}

/// Changed paths elsewhere in the repository: whoever depends on them must hear that nobody looked.
fn outside(paths: usize) -> Option<String> {
    let what = if paths == 1 { "1 changed path lies".to_owned() } else { format!("{paths} changed paths lie") };
    (paths > 0).then(|| format!("{what} in the repository, outside the project's folder, and nobody looked at them"))
}

/// What is noted as each case's last result. A run that was cancelled, paused or out of time leaves results of the cases that it finished,
/// and no others.
fn results_to_note(outcome: &Outcome) -> Vec<(CaseId, Digest, CaseStatus)> {
    let ended: BTreeSet<&CaseId> = outcome.complete.iter().collect();
    let results = outcome.results.iter().filter(|result| ended.contains(&result.case));
    results.map(|result| (result.case.clone(), result.digest.clone(), result.status)).collect()
}

/// Closes the run's record and notes each case's last result, and how the run ended.
fn keep(
    store: &Store,
    run: &RunId,
    (outcome, results): (Outcome, &[(CaseId, Digest, CaseStatus)]),
    judged: &Judged,
    document: &ReportDocument,
    lost: &[String],
) -> Result<(), PipelineError> {
    let mut history = store.history()?;
    history.note(run, results.iter().map(|(case, digest, status)| (case, digest, *status)))?;
    let word = match judged.verdict.code {
        ExitCode::Cancelled => "cancelled",
        ExitCode::Paused => "paused",
        _ if matches!(outcome.ending.interruption, Some(Interruption::TimeLimit { .. })) => RunSummary::TIME_LIMIT,
        _ => document.verdict.name(),
    };
    let summary = RunSummary {
        finished: document.finished.clone(),
        exit_code: judged.verdict.code.number(),
        verdict: word.to_owned(),
        results: document.results_digest.clone(),
        lost_evidence: lost.to_vec(),
    };
    outcome.recorder.finish(&summary)?;
    if outcome.header.part.is_some() {
        // No run of its own: the runs that a trend and a shadow count are whole.
        return Ok(());
    }
    let (selected, passed) = (document.counts.selected, document.counts.passed);
    let kind = outcome.header.kind;
    history.note_end(&EndedRun { run: run.clone(), kind, summary, selected, passed })?;
    if let Some(Shadow { would_select, left_out, escapes }) = &judged.shadow {
        let escapes = escapes.iter().map(|(case, _)| case.clone()).collect();
        let (would_select, left_out) = (would_select.len(), left_out.len());
        history.note_shadow(&ShadowRun { run: run.clone(), would_select, left_out, escapes })?;
    }
    Ok(())
}
