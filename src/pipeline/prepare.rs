//! Everything before the first trial: both sides read, what changed, what was accepted, the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::baseline::{Baseline, Ledger, LedgerError};
use crate::change::{BaseKind, ChangeSet, Sides, SidesRequest};
use crate::manifest::{Diagnostic, Project, ProjectPolicy, load_project};
use crate::selection::{self, Plan, PlanRequest, Selected, SelectionReason};
use crate::store::{Pause, Store};
use crate::verdict::BaselineState;

use super::pause_watch::read_pause;
use super::{Choice, PipelineError, Request};

/// A run before its first trial.
pub struct Prepared {
    /// Both sides.
    pub sides: Sides,
    /// The head, read and checked.
    pub project: Project,
    /// What is allowed and worth a look.
    pub warnings: Vec<Diagnostic>,
    /// What changed.
    pub changes: ChangeSet,
    /// The accepted results, record by record; `None` where they are not as they were accepted.
    pub ledger: Option<Ledger>,
    /// What was accepted.
    pub baseline: Baseline,
    /// Whether that can be trusted.
    pub baseline_state: BaselineState,
    /// What runs and why.
    pub plan: Plan,
    /// The pause in force, if any. A pause that cannot be read counts as one.
    pub pause: Option<Pause>,
}

impl Prepared {
    /// What the gate was to demand before this change: by the base's project file, or by the one that was accepted. Where that
    /// is not known, and the file is another now, it is the strictest that there is.
    pub fn earlier_policies(&self) -> Vec<ProjectPolicy> {
        if !self.changes.base_files.is_empty() {
            return self.changes.base_files.iter().map(|file| file.policy.clone()).collect();
        }
        let Some(snapshot) = &self.baseline.snapshot else { return Vec::new() };
        match &snapshot.policy {
            Some(policy) => vec![policy.clone()],
            None if snapshot.project_file == self.project.file_digest => Vec::new(),
            None => vec![ProjectPolicy::default()],
        }
    }
}

/// The folder of accepted results, below the project's folder.
pub(super) const BASELINES_FOLDER: &str = "baselines";

/// The ledger of the project in `project_root`.
///
/// # Errors
/// When a record is not as it was accepted.
pub fn open_ledger(project_root: &Path) -> Result<Ledger, PipelineError> {
    Ok(Ledger::open(project_root.join(BASELINES_FOLDER))?)
}

/// All that is not as it was accepted: in the records themselves, and, where git can tell, records that were there at the
/// base or in the checked-out commit and are gone.
///
/// # Errors
/// When git cannot be read.
pub fn verify_ledger(
    project_root: &Path,
    environment: &BTreeMap<String, String>,
) -> Result<Vec<String>, PipelineError> {
    let ledger = match sound_ledger(project_root)? {
        Ok(ledger) => ledger,
        Err(findings) => return Ok(findings),
    };
    let sides =
        Sides::resolve(SidesRequest { project_root, base: None, head: None, environment, has_accepted: false })?;
    Ok(still_whole(&ledger, &sides)?.unwrap_or_default())
}

/// The ledger, or all that is not as it was accepted, a sentence each.
fn sound_ledger(project_root: &Path) -> Result<Result<Ledger, Vec<String>>, PipelineError> {
    match open_ledger(project_root) {
        Ok(ledger) => Ok(Ok(ledger)),
        Err(PipelineError::Ledger(LedgerError::Unsound { findings, .. })) => {
            Ok(Err(findings.iter().map(ToString::to_string).collect()))
        }
        Err(error) => Err(error),
    }
}

/// Reads both sides and plans. Nothing is written.
///
/// # Errors
/// When the project is invalid, the head cannot be read, or a case was asked for that does not exist.
pub(super) fn prepare(request: &Request) -> Result<Prepared, PipelineError> {
    let root = &request.project_root;
    let store = Store::of_project(root);
    let (ledger, baseline, baseline_state) = read_baseline(root)?;
    let sides = sides_of(request, baseline.snapshot.is_some())?;
    let lost = ledger.as_ref().map(|ledger| still_whole(ledger, &sides)).transpose()?.flatten();
    let baseline_state = lost.map_or(baseline_state, BaselineState::Broken);
    let loaded = load_project(sides.head_files(), &request.environment).map_err(PipelineError::Invalid)?;
    let project = loaded.project;
    let changes = sides.changes(&project, baseline.snapshot.as_ref())?;
    let plan = make_plan(request, &store, &project, &changes, &baseline)?;
    let pause = read_pause(&store.pause_switch());
    let warnings = loaded.warnings;
    Ok(Prepared { sides, project, warnings, changes, ledger, baseline, baseline_state, plan, pause })
}

