//! The document of made-up runs.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::group::Group;
use super::super::sample::Sample;
use super::*;
use crate::domain::Digest;
use crate::selection::{ExclusionReason, Inherited, SelectionReason};

#[test]
fn the_document_has_the_fields_of_the_contract_under_their_names() {
    let document = serde_json::to_value(Sample::full().document()).unwrap();
    let names = "schema run started finished verdict exit_code base head fingerprint mode mode_reason changes counts \
                 comparison cases limits";
    for name in names.split_whitespace() {
        assert!(document.get(name).is_some(), "{name}");
    }
    assert_eq!(document["schema"], "holdpoint.report/1");
    assert_eq!((&document["verdict"], &document["exit_code"]), (&json!("fail"), &json!(10)));
    let fields = |value: &Value, names: &str| {
        for name in names.split_whitespace() {
            assert!(value.get(name).is_some(), "{name} is missing in {value}");
        }
    };
    fields(&document["counts"], "selected passed failed errored uncertain flaky inherited total");
    fields(
        &document["comparison"],
        "regressed fixed unchanged known_failure new removed expectation_changed not_comparable",
    );
    let case = document["cases"].as_array().unwrap().iter().find(|case| case["id"] == "lost-ack-after-commit").unwrap();
    fields(case, "id set reasons status comparison trials");
    fields(&case["trials"][0], "number status duration_ms output operations grades");
    fields(&case["trials"][0]["operations"][0], "operation outcome claim claim_check attempts effects evidence");
    assert_eq!(case["trials"][0]["operations"][0]["attempts"], 2);
    assert_eq!(case["trials"][0]["operations"][0]["claim_check"], "overclaimed");
    fields(&case["trials"][0]["grades"][0], "grader pass message");
    fields(&document["changes"][0], "kind part facet change from to paths risks");
}

#[test]
fn the_plan_has_the_fields_of_the_contract_under_their_names() {
    let plan = serde_json::to_value(super::super::PlanDocument::new(&Sample::full().plan, "")).unwrap();
    let names = "schema base head mode mode_reason changes selected excluded unclassified uncovered";
    for name in names.split_whitespace() {
        assert!(plan.get(name).is_some(), "{name}");
    }
    assert_eq!(plan["schema"], "holdpoint.plan/1");
    assert_eq!(plan["selected"][0]["reasons"].as_array().unwrap().len(), 1);
    assert_eq!(plan["excluded"][0]["inherited"]["status"], "passed");
    assert_eq!(plan["uncovered"][0]["part"], "review");
}

#[test]
fn the_document_survives_being_written_and_read() {
    let document = Sample::full().document();
    let text = serde_json::to_string(&document).unwrap();
    assert_eq!(serde_json::from_str::<ReportDocument>(&text).unwrap(), document);
}

/// `tests/browser.rs` opens the page of this document; the file there is kept up to date by this test.
#[test]
fn the_document_for_the_browser_is_that_of_the_sample() {
    let document = Sample::full().document();
    insta::with_settings!({ snapshot_path => "../../../tests/browser", prepend_module_to_snapshot => false }, {
        insta::assert_json_snapshot!("report", document);
    });
}

#[test]
fn a_selected_case_without_a_result_is_errored_and_stays_in_the_denominator() {
    let mut sample = Sample::full();
    let before = sample.document().counts;
    sample.results.retain(|result| result.case.as_str() != "policy-answer-01");
    sample.compared.retain(|compared| compared.case.as_str() != "policy-answer-01");
    let document = sample.document();
    assert_eq!(document.counts.selected, before.selected);
    assert_eq!(document.counts.errored, before.errored + 1);
    assert_eq!(document.counts.passed, before.passed - 1);
    assert!(document.limits.iter().any(|limit| limit.contains("Without a single finished trial: 1 case")));
}

