//! A sheet of paper before it has a form: headings, facts, lists and tables, written as text for a terminal or as Markdown.
//!
//! Whatever stands on a sheet may have been written by others. Both forms put every text on one line and spell out what
//! would move a cursor or hide something; Markdown escapes what would form markup.

use std::borrow::Cow;

use serde::Serialize;

use crate::evidence::{escape_markdown, excerpt};

/// The width of a text, in characters.
const WIDTH: usize = 110;

/// The most characters of one piece of text.
const LONGEST: usize = 2_000;

/// A word of at most so many characters is kept whole in a table.
const PLAIN_WORD: usize = 18;

/// The narrowest that a column is made.
const NARROWEST: usize = 10;

/// A sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sheet {
    title: String,
    blocks: Vec<Block>,
}

/// A piece of a sheet. Its texts are as they were recorded: each form makes them harmless in its own way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "content", rename_all = "snake_case")]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A heading of less weight.
    Subheading(String),
    /// A paragraph.
    Text(String),
    /// Names with their values.
    Facts(Vec<(String, String)>),
    /// A list.
    List(Vec<String>),
    /// A table.
    Table {
        /// The names of its columns.
        head: Vec<String>,
        /// Its rows, each with a cell for each column.
        rows: Vec<Vec<String>>,
    },
}

impl Sheet {
    /// Its title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What stands on it, in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// An empty sheet.
    pub(super) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), blocks: Vec::new() }
    }

    /// A heading.
    pub(super) fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    /// A heading of less weight.
    pub(super) fn subheading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Subheading(text.into()));
    }

    /// A paragraph.
    pub(super) fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Names with their values.
    pub(super) fn facts<N: Into<String>, V: Into<String>>(&mut self, facts: impl IntoIterator<Item = (N, V)>) {
        self.blocks.push(Block::Facts(facts.into_iter().map(|(name, value)| (name.into(), value.into())).collect()));
    }

    /// A list.
    pub(super) fn list<T: Into<String>>(&mut self, items: impl IntoIterator<Item = T>) {
        self.blocks.push(Block::List(items.into_iter().map(Into::into).collect()));
    }

    /// A table.
    pub(super) fn table(&mut self, head: &[&str], rows: Vec<Vec<String>>) {
        self.blocks.push(Block::Table { head: head.iter().map(|&name| name.to_owned()).collect(), rows });
    }

    /// The sheet as text.
    pub(super) fn to_text(&self) -> String {
        let title = clean(&self.title);
        let mut text = format!("{title}\n{}\n", "=".repeat(title.chars().count()));
        for block in &self.blocks {
            text.push('\n');
            match block {
                Block::Heading(heading) => {
                    let heading = clean(heading);
                    text.push_str(&format!("{heading}\n{}\n", "-".repeat(heading.chars().count())));
                }
                Block::Subheading(heading) => text.push_str(&format!("{}\n", clean(heading))),
                Block::Text(paragraph) => push_wrapped(&mut text, "", "", &clean(paragraph)),
                Block::Facts(facts) => push_facts(&mut text, facts),
                Block::List(items) => items.iter().for_each(|item| push_wrapped(&mut text, "- ", "  ", &clean(item))),
                Block::Table { head, rows } => push_table(&mut text, head, rows),
            }
        }
        text
    }

    /// The sheet as GitHub's Markdown.
    pub(super) fn to_markdown(&self) -> String {
        let mark = |text: &str| escape_markdown(&clean(text));
        let mut text = format!("# {}\n", mark(&self.title));
        for block in &self.blocks {
            text.push('\n');
            match block {
                Block::Heading(heading) => text.push_str(&format!("## {}\n", mark(heading))),
                Block::Subheading(heading) => text.push_str(&format!("### {}\n", mark(heading))),
                Block::Text(paragraph) => text.push_str(&format!("{}\n", mark(paragraph))),
                Block::Facts(facts) => {
                    facts
                        .iter()
                        .for_each(|(name, value)| text.push_str(&format!("- **{}:** {}\n", mark(name), mark(value))));
                }
                Block::List(items) => items.iter().for_each(|item| text.push_str(&format!("- {}\n", mark(item)))),
                Block::Table { head, rows } => {
                    let line = |cells: &[String]| {
                        let cells: Vec<String> = cells.iter().map(|cell| mark(cell)).collect();
                        format!("| {} |\n", cells.join(" | "))
                    };
                    text.push_str(&line(head));
                    text.push_str(&format!("|{}\n", "---|".repeat(head.len())));
                    rows.iter().for_each(|row| text.push_str(&line(row)));
                }
            }
        }
        text
    }
}

/// On one line, harmless to a terminal, and not longer than a reader bears.
fn clean(text: &str) -> Cow<'_, str> {
    Cow::Owned(excerpt(text, LONGEST))
}

fn push_facts(text: &mut String, facts: &[(String, String)]) {
    let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(WIDTH / 2);
    for (name, value) in facts {
        let first = format!("{:<width$}  ", clean(name));
        push_wrapped(text, &first, &" ".repeat(width + 2), &clean(value));
    }
}

