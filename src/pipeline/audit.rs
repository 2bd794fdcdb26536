//! The selection over a stretch of history: what each step would have run, and what the recorded results say of the rest.

use std::collections::BTreeMap;
use std::path::Path;

use crate::change::{ChangeSet, Commit, GitError, GitProject, Sides, Snapshot};
use crate::domain::{CaseId, CaseStatus, Digest};
use crate::manifest::{Case, Project, load_project};
use crate::report::{AUDIT_SCHEMA, AuditDocument, AuditEscape, AuditStep, AuditTotals, ShadowTotals, UnplannedStep};
use crate::selection::{self, Inherited, Plan, PlanRequest};
use crate::store::{RunKind, Store};

use super::PipelineError;
use super::accepted::open_ledger;

/// Plans each commit between two revisions against the one before it, over first parents, and joins the results that
/// are recorded of exactly that state: the same parts, code, project file and form of the case, whatever the commit.
///
/// # Errors
/// When the range names no stretch of history, or git or the records cannot be read. A step whose project is invalid is
/// no error: it is counted among the unplanned.
pub fn audit(
    project_root: &Path,
    environment: &BTreeMap<String, String>,
    range: &str,
) -> Result<AuditDocument, PipelineError> {
    let git = GitProject::open(project_root).map_err(refused)?;
    let Stretch { from, to, steps: commits } = stretch(&git, range)?;
    let store = Store::of_project(project_root);
    let (recorded, unread) = Recorded::gather(&store, project_root)?;
    let walk = Walk { root: project_root, git: &git, environment, recorded: &recorded };
    let (mut steps, mut unplanned) = (Vec::new(), Vec::new());
    let mut before = walk.results_of(from);
    for (parent, commit) in commits {
        match walk.step(parent, commit, &mut before) {
            Ok(step) => steps.push(step),
            Err(reason) => unplanned.push(UnplannedStep { commit: commit.id.to_string(), reason }),
        }
    }
    let shadows = store.history()?.shadows()?;
    Ok(AuditDocument {
        schema: AUDIT_SCHEMA.to_owned(),
        from: from.id.to_string(),
        to: to.id.to_string(),
        totals: AuditTotals::of(&steps, unplanned.len()),
        steps,
        unplanned,
        shadow_runs: ShadowTotals {
            runs: shadows.len(),
            left_out: shadows.iter().map(|shadow| shadow.left_out).sum(),
            escapes: shadows.iter().map(|shadow| shadow.escapes.len()).sum(),
        },
        limits: limits(unread),
    })
}

fn limits(unread: usize) -> Vec<String> {
    let mut limits = vec![
        "Each step is planned by its changes alone, as if every case had been accepted just before it; the rules are those of \
         this holdpoint, whatever was in use then."
            .to_owned(),
        "Results count where they are recorded on this machine or accepted, of exactly the state of a step; what nobody ran \
         there is not known to have passed."
            .to_owned(),
    ];
    if unread > 0 {
        limits.push(format!("Records that could not be read and are left out: {unread}."));
    }
    limits
}

fn refused(error: GitError) -> PipelineError {
    PipelineError::Range(error.sentence())
}

/// A stretch of history.
struct Stretch {
    from: Commit,
    to: Commit,
    /// Each commit with the one before it, oldest first.
    steps: Vec<(Commit, Commit)>,
}

/// The ends of `FROM..TO` and each step between them with the commit before it, oldest first. Without `TO` it is HEAD.
fn stretch(git: &GitProject, range: &str) -> Result<Stretch, PipelineError> {
    let ends = range.split_once("..").filter(|(from, to)| !from.is_empty() && !to.starts_with('.'));
    let (from, to) = ends.ok_or_else(|| PipelineError::Range(format!("`{range}` is no range: write FROM..TO")))?;
    let to = git.commit(if to.is_empty() { "HEAD" } else { to }).map_err(refused)?;
    let start = git.commit(from).map_err(refused)?;
    let (mut steps, mut commit) = (Vec::new(), to);
    while commit.id != start.id {
        let Some(parent) = git.first_parent(commit.id).map_err(refused)? else {
            let text = format!("`{from}` is not on the way of first parents that leads to {}", to.id.short());
            return Err(PipelineError::Range(text));
        };
        steps.push((parent, commit));
        commit = parent;
    }
    steps.reverse();
    Ok(Stretch { from: start, to, steps })
}

/// How cases ended in each state of which a result is recorded: by the digest of the parts and all else but cases.
#[derive(Default)]
struct Recorded {
    states: BTreeMap<Digest, BTreeMap<(CaseId, Digest), CaseStatus>>,
}

impl Recorded {
    /// From the runs on this machine and from what was accepted; and how many records could not be read.
    fn gather(store: &Store, project_root: &Path) -> Result<(Self, usize), PipelineError> {
        let (mut recorded, mut unread) = (Self::default(), 0);
        for run in store.runs()? {
            let Ok(ended) = store.read_statuses(&run) else {
                unread += 1;
                continue;
            };
            if ended.header.kind == RunKind::Imported {
                continue;
            }
            if ended.summary.as_ref().is_some_and(|summary| summary.lost_evidence.is_empty()) {
                let digests = |case: &CaseId| ended.header.cases.get(case).map(|planned| planned.digest.clone());
                let cases =
                    ended.statuses.iter().filter_map(|(case, status)| Some(((case.clone(), digests(case)?), *status)));
                recorded.add(&ended.header.snapshot, cases);
            }
        }
        match open_ledger(project_root) {
            Err(_) => unread += 1,
            Ok(ledger) => {
                for (_, record) in ledger.records() {
                    let Some(snapshot) = ledger.snapshot(record) else { continue };
                    let cases = record.cases.iter();
                    recorded.add(&snapshot, cases.map(|(id, case)| ((id.clone(), case.digest.clone()), case.status)));
                }
            }
        }
        Ok((recorded, unread))
    }