#[test]
fn the_evidence_is_stated_as_a_limit_and_never_as_certainty() {
    let mut sample = Sample::full();
    let statement = |sample: &Sample| sample.document().limits[1].clone();
    assert!(statement(&sample).starts_with("16 of 22 passed: for inputs like these, the failure rate is below 50.3 %"));

    let keep: Vec<CaseId> = sample.plan.selected.iter().take(20).map(|selected| selected.case.clone()).collect();
    sample.plan.selected.retain(|selected| keep.contains(&selected.case));
    sample.results.retain(|result| keep.contains(&result.case));
    for result in &mut sample.results {
        result.status = CaseStatus::Passed;
    }
    // 1 - 0.025^(1/20) is 0.16843: rounded so that nothing more is claimed than holds.
    assert!(statement(&sample).starts_with("20 of 20 passed: for inputs like these, the failure rate is below 16.9 %"));
    assert!(!sample.document().limits.join(" ").contains("100"));

    for result in &mut sample.results {
        result.status = CaseStatus::Failed;
    }
    assert_eq!(statement(&sample), "0 of 20 passed: this supports no limit on how often the workflow fails.");
}

#[test]
fn how_old_the_inherited_results_are_is_said() {
    let limits = Sample::full().document().limits.join("\n");
    assert!(limits.contains("6 cases; the oldest was accepted on 2026-02-11, 18 days before"), "{limits}");
    let mut sample = Sample::full();
    sample.plan.excluded[0].inherited.as_mut().unwrap().acceptances_since = 3;
    let document = sample.document();
    let inherited = document.excluded[0].inherited.as_ref().unwrap();
    assert_eq!((inherited.age_days, inherited.acceptances_since), (Some(18), 3));
    let html = super::super::render_html(&document, &[]).unwrap().page;
    assert!(html.contains("2026-02-11T10:00:00Z, 18 days before, 3 acceptances since"));
}

const STATUSES: [CaseStatus; 5] =
    [CaseStatus::Passed, CaseStatus::Failed, CaseStatus::Uncertain, CaseStatus::Flaky, CaseStatus::Errored];

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

/// One made-up case: whether it is selected, has a result, is compared, and how it ended and stands.
type MadeUp = (bool, bool, bool, usize, usize);

fn made_up(cases: &[MadeUp]) -> Sample {
    let mut sample = Sample::full();
    sample.plan.selected.clear();
    sample.plan.excluded.clear();
    sample.results.clear();
    sample.compared.clear();
    sample.cases = BTreeMap::new();
    for (number, (selected, has_result, is_compared, status, standing)) in cases.iter().enumerate() {
        let (case, set) = (CaseId::new(format!("case-{number:03}")), Risk::from("action"));
        if *selected {
            let reasons = vec![SelectionReason::Everything];
            sample.plan.selected.push(Selected { case: case.clone(), set: set.clone(), reasons });
        } else {
            let inherited = (*is_compared).then(|| Inherited {
                record: Digest::of(b"record"),
                accepted: "2026-02-11T10:00:00Z".to_owned(),
                acceptances_since: 0,
                judged_otherwise: false,
                status: STATUSES[*status],
                digest: Digest::of(b"case"),
            });
            let reason = ExclusionReason::NothingChanged;
            sample.plan.excluded.push(Excluded { case: case.clone(), set: set.clone(), reason, inherited });
        }
        if *selected && *has_result {
            let digest = Digest::of(b"case");
            let status = STATUSES[*status];
            sample.results.push(CaseResult {
                case: case.clone(),
                set: set.clone(),
                digest,
                question: crate::domain::Question::default(),
                trials: Vec::new(),
                status,
            });
        }
        if *selected && *is_compared {
            let standing = STANDINGS[*standing];
            sample.compared.push(Compared::new(case, set, standing, ""));
        }
    }
    sample
}

