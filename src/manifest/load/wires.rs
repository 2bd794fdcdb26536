//! How a connector's calls look on the wire, checked in its manifest alone.

use std::collections::BTreeMap;

use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::node::{Half, below};
use crate::manifest::part::{ConnectorManifest, Place, Wire};
use crate::manifest::suggest::{list_of, nearest};
use crate::manifest::yaml::Document;

/// Checks the `wire` of every operation, and that each can be told from the others.
pub(super) fn check(connector: &ConnectorManifest, document: &Document, errors: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for (name, operation) in &connector.operations {
        let Some(wire) = &operation.wire else { continue };
        let pointer = below(&below("/operations", name), "wire");
        let before = errors.len();
        check_wire(document, &pointer, wire, errors);
        if errors.len() > before {
            continue;
        }
        let same = format!("{} {}", wire.method, shape(&wire.path));
        if let Some(other) = seen.insert(same, name) {
            let message =
                format!("the calls of `{name}` look like those of `{other}`: the same method and the same path");
            let hint = "give them different paths, or describe both as one operation";
            errors.push(document.error(&below(&pointer, "path"), message).with_hint(hint));
        }
    }
}

fn check_wire(document: &Document, pointer: &str, wire: &Wire, errors: &mut Vec<Diagnostic>) {
    if wire.method.is_empty() || !wire.method.bytes().all(|byte| byte.is_ascii_uppercase()) {
        let message = format!("`{}` is no method", wire.method.escape_debug());
        errors.push(document.error(&below(pointer, "method"), message).with_hint("write it in capitals, as in `POST`"));
    }
    let names = match segment_names(&wire.path) {
        Ok(names) => names,
        Err(reason) => {
            let error = document.error(&below(pointer, "path"), reason);
            errors.push(error.with_hint("as in `/orders/{order}/lines`, or `/files/**` with a rest"));
            return;
        }
    };
    for (field, place) in [("intention", &wire.intention), ("key", &wire.key)] {
        if let Some(place) = place {
            check_place(document, &below(pointer, field), place, &names, errors);
        }
    }
    if let Some(fault) = wire.receipt.as_deref().and_then(pointer_fault) {
        errors.push(document.error(&below(pointer, "receipt"), fault.message).with_hint(fault.hint));
    }
    for (index, status) in wire.refused.iter().enumerate().filter(|(_, status)| !(300..600).contains(*status)) {
        let error =
            document.error(&format!("{pointer}/refused/{index}"), format!("{status} is no status of a refusal"));
        errors.push(error.with_hint("a refusal has a status from 400 on"));
    }
    if let Some(status) = wire.in_flight.filter(|status| wire.refused.contains(status)) {
        let message = format!("{status} cannot both refuse and say that the first request still runs");
        let hint = "leave it out of `refused`: a request that still runs may leave something behind";
        errors.push(document.error(&below(pointer, "in_flight"), message).with_hint(hint));
    }
}

/// The names of a path's segments.
fn segment_names(path: &str) -> Result<Vec<&str>, String> {
    let shown = path.escape_debug();
    let Some(rest) = path.strip_prefix('/') else { return Err(format!("the path `{shown}` does not begin with `/`")) };
    if path.contains(['?', '#']) || path.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(format!("the path `{shown}` holds a character that no path has; the query takes no part"));
    }
    let segments: Vec<&str> = rest.split('/').collect();
    let mut names: Vec<&str> = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        let is_last = index + 1 == segments.len();
        let name = segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}'));
        match name {
            Some(name) if name.is_empty() || name.contains(['{', '}']) => {
                return Err(format!("the segment `{segment}` has no name"));
            }
            Some(name) if names.contains(&name) => return Err(format!("two segments have the name `{name}`")),
            Some(name) => names.push(name),
            None if *segment == "**" && !is_last => return Err("`**` can only stand at the end of a path".to_owned()),
            None if segment.contains(['{', '}']) => {
                return Err(format!("`{segment}` is partly a name: braces stand around a whole segment"));
            }
            None if segment.is_empty() && !is_last => return Err(format!("the path `{shown}` has an empty segment")),
            None => {}
        }
    }
    Ok(names)
}

/// The path without the names of its segments: two of one shape match the same requests.
fn shape(path: &str) -> String {
    let nameless = |segment: &str| if segment.starts_with('{') { "{}".to_owned() } else { segment.to_owned() };
    path.split('/').map(nameless).collect::<Vec<_>>().join("/")
}

fn check_place(document: &Document, pointer: &str, place: &Place, names: &[&str], errors: &mut Vec<Diagnostic>) {
    if let Some(name) = &place.header {
        check_header_name(document, &below(pointer, "header"), name, errors);
    }
    if let Some(fault) = place.body.as_deref().and_then(pointer_fault) {
        errors.push(document.error(&below(pointer, "body"), fault.message).with_hint(fault.hint));
    }
    if let Some(segment) = place.segment.as_deref().filter(|segment| !names.contains(segment)) {
        let message = format!("the path names no segment `{}`", segment.escape_debug());
        let hint = match (names, nearest(segment, names)) {
            ([], _) => "give one a name in the path, as in `/orders/{order}`".to_owned(),
            (_, Some(near)) => format!("did you mean `{near}`?"),
            (names, None) => format!("its names: {}", list_of(names, "and")),
        };
        errors.push(document.error(&below(pointer, "segment"), message).with_hint(hint));
    }
    if place.query.as_deref() == Some("") {
        let error = document.error(&below(pointer, "query"), "the name is empty");
        errors.push(error.with_hint("name the parameter of the query"));
    }
}

/// A name that a header can have (RFC 9110, 5.6.2).
pub(super) fn check_header_name(document: &Document, pointer: &str, name: &str, errors: &mut Vec<Diagnostic>) {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        let message = format!("`{}` is no name of a header", name.escape_debug());
        errors.push(document.error_at(pointer, Half::Value, message).with_hint("as in `Idempotency-Key`"));
    }
}

/// What is wrong with a JSON pointer.
pub(super) struct PointerFault {
    pub(super) message: String,
    pub(super) hint: &'static str,
}

/// What is wrong with a JSON pointer (RFC 6901), if anything.
pub(super) fn pointer_fault(pointer: &str) -> Option<PointerFault> {
    let escapes_well = pointer.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    if (pointer.is_empty() || pointer.starts_with('/')) && escapes_well {
        return None;
    }
    let message = format!("`{}` is no JSON pointer", pointer.escape_debug());
    Some(PointerFault { message, hint: "as in `/order/id`; `~1` stands for a slash in a name and `~0` for a tilde" })
}

/// The names of the operations that say how their calls look.
pub(super) fn wired_operations(connector: &ConnectorManifest) -> Vec<&str> {
    let wired = connector.operations.iter().filter(|(_, operation)| operation.wire.is_some());
    wired.map(|(name, _)| name.as_str()).collect()
}
