//! The faults of a case: that something can do them, and that nothing is said of them which does not concern them.

use crate::domain::PartId;
use crate::manifest::case_file::{FaultName, FaultSpec, Withheld};
use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::node::{Half, below};
use crate::manifest::part::{Manifest, PartKind};
use crate::manifest::project_file::WorkflowSpec;
use crate::manifest::suggest::list_of;
use crate::manifest::yaml::Document;

use super::references::{Scope, check_operation};
use super::wires::pointer_fault;

/// Stands for every operation of a connector.
const EVERY_OPERATION: &str = "*";

/// Checks what can be told of faults from the case alone.
pub(super) fn check_alone(document: &Document, faults: &[FaultSpec], errors: &mut Vec<Diagnostic>) {
    for (index, fault) in faults.iter().enumerate() {
        let pointer = below("/faults", index);
        if fault.through.is_some_and(|through| through < fault.attempt) {
            let error = document.error(&below(&pointer, "through"), "the last attempt lies before the first one");
            errors
                .push(error.with_hint("`through` is the last attempt on which the fault falls, counted as `attempt`"));
        }
        let last = |fault: &FaultSpec| fault.through.unwrap_or(fault.attempt);
        let meets = |other: &&FaultSpec| {
            other.connector == fault.connector
                && other.operation == fault.operation
                && other.attempt <= last(fault)
                && fault.attempt <= last(other)
        };
        if let Some(other) = faults[..index].iter().find(meets) {
            let attempt = fault.attempt.max(other.attempt);
            let message = format!("attempt {attempt} at `{}` already has a fault", fault.operation);
            errors.push(document.error(&pointer, message).with_hint("one attempt can fail in one way"));
        }
        if fault.seconds == Some(0.0) && waits(fault) {
            let error = document.error(&below(&pointer, "seconds"), "a wait of no time changes nothing");
            errors.push(error.with_hint("give it more than 0 seconds, or leave `seconds` out for its default"));
        }
        if fault.text.as_deref() == Some("") {
            let error = document.error(&below(&pointer, "text"), "an empty text changes nothing");
            errors.push(error.with_hint("say what the answer is to say besides"));
        }
        if let Some(reason) = fault.pointer.as_deref().and_then(pointer_fault) {
            errors.push(document.error(&below(&pointer, "pointer"), reason.message).with_hint(reason.hint));
        }
    }
}

/// Whether the seconds of a fault are all that it does.
fn waits(fault: &FaultSpec) -> bool {
    matches!(fault.fault, FaultName::Delay | FaultName::Stall | FaultName::OutOfOrder)
}

/// Checks one fault against the workflow and the connector that it falls on.
pub(super) fn check(
    scope: &Scope<'_>,
    workflow: Option<&WorkflowSpec>,
    fault: &FaultSpec,
    document: &Document,
    pointer: &str,
    errors: &mut Vec<Diagnostic>,
) {
    let place = below(pointer, "connector");
    let connector = scope.part(document, &place, &fault.connector, Some(PartKind::Connector), errors);
    if let Some(workflow) = workflow {
        if connector.is_some() && !workflow.parts.contains(&fault.connector) {
            let message = format!("the case's workflow does not use the connector `{}`", fault.connector);
            let hint = "list it under the workflow's `parts` in holdpoint.yaml";
            errors.push(document.error(&place, message).with_hint(hint));
        } else if workflow.practice.is_some() {
            check_name(document, pointer, fault, Doer::Practice, errors);
        } else if is_declared(scope, &fault.connector) {
            check_name(document, pointer, fault, Doer::Proxy, errors);
        } else if connector.is_some() {
            let message = format!("nothing stands between this workflow and the connector `{}`", fault.connector);
            let hint = "declare it under `connectors` in holdpoint.yaml, so that its calls are passed on";
            errors.push(document.error(&place, message).with_hint(hint));
        }
    }
    let Some(connector) = connector else { return };
    let is_practice = workflow.is_some_and(|workflow| workflow.practice.is_some());
    if fault.operation == EVERY_OPERATION && !is_practice {
        return;
    }
    let place = below(pointer, "operation");
    check_operation(document, &place, connector, &fault.operation, errors);
    if let Some(Manifest::Connector(manifest)) = &connector.manifest
        && !is_practice
        && manifest.operations.get(&fault.operation).is_some_and(|operation| operation.wire.is_none())
    {
        let message = format!("nothing tells the calls of `{}` from others", fault.operation);
        let hint = format!("say in `{}` under `wire` how they look, or use `*` for any operation", connector.path);
        errors.push(document.error(&place, message).with_hint(hint));
    }
}

