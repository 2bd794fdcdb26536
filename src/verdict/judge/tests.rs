//! Which code each state of affairs gives, and that nothing else than a pass passes.

use proptest::prelude::*;

use super::*;
use crate::change::Side;
use crate::domain::{Aspect, PartId, Risk};
use crate::manifest::GatePolicy;
use crate::selection::{Excluded, ExclusionReason, Mode, Selected, SelectionReason, Uncovered};

use CaseStatus::{Errored, Failed, Flaky, Passed, Uncertain};

const STATUSES: [CaseStatus; 5] = [Passed, Failed, Uncertain, Flaky, Errored];
const STANDINGS: [Standing; 13] = [
    Standing::Regressed,
    Standing::Fixed,
    Standing::Unchanged,
    Standing::KnownFailure,
    Standing::New,
    Standing::Removed,
    Standing::ExpectationChanged,
    Standing::Flaky,
    Standing::Errored,
    Standing::Uncertain,
    Standing::NotComparable,
    Standing::Inherited,
    Standing::NoBaseline,
];

fn case(id: &str, status: Option<CaseStatus>, standing: Standing) -> Compared {
    Compared { status, ..Compared::new(CaseId::from(id), Risk::from("access"), standing, "") }
}

fn plan(selected: &[&str], excluded: &[&str]) -> Plan {
    let side = |name: &str| Side { name: name.to_owned(), commit: None, note: None };
    let set = Risk::from("access");
    Plan {
        base: side("main"),
        head: side("working tree"),
        mode: Mode::Selective,
        mode_reason: "nothing changed".to_owned(),
        changes: Vec::new(),
        selected: selected
            .iter()
            .map(|id| Selected { case: CaseId::from(*id), set: set.clone(), reasons: vec![SelectionReason::Always] })
            .collect(),
        excluded: excluded
            .iter()
            .map(|id| Excluded {
                case: CaseId::from(*id),
                set: set.clone(),
                reason: ExclusionReason::NothingChanged,
                inherited: None,
            })
            .collect(),
        unclassified: Vec::new(),
        uncovered: Vec::new(),
        bumps_without_change: Vec::new(),
        changes_without_bump: Vec::new(),
        outside_project: 0,
    }
}

fn with_gate(gate: GatePolicy) -> ProjectPolicy {
    ProjectPolicy { gate, ..ProjectPolicy::default() }
}

/// A gate over `plan` where all else is in order.
fn gate<'a>(plan: &'a Plan, compared: &'a [Compared], policy: &'a ProjectPolicy) -> VerdictInput<'a> {
    VerdictInput {
        purpose: Purpose::Gate,
        plan,
        compared,
        policy,
        earlier: &[],
        baseline: BaselineState::Sound,
        conflicting_cases: BTreeSet::new(),
        base_in_doubt: false,
        elsewhere: 0,
        interruption: None,
        paused: "",
        trials_executed: plan.selected.len(),
        blind_graders: &[],
        lost_evidence: &[],
    }
}

fn of_one(status: CaseStatus, standing: Standing) -> Verdict {
    verdict(&gate(&plan(&["a"], &[]), &[case("a", Some(status), standing)], &ProjectPolicy::default()))
}

#[test]
fn a_pass_has_code_0_and_no_reason() {
    for standing in [Standing::Unchanged, Standing::Fixed, Standing::New] {
        let verdict = of_one(Passed, standing);
        assert_eq!((verdict.word, verdict.code), (VerdictWord::Pass, ExitCode::Passed), "{standing}");
        assert!(verdict.reasons.is_empty());
    }
}

