//! Everything before the first trial: both sides read, what changed, what was accepted, the plan.

use std::collections::{BTreeMap, BTreeSet};

use crate::baseline::Baseline;
use crate::change::{BaseKind, ChangeSet, FoundHead, Sides, SidesRequest};
use crate::domain::{CaseId, CaseStatus};
use crate::manifest::{Diagnostic, Project, ProjectPolicy, load_project, nearest};
use crate::selection::{self, Plan, PlanRequest, Selected, SelectionReason};
use crate::store::{Pause, Store};

use super::accepted::AcceptedResults;
use super::parts::{Division, divided};
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
    /// What was accepted, and whether it can be trusted.
    pub(super) accepted: AcceptedResults,
    /// How the cases ended the last time that did not pass then.
    pub(super) not_passed: BTreeMap<CaseId, CaseStatus>,
    /// What runs and why.
    pub plan: Plan,
    /// What the changes would have chosen, where every case runs to see what that would have missed.
    pub would_select: Option<Plan>,
    /// Which part of the run is carried out here, where it is not the whole.
    pub(super) part: Option<Division>,
    /// The pause in force, if any. A pause that cannot be read counts as one.
    pub pause: Option<Pause>,
}

impl Prepared {
    /// What the gate was to demand before this change: by the base's project file, and by the one that was accepted, so that
    /// a policy is not lowered in one change and made use of in the next. Where neither is known, and the file is another
    /// now, it is the strictest that there is.
    pub fn earlier_policies(&self) -> Vec<ProjectPolicy> {
        let mut policies: Vec<ProjectPolicy> = self.changes.base_files.iter().map(|file| file.policy.clone()).collect();
        let Some(snapshot) = &self.accepted.baseline.snapshot else { return policies };
        match &snapshot.policy {
            Some(policy) => policies.push(policy.clone()),
            None if snapshot.project_file == self.project.file_digest || !policies.is_empty() => {}
            None => policies.push(ProjectPolicy::default()),
        }
        policies
    }
}

/// Reads both sides and plans. Nothing is written.
///
/// # Errors
/// When the project is invalid, the head cannot be read, or a case was asked for that does not exist.
pub(super) fn prepare(request: &Request) -> Result<Prepared, PipelineError> {
    if let Some(part) = &request.part {
        // Every machine has to select the same, so what happened to run on one of them before cannot count.
        return divided(prepare_after(request, BTreeMap::new())?, &request.project_root, part);
    }
    let history = Store::of_project(&request.project_root).history_to_read()?;
    let mut last = history.map(|history| history.last()).transpose()?.unwrap_or_default();
    last.retain(|_, status| *status != CaseStatus::Passed);
    prepare_after(request, last)
}

/// As [`prepare`], where these cases did not pass the last time.
pub(super) fn prepare_after(
    request: &Request,
    not_passed: BTreeMap<CaseId, CaseStatus>,
) -> Result<Prepared, PipelineError> {
    let root = &request.project_root;
    let store = Store::of_project(root);
    let head = FoundHead::find(sides_request(request, false))?;
    let mut accepted = AcceptedResults::read(request, head.files())?;
    let sides = head.against_base(sides_request(request, accepted.baseline.snapshot.is_some()));
    accepted.hold_against(&sides, &request.expected_heads)?;
    let loaded = load_project(sides.head_files(), &request.environment).map_err(PipelineError::Invalid)?;
    let project = loaded.project;
    let changes = sides.changes(&project, accepted.baseline.snapshot.as_ref())?;
    let (plan, would_select) = make_plans(request, &not_passed, &project, &changes, &accepted)?;
    let pause = read_pause(&store.pause_switch());
    let warnings = loaded.warnings;
    Ok(Prepared { sides, project, warnings, changes, accepted, not_passed, plan, would_select, part: None, pause })
}

/// The two sides that a request asks for, as they stand now.
pub(super) fn sides_of(request: &Request, has_accepted: bool) -> Result<Sides, PipelineError> {
    Ok(Sides::resolve(sides_request(request, has_accepted))?)
}

fn sides_request(request: &Request, has_accepted: bool) -> SidesRequest<'_> {
    SidesRequest {
        project_root: &request.project_root,
        base: request.base.as_deref(),
        head: request.head.as_deref(),
        environment: &request.environment,
        has_accepted,
    }
}

/// The plan of the run; in shadow also the one that the changes alone would have made.
fn make_plans(
    request: &Request,
    last: &BTreeMap<CaseId, CaseStatus>,
    project: &Project,
    changes: &ChangeSet,
    accepted: &AcceptedResults,
) -> Result<(Plan, Option<Plan>), PipelineError> {
    let baseline = &accepted.baseline;
    let known = baseline.inherited(project);
    let conflicting: BTreeSet<CaseId> =
        baseline.conflicts.iter().filter_map(|conflict| conflict.case.clone()).collect();
    let plan = |everything: Option<String>| {
        let everything = everything.or_else(|| base_in_doubt(changes, baseline));
        let has_baseline = !baseline.is_empty();
        let health = accepted.state.health();
        let asked = PlanRequest { everything, has_baseline, health, conflicting: conflicting.clone() };
        selection::plan(changes, project, &known, last, &asked)
    };
    Ok(match &request.choice {
        Choice::AtRisk => (plan(None), None),
        Choice::Everything => (plan(Some("--all was given".to_owned())), None),
        Choice::Shadow => (plan(Some("--shadow was given".to_owned())), Some(plan(None))),
        Choice::Named { cases, sets } => {
            let mut plan = plan(Some("cases were named".to_owned()));
            plan.selected = named(&plan.selected, project, cases, sets)?;
            (plan, None)
        }
    })
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
            return Err(PipelineError::NoCases(format!(
                "no case is in a set called `{set}`{}",
                known_sets(project, set)
            )));
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

fn known_sets(project: &Project, asked: &str) -> String {
    let sets: BTreeSet<&str> = project.cases.values().map(|case| case.set.as_str()).collect();
    let sets = Vec::from_iter(sets);
    match nearest(asked, &sets) {
        _ if sets.is_empty() => String::new(),
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; there are {}", sets.join(", ")),
    }
}
