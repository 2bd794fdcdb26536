//! Spans of OpenTelemetry (OTLP in JSON, one document or many) as a `holdpoint.ledger/1`.
//!
//! The conventions for generative AI have no attribute for a retry, an idempotency key or the state of an effect. A span shows that a
//! tool was called: an attempt. What came of it no span says, so every operation is uncertain until someone looks at its target.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::manifest::Diagnostic;

use super::brought::{Brought, Kind};
use super::case_draft::one_line;
use super::json_line::json_words;
use super::ledger_lines::{LedgerLines, reference};
use super::reading::{error_at, text};

/// A span, as far as it is read.
struct Span {
    line: usize,
    at: Timestamp,
    trace: String,
    id: String,
    parent: String,
    kind: String,
    tool: String,
    call: Option<String>,
    is_error: bool,
    error: String,
    service: String,
}

/// Brings spans. `target` is the path of the file that is written.
///
/// # Errors
/// When the file is no JSON, or a span has no trace, no id or no time.
pub fn otel(path: &str, bytes: &[u8], target: &str) -> Result<Brought, Vec<Diagnostic>> {
    let mut spans = spans(path, bytes)?;
    spans.sort_by_key(|span| span.at);
    let mut brought = Brought::default();
    brought.tally.found = spans.len();
    let calls = calls(path, &spans, &mut brought);
    let (mut ledger, mut cases) = (LedgerLines::default(), BTreeSet::new());
    let mut attempts: BTreeMap<String, u32> = BTreeMap::new();
    for span in calls {
        let case = reference(&span.trace);
        if cases.insert(case.clone()) {
            ledger.add(span.at, json!({"entry": "case", "case": case}));
        }
        // The id of a tool call is the model's one intention; without it each span is one.
        let own = span.call.as_ref().unwrap_or(&span.id);
        let trace: String = span.trace.chars().take(16).collect();
        let operation = reference(&format!("{trace}/{}/{own}", span.tool));
        let number = attempts.entry(operation.clone()).or_default();
        *number += 1;
        if *number == 1 {
            let action = reference(&span.tool);
            ledger.add(span.at, json!({"entry": "operation", "operation": operation, "case": case, "action": action}));
        }
        let mut attempt =
            json!({"entry": "attempt", "operation": operation, "number": *number, "answered": "not_recorded"});
        if span.is_error {
            attempt["answered"] = json!("error");
            attempt["fault"] = json!(reference(&span.error));
        }
        ledger.add(span.at, attempt);
    }
    brought.tally.brought = attempts.len();
    let service = spans.iter().map(|span| span.service.as_str()).find(|name| !name.is_empty()).unwrap_or("imported");
    let text = ledger.text(service);
    if !text.is_empty() {
        let why = "a span says that a tool was called and nothing of what its target shows: each is uncertain until someone looks (`look`)";
        brought.note(Kind::Changed, (path, 0), "every operation", why);
        brought.file(target, text);
    }
    Ok(brought.finish())
}

/// The spans that are calls of a tool. A client's span inside of one is the same attempt, and no second one.
fn calls<'a>(path: &str, spans: &'a [Span], brought: &mut Brought) -> Vec<&'a Span> {
    let is_tool = |span: &&Span| span.kind == "execute_tool";
    let tools: BTreeSet<(&str, &str)> =
        spans.iter().filter(is_tool).map(|span| (span.trace.as_str(), span.id.as_str())).collect();
    let mut calls = Vec::new();
    for span in spans {
        let is_inside = tools.contains(&(span.trace.as_str(), span.parent.as_str()));
        match span.kind.as_str() {
            "execute_tool" => calls.push(span),
            "tools/call" if !is_inside => calls.push(span),
            "tools/call" => {
                brought.unread(path, span.line, "a span of tools/call inside of execute_tool: the same attempt");
            }
            "" => brought.unread(path, span.line, "a span of another kind"),
            other => brought.unread(path, span.line, &format!("a span of {other}")),
        }
    }
    calls
}

fn spans(path: &str, bytes: &[u8]) -> Result<Vec<Span>, Vec<Diagnostic>> {
    let hint = "export spans as OTLP in JSON: `resourceSpans`";
    let text = text(path, bytes).map_err(|error| vec![error])?;
    let line_at =
        |offset: usize| 1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count();
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    let mut documents = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    loop {
        let start = documents.byte_offset();
        // White space before a document is not its own.
        let line = line_at(start + (text.len() - start).min(text[start..].len() - text[start..].trim_start().len()));
        match documents.next() {
            None => break,
            Some(Err(error)) => {
                errors.push(error_at(path, error.line(), json_words(&error), hint));
                break;
            }
            Some(Ok(document)) => match document.get("resourceSpans").and_then(Value::as_array) {
                None => errors.push(error_at(path, line, "the document has no `resourceSpans`", hint)),
                Some(resources) => {
                    for (span, service) in resources.iter().flat_map(spans_of) {
                        match read(span, service, line) {
                            Ok(span) => found.push(span),
                            Err(message) => errors.push(error_at(path, line, message, hint)),
                        }
                    }
                }
            },
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

/// The spans of one resource, each with the service's name.
fn spans_of(resource: &Value) -> Vec<(&Value, String)> {
    let service = resource.get("resource").and_then(|resource| attribute(resource, "service.name")).unwrap_or_default();
    let scopes = resource.get("scopeSpans").and_then(Value::as_array).into_iter().flatten();
    let spans = scopes.flat_map(|scope| scope.get("spans").and_then(Value::as_array).into_iter().flatten());
    spans.map(|span| (span, service.clone())).collect()
}

fn read(span: &Value, service: String, line: usize) -> Result<Span, String> {
    let text = |key: &str| span.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (trace, id) = (text("traceId"), text("spanId"));
    if trace.is_empty() || id.is_empty() {
        return Err("a span has no `traceId` or no `spanId`".to_owned());
    }
    let nanos = match span.get("startTimeUnixNano") {
        Some(Value::String(text)) => text.parse::<i128>().ok(),
        Some(Value::Number(number)) => number.as_u64().map(i128::from),
        _ => None,
    };
    let at = nanos.and_then(|nanos| Timestamp::from_nanosecond(nanos).ok());
    let at = at.ok_or_else(|| format!("the span {} has no `startTimeUnixNano` that is a time", one_line(&id, 40)))?;
    let kind =
        attribute(span, "gen_ai.operation.name").or_else(|| attribute(span, "mcp.method.name")).unwrap_or_default();
    let code = span.pointer("/status/code");
    let error = attribute(span, "error.type");
    Ok(Span {
        line,
        at,
        trace,
        id,
        parent: text("parentSpanId"),
        kind: one_line(&kind, 60),
        tool: attribute(span, "gen_ai.tool.name").filter(|name| !name.is_empty()).unwrap_or_else(|| text("name")),
        call: attribute(span, "gen_ai.tool.call.id").or_else(|| attribute(span, "jsonrpc.request.id")),
        is_error: code == Some(&json!(2)) || code == Some(&json!("STATUS_CODE_ERROR")) || error.is_some(),
        error: error.unwrap_or_else(|| "error".to_owned()),
        service,
    })
}

/// An attribute's value as a text.
fn attribute(holder: &Value, key: &str) -> Option<String> {
    let attributes = holder.get("attributes")?.as_array()?;
    let value = attributes.iter().find(|one| one.get("key").and_then(Value::as_str) == Some(key))?.get("value")?;
    let value = value.as_object()?.values().next()?;
    Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}