/// The two sides that a request asks for, as they stand now.
pub(super) fn sides_of(request: &Request, has_accepted: bool) -> Result<Sides, PipelineError> {
    Ok(Sides::resolve(SidesRequest {
        project_root: &request.project_root,
        base: request.base.as_deref(),
        head: request.head.as_deref(),
        environment: &request.environment,
        has_accepted,
    })?)
}

/// A ledger that cannot be trusted does not end the run: everything is run, and the verdict says what is wrong.
fn read_baseline(root: &Path) -> Result<(Option<Ledger>, Baseline, BaselineState), PipelineError> {
    let ledger = match sound_ledger(root)? {
        Ok(ledger) => ledger,
        Err(findings) => return Ok((None, Baseline::default(), BaselineState::Broken(findings))),
    };
    let baseline = ledger.fold();
    let state = if baseline.is_empty() { BaselineState::Missing } else { BaselineState::Sound };
    Ok((Some(ledger), baseline, state))
}

/// A chain of records cannot tell that its newest link was taken away; git can.
fn still_whole(ledger: &Ledger, sides: &Sides) -> Result<Option<Vec<String>>, PipelineError> {
    let earlier = sides.earlier_names(BASELINES_FOLDER)?;
    let lost = ledger.lost_since(earlier.iter().map(String::as_str));
    let sentences: Vec<String> = lost.iter().map(ToString::to_string).collect();
    Ok((!sentences.is_empty()).then_some(sentences))
}

fn make_plan(
    request: &Request,
    store: &Store,
    project: &Project,
    changes: &ChangeSet,
    baseline: &Baseline,
) -> Result<Plan, PipelineError> {
    let known = baseline.inherited(project);
    let last = store.history()?.last()?;
    let everything = match &request.choice {
        Choice::AtRisk => None,
        Choice::Everything => Some("--all was given"),
        Choice::Named { .. } => Some("cases were named"),
    };
    let everything = everything.map(str::to_owned).or_else(|| base_in_doubt(changes, baseline));
    let conflicting = baseline.conflicts.iter().filter_map(|conflict| conflict.case.clone()).collect();
    let asked = PlanRequest { everything, has_baseline: !baseline.is_empty(), conflicting };
    let mut plan = selection::plan(changes, project, &known, &last, &asked);
    if let Choice::Named { cases, sets } = &request.choice {
        plan.selected = named(&plan.selected, project, cases, sets)?;
    }
    Ok(plan)
}

/// Why everything runs where the accepted parts are the base and two branches accepted them differently.
fn base_in_doubt(changes: &ChangeSet, baseline: &Baseline) -> Option<String> {
    let in_doubt = baseline.conflicts.iter().any(|conflict| conflict.case.is_none());
    (in_doubt && changes.base_kind == BaseKind::Baseline)
        .then(|| "two branches accepted the parts differently, so what changed since is in doubt".to_owned())
}

/// The cases that were asked for by id or set. What was asked for and is not there is an error: a typing mistake must
/// not shrink a run in silence.
fn named(
    all: &[Selected],
    project: &Project,
    cases: &[String],
    sets: &[String],
) -> Result<Vec<Selected>, PipelineError> {
    for id in cases {
        if !project.cases.contains_key(id.as_str()) {
            return Err(PipelineError::NoCases(format!("no case is called `{id}`{}", nearest_case(project, id))));
        }
    }
    for set in sets {
        if !project.cases.values().any(|case| case.set.as_str() == set) {
            return Err(PipelineError::NoCases(format!("no case is in a set called `{set}`{}", known_sets(project))));
        }
    }
    let wanted = |selected: &&Selected| {
        cases.iter().any(|id| id == selected.case.as_str()) || sets.iter().any(|set| set == selected.set.as_str())
    };
    let asked_for = |selected: &Selected| Selected { reasons: vec![SelectionReason::Named], ..selected.clone() };
    Ok(all.iter().filter(wanted).map(asked_for).collect())
}

fn nearest_case(project: &Project, id: &str) -> String {
    let nearest = project.cases.keys().max_by(|a, b| {
        let (a, b) = (strsim::jaro_winkler(a.as_str(), id), strsim::jaro_winkler(b.as_str(), id));
        a.total_cmp(&b)
    });
    nearest.map_or_else(String::new, |case| format!("; the nearest is `{case}`"))
}

fn known_sets(project: &Project) -> String {
    let sets: BTreeSet<&str> = project.cases.values().map(|case| case.set.as_str()).collect();
    if sets.is_empty() { String::new() } else { format!("; there are {}", Vec::from_iter(sets).join(", ")) }
}
