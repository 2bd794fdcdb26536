//! Text that others wrote, as Markdown that shows it and does nothing else.

/// A text as GitHub's Markdown that shows it: it forms no link, no mention, no heading, no table cell and no HTML. The
/// text must be one line; [`excerpt`](super::excerpt()) makes it one.
pub fn escape_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut characters = text.chars().enumerate().peekable();
    // Digits at the beginning and a sign after them would begin a list.
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    while let Some((index, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let begins_a_block = index == digits && (index == 0 || matches!(character, '.' | ')'));
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // An empty comment keeps a mention or a reference from being found.
            '@' | '#' => {
                escaped.push('\\');
                escaped.push(character);
                escaped.push_str("<!-- -->");
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '|' | '$' => escaped.extend(['\\', character]),
            // Addresses (`https://`, `www.`) and `:emoji:`.
            ':' | '.' if next.is_some_and(|next| !next.is_whitespace()) => escaped.extend(['\\', character]),
            other if begins_a_block && other.is_ascii_punctuation() => escaped.extend(['\\', other]),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_forms_no_markup() {
        assert_eq!(escape_markdown("- x"), "\\- x");
        assert_eq!(escape_markdown("10. x"), "10\\. x");
        assert_eq!(escape_markdown("https://a.b www.c :x: end."), "https\\://a\\.b www\\.c \\:x: end.");
        assert_eq!(
            escape_markdown("<b> @all #1 [x](y) *z*"),
            "&lt;b&gt; \\@<!-- -->all \\#<!-- -->1 \\[x\\](y) \\*z\\*"
        );
    }
}
