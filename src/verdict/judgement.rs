//! The verdict's values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::ExitCode;

use super::set_policy::SetJudgement;

/// The gate's answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictWord {
    /// Nothing stands against it.
    Pass,
    /// Something got worse.
    Fail,
    /// It cannot be said.
    Inconclusive,
}

impl VerdictWord {
    /// The name used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// One reason against a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictReason {
    /// The code that this reason alone would give.
    pub code: ExitCode,
    /// The reason in one sentence, with the number of cases.
    pub text: String,
}

/// The gate's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// In a word.
    pub word: VerdictWord,
    /// The exit code.
    pub code: ExitCode,
    /// Every reason against a pass, strongest first; empty for a pass.
    pub reasons: Vec<VerdictReason>,
    /// What is no reason against a pass and a reader should know all the same, a sentence each.
    pub notes: Vec<String>,
    /// The sets that are judged by something else than zero tolerance.
    pub sets: Vec<SetJudgement>,
}
