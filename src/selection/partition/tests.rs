//! Divisions of a run, by property: nothing is lost, nothing is run twice, nothing moves that need not.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn cases(ids: &BTreeSet<u16>) -> Vec<CaseId> {
    ids.iter().map(|id| CaseId::new(format!("case-{id}"))).collect()
}

fn loads(parts: &BTreeMap<&CaseId, u32>, durations: &BTreeMap<CaseId, u64>, of: u32) -> Vec<u64> {
    let of_part = |number: u32| parts.iter().filter(move |(_, part)| **part == number);
    (1..=of).map(|number| of_part(number).map(|(case, _)| durations[*case]).sum()).collect()
}

proptest! {
    #[test]
    fn by_hash_each_case_is_in_one_part_whatever_others_there_are(id in "[a-z0-9-]{1,40}", of in 1_u32..=64) {
        let case = CaseId::new(id);
        let part = part_by_hash(&case, of);
        prop_assert!(RunPart::new(part, of).is_some());
        prop_assert_eq!(part_by_hash(&case, of), part);
        prop_assert_eq!(part_by_hash(&case, 1), 1);
    }

    #[test]
    fn by_durations_the_parts_are_disjoint_and_cover_everything(
        ids in prop::collection::btree_set(any::<u16>(), 0..60),
        times in prop::collection::vec(0_u64..5_000, 60),
        known in prop::collection::vec(any::<bool>(), 60),
        of in 1_u32..=12,
    ) {
        let cases = cases(&ids);
        let durations: BTreeMap<CaseId, u64> = cases
            .iter()
            .cloned()
            .zip(times)
            .zip(known)
            .filter_map(|(pair, known)| known.then_some(pair))
            .collect();
        let parts = parts_by_durations(&cases, &durations, of);
        prop_assert_eq!(parts.len(), cases.len());
        prop_assert!(cases.iter().all(|case| RunPart::new(parts[case], of).is_some()));
        let backwards = parts_by_durations(cases.iter().rev(), &durations, of);
        prop_assert_eq!(backwards, parts, "the order in which cases come changes nothing");
    }

    #[test]
    fn by_durations_no_part_is_fuller_than_the_bound_of_longest_first(
        ids in prop::collection::btree_set(any::<u16>(), 1..60),
        times in prop::collection::vec(1_u64..5_000, 60),
        of in 1_u32..=12,
    ) {
        let cases = cases(&ids);
        let durations: BTreeMap<CaseId, u64> = cases.iter().cloned().zip(times).collect();
        let loads = loads(&parts_by_durations(&cases, &durations, of), &durations, of);
        let (sum, longest) = (durations.values().sum::<u64>(), *durations.values().max().unwrap());
        // Whoever was given last was the least loaded, so had at most the mean of what was given before.
        prop_assert!(loads.iter().all(|load| *load <= sum / u64::from(of) + longest + 1), "{loads:?}");
        prop_assert_eq!(loads.iter().sum::<u64>(), sum);
    }
}

#[test]
fn the_hash_is_one_that_never_changes() {
    // From `printf %s ID | sha256sum`: the first 16 digits as a number, modulo the parts, plus one.
    let parts = ["greets", "refuses", "a", ""].map(|id| part_by_hash(&CaseId::from(id), 8));
    assert_eq!(parts, [4, 4, 3, 5]);
}

#[test]
fn the_hash_spreads_numbered_cases() {
    let mut counts = [0_usize; 8];
    for number in 0..8_000 {
        let part = part_by_hash(&CaseId::new(format!("case-{number:05}")), 8);
        counts[part as usize - 1] += 1;
    }
    // Ten standard deviations of a binomial distribution with 8,000 draws and p = 1/8.
    assert!(counts.iter().all(|count| count.abs_diff(1_000) < 300), "{counts:?}");
}

#[test]
fn the_longest_goes_first_and_each_to_the_part_with_least_to_do() {
    let durations: BTreeMap<CaseId, u64> =
        [("a", 7), ("b", 6), ("c", 5), ("d", 4), ("e", 3)].map(|(id, time)| (CaseId::from(id), time)).into();
    let parts = parts_by_durations(durations.keys(), &durations, 2);
    let of_part = |number| parts.iter().filter(|(_, part)| **part == number).map(|(case, _)| case.as_str()).collect();
    let (first, second): (Vec<&str>, Vec<&str>) = (of_part(1), of_part(2));
    assert_eq!((first, second), (vec!["a", "d", "e"], vec!["b", "c"]));
}

#[test]
fn a_case_of_unknown_duration_counts_as_the_median() {
    let durations: BTreeMap<CaseId, u64> =
        [("a", 100), ("b", 10), ("c", 1)].map(|(id, time)| (CaseId::from(id), time)).into();
    let cases = ["a", "b", "c", "new"].map(CaseId::from);
    let parts = parts_by_durations(&cases, &durations, 2);
    let of = |id: &str| parts[&CaseId::from(id)];
    assert_eq!((of("a"), of("b"), of("new"), of("c")), (1, 2, 2, 2));
}

#[test]
fn a_part_that_cannot_be_is_none() {
    assert_eq!([(0, 3), (4, 3), (1, 0), (1, RunPart::MOST + 1)].map(|(n, of)| RunPart::new(n, of)), [None; 4]);
    assert_eq!(RunPart::new(3, 3).unwrap().to_string(), "part 3 of 3");
}
