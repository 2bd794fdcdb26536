//! Writing a run's report: the folder first, before any trial, so that a report that cannot be written is found early.

use std::collections::BTreeMap;
use std::io::Write;
use std::mem::take;
use std::path::{Path, PathBuf};

use crate::baseline::reviewed_digest;
use crate::comparison::{Compared, Standing};
use crate::domain::{CaseId, Digest, ExitCode, RunId, WorkflowId, counted};
use crate::grading::{CaseResult, DoNothing};
use crate::manifest::{HeldCase, Project};
use crate::report::{self, HtmlReport, MutationDocument, PartView, ReportDocument, ReportInput};
use crate::store::{PartOfRun, RunKind, Store};
use crate::verdict::Interruption;

use super::carry_out::{LeftRunning, Outcome};
use super::figures;
use super::prepare::Prepared;
use super::report_file::{DOCUMENT, RecordFeed};
use super::templates::project_templates;
use super::{Judged, PipelineError, Request};

/// The folder of reports, below the project's folder.
pub const REPORTS_FOLDER: &str = "reports";

/// The report as a page.
pub(super) const PAGE: &str = "report.html";

/// The link that leads to the newest run.
const LATEST: &str = "latest";

/// All that a report is made of.
pub(super) struct Material<'a> {
    pub(super) request: &'a Request,
    pub(super) store: &'a Store,
    pub(super) run: &'a RunId,
    pub(super) started: &'a str,
    pub(super) finished: &'a str,
    pub(super) kind: RunKind,
    pub(super) prepared: &'a Prepared,
    pub(super) outcome: &'a Outcome,
    pub(super) judged: &'a Judged,
    /// What damaging the passing trials showed, where that was asked for.
    pub(super) mutation: Option<&'a MutationDocument>,
    pub(super) folder: &'a Path,
    /// Where the project's own templates lie.
    pub(super) head_root: &'a Path,
}

/// What nobody looks at once the report's document is built: of many cases it is most of what a run holds, and the forms of the report
/// are written in its place.
pub(super) struct SeenLast {
    /// The head's cases.
    pub(super) cases: BTreeMap<CaseId, HeldCase>,
    /// The results of their head forms.
    pub(super) results: Vec<CaseResult>,
    /// The results of their base forms.
    pub(super) old_forms: Vec<CaseResult>,
    /// How each of them stands.
    pub(super) compared: Vec<Compared>,
}

impl SeenLast {
    /// Takes it away from those who are done with it.
    pub(super) fn taken_from(project: &mut Project, outcome: &mut Outcome, judged: &mut Judged) -> Self {
        Self {
            cases: take(&mut project.cases),
            results: take(&mut outcome.results),
            old_forms: take(&mut outcome.old_forms),
            compared: take(&mut judged.compared),
        }
    }
}

/// Makes the folder of a run's report and proves that it can be written to.
pub(super) fn make_report_folder(project_root: &Path, run: &RunId) -> Result<PathBuf, PipelineError> {
    let reports = project_root.join(REPORTS_FOLDER);
    refuse(&reports, Path::is_symlink, "it is a symbolic link, and reports would be written elsewhere")?;
    let is_no_link = |path: &Path| path.exists() && !path.is_symlink();
    refuse(&reports.join(LATEST), is_no_link, "it is no link that holdpoint made; take it away")?;
    let folder = reports.join(run.as_str());
    let failed = |source| PipelineError::Files { path: folder.clone(), source };
    std::fs::create_dir_all(&folder).map_err(failed)?;
    tempfile::NamedTempFile::new_in(&folder).map_err(failed)?;
    Ok(folder)
}

/// Stops before any trial where what stands at a path would keep the report from being written after them.
fn refuse(path: &Path, wrong: impl Fn(&Path) -> bool, why: &str) -> Result<(), PipelineError> {
    if wrong(path) {
        return Err(PipelineError::Files { path: path.to_owned(), source: std::io::Error::other(why) });
    }
    Ok(())
}

