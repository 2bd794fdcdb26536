//! References from one file to another: everything named exists, and is of the right kind.

use std::collections::BTreeMap;

use crate::domain::PartId;
use crate::manifest::case_file::CaseFile;
use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::expectation::Expectation;
use crate::manifest::node::{Half, below};
use crate::manifest::part::{CallName, Manifest, PartKind};
use crate::manifest::project_file::{ProjectFile, WorkflowSpec};
use crate::manifest::suggest::{hint_for, list_of};
use crate::manifest::yaml::Document;

use super::faults;
use super::parts::ReadPart;

/// What references can lead to.
pub(super) struct Scope<'a> {
    /// The project file; without it nothing is said of workflows, probes and risks.
    pub(super) project: Option<&'a ProjectFile>,
    /// The manifests by id, those included that have faults.
    pub(super) parts: BTreeMap<String, &'a ReadPart>,
    /// Whether every manifest's id could be read. If not, an unknown id may be one of those.
    pub(super) parts_are_complete: bool,
}

impl<'a> Scope<'a> {
    /// The scope of these.
    pub(super) fn new(project: Option<&'a ProjectFile>, parts: &'a [ReadPart]) -> Self {
        let by_id = parts.iter().filter_map(|part| Some((part.id_place.as_ref()?.id.clone(), part)));
        Self { project, parts: by_id.collect(), parts_are_complete: parts.iter().all(|part| part.id_place.is_some()) }
    }

    /// The part that `id` leads to. One that does not exist, or is of another kind, is reported.
    pub(super) fn part(
        &self,
        document: &Document,
        pointer: &str,
        id: &PartId,
        kind: Option<PartKind>,
        errors: &mut Vec<Diagnostic>,
    ) -> Option<&'a ReadPart> {
        self.part_at(document, (pointer, Half::Value), id, kind, errors)
    }

    /// As [`Self::part`], where the id is the key that stands at `pointer`.
    pub(super) fn part_of_key(
        &self,
        document: &Document,
        pointer: &str,
        id: &PartId,
        kind: PartKind,
        errors: &mut Vec<Diagnostic>,
    ) -> Option<&'a ReadPart> {
        self.part_at(document, (pointer, Half::Key), id, Some(kind), errors)
    }

    fn part_at(
        &self,
        document: &Document,
        (pointer, half): (&str, Half),
        id: &PartId,
        kind: Option<PartKind>,
        errors: &mut Vec<Diagnostic>,
    ) -> Option<&'a ReadPart> {
        let what = kind.as_ref().map_or("part", PartKind::name);
        let Some(part) = self.parts.get(id.as_str()) else {
            if self.parts_are_complete {
                let of_kind =
                    self.parts.iter().filter(|(_, part)| kind.is_none() || part.kind == kind || part.kind.is_none());
                let names: Vec<&str> = of_kind.map(|(name, _)| name.as_str()).collect();
                let message = format!("no manifest has the id `{}`", id.as_str().escape_debug());
                errors.push(document.error_at(pointer, half, message).with_hint(hint_for(
                    id.as_str(),
                    &names,
                    &plural(what),
                )));
            }
            return None;
        };
        if let (Some(found), Some(wanted)) = (part.kind, kind)
            && found != wanted
        {
            let message = format!("expected a manifest of kind {wanted}, and `{id}` is of kind {found}");
            errors.push(document.error_at(pointer, half, message).with_hint(format!("it stands in `{}`", part.path)));
            return None;
        }
        Some(part)
    }
}

fn plural(what: &str) -> String {
    if what.ends_with('s') { what.to_owned() } else { format!("{what}s") }
}

