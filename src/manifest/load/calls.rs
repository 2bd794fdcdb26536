//! The calls that expectations name: they exist, and somebody sees them.

use crate::domain::PartId;
use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::expectation::{Expectation, PermittedCalls};
use crate::manifest::node::{Half, below};
use crate::manifest::part::{CallName, Manifest, PartKind};
use crate::manifest::project_file::{ProjectFile, WorkflowSpec};
use crate::manifest::suggest::hint_for;
use crate::manifest::yaml::Document;

use super::expectations::behaviour::meant;
use super::references::{Scope, check_call};

/// Checks the calls that an expectation of calls is about.
pub(super) fn check(
    scope: &Scope<'_>,
    workflow: Option<&WorkflowSpec>,
    expectation: &Expectation,
    document: &Document,
    pointer: &str,
    errors: &mut Vec<Diagnostic>,
) {
    for (place, call) in named(expectation) {
        let place = format!("{pointer}{place}");
        let known = errors.len();
        check_call(scope, document, &place, call, errors);
        if errors.len() == known
            && let Some((connector, _)) = call.parts()
            && let (Some(project), Some(workflow)) = (scope.project, workflow)
        {
            check_seen(project, workflow, &PartId::new(connector), document, &place, errors);
        }
    }
    if let Some(permitted) = &expectation.permitted_calls {
        check_permitted(scope, workflow, permitted, document, &below(pointer, "permitted_calls"), errors);
    }
    if let (Some(key), Some(project), Some(workflow)) = (key_of(expectation), scope.project, workflow) {
        check_anything_seen(project, workflow, key, document, &below(pointer, key), errors);
    }
}

/// The calls that an expectation names, with their places below it.
fn named(expectation: &Expectation) -> Vec<(String, &CallName)> {
    let mut named: Vec<(String, &CallName)> = Vec::new();
    for (key, _, call) in meant(expectation) {
        named.extend(call.map(|call| (format!("/{key}/call"), call)));
    }
    for (index, pair) in expectation.order.iter().flatten().enumerate() {
        named.push((format!("/order/{index}/call"), &pair.call));
        named.push((format!("/order/{index}/before"), &pair.before));
    }
    if let Some(depends) = &expectation.depends {
        named.push(("/depends/call".to_owned(), &depends.call));
        named.push(("/depends/on".to_owned(), &depends.on));
    }
    named
}

/// The calls to the connector are seen by the runner.
fn check_seen(
    project: &ProjectFile,
    workflow: &WorkflowSpec,
    connector: &PartId,
    document: &Document,
    pointer: &str,
    errors: &mut Vec<Diagnostic>,
) {
    if !workflow.parts.contains(connector) {
        let message = format!("the case's workflow does not use the connector `{connector}`");
        let hint = "list it under the workflow's `parts` in holdpoint.yaml";
        errors.push(document.error(pointer, message).with_hint(hint));
    } else if workflow.practice.is_none() && !project.connectors.contains_key(connector) {
        let message = format!("nobody sees the calls to the connector `{connector}`");
        let hint = "name it under `connectors` in holdpoint.yaml, so that its calls are passed on";
        errors.push(document.error(pointer, message).with_hint(hint));
    }
}

/// Expectations that need the calls as they were on the wire; a practice workflow shows its attempts alone.
const ON_THE_WIRE: [&str; 4] = ["backoff", "retry_after", "parameters", "retry_layers"];

fn key_of(expectation: &Expectation) -> Option<&'static str> {
    let keys = [
        ("attempts", expectation.attempts.is_some()),
        ("backoff", expectation.backoff.is_some()),
        ("retry_after", expectation.retry_after.is_some()),
        ("no_retry", expectation.no_retry.is_some()),
        ("identity", expectation.identity.is_some()),
        ("parameters", expectation.parameters.is_some()),
        ("order", expectation.order.is_some()),
        ("depends", expectation.depends.is_some()),
        ("permitted_calls", expectation.permitted_calls.is_some()),
        ("retry_layers", expectation.retry_layers.is_some()),
        ("contract", expectation.contract.is_some()),
    ];
    keys.into_iter().find(|(_, is_given)| *is_given).map(|(key, _)| key)
}

fn check_anything_seen(
    project: &ProjectFile,
    workflow: &WorkflowSpec,
    key: &str,
    document: &Document,
    pointer: &str,
    errors: &mut Vec<Diagnostic>,
) {
    if workflow.practice.is_some() {
        if ON_THE_WIRE.contains(&key) {
            let message =
                format!("`{key}` needs the calls themselves, and a practice workflow shows only its attempts");
            let error = document.error_at(pointer, Half::Key, message);
            errors.push(error.with_hint("take the expectation out, or run the case against another workflow"));
        }
    } else if !workflow.parts.iter().any(|part| project.connectors.contains_key(part)) {
        let message = format!("`{key}` is about calls, and nobody sees those of the case's workflow");
        let error = document.error_at(pointer, Half::Key, message);
        errors.push(error.with_hint("name its connectors under `connectors` in holdpoint.yaml"));
    }
}

fn check_permitted(
    scope: &Scope<'_>,
    workflow: Option<&WorkflowSpec>,
    permitted: &PermittedCalls,
    document: &Document,
    pointer: &str,
    errors: &mut Vec<Diagnostic>,
) {
    let is_permissions =
        |id: &&PartId| scope.parts.get(id.as_str()).is_some_and(|part| part.kind == Some(PartKind::Permissions));
    let found = match &permitted.by {
        Some(id) => scope.part(document, &below(pointer, "by"), id, Some(PartKind::Permissions), errors),
        None => {
            let Some(workflow) = workflow else { return };
            let of_workflow: Vec<&PartId> = workflow.parts.iter().filter(is_permissions).collect();
            match of_workflow[..] {
                [only] => scope.parts.get(only.as_str()).copied(),
                _ => {
                    let message = match of_workflow.len() {
                        0 => "the case's workflow has no permissions manifest".to_owned(),
                        many => format!("the case's workflow has {many} permissions manifests"),
                    };
                    errors.push(document.error_at(pointer, Half::Key, message).with_hint("name one under `by`"));
                    None
                }
            }
        }
    };
    let Some(Manifest::Permissions(manifest)) = found.and_then(|part| part.manifest.as_ref()) else { return };
    if manifest.actions.values().all(|action| action.calls.is_empty()) {
        let message = format!("no action of `{}` says which calls it consists of", manifest.id);
        let error = document.error_at(pointer, Half::Key, message);
        errors.push(error.with_hint("list them there under the action's `calls`, as `connector/operation`"));
    }
    if let Some(actor) = permitted.actor.as_ref().filter(|actor| !manifest.actors.contains_key(*actor)) {
        let names: Vec<&str> = manifest.actors.keys().map(String::as_str).collect();
        let message = format!("`{}` has no actor `{}`", manifest.id, actor.escape_debug());
        let error = document.error(&below(pointer, "actor"), message);
        errors.push(error.with_hint(hint_for(actor, &names, "actors")));
    }
}
