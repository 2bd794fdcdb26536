//! The summary for a pull request and for a job's step summary, in GitHub's Markdown.
//!
//! What a workflow or a project wrote stands in code or is escaped sign by sign: it can form no link, no mention, no
//! heading and no HTML. Where the text would grow beyond its limit, whole cases are left out and counted, since GitHub
//! drops a summary that is too long altogether.

use crate::change::Side;
use crate::domain::counted;
use crate::evidence::escape_markdown;

use super::changed_answer::changed_passes;
use super::document::{CaseView, ReportDocument};
use super::doing_nothing::beside_doing_nothing;
use super::findings::{findings, one_line};
use super::group::Group;
use super::next_step::next_steps;
use super::visible::{capped, visible, visible_line};
use super::words::{baseline_heads, change_text, exit_code_meaning, verdict_title};

/// What a step summary may have at the most on GitHub: 1,024 KiB, with some left for others of the same step.
pub const STEP_SUMMARY_LIMIT: usize = 1_000_000;

/// What a comment on a pull request may have at the most on GitHub: 65,536 characters, with some left for a frame.
pub const PULL_REQUEST_LIMIT: usize = 60_000;

/// Bytes of one finding that are shown at the most.
const FINDING_CAP: usize = 1_000;

/// Room that is kept for the line that counts what was left out.
const TAIL: usize = 200;

/// Changes that are named one by one.
const NAMED_CHANGES: usize = 30;

/// Cases that escaped the selection and are named one by one.
const NAMED_ESCAPES: usize = 30;

/// What stands in the place of the limits where they have no room.
const LIMITS_ELSEWHERE: &str =
    "\n### What this run does not show\n\nThere is no room for it here; the HTML report says it.\n";

/// The summary in at most `limit` bytes.
pub fn render_markdown(document: &ReportDocument, limit: usize) -> String {
    let mut text = head(document, true);
    if text.len() > limit / 2 {
        text = head(document, false);
    }
    let limits = limits_section(document);
    // What the run does not show has its room before any case; only where it would fill half of all it is left out.
    let limits = if limits.len() <= limit / 2 { limits } else { LIMITS_ELSEWHERE.to_owned() };
    let room = limit.saturating_sub(limits.len() + TAIL);
    let changes = changes_section(document);
    if text.len() + changes.len() <= room {
        text.push_str(&changes);
    }
    let mut left_out = 0_usize;
    for group in Group::ALL.into_iter().filter(|group| group.needs_attention()) {
        let cases = group.cases(document);
        let mut heading = Some(format!("\n### {} ({})\n\n{}\n", group.title(), cases.len(), group.advice()));
        for case in cases {
            let section = format!("{}{}", heading.as_deref().unwrap_or_default(), case_section(case));
            if left_out > 0 || text.len() + section.len() > room {
                left_out += 1;
                continue;
            }
            text.push_str(&section);
            heading = None;
        }
    }
    if left_out > 0 {
        text.push_str(&format!(
            "\n{} more stand in the HTML report; there is no room for them here.\n",
            counted(left_out, "case")
        ));
    }
    let shadow = shadow_section(document);
    if text.len() + shadow.len() + limits.len() <= limit {
        text.push_str(&shadow);
    }
    let sets = sets_section(document);
    if text.len() + sets.len() + limits.len() <= limit {
        text.push_str(&sets);
    }
    if text.len() + limits.len() <= limit {
        text.push_str(&limits);
    }
    text
}

/// `with_cases` says whether each thing to do names its cases and what happened; they stand below it as well.
fn head(document: &ReportDocument, with_cases: bool) -> String {
    let counts = &document.counts;
    let mut text = format!(
        "## {}: {}\n\nExit code {}: {}.\n\n",
        verdict_title(document),
        escape_markdown(&one_line(&document.project, 200)),
        document.exit_code,
        exit_code_meaning(document.exit_code)
    );
    for reason in &document.verdict_reasons {
        text.push_str(&format!("- {}\n", escape_markdown(&one_line(&reason.text, FINDING_CAP))));
    }
    let beside = beside_doing_nothing(&document.cases);
    let beside = if beside.is_empty() { beside } else { format!("; {beside}") };
    for note in &document.verdict_notes {
        text.push_str(&format!("\n{}\n", escape_markdown(&one_line(note, FINDING_CAP))));
    }
    text.push_str(&format!(
        "\n{} of {} passed, {} failed, {} errored, {} uncertain, {} flaky; {} did not run and inherit{beside}.\n",
        counts.passed,
        counted(counts.selected, "case"),
        counts.failed,
        counts.errored,
        counts.uncertain,
        counts.flaky,
        counts.inherited
    ));
    text.push_str(&format!("\n{}\n", escape_markdown(&one_line(&document.evidence_statement, FINDING_CAP))));
    text.push_str(&sides(document));
    if let Some(sentence) = changed_passes(document) {
        text.push_str(&format!("\n{sentence}; see the report.\n"));
    }
    let steps = next_steps(document);
    if !steps.is_empty() {
        text.push_str("\n### What to do next\n\n");
    }
    for (number, step) in (1..).zip(&steps) {
        text.push_str(&format!("{number}. {}\n", escape_markdown(&visible_line(&step.text))));
        for brief in step.cases.iter().filter(|_| with_cases) {
            let happened =
                brief.happened.as_ref().map(|text| format!(": {}", escape_markdown(&one_line(text, FINDING_CAP))));
            text.push_str(&format!("   - {}{}\n", code(brief.case.as_str()), happened.unwrap_or_default()));
        }
        if with_cases && step.more > 0 {
            text.push_str(&format!("   - and {} more\n", step.more));
        }
        if let Some(command) = &step.command {
            text.push_str(&format!("   - {}\n", code(command)));
        }
    }
    text
}