/// What was written.
pub(super) struct Published {
    pub(super) document: ReportDocument,
    /// Why the project's own templates could not be used; the shipped page was written instead.
    pub(super) broken: Option<PipelineError>,
}

/// Builds the document and writes every form of it. A broken template of the project's own keeps none of them back.
pub(super) fn publish(material: &Material<'_>, seen_last: SeenLast) -> Result<Published, PipelineError> {
    let Material { request, run, started, finished, prepared, outcome, judged, .. } = *material;
    let accepted_answers = accepted_answers(prepared);
    let earlier_runs = figures::earlier_runs(material.store, material.kind)?;
    let SeenLast { cases, results, old_forms, compared } = seen_last;
    let results_digest = results_digest(material, &results)?;
    let accept = accept_command(material, &compared, results_digest.as_ref());
    let part = part_view(prepared);
    let limits = paused(prepared, outcome).into_iter().chain(out_of_time(run, outcome));
    let limits = limits.chain(request.unsettled.clone()).chain(left_running(outcome));
    let limits: Vec<String> = limits.chain(conflicts(prepared)).collect();
    let mut feed = RecordFeed::new(material, cases)?;
    let input = ReportInput {
        run,
        project: &prepared.project.file.name,
        started,
        finished,
        plan: &prepared.plan,
        fingerprint: &prepared.project.fingerprint,
        baseline_heads: &prepared.accepted.baseline.heads,
        baseline_state: prepared.accepted.state.health(),
        verdict: &judged.verdict,
        results_digest: results_digest.as_ref(),
        shadow: judged.shadow.as_ref(),
        part: part.as_ref(),
        compared: &compared,
        results: &results,
        old_forms: &old_forms,
        accepted_answers: &accepted_answers,
        do_nothing: &doing_nothing(outcome),
        outlives_trials: &outliving(&prepared.project),
        earlier_runs: &earlier_runs,
        limits: &limits,
        accept_command: accept.as_deref(),
        project_option: &project_option(request.named_folder.as_deref()),
    };
    let mut document = report::build(&input, &mut feed)?;
    let (account, cases) = feed.into_parts();
    drop((results, old_forms, compared));
    if let Some(papers) = figures::papers(outcome, account) {
        document.show_papers(papers);
    }
    let frame = cases.frame(&mut document)?;
    let broken = write_forms(material, &document, || cases.write_document(&frame))?;
    if let Some(mutation) = material.mutation {
        publish_mutation(material.folder, mutation)?;
    }
    Ok(Published { document, broken })
}

/// Writes every form of the document, each by a thread of its own: most of the time goes into waiting for the disk. Answers why the
/// project's own templates could not be used, where they could not.
fn write_forms(
    material: &Material<'_>,
    document: &ReportDocument,
    write_document: impl FnOnce() -> Result<(), PipelineError> + Send,
) -> Result<Option<PipelineError>, PipelineError> {
    let folder = material.folder;
    let summary = || write(&folder.join("summary.md"), &report::render_markdown(document, report::PULL_REQUEST_LIMIT));
    let junit = || {
        let path = folder.join("junit.xml");
        let text = report::render_junit(document);
        text.map_err(|source| PipelineError::Files { path: path.clone(), source }).and_then(|text| write(&path, &text))
    };
    std::thread::scope(|scope| {
        let others = [scope.spawn(write_document), scope.spawn(summary), scope.spawn(junit)];
        let page = render_page(material, document).and_then(|(html, broken)| {
            write_page(folder, &html)?;
            Ok(broken)
        });
        let mut joined = others.into_iter().map(|form| form.join());
        joined.try_for_each(|form| form.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))?;
        page
    })
}

/// The page by the project's own templates, or by the shipped ones and why the own could not be used.
fn render_page(
    material: &Material<'_>,
    document: &ReportDocument,
) -> Result<(HtmlReport, Option<PipelineError>), PipelineError> {
    let own = project_templates(material.head_root)
        .and_then(|templates| report::render_html(document, &templates).map_err(PipelineError::from));
    Ok(match own {
        Ok(html) => (html, None),
        Err(broken) => (report::render_html(document, &[])?, Some(broken)),
    })
}

