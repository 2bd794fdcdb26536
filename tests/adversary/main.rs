//! An adversary who wants a green gate without merit. Each way begins at an honest project whose results were accepted,
//! plays one trick, and asks the real binary: the gate ends other than 0, or the first screen of its report names the
//! trick; here it must name it in either case.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test that cannot set up has to fail")]

mod acceptance;
mod baselines;
mod cases;
mod desk;
mod expectations;
mod files;
mod git;
mod judges;
mod policies;
#[path = "../end_to_end/sandbox.rs"]
#[allow(dead_code, reason = "other tests need the rest of it")]
mod sandbox;
mod targets;
mod way;
mod workflows;

use way::Way;

/// Every family of ways.
const FAMILIES: [&[Way]; 10] = [
    acceptance::WAYS,
    baselines::WAYS,
    cases::WAYS,
    expectations::WAYS,
    files::WAYS,
    git::WAYS,
    judges::WAYS,
    policies::WAYS,
    targets::WAYS,
    workflows::WAYS,
];

#[test]
fn there_are_many_ways_and_no_two_are_the_same() {
    let tricks: std::collections::BTreeSet<&str> = FAMILIES.iter().copied().flatten().map(|way| way.trick).collect();
    assert_eq!(tricks.len(), FAMILIES.iter().map(|family| family.len()).sum::<usize>(), "two of one name");
    assert!(tricks.len() >= 30, "{} ways", tricks.len());
}
