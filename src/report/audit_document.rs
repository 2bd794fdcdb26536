//! `holdpoint.audit/1`: what the selection would have run over a stretch of history, and what is known of the rest.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparison::statistics::clopper_pearson;
use crate::domain::{CaseId, CaseStatus, Risk};
use crate::selection::Mode;

use super::build::mode_name;

/// The value of [`AuditDocument::schema`].
pub const AUDIT_SCHEMA: &str = "holdpoint.audit/1";

/// The confidence of the limit on the escape rate.
const CONFIDENCE: f64 = 0.95;

/// An audit as scripts read it. The field names are a contract: fields are added, never renamed or taken away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditDocument {
    /// [`AUDIT_SCHEMA`].
    pub schema: String,
    /// The commit before the first step.
    pub from: String,
    /// The commit of the last step.
    pub to: String,
    /// What it adds up to.
    pub totals: AuditTotals,
    /// Each step that could be planned, oldest first.
    pub steps: Vec<AuditStep>,
    /// Each step that could not, oldest first.
    pub unplanned: Vec<UnplannedStep>,
    /// What the runs in shadow on this machine showed, whatever they were of.
    pub shadow_runs: ShadowTotals,
    /// What this audit does not show, a sentence each.
    pub limits: Vec<String>,
}

/// One commit, planned against the one before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditStep {
    /// The commit.
    pub commit: String,
    /// The one before it, over first parents.
    pub parent: String,
    /// `selective` or `all`.
    pub mode: String,
    /// Why, in one sentence.
    pub mode_reason: String,
    /// How many changes there are.
    pub changes: usize,
    /// Cases that would run.
    pub selected: usize,
    /// Cases that would not.
    pub left_out: usize,
    /// Cases of which a result of exactly this state is recorded.
    pub with_result: usize,
    /// Those of them that would not run.
    pub left_out_with_result: usize,
    /// Cases that went wrong here: their result is no pass, and none from before was recorded as such.
    pub went_wrong: usize,
    /// Those of them that would not run.
    pub escapes: Vec<AuditEscape>,
}

/// A case that went wrong at a step and that the selection left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditEscape {
    /// The case.
    pub case: CaseId,
    /// Its set.
    pub set: Risk,
    /// How it ended.
    pub status: CaseStatus,
    /// Why it was left out.
    pub reason: String,
}

/// A commit whose project cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnplannedStep {
    /// The commit.
    pub commit: String,
    /// Why not.
    pub reason: String,
}

/// What the steps add up to. A case counts once for each step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditTotals {
    /// Commits in the stretch.
    pub steps: usize,
    /// Those that could be planned.
    pub planned: usize,
    /// Those at which the changes chose the cases.
    pub selective: usize,
    /// Cases of all planned steps.
    pub cases: usize,
    /// Those that would have run.
    pub selected: usize,
    /// Those that would not.
    pub left_out: usize,
    /// `left_out` of `cases`; none where there are no cases.
    pub saved: Option<f64>,
    /// The left out of which a result of exactly that state is recorded.
    pub left_out_with_result: usize,
    /// Cases that went wrong at a step, as far as results are recorded.
    pub went_wrong: usize,
    /// Those of them that were left out.
    pub escapes: usize,
    /// `escapes` of `left_out_with_result`; none where no result is recorded.
    pub escape_rate: Option<f64>,
    /// The upper end of the exact two-sided 95 % interval of that rate.
    pub escape_rate_below: Option<f64>,
}

/// What runs in shadow add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShadowTotals {
    /// Runs.
    pub runs: usize,
    /// Cases that the selection would have left out.
    pub left_out: usize,
    /// Those of them that would not have let the gate pass.
    pub escapes: usize,
}

impl AuditStep {
    /// The name that reports give to a mode.
    pub fn mode_name(mode: Mode) -> String {
        mode_name(mode).to_owned()
    }
}

impl AuditTotals {
    /// Adds up the planned steps; `unplanned` is how many there are besides.
    pub fn of(steps: &[AuditStep], unplanned: usize) -> Self {
        let sum = |count: fn(&AuditStep) -> usize| steps.iter().map(count).sum::<usize>();
        let (selected, left_out) = (sum(|step| step.selected), sum(|step| step.left_out));
        let (escapes, known) = (sum(|step| step.escapes.len()), sum(|step| step.left_out_with_result));
        Self {
            steps: steps.len() + unplanned,
            planned: steps.len(),
            selective: sum(|step| usize::from(step.mode == mode_name(Mode::Selective))),
            cases: selected + left_out,
            selected,
            left_out,
            saved: share(left_out, selected + left_out),
            left_out_with_result: known,
            went_wrong: sum(|step| step.went_wrong),
            escapes,
            escape_rate: share(escapes, known),
            escape_rate_below: clopper_pearson(escapes, known, CONFIDENCE).map(|interval| interval.high),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases stay far below 2^52")]
fn share(count: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| count as f64 / of as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(mode: Mode, selected: usize, left_out: usize, known: usize, escapes: usize) -> AuditStep {
        let escape = |number: usize| AuditEscape {
            case: CaseId::new(format!("case-{number}")),
            set: Risk::from("access"),
            status: CaseStatus::Failed,
            reason: "no change puts any of its risks at stake".to_owned(),
        };
        AuditStep {
            commit: "c0ffee".to_owned(),
            parent: "decaf".to_owned(),
            mode: AuditStep::mode_name(mode),
            mode_reason: String::new(),
            changes: 1,
            selected,
            left_out,
            with_result: known,
            left_out_with_result: known,
            went_wrong: escapes,
            escapes: (0..escapes).map(escape).collect(),
        }
    }

    #[test]
    fn totals_count_each_case_once_for_each_step() {
        let steps =
            [step(Mode::All, 10, 0, 0, 0), step(Mode::Selective, 2, 8, 8, 0), step(Mode::Selective, 0, 10, 2, 1)];
        let totals = AuditTotals::of(&steps, 3);
        assert_eq!((totals.steps, totals.planned, totals.selective), (6, 3, 2));
        assert_eq!((totals.cases, totals.selected, totals.left_out, totals.saved), (30, 12, 18, Some(0.6)));
        assert_eq!((totals.left_out_with_result, totals.escapes, totals.escape_rate), (10, 1, Some(0.1)));
        let below = totals.escape_rate_below.unwrap();
        assert!((below - 0.4450).abs() < 0.0001, "{below}");
    }

    #[test]
    fn where_nothing_is_recorded_there_is_no_rate() {
        let totals = AuditTotals::of(&[step(Mode::Selective, 1, 1, 0, 0)], 0);
        assert_eq!((totals.escape_rate, totals.escape_rate_below), (None, None));
        assert_eq!(AuditTotals::of(&[], 0).saved, None);
    }
}
