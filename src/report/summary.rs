//! The summary for the terminal: failures in full, passes as a count, and at the end what to do next.

use std::borrow::Cow;

use crate::domain::counted;
use crate::verdict::VerdictWord;

use super::changed_answer::changed_passes;
use super::document::{CaseView, ReportDocument};
use super::doing_nothing::beside_doing_nothing;
use super::findings::{findings, first_unpassed};
use super::group::Group;
use super::html_page::value_text;
use super::ink::Ink;
use super::next_step::next_steps;
use super::set_view::SetView;
use super::visible::{capped, left_out_text, visible, visible_line};
use super::words::{baseline_heads, duration_text, exit_code_meaning, verdict_title};

/// Bytes of one finding, and of one answer, that are printed at the most.
const TEXT_CAP: usize = 2_000;

/// Cases of one group that are printed in full; the others are named.
const FULL_CASES: usize = 20;

/// The summary, each line ended by a line feed. `styled` says whether it may carry terminal colours; everything that a
/// workflow or a project wrote is made visible, so no control sequence of theirs reaches the terminal.
pub fn summary_text(document: &ReportDocument, styled: bool) -> String {
    let ink = Ink::new(styled);
    let mut lines = Vec::new();
    for group in Group::ALL.into_iter().filter(|group| group.needs_attention()) {
        group_lines(document, group, ink, &mut lines);
    }
    uncovered_lines(document, ink, &mut lines);
    shadow_lines(document, ink, &mut lines);
    lines.push(tally_line(document, ink));
    lines.extend(changed_passes(document).map(|sentence| ink.doubtful(&format!("{sentence}; see the report"))));
    lines.extend(set_lines(document, ink));
    lines.push(String::new());
    verdict_lines(document, ink, &mut lines);
    next_lines(document, ink, &mut lines);
    lines.push(String::new());
    lines.iter().map(|line| no_command(line)).collect::<Vec<_>>().join("\n")
}

/// A line that no CI system reads as a command to itself. GitHub's runner takes a line for one that begins with `::`, spaces
/// aside, and one that has `##[` anywhere.
fn no_command(line: &str) -> Cow<'_, str> {
    let inset = line.len() - line.trim_start().len();
    match (line[inset..].starts_with("::"), line.contains("##[")) {
        (false, false) => Cow::Borrowed(line),
        (true, _) => Cow::Owned(format!("{}| {}", &line[..inset], line[inset..].replace("##[", "## ["))),
        (false, true) => Cow::Owned(line.replace("##[", "## [")),
    }
}

fn group_lines(document: &ReportDocument, group: Group, ink: Ink, lines: &mut Vec<String>) {
    let cases = group.cases(document);
    if cases.is_empty() {
        return;
    }
    let title = format!("{} ({})", group.title(), cases.len());
    lines.push(match group {
        Group::Regressions | Group::NewFailures | Group::Failures => ink.bad(&title),
        _ => ink.doubtful(&title),
    });
    for case in cases.iter().take(FULL_CASES) {
        case_lines(case, ink, lines);
    }
    if cases.len() > FULL_CASES {
        let rest: Vec<String> = cases[FULL_CASES..].iter().map(|case| visible_line(case.id.as_str())).collect();
        lines.push(format!("  and {}: {}", counted(rest.len(), "more case"), rest.join(", ")));
    }
    lines.push(String::new());
}

fn case_lines(case: &CaseView, ink: Ink, lines: &mut Vec<String>) {
    let id = ink.heading(&visible_line(case.id.as_str()));
    let set = visible_line(case.set.as_str());
    lines.push(format!("  {id}  {}", ink.quiet(&format!("{set}, {}", case.comparison.name().replace('_', " ")))));
    if !case.title.is_empty() {
        lines.push(format!("    {}", visible_line(&case.title)));
    }
    lines.push(format!("    {}", visible_line(&case.why)));
    for finding in findings(case) {
        indented(&finding, "    - ", lines);
    }
    let output = first_unpassed(&case.trials).or(case.trials.first()).and_then(|trial| trial.output.as_ref());
    if let Some(output) = output {
        indented(&value_text(output), "    answer: ", lines);
    }
}

