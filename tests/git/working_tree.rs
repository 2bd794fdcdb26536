//! The working tree: what is staged, edited, untracked and ignored.

use holdpoint::change::{Aspect, Direction, GitProject, WorkingTreeFiles};
use holdpoint::manifest::{EntryKind, FileSource};

use crate::scratch::{Scratch, diff_to_disk, entries, paths};

#[test]
fn staged_edited_deleted_and_untracked_files_count_and_ignored_ones_do_not() {
    let scratch = Scratch::new();
    scratch.write("edited", "1").write("staged", "1").write("deleted", "1").write("same", "1");
    scratch.write(".gitignore", "*.log\n").commit("one");
    scratch.write("staged", "2").git(&["add", "staged"]);
    scratch.write("edited", "2").remove("deleted").write("new/deep/file", "1").write("noise.log", "1");
    assert_eq!(paths(&diff_to_disk(&scratch.open(), "HEAD")), ["deleted", "edited", "new/deep/file", "staged"]);
}

#[test]
fn what_counts_is_the_disk_and_not_what_was_staged_and_taken_back() {
    let scratch = Scratch::new();
    scratch.write("a", "1").write("b", "1").commit("one");
    scratch.write("a", "2").git(&["add", "a"]);
    scratch.write("a", "1");
    scratch.git(&["rm", "-q", "--cached", "b"]);
    assert!(diff_to_disk(&scratch.open(), "HEAD").is_empty());
}

#[test]
fn the_working_tree_has_the_names_that_a_commit_of_it_gets() {
    let scratch = Scratch::new();
    scratch.git(&["config", "core.autocrlf", "true"]);
    scratch.write("text", "one\r\n").write("sub/other", "1").commit("one");
    scratch.write("text", "two\r\nthree\r\n").write("sub/new", "line\r\n").link("link", "text");
    scratch.write("run", "#!/bin/sh\r\n").make_executable("run");
    let git = scratch.open();
    let before = entries(&git.working_tree().unwrap().listing);
    scratch.commit("two");
    assert_eq!(before, entries(&git.tree(git.commit("HEAD").unwrap().id).unwrap()));
    assert!(git.head_is_working_tree("HEAD").unwrap());
    assert!(!git.head_is_working_tree("HEAD~1").unwrap());
}

#[test]
fn looking_at_a_repository_writes_nothing_to_it() {
    let scratch = Scratch::new();
    scratch.write("a", "1").commit("one");
    scratch.write("a", "something that no object has").write("b", "neither this");
    let before = scratch.git(&["count-objects", "-v"]);
    scratch.open().working_tree().unwrap();
    assert_eq!(scratch.git(&["count-objects", "-v"]), before);
}

#[test]
fn line_ends_that_a_checkout_converts_are_no_change() {
    let scratch = Scratch::new();
    scratch.git(&["config", "core.autocrlf", "true"]);
    scratch.write("text", "one\r\ntwo\r\n").write("other", "1").commit("one");
    let git = scratch.open();
    assert!(diff_to_disk(&git, "HEAD").is_empty());
    let files = WorkingTreeFiles::new(&git, &git.working_tree().unwrap());
    assert_eq!(files.read("text").unwrap(), b"one\ntwo\n");
    scratch.write("text", "edited\r\n");
    let files = WorkingTreeFiles::new(&git, &git.working_tree().unwrap());
    assert_eq!(files.read("text").unwrap(), b"edited\r\n");
}

#[test]
fn an_edit_that_git_was_told_to_overlook_counts_all_the_same() {
    let scratch = Scratch::new();
    scratch.write("assumed", "1").write("sparse", "1").write("left-out", "1").commit("one");
    scratch.git(&["update-index", "--assume-unchanged", "assumed"]);
    scratch.git(&["update-index", "--skip-worktree", "sparse", "left-out"]);
    scratch.write("assumed", "2").write("sparse", "2").remove("left-out");
    let git = scratch.open();
    assert_eq!(paths(&diff_to_disk(&git, "HEAD")), ["assumed", "sparse"]);
    let files = WorkingTreeFiles::new(&git, &git.working_tree().unwrap());
    assert_eq!(files.read("assumed").unwrap(), b"2");
}