#[test]
fn a_case_that_was_edited_and_passes_in_both_forms_is_named_with_what_differs() {
    let plan = plan(&["a", "b"], &[]);
    let edited = Compared {
        old_form: Some(Passed),
        differs: vec![Aspect::Expectations, Aspect::Trials],
        ..case("a", Some(Passed), Standing::Unchanged)
    };
    let compared = [edited, case("b", Some(Passed), Standing::Unchanged)];
    let policy = ProjectPolicy::default();
    let verdict = verdict(&gate(&plan, &compared, &policy));
    assert_eq!(verdict.code, ExitCode::Passed);
    assert_eq!(
        verdict.notes,
        ["edited, and passed as it was and as it is now: 1 case (a); what differs: its expectations and its trials"]
    );
}

#[test]
fn a_failure_that_nobody_accepted_gives_10_whatever_its_standing() {
    for standing in STANDINGS {
        let verdict = of_one(Failed, standing);
        let expected = if standing == Standing::KnownFailure { ExitCode::Passed } else { ExitCode::Failed };
        assert_eq!(verdict.code, expected, "{standing}");
        assert_eq!(verdict.word == VerdictWord::Fail, expected == ExitCode::Failed, "{standing}");
    }
}

#[test]
fn what_came_to_no_conclusion_gives_11_whatever_its_standing() {
    for status in [Errored, Uncertain, Flaky] {
        for standing in STANDINGS {
            let verdict = of_one(status, standing);
            assert_eq!((verdict.word, verdict.code), (VerdictWord::Inconclusive, ExitCode::Inconclusive));
            assert_eq!(verdict.reasons.len(), 1);
            assert!(verdict.reasons[0].text.starts_with(status.name()), "{}", verdict.reasons[0].text);
        }
    }
}

#[test]
fn a_changed_expectation_and_what_cannot_be_compared_give_11_at_the_gate_alone() {
    for standing in [Standing::ExpectationChanged, Standing::NotComparable] {
        assert_eq!(of_one(Passed, standing).code, ExitCode::Inconclusive, "{standing}");
        let (plan, compared) = (plan(&["a"], &[]), [case("a", Some(Passed), standing)]);
        let policy = ProjectPolicy::default();
        let run = VerdictInput { purpose: Purpose::Run, ..gate(&plan, &compared, &policy) };
        assert_eq!(verdict(&run).code, ExitCode::Passed, "{standing}");
    }
}

#[test]
fn a_run_without_gating_needs_no_baseline_and_is_judged_by_its_cases() {
    let (plan, policy) = (plan(&["a"], &["b"]), ProjectPolicy::default());
    for (status, code) in [
        (Passed, ExitCode::Passed),
        (Failed, ExitCode::Failed),
        (Errored, ExitCode::Inconclusive),
        (Uncertain, ExitCode::Inconclusive),
        (Flaky, ExitCode::Inconclusive),
    ] {
        let compared = [case("a", Some(status), Standing::NoBaseline), case("b", None, Standing::NotComparable)];
        let input =
            VerdictInput { purpose: Purpose::Run, baseline: BaselineState::Missing, ..gate(&plan, &compared, &policy) };
        assert_eq!(verdict(&input).code, code, "{status}");
    }
}

#[test]
fn a_missing_baseline_gives_12_where_one_is_required_and_a_broken_one_always() {
    let (plan, compared) = (plan(&["a"], &[]), [case("a", Some(Failed), Standing::NoBaseline)]);
    let strict = ProjectPolicy::default();
    let lenient = with_gate(GatePolicy { require_baseline: false, ..GatePolicy::default() });
    let missing = |policy| VerdictInput { baseline: BaselineState::Missing, ..gate(&plan, &compared, policy) };
    let verdict_of_missing = verdict(&missing(&strict));
    assert_eq!(verdict_of_missing.code, ExitCode::Baseline);
    assert_eq!(verdict_of_missing.reasons.len(), 2, "the failure is said too");
    assert_eq!(verdict_of_missing.word, VerdictWord::Fail, "a failure is a failure without a baseline too");
    assert_eq!(verdict(&missing(&lenient)).code, ExitCode::Failed);

    let broken = BaselineState::Broken(vec!["record x was edited".to_owned()]);
    for purpose in [Purpose::Gate, Purpose::Run] {
        let compared = [case("a", Some(Passed), Standing::Unchanged)];
        let input = VerdictInput { purpose, baseline: broken.clone(), ..gate(&plan, &compared, &lenient) };
        assert_eq!(verdict(&input).code, ExitCode::Baseline);
        assert!(verdict(&input).reasons[0].text.contains("record x was edited"));
    }
}

