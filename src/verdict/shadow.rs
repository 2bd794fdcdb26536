//! What the selection would have done, beside what a run of every case showed. Pure.

use std::collections::{BTreeMap, BTreeSet};

use crate::comparison::Compared;
use crate::domain::{CaseId, ExitCode};
use crate::selection::Plan;

use super::judge::{Against, Purpose, concluded, sentence};
use super::judgement::{Verdict, VerdictReason};

/// What the selection would have done in a run of every case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadow {
    /// The cases that it would have run, by id.
    pub would_select: BTreeSet<CaseId>,
    /// The cases that it would have left out, by id, and why.
    pub left_out: BTreeMap<CaseId, String>,
    /// Those of the left out that speak against a pass, with the exit code that each alone would give.
    pub escapes: Vec<(CaseId, ExitCode)>,
}

impl Shadow {
    /// Holds a selection against the standings of a run of every case. An escape is a case that the selection would have
    /// left out and that ran, and whose result would not have let the gate pass.
    pub fn of(selection: &Plan, compared: &[Compared]) -> Self {
        let excluded = selection.excluded.iter();
        let left_out: BTreeMap<CaseId, String> =
            excluded.map(|excluded| (excluded.case.clone(), excluded.reason.to_string())).collect();
        let ran = compared.iter().filter(|compared| compared.status.is_some() && left_out.contains_key(&compared.case));
        let escapes = ran.filter_map(|compared| {
            let against = Against::of(compared, Purpose::Gate)?;
            Some((compared.case.clone(), against.code()))
        });
        Self {
            escapes: escapes.collect(),
            would_select: selection.selected.iter().map(|selected| selected.case.clone()).collect(),
            left_out,
        }
    }

    /// The verdict with what the shadow shows: each kind of escape is a reason against a pass of its own.
    #[must_use]
    pub fn added_to(&self, verdict: Verdict) -> Verdict {
        let Verdict { code, mut reasons, mut notes, sets, .. } = verdict;
        for (escape, phrase) in [
            (ExitCode::Failed, "escaped the selection, which would have left out what fails"),
            (ExitCode::Inconclusive, "escaped the selection, which would have left out what cannot be decided"),
        ] {
            let cases: BTreeSet<&CaseId> =
                self.escapes.iter().filter(|(_, code)| *code == escape).map(|(case, _)| case).collect();
            if !cases.is_empty() {
                reasons.push(VerdictReason { code: escape, text: sentence(&cases, phrase) });
            }
        }
        let all = self.would_select.len() + self.left_out.len();
        let none = if self.escapes.is_empty() && !self.left_out.is_empty() { "; none of those escaped" } else { "" };
        notes.insert(
            0,
            format!(
                "in shadow: the selection would have run {} of {all} cases and left out {}{none}",
                self.would_select.len(),
                self.left_out.len()
            ),
        );
        concluded(reasons, notes, sets, code == ExitCode::Cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Side;
    use crate::comparison::Standing;
    use crate::domain::{CaseStatus, Risk};
    use crate::selection::{Excluded, ExclusionReason, Mode, Selected, SelectionReason};
    use crate::verdict::VerdictWord;

    fn selection(selected: &[&str], excluded: &[&str]) -> Plan {
        let side = Side { name: String::new(), commit: None, note: None };
        let set = || Risk::from("access");
        let selects = |id: &&str| {
            let (case, reasons) = (CaseId::from(*id), vec![SelectionReason::Always]);
            Selected { case, set: set(), reasons }
        };
        let leaves_out = |id: &&str| {
            let (case, reason) = (CaseId::from(*id), ExclusionReason::NoRiskTouched);
            Excluded { case, set: set(), reason, inherited: None }
        };
        Plan {
            base: side.clone(),
            head: side,
            mode: Mode::Selective,
            mode_reason: String::new(),
            changes: Vec::new(),
            selected: selected.iter().map(selects).collect(),
            excluded: excluded.iter().map(leaves_out).collect(),
            unclassified: Vec::new(),
            uncovered: Vec::new(),
            bumps_without_change: Vec::new(),
            changes_without_bump: Vec::new(),
            outside_project: 0,
        }
    }

    fn ran(case: &str, status: CaseStatus, standing: Standing) -> Compared {
        let (case, set) = (CaseId::from(case), Risk::from("access"));
        Compared { status: Some(status), ..Compared::new(case, set, standing, "") }
    }

    fn passed() -> Verdict {
        Verdict {
            word: VerdictWord::Pass,
            code: ExitCode::Passed,
            reasons: Vec::new(),
            notes: vec!["other".to_owned()],
            sets: Vec::new(),
        }
    }

    #[test]
    fn what_was_left_out_and_fails_is_an_escape_and_what_would_have_run_is_none() {
        let compared = [
            ran("a", CaseStatus::Failed, Standing::Regressed),
            ran("b", CaseStatus::Failed, Standing::Regressed),
            ran("c", CaseStatus::Flaky, Standing::NotComparable),
            ran("d", CaseStatus::Failed, Standing::KnownFailure),
            ran("e", CaseStatus::Passed, Standing::Unchanged),
        ];
        let shadow = Shadow::of(&selection(&["a"], &["b", "c", "d", "e"]), &compared);
        let expected = [("b", ExitCode::Failed), ("c", ExitCode::Inconclusive)];
        assert_eq!(shadow.escapes, expected.map(|(case, code)| (CaseId::from(case), code)));

        assert_eq!(shadow.left_out[&CaseId::from("b")], "no change puts any of its risks at stake");

        let verdict = shadow.added_to(passed());
        assert_eq!((verdict.word, verdict.code), (VerdictWord::Fail, ExitCode::Failed));
        let texts: Vec<&str> = verdict.reasons.iter().map(|reason| reason.text.as_str()).collect();
        assert!(texts[0].contains("what fails: 1 case (b)") && texts[1].contains("decided: 1 case (c)"), "{texts:?}");
        assert_eq!(verdict.notes[0], "in shadow: the selection would have run 1 of 5 cases and left out 4");
        assert_eq!(verdict.notes[1], "other");
    }

    #[test]
    fn an_escape_that_cannot_be_decided_gives_11() {
        let compared = [ran("c", CaseStatus::Errored, Standing::NotComparable)];
        let verdict = Shadow::of(&selection(&[], &["c"]), &compared).added_to(passed());
        assert_eq!((verdict.word, verdict.code), (VerdictWord::Inconclusive, ExitCode::Inconclusive));
    }

    #[test]
    fn without_an_escape_the_verdict_stays_and_the_note_says_so() {
        let compared = [ran("a", CaseStatus::Passed, Standing::Unchanged)];
        let verdict = Shadow::of(&selection(&[], &["a"]), &compared).added_to(passed());
        assert_eq!((verdict.word, verdict.code), (VerdictWord::Pass, ExitCode::Passed));
        assert!(verdict.notes[0].ends_with("run 0 of 1 cases and left out 1; none of those escaped"));
    }

    #[test]
    fn a_cancelled_run_stays_one() {
        let cancelled = Verdict { code: ExitCode::Cancelled, ..passed() };
        let compared = [ran("a", CaseStatus::Failed, Standing::Regressed)];
        assert_eq!(Shadow::of(&selection(&[], &["a"]), &compared).added_to(cancelled).code, ExitCode::Cancelled);
    }
}
