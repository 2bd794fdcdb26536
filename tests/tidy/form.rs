//! How files look: first lines, sizes, names, and tests that are there.

use crate::assert_none;
use crate::source::{SourceFile, Token, item_end, rust_files, tokens};

const MOST_LINES: usize = 700;
const AIMED_LINES: usize = 300;
const MOST_FUNCTION_LINES: usize = 60;
const FORBIDDEN_NAMES: [&str; 4] = ["utils", "helpers", "common", "imp"];

fn without_first_line(files: &[SourceFile]) -> Vec<String> {
    let bare = files.iter().filter(|file| !file.text.starts_with("//! "));
    bare.map(|file| format!("{}: the first line does not say, after `//!`, what the file is for", file.path)).collect()
}

fn too_long(files: &[SourceFile], most: usize) -> Vec<String> {
    let long = files.iter().map(|file| (file, file.text.lines().count())).filter(|(_, lines)| *lines > most);
    long.map(|(file, lines)| format!("{}: {lines} lines, {most} at the most", file.path)).collect()
}

/// Functions whose braces are more than `most` lines apart; test code is let be.
fn long_functions(files: &[SourceFile], most: usize) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let all = file.product_tokens();
        for at in (0..all.len()).filter(|at| is_function(&all, *at)) {
            let end = item_end(&all, at);
            let lines = all[end - 1].line - all[at].line + 1;
            if lines > most {
                let name = &all[at + 1].text;
                complaints
                    .push(format!("{}:{}: `{name}` has {lines} lines, {most} at the most", file.path, all[at].line));
            }
        }
    }
    complaints
}

/// `fn name`, and not the type `fn(…)`.
fn is_function(all: &[Token], at: usize) -> bool {
    all[at].text == "fn" && all.get(at + 1).is_some_and(|token| token.text != "(")
}

fn forbidden_modules(files: &[SourceFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let names = file.path.trim_end_matches(".rs").split('/');
        if names.clone().any(|name| FORBIDDEN_NAMES.contains(&name)) {
            complaints.push(format!("{}: the name says nothing of what is inside", file.path));
        }
        let all = tokens(&file.text);
        for pair in all.windows(2).filter(|pair| pair[0].text == "mod" && FORBIDDEN_NAMES.contains(&&*pair[1].text)) {
            complaints.push(format!("{}:{}: `mod {}` says nothing", file.path, pair[1].line, pair[1].text));
        }
    }
    complaints
}

/// Files below `tests/` and `tests.rs` files that test nothing, and tests that are switched off.
fn idle_tests(files: &[SourceFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let all = tokens(&file.text);
        let attribute = |name: &str| all.windows(3).any(|w| w[0].text == "#" && w[1].text == "[" && w[2].text == name);
        let in_macro = all.windows(2).any(|w| w[0].text == "proptest" && w[1].text == "!");
        let declares_modules = all.windows(2).any(|w| w[0].text == "mod" && w[1].text != "tests");
        let is_harness = declares_modules || file.path.starts_with("tests/") && supports_others(file);
        let must_test = file.is_test() && (!file.declared_as_test || file.path.ends_with("tests.rs"));
        if must_test && !(attribute("test") || in_macro || is_harness) {
            complaints.push(format!("{}: a test file without a test", file.path));
        }
        if attribute("ignore") {
            complaints.push(format!("{}: a test is switched off", file.path));
        }
    }
    complaints
}

/// A file of a test crate's folder that other files of that folder build on.
fn supports_others(file: &SourceFile) -> bool {
    let in_folder = file.path.matches('/').count() > 1;
    in_folder && tokens(&file.text).windows(2).any(|w| w[0].text == "pub" && w[1].text == "(")
}

#[test]
fn every_file_begins_with_what_it_is_for() {
    assert_none(&without_first_line(&rust_files(&["src/", "tests/", "benches/"])));
}

#[test]
fn no_file_is_too_long() {
    let files = rust_files(&["src/", "tests/", "benches/"]);
    for longer in too_long(&files, AIMED_LINES) {
        println!("for information: {longer} (the aim)");
    }
    assert_none(&too_long(&files, MOST_LINES));
}

#[test]
fn no_function_is_too_long() {
    assert_none(&long_functions(&rust_files(&["src/"]), MOST_FUNCTION_LINES));
}

#[test]
fn no_module_has_a_name_that_says_nothing() {
    assert_none(&forbidden_modules(&rust_files(&["src/", "tests/", "benches/"])));
}

#[test]
fn every_test_file_tests_and_no_test_is_switched_off() {
    assert_none(&idle_tests(&rust_files(&["src/", "tests/"])));
}

#[test]
fn a_file_without_its_first_line_is_found() {
    for text in ["", "use std::fmt;", "//!", "// comment", "\n//! late"] {
        assert_eq!(without_first_line(&[SourceFile::new("src/a.rs", text)]).len(), 1, "{text:?}");
    }
}

#[test]
fn a_file_of_one_line_too_many_is_found() {
    assert_eq!(too_long(&[SourceFile::new("src/a.rs", &"\n".repeat(700))], 700).len(), 0);
    assert_eq!(too_long(&[SourceFile::new("src/a.rs", &"\n".repeat(701))], 700).len(), 1);
}

#[test]
fn a_function_of_one_line_too_many_is_found() {
    let function =
        |lines: usize| format!("type F = fn(); impl A {{ fn f(a: [u8; 2]) -> B {{{}}} }}", "\n".repeat(lines - 1));
    assert_eq!(long_functions(&[SourceFile::new("src/a.rs", &function(60))], 60).len(), 0);
    assert_eq!(long_functions(&[SourceFile::new("src/a.rs", &function(61))], 60).len(), 1);
    let declared = format!("trait T {{ fn f(&self); }}{}fn g() {{}}", "\n".repeat(99));
    assert_eq!(long_functions(&[SourceFile::new("src/a.rs", &declared)], 60).len(), 0);
}

#[test]
fn a_module_with_an_empty_name_is_found() {
    for (path, text) in [("src/utils.rs", ""), ("src/a/common/b.rs", ""), ("src/a.rs", "mod helpers {}")] {
        assert_eq!(forbidden_modules(&[SourceFile::new(path, text)]).len(), 1, "{path}");
    }
    assert_eq!(forbidden_modules(&[SourceFile::new("src/commonplace.rs", "mod important;")]).len(), 0);
}

#[test]
fn an_idle_test_file_and_a_test_that_is_switched_off_are_found() {
    let idle = |path: &str, text: &str| idle_tests(&[SourceFile::new(path, text)]).len();
    assert_eq!(idle("tests/a.rs", "//! nothing"), 1);
    assert_eq!(idle("src/a/tests.rs", "fn not_a_test() {}"), 1);
    assert_eq!(idle("src/a/tests.rs", "#[test] fn f() {}"), 0);
    assert_eq!(idle("src/a.rs", "#[test] #[ignore] fn f() {}"), 1);
}
