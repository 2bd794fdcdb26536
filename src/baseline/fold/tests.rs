//! What chains, forks and revocations add up to.

use proptest::prelude::*;

use super::super::samples::{accepted, digest, digest_of, record, snapshot, whole};
use super::*;
use crate::baseline::Scope;
use crate::domain::CaseStatus;

fn chain(records: &[&Record]) -> BTreeMap<Digest, Record> {
    records.iter().map(|record| (digest_of(record), (*record).clone())).collect()
}

fn folded(records: &[&Record]) -> Baseline {
    let records = chain(records);
    fold(&records, &chain_order(&records).unwrap(), &BTreeMap::new())
}

fn source<'a>(baseline: &'a Baseline, case: &str) -> Option<&'a Digest> {
    baseline.cases.get(case).map(|entry| &entry.record)
}

#[test]
fn a_later_record_replaces_the_cases_that_it_names_and_leaves_the_others() {
    let first = record(&[], 1, &[("a", "1"), ("b", "1")]);
    let second = record(&[&digest_of(&first)], 2, &[("b", "2")]);
    let baseline = folded(&[&first, &second]);
    assert_eq!(source(&baseline, "a"), Some(&digest_of(&first)));
    assert_eq!(source(&baseline, "b"), Some(&digest_of(&second)));
    assert_eq!(baseline.heads, [digest_of(&second)]);
    assert_eq!((baseline.records, baseline.conflicts.len()), (2, 0));
}

#[test]
fn how_many_acceptances_came_after_one_is_counted() {
    let first = record(&[], 1, &[("a", "1"), ("b", "1")]);
    let second = record(&[&digest_of(&first)], 2, &[("b", "2")]);
    let third = record(&[&digest_of(&second)], 3, &[("c", "3")]);
    let baseline = folded(&[&first, &second, &third]);
    let since = |case: &str| baseline.cases[case].acceptances_since;
    assert_eq!((since("a"), since("b"), since("c")), (2, 1, 0));
}

#[test]
fn the_chain_decides_and_not_the_clock() {
    let first = record(&[], 9, &[("a", "1")]);
    let second = record(&[&digest_of(&first)], 2, &[("a", "2")]);
    assert_eq!(source(&folded(&[&first, &second]), "a"), Some(&digest_of(&second)));
}

#[test]
fn times_are_compared_as_times_and_not_as_texts() {
    let root = record(&[], 1, &[]);
    let parent = digest_of(&root);
    let whole = record(&[&parent], 5, &[("a", "whole second")]);
    let mut later = record(&[&parent], 5, &[("a", "half a second later")]);
    later.accepted = "2026-01-01T00:00:05.5Z".to_owned();
    assert!(later.accepted < whole.accepted, "as texts the later one sorts first");
    assert_eq!(source(&folded(&[&root, &whole, &later]), "a"), Some(&digest_of(&later)));
}

#[test]
fn a_partial_acceptance_leaves_the_earlier_snapshot_in_force() {
    let first = Record { snapshot: Some(whole(&snapshot(0.5))), scope: Scope::Run, ..record(&[], 1, &[("a", "1")]) };
    let second = record(&[&digest_of(&first)], 2, &[("a", "2")]);
    assert_eq!(folded(&[&first, &second]).snapshot, Some(snapshot(0.5)));
}

#[test]
fn a_removed_case_is_out_until_it_is_accepted_again() {
    let first = record(&[], 1, &[("a", "1"), ("b", "1")]);
    let second = Record { removed: vec![CaseId::from("a")], ..record(&[&digest_of(&first)], 2, &[]) };
    let third = record(&[&digest_of(&second)], 3, &[("a", "3")]);
    assert_eq!(source(&folded(&[&first, &second]), "a"), None);
    assert_eq!(source(&folded(&[&first, &second]), "b"), Some(&digest_of(&first)));
    assert_eq!(source(&folded(&[&first, &second, &third]), "a"), Some(&digest_of(&third)));
}

