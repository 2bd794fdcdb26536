//! What was to run in the sample, why, and how the runs before it ended.

use serde_json::{Value, json};

use crate::change::{Change, ChangeKind, Direction, Side};
use crate::domain::{CaseId, CaseStatus, Digest, Risk, RunId};
use crate::selection::{Excluded, ExclusionReason, Inherited, Mode, Plan, PlannedChange, Uncovered};
use crate::verdict::VerdictWord;

use super::super::TrendPoint;

pub(super) fn plan() -> Plan {
    let change = |kind, part: Option<&str>, facet: &str, from: Value, to: Value, path: &str| Change {
        kind,
        part: part.map(Into::into),
        case: None,
        facet: Some(facet.to_owned()),
        direction: Direction::Modified,
        from: Some(from),
        to: Some(to),
        paths: vec![path.to_owned()],
    };
    let (old, new) = (Digest::of(b"old policy"), Digest::of(b"new policy"));
    let source = change(
        ChangeKind::Source,
        Some("returns-policy"),
        "file:policies/returns.md",
        json!(old.as_str()),
        json!(new.as_str()),
        "policies/returns.md",
    );
    let connector = change(
        ChangeKind::Connector,
        Some("review"),
        "operations.stage.idempotency.window",
        json!("24h"),
        json!("1h"),
        "manifests/review.yaml",
    );
    let risks = |names: &[&str]| names.iter().map(|name| Risk::from(*name)).collect();
    Plan {
        base: Side {
            name: "merge base with origin/main".to_owned(),
            commit: Some("4be1d2a09c6f1f0f6f2f9e6f6b0f4a3e0c1d2b3a".to_owned()),
            note: None,
        },
        head: Side {
            name: "working tree".to_owned(),
            commit: None,
            note: Some("2 files are not committed".to_owned()),
        },
        mode: Mode::Selective,
        mode_reason: "The changes choose the cases.".to_owned(),
        changes: vec![
            PlannedChange {
                change: source,
                risks: risks(&["policy_accuracy", "source_conflict", "missing_availability"]),
            },
            PlannedChange { change: connector, risks: risks(&["duplicate", "uncertain_outcome", "partial_failure"]) },
        ],
        selected: Vec::new(),
        excluded: (1..=6).map(excluded).collect(),
        unclassified: Vec::new(),
        uncovered: vec![Uncovered { part: "review".into(), risk: Risk::from("partial_failure"), unused: false }],
        bumps_without_change: Vec::new(),
        changes_without_bump: vec!["review".into()],
        outside_project: 3,
    }
}

pub(super) fn earlier_runs() -> Vec<TrendPoint> {
    let runs =
        [(VerdictWord::Pass, 0, 22, 22), (VerdictWord::Inconclusive, 11, 20, 19), (VerdictWord::Pass, 0, 22, 22)];
    let point = |(day, (verdict, exit_code, selected, passed))| TrendPoint {
        run: RunId::new(format!("2026022{day}T091407Z-4f1c")),
        finished: format!("2026-02-2{day}T09:14:19Z"),
        verdict,
        exit_code,
        selected,
        passed,
    };
    (5..).zip(runs).map(point).collect()
}

pub(super) fn excluded(number: u32) -> Excluded {
    Excluded {
        case: CaseId::new(format!("access-{number}")),
        set: Risk::from("access"),
        reason: ExclusionReason::NoRiskTouched,
        inherited: Some(Inherited {
            record: Digest::of(if number < 4 { b"first record" } else { b"later record" }),
            accepted: if number < 4 { "2026-02-11T10:00:00Z" } else { "2026-02-20T16:30:00Z" }.to_owned(),
            acceptances_since: 0,
            judged_otherwise: false,
            status: CaseStatus::Passed,
            digest: Digest::of(b"case"),
        }),
    }
}
