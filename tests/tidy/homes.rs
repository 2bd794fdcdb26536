//! Where each outside library lives, and which rooms are pure.

use std::collections::BTreeSet;

use crate::assert_none;
use crate::source::{SourceFile, Token, rust_files};

/// Each dependency with the places below `src/` that may name it; `""` is everywhere.
const HOMES: &[(&str, &[&str])] = &[
    ("annotate-snippets", &["cli/"]),
    ("anstream", &["cli/"]),
    ("anstyle", &["cli/", "report/"]),
    ("base64", &["report/", "execution/"]),
    ("clap", &["cli/"]),
    ("csv", &["import/"]),
    ("clap_complete", &["cli/"]),
    ("clap_mangen", &["cli/"]),
    ("git2", &["change/git"]),
    ("globset", &["manifest/", "change/"]),
    (
        "jiff",
        &[
            "manifest/",
            "change/base",
            "execution/",
            "practice/",
            "baseline/",
            "pipeline",
            "operations/",
            "report/",
            "store/",
            "import/",
            "cli/",
        ],
    ),
    ("jsonschema", &["manifest/", "grading/"]),
    ("http-body-util", &["practice/targets/", "proxy/"]),
    ("hyper", &["practice/targets/", "proxy/"]),
    ("hyper-util", &["practice/targets/", "proxy/"]),
    ("mimalloc", &["main"]),
    ("minijinja", &["report/"]),
    ("percent-encoding", &["evidence/wire"]),
    ("quick-xml", &["report/"]),
    ("rayon", &["execution/"]),
    ("regex", &["manifest/", "init/", "grading/", "practice/"]),
    ("rust-embed", &["pipeline/examples"]),
    ("rusqlite", &["store/", "practice/", "execution/probes/sql"]),
    ("rustls-native-certs", &["proxy/"]),
    ("rustix", &["execution/", "cli/", "store/", "baseline/"]),
    (
        "schemars",
        &[
            "domain/",
            "manifest/",
            "change/",
            "selection/",
            "evidence/",
            "grading/",
            "exercise/",
            "baseline/",
            "comparison/",
            "verdict/",
            "operations/",
            "report/",
            "store/",
            "pipeline/",
            "cli/",
        ],
    ),
    ("serde", &[""]),
    ("serde_json", &[""]),
    ("serde_json_path", &["manifest/", "grading/", "execution/probes/http"]),
    ("serde-saphyr", &["manifest/"]),
    ("sha2", &["domain/"]),
    ("signal-hook", &["cli/", "execution/"]),
    ("similar", &["report/", "grading/", "pipeline/lint"]),
    ("statrs", &["comparison/"]),
    ("strsim", &["manifest/", "pipeline/"]),
    ("tempfile", &["execution/", "baseline/", "store/", "report/", "pipeline/"]),
    ("thiserror", &[""]),
    ("tokio", &["practice/targets/", "proxy/"]),
    ("tokio-rustls", &["proxy/"]),
    ("ureq", &["execution/", "practice/"]),
    ("zip", &["import/inspect/"]),
];

/// Rooms in which the same values always give the same values, and such files of other rooms.
const PURE: [&str; 12] = [
    "init/",
    "selection/",
    "grading/",
    "exercise/",
    "comparison/",
    "verdict/",
    "import/promptfoo/",
    "import/openai_evals",
    "import/table",
    "evidence/wire",
    "proxy/schedule",
    "proxy/faults/damage",
];

/// What only the command line does: printing, and reading the environment.
const PRINTING: [&str; 6] = ["println", "print", "eprintln", "eprint", "stdout", "stderr"];

/// The names that dependencies have in code: those of Cargo.toml with `_` for `-`; one is renamed there.
fn code_name(dependency: &str) -> String {
    if dependency == "serde-saphyr" { "serde_yaml".to_owned() } else { dependency.replace('-', "_") }
}

