//! Two recorded sides held against each other: runs of this machine, and what was accepted. Nothing is run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::baseline::{Baseline, Ledger};
use crate::comparison::{ComparedSide, SideCase, compare_sides};
use crate::domain::{CaseId, CaseStatus, Digest};
use crate::grading::CaseResult;
use crate::manifest::{DiskFiles, load_project_file};
use crate::report::{CaseDetail, CompareDocument, CompareInput, SideKind, SideView};
use crate::store::{RunRecord, Store, StoreError};

use super::PipelineError;
use super::acceptance::{changed_after, digest_of, old_forms, require_whole, results};
use super::accepted::open_ledger;

/// What the accepted results in force are called.
const BASELINE: &str = "baseline";

/// One side as it was recorded.
struct Side {
    view: SideView,
    cases: BTreeMap<CaseId, SideCase>,
    /// Cases that its project had and of which it has no result.
    known: BTreeSet<CaseId>,
    project_file: Option<Digest>,
    limits: Vec<String>,
}

/// Holds `now` against `before`: each is a run (its id, the beginning of it, or `latest`), `baseline` for what is in force,
/// or the first digits of a record's digest for what was in force with that record.
///
/// # Errors
/// When there is no such run or record, or it cannot be read.
pub fn compare_records(project_root: &Path, now: &str, before: &str) -> Result<CompareDocument, PipelineError> {
    let (now, before) = (side(project_root, now)?, side(project_root, before)?);
    let same_project_file = now.project_file.is_some() && now.project_file == before.project_file;
    let (now_name, before_name) = (now.name(), before.name());
    let compared = compare_sides(before.compared(&before_name), now.compared(&now_name), same_project_file);
    let details = compared.iter().map(|one| {
        let (before, now) = (before.cases.get(&one.case), now.cases.get(&one.case));
        let detail = CaseDetail {
            answer_changed: before.zip(now).and_then(|(before, now)| now.answers_otherwise(before)),
            since: before.map(|before| before.since.clone()),
        };
        (one.case.clone(), detail)
    });
    let limits: Vec<String> = now.limits.iter().chain(&before.limits).cloned().collect();
    Ok(CompareDocument::new(&CompareInput {
        project: &project_name(project_root),
        before: &before.view,
        now: &now.view,
        compared: &compared,
        details: &details.collect(),
        limits: &limits,
    }))
}

/// The project's name as its file has it now; a file that cannot be read keeps nobody from comparing what was recorded.
fn project_name(project_root: &Path) -> String {
    load_project_file(&DiskFiles::new(project_root)).map_or_else(|| "this project".to_owned(), |file| file.name)
}

fn side(project_root: &Path, name: &str) -> Result<Side, PipelineError> {
    if name == BASELINE {
        let ledger = open_ledger(project_root)?;
        return Ok(baseline_side(&ledger, name.to_owned(), &ledger.fold()));
    }
    let store = Store::of_project(project_root);
    match store.find_run(name) {
        Ok(run) => run_side(&store.read_run(&run)?),
        // No run: then it may be a record. Of two errors the one about runs says more, unless it can only mean a record.
        Err(StoreError::NoSuchRun(text)) => match record_side(project_root, name) {
            Ok(side) => Ok(side),
            Err(error) if name.starts_with("sha256:") => Err(error),
            Err(_) => Err(StoreError::NoSuchRun(format!("{text}; no record of the baseline begins so either")).into()),
        },
        Err(error) => Err(error.into()),
    }
}

fn record_side(project_root: &Path, name: &str) -> Result<Side, PipelineError> {
    let ledger = open_ledger(project_root)?;
    let digest = ledger.find(name)?.clone();
    Ok(baseline_side(&ledger, digest.short().to_owned(), &ledger.fold_at(&digest)))
}

fn baseline_side(ledger: &Ledger, name: String, baseline: &Baseline) -> Side {
    let newest = baseline.heads.iter().filter_map(|head| ledger.record(head)).max_by_key(|record| &record.accepted);
    let conflicts = baseline.conflicts.len();
    let limits = (conflicts > 0).then(|| {
        format!("Two branches accepted {conflicts} things differently; the newer of each counts here: {name}.")
    });
    Side {
        view: SideView {
            kind: SideKind::Baseline,
            name,
            time: newest.map(|record| record.accepted.clone()),
            fingerprint: newest.map(|record| record.fingerprint.clone()),
            cases: baseline.cases.len(),
        },
        cases: baseline
            .cases
            .iter()
            .map(|(id, entry)| (id.clone(), SideCase::accepted(&entry.case, &entry.accepted)))
            .collect(),
        known: BTreeSet::new(),
        project_file: baseline.snapshot.as_ref().map(|snapshot| snapshot.project_file.clone()),
        limits: limits.into_iter().collect(),
    }
}

fn run_side(record: &RunRecord) -> Result<Side, PipelineError> {
    let header = &record.header;
    let found = results(record);
    // What a run that did not come to its end wrote last is not what it shows now.
    let is_whole = require_whole(record).is_ok();
    let changed = if is_whole { changed_after(record, &digest_of(record, &found)?) } else { None };
    let old: BTreeMap<CaseId, CaseResult> =
        old_forms(record).into_iter().map(|result| (result.case.clone(), result)).collect();
    let side = |result: &CaseResult| SideCase::of(result, old.get(&result.case), &header.started);
    let mut cases: BTreeMap<CaseId, SideCase> =
        found.iter().map(|result| (result.case.clone(), side(result))).collect();
    for (id, planned) in &header.cases {
        // A case that was to run and has no trial stays in the count, as an error.
        cases.entry(id.clone()).or_insert_with(|| {
            side(&CaseResult {
                case: id.clone(),
                set: planned.set.clone(),
                digest: planned.digest.clone(),
                question: planned.question.clone(),
                trials: Vec::new(),
                status: CaseStatus::Errored,
            })
        });
    }
    Ok(Side {
        view: SideView {
            kind: SideKind::Run,
            name: header.run.to_string(),
            time: Some(header.started.clone()),
            fingerprint: Some(header.fingerprint.clone()),
            cases: cases.len(),
        },
        known: header.project_cases.iter().filter(|id| !cases.contains_key(*id)).cloned().collect(),
        cases,
        project_file: header.imported_from.is_none().then(|| header.snapshot.project_file.clone()),
        limits: changed
            .map(|changed| format!("Not to be relied on: {changed}."))
            .into_iter()
            .chain(limits_of(record))
            .collect(),
    })
}

/// What a run's results do not show.
fn limits_of(record: &RunRecord) -> Vec<String> {
    let header = &record.header;
    let cut_off = record.summary.is_none();
    let cut_off = cut_off.then(|| format!("Run {} was cut off: what it did not finish is errored.", header.run));
    let imported = header.imported_from.as_ref().map(|from| {
        format!(
            "Run {} was imported from {from}: its results are that tool's scores, and nothing was observed here.",
            header.run
        )
    });
    cut_off.into_iter().chain(imported).collect()
}

impl Side {
    /// As sentences name it.
    fn name(&self) -> String {
        match self.view.kind {
            SideKind::Run => format!("run {}", self.view.name),
            SideKind::Baseline if self.view.name == BASELINE => "the baseline".to_owned(),
            SideKind::Baseline => format!("record {}", self.view.name),
        }
    }

    fn compared<'a>(&'a self, name: &'a str) -> ComparedSide<'a> {
        ComparedSide { name, cases: &self.cases, known: &self.known }
    }
}
