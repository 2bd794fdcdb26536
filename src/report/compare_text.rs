//! A comparison for the terminal, and in Markdown.
//!
//! What a workflow or a project wrote is made visible for the terminal, and escaped or put into code in Markdown.

use crate::evidence::escape_markdown;

use super::compare_document::{CompareDocument, ComparedCaseView, STANDINGS};
use super::findings::one_line;
use super::visible::visible_line;

/// Bytes of one sentence at the most.
const SENTENCE_CAP: usize = 1_000;

/// The comparison as text, each line ended by a line feed.
pub fn compare_text(document: &CompareDocument) -> String {
    let mut text = format!(
        "{}\n  now:    {}\n  before: {}\n\n",
        visible_line(&document.project),
        visible_line(&document.now.text()),
        visible_line(&document.before.text())
    );
    if let Some(parts) = document.parts() {
        text.truncate(text.len() - 1);
        text.push_str(&format!("  parts:  {parts}\n\n"));
    }
    for (standing, title, _) in STANDINGS {
        let cases: Vec<&ComparedCaseView> = document.with(standing).collect();
        if cases.is_empty() {
            continue;
        }
        let oldest = document.oldest(standing).map(|oldest| format!(": {oldest}")).unwrap_or_default();
        text.push_str(&format!("{title} ({}){oldest}\n", cases.len()));
        for case in cases.into_iter().filter(|case| case.is_worth_a_line()) {
            let (id, set) = (visible_line(case.id.as_str()), visible_line(case.set.as_str()));
            text.push_str(&format!("  {id}  {set}\n    {}\n    {}\n", visible_line(&case.why), case.ends()));
            for finding in case.findings() {
                text.push_str(&format!("    - {}\n", visible_line(&finding)));
            }
        }
    }
    text.push_str(&format!("\n{}\n", visible_line(&document.evidence_statement)));
    for set in &document.sets {
        text.push_str(&format!("\n{}\n", visible_line(set.figures.set.as_str())));
        set.sentences().iter().for_each(|sentence| text.push_str(&format!("  {}\n", visible_line(sentence))));
    }
    if !document.limits.is_empty() {
        text.push_str("\nWhat this does not show\n");
        document.limits.iter().for_each(|limit| text.push_str(&format!("  {}\n", visible_line(limit))));
    }
    text
}

/// The comparison in Markdown.
pub fn compare_markdown(document: &CompareDocument) -> String {
    let words = |text: &str| escape_markdown(&one_line(text, SENTENCE_CAP));
    let mut text = format!(
        "## Comparison: {}\n\nNow: {}. Before: {}.\n",
        words(&document.project),
        words(&document.now.text()),
        words(&document.before.text())
    );
    if let Some(parts) = document.parts() {
        text.push_str(&format!("\nParts: {}.\n", words(&parts)));
    }
    text.push_str(&format!("\n{}\n", words(&document.evidence_statement)));
    for (standing, title, _) in STANDINGS {
        let cases: Vec<&ComparedCaseView> = document.with(standing).collect();
        if cases.is_empty() {
            continue;
        }
        text.push_str(&format!("\n### {title} ({})\n\n", cases.len()));
        if let Some(oldest) = document.oldest(standing) {
            text.push_str(&format!("{}.\n", oldest.replacen('t', "T", 1)));
        }
        for case in cases.into_iter().filter(|case| case.is_worth_a_line()) {
            let (id, set) = (words(case.id.as_str()), words(case.set.as_str()));
            text.push_str(&format!("- **{id}** ({set}): {}; {}\n", words(&case.why), words(&case.ends())));
            for finding in case.findings() {
                text.push_str(&format!("  - {}\n", words(&finding)));
            }
        }
    }
    for set in &document.sets {
        text.push_str(&format!("\n### What the counts of {} support\n\n", words(set.figures.set.as_str())));
        set.sentences().iter().for_each(|sentence| text.push_str(&format!("- {}\n", words(sentence))));
    }
    if !document.limits.is_empty() {
        text.push_str("\n### What this does not show\n\n");
        document.limits.iter().for_each(|limit| text.push_str(&format!("- {}\n", words(limit))));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::compare_html::render_compare_html;
    use super::super::compare_sample::hostile_comparison;
    use super::super::sample::HOSTILE;
    use super::*;

    #[test]
    fn a_comparison_with_one_of_everything_reads_so() {
        insta::assert_snapshot!(compare_text(&hostile_comparison()));
    }

    #[test]
    fn the_same_in_markdown() {
        insta::assert_snapshot!(compare_markdown(&hostile_comparison()));
    }

    #[test]
    fn nothing_of_a_project_reaches_a_terminal_or_a_page_as_anything_but_text() {
        let document = hostile_comparison();
        assert!(document.cases.iter().any(|case| case.why.contains(HOSTILE)), "the sample is hostile");
        let text = compare_text(&document);
        assert!(text.chars().all(|character| character == '\n' || !character.is_control()));
        let markdown = compare_markdown(&document);
        assert!(!markdown.contains("<script>") && !markdown.contains("<img"), "{markdown}");
        let html = render_compare_html(&document).unwrap();
        assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
        assert!(html.contains("Content-Security-Policy") && html.contains("style-src") && !html.contains("script-src"));
    }

    #[test]
    fn no_form_says_more_than_the_counts_support() {
        let document = hostile_comparison();
        for text in [
            compare_text(&document),
            compare_markdown(&document).replace('\\', ""),
            render_compare_html(&document).unwrap(),
        ] {
            assert!(text.contains("the failure rate is below"), "{text}");
            assert!(text.contains("one-way flips are the least that could"), "{text}");
        }
    }

    #[test]
    fn it_is_read_back_as_it_was_written() {
        let document = hostile_comparison();
        let text = serde_json::to_string(&document).unwrap();
        assert!(text.starts_with("{\"schema\":\"holdpoint.compare/1\""));
        assert_eq!(serde_json::from_str::<CompareDocument>(&text).unwrap(), document);
    }
}
