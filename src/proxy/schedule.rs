//! Which fault falls on which call, and where in a body it strikes. Pure: the same case and seed give the same.

use std::collections::BTreeMap;

use crate::domain::{Digest, PartId};
use crate::manifest::FaultSpec;

/// The operation that stands for every call of a connector.
const ANY: &str = "*";

/// The faults of a trial, and how many calls have come so far.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    faults: Vec<FaultSpec>,
    /// Calls so far, by connector and operation; under `None` all those of the connector.
    counts: BTreeMap<(PartId, Option<String>), u32>,
}

impl Schedule {
    pub(super) fn new(faults: &[FaultSpec]) -> Self {
        Self { faults: faults.to_vec(), counts: BTreeMap::new() }
    }

    /// Counts a call and gives the fault that falls on it, with its place in the case's list. Where several would, the
    /// first in the list does.
    pub(super) fn next(&mut self, connector: &PartId, operation: Option<&str>) -> Option<(usize, &FaultSpec)> {
        if self.faults.is_empty() {
            return None;
        }
        let mut count = |name: Option<&str>| {
            let count = self.counts.entry((connector.clone(), name.map(str::to_owned))).or_default();
            *count += 1;
            *count
        };
        let any = count(None);
        let own = operation.map(|name| count(Some(name)));
        let falls = |fault: &FaultSpec| {
            let attempt = if fault.operation == ANY {
                Some(any)
            } else {
                own.filter(|_| operation == Some(fault.operation.as_str()))
            };
            let through = fault.through.unwrap_or(fault.attempt).max(fault.attempt);
            fault.connector == *connector && attempt.is_some_and(|at| (fault.attempt..=through).contains(&at))
        };
        self.faults.iter().enumerate().find(|(_, fault)| falls(fault))
    }
}

/// A number below `below` for one call of a trial, or 0 where `below` is 0. `what` tells several numbers for the same
/// call apart.
pub(super) fn place(seed: u64, call: u32, what: &str, below: u64) -> u64 {
    let digest = Digest::of(format!("{seed}/{call}/{what}").as_bytes());
    let number = digest.to_bytes().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
    number.checked_rem(below).unwrap_or(0)
}

