//! Paths that files name: they stay in the project, and a regular file stands at each.

use crate::manifest::files::{EntryKind, FileSource};
use crate::manifest::suggest::nearest;

/// What is wrong with a path, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PathFault {
    /// What is wrong.
    pub(super) message: String,
    /// What to do about it.
    pub(super) hint: Option<String>,
}

fn fault<T>(message: String, hint: &str) -> Result<T, PathFault> {
    Err(PathFault { message, hint: Some(hint.to_owned()) })
}

/// Whether a path is of the one form that is allowed: relative, `/` between names, no `.`, no `..`, no empty name.
pub(super) fn check_form(path: &str) -> Result<(), PathFault> {
    let relative = "write it relative to the project's folder, with `/` between names";
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    if path.is_empty() {
        return fault("the path is empty".to_owned(), relative);
    }
    if path.chars().any(char::is_control) {
        return fault(format!("the path {path:?} holds a control character"), relative);
    }
    if path.contains('\\') {
        return fault(format!("the path `{path}` holds a backslash"), relative);
    }
    if path.starts_with('/') || drive {
        return fault(format!("the path `{path}` is absolute and leaves the project"), relative);
    }
    match path.split('/').find(|name| matches!(*name, "" | "." | "..")) {
        Some("..") => {
            fault(format!("the path `{path}` goes up with `..`"), "a path never leaves the folder it starts from")
        }
        Some(_) => {
            fault(format!("the path `{path}` is not in its plain form"), "leave out `.`, `//` and a `/` at the end")
        }
        None => Ok(()),
    }
}

/// Whether a regular file stands at `path`, with no link and no submodule on the way to it.
pub(super) fn check_file(files: &dyn FileSource, path: &str) -> Result<(), PathFault> {
    check_form(path)?;
    let ends = path.match_indices('/').map(|(index, _)| index).chain([path.len()]);
    for end in ends {
        let component = &path[..end];
        let last = end == path.len();
        match files.kind(component) {
            Some(EntryKind::File) if last => {}
            Some(EntryKind::Directory) if !last => {}
            Some(EntryKind::Symlink) => {
                return fault(
                    format!("`{component}` is a symbolic link, and links are not followed"),
                    "put the file itself there",
                );
            }
            Some(EntryKind::Submodule) => {
                return fault(
                    format!("`{component}` is a git submodule, whose files are not the project's"),
                    "copy the file into the project",
                );
            }
            Some(EntryKind::Special) => {
                return fault(
                    format!("`{component}` is a pipe, a socket or a device, and no regular file"),
                    "put a regular file there",
                );
            }
            Some(EntryKind::Directory) => {
                return fault(format!("`{path}` is a folder, and a file is needed"), "name each file");
            }
            Some(EntryKind::File) => return fault(format!("`{component}` is a file, and no folder"), "check the path"),
            None => return Err(missing(files, path)),
        }
    }
    Ok(())
}

fn missing(files: &dyn FileSource, path: &str) -> PathFault {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let siblings = if folder.is_empty() { Vec::new() } else { files.list(folder).unwrap_or_default() };
    let siblings: Vec<&str> = siblings.iter().map(String::as_str).collect();
    let hint = nearest(path, &siblings).map(|name| format!("did you mean `{name}`?"));
    PathFault { message: format!("`{path}` does not exist"), hint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::files::MemoryFiles;

    fn message(path: &str) -> String {
        let files = MemoryFiles::new()
            .with("docs/policy.md", "text")
            .with_entry("linked", EntryKind::Symlink)
            .with_entry("module", EntryKind::Submodule)
            .with_entry("docs/link.md", EntryKind::Symlink)
            .with_entry("docs/pipe.md", EntryKind::Special);
        check_file(&files, path).map_or_else(|fault| fault.message, |()| "fine".to_owned())
    }

    #[test]
    fn only_a_plain_relative_path_to_a_regular_file_is_taken() {
        for (path, expected) in [
            ("docs/policy.md", "fine"),
            ("", "the path is empty"),
            ("../docs/policy.md", "the path `../docs/policy.md` goes up with `..`"),
            ("docs/../docs/policy.md", "the path `docs/../docs/policy.md` goes up with `..`"),
            ("/docs/policy.md", "the path `/docs/policy.md` is absolute and leaves the project"),
            ("C:/docs/policy.md", "the path `C:/docs/policy.md` is absolute and leaves the project"),
            ("docs\\policy.md", "the path `docs\\policy.md` holds a backslash"),
            ("docs//policy.md", "the path `docs//policy.md` is not in its plain form"),
            ("./docs/policy.md", "the path `./docs/policy.md` is not in its plain form"),
            ("docs/", "the path `docs/` is not in its plain form"),
            ("docs/a\0b", "the path \"docs/a\\0b\" holds a control character"),
            ("docs", "`docs` is a folder, and a file is needed"),
            ("docs/policy.md/x", "`docs/policy.md` is a file, and no folder"),
            ("docs/polcy.md", "`docs/polcy.md` does not exist"),
            ("linked/policy.md", "`linked` is a symbolic link, and links are not followed"),
            ("docs/link.md", "`docs/link.md` is a symbolic link, and links are not followed"),
            ("docs/pipe.md", "`docs/pipe.md` is a pipe, a socket or a device, and no regular file"),
            ("module/policy.md", "`module` is a git submodule, whose files are not the project's"),
        ] {
            assert_eq!(message(path), expected);
        }
    }

    #[test]
    fn a_missing_file_is_met_with_the_nearest_name() {
        let files = MemoryFiles::new().with("docs/policy.md", "text");
        let fault = check_file(&files, "docs/polcy.md").unwrap_err();
        assert_eq!(fault.hint.as_deref(), Some("did you mean `docs/policy.md`?"));
    }
}