/// Checks what the project file refers to.
pub(super) fn check_project(scope: &Scope<'_>, document: &Document, errors: &mut Vec<Diagnostic>) {
    let Some(project) = scope.project else { return };
    for (name, workflow) in &project.workflows {
        let pointer = below(&below("/workflows", name), "parts");
        for (index, id) in workflow.parts.iter().enumerate() {
            let pointer = below(&pointer, index);
            if workflow.parts[..index].contains(id) {
                errors
                    .push(document.error(&pointer, format!("`{id}` is named twice")).with_hint("keep one of the two"));
            } else {
                scope.part(document, &pointer, id, None, errors);
            }
        }
    }
}

/// Checks what one manifest refers to.
pub(super) fn check_part(scope: &Scope<'_>, part: &ReadPart, errors: &mut Vec<Diagnostic>) {
    let (Some(manifest), Some(document)) = (&part.manifest, &part.document) else { return };
    match manifest {
        Manifest::Permissions(permissions) => {
            for (name, actor) in &permissions.actors {
                let pointer = below(&below("/actors", name), "sources");
                for (index, id) in actor.sources.iter().enumerate() {
                    scope.part(document, &below(&pointer, index), id, Some(PartKind::Source), errors);
                }
            }
            for (name, action) in &permissions.actions {
                let pointer = below(&below("/actions", name), "calls");
                check_calls(scope, document, &pointer, &action.calls, errors);
            }
        }
        Manifest::Connector(connector) => {
            for (name, operation) in &connector.operations {
                let pointer = below(&below("/operations", name), "requires");
                check_calls(scope, document, &pointer, &operation.requires, errors);
                let itself = |call: &CallName| call.parts() == Some((connector.id.as_str(), name));
                for (index, _) in operation.requires.iter().enumerate().filter(|(_, call)| itself(call)) {
                    let error = document.error(&below(&pointer, index), "an operation cannot require itself");
                    errors.push(error.with_hint("name what must be done before it"));
                }
            }
        }
        Manifest::Tool(tool) => {
            let Some(id) = &tool.connector else { return };
            let connector = scope.part(document, "/connector", id, Some(PartKind::Connector), errors);
            if let (Some(connector), Some(operation)) = (connector, &tool.operation) {
                check_operation(document, "/operation", connector, operation, errors);
            }
        }
        _ => {}
    }
}

fn check_calls(
    scope: &Scope<'_>,
    document: &Document,
    pointer: &str,
    calls: &[CallName],
    errors: &mut Vec<Diagnostic>,
) {
    for (index, call) in calls.iter().enumerate() {
        let pointer = below(pointer, index);
        if calls[..index].contains(call) {
            errors.push(document.error(&pointer, format!("`{call}` is named twice")).with_hint("keep one of the two"));
        } else {
            check_call(scope, document, &pointer, call, errors);
        }
    }
}

/// The connector and the operation that a `connector/operation` names exist.
pub(super) fn check_call(
    scope: &Scope<'_>,
    document: &Document,
    pointer: &str,
    call: &CallName,
    errors: &mut Vec<Diagnostic>,
) {
    let Some((connector, operation)) = call.parts() else {
        let message = format!("`{}` names no connector's operation", call.as_str().escape_debug());
        let hint = "write the connector's id, a slash, and its operation, as in `inventory/reserve`";
        errors.push(document.error(pointer, message).with_hint(hint));
        return;
    };
    let found = scope.part(document, pointer, &PartId::new(connector), Some(PartKind::Connector), errors);
    if let Some(found) = found {
        check_operation(document, pointer, found, operation, errors);
    }
}

/// The connector has an operation of that name.
pub(super) fn check_operation(
    document: &Document,
    pointer: &str,
    connector: &ReadPart,
    operation: &str,
    errors: &mut Vec<Diagnostic>,
) {
    let Some(Manifest::Connector(manifest)) = &connector.manifest else { return };
    if !manifest.operations.contains_key(operation) {
        let names: Vec<&str> = manifest.operations.keys().map(String::as_str).collect();
        let message = format!("the connector `{}` has no operation `{}`", manifest.id, operation.escape_debug());
        let hint = match crate::manifest::suggest::nearest(operation, &names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its operations: {}", list_of(&names, "and")),
        };
        errors.push(document.error(pointer, message).with_hint(hint));
    }
}