/// How many bytes of a body of `length` are kept where the fault does not say: about half, at least none and never all.
pub(super) fn about_half(seed: u64, call: u32, length: u64) -> u64 {
    length * 3 / 8 + place(seed, call, "half", (length / 4).max(1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::manifest::FaultName;

    fn fault(connector: &str, operation: &str, attempt: u32) -> FaultSpec {
        FaultSpec::new(connector, operation, attempt, FaultName::LostAck)
    }

    fn fallen(faults: &[FaultSpec], calls: &[(&str, Option<&str>)]) -> Vec<Option<usize>> {
        let mut schedule = Schedule::new(faults);
        let next = |(connector, operation): &(&str, Option<&str>)| {
            schedule.next(&PartId::from(*connector), *operation).map(|(index, _)| index)
        };
        calls.iter().map(next).collect()
    }

    #[test]
    fn attempts_are_counted_for_each_connector_and_operation() {
        let faults = [fault("a", "x", 2), fault("b", "x", 1)];
        let calls = [("a", Some("x")), ("a", Some("y")), ("b", Some("x")), ("a", Some("x")), ("a", Some("x"))];
        assert_eq!(fallen(&faults, &calls), [None, None, Some(1), Some(0), None]);
    }

    #[test]
    fn a_fault_on_any_operation_counts_every_call_of_its_connector() {
        let calls = [("a", Some("x")), ("b", None), ("a", None), ("a", Some("y"))];
        assert_eq!(fallen(&[fault("a", "*", 2)], &calls), [None, None, Some(0), None]);
        assert_eq!(fallen(&[fault("a", "*", 3)], &calls), [None, None, None, Some(0)]);
    }

    #[test]
    fn a_fault_that_lasts_falls_on_each_attempt_of_its_span() {
        let calls = [("a", Some("x")); 4];
        let lasting = FaultSpec { through: Some(3), ..fault("a", "x", 2) };
        assert_eq!(fallen(&[lasting], &calls), [None, Some(0), Some(0), None]);
        let backwards = FaultSpec { through: Some(1), ..fault("a", "x", 2) };
        assert_eq!(fallen(&[backwards], &calls), [None, Some(0), None, None]);
    }

    #[test]
    fn of_two_faults_on_a_call_the_first_of_the_list_falls() {
        assert_eq!(fallen(&[fault("a", "*", 1), fault("a", "x", 1)], &[("a", Some("x"))]), [Some(0)]);
        assert_eq!(fallen(&[fault("a", "x", 1), fault("a", "*", 1)], &[("a", Some("x"))]), [Some(0)]);
    }

    #[test]
    fn an_operation_whose_name_is_a_star_is_no_special_one() {
        let calls = [("a", Some("*")), ("a", Some("x"))];
        assert_eq!(fallen(&[fault("a", "x", 1)], &calls), [None, Some(0)]);
        assert_eq!(fallen(&[fault("a", "*", 2)], &calls), [None, Some(0)]);
    }

    proptest! {
        #[test]
        fn each_single_fault_falls_on_exactly_the_attempt_it_names(
            calls in prop::collection::vec((0_usize..2, 0_usize..3), 0..30),
            attempt in 1_u32..6,
            connector in 0_usize..2,
            operation in 0_usize..3,
        ) {
            let names = ["x", "y", "z"];
            let parts = ["a", "b"];
            let calls: Vec<_> = calls.iter().map(|(part, name)| (parts[*part], Some(names[*name]))).collect();
            let fell = fallen(&[fault(parts[connector], names[operation], attempt)], &calls);
            let own = (parts[connector], Some(names[operation]));
            let expected = (0..calls.len()).filter(|at| calls[*at] == own).nth(attempt as usize - 1);
            let found: Vec<usize> = (0..calls.len()).filter(|at| fell[*at].is_some()).collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn calls_of_other_connectors_move_nothing(
            calls in prop::collection::vec(0_usize..3, 0..20),
            others in prop::collection::vec((0_usize..20, 0_usize..3), 0..20),
            attempt in 1_u32..6,
        ) {
            let names = ["x", "y", "z"];
            let own: Vec<_> = calls.iter().map(|name| ("a", Some(names[*name]))).collect();
            let mut mixed = own.clone();
            for (at, name) in others {
                mixed.insert(at.min(mixed.len()), ("b", Some(names[name])));
            }
            let faults = [fault("a", "x", attempt), fault("a", "*", attempt + 1)];
            let alone = fallen(&faults, &own);
            let among = fallen(&faults, &mixed);
            let kept: Vec<_> = among.into_iter().zip(&mixed).filter(|(_, call)| call.0 == "a").map(|(fell, _)| fell).collect();
            prop_assert_eq!(alone, kept);
        }

        #[test]
        fn a_place_lies_where_it_may_and_hangs_on_the_seed_and_the_call(seed: u64, call: u32, below in 1_u64..) {
            prop_assert!(place(seed, call, "a", below) < below);
            prop_assert_eq!(place(seed, call, "a", below), place(seed, call, "a", below));
            prop_assert_ne!(place(seed, call, "a", u64::MAX), place(seed, call, "b", u64::MAX));
            prop_assert_ne!(place(seed, call, "a", u64::MAX), place(seed, call.wrapping_add(1), "a", u64::MAX));
            prop_assert_ne!(place(seed, call, "a", u64::MAX), place(seed.wrapping_add(1), call, "a", u64::MAX));
            prop_assert_eq!(place(seed, call, "a", 0), 0);
        }

        #[test]
        fn about_half_is_less_than_all_and_for_most_bodies_more_than_nothing(seed: u64, call: u32, length in 1_u64..1 << 40) {
            let kept = about_half(seed, call, length);
            prop_assert!(kept < length);
            prop_assert!(length < 3 || kept > 0);
            prop_assert!(length < 8 || (length / 4..=length / 4 * 3).contains(&kept), "{}", kept);
        }
    }
}