/// A text of several lines behind a prefix, the later lines as far in as the first.
fn indented(text: &str, prefix: &str, lines: &mut Vec<String>) {
    let (shown, left_out) = capped(text, TEXT_CAP);
    let shown = visible(shown);
    let inset = " ".repeat(prefix.len());
    for (index, line) in shown.lines().enumerate() {
        let before = if index == 0 { prefix } else { inset.as_str() };
        lines.push(format!("{before}{line}"));
    }
    lines.extend(left_out_text(left_out).map(|rest| format!("{inset}({rest})")));
}

/// What is known of a set beyond its own cases, where it is more than its passes: each on a line. The report has the
/// figures of all sets.
fn set_lines(document: &ReportDocument, ink: Ink) -> Vec<String> {
    let line = |set: &SetView| {
        let figures = &set.figures;
        let flips = figures.paired.map(|paired| paired.flips).filter(|flips| flips.total() > 0);
        let flips = flips.map(|flips| format!("{} worse and {} better than accepted", flips.worse, flips.better));
        let trials =
            figures.trials.as_ref().map(|trials| format!("{} of {} trials passed", trials.passed, trials.trials));
        let policy = set.policy.as_ref().map(|policy| format!("policy: {}", policy.why));
        let told: Vec<String> = flips.into_iter().chain(trials).chain(policy).collect();
        let passed = format!("{} of {} passed", figures.passed, figures.cases);
        let line = format!("  {}: {passed}; {}", figures.set, told.join("; "));
        (!told.is_empty()).then(|| ink.quiet(&visible_line(&line)))
    };
    document.sets.iter().filter_map(line).collect()
}

/// What escaped the selection, in a run in shadow.
fn shadow_lines(document: &ReportDocument, ink: Ink, lines: &mut Vec<String>) {
    let Some(shadow) = &document.shadow else { return };
    let title = format!("In shadow ({} escaped)", shadow.escapes.len());
    lines.push(if shadow.escapes.is_empty() { ink.heading(&title) } else { ink.bad(&title) });
    for escape in shadow.escapes.iter().take(FULL_CASES) {
        let (id, why) = (visible_line(escape.case.as_str()), visible_line(&escape.left_out_because));
        lines.push(format!("  {id}  {}; would have been left out: {why}", escape.status));
    }
    lines.extend(shadow.escapes.len().checked_sub(FULL_CASES + 1).map(|rest| format!("  and {} more", rest + 1)));
    lines.extend(shadow.sentences.iter().map(|sentence| format!("  {}", ink.quiet(&visible_line(sentence)))));
    lines.push(String::new());
}

fn uncovered_lines(document: &ReportDocument, ink: Ink, lines: &mut Vec<String>) {
    if document.uncovered.is_empty() {
        return;
    }
    lines.push(ink.doubtful(&format!("Uncovered ({})", document.uncovered.len())));
    for uncovered in &document.uncovered {
        let (risk, part) = (visible_line(uncovered.risk.as_str()), visible_line(uncovered.part.as_str()));
        lines.push(format!("  {risk} of {part}: no case would show it"));
        lines.extend(uncovered.unlisted().map(|what| format!("    {}", visible_line(&what))));
    }
    lines.push(String::new());
}

fn tally_line(document: &ReportDocument, ink: Ink) -> String {
    let counts = &document.counts;
    let age = oldest_inherited(document).map(|age| format!(" ({age})")).unwrap_or_default();
    let inherited = format!("inherited and not run{age}");
    let parts = [
        (counts.failed, "failed"),
        (counts.errored, "errored"),
        (counts.uncertain, "uncertain"),
        (counts.flaky, "flaky"),
        (counts.inherited, inherited.as_str()),
        (counts.not_run, "not run"),
        (document.comparison.fixed, "fixed"),
        (document.comparison.known_failure, "known to fail"),
    ];
    let rest = parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!(", {count} {word}"));
    let beside = beside_doing_nothing(&document.cases);
    let beside = if beside.is_empty() { beside } else { ink.quiet(&format!(" ({beside})")) };
    format!(
        "{} of {} passed{}{beside}",
        ink.heading(&counts.passed.to_string()),
        counted(counts.selected, "case"),
        rest.collect::<String>()
    )
}

/// How long ago the oldest result was accepted that a case stands on without having run.
fn oldest_inherited(document: &ReportDocument) -> Option<String> {
    let ages = document.excluded.iter().filter_map(|excluded| excluded.inherited.as_ref()?.age_days);
    Some(match ages.max()? {
        0 => "accepted less than a day ago".to_owned(),
        days => format!("accepted up to {} ago", counted(usize::try_from(days).ok()?, "day")),
    })
}

