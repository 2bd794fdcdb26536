//! The groups in which readers meet the cases that ran, worst first.

use crate::comparison::Standing;
use crate::domain::CaseStatus;

use super::document::{CaseView, ReportDocument};

/// One group. Each case that ran lies in exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    Regressions,
    NewFailures,
    Failures,
    ExpectationChanges,
    Uncertain,
    Flaky,
    Errored,
    NotComparable,
    Tolerated,
    Fixed,
    KnownFailures,
    Passed,
}

impl Group {
    /// Every group, in the order in which reports show them.
    pub(super) const ALL: [Self; 12] = [
        Self::Regressions,
        Self::NewFailures,
        Self::Failures,
        Self::ExpectationChanges,
        Self::Uncertain,
        Self::Flaky,
        Self::Errored,
        Self::NotComparable,
        Self::Tolerated,
        Self::Fixed,
        Self::KnownFailures,
        Self::Passed,
    ];

    /// The group of a case.
    pub(super) fn of(case: &CaseView) -> Self {
        Self::of_result(case.tolerated, case.comparison, case.status)
    }

    /// The group of a case that stands and ended so.
    pub(super) fn of_result(tolerated: bool, standing: Standing, status: CaseStatus) -> Self {
        if tolerated {
            return Self::Tolerated;
        }
        match (standing, status) {
            (Standing::Regressed, _) => Self::Regressions,
            (_, CaseStatus::Uncertain) => Self::Uncertain,
            (_, CaseStatus::Flaky) => Self::Flaky,
            (_, CaseStatus::Errored) => Self::Errored,
            (Standing::ExpectationChanged, _) => Self::ExpectationChanges,
            // The status says these three already; a standing that contradicts it is not to be believed.
            (Standing::Flaky | Standing::Errored | Standing::Uncertain, _) => Self::NotComparable,
            (Standing::NotComparable | Standing::Removed | Standing::Inherited, _) => Self::NotComparable,
            (Standing::KnownFailure, CaseStatus::Failed) => Self::KnownFailures,
            (Standing::New, CaseStatus::Failed) => Self::NewFailures,
            (_, CaseStatus::Failed) => Self::Failures,
            (Standing::Fixed, CaseStatus::Passed) => Self::Fixed,
            (_, CaseStatus::Passed) => Self::Passed,
        }
    }

    /// The cases of the document that lie in the group, by id.
    pub(super) fn cases(self, document: &ReportDocument) -> Vec<&CaseView> {
        document.cases.iter().filter(|case| Self::of(case) == self).collect()
    }

    /// Whether a person has to do something about its cases.
    pub(super) fn needs_attention(self) -> bool {
        !matches!(self, Self::Fixed | Self::KnownFailures | Self::Passed)
    }

    /// The heading.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Regressions => "Regressions",
            Self::NewFailures => "New failures",
            Self::Failures => "Failures",
            Self::ExpectationChanges => "Changed expectations",
            Self::Uncertain => "Uncertain",
            Self::Flaky => "Flaky",
            Self::Errored => "Errored",
            Self::NotComparable => "Not comparable",
            Self::Tolerated => "Tolerated by policy",
            Self::Fixed => "Fixed",
            Self::KnownFailures => "Known failures",
            Self::Passed => "Passed",
        }
    }

    /// The name used in addresses and for styles.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Regressions => "regressions",
            Self::NewFailures => "new-failures",
            Self::Failures => "failures",
            Self::ExpectationChanges => "changed-expectations",
            Self::Uncertain => "uncertain",
            Self::Flaky => "flaky",
            Self::Errored => "errored",
            Self::NotComparable => "not-comparable",
            Self::Tolerated => "tolerated",
            Self::Fixed => "fixed",
            Self::KnownFailures => "known-failures",
            Self::Passed => "passed",
        }
    }

    /// What it means to lie in the group. What to do about it stands among the next steps.
    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::Regressions => "What was accepted is not met any more.",
            Self::NewFailures => "No accepted result knows these cases.",
            Self::Failures => "These fail, and no accepted result says whether they ever passed.",
            Self::ExpectationChanges => {
                "The case was edited along with what it tests: the answer passes the new form and fails the old one."
            }
            Self::Uncertain => "The evidence supports neither that the operation took effect nor that it did not.",
            Self::Flaky => "Some trials passed and some failed on the same input. That is no pass.",
            Self::Errored => "No answer came, or it could not be judged. Nothing is known of the workflow here.",
            Self::NotComparable => "What was accepted and what ran do not speak of the same thing.",
            Self::Tolerated => {
                "These did not pass. The policy of their set tolerates it, because the rest of the set shows that it may; \
                 without that policy they would keep the gate from passing."
            }
            Self::Fixed => {
                "These did not pass when they were accepted, and do now. Accept them, so that they stay fixed."
            }
            Self::KnownFailures => "These were accepted as failing, and still fail.",
            Self::Passed => {
                "These passed what they expect. Where an answer is another one than was accepted, its case says so: no expectation \
                 looks at the difference."
            }
        }
    }
}
