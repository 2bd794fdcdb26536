//! References in the papers: ids and receipts as they are, everything that could be a sentence by its digest.

use crate::domain::Digest;
use crate::evidence::excerpt;
use crate::manifest::FaultName;

/// The most characters of an id or a receipt that a paper shows.
const SHOWN: usize = 120;

/// The most characters of a word that passes for a reference.
const LONGEST: usize = 80;

/// An id, on one line and harmless to a terminal.
pub(super) fn shown(id: &str) -> String {
    excerpt(id, SHOWN)
}

/// A text that a target or a workflow gave as a reference or as a reason. A code or a number is shown; anything that reads
/// like a sentence, a name or an address may hold personal content, so only its digest is.
pub(super) fn reference(text: &str) -> String {
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:/#".contains(c));
    let words: Vec<&str> = text.split(' ').collect();
    let is_reference = match words.as_slice() {
        [word] => word.len() <= LONGEST && is_word(word),
        // `item 3`, `ticket 2026/41`: a kind of record and a number.
        [kind, number] => {
            kind.len() + number.len() < LONGEST
                && is_word(kind)
                && is_word(number)
                && number.starts_with(|c: char| c.is_ascii_digit())
        }
        _ => false,
    };
    if is_reference {
        text.to_owned()
    } else {
        format!("a text kept in the record (sha256 {})", Digest::of(text.as_bytes()).short())
    }
}

/// A fault by its name: the runner's own names as they are, with how an answer was withheld (`lost_ack by timeout`);
/// what a ledger calls one as any other reference.
pub(super) fn fault_reference(fault: &str) -> String {
    const WAYS: [&str; 3] = ["reset", "timeout", "status"];
    let is_own = fault
        .split_once(" by ")
        .is_some_and(|(name, way)| FaultName::ALL.into_iter().any(|known| known.name() == name) && WAYS.contains(&way));
    if is_own { fault.to_owned() } else { reference(fault) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_numbers_are_shown() {
        for text in ["approval_expired", "item 3", "ch_1Nq", "2f1e-77", "C-618"] {
            assert_eq!(reference(text), text);
        }
    }

    #[test]
    fn what_could_be_a_sentence_a_name_or_an_address_is_not() {
        for text in ["Jane Doe", "jane@example.org", "the customer Jane", "", "a\u{1b}[2J", "item 3 for Jane"] {
            let given = reference(text);
            assert!(given.starts_with("a text kept in the record (sha256 ") && !given.contains("Jane"), "{given}");
        }
    }

    #[test]
    fn the_runners_own_faults_are_named_with_how_they_withheld_the_answer() {
        assert_eq!(fault_reference("lost_ack by timeout"), "lost_ack by timeout");
        assert_eq!(fault_reference("no_answer"), "no_answer");
        assert!(fault_reference("lost_ack by Jane").starts_with("a text kept in the record"));
        assert!(fault_reference("trouble by timeout").starts_with("a text kept in the record"));
    }
}
