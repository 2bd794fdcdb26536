//! The plan: every case of the project stands in it exactly once.

use std::fmt;

use crate::change::{Change, Side};
use crate::domain::{CaseId, CaseStatus, Digest, PartId, Risk};

/// Whether the plan chose cases or took all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The changes chose.
    Selective,
    /// Every case runs.
    All,
}

/// A change with the risks that the rules read from it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedChange {
    /// The change.
    pub change: Change,
    /// The risks it brings, sorted; for a case's own change its set.
    pub risks: Vec<Risk>,
}

/// Why a case runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SelectionReason {
    /// A change puts a risk at stake that the case shows. The text names the change in one phrase.
    AtRisk {
        /// The risk.
        risk: Risk,
        /// The change, as `source returns-policy file:policies/returns.md modified`.
        change: String,
    },
    /// The case, its fixture or its expectation changed; it runs under its old and its new form.
    CaseChanged,
    /// The base does not have the case, or not in a form that can be read; it runs in its new form alone.
    CaseWithoutOldForm,
    /// Its accepted result is that of another form of the case, so there is nothing that it could inherit.
    AcceptedInOtherForm,
    /// Two branches accepted it differently, so there is nothing that it could inherit.
    AcceptedDifferently,
    /// A probe or a program by which it is judged is another than at acceptance.
    JudgedOtherwise,
    /// The baseline does not know the case.
    New,
    /// It did not pass the last time it ran.
    NotPassedLastTime(CaseStatus),
    /// It is marked `always`.
    Always,
    /// It was asked for by its name or its set.
    Named,
    /// The run that goes on had chosen it before it was cut off, and has results of it.
    OnRecord,
    /// Everything runs; the plan's `mode_reason` says why.
    Everything,
}

impl fmt::Display for SelectionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtRisk { risk, change } => write!(f, "{change} puts {risk} at risk"),
            Self::CaseChanged => f.write_str("the case itself changed: it runs in its old and its new form"),
            Self::CaseWithoutOldForm => f.write_str("the base has no form of this case that could be read"),
            Self::AcceptedInOtherForm => f.write_str("what was accepted is the result of another form of the case"),
            Self::AcceptedDifferently => {
                f.write_str("two branches accepted it differently, and no later acceptance settled which counts")
            }
            Self::JudgedOtherwise => {
                f.write_str("a probe or a program by which it is judged is not the one of its acceptance")
            }
            Self::New => f.write_str("new: no baseline knows it"),
            Self::NotPassedLastTime(status) => write!(f, "it was {status} the last time"),
            Self::Always => f.write_str("marked `always`"),
            Self::Named => f.write_str("asked for by name"),
            Self::OnRecord => f.write_str("chosen before the run was cut off, and results of it are on record"),
            Self::Everything => f.write_str("everything runs"),
        }
    }
}

/// A case that runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// The case.
    pub case: CaseId,
    /// Its set.
    pub set: Risk,
    /// Why it runs; never empty.
    pub reasons: Vec<SelectionReason>,
}

/// Why a case does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExclusionReason {
    /// No change puts any of its risks at stake.
    NoRiskTouched,
    /// Its risks are at stake, but for sources or a workflow that it does not use.
    OtherPart,
    /// Nothing changed at all.
    NothingChanged,
}

impl fmt::Display for ExclusionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoRiskTouched => "no change puts any of its risks at stake",
            Self::OtherPart => "its risks are at stake only for parts that it does not use",
            Self::NothingChanged => "nothing changed",
        })
    }
}

/// The accepted result that a case which does not run stands on.
#[derive(Clone, Debug, PartialEq)]
pub struct Inherited {
    /// The record that holds it.
    pub record: Digest,
    /// When it was accepted, RFC 3339.
    pub accepted: String,
    /// How many acceptances and revocations came after it.
    pub acceptances_since: usize,
    /// What it was.
    pub status: CaseStatus,
    /// The digest of the case as it was accepted.
    pub digest: Digest,
    /// Whether a probe or a program by which the case is judged is another than at acceptance.
    pub judged_otherwise: bool,
}

/// A case that does not run.
#[derive(Clone, Debug, PartialEq)]
pub struct Excluded {
    /// The case.
    pub case: CaseId,
    /// Its set.
    pub set: Risk,
    /// Why it does not run.
    pub reason: ExclusionReason,
    /// What it inherits. A case that no baseline knows always runs, so this is only empty where no baseline is required.
    pub inherited: Option<Inherited>,
}

/// A risk that a change puts on a part, for which no case exists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uncovered {
    /// The part.
    pub part: PartId,
    /// The risk.
    pub risk: Risk,
    /// Whether no workflow lists the part, so that cases would have to name it themselves.
    pub unused: bool,
}

/// Which cases run and why, which do not and why that is safe.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The base.
    pub base: Side,
    /// The head.
    pub head: Side,
    /// Whether the changes chose.
    pub mode: Mode,
    /// Why, in one sentence.
    pub mode_reason: String,
    /// Every change with its risks.
    pub changes: Vec<PlannedChange>,
    /// The cases that run, by id.
    pub selected: Vec<Selected>,
    /// The other cases, by id.
    pub excluded: Vec<Excluded>,
    /// Paths that no rule knows.
    pub unclassified: Vec<String>,
    /// Risks without a case.
    pub uncovered: Vec<Uncovered>,
    /// Parts whose version was raised though nothing else in them changed.
    pub bumps_without_change: Vec<PartId>,
    /// Parts that changed though their version did not.
    pub changes_without_bump: Vec<PartId>,
    /// Changed paths outside the project's folder; they were not looked at.
    pub outside_project: usize,
}
