//! Selection, tested as found / forbidden / extra: which cases must be selected, which must not, and which are
//! selected beyond need, with the reason why that is accepted.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::change::{CaseChange, Direction, Side};
use crate::domain::{Digest, PartId, WorkflowId};
use crate::manifest::{Case, CaseOutline, Part, PartKind};
use crate::selection::Uncovered;

/// Two workflows. `desk` uses every part but `stray` (which nobody uses) and `lab-prompt`; `lab` uses `lab-prompt`
/// and `shared`.
fn project(cases: Vec<Case>) -> Project {
    let file = serde_json::from_value(json!({
        "schema": "holdpoint.project/1", "name": "test", "risks": ["tone"],
        "workflows": {
            "desk": {"practice": {"name": "mesa"},
                     "parts": ["model", "prompt", "returns", "prices", "actors", "review", "reserve", "shared"]},
            "lab": {"practice": {"name": "mesa"}, "parts": ["lab-prompt", "shared"]},
        },
    }))
    .unwrap();
    let parts = [
        ("model", PartKind::Model),
        ("prompt", PartKind::Prompt),
        ("lab-prompt", PartKind::Prompt),
        ("returns", PartKind::Source),
        ("prices", PartKind::Source),
        ("shared", PartKind::Source),
        ("actors", PartKind::Permissions),
        ("review", PartKind::Connector),
        ("reserve", PartKind::Tool),
        ("stray", PartKind::Tool),
    ];
    Project {
        file,
        file_digest: Digest::of(b"project file"),
        written: crate::manifest::Written::default(),
        parts: parts.into_iter().map(|(id, kind)| (PartId::from(id), part(id, kind))).collect(),
        cases: cases.into_iter().map(|case| (case.id.clone(), case.held())).collect(),
        texts: BTreeMap::new(),
        fingerprint: Digest::of(b"fingerprint"),
    }
}

fn part(id: &str, kind: PartKind) -> Part {
    let path = format!("manifests/{id}.yaml");
    Part::new(id.into(), kind, "1".to_owned(), path, serde_json::Map::new(), BTreeMap::new())
}

/// A case named by what it is: `workflow/set` and what follows is free, as `desk/access` or `lab/tone-2`.
fn case(id: &str, set: &str) -> Case {
    let workflow = id.split('/').next().unwrap();
    let names = CaseOutline::named(CaseId::from(id), Risk::from(set), WorkflowId::from(workflow));
    Case::new(CaseOutline { path: format!("cases/{set}/{id}.yaml"), ..names }, json!({}), Vec::new())
}

/// A case that names a source.
fn cited(id: &str, set: &str, source: &str) -> Case {
    let mut case = case(id, set);
    case.sources = vec![PartId::from(source)];
    case
}

/// One case of every risk for each workflow, and some that name their sources.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for workflow in ["desk", "lab"] {
        for risk in crate::domain::BUILT_IN_RISKS.into_iter().chain(["tone"]) {
            cases.push(case(&format!("{workflow}/{risk}"), risk));
        }
    }
    cases.push(cited("desk/cites-returns", "policy_accuracy", "returns"));
    cases.push(cited("desk/cites-prices", "policy_accuracy", "prices"));
    cases.push(cited("desk/access-cites-returns", "access", "returns"));
    let mut both = case("desk/operations-and-duplicate", "operations");
    both.risks = vec![Risk::from("operations"), Risk::from("duplicate")];
    cases.push(both);
    cases
}

fn change(kind: ChangeKind, part: Option<&str>, facet: Option<&str>, paths: &[&str]) -> Change {
    Change {
        kind,
        part: part.map(PartId::from),
        case: None,
        facet: facet.map(str::to_owned),
        direction: Direction::Modified,
        from: None,
        to: None,
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
    }
}

fn part_change(kind: ChangeKind, part: &str) -> Change {
    change(kind, Some(part), Some("facet"), &["manifests/part.yaml"])
}