    /// Two different ends of one state are what a flaky case shows.
    fn add(&mut self, snapshot: &Snapshot, cases: impl Iterator<Item = ((CaseId, Digest), CaseStatus)>) {
        let Some(state) = state_of(snapshot) else { return };
        let known = self.states.entry(state).or_default();
        for (case, status) in cases {
            let kept = known.entry(case).or_insert(status);
            if *kept != status {
                *kept = CaseStatus::Flaky;
            }
        }
    }

    fn of(&self, snapshot: &Snapshot, cases: &BTreeMap<CaseId, Case>) -> BTreeMap<CaseId, CaseStatus> {
        let Some(known) = state_of(snapshot).and_then(|state| self.states.get(&state)) else { return BTreeMap::new() };
        let status = |case: &Case| known.get(&(case.id.clone(), case.digest.clone())).copied();
        cases.values().filter_map(|case| Some((case.id.clone(), status(case)?))).collect()
    }
}

fn state_of(snapshot: &Snapshot) -> Option<Digest> {
    serde_json::to_value(snapshot).ok().map(|value| Digest::of_json(&value))
}

struct Walk<'a> {
    root: &'a Path,
    git: &'a GitProject,
    environment: &'a BTreeMap<String, String>,
    recorded: &'a Recorded,
}

impl Walk<'_> {
    /// What is recorded of the state before the first step; nothing where that cannot be read.
    fn results_of(&self, commit: Commit) -> BTreeMap<CaseId, CaseStatus> {
        let results = || -> Result<_, String> {
            let sides = Sides::between(self.root, self.git, commit, commit).map_err(|error| error.to_string())?;
            let project = self.project(&sides)?;
            let snapshot = sides.snapshot(&project).map_err(|error| error.to_string())?;
            Ok(self.recorded.of(&snapshot, &project.cases))
        };
        results().unwrap_or_default()
    }

    fn project(&self, sides: &Sides) -> Result<Project, String> {
        let loaded = load_project(sides.head_files(), self.environment).map_err(|found| match &found[..] {
            [first] => format!("{}: {}", first.path, first.message),
            [first, rest @ ..] => format!("{}: {} (and {} more errors)", first.path, first.message, rest.len()),
            [] => "the project is invalid".to_owned(),
        })?;
        Ok(loaded.project)
    }

    /// One step; `before` are the newest known results of the steps before it, and are brought up to date.
    fn step(
        &self,
        parent: Commit,
        commit: Commit,
        before: &mut BTreeMap<CaseId, CaseStatus>,
    ) -> Result<AuditStep, String> {
        let sides = Sides::between(self.root, self.git, parent, commit).map_err(|error| error.to_string())?;
        let project = self.project(&sides)?;
        let changes = sides.changes(&project, None).map_err(|error| error.to_string())?;
        let snapshot = sides.snapshot(&project).map_err(|error| error.to_string())?;
        let results = self.recorded.of(&snapshot, &project.cases);
        let asked = PlanRequest { has_baseline: true, ..PlanRequest::default() };
        let plan = selection::plan(&changes, &project, &as_accepted(&changes, &project), before, &asked);
        let step = step_of(parent, commit, &plan, &results, before);
        before.extend(results);
        Ok(step)
    }
}

/// Every case that the step before had, as if it had passed and been accepted there: what runs then is what the changes
/// choose.
fn as_accepted(changes: &ChangeSet, project: &Project) -> BTreeMap<CaseId, Inherited> {
    let is_old = |case: &&Case| changes.cases.get(&case.id).is_none_or(|change| change.base.is_some());
    let inherited = |case: &Case| Inherited {
        record: case.digest.clone(),
        accepted: String::new(),
        acceptances_since: 0,
        status: CaseStatus::Passed,
        digest: case.digest.clone(),
        judged_otherwise: false,
    };
    project.cases.values().filter(is_old).map(|case| (case.id.clone(), inherited(case))).collect()
}

fn step_of(
    parent: Commit,
    commit: Commit,
    plan: &Plan,
    results: &BTreeMap<CaseId, CaseStatus>,
    before: &BTreeMap<CaseId, CaseStatus>,
) -> AuditStep {
    let passed = |status: &CaseStatus| *status == CaseStatus::Passed;
    let went_wrong = |(case, status): &(&CaseId, &CaseStatus)| !passed(status) && before.get(*case).is_none_or(passed);
    let escapes = plan.excluded.iter().filter_map(|excluded| {
        let status = results.get(&excluded.case).filter(|status| !passed(status))?;
        let (case, set) = (excluded.case.clone(), excluded.set.clone());
        Some(AuditEscape { case, set, status: *status, reason: excluded.reason.to_string() })
    });
    AuditStep {
        commit: commit.id.to_string(),
        parent: parent.id.to_string(),
        mode: AuditStep::mode_name(plan.mode),
        mode_reason: plan.mode_reason.clone(),
        changes: plan.changes.len(),
        selected: plan.selected.len(),
        left_out: plan.excluded.len(),
        with_result: results.len(),
        left_out_with_result: plan.excluded.iter().filter(|excluded| results.contains_key(&excluded.case)).count(),
        went_wrong: results.iter().filter(went_wrong).count(),
        escapes: escapes.collect(),
    }
}