#[test]
fn a_selected_case_without_a_result_is_never_passed_over() {
    let (plan, policy) = (plan(&["a", "b"], &[]), ProjectPolicy::default());
    let passed = case("a", Some(Passed), Standing::Unchanged);
    for b in [None, Some(case("b", None, Standing::Inherited)), Some(case("b", None, Standing::New))] {
        let compared: Vec<Compared> = [Some(passed.clone()), b].into_iter().flatten().collect();
        let verdict = verdict(&gate(&plan, &compared, &policy));
        assert_eq!(verdict.code, ExitCode::Inconclusive);
        assert_eq!(verdict.reasons.len(), 1);
        assert!(verdict.reasons[0].text.contains("(b)"), "{}", verdict.reasons[0].text);
    }
}

#[test]
fn a_case_that_was_left_out_with_nothing_to_stand_on_gives_11() {
    let (plan, policy) = (plan(&[], &["a"]), ProjectPolicy::default());
    for (standing, code) in [
        (Standing::Inherited, ExitCode::Passed),
        (Standing::NotComparable, ExitCode::Inconclusive),
        (Standing::New, ExitCode::Inconclusive),
    ] {
        assert_eq!(verdict(&gate(&plan, &[case("a", None, standing)], &policy)).code, code, "{standing}");
    }
}

#[test]
fn no_trial_at_all_is_no_pass() {
    let (plan, compared) = (plan(&["a"], &[]), [case("a", Some(Passed), Standing::Unchanged)]);
    let policy = ProjectPolicy::default();
    let input = VerdictInput { trials_executed: 0, ..gate(&plan, &compared, &policy) };
    assert_eq!(verdict(&input).code, ExitCode::Inconclusive);
}

#[test]
fn no_cases_a_pause_and_a_cancellation_have_codes_of_their_own() {
    let policy = ProjectPolicy::default();
    let none = plan(&[], &[]);
    assert_eq!(verdict(&gate(&none, &[], &policy)).code, ExitCode::NoCases);
    let unmatched = plan(&[], &["a"]);
    let input = VerdictInput { purpose: Purpose::Run, ..gate(&unmatched, &[], &policy) };
    assert_eq!(verdict(&input).code, ExitCode::NoCases);
    let (plan, compared) = (plan(&["a"], &[]), [case("a", Some(Failed), Standing::Regressed)]);
    for (interruption, code) in
        [(Interruption::Paused, ExitCode::Paused), (Interruption::Cancelled, ExitCode::Cancelled)]
    {
        let input = VerdictInput { interruption: Some(interruption), ..gate(&plan, &compared, &policy) };
        let verdict = verdict(&input);
        assert_eq!((verdict.code, verdict.reasons[0].code), (code, code), "{interruption:?}");
    }
}

#[test]
fn a_run_out_of_time_is_no_pass_says_whose_limit_it_was_and_hides_no_failure() {
    let (policy, plan) = (ProjectPolicy::default(), plan(&["a"], &[]));
    for (status, standing, code) in
        [(Passed, Standing::Unchanged, ExitCode::Inconclusive), (Failed, Standing::Regressed, ExitCode::Failed)]
    {
        let compared = [case("a", Some(status), standing)];
        let interruption = Some(Interruption::TimeLimit { seconds: 60 });
        let verdict = verdict(&VerdictInput { interruption, ..gate(&plan, &compared, &policy) });
        assert_eq!(verdict.code, code);
        let told = verdict.reasons.iter().any(|reason| reason.text.contains("the run's limit of 60 s"));
        assert!(told, "{:?}", verdict.reasons);
    }
}