/// The page, and beside it the texts that are too long for it.
fn write_page(folder: &Path, html: &HtmlReport) -> Result<(), PipelineError> {
    for (name, text) in &html.payloads {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(|source| PipelineError::Files { path: parent.to_owned(), source })?;
        write(&path, text)?;
    }
    write(&folder.join(PAGE), &html.page)
}

/// Whether a workflow that does nothing would pass, for each case that was to run.
fn doing_nothing(outcome: &Outcome) -> BTreeMap<CaseId, DoNothing> {
    let cases = outcome.header.cases.iter();
    cases.filter_map(|(case, planned)| Some((case.clone(), planned.do_nothing?))).collect()
}

/// Writes what damaging the passing trials showed, beside the report.
fn publish_mutation(folder: &Path, document: &MutationDocument) -> Result<(), PipelineError> {
    let path = folder.join("mutation.json");
    let text = serde_json::to_string_pretty(document)
        .map_err(|error| PipelineError::Files { path: path.clone(), source: error.into() })?;
    write(&path, &text)
}

fn paused(prepared: &Prepared, outcome: &Outcome) -> Option<String> {
    let (effect, pause) = match (&prepared.pause, &outcome.ending.pause) {
        (Some(pause), _) if outcome.trials_executed > 0 => ("Nothing more ran", pause),
        (Some(pause), _) => ("Nothing ran", pause),
        (None, Some(pause)) => ("What was not in flight already did not run", pause),
        (None, None) => return None,
    };
    Some(format!("{effect}: the project is paused since {} by {}: {}", pause.since, pause.by, pause.reason))
}

fn out_of_time(run: &RunId, outcome: &Outcome) -> Option<String> {
    let Some(Interruption::TimeLimit { seconds }) = outcome.ending.interruption else { return None };
    Some(format!(
        "What had not begun after {seconds} s (`run_timeout_s`) did not run: `--resume {run}`, given to the command that began \
         the run, goes on with it."
    ))
}

/// What went on after its trial until it was ended, and may have touched what came after.
fn left_running(outcome: &Outcome) -> Option<String> {
    let LeftRunning { trials, first } = &outcome.left_running;
    let first = first.as_ref()?;
    let trials = counted(*trials, "trial");
    Some(format!(
        "Processes had been left running and were killed after {trials}, the first of case {first}: what a workflow starts it \
         should end."
    ))
}

/// Which part of a run the report is of.
fn part_view(prepared: &Prepared) -> Option<PartView> {
    let division = prepared.part.as_ref()?;
    let PartOfRun { part, by, selection, .. } = &division.of;
    Some(PartView {
        number: part.number,
        of: part.of,
        by: by.name().to_owned(),
        selection: selection.clone(),
        elsewhere: division.elsewhere.len(),
    })
}

/// What two branches accepted differently, until an acceptance joins them.
fn conflicts(prepared: &Prepared) -> impl Iterator<Item = String> {
    prepared.accepted.baseline.conflicts.iter().map(|conflict| {
        let what = conflict.case.as_ref().map_or_else(|| "the parts".to_owned(), |case| format!("case {case}"));
        let others: Vec<&str> = conflict.others.iter().map(Digest::short).collect();
        let (taken, others) = (conflict.taken.short(), others.join(", "));
        format!(
            "Two branches accepted {what} differently: record {taken} counts for now, not {others}; accept one of them."
        )
    })
}

/// The digest by which an acceptance names what it accepts; none where nothing ran.
fn results_digest(material: &Material<'_>, results: &[CaseResult]) -> Result<Option<Digest>, PipelineError> {
    let Material { outcome: Outcome { header, .. }, .. } = material;
    if results.is_empty() {
        return Ok(None);
    }
    let failed =
        |error: serde_json::Error| PipelineError::Files { path: material.folder.join(DOCUMENT), source: error.into() };
    reviewed_digest(&header.fingerprint, &header.snapshot, results).map(Some).map_err(failed)
}

