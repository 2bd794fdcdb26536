//! Which room imports which.

use std::collections::{BTreeMap, BTreeSet};

use crate::assert_none;
use crate::source::{SourceFile, Token, rust_files, tokens};

/// Every room in the order of the data's way, with the rooms that it imports. The table is exact: an import that is
/// not in it fails, and so does an entry that nothing uses.
const WALLS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("manifest", &["domain"]),
    ("init", &["domain", "manifest"]),
    ("change", &["domain", "manifest"]),
    ("selection", &["domain", "manifest", "change"]),
    ("evidence", &["domain", "manifest"]),
    ("proxy", &["domain", "manifest", "evidence"]),
    ("practice", &["domain", "manifest", "evidence"]),
    ("execution", &["domain", "manifest", "evidence", "proxy", "practice"]),
    ("grading", &["domain", "manifest", "evidence"]),
    ("exercise", &["domain", "manifest", "evidence", "grading"]),
    ("baseline", &["domain", "manifest", "change", "selection", "grading"]),
    ("comparison", &["domain", "manifest", "change", "grading", "baseline"]),
    ("verdict", &["domain", "manifest", "change", "selection", "comparison"]),
    ("operations", &["domain", "manifest", "change", "evidence", "grading", "exercise", "comparison"]),
    (
        "report",
        &[
            "domain",
            "manifest",
            "change",
            "selection",
            "evidence",
            "grading",
            "exercise",
            "comparison",
            "verdict",
            "operations",
        ],
    ),
    ("store", &["domain", "change", "selection", "evidence", "grading"]),
    ("import", &["domain", "manifest", "change", "evidence", "grading", "operations", "store"]),
    (
        "pipeline",
        &[
            "domain",
            "manifest",
            "init",
            "change",
            "selection",
            "evidence",
            "execution",
            "grading",
            "exercise",
            "baseline",
            "comparison",
            "verdict",
            "operations",
            "report",
            "store",
            "import",
        ],
    ),
    (
        "cli",
        &[
            "domain",
            "manifest",
            "init",
            "selection",
            "evidence",
            "practice",
            "execution",
            "exercise",
            "baseline",
            "operations",
            "report",
            "store",
            "import",
            "pipeline",
        ],
    ),
];

/// The rooms that a file imports, with the line.
fn imports(file: &SourceFile) -> Vec<(String, usize)> {
    let all = tokens(&file.text);
    let mut found = Vec::new();
    let mut inline_modules: Vec<usize> = Vec::new();
    let mut depth = 0_usize;
    for (at, token) in all.iter().enumerate() {
        match token.text.as_str() {
            "{" => {
                depth += 1;
                if at >= 2 && all[at - 2].text == "mod" {
                    inline_modules.push(depth);
                }
            }
            "}" => {
                if inline_modules.last() == Some(&depth) {
                    inline_modules.pop();
                }
                depth = depth.saturating_sub(1);
            }
            "crate" => found.extend(rooms_after(&all, at + 1)),
            "super" if at == 0 || all[at - 1].text != "::" => {
                let (supers, end) = super_chain(&all, at);
                if supers >= module_depth(&file.path) + inline_modules.len() {
                    found.extend(rooms_after(&all, end));
                }
            }
            _ => {}
        }
    }
    found
}

/// How many modules stand around the code of a file: 1 for `src/room/mod.rs`, 2 for `src/room/file.rs`.
fn module_depth(path: &str) -> usize {
    let inside = path.trim_start_matches("src/").trim_end_matches(".rs");
    inside.split('/').filter(|name| !matches!(*name, "mod" | "lib" | "main")).count()
}

fn super_chain(all: &[Token], start: usize) -> (usize, usize) {
    let mut at = start;
    let mut supers = 0;
    while at < all.len() && all[at].text == "super" {
        supers += 1;
        at += 1;
        if all.get(at + 1).is_some_and(|token| token.text == "super") {
            at += 1;
        }
    }
    (supers, at)
}

/// The names after `crate` at `at`: `::room`, or each first name of `::{…}`.
fn rooms_after(all: &[Token], at: usize) -> Vec<(String, usize)> {
    let text = |at: usize| all.get(at).map_or("", |token| token.text.as_str());
    if text(at) != "::" {
        return Vec::new();
    }
    if text(at + 1) != "{" {
        return vec![(text(at + 1).to_owned(), all[at].line)];
    }
    let (mut depth, mut found) = (0_usize, Vec::new());
    for (offset, token) in all[at + 1..].iter().enumerate() {
        let before = text(at + offset);
        match token.text.as_str() {
            "{" => depth += 1,
            "}" if depth == 1 => break,
            "}" => depth -= 1,
            name if depth == 1 && matches!(before, "{" | ",") && name != "," => {
                found.push((name.to_owned(), token.line));
            }
            _ => {}
        }
    }
    found
}

fn forbidden_imports(files: &[SourceFile], walls: &[(&str, &[&str])]) -> Vec<String> {
    let table: BTreeMap<&str, &[&str]> = walls.iter().copied().collect();
    let mut complaints = Vec::new();
    for file in files {
        let Some(room) = file.room() else { continue };
        let Some(allowed) = table.get(room) else {
            complaints.push(format!("{}: the room `{room}` is not in the table of imports", file.path));
            continue;
        };
        for (imported, line) in imports(file) {
            if imported != room && !allowed.contains(&imported.as_str()) {
                complaints.push(format!("{}:{line}: `{room}` may not import `{imported}`", file.path));
            }
        }
    }
    complaints
}

