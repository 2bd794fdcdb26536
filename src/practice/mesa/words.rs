//! Plain words: how the desk compares texts without regard to letter case and punctuation.

/// The words of a text in lower case, one space before, between and after them, so that a phrase can be looked for
/// whole: `" how much is it "`.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 2);
    plain.push(' ');
    for character in text.chars() {
        if character.is_alphanumeric() {
            plain.extend(character.to_lowercase());
        } else if !plain.ends_with(' ') && !matches!(character, '\'' | '\u{2019}') {
            plain.push(' ');
        }
    }
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
    plain
}

/// Where in `text` the phrase stands, both made by [`plain`]; a plural `s` after its last word does not matter.
pub(super) fn find_phrase(text: &str, phrase: &str) -> Option<usize> {
    let stem = phrase.trim_end();
    let mut plural = None;
    for (place, _) in text.match_indices(stem) {
        let rest = &text[place + stem.len()..];
        if rest.starts_with(' ') {
            return Some(place);
        }
        plural = plural.or_else(|| rest.starts_with("s ").then_some(place));
    }
    plural
}

/// Whether any of the phrases, in lower case and without punctuation, stands in `text`, made by [`plain`].
pub(super) fn has_any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| find_phrase(text, &format!(" {phrase} ")).is_some())
}

/// The figures in a text, in order: runs of digits, with `.` or `,` between two digits kept.
pub(super) fn figures(text: &str) -> Vec<String> {
    let mut figures = Vec::new();
    let mut current = String::new();
    for character in text.chars() {
        if character.is_ascii_digit() || (matches!(character, '.' | ',') && !current.is_empty()) {
            current.push(character);
        } else if !current.is_empty() {
            figures.push(std::mem::take(&mut current));
        }
    }
    if !current.is_empty() {
        figures.push(current);
    }
    figures.into_iter().map(|figure| figure.trim_end_matches(['.', ',']).to_owned()).collect()
}

/// The sentences of a paragraph, each as it stands, without the space after it.
pub(super) fn sentences(paragraph: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (index, _) in paragraph.match_indices(['.', '!', '?']) {
        let after = index + 1;
        if paragraph[after..].starts_with(' ') {
            sentences.push(paragraph[start..after].trim_start());
            start = after;
        }
    }
    let rest = paragraph[start..].trim();
    if !rest.is_empty() {
        sentences.push(rest);
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_found_whole_and_in_any_letter_case() {
        let text = plain("Can I RETURN it? My refunds, please: it's late.");
        assert!(has_any(&text, &["return"]));
        assert!(has_any(&text, &["refund"]));
        assert!(has_any(&text, &["its late"]));
        assert!(!has_any(&text, &["turn"]));
    }

    #[test]
    fn figures_keep_their_decimals_and_lose_the_full_stop() {
        assert_eq!(figures("Within 30 days, 12.50 euros or 1,200. Not 7."), ["30", "12.50", "1,200", "7"]);
    }

    #[test]
    fn sentences_end_at_a_mark_before_a_space() {
        assert_eq!(sentences("It costs 4.50 euros. Is it so? Yes"), ["It costs 4.50 euros.", "Is it so?", "Yes"]);
        assert_eq!(sentences(""), [""; 0]);
    }
}