fn change_set(changes: Vec<Change>) -> ChangeSet {
    let side = |name: &str| Side { name: name.to_owned(), commit: None, note: None };
    ChangeSet {
        base: side("main"),
        base_kind: BaseKind::Revisions(vec!["main".to_owned()]),
        head: side("working tree"),
        base_files: Vec::new(),
        changes,
        cases: BTreeMap::new(),
        bumps_without_change: Vec::new(),
        changes_without_bump: Vec::new(),
        outside_project: 0,
    }
}

fn accepted(project: &Project) -> BTreeMap<CaseId, Inherited> {
    let inherited = |case: &CaseOutline| Inherited {
        record: Digest::of(b"record"),
        accepted: "2026-01-01T00:00:00Z".to_owned(),
        acceptances_since: 0,
        judged_otherwise: false,
        status: CaseStatus::Passed,
        digest: case.digest.clone(),
    };
    project.cases.values().map(|case| (case.id.clone(), inherited(case))).collect()
}

fn with_baseline() -> PlanRequest {
    PlanRequest { has_baseline: true, ..PlanRequest::default() }
}

/// The plan where every case is accepted and passed.
fn plan_of(changes: &ChangeSet, project: &Project) -> Plan {
    plan(changes, project, &accepted(project), &BTreeMap::new(), &with_baseline())
}

fn selected(plan: &Plan) -> Vec<&str> {
    plan.selected.iter().map(|selected| selected.case.as_str()).collect()
}

fn reasons<'a>(plan: &'a Plan, case: &str) -> &'a [SelectionReason] {
    plan.selected.iter().find(|selected| selected.case.as_str() == case).map_or(&[], |selected| &selected.reasons)
}

struct Scenario {
    name: &'static str,
    changes: Vec<Change>,
    found: &'static [&'static str],
    forbidden: &'static [&'static str],
    /// Selected beyond need, with the reason why that is accepted. Whatever is selected stands here or in `found`.
    extra: &'static [(&'static str, &'static str)],
}

const TONE: &str = "a risk of the project's own is at stake with every part, for no rule knows what it rests on";
const NO_SOURCE: &str = "it names no source, so it rests on every source of its workflow";

fn scenarios() -> Vec<Scenario> {
    use ChangeKind::{Connector, Inert, Model, Permissions, Prompt, Source, Tool};
    vec![
        Scenario {
            name: "a prompt of one workflow",
            changes: vec![part_change(Prompt, "lab-prompt")],
            found: &[
                "lab/context_boundaries",
                "lab/injected_instructions",
                "lab/malformed_output",
                "lab/missing_availability",
                "lab/policy_accuracy",
                "lab/source_conflict",
            ],
            forbidden: &["desk/policy_accuracy", "desk/tone", "lab/access", "lab/duplicate", "lab/operations"],
            extra: &[("lab/tone", TONE)],
        },
        Scenario {
            name: "a model",
            changes: vec![part_change(Model, "model")],
            found: &[
                "desk/cites-prices",
                "desk/cites-returns",
                "desk/context_boundaries",
                "desk/injected_instructions",
                "desk/malformed_output",
                "desk/missing_availability",
                "desk/policy_accuracy",
                "desk/source_conflict",
            ],
            forbidden: &["desk/access", "desk/action", "desk/access-cites-returns", "lab/policy_accuracy"],
            extra: &[("desk/tone", TONE)],
        },
        Scenario {
            name: "a source that one case cites",
            changes: vec![part_change(Source, "returns")],
            found: &["desk/cites-returns"],
            forbidden: &["desk/cites-prices", "desk/access-cites-returns", "desk/malformed_output", "lab/tone"],
            extra: &[
                ("desk/injected_instructions", NO_SOURCE),
                ("desk/policy_accuracy", NO_SOURCE),
                ("desk/missing_availability", NO_SOURCE),
                ("desk/source_conflict", NO_SOURCE),
                ("desk/tone", TONE),
            ],
        },
        Scenario {
            name: "permissions",
            changes: vec![part_change(Permissions, "actors")],
            found: &["desk/access", "desk/access-cites-returns", "desk/action", "desk/injected_instructions"],
            forbidden: &["desk/policy_accuracy", "desk/duplicate", "lab/access"],
            extra: &[("desk/tone", TONE)],
        },
        Scenario {
            name: "a connector",
            changes: vec![part_change(Connector, "review")],
            found: &[
                "desk/access",
                "desk/access-cites-returns",
                "desk/action",
                "desk/duplicate",
                "desk/operations",
                "desk/operations-and-duplicate",
                "desk/partial_failure",
                "desk/uncertain_outcome",
            ],
            forbidden: &["desk/injected_instructions", "desk/policy_accuracy", "lab/duplicate"],
            extra: &[("desk/tone", TONE)],
        },
        Scenario {
            name: "a tool",
            changes: vec![part_change(Tool, "reserve")],
            found: &[
                "desk/access",
                "desk/access-cites-returns",
                "desk/action",
                "desk/duplicate",
                "desk/injected_instructions",
                "desk/malformed_output",
                "desk/operations-and-duplicate",
                "desk/uncertain_outcome",
            ],
            forbidden: &["desk/partial_failure", "desk/policy_accuracy", "lab/access"],
            extra: &[("desk/tone", TONE)],
        },
        Scenario {
            name: "a path that the project lists as inert",
            changes: vec![change(Inert, None, None, &["README.md"])],
            found: &[],
            forbidden: &["desk/policy_accuracy", "lab/tone"],
            extra: &[],
        },
        Scenario { name: "nothing", changes: vec![], found: &[], forbidden: &["desk/access"], extra: &[] },
    ]
}