fn unused_entries(files: &[SourceFile], walls: &[(&str, &[&str])]) -> Vec<String> {
    let used: BTreeSet<(String, String)> = files
        .iter()
        .filter_map(|file| file.room().map(|room| (room, file)))
        .flat_map(|(room, file)| imports(file).into_iter().map(move |(imported, _)| (room.to_owned(), imported)))
        .collect();
    let entries = walls.iter().flat_map(|(room, allowed)| allowed.iter().map(move |imported| (room, imported)));
    entries
        .filter(|(room, imported)| !used.contains(&((**room).to_owned(), (**imported).to_owned())))
        .map(|(room, imported)| format!("`{room}` no longer imports `{imported}`: take it out of the table"))
        .collect()
}

fn backward_entries(walls: &[(&str, &[&str])]) -> Vec<String> {
    let order: Vec<&str> = walls.iter().map(|(room, _)| *room).collect();
    let place = |name: &str| order.iter().position(|room| *room == name);
    let entries = walls.iter().flat_map(|(room, allowed)| allowed.iter().map(move |imported| (*room, *imported)));
    entries
        .filter(|(room, imported)| place(imported).is_none_or(|earlier| Some(earlier) >= place(room)))
        .map(|(room, imported)| format!("`{imported}` does not come before `{room}`"))
        .collect()
}

/// The rooms that exist, as folders or files of `src/`.
pub(crate) fn rooms(files: &[SourceFile]) -> BTreeSet<String> {
    files.iter().filter_map(|file| file.room().map(str::to_owned)).collect()
}

fn rooms_not_in_architecture(rooms: &BTreeSet<String>, text: &str) -> Vec<String> {
    let says = |room: &String| {
        text.lines().any(|line| {
            let rest = line.split_once(&format!("`{room}`")).or_else(|| line.split_once(&format!("`{room}/`")));
            rest.is_some_and(|(before, after)| {
                !before.contains(char::is_alphabetic) && after.split_whitespace().count() >= 4
            })
        })
    };
    rooms.iter().filter(|room| !says(room)).map(|room| format!("ARCHITECTURE.md says nothing of `{room}`")).collect()
}

#[test]
fn every_room_imports_only_what_the_table_allows() {
    assert_none(&forbidden_imports(&rust_files(&["src/"]), WALLS));
}

#[test]
fn the_table_holds_no_import_that_nothing_uses() {
    assert_none(&unused_entries(&rust_files(&["src/"]), WALLS));
}

#[test]
fn the_table_only_points_backwards_so_that_no_circle_is_possible() {
    assert_none(&backward_entries(WALLS));
}

#[test]
fn the_table_and_the_tree_have_the_same_rooms() {
    let table: BTreeSet<String> = WALLS.iter().map(|(room, _)| (*room).to_owned()).collect();
    assert_eq!(rooms(&rust_files(&["src/"])), table);
}

#[test]
fn architecture_has_a_sentence_for_every_room() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/ARCHITECTURE.md")).expect("it exists");
    assert_none(&rooms_not_in_architecture(&rooms(&rust_files(&["src/"])), &text));
}

#[test]
fn every_way_to_write_an_import_is_seen() {
    let made_up = [
        "use crate::late::X;",
        "use crate::{early::Y, late::{X, Z}};",
        "use crate::{\n    late,\n};",
        "fn f() -> crate::late::X { g() }",
        "use super::super::late::X;",
        "mod tests { use super::super::super::late::X; }",
        "#[cfg(test)] mod tests { use crate::late::X; }",
    ];
    for text in made_up {
        let files = [SourceFile::new("src/early/file.rs", text)];
        let complaints = forbidden_imports(&files, &[("early", &[]), ("late", &["early"])]);
        assert_eq!(complaints.len(), 1, "{text}: {complaints:?}");
    }
}

#[test]
fn what_only_looks_like_an_import_is_let_through() {
    let made_up = [
        "// use crate::late::X;",
        "const A: &str = \"crate::late::X\";",
        "use super::late::X;",
        "mod tests { use super::super::late; }",
        "use crate::early::late;",
    ];
    for text in made_up {
        let files = [SourceFile::new("src/early/file.rs", text)];
        let complaints = forbidden_imports(&files, &[("early", &[]), ("late", &["early"])]);
        assert!(complaints.is_empty(), "{text}: {complaints:?}");
    }
}

#[test]
fn a_room_without_an_entry_an_unused_entry_and_a_backward_entry_are_found() {
    let files = [SourceFile::new("src/new.rs", ""), SourceFile::new("src/late/mod.rs", "")];
    assert_eq!(forbidden_imports(&files, &[("late", &[])]).len(), 1);
    assert_eq!(unused_entries(&files, &[("late", &["early"])]).len(), 1);
    assert_eq!(backward_entries(&[("early", &["late"]), ("late", &["early"])]).len(), 1);
    assert_eq!(backward_entries(&[("early", &["early"])]).len(), 1);
}

#[test]
fn a_room_that_architecture_only_mentions_is_found() {
    let rooms = BTreeSet::from(["store".to_owned()]);
    assert_eq!(rooms_not_in_architecture(&rooms, "The `store` is mentioned in passing.\n- `store`\n").len(), 1);
    assert_eq!(rooms_not_in_architecture(&rooms, "- `store/` keeps what was recorded.\n").len(), 0);
    assert_eq!(rooms_not_in_architecture(&rooms, "| `store` | keeps what was recorded |\n").len(), 0);
}
