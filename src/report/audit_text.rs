//! The audit for a person.

use crate::comparison::statistics::{percent_down, percent_up};
use crate::domain::counted;

use super::audit_document::{AuditDocument, AuditStep, AuditTotals, UnplannedStep};
use super::ink::Ink;
use super::visible::visible_line;

/// Digits of a commit that are shown.
const COMMIT: usize = 12;

/// The audit in words, each line ended by a line feed. `styled` says whether it may carry terminal colours, `every_step`
/// whether the steps without an escape are listed too.
pub fn audit_text(audit: &AuditDocument, styled: bool, every_step: bool) -> String {
    let ink = Ink::new(styled);
    let totals = &audit.totals;
    let mut lines = vec![
        ink.heading(&format!("{} to {}: {}", short(&audit.from), short(&audit.to), counted(totals.steps, "step"))),
        format!("  {} planned, at {} of them the changes chose the cases", totals.planned, totals.selective),
        format!("  {}", saved_text(totals)),
        format!("  {}", escape_text(totals)),
    ];
    if audit.shadow_runs.runs > 0 {
        let shadow = &audit.shadow_runs;
        let runs = counted(shadow.runs, "run");
        lines.push(format!(
            "  {runs} in shadow on this machine: {} left out, {} escaped",
            shadow.left_out, shadow.escapes
        ));
    }
    lines.push(String::new());
    for step in audit.steps.iter().filter(|step| every_step || !step.escapes.is_empty()) {
        step_lines(step, ink, &mut lines);
    }
    unplanned_lines(&audit.unplanned, ink, &mut lines);
    if every_step || !audit.unplanned.is_empty() || totals.escapes > 0 {
        lines.push(String::new());
    }
    lines.push(ink.heading("What this audit does not show"));
    lines.extend(audit.limits.iter().map(|limit| format!("  - {}", visible_line(limit))));
    lines.push(String::new());
    lines.join("\n")
}

fn short(commit: &str) -> String {
    visible_line(commit).chars().take(COMMIT).collect()
}

fn saved_text(totals: &AuditTotals) -> String {
    let saved = totals.saved.map(|saved| format!(" ({} % saved)", percent_down(saved))).unwrap_or_default();
    format!(
        "{} of {} would have run, {} left out{saved}",
        totals.selected,
        counted(totals.cases, "case"),
        totals.left_out
    )
}

fn escape_text(totals: &AuditTotals) -> String {
    let known = counted(totals.left_out_with_result, "case");
    match (totals.left_out_with_result, totals.escape_rate_below) {
        (0, _) | (_, None) => "of nothing that was left out is a result recorded: how much escaped is not known; \
             `gate --shadow` at each step records it"
            .to_owned(),
        (_, Some(below)) => format!(
            "a result is recorded of {known} that were left out: {} escaped, a rate below {} % with 95 % confidence; \
             {} went wrong at some step",
            totals.escapes,
            percent_up(below),
            counted(totals.went_wrong, "case")
        ),
    }
}

/// Steps that cannot be planned, a line for those in a row with the same reason.
fn unplanned_lines(unplanned: &[UnplannedStep], ink: Ink, lines: &mut Vec<String>) {
    for same in unplanned.chunk_by(|one, other| one.reason == other.reason) {
        if let [first, rest @ ..] = same {
            let more = if rest.is_empty() { String::new() } else { format!(" and {} after it", rest.len()) };
            let line = format!("{}{more}  cannot be planned: {}", short(&first.commit), visible_line(&first.reason));
            lines.push(ink.doubtful(&line));
        }
    }
}

fn step_lines(step: &AuditStep, ink: Ink, lines: &mut Vec<String>) {
    let all = step.selected + step.left_out;
    lines.push(format!(
        "{}  {} of {all}  {}",
        short(&step.commit),
        step.selected,
        ink.quiet(&visible_line(&format!("{}: {}", step.mode, step.mode_reason)))
    ));
    for escape in &step.escapes {
        let text = format!("{} ({}) {}, left out: {}", escape.case, escape.set, escape.status, escape.reason);
        lines.push(ink.bad(&format!("  escaped: {}", visible_line(&text))));
    }
}