#[test]
fn each_kind_of_part_selects_what_it_puts_at_risk_and_nothing_more() {
    let project = project(cases());
    for scenario in scenarios() {
        let plan = plan_of(&change_set(scenario.changes), &project);
        let selected = selected(&plan);
        for found in scenario.found {
            assert!(selected.contains(found), "{}: {found} must be selected", scenario.name);
        }
        for forbidden in scenario.forbidden {
            assert!(!selected.contains(forbidden), "{}: {forbidden} must not be selected", scenario.name);
        }
        for case in &selected {
            let extra = scenario.extra.iter().any(|(extra, _)| extra == case);
            assert!(scenario.found.contains(case) || extra, "{}: {case} is selected without need", scenario.name);
        }
        for (extra, reason) in scenario.extra {
            assert!(selected.contains(extra), "{}: {extra} is listed as extra ({reason}) and is not", scenario.name);
        }
        assert_eq!(plan.mode, Mode::Selective, "{}", scenario.name);
    }
}

#[test]
fn a_removed_part_and_a_part_that_no_workflow_lists_reach_every_workflow() {
    let project = project(cases());
    for part in ["gone", "stray"] {
        let plan = plan_of(&change_set(vec![part_change(ChangeKind::Tool, part)]), &project);
        let selected = selected(&plan);
        assert!(selected.contains(&"desk/access") && selected.contains(&"lab/access"), "{part}: {selected:?}");
        assert!(!selected.contains(&"lab/policy_accuracy"), "{part}: {selected:?}");
    }
}

#[test]
fn a_removed_source_reaches_the_cases_that_name_other_sources_too() {
    let project = project(cases());
    let plan = plan_of(&change_set(vec![part_change(ChangeKind::Source, "gone")]), &project);
    assert!(selected(&plan).contains(&"desk/cites-prices"));
    assert!(selected(&plan).contains(&"lab/source_conflict"));
}

#[test]
fn a_case_that_names_a_source_is_reached_though_its_workflow_does_not_list_it() {
    let mut cases = cases();
    cases.push(cited("lab/cites-returns", "policy_accuracy", "returns"));
    let project = project(cases);
    let plan = plan_of(&change_set(vec![part_change(ChangeKind::Source, "returns")]), &project);
    assert!(selected(&plan).contains(&"lab/cites-returns"));
    assert!(!selected(&plan).contains(&"lab/policy_accuracy"));
}