#[test]
fn type_and_mode_changes_on_disk_are_seen() {
    let scratch = Scratch::new();
    scratch.write("run", "1").link("link", "run").write("folder", "1").commit("one");
    scratch.make_executable("run").remove("link").write("link", "run").remove("folder").write("folder/inner", "1");
    let changes = diff_to_disk(&scratch.open(), "HEAD");
    let found: Vec<_> =
        changes.iter().map(|change| (change.path.to_string(), change.direction, change.aspect)).collect();
    let expected = [
        ("folder", Direction::Removed, Aspect::Content),
        ("folder/inner", Direction::Added, Aspect::Content),
        ("link", Direction::Modified, Aspect::Type),
        ("run", Direction::Modified, Aspect::Mode),
    ];
    assert_eq!(found, expected.map(|(path, direction, aspect)| (path.to_owned(), direction, aspect)));
}

#[test]
fn a_conflict_counts_with_what_stands_on_disk() {
    let scratch = Scratch::new();
    scratch.write("torn", "base\n").commit("base");
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.write("torn", "side\n").commit("side");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("torn", "main\n").commit("main");
    let merge = std::process::Command::new("git")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .args(["-c", "user.name=T", "-c", "user.email=t@example.org", "merge", "-q", "side"])
        .current_dir(scratch.root())
        .output()
        .unwrap();
    assert!(!merge.status.success());
    let git = scratch.open();
    assert_eq!(paths(&diff_to_disk(&git, "HEAD")), ["torn"]);
    let files = WorkingTreeFiles::new(&git, &git.working_tree().unwrap());
    assert!(files.read("torn").unwrap().starts_with(b"<<<<<<<"));
}

#[test]
fn a_moved_or_edited_submodule_shows_and_its_files_are_not_the_project_s() {
    let library = Scratch::new();
    library.write("a", "1").commit("one");
    let scratch = Scratch::new();
    let url = format!("file://{}", library.root().display());
    scratch.git(&["submodule", "add", "-q", &url, "shelf"]);
    scratch.git(&["config", "-f", ".gitmodules", "submodule.shelf.ignore", "all"]);
    scratch.commit("one");
    let git = scratch.open();
    assert!(diff_to_disk(&git, "HEAD").is_empty());
    scratch.write("shelf/a", "edited");
    assert_eq!(paths(&diff_to_disk(&git, "HEAD")), ["shelf"]);
    scratch.git(&["-C", "shelf", "commit", "-q", "-a", "-m", "two"]);
    assert_eq!(paths(&diff_to_disk(&git, "HEAD")), ["shelf"]);
    let files = WorkingTreeFiles::new(&git, &git.working_tree().unwrap());
    assert_eq!(files.list("").unwrap(), [".gitmodules"]);
    assert_eq!(files.kind("shelf"), Some(EntryKind::Submodule));
}

#[test]
fn a_sub_folder_project_sees_its_own_files_by_its_own_paths() {
    let scratch = Scratch::new();
    scratch.write("apps/desk/a.md", "1").write("apps/desk2/b.md", "1").commit("one");
    let git = GitProject::open(&scratch.root().join("apps/desk")).unwrap();
    assert_eq!(git.prefix(), b"apps/desk/");
    let files = WorkingTreeFiles::new(&git, &git.working_tree().unwrap());
    assert_eq!(files.list("").unwrap(), ["a.md"]);
    assert_eq!(files.read("a.md").unwrap(), b"1");
}

#[test]
fn a_file_that_git_ignores_is_read_from_disk_when_it_is_asked_for() {
    let scratch = Scratch::new();
    scratch.write(".gitignore", "*.secret.md\n").write("a.md", "1").commit("one");
    scratch.write("b.secret.md", "from disk");
    let git = scratch.open();
    let files = WorkingTreeFiles::new(&git, &git.working_tree().unwrap());
    assert_eq!(files.list("").unwrap(), [".gitignore", "a.md", "b.secret.md"]);
    assert_eq!(files.read("b.secret.md").unwrap(), b"from disk");
}

#[test]
fn a_large_file_pointer_is_no_content() {
    let scratch = Scratch::new();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4\n";
    scratch.write("policy.md", pointer).commit("one");
    let git = scratch.open();
    let tree = git.working_tree().unwrap();
    let files = WorkingTreeFiles::new(&git, &tree);
    scratch.write("policy.md", "what the filter put there");
    assert_eq!(files.read("policy.md").unwrap(), b"what the filter put there");
}

#[test]
fn before_the_first_commit_everything_is_in_the_working_tree() {
    let scratch = Scratch::new();
    scratch.write("a", "1").write("b", "1").git(&["add", "a"]);
    let git = scratch.open();
    assert_eq!(git.head().unwrap(), None);
    let listing = git.working_tree().unwrap().listing;
    assert_eq!(entries(&listing).into_iter().map(|(path, _)| path).collect::<Vec<_>>(), ["a", "b"]);
}
