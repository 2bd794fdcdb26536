//! What lies in a repository and can be no part of its project: symbolic links, which are never followed, and what is in git
//! repositories below it, of which git shows the commit alone.

use std::collections::BTreeSet;

use crate::domain::some_of;

/// The most paths that one sentence names.
const NAMED: usize = 5;

/// The folders that are git repositories of their own, the outer ones alone: submodules, and clones that lie there.
pub(super) fn nested(paths: &[String]) -> BTreeSet<&str> {
    let folders: BTreeSet<&str> = paths.iter().filter_map(|path| repository_of(path)).collect();
    folders.iter().copied().filter(|folder| !lies_in(folder, &folders)).collect()
}

/// The folder whose `.git` a path is, or lies in. A submodule's is a file.
fn repository_of(path: &str) -> Option<&str> {
    const GIT: &str = "/.git";
    let is_whole_name = |at: usize| matches!(path.as_bytes().get(at + GIT.len()), None | Some(b'/'));
    let found = path.match_indices(GIT).find(|(at, _)| is_whole_name(*at));
    found.map(|(at, _)| &path[..at])
}

/// Whether a path lies below one of these folders.
pub(super) fn lies_in(path: &str, folders: &BTreeSet<&str>) -> bool {
    path.match_indices('/').any(|(end, _)| folders.contains(&path[..end]))
}

/// What is said of links that would have been taken for parts or for code.
pub(super) fn links_left_out(links: &[&str]) -> Option<String> {
    let (are, them) = if links.len() == 1 { ("is a symbolic link", "it") } else { ("are symbolic links", "them") };
    (!links.is_empty()).then(|| {
        format!(
            "{} {are}, and links are not followed: no manifest and no `code` glob was written for {them}; a part names the file itself",
            some_of(links, NAMED)
        )
    })
}

/// What is said of repositories below this one.
pub(super) fn nested_left_out(folders: &[&str]) -> Option<String> {
    let (are, them) = if folders.len() == 1 {
        ("is a git repository of its own, as a submodule is", "it")
    } else {
        ("are git repositories of their own, as submodules are", "them")
    };
    (!folders.is_empty()).then(|| {
        format!(
            "{} {are}: no file in {them} can be the project's, so nothing there was looked at, and git tells of a new commit alone",
            some_of(folders, NAMED)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_known_by_its_git_and_the_outer_one_stands_for_those_in_it() {
        let paths =
            ["lib/.git", "lib/m.py", "lib/in/.git/HEAD", "app/.gitignore", "app/a.py", "x.git/a", ".gitmodules"];
        let paths = paths.map(str::to_owned);
        let nested = nested(&paths);
        assert_eq!(nested, BTreeSet::from(["lib"]));
        assert!(lies_in("lib/in/a.py", &nested) && !lies_in("library/a.py", &nested) && !lies_in("lib", &nested));
    }
}