#[test]
fn code_the_project_file_unknown_paths_and_stray_case_files_run_everything_and_are_named() {
    let project = project(cases());
    for (kind, path) in [
        (ChangeKind::Code, "src/desk.py"),
        (ChangeKind::Project, "holdpoint.yaml"),
        (ChangeKind::Unclassified, "b\\xffd\\u{a}name"),
        (ChangeKind::Case, "cases/access/notes.txt"),
    ] {
        let plan = plan_of(&change_set(vec![change(kind, None, None, &[path])]), &project);
        assert_eq!(plan.mode, Mode::All, "{}", kind.name());
        assert!(plan.mode_reason.contains(path), "{}", plan.mode_reason);
        assert_eq!(plan.selected.len(), project.cases.len());
        assert!(plan.selected.iter().all(|selected| selected.reasons.contains(&SelectionReason::Everything)));
        assert_eq!(plan.unclassified.len(), usize::from(kind == ChangeKind::Unclassified));
    }
}

#[test]
fn the_cause_of_a_full_run_names_three_paths_and_counts_the_rest() {
    let paths = ["a", "b", "c", "d", "e"];
    let changes = change_set(vec![change(ChangeKind::Unclassified, None, None, &paths)]);
    let plan = plan_of(&changes, &project(cases()));
    assert_eq!(plan.mode_reason, "no rule knows what changed (a, b, c and 2 more)");
    assert_eq!(plan.unclassified, paths);
}

#[test]
fn a_base_that_cannot_be_had_runs_everything_with_its_reason() {
    let project = project(cases());
    let base_kind = BaseKind::None("git: no merge base".to_owned());
    let plan = plan_of(&ChangeSet { base_kind, ..change_set(vec![]) }, &project);
    assert_eq!(plan.mode, Mode::All);
    assert!(plan.mode_reason.contains("git: no merge base"), "{}", plan.mode_reason);
    assert_eq!(plan.selected.len(), project.cases.len());
}

#[test]
fn what_was_asked_for_runs_everything_with_its_reason() {
    let project = project(cases());
    let request = PlanRequest { everything: Some("`--all` was given".to_owned()), ..with_baseline() };
    let plan = plan(&change_set(vec![]), &project, &accepted(&project), &BTreeMap::new(), &request);
    assert_eq!((plan.mode, plan.mode_reason.as_str()), (Mode::All, "`--all` was given"));
    assert!(plan.excluded.is_empty());
}

#[test]
fn without_any_baseline_everything_runs_where_one_is_required_and_only_what_is_at_risk_where_none_is() {
    let mut project = project(cases());
    let changes = change_set(vec![part_change(ChangeKind::Permissions, "actors")]);
    let none = BTreeMap::new();
    let strict = plan(&changes, &project, &none, &BTreeMap::new(), &PlanRequest::default());
    assert_eq!((strict.mode, strict.selected.len()), (Mode::All, project.cases.len()));

    project.file.gate.require_baseline = false;
    let lenient = plan(&changes, &project, &none, &BTreeMap::new(), &PlanRequest::default());
    assert_eq!(lenient.mode, Mode::Selective);
    assert!(!selected(&lenient).contains(&"lab/access"));
    assert!(lenient.excluded.iter().all(|excluded| excluded.inherited.is_none()));
}

#[test]
fn a_changed_case_is_selected_alone_and_brings_its_set() {
    let mut project = project(cases());
    let edited = CaseId::from("desk/duplicate");
    let base = project.cases[&edited].clone();
    let mut head = base.open();
    head.digest = Digest::of(b"edited");
    project.cases.insert(edited.clone(), head.held());
    let mut known = accepted(&project);
    known.get_mut(&edited).unwrap().digest = base.digest.clone();
    let own = Change { case: Some(edited.clone()), ..change(ChangeKind::Case, None, None, &["cases/d.yaml"]) };
    let mut changes = change_set(vec![own]);
    changes.cases.insert(edited, CaseChange { base: Some(base), expectation_only: true });
    let plan = plan(&changes, &project, &known, &BTreeMap::new(), &with_baseline());
    assert_eq!(selected(&plan), ["desk/duplicate"]);
    let expected = [SelectionReason::CaseChanged, SelectionReason::AcceptedInOtherForm];
    assert_eq!(reasons(&plan, "desk/duplicate"), expected);
    assert_eq!(plan.changes[0].risks, [Risk::from("duplicate")]);
    assert_eq!(plan.mode, Mode::Selective);
}

