//! From changes to a plan.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::{BaseKind, Change, ChangeKind, ChangeSet, Direction};
use crate::domain::{BaselineHealth, CaseId, CaseStatus, Risk, some_of};
use crate::manifest::{HeldCase, Project};

use super::plan::{Excluded, ExclusionReason, Inherited, Mode, Plan, PlannedChange, Selected, SelectionReason};
use super::rules::{Asked, RuleScope, ruling};
use super::stake::{self, Stake};

/// So many paths are named as the cause of a full run; the plan's list of changes names all.
const PATHS_NAMED: usize = 3;

/// What was asked for, and whether there is anything to inherit from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanRequest {
    /// Run everything, for this reason (`--all was given`), whatever changed.
    pub everything: Option<String>,
    /// Whether any accepted result is in force.
    pub has_baseline: bool,
    /// Why not, where none is.
    pub health: BaselineHealth,
    /// The cases that two branches accepted differently and no later acceptance settled.
    pub conflicting: BTreeSet<CaseId>,
}

/// Makes the plan: each case of `project` stands in it exactly once, with every reason to run it or with the
/// reason not to.
///
/// `known` holds the accepted result in force of each case, `last` how each case ended in the newest recorded run.
pub fn plan(
    changes: &ChangeSet,
    project: &Project,
    known: &BTreeMap<CaseId, Inherited>,
    last: &BTreeMap<CaseId, CaseStatus>,
    request: &PlanRequest,
) -> Plan {
    let stakes = stake::stakes(changes, project);
    let causes = causes_of_everything(changes, project, request);
    let changed_cases = changed_cases(changes);
    let everything = !causes.is_empty();
    let context = Context { changes, changed_cases, known, last, request, stakes: &stakes, everything };
    let (mut selected, mut excluded) = (Vec::new(), Vec::new());
    for case in project.cases.values() {
        let reasons = context.reasons(case);
        let (id, set) = (case.id.clone(), case.set.clone());
        if reasons.is_empty() {
            let inherited = known.get(&case.id).cloned();
            excluded.push(Excluded { case: id, set, reason: context.exclusion(case), inherited });
        } else {
            selected.push(Selected { case: id, set, reasons });
        }
    }
    Plan {
        base: changes.base.clone(),
        head: changes.head.clone(),
        mode: if everything { Mode::All } else { Mode::Selective },
        mode_reason: mode_reason(&causes, changes),
        changes: changes.changes.iter().map(|change| planned(change, changes, project)).collect(),
        selected,
        excluded,
        unclassified: paths_of(changes, |change| change.kind == ChangeKind::Unclassified),
        uncovered: stake::uncovered(&stakes, project),
        bumps_without_change: changes.bumps_without_change.clone(),
        changes_without_bump: changes.changes_without_bump.clone(),
        outside_project: changes.outside_project,
    }
}

/// All that decides about one case.
struct Context<'a> {
    changes: &'a ChangeSet,
    changed_cases: BTreeSet<&'a CaseId>,
    known: &'a BTreeMap<CaseId, Inherited>,
    last: &'a BTreeMap<CaseId, CaseStatus>,
    request: &'a PlanRequest,
    stakes: &'a [Stake<'a>],
    everything: bool,
}

impl Context<'_> {
    /// Every reason to run the case, sorted; empty where there is none.
    fn reasons(&self, case: &HeldCase) -> Vec<SelectionReason> {
        let mut reasons = BTreeSet::new();
        for stake in self.stakes.iter().filter(|stake| stake.reaches(case)) {
            for risk in stake.risks_of(case) {
                let at_risk = |phrase: &String| SelectionReason::AtRisk { risk: risk.clone(), change: phrase.clone() };
                reasons.extend(stake.phrases.iter().map(at_risk));
            }
        }
        reasons.extend(self.own_change(case));
        reasons.extend(self.earlier_result(case));
        reasons.extend(case.always.then_some(SelectionReason::Always));
        reasons.extend(self.everything.then_some(SelectionReason::Everything));
        reasons.into_iter().collect()
    }

    fn own_change(&self, case: &HeldCase) -> Option<SelectionReason> {
        let has_old_form = self.changes.cases.get(&case.id).is_some_and(|change| change.base.is_some());
        let reason = if has_old_form { SelectionReason::CaseChanged } else { SelectionReason::CaseWithoutOldForm };
        self.changed_cases.contains(&case.id).then_some(reason)
    }

    /// Reasons that lie in how the case stood before, not in what changed.
    fn earlier_result(&self, case: &HeldCase) -> Vec<SelectionReason> {
        let accepted = self.known.get(&case.id);
        let mut reasons = Vec::new();
        match accepted {
            None if self.request.has_baseline => reasons.push(SelectionReason::New),
            Some(inherited) if inherited.digest != case.digest => reasons.push(SelectionReason::AcceptedInOtherForm),
            Some(inherited) if inherited.judged_otherwise => reasons.push(SelectionReason::JudgedOtherwise),
            _ => {}
        }
        reasons.extend(self.request.conflicting.contains(&case.id).then_some(SelectionReason::AcceptedDifferently));
        let not_passed = |status: &CaseStatus| *status != CaseStatus::Passed;
        let last = self.last.get(&case.id).copied().filter(not_passed);
        let status = last.or_else(|| accepted.map(|inherited| inherited.status).filter(not_passed));
        reasons.extend(status.map(SelectionReason::NotPassedLastTime));
        reasons
    }

    fn exclusion(&self, case: &HeldCase) -> ExclusionReason {
        if self.changes.changes.is_empty() && self.changes.cases.is_empty() {
            ExclusionReason::NothingChanged
        } else if self.stakes.iter().any(|stake| stake.risks_of(case).next().is_some()) {
            ExclusionReason::OtherPart
        } else {
            ExclusionReason::NoRiskTouched
        }
    }
}

