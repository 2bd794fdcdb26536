//! The sound desk.

use std::collections::BTreeMap;

use holdpoint::domain::TrialStatus;

use crate::bench::{PROJECT, SETS, explain, run};

#[test]
fn every_case_passes_on_the_sound_desk() {
    let graded = run(&PROJECT);
    assert_eq!(graded.len(), PROJECT.cases.len());
    let failed: Vec<String> = graded.iter().filter(|trial| trial.status != TrialStatus::Passed).map(explain).collect();
    assert!(failed.is_empty(), "{} of {} did not pass:\n{}", failed.len(), graded.len(), failed.join("\n"));
}

#[test]
fn every_set_has_cases_and_exactly_one_of_them_always_runs() {
    let mut always: BTreeMap<&str, usize> = BTreeMap::new();
    for case in PROJECT.cases.values() {
        *always.entry(case.set.as_str()).or_default() += usize::from(case.always);
    }
    assert!(PROJECT.cases.len() >= 45);
    for set in SETS {
        assert_eq!(always.get(set), Some(&1), "{set}");
    }
}