/// Whether what a trial leaves behind can outlive it, by workflow.
fn outliving(project: &Project) -> BTreeMap<WorkflowId, bool> {
    let workflows = project.file.workflows.keys();
    workflows.map(|workflow| (workflow.clone(), project.outlives_trials(workflow))).collect()
}

/// The command that accepts this run, where that is a sensible next step: after a gate that has something to accept.
fn accept_command(material: &Material<'_>, compared: &[Compared], reviewed: Option<&Digest>) -> Option<String> {
    let code = material.judged.verdict.code;
    let worth_it = matches!(code, ExitCode::Baseline | ExitCode::Failed | ExitCode::Inconclusive);
    let removed = compared.iter().any(|compared| compared.standing == Standing::Removed);
    // What cannot be trusted must be restored first; on top of it nothing can be accepted.
    let sound = !material.prepared.accepted.state.health().is_unreadable();
    let ran = sound && material.prepared.part.is_none() && (material.outcome.trials_executed > 0 || removed);
    let reviewed = reviewed.map(|digest| format!(" --reviewed {}", digest.short())).unwrap_or_default();
    (worth_it && ran && material.kind == RunKind::Gate).then(|| {
        format!(
            "holdpoint{} baseline accept {}{reviewed} --by YOU --reason \"WHY\"",
            project_option(material.request.named_folder.as_deref()),
            material.run
        )
    })
}

/// ` --project DIR` where the project's folder was named, quoted for a shell where it must be.
pub fn project_option(named_folder: Option<&str>) -> String {
    let Some(folder) = named_folder else { return String::new() };
    format!(" --project {}", report::shell_word(folder))
}

/// The answers that were accepted earlier for the cases that ran, by their digests.
fn accepted_answers(prepared: &Prepared) -> BTreeMap<CaseId, Digest> {
    let accepted = &prepared.accepted.baseline.cases;
    let selected = prepared.plan.selected.iter();
    selected
        .filter_map(|selected| Some((selected.case.clone(), accepted.get(&selected.case)?.case.output.clone()?)))
        .collect()
}

/// Writes a whole file or none: a reader never sees half of it.
pub(super) fn write(path: &Path, text: &str) -> Result<(), PipelineError> {
    write_whole(path, text).map_err(|source| PipelineError::Files { path: path.to_owned(), source })
}

/// As [`write()`], for whoever has other words for what went wrong.
pub(super) fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(path))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Makes `reports/latest` lead to this run, in one step, so that it always leads somewhere.
pub(super) fn point_latest_at(project_root: &Path, run: &RunId) -> Result<(), PipelineError> {
    let reports = project_root.join(REPORTS_FOLDER);
    let (link, fresh) = (reports.join(LATEST), reports.join(format!(".latest-{run}")));
    let failed = |source| PipelineError::Files { path: link.clone(), source };
    // A process of this run that was killed in between has left it.
    let _ = std::fs::remove_file(&fresh);
    std::os::unix::fs::symlink(run.as_str(), &fresh).map_err(failed)?;
    std::fs::rename(&fresh, &link).map_err(failed)
}

/// As [`point_latest_at`], unless it leads to this run or a later one already.
pub(super) fn point_latest_at_newer(project_root: &Path, run: &RunId) -> Result<(), PipelineError> {
    let led_to = std::fs::read_link(project_root.join(REPORTS_FOLDER).join(LATEST));
    match led_to.ok().as_deref().and_then(Path::to_str) {
        // The names of runs sort by time.
        Some(led_to) if led_to >= run.as_str() => Ok(()),
        _ => point_latest_at(project_root, run),
    }
}

/// Reads a run's document back.
///
/// # Errors
/// When it is not there or cannot be read.
pub fn read_document(project_root: &Path, run: &RunId) -> Result<ReportDocument, PipelineError> {
    let path = project_root.join(REPORTS_FOLDER).join(run.as_str()).join(DOCUMENT);
    let failed = |source| PipelineError::Files { path: path.clone(), source };
    let bytes = std::fs::read(&path).map_err(failed)?;
    serde_json::from_slice(&bytes).map_err(|error| failed(error.into()))
}
