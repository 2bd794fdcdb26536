//! Text that others wrote, made safe to read: what would not be seen, or would change what is seen, is spelled out.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Spells out each control, bidirectional, invisible or unpaired character as `[U+202E]`. Line feeds and tabs stay.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 32);
    for character in text.chars() {
        if is_hidden(character) {
            // Writing to a String cannot fail.
            let _ = write!(shown, "[U+{:04X}]", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// [`visible`], with line feeds and tabs spelled out too: for texts that must stay on one line.
pub(super) fn visible_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', " ")
}

fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{2028}' | '\u{2029}' => true,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => true,
        // Noncharacters, which XML and some terminals refuse.
        other if u32::from(other) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&other) => true,
        other => other.is_control(),
    }
}

/// The beginning of a text of at most `bytes` bytes, cut between characters, and how many bytes were left out.
pub(super) fn capped(text: &str, bytes: usize) -> (&str, usize) {
    if text.len() <= bytes {
        return (text, 0);
    }
    let end = text.floor_char_boundary(bytes);
    (&text[..end], text.len() - end)
}

/// The bytes that the first `bytes` of a text take in a page, once hidden characters are spelled out and markup is
/// escaped.
pub(super) fn shown_bytes(text: &str, bytes: usize) -> usize {
    let shown = |character: char| match character {
        '<' | '>' => 4,
        '&' | '"' | '\'' | '/' => 6,
        hidden if is_hidden(hidden) => 8,
        other => other.len_utf8(),
    };
    capped(text, bytes).0.chars().map(shown).sum()
}

/// How much was left out, for a reader.
pub(super) fn left_out_text(bytes: usize) -> Option<String> {
    match bytes {
        0 => None,
        1..10_000 => Some(format!("{bytes} more bytes stand in report.json")),
        _ => Some(format!("{} more kB stand in report.json", bytes.div_ceil(1000))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_not_be_seen_is_spelled_out() {
        assert_eq!(visible("a\u{202e}b\0\u{1b}[31m\u{200b}\u{ffff}"), "a[U+202E]b[U+0000][U+001B][31m[U+200B][U+FFFF]");
    }

    #[test]
    fn ordinary_text_in_any_script_stays_as_it_is() {
        for text in ["", "a\tb\nc", "Grüße", "שלום", "日本語", "é", "👩\u{fe0f}"] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn one_line_stays_one_line() {
        assert_eq!(visible_line("a\r\nb\tc"), "a[U+000D]\\nb c");
    }

    #[test]
    fn what_is_spelled_out_or_escaped_takes_more_room() {
        assert_eq!(shown_bytes("abc<\u{202e}", 100), 3 + 4 + 8);
        assert_eq!(shown_bytes("abc<", 3), 3);
    }

    #[test]
    fn a_text_is_cut_between_characters_and_the_rest_is_counted() {
        assert_eq!(capped("aé", 2), ("a", 2));
        assert_eq!(capped("aé", 3), ("aé", 0));
    }
}
