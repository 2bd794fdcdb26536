//! What the git library refuses: the git command answers where it can, and a sentence explains where neither can.

use holdpoint::change::{EntryMode, GitErrorKind, GitProject, GitTreeFiles, WorkingTreeFiles};
use holdpoint::manifest::FileSource;
use tempfile::TempDir;

use crate::scratch::{Scratch, diff, diff_to_disk, entries, paths, tree};

/// The same history and the same edits in any kind of repository.
fn fill(scratch: &Scratch) {
    scratch.git(&["config", "core.quotePath", "true"]);
    scratch.write("kept", "1").write("gone", "1").write("run", "1").link("link", "kept").commit("one");
    scratch.remove("gone").write("Straße", "1").write("two\nlines", "1").write_bytes(b"caf\xe9", "1");
    scratch.make_executable("run").remove("link").write("link", "now a file").commit("two");
    scratch.write("kept", "edited").write("new one", "1").remove("run").write("staged", "1");
    scratch.git(&["add", "staged"]);
}

fn seen(scratch: &Scratch) -> (Vec<String>, Vec<String>) {
    let git = scratch.open();
    (paths(&diff(&git, "HEAD~1", "HEAD")), paths(&diff_to_disk(&git, "HEAD")))
}

#[test]
fn sha_256_names_and_reftables_show_the_same_differences_as_any_repository() {
    let plain = Scratch::new();
    fill(&plain);
    let expected = seen(&plain);
    assert_eq!(expected.0, ["Straße", r"caf\xe9", "gone", "link", "run", r"two\u{a}lines"]);
    assert_eq!(expected.1, ["kept", "new one", "run", "staged"]);
    for option in ["--object-format=sha256", "--ref-format=reftable"] {
        let scratch = Scratch::with_options(&[option]);
        fill(&scratch);
        assert_eq!(seen(&scratch), expected, "{option}");
    }
}

#[test]
fn an_index_that_is_split_shows_the_same_differences_as_any_other() {
    let scratch = Scratch::new();
    fill(&scratch);
    let expected = seen(&scratch);
    scratch.git(&["update-index", "--split-index"]);
    assert_eq!(seen(&scratch), expected);
}

#[test]
fn both_ways_to_ask_git_give_the_same_names() {
    let (plain, refused) = (Scratch::new(), Scratch::with_options(&["--ref-format=reftable"]));
    fill(&plain);
    fill(&refused);
    let (one, other) = (plain.open(), refused.open());
    assert_eq!(entries(&tree(&one, "HEAD")), entries(&tree(&other, "HEAD")));
    let (one, other) = (one.working_tree().unwrap(), other.working_tree().unwrap());
    assert_eq!(entries(&one.listing), entries(&other.listing));
    assert_eq!(one.uncommitted, other.uncommitted);
}

#[test]
fn a_partial_clone_is_read_with_what_it_fetches_on_demand() {
    let origin = Scratch::new();
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    origin.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    origin.write("a.md", "first\n").commit("one");
    origin.write("a.md", "second\n").commit("two");
    for filter in ["--filter=blob:none", "--filter=tree:0"] {
        let clone = Scratch::clone_of(&origin, &[filter]);
        clone.git(&["config", "protocol.file.allow", "always"]);
        if filter == "--filter=tree:0" {
            // How other versions of git mark such a clone.
            clone.git(&["config", "core.repositoryFormatVersion", "1"]);
            clone.git(&["config", "extensions.partialClone", "origin"]);
        }
        let git = clone.open();
        assert_eq!(paths(&diff(&git, "HEAD~1", "HEAD")), ["a.md"], "{filter}");
        let files = GitTreeFiles::new(&git, &tree(&git, "HEAD~1"));
        assert_eq!(files.read("a.md").unwrap(), b"first\n", "{filter}");
    }
}