fn changed_cases(changes: &ChangeSet) -> BTreeSet<&CaseId> {
    let named = changes.changes.iter().filter(|change| change.kind == ChangeKind::Case);
    named.filter_map(|change| change.case.as_ref()).chain(changes.cases.keys()).collect()
}

/// Why everything must run; empty where the changes may choose.
fn causes_of_everything(changes: &ChangeSet, project: &Project, request: &PlanRequest) -> Vec<String> {
    let mut causes: Vec<String> = request.everything.iter().cloned().collect();
    if let BaseKind::None(why) = &changes.base_kind {
        causes.push(format!("there is no base to compare with: {why}"));
    }
    if !request.has_baseline && project.file.gate.require_baseline {
        let why = request.health.why_none().unwrap_or("no accepted result is in force");
        causes.push(format!("{why}, so there is none to inherit"));
    }
    let kinds = [
        (ChangeKind::Code, "the code of a workflow changed"),
        (ChangeKind::Project, "the project file changed"),
        (ChangeKind::Unclassified, "no rule knows what changed"),
    ];
    for (kind, what) in kinds {
        causes.extend(cause(changes, what, |change| change.kind == kind));
    }
    let unruled = |change: &Change| {
        let asked = Asked::Facet(change.facet.as_deref());
        matches!(change.kind, ChangeKind::Own(_))
            && ruling(&project.file, change.kind, asked).scope == RuleScope::Everything
    };
    let mut own: Vec<String> = changes.changes.iter().filter(|one| unruled(one)).map(untaken).collect();
    own.dedup();
    for what in own {
        causes.extend(cause(changes, &what, |change| unruled(change) && untaken(change) == what));
    }
    // A path below `cases/` that belongs to no case that could be read can belong to any.
    let stray_case = |change: &Change| change.kind == ChangeKind::Case && change.case.is_none();
    causes.extend(cause(changes, "what changed among the cases belongs to none that is known", stray_case));
    causes
}

/// What no rule of the project takes. A part that is new or gone has no facet that changed, so that only a rule without one takes it.
fn untaken(change: &Change) -> String {
    let kind = change.kind.name();
    let whole = match change.direction {
        Direction::Added => "new",
        Direction::Removed => "gone",
        Direction::Modified => "",
    };
    if change.facet.is_some() || whole.is_empty() {
        return format!("no rule of the project takes what changed in a part of kind {kind}");
    }
    format!("a part of kind {kind} is {whole}, and no rule of the project takes a whole part of that kind")
}

fn cause(changes: &ChangeSet, what: &str, is_meant: impl Fn(&Change) -> bool) -> Option<String> {
    if !changes.changes.iter().any(&is_meant) {
        return None;
    }
    let paths = paths_of(changes, is_meant);
    Some(if paths.is_empty() { what.to_owned() } else { format!("{what} ({})", some_of(&paths, PATHS_NAMED)) })
}

fn paths_of(changes: &ChangeSet, is_meant: impl Fn(&Change) -> bool) -> Vec<String> {
    let meant = changes.changes.iter().filter(|change| is_meant(change));
    let paths: BTreeSet<&String> = meant.flat_map(|change| &change.paths).collect();
    paths.into_iter().cloned().collect()
}

fn mode_reason(causes: &[String], changes: &ChangeSet) -> String {
    if !causes.is_empty() {
        return causes.join("; ");
    }
    let inert = changes.changes.iter().filter(|change| change.kind == ChangeKind::Inert).count();
    match changes.changes.len() {
        0 => "nothing changed".to_owned(),
        all if all == inert => "all that changed is listed as inert by the project".to_owned(),
        1 => "one change, and a rule that says what it puts at risk".to_owned(),
        all => format!("{all} changes, each with a rule that says what it puts at risk"),
    }
}

fn planned(change: &Change, changes: &ChangeSet, project: &Project) -> PlannedChange {
    let ruling = ruling(&project.file, change.kind, Asked::Facet(change.facet.as_deref()));
    let risks = match ruling.scope {
        RuleScope::ThatCase => change.case.iter().filter_map(|case| set_of(case, changes, project)).collect(),
        _ => ruling.risks.into_iter().collect(),
    };
    PlannedChange { change: change.clone(), risks }
}

/// The set of a case on the head's side, or on the base's where the head no longer has it.
fn set_of(case: &CaseId, changes: &ChangeSet, project: &Project) -> Option<Risk> {
    let before = || changes.cases.get(case).and_then(|change| change.base.as_ref());
    project.cases.get(case).or_else(before).map(|case| case.set.clone())
}

#[cfg(test)]
mod tests;
