//! Which rule takes a path, and why.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::change::{ChangeKind, GitView, PathClaim, claims_as_seen};
use crate::manifest::{DiskFiles, FileSource as _, facet_lies_in};
use crate::selection::{RuleRow, rule_rows};

use super::{PipelineError, check};

/// One who knows a path, and the rule for such a change.
#[derive(Clone, Debug)]
pub struct ExplainedClaim {
    /// Who knows it.
    pub claim: PathClaim,
    /// The rule; none where a change of the path is no change. Of a kind that the project declares, the first of its rules.
    pub rule: Option<RuleRow>,
    /// Further rules of the project that take such a change, or one of the facets that the path holds.
    pub further: Vec<RuleRow>,
}

/// A path, and all who know it.
#[derive(Clone, Debug)]
pub struct ExplainedPath {
    /// The path, relative to the project's folder.
    pub path: String,
    /// Whether anything stands there now.
    pub exists: bool,
    /// Whether it lies outside of the project's folder, so that no rule speaks of it.
    pub outside: bool,
    /// Who knows it; empty only where it lies outside.
    pub claims: Vec<ExplainedClaim>,
}

/// Explains each path, as it was named from the project's folder or with the project's folder before it; of a folder each file
/// below it.
///
/// # Errors
/// When the project is invalid.
pub fn explain_paths(
    project_root: &Path,
    environment: &BTreeMap<String, String>,
    paths: &[PathBuf],
) -> Result<Vec<ExplainedPath>, PipelineError> {
    let (project, _) = check(project_root, environment)?;
    let rules = rule_rows(Some(&project.file));
    // Where git cannot tell, what the project says is all there is, and the gate says why.
    let git = GitView::open(project_root, environment).ok();
    let explain = |path: &PathBuf| {
        let Some(path) = inside(project_root, path) else {
            let exists = project_root.join(path).symlink_metadata().is_ok();
            return ExplainedPath { path: path.display().to_string(), exists, outside: true, claims: Vec::new() };
        };
        let claims = claims_as_seen(&project, git.as_ref(), &path).into_iter().map(|claim| {
            let taking = rules.iter().filter(|rule| Some(rule.change) == claim.change && takes(rule, &claim));
            let mut taking: Vec<RuleRow> = taking.cloned().collect();
            // What happens where no rule takes a change is beside the point where one does.
            if claim.facet.is_some() && taking.iter().any(|rule| rule.own) {
                taking.retain(|rule| rule.own || !matches!(rule.change, ChangeKind::Own(_)));
            }
            let mut taking = taking.into_iter();
            ExplainedClaim { rule: taking.next(), further: taking.collect(), claim }
        });
        let claims = claims.collect();
        ExplainedPath { exists: project_root.join(&path).symlink_metadata().is_ok(), outside: false, path, claims }
    };
    Ok(paths.iter().flat_map(|path| files_of(project_root, git.as_ref(), path)).map(|path| explain(&path)).collect())
}

/// The files below a folder of the project, and any other path as it is: of a folder that holds nothing there is nothing to say
/// but what would stand in its place, and of a submodule's files that they are one with it.
fn files_of(project_root: &Path, git: Option<&GitView>, path: &Path) -> Vec<PathBuf> {
    let own = |path: &Path| path.canonicalize().ok();
    let is_root = || own(&project_root.join(path)).is_some_and(|found| Some(found) == own(project_root));
    let folder = inside(project_root, path).or_else(|| is_root().then(String::new));
    let below = folder
        .filter(|folder| project_root.join(folder).symlink_metadata().is_ok_and(|found| found.is_dir()))
        .and_then(|folder| DiskFiles::new(project_root).list(&folder).ok())
        .filter(|files| !files.is_empty());
    let Some(files) = below else { return vec![path.to_owned()] };
    let whole = |file: &String| PathBuf::from(git.and_then(|git| git.submodule_around(file)).unwrap_or(file));
    let mut files: Vec<PathBuf> = files.iter().map(whole).collect();
    files.dedup();
    files
}

/// Whether a rule can take a change of the path: a file that a manifest names is one facet, a manifest holds any.
fn takes(rule: &RuleRow, claim: &PathClaim) -> bool {
    let (Some(own), Some(facet)) = (&rule.facet, &claim.facet) else { return true };
    facet_lies_in(own, facet)
}

/// The path with `/` between names, from the project's folder on.
fn inside(project_root: &Path, path: &Path) -> Option<String> {
    let root = project_root.canonicalize().ok();
    let path = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => names.push(name.to_str()?),
            Component::ParentDir => {
                names.pop()?;
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!names.is_empty()).then(|| names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_taken_from_the_projects_folder() {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let root = folder.path().canonicalize().unwrap_or_else(|error| panic!("{error}"));
        let inside = |path: &str| super::inside(&root, Path::new(path));
        assert_eq!(inside("./a/../b/c.md").as_deref(), Some("b/c.md"));
        assert_eq!(super::inside(&root, &root.join("b/c.md")).as_deref(), Some("b/c.md"));
        assert_eq!(inside("../b"), None);
        assert_eq!(inside("/etc/passwd"), None);
        assert_eq!(inside("."), None);
    }

    #[test]
    fn a_folder_stands_for_the_files_below_it_and_anything_else_for_itself() {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        for file in ["policies/a.md", "policies/deep/b.md", "c.md"] {
            let path = folder.path().join(file);
            let made = std::fs::create_dir_all(path.parent().unwrap_or(&path)).and_then(|()| std::fs::write(&path, ""));
            made.unwrap_or_else(|error| panic!("{error}"));
        }
        let files = |path: &str| -> Vec<String> {
            files_of(folder.path(), None, Path::new(path)).iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(files("policies"), ["policies/a.md", "policies/deep/b.md"]);
        assert_eq!(files("./policies/"), files("policies"));
        assert_eq!(files("."), ["c.md", "policies/a.md", "policies/deep/b.md"]);
        for alone in ["c.md", "gone.md", "../elsewhere"] {
            assert_eq!(files(alone), [alone]);
        }
    }
}