#[test]
fn a_removed_case_is_a_change_that_selects_nothing() {
    let project = project(cases());
    let gone = case("desk/gone", "access").held();
    let own = Change { case: Some(gone.id.clone()), ..change(ChangeKind::Case, None, None, &["cases/gone.yaml"]) };
    let mut changes = change_set(vec![own]);
    changes.cases.insert(gone.id.clone(), CaseChange { base: Some(gone), expectation_only: false });
    let plan = plan_of(&changes, &project);
    assert!(plan.selected.is_empty());
    assert_eq!(plan.changes[0].risks, [Risk::from("access")]);
    assert_eq!(plan.excluded[0].reason, ExclusionReason::NoRiskTouched);
}

#[test]
fn a_case_that_the_base_has_not_or_not_readably_says_that_there_is_no_old_form() {
    let mut changes = change_set(vec![]);
    changes.cases.insert(CaseId::from("lab/access"), CaseChange { base: None, expectation_only: false });
    let plan = plan_of(&changes, &project(cases()));
    assert_eq!(selected(&plan), ["lab/access"]);
    assert_eq!(reasons(&plan, "lab/access"), [SelectionReason::CaseWithoutOldForm]);
}

#[test]
fn a_case_that_is_judged_by_another_probe_than_at_acceptance_runs() {
    let project = project(cases());
    let mut known = accepted(&project);
    known.get_mut("lab/access").unwrap().judged_otherwise = true;
    let plan = plan(&change_set(vec![]), &project, &known, &BTreeMap::new(), &with_baseline());
    assert_eq!(selected(&plan), ["lab/access"]);
    assert_eq!(reasons(&plan, "lab/access"), [SelectionReason::JudgedOtherwise]);
}

#[test]
fn new_cases_cases_that_did_not_pass_and_cases_accepted_in_another_form_always_run() {
    let mut cases = cases();
    let mut always = case("lab/always", "access");
    always.always = true;
    cases.push(always);
    let project = project(cases);
    let mut known = accepted(&project);
    known.remove("lab/access");
    known.get_mut("lab/action").unwrap().status = CaseStatus::Failed;
    known.get_mut("lab/duplicate").unwrap().digest = Digest::of(b"an older form");
    known.get_mut("lab/tone").unwrap().status = CaseStatus::Failed;
    let last = [("lab/tone", CaseStatus::Passed), ("lab/operations", CaseStatus::Errored)];
    let last = last.into_iter().map(|(id, status)| (CaseId::from(id), status)).collect();
    let request =
        PlanRequest { conflicting: BTreeSet::from([CaseId::from("lab/uncertain_outcome")]), ..with_baseline() };
    let plan = plan(&change_set(vec![]), &project, &known, &last, &request);

    let failed = SelectionReason::NotPassedLastTime(CaseStatus::Failed);
    assert_eq!(reasons(&plan, "lab/access"), [SelectionReason::New]);
    assert_eq!(reasons(&plan, "lab/action"), std::slice::from_ref(&failed));
    assert_eq!(reasons(&plan, "lab/always"), [SelectionReason::Always]);
    assert_eq!(reasons(&plan, "lab/duplicate"), [SelectionReason::AcceptedInOtherForm]);
    assert_eq!(reasons(&plan, "lab/operations"), [SelectionReason::NotPassedLastTime(CaseStatus::Errored)]);
    assert_eq!(reasons(&plan, "lab/tone"), [failed], "accepted as failed: it runs until a pass is accepted");
    assert_eq!(reasons(&plan, "lab/uncertain_outcome"), [SelectionReason::AcceptedDifferently]);
    assert_eq!(plan.selected.len(), 7);
    assert!(plan.excluded.iter().all(|excluded| excluded.reason == ExclusionReason::NothingChanged));
    assert!(plan.excluded.iter().all(|excluded| excluded.inherited.is_some()));
}

#[test]
fn a_case_lists_every_change_that_puts_it_at_risk_once() {
    let facet = |name| change(ChangeKind::Tool, Some("reserve"), Some(name), &["manifests/reserve.yaml"]);
    let changes =
        vec![facet("schema"), facet("schema"), facet("effects"), part_change(ChangeKind::Permissions, "actors")];
    let plan = plan_of(&change_set(changes), &project(cases()));
    let texts: Vec<String> = reasons(&plan, "desk/access").iter().map(SelectionReason::to_string).collect();
    assert_eq!(
        texts,
        [
            "permissions actors facet modified puts access at risk",
            "tool reserve effects modified puts access at risk",
            "tool reserve schema modified puts access at risk",
        ]
    );
}

