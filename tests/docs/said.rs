//! Every command line on every page, in a block or in passing: it is run where a setting says, or carried out with its page.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::first_page::ten_lines;
use crate::page::{Act, acts};
use crate::settings::{EXEMPT, SETTINGS, Said};

/// How a command line begins. Between backticks it may leave `holdpoint` out where its first word is one of its commands.
const BEGINNINGS: [&str; 15] = [
    "holdpoint ",
    "./test",
    "./bench",
    "cargo ",
    "git ",
    "python3 ",
    "echo ",
    "pip ",
    "npm ",
    "printf ",
    "$EDITOR ",
    "xdg-open ",
    "docker ",
    "kubectl ",
    "UPDATE_DOCS=",
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Every page for readers, by its path.
fn pages() -> Vec<String> {
    let mut pages: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(str::to_owned).to_vec();
    let mut folders = vec![repository().join("docs"), repository().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|ending| ending == "md") {
                pages.push(entry.strip_prefix(repository()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    pages
}

/// The names of the binary's commands.
fn commands() -> Vec<String> {
    let help = Command::new(env!("CARGO_BIN_EXE_holdpoint")).arg("-h").env_clear().output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let listed = help.split_once("\nCommands:\n").unwrap().1.lines().take_while(|line| !line.is_empty());
    let names = listed.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

/// A command line of a page, without what stands behind a `#`, and the exit code that may be said there.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CommandLine {
    line: String,
    ends: Option<i32>,
}

impl CommandLine {
    fn new(text: &str) -> Self {
        let (line, remark) = text.split_once(" #").unwrap_or((text, ""));
        let code = remark.split_once("ends ").map(|(_, rest)| rest.chars().take_while(char::is_ascii_digit).collect());
        let ends = code.and_then(|code: String| code.parse().ok());
        Self { line: line.trim_end().to_owned(), ends }
    }

    fn is_run_as(&self, said: &Said) -> bool {
        said.line == self.line && self.ends.is_none_or(|code| code == said.ends)
    }
}

/// The command lines of a page. In a block of `sh` every line is one; in another block without a language, indented, and
/// between backticks, what begins like one. With `short`, also between backticks what begins with one of these commands.
fn command_lines(text: &str, short: &[String]) -> BTreeSet<CommandLine> {
    let mut found = BTreeSet::new();
    let mut prose = String::new();
    let mut fence: Option<&str> = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if let Some(language) = trimmed.strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language) };
        } else if let Some(language) = fence {
            let is_command = language == "sh" || language.is_empty() && begins(trimmed);
            found.extend((is_command && !trimmed.is_empty()).then(|| CommandLine::new(&whole(trimmed, &mut lines))));
        } else if line.starts_with("    ") && begins(trimmed) {
            found.insert(CommandLine::new(trimmed));
        } else if trimmed.is_empty() {
            found.extend(spans(&std::mem::take(&mut prose), short));
        } else {
            prose.push_str(trimmed);
            prose.push(' ');
        }
    }
    found.extend(spans(&prose, short));
    found
}

/// The line, with those that follow while a quotation is open in it.
fn whole<'a>(first: &str, rest: &mut impl Iterator<Item = &'a str>) -> String {
    let mut line = first.to_owned();
    while quotes(&line) {
        line.push(' ');
        line.push_str(rest.next().unwrap_or_else(|| panic!("`{first}` quotes without end")).trim());
    }
    line
}

/// Whether a quotation is open at the end of the line.
fn quotes(line: &str) -> bool {
    let mut open = None;
    for c in line.chars().filter(|c| ['"', '\''].contains(c)) {
        open = match open {
            None => Some(c),
            Some(other) if other == c => None,
            Some(other) => Some(other),
        };
    }
    open.is_some()
}

fn begins(line: &str) -> bool {
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
}

/// The command lines between backticks.
fn spans(prose: &str, short: &[String]) -> Vec<CommandLine> {
    let is_short = |span: &str| {
        let mut words = span.split_whitespace();
        words.next().is_some_and(|first| short.iter().any(|name| name == first)) && words.next().is_some()
    };
    let spans = prose.split('`').skip(1).step_by(2);
    spans.filter(|span| begins(span) || is_short(span)).map(CommandLine::new).collect()
}

/// What is carried out with its page by another test.
fn carried_out(page: &str, text: &str) -> BTreeSet<String> {
    if page == "README.md" {
        return ten_lines().into_iter().collect();
    }
    if page == "docs/import.md" {
        let own = text.lines().filter(|line| line.starts_with("    holdpoint "));
        return own.map(|line| CommandLine::new(line.trim()).line).collect();
    }
    if page == "docs/README.md" || page == "docs/tutorial.md" || page.starts_with("docs/how-to/") {
        let lines = acts(text).into_iter().filter_map(|act| match act {
            Act::Run { line, .. } => Some(CommandLine::new(&line).line),
            Act::Write { .. } | Act::Add { .. } => None,
        });
        return lines.collect();
    }
    BTreeSet::new()
}

