//! The file by which a CI system runs the gate.

use super::{NewFile, Proposal};

/// The systems for which there is a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CiSystem {
    /// GitHub Actions.
    Github,
    /// GitLab.
    Gitlab,
    /// Any other: a script that it can call.
    Script,
}

/// The systems that a repository can show, in the order in which they are asked for.
pub const CI_SYSTEMS: [CiSystem; 2] = [CiSystem::Github, CiSystem::Gitlab];

impl CiSystem {
    /// What stands at the root of a repository in which this system is used.
    pub fn signs(self) -> &'static [&'static str] {
        match self {
            Self::Github => &[".github"],
            Self::Gitlab => &[".gitlab-ci.yml", ".gitlab"],
            Self::Script => &[],
        }
    }

    /// The system that a remote's address names, if any.
    pub fn of_remote(address: &str) -> Option<Self> {
        let names = [("github.", Self::Github), ("gitlab.", Self::Gitlab)];
        names.into_iter().find(|(name, _)| address.contains(name)).map(|(_, system)| system)
    }

    /// Where its file lies, below the repository's root.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Github => ".github/workflows/holdpoint.yml",
            Self::Gitlab => ".gitlab/holdpoint.yml",
            Self::Script => "ci/holdpoint.sh",
        }
    }
}

pub(super) fn file(system: CiSystem, proposal: &Proposal<'_>) -> NewFile {
    let below = if proposal.below.is_empty() { "." } else { proposal.below };
    let text = match system {
        CiSystem::Github => GITHUB.replace("{PROJECT}", &crate::manifest::yaml_quoted(below)),
        CiSystem::Gitlab => GITLAB.replace("{PROJECT}", &crate::manifest::yaml_quoted(below)),
        CiSystem::Script => SCRIPT.replace("{PROJECT}", &shell_quoted(below)),
    };
    let what = match system {
        CiSystem::Github => "runs the gate on every pull request",
        CiSystem::Gitlab => "runs the gate; take it into .gitlab-ci.yml with `include: {local: .gitlab/holdpoint.yml}`",
        CiSystem::Script => "runs the gate in any CI system: let it call this",
    };
    NewFile { at_repository_root: true, ..NewFile::new(system.path(), what, text) }
}

fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

const GITHUB: &str = r#"# yaml-language-server: $schema=https://json.schemastore.org/github-workflow.json
# The gate on every pull request. Its report is kept whatever the verdict.
name: holdpoint

on:
  pull_request:

permissions:
  contents: read

jobs:
  gate:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      # With its history: the gate compares with the merge base.
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0

      # Name the repository in which you keep holdpoint, and pin it.
      - uses: your-organisation/holdpoint@v0.1.0
        id: holdpoint
        with:
          project: {PROJECT}

      - uses: actions/upload-artifact@v4
        if: always() && steps.holdpoint.outputs.report != ''
        with:
          name: holdpoint-report
          path: ${{ steps.holdpoint.outputs.report }}
"#;

const GITLAB: &str = r#"# yaml-language-server: $schema=https://gitlab.com/gitlab-org/gitlab/-/raw/master/app/assets/javascripts/editor/schema/ci.json
# The gate on every merge request. The image must have holdpoint on its PATH.
holdpoint:
  image: registry.example.org/holdpoint:0.1.0
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    # With its history: the gate compares with the merge base.
    GIT_DEPTH: "0"
    HOLDPOINT_PROJECT: {PROJECT}
  script:
    - holdpoint --project "$HOLDPOINT_PROJECT" gate
  artifacts:
    when: always
    paths:
      - $HOLDPOINT_PROJECT/reports/
    reports:
      junit: $HOLDPOINT_PROJECT/reports/*/junit.xml
"#;

const SCRIPT: &str = r#"#!/bin/sh
# Runs the gate; the exit code is its answer (0 passed, 10 failed, 11 inconclusive, 12 no baseline yet).
# Check out with enough history to reach the merge base, and keep the reports folder as an artifact.
set -eu
cd "$(dirname "$0")/.."
exec holdpoint --project {PROJECT} gate
"#;
