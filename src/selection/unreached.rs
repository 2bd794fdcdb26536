//! Cases that no change of a part can select.

use crate::domain::CaseId;
use crate::manifest::{HeldCase, Project};

use super::stake::Stake;

/// The cases that no change of any part of the project would run, sorted. They still run where the code, the project
/// file or a path that nobody knows changes, since then every case does; and an `always` case runs every time.
pub fn never_selected(project: &Project) -> Vec<CaseId> {
    let stakes: Vec<Stake<'_>> =
        project.parts.iter().map(|(id, part)| Stake::of_any_change(part.kind.into(), Some(id), project)).collect();
    let selected = |case: &&HeldCase| {
        case.always || stakes.iter().any(|stake| stake.reaches(case) && stake.risks_of(case).next().is_some())
    };
    let cases = project.cases.values().filter(|case| !selected(case));
    cases.map(|case| case.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::manifest::{MemoryFiles, load_project};

    fn case(id: &str, more: &str) -> String {
        format!("id: {id}\ntitle: t\nworkflow: w\ninput: {{}}\n{more}expect:\n  - contains: x\n")
    }

    #[test]
    fn a_case_whose_risks_no_part_of_its_workflow_puts_at_stake_is_never_selected() {
        let files = MemoryFiles::new()
            .with(
                "holdpoint.yaml",
                "schema: holdpoint.project/1\nname: x\nworkflows:\n  w:\n    command: {run: [cat]}\n    parts: [p]\n",
            )
            .with("manifests/p.yaml", "kind: prompt\nid: p\nversion: \"1\"\nfiles: [p.md]\n")
            .with("p.md", "")
            .with("cases/policy_accuracy/a.yaml", case("answers", ""))
            .with("cases/duplicate/b.yaml", case("never", ""))
            .with("cases/duplicate/c.yaml", case("further-risk", "risks: [malformed_output]\n"))
            .with("cases/duplicate/d.yaml", case("every-time", "always: true\n"));
        let project = load_project(&files, &BTreeMap::new()).unwrap_or_else(|errors| panic!("{errors:?}")).project;
        assert_eq!(never_selected(&project), [CaseId::from("never")]);
    }
}