#[test]
fn an_empty_selection_passes_and_says_why() {
    let (plan, policy) = (plan(&[], &["a"]), ProjectPolicy::default());
    let verdict = verdict(&gate(&plan, &[case("a", None, Standing::Inherited)], &policy));
    assert_eq!(verdict.code, ExitCode::Passed);
    let expected = ["no case was at risk: nothing changed"];
    assert_eq!(verdict.notes, expected);
}

#[test]
fn a_missing_baseline_is_said_once() {
    let (plan, compared) = (plan(&["a"], &[]), [case("a", Some(Passed), Standing::NoBaseline)]);
    for require_baseline in [true, false] {
        let policy = with_gate(GatePolicy { require_baseline, ..GatePolicy::default() });
        let verdict = verdict(&VerdictInput { baseline: BaselineState::Missing, ..gate(&plan, &compared, &policy) });
        let reasons = verdict.reasons.iter().map(|reason| &reason.text);
        let saying = reasons.chain(&verdict.notes).filter(|text| text.contains("no result was ever accepted"));
        assert_eq!(saying.count(), 1, "{require_baseline}");
    }
}

#[test]
fn an_uncovered_risk_gives_11_by_policy_and_is_said_otherwise() {
    let uncovered = vec![Uncovered { part: PartId::from("reserve"), risk: Risk::from("duplicate"), unused: false }];
    let plan = Plan { uncovered, ..plan(&["a"], &[]) };
    let compared = [case("a", Some(Passed), Standing::Unchanged)];
    let strict = verdict(&gate(&plan, &compared, &ProjectPolicy::default()));
    assert_eq!(strict.code, ExitCode::Inconclusive);
    assert!(strict.reasons[0].text.contains("duplicate on reserve"), "{}", strict.reasons[0].text);
    let lenient = with_gate(GatePolicy { uncovered_is_inconclusive: false, ..GatePolicy::default() });
    let lenient = verdict(&gate(&plan, &compared, &lenient));
    assert_eq!(lenient.code, ExitCode::Passed);
    assert!(lenient.notes[0].contains("duplicate on reserve"));
}

#[test]
fn lost_evidence_keeps_the_gate_from_passing() {
    let (plan, compared) = (plan(&["a"], &[]), [case("a", Some(Passed), Standing::Unchanged)]);
    let (policy, lost) = (ProjectPolicy::default(), ["disk full".to_owned()]);
    let input = VerdictInput { lost_evidence: &lost, ..gate(&plan, &compared, &policy) };
    assert_eq!(verdict(&input).code, ExitCode::Inconclusive);
}

#[test]
fn a_blind_grader_keeps_a_pass_from_being_one_and_a_failure_from_nothing() {
    let (plan, policy, blind) = (plan(&["a"], &[]), ProjectPolicy::default(), ["blind: x".to_owned()]);
    for (status, standing, code) in
        [(Passed, Standing::Unchanged, ExitCode::Inconclusive), (Failed, Standing::New, ExitCode::Failed)]
    {
        let compared = [case("a", Some(status), standing)];
        let judged = verdict(&VerdictInput { blind_graders: &blind, ..gate(&plan, &compared, &policy) });
        assert_eq!(judged.code, code);
        assert!(judged.reasons.iter().any(|reason| reason.text == "blind: x"));
    }
}

#[test]
fn an_accepted_case_that_is_gone_is_inconclusive_at_the_gate_until_someone_accepts_that() {
    let (plan, policy) = (plan(&["a"], &[]), ProjectPolicy::default());
    let compared = [case("a", Some(Passed), Standing::Unchanged), case("gone", None, Standing::Removed)];
    let judged = verdict(&gate(&plan, &compared, &policy));
    assert_eq!(judged.code, ExitCode::Inconclusive);
    assert!(judged.reasons[0].text.ends_with("have someone accept that: 1 case (gone)"), "{:?}", judged.reasons);
    let run = VerdictInput { purpose: Purpose::Run, ..gate(&plan, &compared, &policy) };
    assert_eq!(verdict(&run).code, ExitCode::Passed);
}