#[test]
fn a_fork_has_two_heads_and_says_which_record_counts_where_they_differ() {
    let root = record(&[], 1, &[("a", "1"), ("b", "1"), ("c", "1")]);
    let parent = digest_of(&root);
    let failed = ("a", AcceptedCase { status: CaseStatus::Failed, ..accepted(CaseStatus::Failed, "2") });
    let mut one = record(&[&parent], 2, &[("b", "2"), ("c", "2")]);
    one.cases.insert(CaseId::from(failed.0), failed.1);
    let other = record(&[&parent], 3, &[("a", "3"), ("c", "3")]);
    let baseline = folded(&[&root, &one, &other]);
    let mut heads = vec![digest_of(&one), digest_of(&other)];
    heads.sort();
    assert_eq!(baseline.heads, heads);
    assert_eq!(source(&baseline, "a"), Some(&digest_of(&other)), "the later acceptance");
    assert_eq!(source(&baseline, "b"), Some(&digest_of(&one)), "only one branch speaks of it");
    assert_eq!(source(&baseline, "c"), Some(&digest_of(&other)), "both accept a pass of the same form");
    let expected =
        ForkConflict { case: Some(CaseId::from("a")), taken: digest_of(&other), others: vec![digest_of(&one)] };
    assert_eq!(baseline.conflicts, [expected]);
}

#[test]
fn a_record_that_joins_a_fork_settles_what_it_names() {
    let root = record(&[], 1, &[]);
    let parent = digest_of(&root);
    let one = Record { removed: vec![CaseId::from("a")], ..record(&[&parent], 2, &[]) };
    let other = record(&[&parent], 3, &[("a", "3")]);
    let joined = record(&[&digest_of(&one), &digest_of(&other)], 4, &[("a", "4")]);
    assert_eq!(folded(&[&root, &one, &other]).conflicts.len(), 1);
    let baseline = folded(&[&root, &one, &other, &joined]);
    assert_eq!((baseline.heads, baseline.conflicts), (vec![digest_of(&joined)], vec![]));
    assert_eq!(baseline.cases.get("a").unwrap().record, digest_of(&joined));
}

#[test]
fn two_snapshots_of_a_fork_are_a_conflict_too() {
    let root = record(&[], 1, &[]);
    let parent = digest_of(&root);
    let one = Record { snapshot: Some(whole(&snapshot(0.1))), ..record(&[&parent], 2, &[]) };
    let other = Record { snapshot: Some(whole(&snapshot(0.2))), ..record(&[&parent], 3, &[]) };
    let baseline = folded(&[&root, &one, &other]);
    assert_eq!(baseline.snapshot, Some(snapshot(0.2)));
    assert_eq!(baseline.conflicts.len(), 1);
    assert_eq!(baseline.conflicts[0].case, None);
}

#[test]
fn a_revoked_record_counts_as_never_accepted_and_a_revoked_revocation_does_nothing() {
    let first = Record { snapshot: Some(whole(&snapshot(0.1))), ..record(&[], 1, &[("a", "1")]) };
    let second =
        Record { snapshot: Some(whole(&snapshot(0.2))), ..record(&[&digest_of(&first)], 2, &[("a", "2"), ("b", "2")]) };
    let revocation = Record {
        revokes: vec![digest_of(&second)],
        scope: Scope::Revocation,
        ..record(&[&digest_of(&second)], 3, &[])
    };
    let baseline = folded(&[&first, &second, &revocation]);
    assert_eq!(source(&baseline, "a"), Some(&digest_of(&first)));
    assert_eq!(source(&baseline, "b"), None);
    assert_eq!(baseline.snapshot, Some(snapshot(0.1)));
    let undone = Record {
        revokes: vec![digest_of(&revocation)],
        scope: Scope::Revocation,
        ..record(&[&digest_of(&revocation)], 4, &[])
    };
    let baseline = folded(&[&first, &second, &revocation, &undone]);
    assert_eq!(source(&baseline, "a"), Some(&digest_of(&second)));
    assert_eq!(baseline.snapshot, Some(snapshot(0.2)));
}

#[test]
fn a_cycle_has_no_order_and_is_named_with_what_hangs_on_it() {
    let (one, other, behind) = (digest("one"), digest("other"), digest("behind"));
    let records = BTreeMap::from([
        (one.clone(), record(&[&other], 1, &[])),
        (other.clone(), record(&[&one], 2, &[])),
        (behind.clone(), record(&[&one], 3, &[])),
        (digest("free"), record(&[], 4, &[])),
    ]);
    let mut expected = vec![one, other, behind];
    expected.sort();
    assert_eq!(chain_order(&records), Err(expected));
}

