//! Spans of OpenTelemetry (OTLP in JSON, one document or many) as a `holdpoint.ledger/1`.
//!
//! The conventions for generative AI have no attribute for a retry, an idempotency key or the state of an effect. A span shows that a
//! tool was called: an attempt. What came of it no span says, so every operation is uncertain until someone looks at its target.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::domain::Digest;
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
    let mut brought = Brought::default();
    brought.tally.found = spans.len();
    take_out_doubled(path, &mut spans, &mut brought);
    spans.sort_by_key(|span| span.at);
    let labels = labels(&spans);
    let calls = calls(path, &spans, &mut brought);
    tell_shared_ids(path, &calls, &mut brought);
    let (mut ledger, mut cases) = (LedgerLines::default(), BTreeSet::new());
    let mut attempts: BTreeMap<String, u32> = BTreeMap::new();
    for span in calls {
        let case = reference(&span.trace);
        if cases.insert(case.clone()) {
            ledger.add(span.at, json!({"entry": "case", "case": case}));
        }
        // The id of a tool call is the model's one intention; without it each span is one.
        let own = span.call.as_ref().unwrap_or(&span.id);
        let trace = labels.get(span.trace.as_str()).map_or(span.trace.as_str(), String::as_str);
        let operation = reference(&format!("{trace}/{}/{own}", one_piece(&span.tool)));
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

/// A span that was exported twice is one attempt: what its first record says stays.
fn take_out_doubled(path: &str, spans: &mut Vec<Span>, brought: &mut Brought) {
    let (mut seen, mut doubled) = (BTreeSet::new(), Vec::new());
    spans.retain(|span| {
        let is_first = seen.insert((span.trace.clone(), span.id.clone()));
        if !is_first {
            doubled.push((span.line, span.id.clone()));
        }
        is_first
    });
    if let Some((line, id)) = doubled.first() {
        let further = match doubled.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let what = format!("the span {} once more{further}", one_line(id, 40));
        let why = "its trace has a span of this id already, so it is no attempt of its own: what the first one says was taken";
        brought.note(Kind::Changed, (path, *line), what, why);
    }
}

/// A call has one tool: what several tools did under one id stays apart, each an operation of its own.
fn tell_shared_ids(path: &str, calls: &[&Span], brought: &mut Brought) {
    let mut tools: BTreeMap<(&str, &str), BTreeMap<&str, usize>> = BTreeMap::new();
    for span in calls {
        if let Some(call) = &span.call {
            let id = (span.trace.as_str(), call.as_str());
            tools.entry(id).or_default().entry(span.tool.as_str()).or_insert(span.line);
        }
    }
    for ((trace, call), tools) in tools.into_iter().filter(|(_, tools)| tools.len() > 1) {
        let line = tools.values().copied().min().unwrap_or_default();
        let names: Vec<String> = tools.into_keys().map(|tool| one_line(tool, 40)).collect();
        let what = format!("the tool call id {} in the trace {}", one_line(call, 40), one_line(trace, 40));
        let why =
            format!("it stands at calls of several tools ({}), and each of them became an operation", names.join(", "));
        brought.note(Kind::Changed, (path, line), what, why);
    }
}

/// Digits of a trace's id that are enough for most files.
const SHORT_TRACE: usize = 16;

/// What names each trace in the ids of its operations: as few digits as keep the traces of the file apart.
fn labels(spans: &[Span]) -> BTreeMap<&str, String> {
    let traces: BTreeSet<&str> = spans.iter().map(|span| span.trace.as_str()).collect();
    let mut sharing: BTreeMap<String, usize> = BTreeMap::new();
    for trace in &traces {
        *sharing.entry(short_trace(trace)).or_default() += 1;
    }
    let label = |trace: &str| match short_trace(trace) {
        short if sharing.get(&short) == Some(&1) => short,
        _ => trace.to_owned(),
    };
    traces.into_iter().map(|trace| (trace, label(trace))).collect()
}

/// The first digits of a trace's id; of one of 64 bits, which stands behind zeros, those that are its own.
fn short_trace(trace: &str) -> String {
    let first: String = trace.chars().take(SHORT_TRACE).collect();
    let rest: String = trace.chars().skip(SHORT_TRACE).collect();
    let is_padded = first.chars().all(|c| c == '0') && rest.chars().count() == SHORT_TRACE;
    if is_padded { rest } else { first }
}

/// A tool's name as one piece of an id: a `/` in it could be taken for the end of the piece.
fn one_piece(tool: &str) -> String {
    if !tool.contains('/') {
        return tool.to_owned();
    }
    format!("{}#{}", tool.replace('/', "-"), Digest::of(tool.as_bytes()).short())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn span(trace: &str, id: &str, tool: &str, call: &str) -> Value {
        let attribute = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
        json!({
            "traceId": trace, "spanId": id, "name": tool, "startTimeUnixNano": "1772442060000000000",
            "attributes": [
                attribute("gen_ai.operation.name", "execute_tool"),
                attribute("gen_ai.tool.name", tool),
                attribute("gen_ai.tool.call.id", call),
            ],
        })
    }

    fn brought(spans: &[Value]) -> Brought {
        let document = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]});
        otel("s.json", document.to_string().as_bytes(), "t").unwrap()
    }

    /// The operations of the ledger, each with how many attempts it has.
    fn operations(brought: &Brought) -> BTreeMap<String, usize> {
        let mut found = BTreeMap::new();
        for line in brought.files[0].text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            if line["entry"] == "attempt" {
                *found.entry(line["operation"].as_str().unwrap().to_owned()).or_default() += 1;
            }
        }
        found
    }

    fn expected(operations: &[(&str, usize)]) -> BTreeMap<String, usize> {
        operations.iter().map(|(operation, attempts)| ((*operation).to_owned(), *attempts)).collect()
    }

    #[test]
    fn operations_of_different_traces_are_never_one() {
        let zeros = "0".repeat(16);
        let padded = [format!("{zeros}aaaaaaaaaaaaaaaa"), format!("{zeros}bbbbbbbbbbbbbbbb")];
        let found = brought(&[span(&padded[0], "1", "order", "call_1"), span(&padded[1], "1", "order", "call_1")]);
        let each = [("aaaaaaaaaaaaaaaa/order/call_1", 1), ("bbbbbbbbbbbbbbbb/order/call_1", 1)];
        assert_eq!((operations(&found), found.tally.brought), (expected(&each), 2));

        let alike = ["cccccccccccccccc0000000000000001", "cccccccccccccccc0000000000000002"];
        let found = brought(&[span(alike[0], "1", "order", "call_1"), span(alike[1], "2", "order", "call_1")]);
        let whole = alike.map(|trace| format!("{trace}/order/call_1"));
        assert_eq!(operations(&found), expected(&[(&whole[0], 1), (&whole[1], 1)]));

        let found = brought(&[span(alike[0], "1", "order", "call_1"), span(alike[0], "2", "order", "call_1")]);
        assert_eq!(operations(&found), expected(&[("cccccccccccccccc/order/call_1", 2)]), "a call tried again");
    }

    #[test]
    fn a_tool_and_a_call_never_make_the_id_of_another_pair() {
        let found = brought(&[span("t", "1", "a/b", "c"), span("t", "2", "a", "b/c")]);
        assert_eq!(operations(&found).len(), 2);
    }

    #[test]
    fn one_call_id_with_several_tools_is_an_operation_for_each_and_is_told() {
        let found = brought(&[
            span("t", "1", "order", "call_1"),
            span("t", "2", "cancel", "call_1"),
            span("t", "3", "order", "call_1"),
            span("u", "4", "refund", "call_1"),
        ]);
        let each = [("t/cancel/call_1", 1), ("t/order/call_1", 2), ("u/refund/call_1", 1)];
        assert_eq!(operations(&found), expected(&each));
        let told: Vec<_> = found.notes.iter().filter(|note| note.what.starts_with("the tool call id")).collect();
        let [note] = &told[..] else { panic!("{told:?}") };
        assert_eq!(note.what, "the tool call id call_1 in the trace t");
        assert!(note.kind == Kind::Changed && note.why.contains("several tools (cancel, order)"), "{}", note.why);
    }

    #[test]
    fn a_span_that_stands_there_twice_is_one_attempt_and_is_told() {
        let once = brought(&[span("t", "1", "order", "call_1")]);
        assert!(!once.notes.iter().any(|note| note.what.starts_with("the span")), "{:?}", once.notes);
        let twice = brought(&[span("t", "1", "order", "call_1"), span("t", "1", "order", "call_1")]);
        assert_eq!(operations(&twice), expected(&[("t/order/call_1", 1)]));
        assert_eq!(twice.tally.found, 2);
        let note = twice.notes.iter().find(|note| note.what == "the span 1 once more").unwrap();
        assert_eq!((note.kind, note.place().as_str()), (Kind::Changed, "s.json:1"));
    }
}
