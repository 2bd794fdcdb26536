//! Words that the project does not use: it speaks of itself alone.

use crate::assert_none;
use crate::source::{SourceFile, project_files};

/// Put together from halves, so that this file does not hold what it looks for.
const FORBIDDEN: [&str; 9] = [
    concat!("/wo", "rk/"),
    concat!(".lib", "rary"),
    concat!("sub", "agent"),
    concat!("../sh", "ared"),
    concat!("design", ".md"),
    concat!("cla", "ude"),
    LIBRARY,
    concat!("chat", "gpt"),
    concat!("ai assi", "stant"),
];

/// The name of a client library too.
const LIBRARY: &str = concat!("anth", "ropic");

fn forbidden_words(files: &[SourceFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        for (index, line) in file.text.lines().enumerate() {
            let line = line.to_lowercase();
            // The tests of client libraries have to name them.
            let is_named = |word: &str| word == LIBRARY && file.path.starts_with("tests/clients/");
            let word = FORBIDDEN.iter().find(|word| line.contains(*word) && !is_named(word)).copied();
            if let Some(word) = word.or_else(|| names_an_issue(&line).then_some("an issue's number")) {
                complaints.push(format!("{}:{}: {word}", file.path, index + 1));
            }
        }
    }
    complaints
}

/// The word for a filed report with a number behind it: a reader of the repository cannot look it up.
fn names_an_issue(line: &str) -> bool {
    let word = concat!("iss", "ue ");
    line.match_indices(word).any(|(at, _)| {
        let rest = &line[at + word.len()..];
        rest.strip_prefix('#').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit())
    })
}

#[test]
fn the_project_speaks_of_itself_alone() {
    let files = project_files();
    assert!(files.len() > 50, "only {} files found", files.len());
    assert_none(&forbidden_words(&files));
}

#[test]
fn each_forbidden_word_is_found_in_any_letter_case() {
    for word in FORBIDDEN {
        let file = SourceFile::new("a.md", &format!("first\nsee {} there", word.to_uppercase()));
        assert_eq!(forbidden_words(&[file]), [format!("a.md:2: {word}")]);
    }
    assert_eq!(forbidden_words(&[SourceFile::new("tests/clients/a.py", LIBRARY)]).len(), 0);
    for (text, found) in [(concat!("iss", "ue 2"), 1), (concat!("Iss", "ue #12"), 1), (concat!("iss", "ue two"), 0)] {
        assert_eq!(forbidden_words(&[SourceFile::new("a.md", text)]).len(), found, "{text}");
    }
}
