//! Who knows a path, in words: what a change of it would be taken for, and because of which line of the project.

use crate::domain::WorkflowId;
use crate::manifest::{HeldCase, Project, WorkflowSpec, compile_glob};

use super::model::ChangeKind;
use super::path_name::PathName;
use super::path_rules::{PROJECT_FILE, PathOwner, PathRules};

/// One who knows a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathClaim {
    /// What a change of the path is taken for; none where it is no change.
    pub change: Option<ChangeKind>,
    /// Who says so, and where: a phrase.
    pub by: String,
    /// The facet in which a change of the path shows, where it is a file that a manifest names.
    pub facet: Option<String>,
}

impl PathClaim {
    fn new(change: ChangeKind, by: impl Into<String>) -> Self {
        Self { change: Some(change), by: by.into(), facet: None }
    }
}

/// Everyone who knows a path of the project, relative to its folder; never empty. Whose the path is follows the same
/// rules by which changes are classified.
pub fn claims_on(project: &Project, path: &str) -> Vec<PathClaim> {
    let name = PathName::from(path);
    let mut claims = match PathRules::of(project).owner(&name) {
        PathOwner::Project => own_files(project, path),
        PathOwner::Code => code(project, path),
        PathOwner::Grader => graders(project, path),
        PathOwner::Part => Vec::new(),
        PathOwner::Written => {
            vec![PathClaim {
                change: None,
                by: "holdpoint writes there; baselines are verified by every gate".to_owned(),
                facet: None,
            }]
        }
        PathOwner::Inert => match inert(project, path) {
            globs if globs.is_empty() => {
                let by = "reports are rendered with it: a change of it changes how results are shown, and puts nothing at risk";
                vec![PathClaim::new(ChangeKind::Inert, by)]
            }
            globs => globs,
        },
        PathOwner::Unknown => match if_it_stood_there(project, path) {
            claims if claims.is_empty() => {
                vec![PathClaim::new(ChangeKind::Unclassified, "nothing in the project knows the path")]
            }
            claims => claims,
        },
    };
    let naming = project.parts.values().filter(|part| part.files.contains_key(path));
    claims.extend(naming.map(|part| {
        let by = format!("the {} `{}` names it, in {}", part.kind, part.id, part.path);
        PathClaim { facet: Some(format!("file:{path}")), ..PathClaim::new(part.kind.into(), by) }
    }));
    claims
}

/// What a file would be that is not there yet, as far as its place says so. Of one that is, the project has read what it is.
fn if_it_stood_there(project: &Project, path: &str) -> Vec<PathClaim> {
    let is_yaml = path.ends_with(".yaml") || path.ends_with(".yml");
    match path.split_once('/') {
        Some(("cases", below)) if is_yaml && below.contains('/') => {
            return vec![PathClaim::new(ChangeKind::Case, "it would be a case: a new one runs, and must pass")];
        }
        Some(("manifests", _)) if is_yaml => {
            let by = "it would be a manifest: its `kind` says what a change of it puts at risk".to_owned();
            return vec![PathClaim { change: None, by, facet: None }];
        }
        _ => {}
    }
    let matching = project.parts.values().filter(|part| {
        let globs = part.document.get("globs").and_then(serde_json::Value::as_array);
        globs.into_iter().flatten().filter_map(serde_json::Value::as_str).any(|glob| matches(glob, path))
    });
    let claim = |part: &crate::manifest::Part| {
        let by = format!("a glob of the {} `{}` would take it in, in {}", part.kind, part.id, part.path);
        PathClaim { facet: Some(format!("file:{path}")), ..PathClaim::new(part.kind.into(), by) }
    };
    matching.map(claim).collect()
}

fn own_files(project: &Project, path: &str) -> Vec<PathClaim> {
    let mut claims = Vec::new();
    if path == PROJECT_FILE {
        claims.push(PathClaim::new(ChangeKind::Project, "it is the project file"));
    }
    let parts = project.parts.values().filter(|part| part.path == path);
    claims.extend(parts.map(|part| {
        PathClaim::new(part.kind.into(), format!("it is the manifest of the {} `{}`", part.kind, part.id))
    }));
    let case = |case: &HeldCase| {
        let is_fixture = || case.fixtures.iter().any(|fixture| fixture.path == path);
        let what = if case.path == path {
            "it is"
        } else if is_fixture() {
            "it is a fixture of"
        } else {
            return None;
        };
        Some(PathClaim::new(ChangeKind::Case, format!("{what} the case `{}`", case.id)))
    };
    claims.extend(project.cases.values().filter_map(case));
    claims
}

