//! The standing of one case, and all that differs in it.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{Aspect, CaseId, CaseStatus, Risk};

/// How a case stands against its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
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
    /// It passes in its new form alone, or as it is judged now alone; in its old form it does not.
    ExpectationChanged,
    /// Some of its trials passed and some failed: never a pass, and nothing to compare.
    Flaky,
    /// It came to no answer, so that there is nothing to compare.
    Errored,
    /// The evidence supports neither side, so that there is nothing to compare.
    Uncertain,
    /// What was accepted and what ran do not speak of the same thing, or fewer trials ran than were accepted. What
    /// differs is named.
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
            Self::Flaky => "flaky",
            Self::Errored => "errored",
            Self::Uncertain => "uncertain",
            Self::NotComparable => "not_comparable",
            Self::Inherited => "inherited",
            Self::NoBaseline => "no_baseline",
        }
    }

    /// The standing of a case that ended so, where that decides nothing.
    pub(super) fn undecided(status: CaseStatus) -> Option<Self> {
        match status {
            CaseStatus::Flaky => Some(Self::Flaky),
            CaseStatus::Errored => Some(Self::Errored),
            CaseStatus::Uncertain => Some(Self::Uncertain),
            CaseStatus::Passed | CaseStatus::Failed => None,
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How one side of a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// Over all trials.
    pub status: CaseStatus,
    /// Trials that passed.
    pub passed: u32,
    /// Trials in all.
    pub trials: u32,
}

/// An expectation that one side met and the other did not, in any trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GradeChange {
    /// Its place in the case, from 1.
    pub expectation: usize,
    /// Its grader; empty where no side's record says.
    pub grader: String,
    /// Whether it holds now; before it was the other way round.
    pub holds_now: bool,
}

/// An operation that came out otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeChange {
    /// The operation.
    pub operation: String,
    /// Its outcome before; `not_started` where it was not seen.
    pub before: String,
    /// Its outcome now.
    pub now: String,
    /// Whether there is harm now that was not there before.
    pub worse: bool,
}

/// One case with its standing.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The case.
    pub case: CaseId,
    /// Its set.
    pub set: Risk,
    /// The set that it was accepted in, or had at the base where nothing was accepted for it, where that is another.
    pub former_set: Option<Risk>,
    /// How it ended in its head form; `None` where it did not run.
    pub status: Option<CaseStatus>,
    /// How it ended in its base form, where that ran.
    pub old_form: Option<CaseStatus>,
    /// Its standing.
    pub standing: Standing,
    /// Why it stands so, in one sentence.
    pub why: Arc<str>,
    /// In what the two sides do not speak of the same thing.
    pub differs: Vec<Aspect>,
    /// The expectations that changed sides; none where the expectations themselves differ.
    pub grades: Vec<GradeChange>,
    /// The operations that came out otherwise.
    pub outcomes: Vec<OutcomeChange>,
    /// The side before: what was accepted.
    pub before: Option<Ended>,
    /// The side now.
    pub now: Option<Ended>,
}

impl Compared {
    /// A case of which nothing but its standing is known.
    pub fn new(case: CaseId, set: Risk, standing: Standing, why: impl Into<Arc<str>>) -> Self {
        Self {
            case,
            set,
            former_set: None,
            status: None,
            old_form: None,
            standing,
            why: why.into(),
            differs: Vec::new(),
            grades: Vec::new(),
            outcomes: Vec::new(),
            before: None,
            now: None,
        }
    }

    /// Both sides, where they speak of the same thing and ran.
    pub fn pair(&self) -> Option<(Ended, Ended)> {
        // An edited case that passes in its accepted form too is as good as the accepted form.
        let same = self.differs.is_empty() || matches!(self.standing, Standing::Unchanged | Standing::Fixed);
        let counts = same && self.standing != Standing::NotComparable;
        self.before.zip(self.now).filter(|_| counts)
    }
}
