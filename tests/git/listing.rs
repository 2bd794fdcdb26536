//! What differs between two revisions.

use holdpoint::change::{Aspect, Direction, EntryMode};
use tempfile::TempDir;

use crate::scratch::{Scratch, diff, paths, tree};

#[test]
fn a_deletion_and_both_names_of_a_rename_count() {
    let scratch = Scratch::new();
    scratch.write("gone", "1").write("old-name", "same content").commit("one");
    scratch.remove("gone").remove("old-name").write("new-name", "same content").commit("two");
    let changes = diff(&scratch.open(), "HEAD~1", "HEAD");
    let found: Vec<_> = changes.iter().map(|change| (change.path.to_string(), change.direction)).collect();
    let expected = [
        ("gone".to_owned(), Direction::Removed),
        ("new-name".to_owned(), Direction::Added),
        ("old-name".to_owned(), Direction::Removed),
    ];
    assert_eq!(found, expected);
}

#[test]
fn more_renames_than_any_rename_detection_looks_at_all_count() {
    let scratch = Scratch::new();
    let commit = |folder: &str, text: &str| {
        let mut stream = "commit refs/heads/main\ncommitter T <t@example.org> 0 +0000\ndata 0\ndeleteall\n".to_owned();
        for number in 0..1100 {
            let content = format!("{text} {number}");
            stream += &format!("M 100644 inline {folder}/{number}\ndata {}\n{content}\n", content.len());
        }
        stream
    };
    let lines = "a line that stays\n".repeat(9);
    scratch.import(&(commit("old", &lines) + &commit("new", &format!("{lines}edited"))));
    let changes = diff(&scratch.open(), "HEAD~1", "HEAD");
    assert_eq!(changes.iter().filter(|change| change.direction == Direction::Removed).count(), 1100);
    assert_eq!(changes.iter().filter(|change| change.direction == Direction::Added).count(), 1100);
}

#[test]
fn a_new_mode_and_a_link_that_becomes_a_file_are_one_change_each() {
    let scratch = Scratch::new();
    scratch.write("run.sh", "#!/bin/sh\n").link("current", "v1").commit("one");
    scratch.make_executable("run.sh").remove("current").write("current", "v1").commit("two");
    let changes = diff(&scratch.open(), "HEAD~1", "HEAD");
    let found: Vec<_> =
        changes.iter().map(|change| (change.path.to_string(), change.direction, change.aspect)).collect();
    let expected = [
        ("current".to_owned(), Direction::Modified, Aspect::Type),
        ("run.sh".to_owned(), Direction::Modified, Aspect::Mode),
    ];
    assert_eq!(found, expected);
    assert_eq!((changes[0].from, changes[0].to), (Some(EntryMode::Symlink), Some(EntryMode::Regular)));
}

#[test]
fn a_file_that_becomes_a_folder_counts_on_both_sides() {
    let scratch = Scratch::new();
    scratch.write("thing", "1").commit("one");
    scratch.remove("thing").write("thing/inner", "1").commit("two");
    assert_eq!(paths(&diff(&scratch.open(), "HEAD~1", "HEAD")), ["thing", "thing/inner"]);
}

#[test]
fn a_submodule_pin_shows_even_where_gitmodules_says_to_ignore_it() {
    let library = Scratch::new();
    library.write("a", "1").commit("one");
    let scratch = Scratch::new();
    let url = format!("file://{}", library.root().display());
    scratch.git(&["submodule", "add", "-q", &url, "vendor/library"]);
    scratch.git(&["config", "-f", ".gitmodules", "submodule.vendor/library.ignore", "all"]);
    scratch.commit("one");
    library.write("a", "2").commit("two");
    scratch.git(&["-C", "vendor/library", "pull", "-q"]);
    scratch.git(&["add", "-f", "vendor/library"]);
    scratch.git(&["commit", "-q", "-m", "two"]);
    let changes = diff(&scratch.open(), "HEAD~1", "HEAD");
    assert_eq!(paths(&changes), ["vendor/library"]);
    assert_eq!((changes[0].direction, changes[0].aspect), (Direction::Modified, Aspect::Submodule));
}

#[test]
fn names_of_every_kind_survive_whatever_core_quotepath_says() {
    let scratch = Scratch::new();
    scratch.git(&["config", "core.quotePath", "true"]);
    scratch.write("readme", "1").commit("one");
    scratch.write("Straße/日本.md", "1").write_bytes(b"caf\xe9.md", "1").write("two\nlines", "1");
    scratch.write("a \"quoted\" name\\", "1").commit("two");
    let changes = diff(&scratch.open(), "HEAD~1", "HEAD");
    let names: Vec<&[u8]> = changes.iter().map(|change| change.path.as_bytes()).collect();
    let expected: [&[u8]; 4] =
        [b"Stra\xc3\x9fe/\xe6\x97\xa5\xe6\x9c\xac.md", b"a \"quoted\" name\\", b"caf\xe9.md", b"two\nlines"];
    assert_eq!(names, expected);
    let shown = ["Straße/日本.md", r#"a "quoted" name\\"#, r"caf\xe9.md", r"two\u{a}lines"];
    assert_eq!(paths(&changes), shown);
}

#[test]
fn an_exported_revision_has_the_bytes_modes_and_links_that_git_stores() {
    let scratch = Scratch::new();
    scratch.git(&["config", "core.autocrlf", "true"]);
    scratch.write("text", "one\r\ntwo\r\n").write("sub/run.sh", "#!/bin/sh\n").make_executable("sub/run.sh");
    scratch.link("sub/link", "run.sh").commit("one");
    scratch.write("text", "later").commit("two");
    let git = holdpoint::change::GitProject::open(&scratch.root().join("sub")).unwrap();
    let into = TempDir::new().unwrap();
    let folder = git.export_tree(git.commit("HEAD~1").unwrap().id, into.path()).unwrap();
    assert_eq!(folder, into.path().join("sub"));
    assert_eq!(std::fs::read(into.path().join("text")).unwrap(), b"one\ntwo\n");
    assert_eq!(std::fs::read_link(folder.join("link")).unwrap().to_str(), Some("run.sh"));
    let exported = Scratch::new();
    exported.git(&["config", "core.autocrlf", "false"]);
    let copy = std::process::Command::new("cp").arg("-a").arg(into.path().join(".")).arg(exported.root()).status();
    assert!(copy.unwrap().success());
    exported.commit("the same");
    let (one, other) = (tree(&git, "HEAD~1"), tree(&exported.open(), "HEAD"));
    assert!(holdpoint::change::diff_listings(&one, &other).is_empty());
}
