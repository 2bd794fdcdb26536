//! A sheet of paper, such as an exercise's failure table, as one self-contained HTML file without any script.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use crate::operations::{Block, Sheet};

use super::html::{HtmlError, STYLE, environment, style_policy};

const TEMPLATE: &str = include_str!("../../templates/sheet.html");

/// What stands below one heading; the first part has none.
#[derive(Debug, Default, Serialize)]
struct Part<'a> {
    heading: Option<&'a str>,
    blocks: Vec<&'a Block>,
}

/// Renders a sheet. The page fetches nothing and runs nothing.
///
/// # Errors
/// When the shipped template is broken.
pub fn render_sheet_html(sheet: &Sheet) -> Result<String, HtmlError> {
    let name = "holdpoint/sheet.html";
    let mut environment = environment()?;
    environment.add_template(name, TEMPLATE)?;
    let html = environment.get_template(name)?.render(context! {
        title => sheet.title(),
        parts => Value::from(Serde(&parts(sheet))),
        policy => style_policy(),
        style => Value::from_safe_string(STYLE.to_owned()),
    })?;
    Ok(html)
}

fn parts(sheet: &Sheet) -> Vec<Part<'_>> {
    let mut parts = vec![Part::default()];
    for block in sheet.blocks() {
        match (block, parts.last_mut()) {
            (Block::Heading(heading), _) => parts.push(Part { heading: Some(heading), blocks: Vec::new() }),
            (block, Some(part)) => part.blocks.push(block),
            (_, None) => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;
    use crate::exercise::ExerciseTable;
    use crate::operations::Paper as _;

    const HOSTILE: &str = "</td><script>alert(1)</script>\u{202e}\n# x";

    /// A table in which everything that others can have written is hostile.
    fn table() -> ExerciseTable {
        let run = json!({
            "operations": [{"operation": HOSTILE, "outcome": "duplicated", "effects": 2, "attempts": 3,
                            "claim": "completed", "claim_check": "false_success"}],
            "failures": [HOSTILE], "problem": null,
        });
        let fault = json!({"connector": "stock", "operation": "reserve", "attempt": 1, "fault": "lost_ack"});
        let row = json!({
            "id": "stock.reserve.1.lost-ack", "risk": "duplicate", "faults": [fault], "verdict": "found", "first": run,
            "again": run, "second_run": HOSTILE, "kept": [],
            "findings": [{"rule": "one_effect", "operation": HOSTILE, "after_second_run": false, "message": HOSTILE}],
        });
        let call = json!({"connector": "stock", "operation": "reserve", "occurrence": 1, "effect": "create",
                          "intention": HOSTILE, "text_pointer": null});
        let table: Value = json!({
            "schema": "holdpoint.exercise/1", "workflow": HOSTILE, "fingerprint": "f", "input": {}, "fixtures": [],
            "started": "2026-01-01T00:00:00Z", "finished": "2026-01-01T00:00:01Z", "calls": [call], "rows": [row],
            "remarks": [HOSTILE],
        });
        serde_json::from_value(table).unwrap()
    }

    #[test]
    fn everything_on_the_sheet_is_on_the_page_and_nothing_of_it_is_markup() {
        let sheet = table().laid_out();
        let page = render_sheet_html(&sheet).unwrap();
        assert!(!page.contains("<script") && !page.contains('\u{202e}'), "{page}");
        assert!(
            page.contains("Content-Security-Policy\" content=\"default-src &#x27;none&#x27;; style-src &#x27;sha256-")
        );
        let kinds: BTreeSet<&str> = sheet
            .blocks()
            .iter()
            .map(|block| match block {
                Block::Heading(text) | Block::Subheading(text) | Block::Text(text) => text,
                Block::Facts(facts) => &facts[0].0,
                Block::List(items) => &items[0],
                Block::Table { head, .. } => &head[0],
            })
            .filter(|text| text.chars().all(|c| c.is_ascii_alphanumeric() || c == ' '))
            .map(String::as_str)
            .collect();
        assert!(kinds.len() >= 3, "{kinds:?}");
        assert!(kinds.iter().all(|text| page.contains(text)), "{kinds:?}");
        for told in ["lost-ack", "one_effect", "duplicated", "What is wrong", "2026-01-01T00:00:01Z"] {
            assert!(page.contains(told), "{told}: {page}");
        }
    }
}