/// What was held against what, and the digests by which a baseline that was replaced as a whole would be noticed.
fn sides(document: &ReportDocument) -> String {
    let side = |side: &Side| {
        let commit = side.commit.as_ref().map(|commit| format!(" {}", code(commit))).unwrap_or_default();
        let note = side.note.as_ref().map(|note| format!(" {}", escape_markdown(&one_line(note, FINDING_CAP))));
        format!("{}{commit}{}", escape_markdown(&one_line(&side.name, FINDING_CAP)), note.unwrap_or_default())
    };
    let heads = code(&baseline_heads(document));
    format!("\nBase: {}. Head: {}. Baseline head: {heads}.\n", side(&document.base), side(&document.head))
}

fn changes_section(document: &ReportDocument) -> String {
    if document.changes.is_empty() {
        return String::new();
    }
    let mut text = format!("\n### What changed ({})\n\n", document.changes.len());
    for change in document.changes.iter().take(NAMED_CHANGES) {
        let risks: Vec<String> = change.risks.iter().map(ToString::to_string).collect();
        let risks = if risks.is_empty() { "nothing".to_owned() } else { risks.join(", ") };
        text.push_str(&format!(
            "- {}; puts at risk: {}\n",
            code(&change_text(change)),
            escape_markdown(&visible_line(&risks))
        ));
    }
    if let Some(more) = document.changes.len().checked_sub(NAMED_CHANGES).filter(|more| *more > 0) {
        text.push_str(&format!("- and {}\n", counted(more, "more change")));
    }
    text
}

fn case_section(case: &CaseView) -> String {
    let mut text = format!(
        "\n- {} {}\n  {}\n",
        code(case.id.as_str()),
        escape_markdown(&one_line(&case.title, FINDING_CAP)),
        escape_markdown(&one_line(&case.why, FINDING_CAP))
    );
    for finding in findings(case) {
        let (shown, left_out) = capped(&finding, FINDING_CAP);
        let rest = if left_out > 0 { "…" } else { "" };
        text.push_str(&format!("  - {}{rest}\n", code(shown)));
    }
    text
}

/// What the selection would have left out, in a run in shadow.
fn shadow_section(document: &ReportDocument) -> String {
    let Some(shadow) = &document.shadow else { return String::new() };
    let mut text = "\n### In shadow: what the selection would have left out\n\n".to_owned();
    for sentence in &shadow.sentences {
        text.push_str(&format!("- {}\n", escape_markdown(&one_line(sentence, FINDING_CAP))));
    }
    for escape in shadow.escapes.iter().take(NAMED_ESCAPES) {
        let why = escape_markdown(&one_line(&escape.left_out_because, FINDING_CAP));
        text.push_str(&format!(
            "  - {} {}; would have been left out: {why}\n",
            code(escape.case.as_str()),
            escape.status
        ));
    }
    text
}

fn sets_section(document: &ReportDocument) -> String {
    let mut text = String::new();
    for set in &document.sets {
        text.push_str(&format!("\n- {}\n", code(set.figures.set.as_str())));
        for sentence in set.sentences() {
            text.push_str(&format!("  - {}\n", escape_markdown(&one_line(&sentence, FINDING_CAP))));
        }
    }
    if text.is_empty() {
        text
    } else {
        format!("\n<details><summary>What the counts support, by set</summary>\n{text}\n</details>\n")
    }
}

fn limits_section(document: &ReportDocument) -> String {
    let mut text = "\n### What this run does not show\n\n".to_owned();
    for limit in &document.limits {
        text.push_str(&format!("- {}\n", escape_markdown(&one_line(limit, FINDING_CAP))));
    }
    text
}

/// A text as a code span on one line, fenced by more backticks than stand in it.
fn code(text: &str) -> String {
    let line = visible(text).replace(['\n', '\t'], " ");
    let longest = line.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if line.trim().is_empty() { String::new() } else { format!("{fence} {line} {fence}") }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    #[test]
    fn a_run_with_one_of_everything_reads_so() {
        insta::assert_snapshot!(render_markdown(&Sample::full().document(), STEP_SUMMARY_LIMIT));
    }

    #[test]
    fn a_run_in_shadow_has_a_place_of_its_own() {
        let mut document = Sample::full().document();
        assert!(!render_markdown(&document, STEP_SUMMARY_LIMIT).contains("In shadow"));
        document.shadow = Some(Sample::shadow());
        let text = render_markdown(&document, STEP_SUMMARY_LIMIT);
        let (_, section) = text.split_once("### In shadow: what the selection would have left out\n").unwrap();
        let (section, _) = section.split_once("\n<details>").unwrap();
        assert!(section.contains("left out 4"), "{section}");
        let escape = "` returns-window ` failed; would have been left out: no change puts any of its risks at stake";
        assert!(section.contains(escape), "{section}");
    }

    #[test]
    fn what_others_wrote_forms_no_markup() {
        assert_eq!(code("a `` b\n# c"), "``` a `` b # c ```");
        assert_eq!(code(" "), "");
    }

    #[test]
    fn beyond_the_limit_whole_cases_are_left_out_and_counted() {
        let document = Sample::full().document();
        let whole = render_markdown(&document, STEP_SUMMARY_LIMIT);
        let mut cut = 0;
        for limit in (4_000..whole.len()).step_by(250) {
            let text = render_markdown(&document, limit);
            assert!(text.len() <= limit, "{} > {limit}", text.len());
            assert!(text.starts_with("## Failed: "));
            assert!(text.contains("### What this run does not show"), "it is never left out");
            cut += usize::from(text.contains("more stand in the HTML report"));
        }
        assert!(cut > 0, "no limit was tight");
        assert!(!whole.contains("more stand in the HTML report"));
    }
}
