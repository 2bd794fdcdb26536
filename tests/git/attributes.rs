//! Attributes with which git rewrites content, from every place in which git reads them: what they hide shows all the same.

use std::collections::BTreeMap;

use holdpoint::change::GitProject;

use crate::scratch::{Scratch, diff_to_disk, paths};

/// A repository whose file git marks, by what `attribute` sets up in it, with a text in place of git's mark of which git
/// sees nothing.
fn edited_unseen(attribute: impl Fn(&Scratch)) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("deep/down/text", "$Id$\n").write("other", "1");
    attribute(&scratch);
    scratch.commit("one");
    scratch.write("deep/down/text", "$Id: forged $\n");
    scratch
}

/// An environment in which the user's own settings are known to be none.
fn without_settings(scratch: &Scratch) -> BTreeMap<String, String> {
    [("HOME".to_owned(), scratch.root().join("../nobody").display().to_string())].into()
}

#[test]
fn an_edit_that_an_attribute_hides_from_git_shows_wherever_the_attribute_stands() {
    type Source = fn(&Scratch);
    let sources: [(&str, Source); 8] = [
        ("at the top", |scratch| _ = scratch.write(".gitattributes", "text ident\n")),
        ("on the way", |scratch| _ = scratch.write("deep/.gitattributes", "* text=auto\n**/text ident\n")),
        ("beside the file", |scratch| _ = scratch.write("deep/down/.gitattributes", "text ident\n")),
        ("by a macro", |scratch| {
            scratch.write(".gitattributes", "[attr]marked ident\n");
            scratch.write("deep/.gitattributes", "down/text marked\n");
        }),
        ("in a file that git ignores", |scratch| {
            scratch.write(".gitignore", ".gitattributes\n").write("deep/.gitattributes", "text ident\n");
        }),
        ("in the index alone", |scratch| {
            scratch.write("deep/.gitattributes", "text ident\n").git(&["add", "-A"]);
            scratch.git(&["update-index", "--skip-worktree", "deep/.gitattributes"]);
            scratch.remove("deep/.gitattributes");
        }),
        ("in the repository", |scratch| _ = scratch.write(".git/info/attributes", "text ident\n")),
        ("where a setting says", |scratch| {
            let file = scratch.root().join("../mine");
            std::fs::write(&file, "text ident\n").unwrap();
            scratch.git(&["config", "core.attributesFile", file.to_str().unwrap()]);
        }),
    ];
    for (where_, source) in sources {
        let scratch = edited_unseen(source);
        assert_eq!(scratch.git(&["diff", "--stat"]), "", "{where_}: git sees nothing");
        let git = GitProject::open_within(&scratch.root(), &without_settings(&scratch)).unwrap();
        assert_eq!(paths(&diff_to_disk(&git, "HEAD")), ["deep/down/text"], "{where_}");
    }
}

#[test]
fn attributes_that_rewrite_nothing_hide_nothing_and_are_kept_to() {
    let scratch = Scratch::new();
    scratch.write(".gitattributes", "*.txt text eol=crlf\n").write("a.txt", "one\r\ntwo\r\n").write("b.txt", "1\n");
    scratch.commit("one");
    let git = GitProject::open_within(&scratch.root(), &without_settings(&scratch)).unwrap();
    assert!(diff_to_disk(&git, "HEAD").is_empty());
    assert!(git.head_is_working_tree("HEAD").unwrap());
    scratch.write("b.txt", "2\r\n");
    let tree = git.working_tree().unwrap();
    scratch.commit("two");
    let committed = git.tree(git.commit("HEAD").unwrap().id).unwrap();
    assert_eq!(tree.listing.get(b"b.txt"), committed.get(b"b.txt"), "hashed as git would");
}
