//! What git shows of a path. Without it, a claim on the path would speak of changes that no comparison ever sees.

use std::collections::BTreeMap;
use std::path::Path;

use crate::manifest::Project;

use super::git::GitProject;
use super::git_error::GitError;
use super::listing::{EntryMode, Listing};
use super::model::ChangeKind;
use super::path_name::PathName;
use super::unseen_code::DERIVED;
use super::whose::{PathClaim, claims_on};

/// The paths of a project as git shows them now.
pub struct GitView {
    project: GitProject,
    /// What git has or would take below the project's folder.
    listing: Listing,
}

impl GitView {
    /// Looks at the working tree around a project.
    ///
    /// # Errors
    /// Where there is no repository that can be read.
    pub fn open(project_root: &Path, environment: &BTreeMap<String, String>) -> Result<Self, GitError> {
        let project = GitProject::open_within(project_root, environment)?;
        let listing = project.working_tree()?.listing.below(project.prefix());
        Ok(Self { project, listing })
    }

    /// The submodule in which a path of the project lies.
    pub fn submodule_around<'a>(&self, path: &'a str) -> Option<&'a str> {
        let is_submodule =
            |folder: &str| self.listing.get(folder.as_bytes()).is_some_and(|entry| entry.mode == EntryMode::Submodule);
        path.match_indices('/').map(|(end, _)| &path[..end]).find(|folder| is_submodule(folder))
    }

    /// Whether git ignores a path of the project. That the rules cannot be read is for the gate to say.
    fn ignores(&self, path: &str) -> bool {
        let whole = PathName::new([self.project.prefix(), path.as_bytes()].concat());
        self.listing.get(path.as_bytes()).is_none() && self.project.ignores(&whole).unwrap_or(false)
    }
}

/// As [`claims_on`], with what git makes of it: what git keeps for itself or ignores is no change, and what lies in a
/// submodule is a change of the submodule. Without a repository, all is as the project says.
pub fn claims_as_seen(project: &Project, git: Option<&GitView>, path: &str) -> Vec<PathClaim> {
    let unseen = |by: &str| vec![PathClaim { change: None, by: by.to_owned(), facet: None }];
    if path.split('/').any(|name| name == ".git") {
        return unseen("it is git's own, which git never lists: no change of it is seen");
    }
    let Some(git) = git else { return claims_on(project, path) };
    if let Some(folder) = git.submodule_around(path) {
        let as_a_whole = |claim: PathClaim| {
            let by = format!(
                "it lies in the git submodule `{folder}`, and a change shows as one of `{folder}` itself: {}",
                claim.by
            );
            PathClaim { by, ..claim }
        };
        return claims_on(project, folder).into_iter().map(as_a_whole).collect();
    }
    let claims = claims_on(project, path);
    if !git.ignores(path) {
        return claims;
    }
    // What the interpreter derives is no code of its own, wherever it lies.
    let is_derived = PathName::from(path).is_in(DERIVED.as_bytes());
    let is_nobodys = |claim: &PathClaim| match claim.change {
        Some(ChangeKind::Unclassified | ChangeKind::Inert) => true,
        Some(ChangeKind::Code) => is_derived,
        _ => false,
    };
    if claims.iter().all(is_nobodys) {
        return unseen("git ignores it: no change of it is seen");
    }
    let known = |claim: PathClaim| match claim.change {
        Some(_) => {
            PathClaim { by: format!("{}; git ignores it, so that no commit has it to compare with", claim.by), ..claim }
        }
        None => claim,
    };
    claims.into_iter().map(known).collect()
}