fn names_crate(all: &[Token], at: usize, name: &str) -> bool {
    let text = |at: Option<usize>| at.and_then(|at| all.get(at)).map_or("", |token| token.text.as_str());
    let before = text(at.checked_sub(1));
    text(Some(at)) == name
        && (text(Some(at + 1)) == "::" && !matches!(before, "::" | ".") || before == "use")
        && !is_inside_a_group_of(all, at)
}

/// Whether `all[at]` stands in `use room::{…}`, where a name is no crate's.
fn is_inside_a_group_of(all: &[Token], at: usize) -> bool {
    let mut depth = 0_i32;
    for index in (0..at).rev() {
        match all[index].text.as_str() {
            ";" => return false,
            "}" => depth += 1,
            "{" if depth == 0 => return index > 0 && all[index - 1].text == "::",
            "{" => depth -= 1,
            _ => {}
        }
    }
    false
}

fn strays(files: &[SourceFile], homes: &[(&str, &[&str])]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let inside = file.path.trim_start_matches("src/");
        let all = file.product_tokens();
        for (dependency, places) in homes {
            if places.iter().any(|place| inside.starts_with(place)) {
                continue;
            }
            let name = code_name(dependency);
            if let Some(at) = (0..all.len()).find(|at| names_crate(&all, *at, &name)) {
                complaints.push(format!("{}:{}: {dependency} lives in {places:?}", file.path, all[at].line));
            }
        }
    }
    complaints
}

/// Where printing or the environment is used outside the command line, in the library's own words.
fn loud_places(files: &[SourceFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.room().is_some_and(|room| room != "cli")) {
        let all = file.product_tokens();
        for (at, token) in all.iter().enumerate() {
            let next = all.get(at + 1).map_or("", |token| token.text.as_str());
            let before = at.checked_sub(1).map_or("", |before| all[before].text.as_str());
            let macro_call = PRINTING[..4].contains(&token.text.as_str()) && next == "!";
            let stream = PRINTING[4..].contains(&token.text.as_str()) && next == "(" && !matches!(before, "." | "fn");
            let after = all.get(at + 2).map_or("", |token| token.text.as_str());
            let environment = token.text == "env" && next == "::" && !matches!(after, "split_paths" | "join_paths");
            if macro_call || stream || environment {
                complaints.push(format!("{}:{}: `{}` belongs in the cli room", file.path, token.line, token.text));
            }
        }
    }
    complaints
}

fn impurities(files: &[SourceFile], pure: &[&str]) -> Vec<String> {
    const OUTSIDE: [&str; 7] = ["fs", "io", "time", "env", "thread", "net", "process"];
    let mut complaints = Vec::new();
    let is_pure = |file: &&SourceFile| pure.iter().any(|place| file.path.trim_start_matches("src/").starts_with(place));
    for file in files.iter().filter(is_pure) {
        let all = file.product_tokens();
        for (at, token) in all.iter().enumerate() {
            let reaches_out = token.text == "std"
                && all.get(at + 1).is_some_and(|token| token.text == "::")
                && first_names(&all, at + 2).iter().any(|name| OUTSIDE.contains(&name.as_str()));
            let clock = matches!(token.text.as_str(), "Instant" | "SystemTime" | "Timestamp" | "Zoned");
            if reaches_out || clock {
                complaints.push(format!("{}:{}: a pure room reaches outside", file.path, token.line));
            }
        }
    }
    complaints
}

/// The name at `at`, or each first name of the group there.
fn first_names(all: &[Token], at: usize) -> Vec<String> {
    if all.get(at).is_none_or(|token| token.text != "{") {
        return all.get(at).map(|token| token.text.clone()).into_iter().collect();
    }
    let (mut depth, mut names) = (0, Vec::new());
    for pair in all[at..].windows(2) {
        match pair[0].text.as_str() {
            "{" => depth += 1,
            "}" if depth == 1 => break,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 1 && matches!(pair[0].text.as_str(), "{" | ",") {
            names.push(pair[1].text.clone());
        }
    }
    names
}

/// The dependencies of Cargo.toml, under the names of their packages.
fn dependencies(cargo_toml: &str) -> BTreeSet<String> {
    let section = cargo_toml.split("\n[").find(|section| section.starts_with("dependencies]")).unwrap_or_default();
    section
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once('='))
        .map(|(name, rest)| match rest.split_once("package = \"") {
            Some((_, package)) => package.split('"').next().unwrap_or_default().to_owned(),
            None => name.trim().to_owned(),
        })
        .collect()
}