fn verdict_lines(document: &ReportDocument, ink: Ink, lines: &mut Vec<String>) {
    let title = verdict_title(document);
    let title = match document.verdict {
        VerdictWord::Pass => ink.good(&title),
        VerdictWord::Fail => ink.bad(&title),
        VerdictWord::Inconclusive => ink.doubtful(&title),
    };
    let duration = duration_text(&document.started, &document.finished).map(|text| format!(" in {text}"));
    lines.push(format!(
        "{title}{} (exit code {}: {})",
        duration.unwrap_or_default(),
        document.exit_code,
        exit_code_meaning(document.exit_code)
    ));
    for reason in &document.verdict_reasons {
        lines.push(format!("  {}", visible_line(&reason.text)));
    }
    for note in &document.verdict_notes {
        lines.push(format!("  {}", ink.quiet(&visible_line(note))));
    }
    let is_said = document.verdict_notes.iter().any(|note| note.contains(&document.mode_reason));
    if document.verdict_reasons.is_empty() && !is_said {
        lines.push(format!("  {}", visible_line(&document.mode_reason)));
    }
    lines.push(format!("  {}", ink.quiet(&visible_line(&document.evidence_statement))));
    lines.push(format!("  {}", ink.quiet(&format!("baseline head: {}", baseline_heads(document)))));
}

fn next_lines(document: &ReportDocument, ink: Ink, lines: &mut Vec<String>) {
    let steps = next_steps(document);
    if steps.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push(ink.heading("Next"));
    for (index, step) in steps.iter().enumerate() {
        let text = match step.cases.as_slice() {
            [] => step.text.clone(),
            cases => {
                let named: Vec<&str> = cases.iter().map(|brief| brief.case.as_str()).collect();
                let more = if step.more == 0 { String::new() } else { format!(" and {} more", step.more) };
                format!("{} ({}{more})", step.text.trim_end_matches('.'), named.join(", "))
            }
        };
        lines.push(format!("  {}. {}", index + 1, visible_line(&text)));
        lines.extend(step.command.iter().map(|command| format!("       {}", visible_line(command))));
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    #[test]
    fn a_run_with_one_of_everything_reads_so() {
        insta::assert_snapshot!(summary_text(&Sample::full().document(), false));
    }

    #[test]
    fn a_run_in_shadow_says_what_escaped_before_its_verdict() {
        let mut document = Sample::full().document();
        document.shadow = Some(Sample::shadow());
        let text = summary_text(&document, false);
        let escape = "In shadow (1 escaped)\n  returns-window  failed; would have been left out: no change puts any of its \
                      risks at stake\n";
        assert!(text.contains(escape), "{text}");
        assert!(text.find(escape) < text.find("\nFailed in"), "{text}");
    }

    #[test]
    fn passes_are_counts_however_many_sets_they_lie_in() {
        let document = Sample::full().document();
        let text = summary_text(&document, false);
        assert!(!text.contains("policy-answer-") && !text.contains("McNemar"), "{text}");
        let (_, rest) = text.split_once(" cases passed").unwrap();
        let (sets, _) = rest.split_once("\nFailed in").unwrap();
        assert!(sets.lines().all(|line| line.len() <= 200), "the figures stand in the report: {sets}");
    }

    #[test]
    fn nothing_of_a_workflow_reaches_the_terminal_as_a_control_sequence() {
        let plain = summary_text(&Sample::full().document(), false);
        assert!(plain.contains("[U+001B][31mred"));
        assert!(plain.chars().all(|character| character == '\n' || !character.is_control()));
    }

    #[test]
    fn colour_changes_no_words() {
        let document = Sample::full().document();
        let styled = summary_text(&document, true);
        assert!(styled.contains("\u{1b}["));
        assert_eq!(anstream::adapter::strip_str(&styled).to_string(), summary_text(&document, false));
    }

    #[test]
    fn no_answer_gives_a_ci_system_a_command() {
        let mut document = Sample::full().document();
        let hostile = "yes\n::error::owned\n   ::add-mask::a\n##[error]owned\nx ##[command]y";
        for case in &mut document.cases {
            for trial in &mut case.trials {
                trial.output = Some(Box::new(hostile.into()));
            }
        }
        let text = summary_text(&document, false);
        assert!(text.contains("| ::error::owned") && text.contains("## [error]owned"), "{text}");
        for line in text.lines() {
            assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{line}");
        }
    }
}
