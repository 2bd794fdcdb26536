//! The selection over a stretch of history: what each step would have run, and what the recorded results say of the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::change::{ChangeSet, Commit, GitError, GitProject, Sides};
use crate::domain::{CaseId, CaseStatus, counted};
use crate::manifest::{HeldCase, Project, load_project};
use crate::report::{AUDIT_SCHEMA, AuditDocument, AuditEscape, AuditStep, AuditTotals, ShadowTotals, UnplannedStep};
use crate::selection::{self, Inherited, Plan, PlanRequest};
use crate::store::Store;

use super::PipelineError;
use recorded::{Recorded, State};

mod recorded;

/// Plans each commit between two revisions against the one before it, over first parents, and joins the results that
/// are recorded of exactly that state: the same parts, code, project file, inert files and form of the case, whatever the
/// commit.
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
    let mut recorded = Recorded::gather(&store, project_root)?;
    if recorded.silent > 0 {
        let walk = Walk { root: project_root, git: &git, environment, recorded: &recorded };
        let states = std::iter::once(from).chain(commits.iter().map(|(_, commit)| *commit));
        let states: BTreeSet<State> = states.filter_map(|commit| walk.state_of(commit)).collect();
        recorded.settle(&states);
    }
    let walk = Walk { root: project_root, git: &git, environment, recorded: &recorded };
    let (mut steps, mut unplanned) = (Vec::new(), Vec::new());
    let mut before = walk.results_of(from);
    for (parent, commit) in commits {
        match walk.step(parent, commit, &mut before) {
            Ok(step) => steps.push(step),
            Err(reason) => unplanned.push(UnplannedStep { commit: commit.id.to_string(), reason }),
        }
    }
    let history = store.history_to_read()?;
    let shadows = history.map(|history| history.shadows()).transpose()?.unwrap_or_default();
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
        limits: limits(&recorded),
    })
}

fn limits(recorded: &Recorded) -> Vec<String> {
    let mut limits = vec![
        "Each step is planned by its changes alone, as if every case had been accepted just before it; the rules are those of \
         this holdpoint, whatever was in use then."
            .to_owned(),
        "Results count where they are recorded on this machine or accepted, of exactly the state of a step; what nobody ran \
         there is not known to have passed."
            .to_owned(),
    ];
    if recorded.silent > 0 {
        limits.push(format!(
            "What the inert files held is not known of {}, accepted results among them: these count where the inert files \
             did not change in this stretch while all else was the same, and nowhere else.",
            counted(recorded.silent, "record")
        ));
    }
    if recorded.unread > 0 {
        limits.push(format!("Records that could not be read and are left out: {}.", recorded.unread));
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

struct Walk<'a> {
    root: &'a Path,
    git: &'a GitProject,
    environment: &'a BTreeMap<String, String>,
    recorded: &'a Recorded,
}

impl Walk<'_> {
    /// What is recorded of the state before the first step; nothing where that cannot be read.
    fn results_of(&self, commit: Commit) -> BTreeMap<CaseId, CaseStatus> {
        let look = self.look(commit).ok();
        look.map(|(project, state)| self.recorded.of(state.as_ref(), &project.cases)).unwrap_or_default()
    }

    fn state_of(&self, commit: Commit) -> Option<State> {
        self.look(commit).ok().and_then(|(_, state)| state)
    }

    fn look(&self, commit: Commit) -> Result<(Project, Option<State>), String> {
        let sides = Sides::between(self.root, self.git, commit, commit).map_err(|error| error.to_string())?;
        let project = self.project(&sides)?;
        let state = head_state(&sides, &project)?;
        Ok((project, state))
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
        let results = self.recorded.of(head_state(&sides, &project)?.as_ref(), &project.cases);
        let asked = PlanRequest { has_baseline: true, ..PlanRequest::default() };
        let plan = selection::plan(&changes, &project, &as_accepted(&changes, &project), before, &asked);
        let step = step_of(parent, commit, &plan, &results, before);
        before.extend(results);
        Ok(step)
    }
}

fn head_state(sides: &Sides, project: &Project) -> Result<Option<State>, String> {
    let snapshot = sides.snapshot(project).map_err(|error| error.to_string())?;
    let inert = sides.inert(project).map_err(|error| error.to_string())?;
    Ok(State::of(&snapshot, inert))
}

/// Every case that the step before had, as if it had passed and been accepted there: what runs then is what the changes
/// choose.
fn as_accepted(changes: &ChangeSet, project: &Project) -> BTreeMap<CaseId, Inherited> {
    let is_old = |case: &&HeldCase| changes.cases.get(&case.id).is_none_or(|change| change.base.is_some());
    let inherited = |case: &HeldCase| Inherited {
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
