//! Probes: that each asks one thing, of something that exists, and comes to an end.

use crate::manifest::compile::compile_json_path;
use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::node::{Half, below};
use crate::manifest::part::{CallName, Effect, Manifest, Operation};
use crate::manifest::project_file::{EqualReadings, HttpProbe, Probe, ProjectFile, Settle, SqlProbe};
use crate::manifest::suggest::{hint_for, list_of};
use crate::manifest::yaml::Document;

use super::connectors::is_path;
use super::paths;
use super::project_file::{check_program, check_url_or};
use super::references::{Scope, check_call};
use super::wires::{check_header_name, pointer_fault};

/// Checks what can be told from the project file alone.
pub(super) fn check_alone(file: &ProjectFile, document: &Document, errors: &mut Vec<Diagnostic>) {
    for (name, probe) in &file.probes {
        let pointer = below("/probes", name);
        check_kind(document, &pointer, probe, file, errors);
        check_evidence(document, &pointer, probe, errors);
        check_settle(document, &below(&pointer, "settle"), name, &probe.settle, file, errors);
        if let Some(workflow) = probe.workflow.as_ref().filter(|named| !file.workflows.contains_key(*named)) {
            let names: Vec<&str> = file.workflows.keys().map(|name| name.as_str()).collect();
            let hint = hint_for(workflow.as_str(), &names, "workflows");
            let message = format!("there is no workflow `{workflow}`");
            errors.push(document.error(&below(&pointer, "workflow"), message).with_hint(hint));
        }
    }
}

fn check_kind(document: &Document, pointer: &str, probe: &Probe, file: &ProjectFile, errors: &mut Vec<Diagnostic>) {
    let kinds = [
        ("sql", probe.sql.is_some()),
        ("http", probe.http.is_some()),
        ("command", probe.command.is_some()),
        ("file", probe.file.is_some()),
    ];
    let given: Vec<&str> = kinds.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    match given.as_slice() {
        [_] => {}
        [] => {
            let hint = "write one of `sql`, `http`, `command` and `file`, with what it asks below it";
            errors.push(document.error(pointer, "the probe asks nothing").with_hint(hint));
        }
        [_, second, ..] => {
            let message = format!("a probe asks one thing, and this one asks {}", list_of(&given, "and"));
            let error = document.error_at(&below(pointer, second), Half::Key, message);
            errors.push(error.with_hint("make a probe of each"));
        }
    }
    if let Some(sql) = &probe.sql {
        check_sql(document, &below(pointer, "sql"), sql, errors);
    }
    if let Some(http) = &probe.http {
        check_http(document, &below(pointer, "http"), http, file, errors);
    }
    if let Some(command) = &probe.command {
        check_program(document, &format!("{pointer}/command/run"), &command.run, errors);
    }
    if let Some(probed) = &probe.file
        && let Err(fault) = paths::check_form(&probed.path)
    {
        let hint = "the file lies in the trial's state directory";
        errors.push(document.error(&format!("{pointer}/file/path"), fault.message).with_hint(hint));
    }
}

fn check_sql(document: &Document, pointer: &str, sql: &SqlProbe, errors: &mut Vec<Diagnostic>) {
    if let Err(fault) = paths::check_form(&sql.database) {
        let hint = "the database lies in the trial's state directory";
        errors.push(document.error(&below(pointer, "database"), fault.message).with_hint(hint));
    }
    if sql.query.trim().is_empty() {
        errors.push(document.error(&below(pointer, "query"), "the query is empty").with_hint("write one SELECT"));
    }
}

fn check_http(document: &Document, pointer: &str, http: &HttpProbe, file: &ProjectFile, errors: &mut Vec<Diagnostic>) {
    let place = below(pointer, "path");
    match &http.connector {
        None => {
            let hint = "write the whole address; or name the `connector` below whose address `path` lies";
            check_url_or(document, &place, &http.path, hint, errors);
        }
        Some(connector) => {
            if !file.connectors.contains_key(connector) {
                let names: Vec<&str> = file.connectors.keys().map(|id| id.as_str()).collect();
                let message = format!("`connectors` declares no `{connector}`");
                let error = document.error(&below(pointer, "connector"), message);
                errors.push(error.with_hint(hint_for(connector.as_str(), &names, "connectors")));
            }
            if !is_path(&http.path) && !http.path.starts_with("${") {
                let message = format!("`{}` is no path below the connector's address", http.path.escape_debug());
                errors.push(document.error(&place, message).with_hint(
                    "it begins with `/`, as in `/orders?limit=100`; without `connector`, it is a whole address",
                ));
            }
        }
    }
    if let Err(reason) = compile_json_path(&http.effects) {
        let error = document.error(&below(pointer, "effects"), format!("`{}` is no JSONPath: {reason}", http.effects));
        errors.push(error.with_hint("as in `$.orders[*]` (RFC 9535)"));
    }
    for name in http.headers.keys() {
        check_header_name(document, &below(&below(pointer, "headers"), name), name, errors);
    }
}