fn push_wrapped(text: &mut String, first: &str, rest: &str, paragraph: &str) {
    let room = WIDTH.saturating_sub(rest.chars().count()).max(NARROWEST);
    for (index, line) in wrap(paragraph, room).iter().enumerate() {
        let start = if index == 0 { first } else { rest };
        text.push_str(format!("{start}{line}").trim_end());
        text.push('\n');
    }
}

/// Lines of at most `width` characters; a word that is longer is cut.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + word.len() <= width {
            if let Some(line) = lines.last_mut() {
                line.push(' ');
                line.extend(&word);
            }
            used += 1 + word.len();
            continue;
        }
        if used > 0 {
            lines.push(String::new());
        }
        while word.len() > width {
            let rest = word.split_off(width);
            if let Some(line) = lines.last_mut() {
                line.extend(&word);
            }
            lines.push(String::new());
            word = rest;
        }
        used = word.len();
        if let Some(line) = lines.last_mut() {
            line.extend(&word);
        }
    }
    lines
}

fn push_table(text: &mut String, head: &[String], rows: &[Vec<String>]) {
    let widths = column_widths(head, rows);
    push_row(text, head, &widths);
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    push_row(text, &rule, &widths);
    for row in rows {
        push_row(text, row, &widths);
    }
}

/// As wide as the widest cell, and together no wider than the page: the widest columns give way first.
fn column_widths(head: &[String], rows: &[Vec<String>]) -> Vec<usize> {
    let width_of = |cell: &String| clean(cell).chars().count();
    let mut widths: Vec<usize> = head
        .iter()
        .enumerate()
        .map(|(column, name)| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(width_of);
            cells.chain([width_of(name)]).max().unwrap_or(0)
        })
        .collect();
    let floors: Vec<usize> = (0..widths.len()).map(|column| longest_plain_word(head, rows, column)).collect();
    let room = WIDTH.saturating_sub(2 * widths.len().saturating_sub(1));
    while widths.iter().sum::<usize>() > room {
        let above_floor = widths.iter_mut().zip(&floors).filter(|(width, floor)| **width > **floor);
        let Some((widest, _)) = above_floor.max_by_key(|(width, _)| **width) else { break };
        *widest -= 1;
    }
    widths
}

/// A column is never narrower than its longest plain word: names of outcomes and claims stay whole. Digests and long
/// references are no plain words; they may be cut.
fn longest_plain_word(head: &[String], rows: &[Vec<String>], column: usize) -> usize {
    let cells = head.get(column).into_iter().chain(rows.iter().filter_map(|row| row.get(column)));
    let lengths = cells.flat_map(|cell| cell.split_whitespace().map(|word| word.chars().count()).collect::<Vec<_>>());
    lengths.filter(|length| *length <= PLAIN_WORD).max().unwrap_or(NARROWEST)
}

fn push_row(text: &mut String, cells: &[String], widths: &[usize]) {
    let columns: Vec<Vec<String>> = cells.iter().zip(widths).map(|(cell, width)| wrap(&clean(cell), *width)).collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..height {
        let parts: Vec<String> = columns
            .iter()
            .zip(widths)
            .map(|(column, width)| format!("{:<width$}", column.get(line).map_or("", String::as_str)))
            .collect();
        text.push_str(parts.join("  ").trim_end());
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sheet(text: &str) -> Sheet {
        let mut sheet = Sheet::new(text);
        sheet.heading(text);
        sheet.subheading(text);
        sheet.text(text);
        sheet.facts([(text, text)]);
        sheet.list([text]);
        sheet.table(&["a", "b"], vec![vec![text.to_owned(), text.to_owned()]]);
        sheet
    }

    #[test]
    fn what_others_wrote_moves_no_cursor_and_forms_no_markup() {
        let hostile = sheet("\u{1b}[2J\u{202e}<b>|x| [a](b)\n# c");
        for form in [hostile.to_text(), hostile.to_markdown()] {
            assert!(!form.contains('\u{1b}') && !form.contains('\u{202e}'), "{form}");
            assert!(!form.contains("\n# c"), "{form}");
        }
        let markdown = hostile.to_markdown();
        assert!(!markdown.contains("<b>") && !markdown.contains("[a](b)"), "{markdown}");
        let row = markdown.lines().find(|line| line.starts_with("| \\\\u")).unwrap();
        assert_eq!(row.replace("\\|", "").matches('|').count(), 3, "{row}");
    }

    #[test]
    fn a_table_stays_on_the_page_and_loses_nothing() {
        let mut sheet = Sheet::new("t");
        let long = "word ".repeat(60);
        sheet.table(&["one", "two"], vec![vec![long.trim().to_owned(), "x".repeat(150)]]);
        let text = sheet.to_text();
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(text.matches("word").count(), 60);
        assert_eq!(text.matches('x').count(), 150);
    }

    proptest! {
        #[test]
        fn wrapped_text_keeps_its_words(text in "[a-zäß ]{0,200}", width in 1_usize..40) {
            let lines = wrap(&text, width);
            prop_assert!(lines.iter().all(|line| line.chars().count() <= width));
            prop_assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        }
    }
}