/// Checks what one case refers to.
pub(super) fn check_case(
    scope: &Scope<'_>,
    raw: &CaseFile,
    set: Option<&str>,
    document: &Document,
    errors: &mut Vec<Diagnostic>,
) {
    for (index, id) in raw.sources.iter().enumerate() {
        scope.part(document, &below("/sources", index), id, Some(PartKind::Source), errors);
    }
    let workflow = scope.project.and_then(|project| {
        check_risks(project, raw, set, document, errors);
        let workflow = project.workflows.get(&raw.workflow);
        if workflow.is_none() {
            let names: Vec<&str> = project.workflows.keys().map(|name| name.as_str()).collect();
            let message = format!("the project file has no workflow `{}`", raw.workflow.as_str().escape_debug());
            let error = document.error("/workflow", message);
            errors.push(error.with_hint(hint_for(raw.workflow.as_str(), &names, "workflows")));
        }
        workflow
    });
    for (index, fault) in raw.faults.iter().enumerate() {
        faults::check(scope, workflow, fault, document, &below("/faults", index), errors);
    }
    for (index, expectation) in raw.expect.iter().enumerate() {
        check_expectation(scope, workflow, expectation, document, &below("/expect", index), errors);
    }
}

fn check_risks(
    project: &ProjectFile,
    raw: &CaseFile,
    set: Option<&str>,
    document: &Document,
    errors: &mut Vec<Diagnostic>,
) {
    let known = project.risk_names();
    let hint = |name: &str| match crate::manifest::suggest::nearest(name, &known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            "name it under `risks` in holdpoint.yaml, or use a built-in one: `holdpoint rules` lists them".to_owned()
        }
    };
    if let Some(set) = set.filter(|set| !known.contains(set)) {
        let message = format!("the case lies in `cases/{set}`, and `{set}` is no risk of this project");
        errors.push(document.error("", message).with_hint(hint(set)));
    }
    for (index, risk) in raw.risks.iter().enumerate().filter(|(_, risk)| !known.contains(&risk.as_str())) {
        let message = format!("`{}` is no risk of this project", risk.as_str().escape_debug());
        errors.push(document.error(&below("/risks", index), message).with_hint(hint(risk.as_str())));
    }
}

fn check_expectation(
    scope: &Scope<'_>,
    workflow: Option<&WorkflowSpec>,
    expectation: &Expectation,
    document: &Document,
    pointer: &str,
    errors: &mut Vec<Diagnostic>,
) {
    if let Some(inner) = &expectation.not {
        return check_expectation(scope, workflow, inner, document, &below(pointer, "not"), errors);
    }
    if let (Some(effects), Some(project)) = (&expectation.effects, scope.project)
        && !project.probes.contains_key(&effects.probe)
    {
        let names: Vec<&str> = project.probes.keys().map(String::as_str).collect();
        let message = format!("the project file has no probe `{}`", effects.probe.escape_debug());
        let error = document.error(&format!("{pointer}/effects/probe"), message);
        errors.push(error.with_hint(hint_for(&effects.probe, &names, "probes")));
    }
    if let Some(source) = expectation.cites.as_ref().and_then(|cites| cites.source.as_ref()) {
        scope.part(document, &format!("{pointer}/cites/source"), source, Some(PartKind::Source), errors);
    }
    super::calls::check(scope, workflow, expectation, document, pointer, errors);
    if expectation.http_status.is_some() && workflow.is_some_and(|workflow| workflow.http.is_none()) {
        let error =
            document.error_at(&below(pointer, "http_status"), Half::Key, "only an http workflow answers with a status");
        errors.push(error.with_hint("take the expectation out, or run the case against an http workflow"));
    }
}