#[test]
fn the_command_finds_history_as_the_library_does() {
    let scratch = Scratch::with_options(&["--ref-format=reftable"]);
    let first = scratch.write("a", "1").commit("one");
    scratch.git(&["checkout", "-q", "-b", "side"]);
    scratch.write("a", "2").commit("side");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("b", "1").commit("main");
    scratch.git(&["checkout", "-q", "--orphan", "alone"]);
    scratch.commit("alone");
    let git = scratch.open();
    let id = |revision: &str| git.commit(revision).unwrap().id;
    let bases = git.merge_bases(id("main"), id("side")).unwrap();
    assert_eq!(bases.iter().map(ToString::to_string).collect::<Vec<_>>(), [first]);
    assert_eq!(git.merge_bases(id("main"), id("alone")).unwrap_err().kind, GitErrorKind::NoMergeBase);
    let error = git.commit("--upload-pack=nonsense").unwrap_err();
    assert_eq!(error.kind, GitErrorKind::Revision);
    assert_eq!(git.commit("main").unwrap().seconds, 1_767_323_045);
}

#[test]
fn a_refused_repository_has_files_too() {
    let scratch = Scratch::with_options(&["--object-format=sha256"]);
    scratch.write("sub/a.md", "committed").write("sub/b.md", "1").commit("one");
    scratch.write("sub/b.md", "edited");
    let git = GitProject::open(&scratch.root().join("sub")).unwrap();
    let files = WorkingTreeFiles::new(&git, &git.working_tree().unwrap());
    assert_eq!(files.read("a.md").unwrap(), b"committed");
    assert_eq!(files.read("b.md").unwrap(), b"edited");
    let into = TempDir::new().unwrap();
    let folder = git.export_tree(git.commit("HEAD").unwrap().id, into.path()).unwrap();
    assert_eq!(std::fs::read(folder.join("b.md")).unwrap(), b"1");
    assert!(entries(&tree(&git, "HEAD")).iter().all(|(_, entry)| entry.mode == EntryMode::Regular));
}

#[test]
fn no_repository_a_bare_one_and_an_ignored_folder_each_have_their_own_words() {
    let folder = TempDir::new().unwrap();
    let error = GitProject::open(folder.path()).err().unwrap();
    assert_eq!(error.kind, GitErrorKind::NoRepository);
    assert!(error.sentence().contains("git init"), "{}", error.sentence());

    let scratch = Scratch::new();
    scratch.git(&["clone", "-q", "--bare", ".", "bare.git"]);
    let error = GitProject::open(&scratch.root().join("bare.git")).err().unwrap();
    assert_eq!(error.kind, GitErrorKind::Bare);

    scratch.write(".gitignore", "/scratch/\n").write("scratch/project/a", "1").commit("one");
    let error = GitProject::open(&scratch.root().join("scratch/project")).err().unwrap();
    assert_eq!(error.kind, GitErrorKind::Ignored);
}

#[test]
fn a_repository_s_own_settings_start_no_program() {
    for option in ["--object-format=sha1", "--ref-format=reftable"] {
        let scratch = Scratch::with_options(&[option]);
        scratch.write("a", "1").commit("one");
        let mark = scratch.root().join("../mark");
        let script = scratch.root().join("../monitor");
        scratch.write("../monitor", format!("#!/bin/sh\ntouch '{}'\n", mark.display())).make_executable("../monitor");
        for setting in ["core.fsmonitor", "core.pager", "diff.external"] {
            scratch.git(&["config", setting, script.to_str().unwrap()]);
        }
        scratch.write("a", "2");
        assert_eq!(paths(&diff_to_disk(&scratch.open(), "HEAD")), ["a"]);
        assert!(!mark.exists(), "{option}");
    }
}

#[test]
fn a_linked_worktree_is_a_repository_like_any_other() {
    let scratch = Scratch::new();
    scratch.write("a", "1").commit("one");
    scratch.git(&["config", "extensions.worktreeConfig", "true"]);
    scratch.git(&["worktree", "add", "-q", "../linked"]);
    scratch.write("../linked/b", "1");
    let git = GitProject::open(&scratch.root().join("../linked")).unwrap();
    assert_eq!(paths(&diff_to_disk(&git, "HEAD")), ["b"]);
}
