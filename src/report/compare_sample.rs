//! A comparison with one of everything, hostile where others write, for the tests of its forms.

use std::collections::BTreeMap;

use crate::comparison::{Compared, Ended, GradeChange, OutcomeChange, Standing};
use crate::domain::{Aspect, CaseId, CaseStatus, Digest, Risk};

use super::compare_document::{CaseDetail, CompareDocument, CompareInput, SideKind, SideView};
use super::sample::HOSTILE;

fn one(id: &str, standing: Standing, before: Option<CaseStatus>, now: Option<CaseStatus>) -> Compared {
    let ended = |status| Ended { status, passed: u32::from(status == CaseStatus::Passed) * 2, trials: 2 };
    let new = Compared::new(CaseId::from(id), Risk::from("duplicate"), standing, format!("why {id} stands so"));
    Compared { status: now, before: before.map(ended), now: now.map(ended), ..new }
}

/// A run against what was accepted.
pub(super) fn hostile_comparison() -> CompareDocument {
    use CaseStatus::{Failed, Flaky, Passed};
    let mut regressed = one("replayed-once", Standing::Regressed, Some(Passed), Some(Failed));
    regressed.why = HOSTILE.into();
    regressed.grades = vec![GradeChange { expectation: 2, grader: HOSTILE.to_owned(), holds_now: false }];
    let outcome = |word: &str| word.to_owned();
    regressed.outcomes = vec![OutcomeChange {
        operation: HOSTILE.to_owned(),
        before: outcome("replayed"),
        now: outcome("duplicated"),
        worse: true,
    }];
    let mut apart = one("other-probe", Standing::NotComparable, Some(Passed), Some(Passed));
    apart.differs = vec![Aspect::Probes];
    let mut compared = vec![
        regressed,
        apart,
        one("sometimes", Standing::Flaky, Some(Passed), Some(Flaky)),
        one("repaired", Standing::Fixed, Some(Failed), Some(Passed)),
        one("fresh", Standing::New, None, Some(Passed)),
        one("gone", Standing::Removed, Some(Passed), None),
        one("left-out", Standing::Inherited, Some(Passed), None),
        one("other-words", Standing::Unchanged, Some(Passed), Some(Passed)),
    ];
    compared
        .extend((0..12).map(|index| one(&format!("same-{index}"), Standing::Unchanged, Some(Passed), Some(Passed))));
    let changed = CaseDetail { answer_changed: Some(true), since: None };
    let old = CaseDetail { answer_changed: None, since: Some("2026-01-24T16:30:00Z".to_owned()) };
    let details = BTreeMap::from([(CaseId::from("other-words"), changed), (CaseId::from("left-out"), old)]);
    let side = |kind, name: &str, time: &str, cases| SideView {
        kind,
        name: name.to_owned(),
        time: Some(time.to_owned()),
        fingerprint: Some(Digest::of(name.as_bytes())),
        cases,
    };
    CompareDocument::new(&CompareInput {
        project: "Review desk",
        before: &side(SideKind::Baseline, "baseline", "2026-02-20T16:30:00Z", 19),
        now: &side(SideKind::Run, "20260302T091407Z-4f1c", "2026-03-02T09:14:07Z", 18),
        compared: &compared,
        details: &details,
        limits: &["The run was cut off.".to_owned()],
    })
}
