//! How a trial and a case ended, before anything is compared with a baseline.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How one trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrialStatus {
    /// Every grade passed.
    Passed,
    /// At least one grade said no.
    Failed,
    /// Something that must be known could not be: an operation's outcome stayed uncertain.
    Uncertain,
    /// The trial, or one of its graders, did not come to an answer.
    Errored,
}

/// How a case ended over all its trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CaseStatus {
    /// All trials passed.
    Passed,
    /// All trials failed.
    Failed,
    /// At least one trial was uncertain, and none errored.
    Uncertain,
    /// Some trials passed and some failed: a result of its own, never a pass.
    Flaky,
    /// At least one trial errored.
    Errored,
}

impl CaseStatus {
    /// Sums up trials: an error outweighs uncertainty, uncertainty outweighs a mixture of pass and fail.
    /// No trial at all is an error, since nothing was shown.
    pub fn of_trials(trials: &[TrialStatus]) -> Self {
        let any = |wanted: TrialStatus| trials.contains(&wanted);
        if trials.is_empty() || any(TrialStatus::Errored) {
            Self::Errored
        } else if any(TrialStatus::Uncertain) {
            Self::Uncertain
        } else {
            match (any(TrialStatus::Passed), any(TrialStatus::Failed)) {
                (true, true) => Self::Flaky,
                (true, false) => Self::Passed,
                (false, _) => Self::Failed,
            }
        }
    }

    /// The name used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Uncertain => "uncertain",
            Self::Flaky => "flaky",
            Self::Errored => "errored",
        }
    }
}

impl TrialStatus {
    /// The name used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Uncertain => "uncertain",
            Self::Errored => "errored",
        }
    }
}

impl fmt::Display for CaseStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for TrialStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TrialStatus::{Errored, Failed, Passed, Uncertain};

    #[test]
    fn a_mixture_is_flaky_and_an_error_outweighs_all() {
        assert_eq!(CaseStatus::of_trials(&[Passed, Passed]), CaseStatus::Passed);
        assert_eq!(CaseStatus::of_trials(&[Failed]), CaseStatus::Failed);
        assert_eq!(CaseStatus::of_trials(&[Passed, Failed]), CaseStatus::Flaky);
        assert_eq!(CaseStatus::of_trials(&[Passed, Failed, Uncertain]), CaseStatus::Uncertain);
        assert_eq!(CaseStatus::of_trials(&[Passed, Uncertain, Errored]), CaseStatus::Errored);
        assert_eq!(CaseStatus::of_trials(&[]), CaseStatus::Errored);
    }
}
