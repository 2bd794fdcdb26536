//! Lines broken between words where a terminal would break them within one.

use std::os::fd::AsFd;

/// Below this many columns there is no room to break anything well.
const LEAST_COLUMNS: usize = 40;

/// What a line further in by this much still follows from the one before.
const INSET: usize = 2;

/// How many columns a terminal has; nothing where it is none, or is too narrow.
pub(super) fn columns(stream: impl AsFd) -> Option<usize> {
    let columns = usize::from(rustix::termios::tcgetwinsize(stream).ok()?.ws_col);
    (columns >= LEAST_COLUMNS).then_some(columns)
}

/// The text with its lines broken between words, each rest set in a little further than the line's beginning. A command
/// stays on one line: whoever copies it gets it whole.
pub(super) fn wrapped(text: &str, columns: usize) -> String {
    text.split('\n').map(|line| wrapped_line(line, columns)).collect::<Vec<_>>().join("\n")
}

fn wrapped_line(line: &str, columns: usize) -> String {
    let begins = line.trim_start();
    let is_command = ["holdpoint ", "git "].iter().any(|program| uncoloured(begins).starts_with(program));
    if is_command || shown(line) <= columns {
        return line.to_owned();
    }
    let indent = (line.len() - begins.len() + INSET).min(columns / 2);
    let mut broken = String::with_capacity(line.len() + 32);
    let mut at = 0;
    for word in line.split_inclusive(' ') {
        let width = shown(word.trim_end());
        if at > indent && at + width > columns {
            broken.truncate(broken.trim_end_matches(' ').len());
            broken.push('\n');
            broken.push_str(&" ".repeat(indent));
            at = indent;
        }
        broken.push_str(word);
        at += shown(word);
    }
    broken
}

/// The line from where its first word begins, whatever colours it.
fn uncoloured(begins: &str) -> &str {
    let rest = begins.strip_prefix("\u{1b}[").and_then(|sequence| sequence.split_once('m'));
    rest.map_or(begins, |(_, rest)| rest.trim_start())
}

/// The columns that a text takes: characters, without the sequences that colour it.
fn shown(text: &str) -> usize {
    let mut in_sequence = false;
    let is_shown = |character: &char| {
        let begins = *character == '\u{1b}';
        let shown = !in_sequence && !begins;
        in_sequence = begins || in_sequence && *character != 'm';
        shown
    };
    text.chars().filter(is_shown).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_line_is_broken_between_words_and_set_in() {
        let line = "    - the evidence supports neither that it took effect nor that it did not";
        assert_eq!(
            wrapped(&format!("Short\n{line}"), 40),
            "Short\n    - the evidence supports neither that\n      it took effect nor that it did not"
        );
    }

    #[test]
    fn a_command_and_a_word_without_an_end_stay_whole() {
        let command = format!("       holdpoint incident {}", "x ".repeat(50));
        assert_eq!(wrapped(&command, 40), command);
        let faint = format!("\u{1b}[2m    holdpoint case new --for {}\u{1b}[0m", "a b ".repeat(20));
        assert_eq!(wrapped(&faint, 40), faint);
        let word = "y".repeat(100);
        assert_eq!(wrapped(&word, 40), word);
    }

    #[test]
    fn colours_take_no_room_and_are_not_broken() {
        let line = format!("\u{1b}[1m{}\u{1b}[0m", "word ".repeat(7).trim_end());
        assert_eq!(shown(&line), 34);
        assert_eq!(wrapped(&line, 40), line);
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_no_line_of_short_words_is_too_long(text in "[a-z]{1,9}( [a-z]{1,9}){0,40}") {
            let broken = wrapped(&text, 40);
            prop_assert!(broken.lines().all(|line| line.len() <= 40), "{}", broken);
            prop_assert_eq!(broken.split_whitespace().collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
        }
    }
}
