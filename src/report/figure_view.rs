//! The figures in `holdpoint.report/1`: how often the cases of each set passed, and how the runs before this one ended.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::comparison::statistics::wilson;
use crate::domain::{CaseStatus, Risk, RunId};
use crate::verdict::VerdictWord;

use super::document::CaseView;

/// The confidence of every interval that is shown.
const CONFIDENCE: f64 = 0.95;

/// How often the cases of one set passed. A case counts once, however many trials it has, and everything but a pass
/// counts against it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateView {
    /// The set.
    pub set: Risk,
    /// Cases of it that ran.
    pub cases: usize,
    /// Those that passed.
    pub passed: usize,
    /// The Wilson score interval of that share at 95 %.
    pub interval: Option<IntervalView>,
    /// How the same cases stood when they were accepted; `None` where none of them ever was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<AcceptedRateView>,
    /// How many of them a workflow that does nothing would pass; `None` where that is not known of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub do_nothing: Option<usize>,
}

/// An interval of a share, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntervalView {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// How the cases of a set stood when they were accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AcceptedRateView {
    /// Cases of the set that ran now and were accepted earlier.
    pub cases: usize,
    /// Those that were accepted as passing.
    pub passed: usize,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrendPoint {
    /// The run.
    pub run: RunId,
    /// When it ended, RFC 3339.
    pub finished: String,
    /// Its verdict.
    pub verdict: VerdictWord,
    /// Its exit code.
    pub exit_code: u8,
    /// Cases that ran.
    pub selected: usize,
    /// Those that passed.
    pub passed: usize,
}

/// The rates of the sets, by name. `accepted` has the status that each case was accepted with.
pub(super) fn rates<'a>(cases: &'a [CaseView], accepted: impl Fn(&'a CaseView) -> Option<CaseStatus>) -> Vec<RateView> {
    let mut by_set: BTreeMap<&Risk, Vec<&CaseView>> = BTreeMap::new();
    for case in cases {
        by_set.entry(&case.set).or_default().push(case);
    }
    let rate = |(set, members): (&Risk, Vec<&'a CaseView>)| {
        let passed = members.iter().filter(|case| case.status == CaseStatus::Passed).count();
        let before: Vec<CaseStatus> = members.iter().filter_map(|case| accepted(case)).collect();
        let interval = wilson(passed, members.len(), CONFIDENCE);
        RateView {
            set: set.clone(),
            cases: members.len(),
            passed,
            interval: interval.map(|interval| IntervalView { low: interval.low, high: interval.high }),
            accepted: (!before.is_empty()).then(|| AcceptedRateView {
                cases: before.len(),
                passed: before.iter().filter(|status| **status == CaseStatus::Passed).count(),
            }),
            do_nothing: passed_by_doing_nothing(&members),
        }
    };
    by_set.into_iter().map(rate).collect()
}

/// How many of these a workflow that does nothing would pass; `None` where that is not known of each.
pub(super) fn passed_by_doing_nothing<'a>(cases: impl IntoIterator<Item = &'a &'a CaseView>) -> Option<usize> {
    let each: Option<Vec<bool>> = cases.into_iter().map(|case| Some(case.do_nothing?.passes())).collect();
    Some(each?.into_iter().filter(|passes| *passes).count())
}

/// What a workflow that does nothing would come to, to stand beside a count of passes; empty where it is not known.
pub(super) fn beside_doing_nothing(cases: &[CaseView]) -> String {
    let members: Vec<&CaseView> = cases.iter().collect();
    let passed = passed_by_doing_nothing(&members).filter(|_| !cases.is_empty());
    passed.map(|passed| format!("a workflow that does nothing would pass {passed}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    #[test]
    fn each_set_has_its_own_rate_and_everything_but_a_pass_counts_against_it() {
        let document = Sample::full().document();
        let rates = rates(&document.cases, |_| None);
        let of = |set: &str| rates.iter().find(|rate| rate.set.as_str() == set).unwrap();
        // Fourteen passes, a regression and a known failure.
        assert_eq!((of("policy_accuracy").passed, of("policy_accuracy").cases), (14, 16));
        assert_eq!((of("uncertain_outcome").passed, of("uncertain_outcome").cases), (0, 1), "uncertain is no pass");
        assert_eq!(rates.iter().map(|rate| rate.cases).sum::<usize>(), document.cases.len());
        let interval = of("policy_accuracy").interval.unwrap();
        assert!((interval.low - 0.639_772).abs() < 1e-6 && (interval.high - 0.965_023).abs() < 1e-6, "{interval:?}");
    }

    #[test]
    fn what_doing_nothing_would_pass_stands_beside_a_rate_only_where_it_is_known_of_each_case() {
        let mut document = Sample::full().document();
        let of = |rates: &[RateView]| {
            rates.iter().find(|rate| rate.set.as_str() == "policy_accuracy").and_then(|rate| rate.do_nothing)
        };
        assert_eq!(of(&rates(&document.cases, |_| None)), Some(1));
        assert_eq!(beside_doing_nothing(&document.cases), "a workflow that does nothing would pass 1");
        let unknown = document.cases.iter_mut().find(|case| case.id.as_str() == "policy-answer-03").unwrap();
        unknown.do_nothing = None;
        assert_eq!(of(&rates(&document.cases, |_| None)), None);
        assert_eq!(beside_doing_nothing(&document.cases), "");
        assert_eq!(beside_doing_nothing(&[]), "");
    }

    #[test]
    fn what_was_accepted_is_counted_over_the_same_cases() {
        let document = Sample::full().document();
        let accepted = |case: &CaseView| match case.id.as_str() {
            "returns-window" | "policy-answer-01" => Some(CaseStatus::Passed),
            "two-currencies" => Some(CaseStatus::Failed),
            _ => None,
        };
        let rates = rates(&document.cases, accepted);
        let with: Vec<&RateView> = rates.iter().filter(|rate| rate.accepted.is_some()).collect();
        assert_eq!(with.len(), 1);
        assert_eq!(with[0].accepted, Some(AcceptedRateView { cases: 3, passed: 2 }));
    }
}