#[test]
fn ancestry_reaches_over_more_records_than_a_machine_word_has_bits() {
    let mut records = vec![record(&[], 0, &[("a", "0")])];
    for number in 1..200_u32 {
        let parent = digest_of(records.last().unwrap());
        records.push(record(&[&parent], number % 60, &[]));
    }
    records.push(record(&[&digest_of(records.last().unwrap())], 0, &[("a", "last")]));
    let baseline = folded(&records.iter().collect::<Vec<_>>());
    assert_eq!(source(&baseline, "a"), records.last().map(digest_of).as_ref());
    assert!(baseline.conflicts.is_empty());
}

/// Records that each follow any of the earlier ones and name any of four cases.
fn any_chain() -> impl Strategy<Value = Vec<Record>> {
    let one =
        (prop::collection::vec(any::<prop::sample::Index>(), 0..3), 0..60_u32, prop::collection::vec(0..4_usize, 0..4));
    prop::collection::vec(one, 1..12).prop_map(|drafts| {
        let mut records: Vec<Record> = Vec::new();
        for (number, (parents, second, cases)) in drafts.into_iter().enumerate() {
            let parents: BTreeSet<Digest> = parents
                .into_iter()
                .filter(|_| !records.is_empty())
                .map(|index| digest_of(&records[index.index(records.len())]))
                .collect();
            let names = ["a", "b", "c", "d"];
            let answer = number.to_string();
            let cases: Vec<(&str, &str)> = cases.into_iter().map(|case| (names[case], answer.as_str())).collect();
            records.push(record(&parents.iter().collect::<Vec<_>>(), second, &cases));
        }
        records
    })
}

proptest! {
    #[test]
    fn the_order_in_which_records_are_found_does_not_matter(
        (records, shuffled) in any_chain().prop_flat_map(|records| (Just(records.clone()), Just(records).prop_shuffle()))
    ) {
        prop_assert_eq!(
            folded(&records.iter().collect::<Vec<_>>()),
            folded(&shuffled.iter().collect::<Vec<_>>())
        );
    }

    #[test]
    fn every_record_comes_after_those_it_follows_and_a_result_is_never_one_that_a_descendant_replaced(
        records in any_chain()
    ) {
        let chain = chain(&records.iter().collect::<Vec<_>>());
        let order = chain_order(&chain).unwrap();
        prop_assert_eq!(order.len(), chain.len());
        let place = |digest: &Digest| order.iter().position(|other| other == digest).unwrap();
        for (digest, record) in &chain {
            prop_assert!(record.parents.iter().all(|parent| place(parent) < place(digest)));
        }
        let baseline = fold(&chain, &order, &BTreeMap::new());
        for (case, entry) in &baseline.cases {
            let replaced = chain.values().any(|later| {
                later.cases.contains_key(case) && follows(&chain, later, &entry.record)
            });
            prop_assert!(!replaced, "{} of {}", case, entry.record);
        }
    }
}

/// Whether `record` follows `earlier` over any number of steps: the slow, plain way.
fn follows(chain: &BTreeMap<Digest, Record>, record: &Record, earlier: &Digest) -> bool {
    record.parents.iter().any(|parent| parent == earlier || follows(chain, &chain[parent], earlier))
}

#[test]
fn branches_that_excuse_different_failures_of_a_case_conflict() {
    let root = record(&[], 1, &[]);
    let branch = |second: u32, failing: &[usize]| {
        let mut branch = record(&[&digest_of(&root)], second, &[("a", "1")]);
        let case = branch.cases.get_mut("a").unwrap();
        (case.status, case.failing) = (CaseStatus::Failed, failing.to_vec());
        branch
    };
    assert_eq!(folded(&[&root, &branch(2, &[0]), &branch(3, &[0])]).conflicts.len(), 0);
    assert_eq!(folded(&[&root, &branch(2, &[0]), &branch(3, &[1])]).conflicts.len(), 1);
}