/// What makes a probe's effects evidence.
fn check_evidence(document: &Document, pointer: &str, probe: &Probe, errors: &mut Vec<Diagnostic>) {
    let fields = [("of", probe.of.is_some()), ("receipt", probe.receipt.is_some())];
    for (field, _) in fields.iter().filter(|(_, given)| *given && probe.operation.is_none()) {
        let message = format!("`{field}` needs `operation`: the field of an effect that says whose it is");
        let error = document.error_at(&below(pointer, field), Half::Key, message);
        errors.push(error.with_hint("without it the effects are evidence for nothing"));
    }
    if !probe.parameters.is_empty() && probe.of.is_none() {
        let message = "`parameters` needs `of`: the connector's operation whose requests say what was asked for";
        let error = document.error_at(&below(pointer, "parameters"), Half::Key, message);
        errors.push(error.with_hint("as in `of: inventory/reserve`"));
    }
    for (field, at) in &probe.parameters {
        if let Some(fault) = pointer_fault(at) {
            let pointer = below(&below(pointer, "parameters"), field);
            errors.push(document.error(&pointer, fault.message).with_hint(fault.hint));
        }
    }
}

fn check_settle(
    document: &Document,
    pointer: &str,
    name: &str,
    settle: &Settle,
    file: &ProjectFile,
    errors: &mut Vec<Diagnostic>,
) {
    let until = settle.until_empty.as_ref().map(|rule| ("until_empty/probe", &rule.probe));
    let confirmed = settle.confirmed_by.as_ref().map(|second| ("confirmed_by", second));
    for (field, other) in until.into_iter().chain(confirmed) {
        let pointer = format!("{pointer}/{field}");
        let Some(probe) = file.probes.get(other) else {
            let names: Vec<&str> = file.probes.keys().map(String::as_str).collect();
            let message = format!("there is no probe `{}`", other.escape_debug());
            errors.push(document.error(&pointer, message).with_hint(hint_for(other, &names, "probes")));
            continue;
        };
        if leads_back(name, other, file) {
            let message = format!("the look by `{name}` waits for one that waits for it");
            errors.push(document.error(&pointer, message).with_hint("a rule leads to a probe that settles by itself"));
        } else if field == "confirmed_by" && !probe.authoritative {
            let message = format!("the probe `{other}` is not authoritative, and so confirms nothing");
            errors.push(document.error(&pointer, message).with_hint("name one of the system of record"));
        }
    }
    if let Some(EqualReadings { count, every_s, within_s }) = &settle.equal_readings {
        let needed = f64::from(count.saturating_sub(1)) * every_s;
        if needed > *within_s {
            let message =
                format!("{count} readings, {every_s} s apart, take {needed} s, and it waits for {within_s} s");
            let error = document.error(&format!("{pointer}/equal_readings/within_s"), message);
            errors.push(error.with_hint("wait longer, or read fewer times"));
        }
    }
}

/// Whether the rules lead from the probe `from` back to `name`.
fn leads_back(name: &str, from: &str, file: &ProjectFile) -> bool {
    let next = |at: &&str| {
        let settle = &file.probes.get(*at)?.settle;
        settle.until_empty.as_ref().map(|rule| rule.probe.as_str()).or(settle.confirmed_by.as_deref())
    };
    std::iter::successors(Some(from), next).take(file.probes.len() + 1).any(|at| at == name)
}

/// Checks that `of` leads to an operation whose effects can be told from each other.
pub(super) fn check_references(scope: &Scope<'_>, document: &Document, errors: &mut Vec<Diagnostic>) {
    let Some(project) = scope.project else { return };
    for (name, probe) in &project.probes {
        let Some(of) = &probe.of else { continue };
        let pointer = below(&below("/probes", name), "of");
        let call = CallName::new(of.as_str());
        let before = errors.len();
        check_call(scope, document, &pointer, &call, errors);
        let parts = call.parts().filter(|_| errors.len() == before);
        let Some((connector, operation)) = parts else { continue };
        let Some(part) = scope.parts.get(connector) else { continue };
        let Some(Manifest::Connector(manifest)) = &part.manifest else { continue };
        let Some(contract) = manifest.operations.get(operation) else { continue };
        let is_passed_on = project.connectors.keys().any(|id| id.as_str() == connector);
        if let Some((message, hint)) = no_evidence(contract, of, &part.path, is_passed_on, probe) {
            errors.push(document.error(&pointer, message).with_hint(hint));
        }
    }
}

/// Why a probe of this operation could never show anything of it.
fn no_evidence(
    contract: &Operation,
    of: &str,
    path: &str,
    is_passed_on: bool,
    probe: &Probe,
) -> Option<(String, String)> {
    let states_identity = contract.wire.as_ref().is_some_and(|wire| wire.intention.is_some());
    let answers_first = contract.processing.is_some_and(|processing| processing.accepts_first);
    if contract.effect == Effect::None {
        let message = format!("`{of}` only reads, and makes no effect that a probe could find");
        Some((message, "name the operation that makes what the probe finds".to_owned()))
    } else if is_passed_on && !states_identity {
        let message = format!("no request of `{of}` says which effect it asks for");
        Some((message, format!("say in `{path}` under its `wire` where the `intention` stands")))
    } else if answers_first && probe.settle == Settle::default() {
        let message = format!("`{of}` answers before its effect exists, and a look at once would show nothing of it");
        Some((message, "say under `settle` when the look is worth something".to_owned()))
    } else {
        None
    }
}
