//! The connectors whose calls are passed on: their upstream, their addresses, and the variables that hold these.

use std::collections::BTreeMap;

use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::node::{Half, below};
use crate::manifest::part::{Manifest, PartKind};
use crate::manifest::project_file::{ConnectorSpec, ProjectFile, Upstream, WorkflowEnv, WorkflowSpec};
use crate::manifest::yaml::Document;

use super::environment::is_name;
use super::project_file::{check_program, check_url};
use super::references::Scope;
use super::wires::{check_header_name, wired_operations};

/// Beginnings of names that holdpoint itself gives to variables.
const OWN_PREFIX: &str = "HOLDPOINT_";

/// Checks what can be told from the project file alone.
pub(super) fn check_alone(file: &ProjectFile, document: &Document, errors: &mut Vec<Diagnostic>) {
    for (id, connector) in &file.connectors {
        let pointer = below("/connectors", id);
        check_upstream(document, &below(&pointer, "upstream"), &connector.upstream, errors);
        check_base_path(document, &below(&pointer, "base_path"), &connector.base_path, errors);
        check_names(document, &below(&pointer, "env"), connector, errors);
        for (index, name) in connector.record_headers.iter().enumerate() {
            check_header_name(document, &format!("{pointer}/record_headers/{index}"), name, errors);
        }
    }
    for (id, workflow) in &file.workflows {
        check_variables(document, id.as_str(), workflow, file, errors);
    }
}

fn check_upstream(document: &Document, pointer: &str, upstream: &Upstream, errors: &mut Vec<Diagnostic>) {
    if let Some(url) = &upstream.url {
        check_url(document, &below(pointer, "url"), url, errors);
    }
    let Some(start) = &upstream.start else { return };
    check_program(document, &format!("{pointer}/start/run"), &start.run, errors);
    if let Some(ready) = start.ready.as_ref().filter(|ready| !is_path(ready)) {
        let message = format!("`{}` is no path", ready.escape_debug());
        let error = document.error(&format!("{pointer}/start/ready"), message);
        errors.push(error.with_hint("it begins with `/`, as in `/health`"));
    }
}

/// A path with which a request can be made.
pub(super) fn is_path(text: &str) -> bool {
    text.starts_with('/') && !text.contains(|c: char| c == '#' || c.is_whitespace() || c.is_control())
}

fn check_base_path(document: &Document, pointer: &str, base_path: &str, errors: &mut Vec<Diagnostic>) {
    let is_base = is_path(base_path) && !base_path.contains('?') && !base_path.ends_with('/');
    if !base_path.is_empty() && !is_base {
        let message = format!("`{}` is no path to begin with", base_path.escape_debug());
        let hint = "it begins with `/` and does not end with one, as in `/v1`";
        errors.push(document.error(pointer, message).with_hint(hint));
    }
}

fn check_names(document: &Document, pointer: &str, connector: &ConnectorSpec, errors: &mut Vec<Diagnostic>) {
    for (index, name) in connector.env.iter().enumerate() {
        let pointer = below(pointer, index);
        if !is_name(name) {
            let error = document.error(&pointer, format!("`{name}` is no name of an environment variable"));
            errors.push(error.with_hint("a name has letters, digits and `_`, and no digit first"));
        } else if name == "PATH" || name.starts_with(OWN_PREFIX) {
            let error = document.error(&pointer, format!("the variable `{name}` is taken"));
            errors.push(error.with_hint(format!("PATH and what begins with `{OWN_PREFIX}` are set otherwise")));
        } else if connector.env[..index].contains(name) {
            errors.push(document.error(&pointer, format!("`{name}` is named twice")).with_hint("keep one of the two"));
        }
    }
}

/// A variable that two connectors of one workflow, or a connector and the workflow itself, set to different values.
fn check_variables(
    document: &Document,
    id: &str,
    workflow: &WorkflowSpec,
    file: &ProjectFile,
    errors: &mut Vec<Diagnostic>,
) {
    let Some(command) = &workflow.command else { return };
    let WorkflowEnv { pass, pass_if_set, set } = &command.env;
    let own: Vec<&String> = pass.iter().chain(pass_if_set).chain(set.keys()).collect();
    let mut held: BTreeMap<&str, &str> = BTreeMap::new();
    for (connector, spec) in file.connectors.iter().filter(|(connector, _)| workflow.parts.contains(connector)) {
        for (index, name) in spec.env.iter().enumerate().filter(|(index, name)| !spec.env[..*index].contains(name)) {
            let pointer = format!("{}/env/{index}", below("/connectors", connector));
            if own.contains(&name) {
                let message = format!("the workflow `{id}` sets `{name}` itself");
                errors.push(document.error(&pointer, message).with_hint("take it out of the workflow's `env`"));
            } else if let Some(other) = held.insert(name, connector.as_str()) {
                let message = format!("for the workflow `{id}`, `{name}` already holds the address of `{other}`");
                errors.push(document.error(&pointer, message).with_hint("name another variable"));
            }
        }
    }
}

/// Checks that each connector has a manifest by which its calls can be told apart.
pub(super) fn check_references(scope: &Scope<'_>, document: &Document, errors: &mut Vec<Diagnostic>) {
    let Some(project) = scope.project else { return };
    for id in project.connectors.keys() {
        let pointer = below("/connectors", id);
        let part = scope.part_of_key(document, &pointer, id, PartKind::Connector, errors);
        let Some(part) = part else { continue };
        if let Some(Manifest::Connector(manifest)) = &part.manifest
            && wired_operations(manifest).is_empty()
        {
            let message = format!("no operation of `{id}` says how its calls look");
            let hint = format!("add `wire` to its operations in `{}`: a method and a path at least", part.path);
            errors.push(document.error_at(&pointer, Half::Key, message).with_hint(hint));
        }
    }
}

/// Connectors that are declared and of which no call is passed on, which is seldom meant.
pub(super) fn unused(file: &ProjectFile, document: &Document) -> Vec<Diagnostic> {
    let workflows = || file.workflows.values().filter(|workflow| workflow.practice.is_none());
    let unused = file.connectors.keys().filter(|id| !workflows().any(|workflow| workflow.parts.contains(id)));
    unused
        .map(|id| {
            let message = format!("no workflow has the connector `{id}`, so that no call of it is passed on");
            let warning = document.error_at(&below("/connectors", id), Half::Key, message);
            let hint = "list it under a workflow's `parts`; a practice workflow has targets of its own";
            warning.with_hint(hint).as_warning()
        })
        .collect()
}