#[test]
fn known_failures_do_not_block_and_are_said() {
    let (plan, policy) = (plan(&["a", "b"], &[]), ProjectPolicy::default());
    let compared = [case("a", Some(Passed), Standing::Unchanged), case("b", Some(Failed), Standing::KnownFailure)];
    let verdict = verdict(&gate(&plan, &compared, &policy));
    assert_eq!(verdict.code, ExitCode::Passed);
    assert_eq!(verdict.notes, ["failed, as was accepted: 1 case (b)"]);
}

#[test]
fn a_reason_names_five_cases_counts_the_rest_and_the_strongest_comes_first() {
    let ids: Vec<String> = (1..=7).map(|n| format!("c{n}")).collect();
    let names: Vec<&str> = ids.iter().map(String::as_str).chain(["x"]).collect();
    let mut compared: Vec<Compared> = ids.iter().map(|id| case(id, Some(Errored), Standing::NotComparable)).collect();
    compared.push(case("x", Some(Failed), Standing::Regressed));
    let verdict = verdict(&gate(&plan(&names, &[]), &compared, &ProjectPolicy::default()));
    let texts: Vec<&str> = verdict.reasons.iter().map(|reason| reason.text.as_str()).collect();
    let expected =
        ["failed, and worse than at acceptance: 1 case (x)", "errored: 7 cases (c1, c2, c3, c4, c5 and 2 more)"];
    assert_eq!(texts, expected);
    assert_eq!(verdict.code, ExitCode::Failed);
}

fn any_state() -> impl Strategy<Value = Option<(Option<CaseStatus>, Standing)>> {
    let status = prop::option::of(prop::sample::select(STATUSES.to_vec()));
    prop::option::of((status, prop::sample::select(STANDINGS.to_vec())))
}

proptest! {
    #[test]
    fn a_verdict_passes_only_if_every_selected_case_passed_or_is_a_known_failure(
        states in prop::collection::vec((any::<bool>(), any_state()), 0..5),
        gated in any::<bool>(),
        trials_executed in 0..3_usize,
    ) {
        let ids: Vec<String> = (0..states.len()).map(|n| format!("c{n}")).collect();
        let of = |wanted: bool| -> Vec<&str> {
            ids.iter().zip(&states).filter(|(_, (selected, _))| *selected == wanted).map(|(id, _)| id.as_str()).collect()
        };
        let plan = plan(&of(true), &of(false));
        let compared: Vec<Compared> = ids.iter().zip(&states)
            .filter_map(|(id, (_, state))| state.map(|(status, standing)| case(id, status, standing)))
            .collect();
        let policy = ProjectPolicy::default();
        let purpose = if gated { Purpose::Gate } else { Purpose::Run };
        let verdict = verdict(&VerdictInput { purpose, trials_executed, ..gate(&plan, &compared, &policy) });
        prop_assert_eq!(verdict.word == VerdictWord::Pass, verdict.code == ExitCode::Passed);
        prop_assert_eq!(verdict.word == VerdictWord::Pass, verdict.reasons.is_empty());
        if verdict.word == VerdictWord::Pass {
            prop_assert!(!states.is_empty());
            prop_assert!(plan.selected.is_empty() || trials_executed > 0);
            for (_, state) in states.iter().filter(|(selected, _)| *selected) {
                let good = matches!(
                    state,
                    Some((Some(Passed), _) | (Some(Failed), Standing::KnownFailure))
                );
                prop_assert!(good, "{:?}", state);
            }
        }
    }
}

fn ids(cases: &[&str]) -> BTreeSet<CaseId> {
    cases.iter().copied().map(CaseId::from).collect()
}

