//! The branch into which CI would merge, read from the variables that CI systems document. Pure: the caller hands the
//! environment in.

use std::collections::BTreeMap;

/// What a CI system says the change is to be held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CiBase {
    /// The variable that said so.
    pub variable: &'static str,
    /// What it names.
    pub target: CiTarget,
}

/// What a CI variable names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CiTarget {
    /// A branch of the remote, without `refs/heads/`.
    Branch(String),
    /// A commit.
    Commit(String),
}

/// The variables, first match first. GitLab's commit comes before its branch, since that commit is fetched with the
/// merge request and cannot be stale.
const BRANCH_VARIABLES: [&str; 6] = [
    "GITHUB_BASE_REF",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "CHANGE_TARGET",
    "SYSTEM_PULLREQUEST_TARGETBRANCH",
];
const COMMIT_VARIABLE: &str = "CI_MERGE_REQUEST_DIFF_BASE_SHA";

/// The base that CI names: `None` outside of CI, and for a build that belongs to no merge request.
pub fn ci_base(environment: &BTreeMap<String, String>) -> Option<CiBase> {
    let value = |name: &str| environment.get(name).map(|text| text.trim()).filter(|text| !text.is_empty());
    if let Some(commit) = value(COMMIT_VARIABLE) {
        return Some(CiBase { variable: COMMIT_VARIABLE, target: CiTarget::Commit(commit.to_owned()) });
    }
    BRANCH_VARIABLES.into_iter().find_map(|variable| {
        let name = value(variable)?;
        let branch = name.strip_prefix("refs/heads/").unwrap_or(name).to_owned();
        Some(CiBase { variable, target: CiTarget::Branch(branch) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base_of(variables: &[(&str, &str)]) -> Option<CiBase> {
        ci_base(&variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn each_ci_system_s_target_branch_is_found() {
        for variable in BRANCH_VARIABLES {
            let expected = CiBase { variable, target: CiTarget::Branch("main".to_owned()) };
            assert_eq!(base_of(&[(variable, "main"), ("CI", "true")]), Some(expected));
        }
        let azure = base_of(&[("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/rel/2")]).unwrap();
        assert_eq!(azure.target, CiTarget::Branch("rel/2".to_owned()));
        let gitlab = base_of(&[("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"), (COMMIT_VARIABLE, "abc")]).unwrap();
        assert_eq!(gitlab.target, CiTarget::Commit("abc".to_owned()));
    }

    #[test]
    fn a_plain_ci_build_and_an_empty_variable_name_no_base() {
        assert_eq!(base_of(&[("CI", "true"), ("GITHUB_BASE_REF", ""), ("GITHUB_REF", "refs/heads/main")]), None);
    }
}
