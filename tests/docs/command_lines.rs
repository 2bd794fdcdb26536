//! Command lines that pages name in passing, and the block on the first page: the binary knows every word of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::page::{Act, acts, carry_out};

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every page for readers.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"]
        .map(|name| repository().join(name))
        .to_vec();
    let mut folders = vec![repository().join("docs"), repository().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|ending| ending == "md") {
                pages.push(entry);
            }
        }
    }
    pages
}

/// The command lines of a page: those between backticks, and those on lines of their own.
fn command_lines(text: &str) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for line in text.lines() {
        let own = line.trim_start().strip_prefix("holdpoint ").map(|rest| format!("holdpoint {rest}"));
        let is_code = line.starts_with("    ") || own.is_some() && !line.contains(". ") && !line.contains(" is ");
        let spans = line.split('`').skip(1).step_by(2).filter(|span| span.starts_with("holdpoint "));
        lines.extend(own.filter(|_| is_code).into_iter().chain(spans.map(str::to_owned)));
    }
    lines
}

/// The words of a line, one list for each choice that it names as `a|b|c`; without what a shell would do with the rest.
fn choices(line: &str) -> Vec<Vec<String>> {
    let line = line.split(['#', '>', ';', '|']).next().filter(|_| line.contains(" | ")).unwrap_or(line);
    let line = line.split('#').next().unwrap().split('>').next().unwrap();
    let mut quoted = None;
    let mut words = vec![String::new()];
    for c in line.chars() {
        match c {
            '"' | '\'' if quoted.is_none() => quoted = Some(c),
            c if quoted == Some(c) => quoted = None,
            ' ' if quoted.is_none() => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    let several = words.iter().position(|word| word.contains('|'));
    let cleaned = |words: &[String]| words.iter().map(|word| word.trim_end_matches("...").to_owned()).collect();
    match several {
        None => vec![cleaned(&words)],
        Some(at) => words[at]
            .split('|')
            .map(|choice| {
                let mut chosen = words.clone();
                chosen[at] = choice.to_owned();
                cleaned(&chosen)
            })
            .collect(),
    }
}

#[test]
fn every_command_line_on_every_page_is_one_that_the_binary_knows() {
    let (mut known, mut misunderstood) = (0, Vec::new());
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        // The reference is made of the binary's own words.
        let is_made = page.ends_with("docs/reference.md");
        for line in command_lines(&text).into_iter().filter(|_| !is_made) {
            for words in choices(&line) {
                // A practice service would go on until it is ended.
                // What a shell has to fill in is carried out with its page.
                if words.iter().any(|word| word.starts_with("$(")) {
                    continue;
                }
                if words.iter().any(|word| word == "practice") && !words.iter().any(|word| word == "--help") {
                    continue;
                }
                misunderstood.extend(misunderstood_in(&page, &words));
                known += 1;
            }
        }
    }
    assert!(misunderstood.is_empty(), "{}", misunderstood.join("\n"));
    assert!(known >= 120, "{known} command lines are left");
}

/// Runs the line where there is no project, so that it goes as far as its words are understood and no further.
fn misunderstood_in(page: &Path, words: &[String]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_holdpoint"))
        .args(&words[1..])
        .current_dir(&folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    // A command that only groups others says what they are.
    let is_misunderstood =
        told.contains("error: ") && told.contains("Usage: ") || told.contains("For more information, try");
    // One that is named and not shown lacks what it needs.
    let is_named_alone = words.len() <= 3 && told.contains("required arguments were not provided");
    (is_misunderstood && !is_named_alone).then(|| format!("{}: {words:?}\n{told}", page.display()))
}

#[test]
fn a_misspelt_word_would_be_found() {
    let lines = command_lines(
        "Say `holdpoint gat` or\n    holdpoint runs --durations > FILE  # so\nbut not holdpoint is nice. Or so.\n",
    );
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(choices("holdpoint import csv|jsonl FILE...").len(), 2);
    assert_eq!(choices("holdpoint pause on --reason \"a b\" # x"), [["holdpoint", "pause", "on", "--reason", "a b"]]);
    let misspelt = ["holdpoint".to_owned(), "gat".to_owned()];
    assert!(misunderstood_in(Path::new("a.md"), &misspelt).is_some(), "`gat` is no command");
}

/// The first block of commands on the first page, in the example that it speaks of, with nothing accepted.
#[test]
fn the_ten_lines_of_the_first_page_end_as_it_says() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let block = readme.split("## Ten lines\n").nth(1).unwrap().split("\n\nTo try").next().unwrap();
    let lines =
        block.lines().filter_map(|line| line.strip_prefix("    ")).filter(|line| !line.trim_start().starts_with('#'));
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("desk");
    fs::create_dir(&project).unwrap();
    let begin = fs::read_to_string(repository().join("docs/README.md")).unwrap();
    carry_out(&acts(&begin), &project);
    // Without its history, or what was taken away would be missed.
    let anew =
        "rm -r baselines .git && git init --quiet && git add . && git commit --quiet --message 'Nothing is accepted'";
    carry_out(&[run(anew, 0)], &project);
    let ends = |line: &str, gates: usize| match (line.starts_with("holdpoint gate"), gates) {
        (true, 1) => 12,
        (true, 3) => 10,
        _ => 0,
    };
    let (mut gates, mut carried) = (0, 0);
    for line in lines {
        let line = line.split('#').next().unwrap().trim();
        gates += usize::from(line.starts_with("holdpoint gate"));
        let line = line
            .replace("RUN", "latest")
            .replace("$EDITOR", "sed -i 's/30 days/14 days/'")
            .replace("xdg-open", "test -s");
        carried += carry_out(&[run(&line, ends(&line, gates))], &project);
    }
    assert_eq!((carried, gates), (10, 3));
}

fn run(line: &str, ends: i32) -> Act {
    Act::Run { line: line.to_owned(), ends }
}
