//! Diagnostics as a person reads them: file, line, column, the line itself, a hint.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::manifest::{Diagnostic, Severity};

use super::console::Console;

/// Shows each diagnostic on standard error, in the order given.
pub(super) fn show(console: &Console, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        console.complain(render(diagnostic));
        console.complain("");
    }
}

fn render(diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let source = visible(&diagnostic.source_line);
    let title = level.primary_title(&diagnostic.message);
    let group = if diagnostic.line == 0 {
        Group::with_title(title).element(annotate_snippets::Origin::path(&diagnostic.path))
    } else if source.trim().is_empty() {
        // Where the line is empty, or not to be had, there is a place and nothing to show.
        let place = annotate_snippets::Origin::path(&diagnostic.path).line(diagnostic.line);
        Group::with_title(title).element(place.char_column(diagnostic.column.max(1)))
    } else {
        let start = byte_offset(&source, diagnostic.column);
        let end = start + token_length(&source[start..]);
        let annotation = AnnotationKind::Primary.span(start..end);
        let snippet =
            Snippet::source(&source).path(&diagnostic.path).line_start(diagnostic.line).annotation(annotation);
        Group::with_title(title).element(snippet)
    };
    let group = match &diagnostic.hint {
        Some(hint) => group.element(Level::HELP.message(hint)),
        None => group,
    };
    Renderer::styled().render(&[group])
}

/// Control characters of a hostile file must not reach the terminal. Each becomes one visible character, so that
/// columns stay where they are.
fn visible(line: &str) -> String {
    line.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}

fn byte_offset(line: &str, column: usize) -> usize {
    line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(offset, _)| offset)
}

/// How many bytes to underline: the word or quoted text that begins here, at least one character.
fn token_length(rest: &str) -> usize {
    let stop = |c: char| c.is_whitespace() || matches!(c, ':' | ',' | ']' | '}');
    rest.char_indices()
        .find(|&(offset, c)| offset > 0 && stop(c))
        .map_or(rest.trim_end().len(), |(offset, _)| offset)
        .max(rest.chars().next().map_or(0, char::len_utf8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(diagnostic: &Diagnostic) -> String {
        anstream::adapter::strip_str(&render(diagnostic)).to_string()
    }

    #[test]
    fn a_diagnostic_shows_its_place_its_line_and_its_hint() {
        let shown = plain(&Diagnostic {
            severity: Severity::Error,
            path: "cases/a/b.yaml".into(),
            line: 7,
            column: 3,
            source_line: "  trails: 3".into(),
            message: "unknown key `trails`".into(),
            hint: Some("did you mean `trials`?".into()),
        });
        for part in
            ["error: unknown key `trails`", "cases/a/b.yaml:7:3", "  trails: 3", "^^^^^^", "did you mean `trials`?"]
        {
            assert!(shown.contains(part), "{part} is missing in:\n{shown}");
        }
    }

    #[test]
    fn a_whole_file_a_column_past_the_end_and_wide_letters_do_no_harm() {
        for (line, column, text) in [(0, 0, ""), (1, 99, "é"), (1, 1, ""), (3, 2, "äöü: \u{1b}[31m")] {
            let shown = plain(&Diagnostic {
                severity: Severity::Warning,
                path: "x.yaml".into(),
                line,
                column,
                source_line: text.into(),
                message: "m".into(),
                hint: None,
            });
            assert!(shown.contains("x.yaml") && !shown.contains('\u{1b}'), "{shown:?}");
            assert_eq!(shown.contains('|'), !text.is_empty(), "no line is shown that holds nothing: {shown}");
            assert!(!text.is_empty() || line == 0 || shown.contains("x.yaml:1:1"), "{shown}");
        }
    }
}