fn code(project: &Project, path: &str) -> Vec<PathClaim> {
    let of_workflow = |(name, spec): (&WorkflowId, &WorkflowSpec)| {
        let glob = spec.code.iter().find(|glob| matches(glob, path));
        Some(PathClaim::new(ChangeKind::Code, format!("`{}` matches it, the code of the workflow `{name}`", glob?)))
    };
    let claims: Vec<PathClaim> = project.file.workflows.iter().filter_map(of_workflow).collect();
    if claims.is_empty() {
        return vec![PathClaim::new(ChangeKind::Code, "a workflow or one of its targets is started with it")];
    }
    claims
}

fn graders(project: &Project, path: &str) -> Vec<PathClaim> {
    let judges = |case: &&HeldCase| case.programs().any(|argument| argument == path);
    let cases = project.cases.values().filter(judges);
    cases.map(|case| PathClaim::new(ChangeKind::Case, format!("the case `{}` is judged by it", case.id))).collect()
}

fn inert(project: &Project, path: &str) -> Vec<PathClaim> {
    let globs = project.file.inert.iter().filter(|glob| matches(glob, path));
    globs.map(|glob| PathClaim::new(ChangeKind::Inert, format!("`{glob}` matches it, below `inert`"))).collect()
}

fn matches(glob: &str, path: &str) -> bool {
    compile_glob(glob).is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::manifest::{MemoryFiles, load_project};

    const FILE: &str = "schema: holdpoint.project/1\nname: x\nworkflows:\n  w:\n    command: {run: [python3, run.py]}\n    \
                        parts: [p]\n    code: [\"lib/**\"]\ninert: [\"*.md\"]\n";
    const CASE: &str = "id: c\ntitle: t\nworkflow: w\ninput: {}\nexpect:\n  - command: {run: [python3, judge.py]}\n";

    fn project() -> Project {
        let files = MemoryFiles::new()
            .with("holdpoint.yaml", FILE)
            .with("manifests/p.yaml", "kind: prompt\nid: p\nversion: \"1\"\nfiles: [p.md, lib/p.md]\n")
            .with("manifests/s.yaml", "kind: source\nid: s\nversion: \"1\"\nglobs: [\"policies/**\"]\n")
            .with("policies/returns.txt", "")
            .with("cases/action/c.yaml", CASE)
            .with("p.md", "")
            .with("lib/p.md", "")
            .with("judge.py", "");
        load_project(&files, &BTreeMap::new()).unwrap_or_else(|errors| panic!("{errors:?}")).project
    }

    #[track_caller]
    fn assert_claims(path: &str, expected: &[(Option<ChangeKind>, &str)]) {
        let claims = claims_on(&project(), path);
        let said: Vec<_> = claims.iter().map(|claim| claim.change).collect();
        assert_eq!(said, expected.iter().map(|(change, _)| *change).collect::<Vec<_>>(), "{path}: {claims:?}");
        for (claim, (_, words)) in claims.iter().zip(expected) {
            assert!(claim.by.contains(words), "{path}: `{}` has no `{words}`", claim.by);
        }
    }

    #[test]
    fn each_path_is_claimed_by_the_line_that_knows_it() {
        assert_claims("holdpoint.yaml", &[(Some(ChangeKind::Project), "project file")]);
        assert_claims("manifests/p.yaml", &[(Some(ChangeKind::Prompt), "manifest of the prompt `p`")]);
        assert_claims("cases/action/c.yaml", &[(Some(ChangeKind::Case), "it is the case `c`")]);
        assert_claims("p.md", &[(Some(ChangeKind::Prompt), "in manifests/p.yaml")]);
        assert_claims("run.py", &[(Some(ChangeKind::Code), "started with it")]);
        assert_claims("judge.py", &[(Some(ChangeKind::Case), "case `c` is judged by it")]);
        assert_claims("notes.md", &[(Some(ChangeKind::Inert), "`*.md`")]);
        assert_claims("templates/report.html", &[(Some(ChangeKind::Inert), "puts nothing at risk")]);
        assert_claims("templates/reply.html", &[(Some(ChangeKind::Unclassified), "nothing")]);
        assert_claims("baselines/x", &[(None, "verified")]);
        assert_claims("setup.cfg", &[(Some(ChangeKind::Unclassified), "nothing")]);
    }

    #[test]
    fn a_path_where_nothing_stands_is_what_its_place_says() {
        assert_claims("cases/access/new.yaml", &[(Some(ChangeKind::Case), "would be a case")]);
        assert_claims("cases/new.yaml", &[(Some(ChangeKind::Unclassified), "nothing")]);
        assert_claims("manifests/new.yaml", &[(None, "would be a manifest")]);
        assert_claims("policies/a/new.txt", &[(Some(ChangeKind::Source), "a glob of the source `s` would take it in")]);
        assert_claims("lib/new.py", &[(Some(ChangeKind::Code), "`lib/**`")]);
    }

    #[test]
    fn code_that_a_part_names_is_both() {
        assert_claims("lib/p.md", &[(Some(ChangeKind::Code), "`lib/**`"), (Some(ChangeKind::Prompt), "prompt `p`")]);
    }
}
