//! What did not run, and what a run in shadow shows of the selection, as the HTML page shows it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::domain::{CaseStatus, counted};

use super::document::{ExcludedView, InheritedView, ReportDocument};
use super::shadow_view::ShadowView;

/// More cases than these that did not run are counted by set and reason instead of listed.
const LISTED_EXCLUDED: usize = 2_000;

/// Cases that the selection would have left out and that are named one by one.
const LISTED_LEFT_OUT: usize = 500;

/// Cases that did not run for the same reason.
#[derive(Debug, Serialize)]
pub(super) struct ExcludedGroup {
    reason: String,
    count: String,
    rows: Vec<ExcludedRow>,
}

/// A case that did not run, or all of one set where there are too many to list.
#[derive(Debug, Serialize)]
struct ExcludedRow {
    case: String,
    set: String,
    inherits: String,
    accepted: String,
    record: String,
}

/// A run in shadow.
#[derive(Debug, Serialize)]
pub(super) struct ShadowItem {
    sentences: Vec<String>,
    escapes: Vec<EscapeItem>,
    left_out: Vec<String>,
    /// How many more there are than `left_out` names.
    more: usize,
    count: String,
}

/// A case that escaped the selection.
#[derive(Debug, Serialize)]
struct EscapeItem {
    case: String,
    status: &'static str,
    why: String,
    left_out_because: String,
    exit_code: u8,
}

/// What the page says of a run in shadow; nothing of any other.
pub(super) fn shadow_item(document: &ReportDocument) -> Option<ShadowItem> {
    let ShadowView { left_out, escapes, sentences, .. } = document.shadow.as_ref()?;
    let escape = |escape: &super::shadow_view::EscapeView| EscapeItem {
        case: escape.case.to_string(),
        status: escape.status.name(),
        why: escape.why.clone(),
        left_out_because: escape.left_out_because.clone(),
        exit_code: escape.exit_code,
    };
    Some(ShadowItem {
        sentences: sentences.clone(),
        escapes: escapes.iter().map(escape).collect(),
        left_out: left_out.iter().take(LISTED_LEFT_OUT).map(ToString::to_string).collect(),
        more: left_out.len().saturating_sub(LISTED_LEFT_OUT),
        count: counted(left_out.len(), "case"),
    })
}

pub(super) fn excluded_groups(excluded: &[ExcludedView]) -> Vec<ExcludedGroup> {
    let mut by_reason: BTreeMap<&str, Vec<&ExcludedView>> = BTreeMap::new();
    for one in excluded {
        by_reason.entry(one.reason.as_str()).or_default().push(one);
    }
    by_reason
        .into_iter()
        .map(|(reason, members)| ExcludedGroup {
            reason: reason.to_owned(),
            count: counted(members.len(), "case"),
            rows: if excluded.len() > LISTED_EXCLUDED {
                aggregated_rows(&members)
            } else {
                members.iter().map(|member| excluded_row(member)).collect()
            },
        })
        .collect()
}

fn excluded_row(excluded: &ExcludedView) -> ExcludedRow {
    let inherited = excluded.inherited.as_ref();
    ExcludedRow {
        case: excluded.case.to_string(),
        set: excluded.set.to_string(),
        inherits: inherited.map_or("nothing", |inherited| inherited.status.name()).to_owned(),
        accepted: inherited.map(accepted_text).unwrap_or_default(),
        record: inherited.map(|inherited| inherited.record.short().to_owned()).unwrap_or_default(),
    }
}

/// When a result was accepted, how long ago that is and what came after it.
fn accepted_text(inherited: &InheritedView) -> String {
    let age = inherited.age_days.map_or_else(String::new, |days| {
        format!(", {} before", counted(usize::try_from(days).unwrap_or(usize::MAX), "day"))
    });
    let since = match inherited.acceptances_since {
        0 => String::new(),
        since => format!(", {} since", counted(since, "acceptance")),
    };
    format!("{}{age}{since}", inherited.accepted)
}

fn aggregated_rows(members: &[&ExcludedView]) -> Vec<ExcludedRow> {
    let mut by_set: BTreeMap<(String, Option<CaseStatus>), usize> = BTreeMap::new();
    for member in members {
        let status = member.inherited.as_ref().map(|inherited| inherited.status);
        *by_set.entry((member.set.to_string(), status)).or_default() += 1;
    }
    by_set
        .into_iter()
        .map(|((set, status), count)| ExcludedRow {
            case: counted(count, "case"),
            set,
            inherits: status.map_or("nothing", CaseStatus::name).to_owned(),
            accepted: String::new(),
            record: String::new(),
        })
        .collect()
}