proptest! {
    #[test]
    fn every_case_of_the_plan_appears_exactly_once_and_the_sums_agree(
        cases in proptest::collection::vec((any::<bool>(), any::<bool>(), any::<bool>(), 0_usize..5, 0_usize..13), 0..40)
    ) {
        let sample = made_up(&cases);
        let document = sample.document();

        let mut shown: Vec<&CaseId> = document.cases.iter().map(|case| &case.id).collect();
        shown.extend(document.excluded.iter().map(|excluded| &excluded.case));
        shown.sort_unstable();
        let mut planned: Vec<&CaseId> = sample.plan.selected.iter().map(|one| &one.case).collect();
        planned.extend(sample.plan.excluded.iter().map(|one| &one.case));
        planned.sort_unstable();
        prop_assert_eq!(shown, planned);

        let counts = document.counts;
        prop_assert_eq!(counts.total, cases.len());
        prop_assert_eq!(counts.selected, sample.plan.selected.len());
        prop_assert_eq!(
            counts.passed + counts.failed + counts.errored + counts.uncertain + counts.flaky,
            counts.selected
        );
        prop_assert_eq!(counts.selected + counts.inherited + counts.not_run, counts.total);

        let passed = sample.results.iter().filter(|result| result.status == CaseStatus::Passed).count();
        prop_assert_eq!(counts.passed, passed);

        let comparison = document.comparison;
        let sum = comparison.regressed + comparison.fixed + comparison.unchanged + comparison.known_failure
            + comparison.new + comparison.expectation_changed + comparison.not_comparable + comparison.inherited
            + comparison.no_baseline + comparison.flaky + comparison.errored + comparison.uncertain;
        prop_assert_eq!(sum, counts.total);

        let grouped: usize = Group::ALL.into_iter().map(|group| group.cases(&document).len()).sum();
        prop_assert_eq!(grouped, document.cases.len());
        let calm = |group: Group| !group.needs_attention() && group != Group::KnownFailures;
        let passed_or_fixed: Vec<&CaseView> =
            Group::ALL.into_iter().filter(|group| calm(*group)).flat_map(|group| group.cases(&document)).collect();
        prop_assert!(passed_or_fixed.iter().all(|case| case.status == CaseStatus::Passed));
    }
}

/// The sample with so many passes that a page cannot show all of them in full; the last one answers otherwise than was accepted.
fn crowded() -> (Sample, CaseId) {
    let mut sample = Sample::full();
    for number in 15..=400 {
        sample.passed(number);
    }
    sample.plan.selected.sort_by(|one, other| one.case.cmp(&other.case));
    let last = sample.cases.keys().filter(|case| case.as_str().starts_with("policy-answer-")).max().unwrap().clone();
    sample.accept(last.as_str(), "Never.");
    (sample, last)
}

#[test]
fn evidence_that_no_page_shows_is_handed_over_and_not_held() {
    let (sample, changed) = crowded();
    let mut feed = sample.feed();
    let Ok(document) = build(&sample.input(), &mut feed);

    let ids = |cases: &[CaseView]| cases.iter().map(|case| case.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&feed.whole), ids(&document.cases));
    let answers = |case: &CaseView| case.trials.iter().filter(|trial| trial.output.is_some()).count();
    let mut light = 0;
    for (whole, kept) in feed.whole.iter().zip(&document.cases) {
        assert!(whole.lightened.is_none());
        assert_eq!((whole.status, whole.trials.len()), (kept.status, kept.trials.len()), "{}", kept.id);
        if kept.lightened.is_some() {
            assert_eq!((Group::of(kept), answers(kept)), (Group::Passed, 0), "{}", kept.id);
            assert_eq!(answers(whole), whole.trials.len(), "{}", kept.id);
            light += 1;
        }
    }
    let passes = Group::Passed.cases(&document).len();
    assert_eq!(light, passes - 300);
    let changed = document.cases.iter().find(|case| case.id == changed).unwrap();
    assert!(changed.lightened.is_none() && answers(changed) > 0, "a changed answer is shown before the others");
}

#[test]
fn a_page_says_the_same_of_cases_whose_evidence_is_not_at_hand() {
    let (sample, _) = crowded();
    let whole = sample.document();
    let mut light = whole.clone();
    let before: Vec<Option<String>> =
        light.cases.iter().map(|case| super::super::findings::headline(case, 200)).collect();
    light.cases.iter_mut().for_each(CaseView::lighten);
    let after: Vec<Option<String>> =
        light.cases.iter().map(|case| super::super::findings::headline(case, 200)).collect();
    assert_eq!(before, after);
    assert_eq!(
        super::super::changed_answer::changed_passes(&light),
        super::super::changed_answer::changed_passes(&whole)
    );
    assert_eq!(limits(&light, 1), limits(&whole, 1));
}
