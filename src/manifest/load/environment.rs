//! `${NAME}` in the few places of a project file that take it.

use std::collections::BTreeMap;

use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::node::below;
use crate::manifest::project_file::{ProjectFile, WorkflowEnv};
use crate::manifest::yaml::Document;

/// Replaces every `${NAME}` and reports each variable that is not set.
pub(super) fn apply(
    file: &mut ProjectFile,
    document: &Document,
    environment: &BTreeMap<String, String>,
    errors: &mut Vec<Diagnostic>,
) {
    let mut applier = Applier { document, environment, errors };
    for (name, workflow) in &mut file.workflows {
        let base = below("/workflows", name);
        if let Some(command) = &mut workflow.command {
            applier.env(&format!("{base}/command/env"), &mut command.env);
        }
        if let Some(http) = &mut workflow.http {
            applier.text(&format!("{base}/http/url"), &mut http.url);
            for (header, value) in &mut http.headers {
                applier.text(&below(&format!("{base}/http/headers"), header), value);
            }
            applier.env(&format!("{base}/http/env"), &mut http.env);
            if let Some(ready) = &mut http.ready {
                applier.text(&format!("{base}/http/ready/url"), &mut ready.url);
            }
        }
    }
    for (id, connector) in &mut file.connectors {
        let base = format!("{}/upstream", below("/connectors", id));
        if let Some(url) = &mut connector.upstream.url {
            applier.text(&format!("{base}/url"), url);
        }
        if let Some(start) = &mut connector.upstream.start {
            applier.env(&format!("{base}/start/env"), &mut start.env);
        }
    }
    for (name, probe) in &mut file.probes {
        let base = below("/probes", name);
        if let Some(http) = &mut probe.http {
            applier.text(&format!("{base}/http/path"), &mut http.path);
            for (header, value) in &mut http.headers {
                applier.text(&below(&format!("{base}/http/headers"), header), value);
            }
        }
        if let Some(command) = &mut probe.command {
            applier.env(&format!("{base}/command/env"), &mut command.env);
        }
    }
}

struct Applier<'a> {
    document: &'a Document,
    environment: &'a BTreeMap<String, String>,
    errors: &'a mut Vec<Diagnostic>,
}

impl Applier<'_> {
    fn env(&mut self, pointer: &str, env: &mut WorkflowEnv) {
        for (index, name) in env.pass.iter().enumerate() {
            let pointer = format!("{pointer}/pass/{index}");
            if !is_name(name) {
                self.errors.push(no_name(self.document, &pointer, name));
            } else if !self.environment.contains_key(name) {
                self.errors.push(self.unset(&pointer, name, "set it, or move the name to `pass_if_set`"));
            }
        }
        for (index, name) in env.pass_if_set.iter().enumerate().filter(|(_, name)| !is_name(name)) {
            self.errors.push(no_name(self.document, &format!("{pointer}/pass_if_set/{index}"), name));
        }
        for (name, value) in &mut env.set {
            let pointer = below(&format!("{pointer}/set"), name);
            if !is_name(name) {
                self.errors.push(no_name(self.document, &pointer, name));
            }
            self.text(&pointer, value);
        }
    }

    fn text(&mut self, pointer: &str, text: &mut String) {
        let mut replaced = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(position) = rest.find("${") {
            let (before, from) = rest.split_at(position);
            if let Some(before) = before.strip_suffix('$') {
                replaced.push_str(before);
                replaced.push_str("${");
                rest = &from[2..];
                continue;
            }
            replaced.push_str(before);
            let name = from[2..].split_once('}').filter(|(name, _)| is_name(name));
            let Some((name, after)) = name else {
                let message = "`${` begins the name of an environment variable, and none follows";
                self.errors.push(self.document.error(pointer, message).with_hint("write `$${` for a plain `${`"));
                return;
            };
            match self.environment.get(name) {
                Some(value) => replaced.push_str(value),
                None => self.errors.push(self.unset(pointer, name, "set it, or write `$${` for a plain `${`")),
            }
            rest = after;
        }
        replaced.push_str(rest);
        *text = replaced;
    }

    fn unset(&self, pointer: &str, name: &str, hint: &str) -> Diagnostic {
        self.document.error(pointer, format!("the environment variable `{name}` is not set")).with_hint(hint)
    }
}

fn no_name(document: &Document, pointer: &str, name: &str) -> Diagnostic {
    document
        .error(pointer, format!("`{name}` is no name of an environment variable"))
        .with_hint("a name has letters, digits and `_`, and no digit first")
}

/// A name in the sense of POSIX (Base Definitions, 3.216).
pub(super) fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