#[test]
fn thousands_of_changed_files_of_one_part_are_one_reason() {
    let file = |n: usize| change(ChangeKind::Source, Some("returns"), Some(&format!("file:{n:04}")), &[]);
    let plan = plan_of(&change_set((0..2000).map(file).collect()), &project(cases()));
    let texts: Vec<String> = reasons(&plan, "desk/cites-returns").iter().map(SelectionReason::to_string).collect();
    let text = "source returns: 2000 changes, the first of them file:0000 modified puts policy_accuracy at risk";
    assert_eq!(texts, [text]);
    assert_eq!(plan.changes.len(), 2000);
}

#[test]
fn an_excluded_case_says_whether_its_risks_or_its_parts_were_untouched() {
    let plan = plan_of(&change_set(vec![part_change(ChangeKind::Permissions, "actors")]), &project(cases()));
    let reason =
        |case: &str| plan.excluded.iter().find(|excluded| excluded.case.as_str() == case).unwrap().reason.clone();
    assert_eq!(reason("lab/access"), ExclusionReason::OtherPart);
    assert_eq!(reason("desk/malformed_output"), ExclusionReason::NoRiskTouched);
}

#[test]
fn a_risk_that_a_change_puts_on_a_part_without_any_case_is_uncovered() {
    let kept = ["desk/access", "desk/action", "lab/injected_instructions"];
    let few = cases().into_iter().filter(|case| kept.contains(&case.id.as_str())).collect();
    let plan = plan_of(&change_set(vec![part_change(ChangeKind::Permissions, "actors")]), &project(few));
    let expected = Uncovered { part: PartId::from("actors"), risk: Risk::from("injected_instructions"), unused: false };
    assert_eq!(plan.uncovered, [expected], "the other workflow's case shows nothing, and `tone` is no rule's risk");
    let all = plan_of(&change_set(vec![part_change(ChangeKind::Permissions, "actors")]), &project(cases()));
    assert!(all.uncovered.is_empty());
}

#[test]
fn a_source_that_no_case_rests_on_is_uncovered() {
    let only_prices = cases().into_iter().filter(|case| case.id.as_str() == "desk/cites-prices").collect();
    let plan = plan_of(&change_set(vec![part_change(ChangeKind::Source, "returns")]), &project(only_prices));
    let risks: Vec<&str> = plan.uncovered.iter().map(|uncovered| uncovered.risk.as_str()).collect();
    assert_eq!(risks, ["missing_availability", "policy_accuracy", "source_conflict"]);
}

#[test]
fn version_notes_and_the_count_outside_the_project_are_passed_on() {
    let mut changes = change_set(vec![]);
    changes.bumps_without_change = vec![PartId::from("model")];
    changes.changes_without_bump = vec![PartId::from("prompt")];
    changes.outside_project = 3;
    let plan = plan_of(&changes, &project(cases()));
    assert_eq!(plan.bumps_without_change, changes.bumps_without_change);
    assert_eq!(plan.changes_without_bump, changes.changes_without_bump);
    assert_eq!(plan.outside_project, 3);
    assert_eq!(plan.mode_reason, "nothing changed");
}

fn any_change() -> impl Strategy<Value = Change> {
    use ChangeKind::{Case, Code, Connector, Inert, Model, Permissions, Project, Prompt, Source, Tool, Unclassified};
    let kinds = vec![Model, Prompt, Source, Permissions, Connector, Tool, Code, Case, Project, Unclassified, Inert];
    let parts =
        vec!["model", "prompt", "lab-prompt", "returns", "prices", "shared", "actors", "review", "gone", "stray"];
    let cases: Vec<CaseId> =
        cases().into_iter().map(|case| case.id.clone()).chain([CaseId::from("desk/gone")]).collect();
    (prop::sample::select(kinds), prop::sample::select(parts), prop::sample::select(cases)).prop_map(
        |(kind, part, case)| match kind {
            Code | Project | Unclassified | Inert => change(kind, None, None, &["some/path"]),
            Case => Change { case: Some(case), ..change(kind, None, None, &["cases/x.yaml"]) },
            _ => part_change(kind, part),
        },
    )
}

