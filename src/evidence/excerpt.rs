//! A short, harmless form of a text that a workflow or a target wrote.

/// At most `limit` characters of `text`, for a sentence that a person reads. Line ends, control characters and
/// characters that reorder or hide text are written as escapes, so that no text can move a terminal's cursor or
/// forge a line of a report. What was cut is said.
pub fn excerpt(text: &str, limit: usize) -> String {
    let mut short = String::new();
    let mut used = 0;
    for (index, character) in text.chars().enumerate() {
        let width = if is_plain(character) { 1 } else { character.escape_default().count() };
        if used + width > limit {
            let rest = text.chars().count() - index;
            short.push_str(&format!("… ({rest} more)"));
            return short;
        }
        used += width;
        if is_plain(character) {
            short.push(character);
        } else {
            short.extend(character.escape_default());
        }
    }
    short
}

/// Whether a character shows as itself: neither a control character nor one of the invisible ones that change
/// how their neighbours are shown (zero-width, bidirectional and tag characters, line and paragraph separators).
fn is_plain(character: char) -> bool {
    let invisible = matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    !character.is_control() && !invisible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_stays_as_it_is() {
        assert_eq!(excerpt("Größe: 3 €", 20), "Größe: 3 €");
    }

    #[test]
    fn control_and_hidden_characters_are_escaped() {
        assert_eq!(excerpt("a\n\u{1b}[2J\u{202e}b", 100), r"a\n\u{1b}[2J\u{202e}b");
    }

    #[test]
    fn a_long_text_is_cut_and_says_how_much_is_missing() {
        assert_eq!(excerpt("abcdef", 4), "abcd… (2 more)");
        assert_eq!(excerpt("abcd", 4), "abcd");
    }

    #[test]
    fn an_escape_counts_by_what_it_takes_up() {
        assert_eq!(excerpt("\n\n\n", 5), r"\n\n… (1 more)");
    }
}
