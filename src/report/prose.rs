//! Sentences with pieces between back quotes, as HTML that sets those pieces as code.

use std::fmt::Write as _;

use minijinja::HtmlEscape;

use super::visible::visible;

/// The sentence as HTML: made visible and escaped, and what stands between two equally long runs of back quotes set as
/// code. A run without its fellow stays as it is.
pub(super) fn prose_html(text: &str) -> String {
    let text = visible(text);
    let mut html = String::with_capacity(text.len() + 32);
    let mut rest = text.as_ref();
    while let Some(start) = rest.find('`') {
        let fence = run_of_quotes(&rest[start..]);
        let inside = start + fence.len();
        escape(&rest[..start], &mut html);
        match closing(&rest[inside..], fence.len()) {
            Some(length) => {
                html.push_str("<code>");
                escape(&rest[inside..inside + length], &mut html);
                html.push_str("</code>");
                rest = &rest[inside + length + fence.len()..];
            }
            None => {
                html.push_str(fence);
                rest = &rest[inside..];
            }
        }
    }
    escape(rest, &mut html);
    html
}

/// How many bytes stand before the next run of exactly `fence` back quotes.
fn closing(text: &str, fence: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let run = run_of_quotes(&text[at + found..]).len();
        if run == fence {
            return Some(at + found);
        }
        at += found + run;
    }
    None
}

/// The back quotes that the text begins with.
fn run_of_quotes(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches('`').len()]
}

fn escape(text: &str, html: &mut String) {
    // Writing to a String cannot fail.
    let _ = write!(html, "{}", HtmlEscape(text));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_stands_between_back_quotes_becomes_code() {
        assert_eq!(prose_html("`HEAD` is the base"), "<code>HEAD</code> is the base");
        assert_eq!(prose_html("``a`b`` and `c`"), "<code>a`b</code> and <code>c</code>");
    }

    #[test]
    fn a_back_quote_without_its_fellow_stays() {
        assert_eq!(prose_html("a ` b"), "a ` b");
        assert_eq!(prose_html("a `` b ` c"), "a `` b ` c");
    }

    #[test]
    fn nothing_escapes_from_either_side_of_a_back_quote() {
        assert_eq!(prose_html("<b>`<i>`\u{202e}"), "&lt;b&gt;<code>&lt;i&gt;</code>[U+202E]");
    }

    proptest! {
        #[test]
        fn only_code_elements_are_made_and_each_is_closed(text in "[`<>&a\\n]{0,30}") {
            let html = prose_html(&text);
            prop_assert_eq!(html.matches("<code>").count(), html.matches("</code>").count());
            prop_assert!(!html.replace("<code>", "").replace("</code>", "").contains(['<', '>']));
        }
    }
}