/// The command lines of a page that a setting, or an exemption, has to answer for.
fn left_to_settings(page: &str, commands: &[String]) -> BTreeSet<CommandLine> {
    let text = fs::read_to_string(repository().join(page)).unwrap();
    // What is history, and what explains the inside, names a command's shape and not a line to type.
    let is_for_users = page == "README.md" || page.starts_with("docs/") || page.starts_with("examples/");
    let lines = command_lines(&text, if is_for_users { commands } else { &[] });
    let carried_out = carried_out(page, &text);
    lines.into_iter().filter(|said| !carried_out.contains(&said.line)).collect()
}

fn settled() -> impl Iterator<Item = &'static Said> {
    SETTINGS.iter().flat_map(|setting| setting.said)
}

#[test]
fn every_command_line_on_every_page_is_run_or_exempt_with_a_reason() {
    let commands = commands();
    let (mut complaints, mut known) = (Vec::new(), 0);
    for page in pages() {
        let lines = left_to_settings(&page, &commands);
        for line in &lines {
            let is_run = settled().any(|said| line.is_run_as(said) && said.pages.contains(&page.as_str()));
            let is_exempt = EXEMPT.iter().any(|(exempt, _)| *exempt == line.line);
            known += usize::from(is_run || is_exempt);
            if !is_run && !is_exempt {
                complaints.push(unrun(&page, line));
            }
        }
        let is_said = |said: &Said| lines.iter().any(|line| line.line == said.line);
        for said in settled().filter(|said| said.pages.contains(&page.as_str()) && !is_said(said)) {
            complaints.push(format!("tests/docs/settings.rs runs `{}` for {page}, which does not say it", said.line));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(known >= 70, "{known} command lines are left");
}

/// What whoever wrote the page has to do.
fn unrun(page: &str, CommandLine { line, ends }: &CommandLine) -> String {
    let code = ends.map_or(String::new(), |code| format!(", which is to end with {code},"));
    format!(
        "{page} says `{line}`{code} and nothing runs it. Put it into tests/docs/settings.rs, under the setting whose ground \
         fits, with what stands for its placeholders, if it has any, and the code that it ends with:\n    \
         said(&[\"{page}\"], r#\"{line}\"#).tried(r#\"holdpoint …\"#).ends({})",
        ends.unwrap_or(0)
    )
}

#[test]
fn what_is_run_for_a_line_is_that_line_with_its_placeholders_filled_in() {
    let pages = pages();
    for said in settled() {
        let run = said.run();
        for word in said.line.split_whitespace().filter(|word| !is_placeholder(word)) {
            assert!(run.contains(word), "`{}` is tried as `{run}`, which lacks `{word}`", said.line);
        }
        for page in said.pages {
            assert!(pages.iter().any(|known| known == page), "`{}` stands on {page}, which is no page", said.line);
        }
    }
    for (line, reason) in EXEMPT {
        assert!(!line.starts_with("holdpoint "), "`{line}`: every line of the binary itself is run");
        assert!(reason.split_whitespace().count() > 4, "`{line}` is exempt without a reason: {reason}");
    }
}

/// `RUN`, `PART/RISK`, `FROM..TO`, and `a|b` of which one is meant.
fn is_placeholder(word: &str) -> bool {
    let letters = || word.chars().filter(|c| c.is_alphabetic());
    word.contains('|') || letters().count() > 1 && letters().all(char::is_uppercase)
}

#[test]
fn a_line_is_found_wherever_it_stands() {
    let lines =
        |text, short: &[String]| command_lines(text, short).into_iter().map(|said| said.line).collect::<Vec<_>>();
    let page = "Say `holdpoint gat` or `run\n--mutate`, not `run` and not `x`.\n\n    holdpoint runs > FILE  # so\n\n```\nholdpoint a\n\
                found\n```\n```sh\nls   # all\n```\n```yaml\nholdpoint no: 1\n```\nAnd `./bench`.\n";
    let found = lines(page, &["run".to_owned()]);
    let expected = ["./bench", "holdpoint a", "holdpoint gat", "holdpoint runs > FILE", "ls", "run --mutate"];
    assert_eq!(found, expected);
    assert_eq!(lines("`run --mutate`", &[]), [""; 0]);
    assert_eq!(lines("```\necho 'a\n  b' | c  # d\n```\n", &[]), ["echo 'a b' | c"]);
    assert_eq!(CommandLine::new("holdpoint gate   # so it ends 12: why").ends, Some(12));
    let is_placeholder: Vec<bool> = ["RUN", "FROM..TO", "PART/RISK", "PART...", "a|b", "--all", "R-618", "3/8", "a"]
        .iter()
        .map(|word| is_placeholder(word))
        .collect();
    assert_eq!(is_placeholder, [true, true, true, true, true, false, false, false, false]);
}
