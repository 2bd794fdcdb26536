//! The plan for a person.

use std::collections::BTreeMap;

use crate::change::Side;
use crate::domain::counted;

use super::document::ExcludedView;
use super::ink::Ink;
use super::plan_document::PlanDocument;
use super::visible::visible_line;
use super::words::change_text;

/// The plan in words, each line ended by a line feed: every change with its risks, every case that runs with its
/// reasons, every other case with why not and what it inherits. `styled` says whether it may carry terminal colours.
pub fn plan_text(plan: &PlanDocument, styled: bool) -> String {
    let ink = Ink::new(styled);
    let mut lines = vec![
        format!("{} {}", ink.quiet("Base"), side_text(&plan.base)),
        format!("{} {}", ink.quiet("Head"), side_text(&plan.head)),
        format!("{} {}", ink.quiet("Mode"), visible_line(&format!("{}: {}", plan.mode, plan.mode_reason))),
        String::new(),
    ];
    changes(plan, ink, &mut lines);
    selected(plan, ink, &mut lines);
    excluded(plan, ink, &mut lines);
    uncovered(plan, ink, &mut lines);
    lines.join("\n")
}

fn side_text(side: &Side) -> String {
    let commit = side.commit.as_ref().map(|commit| format!(" ({commit})")).unwrap_or_default();
    let note = side.note.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
    visible_line(&format!("{}{commit}{note}", side.name))
}

fn changes(plan: &PlanDocument, ink: Ink, lines: &mut Vec<String>) {
    lines.push(ink.heading(&format!("Changes ({})", plan.changes.len())));
    for change in &plan.changes {
        lines.push(format!("  {}", visible_line(&change_text(change))));
        let risks: Vec<String> = change.risks.iter().map(ToString::to_string).collect();
        let risks = if risks.is_empty() { "nothing".to_owned() } else { risks.join(", ") };
        lines.push(format!("    {}", ink.quiet(&visible_line(&format!("puts at risk: {risks}")))));
    }
    for path in &plan.unclassified {
        lines.push(ink.doubtful(&format!("  known to no rule: {}", visible_line(path))));
    }
    for part in &plan.bumps_without_change {
        lines.push(
            ink.doubtful(&format!(
                "  {}: its version was raised and nothing else changed",
                visible_line(part.as_str())
            )),
        );
    }
    for part in &plan.changes_without_bump {
        lines.push(ink.doubtful(&format!("  {}: it changed and its version did not", visible_line(part.as_str()))));
    }
    if plan.outside_project > 0 {
        let paths = counted(plan.outside_project, "changed path");
        lines.push(ink.quiet(&format!("  {paths} outside the project's folder: not looked at")));
    }
    lines.push(String::new());
}

fn selected(plan: &PlanDocument, ink: Ink, lines: &mut Vec<String>) {
    lines.push(ink.heading(&format!("Runs ({})", plan.selected.len())));
    for selected in &plan.selected {
        let (case, set) = (visible_line(selected.case.as_str()), visible_line(selected.set.as_str()));
        lines.push(format!("  {case}  {}", ink.quiet(&set)));
        lines.extend(selected.reasons.iter().map(|reason| format!("    - {}", visible_line(reason))));
    }
    lines.push(String::new());
}

/// Cases with the same reason and the same inheritance stand together, each by its name.
fn excluded(plan: &PlanDocument, ink: Ink, lines: &mut Vec<String>) {
    lines.push(ink.heading(&format!("Does not run ({})", plan.excluded.len())));
    let mut by_reason: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
    for excluded in &plan.excluded {
        let key = (excluded.reason.as_str(), inherited_text(excluded));
        by_reason.entry(key).or_default().push(visible_line(excluded.case.as_str()));
    }
    for ((reason, inherited), cases) in by_reason {
        lines.push(format!("  {}: {}; {inherited}", counted(cases.len(), "case"), visible_line(reason)));
        lines.push(format!("    {}", ink.quiet(&cases.join(", "))));
    }
    lines.push(String::new());
}

fn inherited_text(excluded: &ExcludedView) -> String {
    let Some(inherited) = &excluded.inherited else {
        return "no accepted result stands in for it".to_owned();
    };
    let day = inherited.accepted.split('T').next().unwrap_or_default();
    visible_line(&format!("inherits {}, accepted {day} in {}", inherited.status, inherited.record.short()))
}

fn uncovered(plan: &PlanDocument, ink: Ink, lines: &mut Vec<String>) {
    if plan.uncovered.is_empty() {
        return;
    }
    lines.push(ink.doubtful(&format!("Uncovered ({})", plan.uncovered.len())));
    for uncovered in &plan.uncovered {
        let (risk, part) = (visible_line(uncovered.risk.as_str()), visible_line(uncovered.part.as_str()));
        lines.push(format!("  {risk} of {part}: no case would show it"));
        lines.extend(uncovered.unlisted().map(|what| format!("    {}", visible_line(&what))));
        lines.push(format!("    {}", visible_line(&uncovered.command)));
    }
    lines.push(String::new());
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    #[test]
    fn a_plan_reads_so() {
        insta::assert_snapshot!(plan_text(&PlanDocument::new(&Sample::full().plan, ""), false));
    }

    #[test]
    fn every_case_and_every_reason_is_there() {
        let sample = Sample::full();
        let text = plan_text(&PlanDocument::new(&sample.plan, ""), false);
        for selected in &sample.plan.selected {
            assert!(text.contains(&format!("\n  {}  ", selected.case)), "{}", selected.case);
        }
        for excluded in &sample.plan.excluded {
            assert!(text.contains(excluded.case.as_str()) && text.contains(&excluded.reason.to_string()));
        }
    }
}
