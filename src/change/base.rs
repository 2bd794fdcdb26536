//! Finding the base: a revision that was asked for, the branch that CI would merge into, or what was accepted.

use std::collections::BTreeMap;

use super::ci::{CiBase, CiTarget, ci_base};
use super::git::{Commit, GitProject};
use super::git_error::{GitError, GitErrorKind};
use super::listing::{Listing, ObjectId};
use super::model::{BaseKind, Side};

/// The base, and the files of each of its commits.
pub(super) struct Base {
    pub(super) side: Side,
    pub(super) kind: BaseKind,
    /// Whole repositories: one, more where history was merged criss-cross, none without git.
    pub(super) listings: Vec<Listing>,
}

/// Where to look for a base.
pub(super) struct BaseSearch<'a> {
    /// The repository, or why there is none.
    pub(super) git: Result<&'a GitProject, &'a GitError>,
    /// The head's commit; for a working tree the one that is checked out.
    pub(super) head: Option<Commit>,
    /// What was asked for.
    pub(super) asked: Option<&'a str>,
    pub(super) environment: &'a BTreeMap<String, String>,
    /// Whether a baseline with a snapshot was ever accepted.
    pub(super) has_accepted: bool,
}

impl BaseSearch<'_> {
    /// The base. It is never an error: what cannot be had selects everything, and says why.
    pub(super) fn find(&self) -> Base {
        if let Some(revision) = self.asked {
            return self.revision(revision, revision).unwrap_or_else(|reason| without_base(revision, reason));
        }
        let Some(ci) = ci_base(self.environment) else { return self.accepted(None) };
        self.ci(&ci).unwrap_or_else(|reason| self.accepted(Some(reason)))
    }

    /// The accepted baseline; `reason` says why the branch that CI names cannot be had.
    fn accepted(&self, reason: Option<String>) -> Base {
        if !self.has_accepted {
            let reason = reason.map_or_else(String::new, |reason| format!("{reason}; "));
            return without_base("none", format!("{reason}no base was given, and no accepted parts stand in for one"));
        }
        let note = reason.map(|reason| format!("{reason}; what was accepted is the base instead"));
        let side = Side { name: "baseline".to_owned(), commit: None, note };
        Base { side, kind: BaseKind::Baseline, listings: Vec::new() }
    }

    fn ci(&self, ci: &CiBase) -> Result<Base, String> {
        let candidates = match &ci.target {
            CiTarget::Commit(commit) => vec![(commit.clone(), commit.clone())],
            CiTarget::Branch(branch) => vec![
                (format!("origin/{branch}"), format!("refs/remotes/origin/{branch}")),
                (branch.clone(), format!("refs/heads/{branch}")),
            ],
        };
        let mut reasons = Vec::new();
        for (name, revision) in candidates {
            match self.revision(&name, &revision) {
                Ok(mut base) => {
                    let found = base.side.note.take().unwrap_or_default();
                    base.side.note = Some(format!("{} names it: {found}", ci.variable));
                    return Ok(base);
                }
                Err(reason) => reasons.push(reason),
            }
        }
        Err(format!("what {} names cannot be had: {}", ci.variable, reasons.join("; ")))
    }

    fn revision(&self, name: &str, revision: &str) -> Result<Base, String> {
        let git = self.git.map_err(GitError::sentence)?;
        let commit = git.commit(revision).map_err(|error| explain(git, &error))?;
        let head = self.head.ok_or_else(|| format!("the head has no commit yet to compare `{name}` with"))?;
        let merge_bases = git.merge_bases(commit.id, head.id).map_err(|error| explain(git, &error))?;
        let listings: Result<Vec<Listing>, GitError> = merge_bases.iter().map(|base| git.tree(*base)).collect();
        let listings = listings.map_err(|error| explain(git, &error))?;
        let side = Side {
            name: name.to_owned(),
            commit: merge_bases.first().map(ToString::to_string),
            note: Some(note(name, commit, &merge_bases)),
        };
        Ok(Base { side, kind: BaseKind::Revisions(merge_bases.iter().map(ToString::to_string).collect()), listings })
    }
}

fn without_base(name: &str, reason: String) -> Base {
    let side = Side { name: name.to_owned(), commit: None, note: Some(reason.clone()) };
    Base { side, kind: BaseKind::None(reason), listings: Vec::new() }
}

/// Git's own reason first. That the clone is shallow is only a guess at what is behind it.
fn explain(git: &GitProject, error: &GitError) -> String {
    let history =
        matches!(error.kind, GitErrorKind::NoMergeBase | GitErrorKind::Revision | GitErrorKind::MissingObject);
    if history && git.is_shallow() {
        return format!(
            "{}; perhaps because this is a shallow clone, whose history was cut off: `git fetch --unshallow` gets the \
             rest",
            error.sentence()
        );
    }
    error.sentence()
}

/// Which commit was taken and how old it is, so that a branch that was not fetched for long can be seen.
fn note(name: &str, commit: Commit, merge_bases: &[ObjectId]) -> String {
    let time = jiff::Timestamp::from_second(commit.seconds).map_or_else(|_| "?".to_owned(), |time| time.to_string());
    let tip = format!("`{name}` is {} of {time}", commit.id.short());
    match merge_bases {
        [base] if *base == commit.id => tip,
        [base] => format!("{tip}, its merge base with the head {}", base.short()),
        several => {
            let names: Vec<String> = several.iter().map(ObjectId::short).collect();
            format!(
                "{tip}; history was merged criss-cross, so there are {} merge bases ({}), and what differs from any of \
                 them counts",
                several.len(),
                names.join(", ")
            )
        }
    }
}