#[test]
fn every_library_stays_in_its_home() {
    assert_none(&strays(&rust_files(&["src/"]), HOMES));
}

#[test]
fn every_dependency_has_a_home() {
    let cargo_toml = include_str!("../../Cargo.toml");
    let listed: BTreeSet<String> = HOMES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(dependencies(cargo_toml), listed);
}

#[test]
fn only_the_command_line_prints_and_reads_the_environment() {
    assert_none(&loud_places(&rust_files(&["src/"])));
}

#[test]
fn the_pure_rooms_reach_for_nothing() {
    let files = rust_files(&["src/"]);
    for place in PURE {
        let is_there = files.iter().any(|file| file.path.trim_start_matches("src/").starts_with(place));
        assert!(is_there, "there is nothing at {place} to look at");
    }
    assert_none(&impurities(&files, &PURE));
}

#[test]
fn a_library_away_from_home_is_found_however_it_is_named() {
    let homes: &[(&str, &[&str])] = &[("git2", &["change/git"])];
    for text in ["use git2::Repository;", "use git2;", "fn f() { let r = git2::Repository::open(p); }"] {
        assert_eq!(strays(&[SourceFile::new("src/cli/mod.rs", text)], homes).len(), 1, "{text}");
        assert_eq!(strays(&[SourceFile::new("src/change/git.rs", text)], homes).len(), 0, "{text}");
    }
    for text in ["// git2::x", "use crate::git2::x;", "x.git2::<T>()", "#[cfg(test)] mod t { use git2::x; }"] {
        assert_eq!(strays(&[SourceFile::new("src/cli/mod.rs", text)], homes).len(), 0, "{text}");
    }
}

#[test]
fn printing_and_environment_outside_the_command_line_are_found() {
    for text in [
        "println!(\"\")",
        "std::io::stdout().lock()",
        "eprint!(\"\")",
        "std::env::var(\"HOME\")",
        "use std::env::vars;",
    ] {
        assert_eq!(loud_places(&[SourceFile::new("src/report/mod.rs", text)]).len(), 1, "{text}");
        assert_eq!(loud_places(&[SourceFile::new("src/cli/mod.rs", text)]).len(), 0, "{text}");
    }
    for text in ["command.stdout(pipe)", "fn stderr() {}", "// println!()", "std::env::split_paths(path)"] {
        assert_eq!(loud_places(&[SourceFile::new("src/report/mod.rs", text)]).len(), 0, "{text}");
    }
}

#[test]
fn a_pure_room_that_reaches_outside_is_found() {
    for text in ["use std::fs;", "use std::{fmt, fs::File};", "let now = Instant::now();", "std::env::args()"] {
        assert_eq!(impurities(&[SourceFile::new("src/verdict/mod.rs", text)], &["verdict/"]).len(), 1, "{text}");
        assert_eq!(impurities(&[SourceFile::new("src/store/mod.rs", text)], &["verdict/"]).len(), 0, "{text}");
    }
    let harmless = SourceFile::new("src/verdict/mod.rs", "use std::{fmt, collections::BTreeMap};");
    assert_eq!(impurities(&[harmless], &["verdict/"]).len(), 0);
}

#[test]
fn a_renamed_dependency_is_known_by_its_package() {
    let text =
        "[package]\nname = \"x\"\n[dependencies]\na = \"1\"\nb = { package = \"c-d\" }\n[dev-dependencies]\ne = \"1\"";
    assert_eq!(dependencies(text), BTreeSet::from(["a".to_owned(), "c-d".to_owned()]));
}
