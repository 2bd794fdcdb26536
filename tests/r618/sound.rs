//! The sound workflow.

use std::collections::BTreeMap;

use holdpoint::domain::TrialStatus;

use crate::bench::{PROJECT, SETS, explain, run};

#[test]
fn every_case_passes_on_the_sound_workflow() {
    let graded = run(&PROJECT);
    assert_eq!(graded.len(), PROJECT.cases.len());
    let failed: Vec<String> = graded.iter().filter(|trial| trial.status != TrialStatus::Passed).map(explain).collect();
    assert!(failed.is_empty(), "{} of {} did not pass:\n{}", failed.len(), graded.len(), failed.join("\n"));
}

#[test]
fn every_set_has_cases() {
    let mut cases: BTreeMap<&str, usize> = BTreeMap::new();
    for case in PROJECT.cases.values() {
        *cases.entry(case.set.as_str()).or_default() += 1;
    }
    assert!(PROJECT.cases.len() >= 35, "{cases:?}");
    for set in SETS {
        assert!(cases.get(set).is_some_and(|count| *count >= 5), "{set}: {cases:?}");
    }
}