#[test]
fn a_case_that_two_branches_accepted_differently_gives_11_until_one_of_them_is_accepted() {
    let (plan, policy) = (plan(&["a"], &["b"]), ProjectPolicy::default());
    for standing in [Standing::Unchanged, Standing::Fixed] {
        let compared = [case("a", Some(Passed), standing), case("b", None, Standing::Inherited)];
        let verdict = verdict(&VerdictInput { conflicting_cases: ids(&["a", "b"]), ..gate(&plan, &compared, &policy) });
        assert_eq!((verdict.word, verdict.code), (VerdictWord::Inconclusive, ExitCode::Inconclusive));
        let text = "two branches accepted 2 cases differently: accept one of them (a, b)";
        assert_eq!(verdict.reasons, [reason(ExitCode::Inconclusive, text)]);
    }
}

#[test]
fn a_run_without_gating_is_concerned_by_conflicts_over_the_cases_that_it_ran_alone() {
    let (plan, policy) = (plan(&["a"], &["b"]), ProjectPolicy::default());
    let compared = [case("a", Some(Failed), Standing::KnownFailure), case("b", None, Standing::Inherited)];
    let code = |cases: &[&str], base_in_doubt: bool| {
        let input = VerdictInput { purpose: Purpose::Run, ..gate(&plan, &compared, &policy) };
        verdict(&VerdictInput { conflicting_cases: ids(cases), base_in_doubt, ..input }).code
    };
    assert_eq!(code(&["a"], false), ExitCode::Inconclusive);
    assert_eq!(code(&["b"], true), ExitCode::Passed);
}

#[test]
fn parts_that_two_branches_accepted_differently_give_11_unless_everything_ran() {
    let policy = ProjectPolicy::default();
    let compared = [case("a", Some(Passed), Standing::Unchanged)];
    let table: [(Mode, &[&str], ExitCode); 3] = [
        (Mode::Selective, &[], ExitCode::Inconclusive),
        (Mode::All, &["filtered away"], ExitCode::Inconclusive),
        (Mode::All, &[], ExitCode::Passed),
    ];
    for (mode, excluded, expected) in table {
        let plan = Plan { mode, ..plan(&["a"], excluded) };
        let verdict = verdict(&VerdictInput { base_in_doubt: true, ..gate(&plan, &compared, &policy) });
        assert_eq!(verdict.code, expected);
    }
}

#[test]
fn a_lowered_gate_policy_is_judged_by_the_stricter_one_and_named() {
    let mut plan = plan(&["a"], &[]);
    plan.uncovered = vec![Uncovered { part: PartId::from("review"), risk: Risk::from("duplicate"), unused: false }];
    let compared = [case("a", Some(Passed), Standing::NoBaseline)];
    let lenient = with_gate(GatePolicy { require_baseline: false, uncovered_is_inconclusive: false });
    let earlier = [ProjectPolicy::default()];
    let lowered = verdict(&VerdictInput {
        earlier: &earlier,
        baseline: BaselineState::Missing,
        ..gate(&plan, &compared, &lenient)
    });
    assert_eq!(lowered.code, ExitCode::Baseline);
    assert_eq!(lowered.reasons.len(), 2, "what is uncovered counts too: {:?}", lowered.reasons);
    assert!(lowered.notes[0].contains("require_baseline, uncovered_is_inconclusive"), "{:?}", lowered.notes);

    let both = [lenient.clone()];
    let input = VerdictInput { earlier: &both, baseline: BaselineState::Missing, ..gate(&plan, &compared, &lenient) };
    assert_eq!(verdict(&input).code, ExitCode::Passed, "it was so before");
    let raised = ProjectPolicy::default();
    let input = VerdictInput { earlier: &both, ..gate(&plan, &compared, &raised) };
    assert_eq!(verdict(&input).code, ExitCode::Inconclusive, "a raised one counts at once");
}