fn is_declared(scope: &Scope<'_>, connector: &PartId) -> bool {
    scope.project.is_some_and(|project| project.connectors.contains_key(connector))
}

/// Who does a fault.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doer {
    /// A practice workflow's own targets.
    Practice,
    /// The server between the workflow and its target.
    Proxy,
}

impl Doer {
    fn can(self, fault: FaultName) -> bool {
        match self {
            Self::Practice => fault.is_known_to_practice(),
            Self::Proxy => fault != FaultName::FailBeforeCommit,
        }
    }
}

fn check_name(document: &Document, pointer: &str, fault: &FaultSpec, doer: Doer, errors: &mut Vec<Diagnostic>) {
    let name = fault.fault.name();
    if !doer.can(fault.fault) {
        let known: Vec<&str> =
            FaultName::ALL.into_iter().filter(|fault| doer.can(*fault)).map(FaultName::name).collect();
        let message = match doer {
            Doer::Practice => format!("the practice workflows do not know `{name}`"),
            Doer::Proxy => format!("only a target itself can do `{name}`, and only the practice workflows' targets do"),
        };
        let error = document.error(&below(pointer, "fault"), message);
        errors.push(error.with_hint(format!("here can be: {}", list_of(&known, "and"))));
        return;
    }
    for (field, given, concerns) in fields(fault, doer) {
        if given && !concerns {
            let message = format!("`{field}` does not concern the fault `{name}`");
            let error = document.error_at(&below(pointer, field), Half::Key, message);
            errors.push(error.with_hint("take it out: it would change nothing"));
        }
    }
    for (field, given) in needed(fault) {
        if !given {
            let error = document.error(pointer, format!("the fault `{name}` needs `{field}`"));
            errors.push(error.with_hint(format!("`holdpoint schema case` says what `{field}` is")));
        }
    }
}

/// The fields of a fault: each with its name, whether it is given, and whether it concerns a fault of this name.
fn fields(fault: &FaultSpec, doer: Doer) -> [(&'static str, bool, bool); 8] {
    use FaultName::{
        Delay, DropBefore, ErrorAfterCommit, InjectText, LateCommit, LostAck, LostRequest, OutOfOrder, RateLimited,
        ReplaceBody, Stall, Status, TruncateAbrupt, TruncateClean, Unavailable,
    };
    let name = fault.fault;
    let on_the_way = doer == Doer::Proxy;
    let answers_status =
        matches!(name, Status | Unavailable | RateLimited | ErrorAfterCommit) || fault.by == Some(Withheld::Status);
    let is_withheld = matches!(name, DropBefore | LostRequest | LostAck | LateCommit);
    let takes_time = matches!(name, LateCommit | Delay | Unavailable | RateLimited)
        || (on_the_way && matches!(name, Stall | OutOfOrder | Status))
        || (on_the_way && fault.by == Some(Withheld::Timeout));
    [
        ("seconds", fault.seconds.is_some(), takes_time),
        ("through", fault.through.is_some(), on_the_way),
        ("by", fault.by.is_some(), on_the_way && is_withheld),
        ("status", fault.status.is_some(), on_the_way && answers_status),
        ("body", fault.body.is_some(), on_the_way && (answers_status || name == ReplaceBody)),
        ("pointer", fault.pointer.is_some(), name == InjectText),
        ("text", fault.text.is_some(), name == InjectText),
        ("keep_bytes", fault.keep_bytes.is_some(), matches!(name, TruncateClean | TruncateAbrupt | Stall)),
    ]
}

/// The fields without which a fault says too little, each with whether it is given.
fn needed(fault: &FaultSpec) -> Vec<(&'static str, bool)> {
    match fault.fault {
        FaultName::InjectText => vec![("pointer", fault.pointer.is_some()), ("text", fault.text.is_some())],
        FaultName::ReplaceBody => vec![("body", fault.body.is_some())],
        FaultName::Status => vec![("status", fault.status.is_some())],
        _ => Vec::new(),
    }
}