proptest! {
    #[test]
    fn every_case_stands_in_the_plan_exactly_once_and_every_selected_one_with_a_reason(
        changes in prop::collection::vec(any_change(), 0..6)
    ) {
        let project = project(cases());
        let plan = plan_of(&change_set(changes), &project);
        let mut all: Vec<&CaseId> = plan.selected.iter().map(|selected| &selected.case).collect();
        all.extend(plan.excluded.iter().map(|excluded| &excluded.case));
        all.sort_unstable();
        prop_assert_eq!(all, project.cases.keys().collect::<Vec<_>>());
        prop_assert!(plan.selected.iter().all(|selected| !selected.reasons.is_empty()));
    }

    #[test]
    fn more_changes_never_select_fewer_cases(
        fewer in prop::collection::vec(any_change(), 0..4), more in prop::collection::vec(any_change(), 0..4)
    ) {
        let project = project(cases());
        let few = plan_of(&change_set(fewer.clone()), &project);
        let many = plan_of(&change_set(fewer.into_iter().chain(more).collect()), &project);
        let selected = selected(&many);
        for case in &few.selected {
            prop_assert!(selected.contains(&case.case.as_str()), "{} was lost", case.case);
        }
    }

    #[test]
    fn one_unknown_path_among_any_changes_runs_everything(changes in prop::collection::vec(any_change(), 0..4)) {
        let project = project(cases());
        let unknown = change(ChangeKind::Unclassified, None, None, &["mystery"]);
        let plan = plan_of(&change_set(changes.into_iter().chain([unknown]).collect()), &project);
        prop_assert_eq!(plan.mode, Mode::All);
        prop_assert!(plan.excluded.is_empty());
        prop_assert!(plan.mode_reason.contains("mystery") || plan.unclassified.contains(&"mystery".to_owned()));
    }

    #[test]
    fn where_nothing_changed_and_all_passed_only_cases_marked_always_run(
        always in prop::collection::btree_set(0..28_usize, 0..5)
    ) {
        let mut cases = cases();
        for index in &always {
            cases[*index].always = true;
        }
        let marked: BTreeSet<CaseId> = cases.iter().filter(|case| case.always).map(|case| case.id.clone()).collect();
        let plan = plan_of(&change_set(vec![]), &project(cases));
        prop_assert_eq!(plan.selected.iter().map(|selected| selected.case.clone()).collect::<BTreeSet<_>>(), marked);
    }
}

#[test]
fn coverage_has_a_gap_exactly_where_a_change_of_the_part_would_be_uncovered() {
    let shown = |case: &Case| case.workflow.as_str() == "lab" || !matches!(case.set.as_str(), "access" | "duplicate");
    let project = project(cases().into_iter().filter(shown).collect());
    let rows = crate::selection::coverage(&project);
    let unused = |part: &PartId| !project.file.workflows.values().any(|workflow| workflow.parts.contains(part));
    for (id, part) in &project.parts {
        let changes = change_set(vec![part_change(part.kind.into(), id.as_str())]);
        let uncovered = plan_of(&changes, &project).uncovered;
        let gaps = rows.iter().filter(|row| row.part == *id && row.cases == 0);
        let gaps: Vec<Uncovered> = gaps
            .map(|row| Uncovered { part: row.part.clone(), risk: row.risk.clone(), unused: unused(&row.part) })
            .collect();
        assert_eq!(gaps, uncovered, "{id}");
    }
    let count = |part: &str, risk: &str| rows.iter().find(|row| row.part.as_str() == part && row.risk.as_str() == risk);
    assert_eq!(count("actors", "access").unwrap().cases, 0, "the other workflow's case shows nothing");
    assert_eq!(count("returns", "policy_accuracy").unwrap().cases, 2, "one cites it, one rests on all sources");
    assert_eq!(count("review", "duplicate").unwrap().cases, 1, "a further risk of a case counts");
    assert_eq!(count("review", "tone"), None);
}
