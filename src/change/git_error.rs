//! What git refuses, in its own words, with what to do about it.

use std::path::Path;

/// Why git could not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitErrorKind {
    /// The folder lies in no repository.
    NoRepository,
    /// The repository has no working tree.
    Bare,
    /// The repository belongs to another user, and git trusts no stranger's configuration.
    Owner,
    /// The repository uses something that the git library cannot read; the git command perhaps can.
    Unsupported,
    /// The project's folder is ignored by the repository around it, so git knows nothing of its files.
    Ignored,
    /// A revision names no commit.
    Revision,
    /// Two commits have no common ancestor here.
    NoMergeBase,
    /// An object is named and not there.
    MissingObject,
    /// The git command is needed and cannot be started.
    NoCommand,
    /// Anything else.
    Other,
}

/// Git could not answer: what was asked, git's own words, and what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{what}: git says `{words}`")]
pub struct GitError {
    /// The kind of refusal.
    pub kind: GitErrorKind,
    /// What could not be done, without a full stop.
    pub what: String,
    /// Git's own words, on one line.
    pub words: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl GitError {
    /// An error with a hint that goes with its kind.
    pub(super) fn new(kind: GitErrorKind, what: impl Into<String>, words: &str) -> Self {
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let hint = hint_for(kind, &words);
        Self { kind, what: what.into(), words, hint }
    }

    /// Reads what the git library answered.
    pub(super) fn from_library(what: impl Into<String>, error: &git2::Error) -> Self {
        Self::new(kind_of(error.code(), error.class(), error.message()), what, error.message())
    }

    /// The same error under another kind, with that kind's hint.
    pub(super) fn with_kind(self, kind: GitErrorKind) -> Self {
        Self::new(kind, self.what, &self.words)
    }

    /// What was asked, git's words and the hint, as one line.
    pub fn sentence(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{self}; {hint}"),
            None => self.to_string(),
        }
    }
}

/// Names the folder that git does not trust, so that the hint can be pasted.
pub(super) fn with_owner_hint(mut error: GitError, folder: &Path) -> GitError {
    if error.kind == GitErrorKind::Owner {
        let folder = folder.display();
        error.hint = Some(format!(
            "the folder belongs to another user, as is common in containers: `git config --global --add \
             safe.directory {folder}` trusts it"
        ));
    }
    error
}

fn kind_of(code: git2::ErrorCode, class: git2::ErrorClass, message: &str) -> GitErrorKind {
    use git2::{ErrorClass, ErrorCode};
    let unsupported = ["unsupported extension", "unsupported mandatory extension", "unsupported repository version"];
    let format = message.contains("object format") || message.contains("refstorage") || message.contains("reftable");
    match (code, class) {
        (ErrorCode::Owner, _) => GitErrorKind::Owner,
        _ if format || unsupported.iter().any(|phrase| message.contains(phrase)) => GitErrorKind::Unsupported,
        (ErrorCode::NotFound, ErrorClass::Repository) => GitErrorKind::NoRepository,
        (ErrorCode::NotFound, ErrorClass::Merge) => GitErrorKind::NoMergeBase,
        (ErrorCode::NotFound, ErrorClass::Odb) => GitErrorKind::MissingObject,
        _ => GitErrorKind::Other,
    }
}

fn hint_for(kind: GitErrorKind, words: &str) -> Option<String> {
    let text = match kind {
        GitErrorKind::NoRepository => "run `git init`, or name a project inside a repository with `--project`",
        GitErrorKind::Bare => "a bare repository has no files to look at: use a clone or `git worktree add`",
        GitErrorKind::Owner => "see `safe.directory` in `git help config`",
        GitErrorKind::Ignored => {
            "the repository around it ignores the project's folder: `git check-ignore -v` says why"
        }
        GitErrorKind::Revision => {
            "`git rev-parse --verify` says whether this clone has it; CI clones often lack branches"
        }
        GitErrorKind::MissingObject => "the clone is partial or damaged: `git fsck` says which",
        GitErrorKind::NoCommand => "install git, or put it on PATH",
        GitErrorKind::Unsupported => unsupported_hint(words),
        GitErrorKind::NoMergeBase | GitErrorKind::Other => return None,
    };
    Some(text.to_owned())
}

fn unsupported_hint(words: &str) -> &'static str {
    let words = words.to_ascii_lowercase();
    if words.contains("partialclone") || words.contains("promisor") {
        "this is a partial clone, which only the git command can read: install git, or clone without `--filter`"
    } else if words.contains("object format") || words.contains("objectformat") || words.contains("sha256") {
        "this repository uses SHA-256 names, which only the git command can read: install git"
    } else if words.contains("refstorage") || words.contains("reftable") {
        "this repository keeps its references in a reftable, which only the git command can read: install git"
    } else {
        "only a newer git command can read this repository: install git"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use git2::{ErrorClass, ErrorCode};

    fn kind(code: ErrorCode, class: ErrorClass, message: &str) -> GitErrorKind {
        GitError::from_library("x", &git2::Error::new(code, class, message)).kind
    }

    #[test]
    fn each_refusal_of_the_library_gets_its_kind() {
        assert_eq!(kind(ErrorCode::Owner, ErrorClass::Config, "not owned by current user"), GitErrorKind::Owner);
        for message in ["unsupported extension name extensions.partialclone", "unknown object format 'sha256'"] {
            assert_eq!(kind(ErrorCode::GenericError, ErrorClass::Repository, message), GitErrorKind::Unsupported);
        }
        assert_eq!(kind(ErrorCode::NotFound, ErrorClass::Repository, "none"), GitErrorKind::NoRepository);
        assert_eq!(kind(ErrorCode::NotFound, ErrorClass::Merge, "no merge base found"), GitErrorKind::NoMergeBase);
    }

    #[test]
    fn the_sentence_has_git_s_own_words_on_one_line_before_the_hint() {
        let error =
            GitError::new(GitErrorKind::Unsupported, "the repository cannot be opened", "unsupported\nextension");
        let sentence = error.sentence();
        assert!(
            sentence.starts_with("the repository cannot be opened: git says `unsupported extension`; "),
            "{sentence}"
        );
    }

    #[test]
    fn a_repository_of_another_user_gets_a_command_to_paste() {
        let error = GitError::new(GitErrorKind::Owner, "it cannot be opened", "not owned");
        let hint = with_owner_hint(error, Path::new("/srv/project")).hint.unwrap();
        assert!(hint.contains("--add safe.directory /srv/project`"), "{hint}");
    }
}
