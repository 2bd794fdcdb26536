//! `${NAME}` in the few places of a project file that take it.

use std::collections::{BTreeMap, BTreeSet};

use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::node::below;
use crate::manifest::project_file::{Probe, ProjectFile, WorkflowEnv};
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
        match replaced(text, self.environment) {
            Ok(replaced) => *text = replaced,
            Err(Fault::NoName) => {
                let message = "`${` begins the name of an environment variable, and none follows";
                self.errors.push(self.document.error(pointer, message).with_hint("write `$${` for a plain `${`"));
            }
            Err(Fault::Unset(names)) => {
                let unset =
                    names.iter().map(|name| self.unset(pointer, name, "set it, or write `$${` for a plain `${`"));
                let unset: Vec<Diagnostic> = unset.collect();
                self.errors.extend(unset);
            }
        }
    }

    fn unset(&self, pointer: &str, name: &str, hint: &str) -> Diagnostic {
        self.document.error(pointer, format!("the environment variable `{name}` is not set")).with_hint(hint)
    }
}

/// Why a text could not be completed.
enum Fault {
    /// `${` without a name behind it.
    NoName,
    /// Variables that are not set, in the order of the text.
    Unset(Vec<String>),
}

/// The text with every `${NAME}` replaced, and `$${` as a plain `${`.
fn replaced(text: &str, environment: &BTreeMap<String, String>) -> Result<String, Fault> {
    let (mut replaced, mut unset) = (String::with_capacity(text.len()), Vec::new());
    let mut rest = text;
    while let Some(position) = rest.find("${") {
        let (before, from) = rest.split_at(position);
        if let Some(before) = before.strip_suffix('$') {
            replaced.push_str(before);
            replaced.push_str("${");
            rest = &from[2..];
            continue;
        }
        replaced.push_str(before);
        let (name, after) = from[2..].split_once('}').filter(|(name, _)| is_name(name)).ok_or(Fault::NoName)?;
        match environment.get(name) {
            Some(value) => replaced.push_str(value),
            None => unset.push(name.to_owned()),
        }
        rest = after;
    }
    replaced.push_str(rest);
    if unset.is_empty() { Ok(replaced) } else { Err(Fault::Unset(unset)) }
}

/// The probes of a project file that is not the head's, with every `${NAME}` replaced from the environment of now. What is no
/// name stays as it is written.
///
/// # Errors
/// The variables that are not set, by name.
pub fn completed_probes(
    probes: &BTreeMap<String, Probe>,
    environment: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Probe>, BTreeSet<String>> {
    let mut unset = BTreeSet::new();
    let mut complete = |text: &mut String| match replaced(text, environment) {
        Ok(replaced) => *text = replaced,
        Err(Fault::NoName) => {}
        Err(Fault::Unset(names)) => unset.extend(names),
    };
    let mut probes = probes.clone();
    for probe in probes.values_mut() {
        if let Some(http) = &mut probe.http {
            complete(&mut http.path);
            http.headers.values_mut().for_each(&mut complete);
        }
        if let Some(command) = &mut probe.command {
            command.env.set.values_mut().for_each(&mut complete);
        }
    }
    let passed = probes.values().filter_map(|probe| probe.command.as_ref()).flat_map(|command| &command.env.pass);
    unset.extend(passed.filter(|name| !environment.contains_key(*name)).cloned());
    if unset.is_empty() { Ok(probes) } else { Err(unset) }
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
