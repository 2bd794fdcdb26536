//! Which variables of the environment reach a workflow and what judges it: their names, since values may be secrets.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{CaseId, WorkflowId};
use crate::manifest::{Project, WorkflowEnv, WorkflowSpec};

/// The names that each workflow, its targets and its probes are given because they are set.
pub(super) fn passed(
    project: &Project,
    environment: &BTreeMap<String, String>,
) -> BTreeMap<WorkflowId, BTreeSet<String>> {
    let workflows = project.file.workflows.iter();
    workflows
        .map(|(id, workflow)| {
            let names = environments(project, id, workflow);
            let names = names.into_iter().flat_map(|env| env.pass.iter().chain(&env.pass_if_set));
            (id.clone(), names.filter(|name| environment.contains_key(*name)).cloned().collect())
        })
        .collect()
}

fn environments<'p>(project: &'p Project, id: &WorkflowId, workflow: &'p WorkflowSpec) -> Vec<&'p WorkflowEnv> {
    let mut found = Vec::new();
    found.extend(workflow.command.as_ref().map(|command| &command.env));
    found.extend(workflow.http.as_ref().map(|http| &http.env));
    let connectors = workflow.parts.iter().filter_map(|part| project.file.connectors.get(part));
    found.extend(connectors.filter_map(|connector| connector.upstream.start.as_ref()).map(|start| &start.env));
    let probes = project.file.probes.values();
    let probes = probes.filter(|probe| probe.workflow.as_ref().is_none_or(|of| of == id));
    found.extend(probes.filter_map(|probe| probe.command.as_ref()).map(|command| &command.env));
    found
}

/// What is set now and was not, or was and is not: a phrase for each workflow of which that is so, with its cases. Nothing where it is not
/// known what was.
pub(super) fn differing(
    then: Option<&BTreeMap<WorkflowId, BTreeSet<String>>>,
    now: &BTreeMap<WorkflowId, BTreeSet<String>>,
    project: &Project,
) -> BTreeMap<String, BTreeSet<CaseId>> {
    let differs = then.into_iter().flatten().filter_map(|(workflow, then)| {
        let phrase = difference(then, now.get(workflow)?)?;
        let cases = project.cases.values().filter(|case| case.workflow == *workflow);
        Some((format!("the environment of {workflow} ({phrase})"), cases.map(|case| case.id.clone()).collect()))
    });
    differs.collect()
}

fn difference(then: &BTreeSet<String>, now: &BTreeSet<String>) -> Option<String> {
    let listed = |names: Vec<&String>, what: &str| {
        let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
        (!names.is_empty()).then(|| format!("{} {what}", names.join(", ")))
    };
    let gone = listed(then.difference(now).collect(), "no longer set");
    let new = listed(now.difference(then).collect(), "set only now");
    let phrases: Vec<String> = gone.into_iter().chain(new).collect();
    (!phrases.is_empty()).then(|| phrases.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_and_what_is_set_are_told_apart_by_name() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
        assert_eq!(difference(&set(&["A", "B"]), &set(&["A", "B"])), None);
        let both = difference(&set(&["A", "B", "C"]), &set(&["A", "D"])).unwrap();
        assert_eq!(both, "B, C no longer set; D set only now");
    }
}
