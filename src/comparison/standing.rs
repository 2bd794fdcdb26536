//! The standing of one case.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::{CaseId, CaseStatus, Risk};

/// How a case stands against its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Fails now, and worse than at acceptance: it passed then, or other expectations failed, or an operation has a worse
    /// outcome now.
    Regressed,
    /// Did not pass at acceptance and does now.
    Fixed,
    /// As at acceptance, and passing.
    Unchanged,
    /// Failed at acceptance, accepted so, and still fails, in nothing that did not fail then.
    KnownFailure,
    /// The baseline does not know it.
    New,
    /// The baseline knows it and the project no longer has it.
    Removed,
    /// It passes in its new form alone; in its old form it does not.
    ExpectationChanged,
    /// What was accepted and what ran do not speak of the same thing, or fewer trials ran than were accepted, or what ran
    /// came to no conclusion: it errored, is uncertain or flaky, as the status says.
    NotComparable,
    /// It did not run and stands on its accepted result.
    Inherited,
    /// There is no baseline at all.
    NoBaseline,
}

impl Standing {
    /// The name used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Fixed => "fixed",
            Self::Unchanged => "unchanged",
            Self::KnownFailure => "known_failure",
            Self::New => "new",
            Self::Removed => "removed",
            Self::ExpectationChanged => "expectation_changed",
            Self::NotComparable => "not_comparable",
            Self::Inherited => "inherited",
            Self::NoBaseline => "no_baseline",
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One case with its standing.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The case.
    pub case: CaseId,
    /// Its set.
    pub set: Risk,
    /// How it ended in its head form; `None` where it did not run.
    pub status: Option<CaseStatus>,
    /// How it ended in its base form, where that ran.
    pub old_form: Option<CaseStatus>,
    /// Its standing.
    pub standing: Standing,
    /// Why it stands so, in one sentence.
    pub why: String,
}
