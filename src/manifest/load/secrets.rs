//! Secrets that are too short to be taken out of what is recorded.

use std::collections::BTreeMap;

use crate::manifest::diagnostic::Diagnostic;
use crate::manifest::node::below;
use crate::manifest::project_file::{ProjectFile, WorkflowEnv};
use crate::manifest::yaml::Document;

/// A secret has at least so many bytes: shorter values would be found everywhere.
pub const SHORTEST_SECRET: usize = 6;

/// Words by which the name of a variable says that it holds a secret.
const SECRET_WORDS: [&str; 7] = ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "PIN", "CREDENTIAL"];

/// Variables that are handed on, whose names say that they hold a secret, and whose values are too short for one.
pub(super) fn too_short(
    file: &ProjectFile,
    document: &Document,
    environment: &BTreeMap<String, String>,
) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    for (pointer, env) in environments(file) {
        for (list, names) in [("pass", &env.pass), ("pass_if_set", &env.pass_if_set)] {
            for (index, name) in names.iter().enumerate().filter(|(_, name)| says_secret(name)) {
                let Some(value) = environment.get(name).filter(|value| value.len() < SHORTEST_SECRET) else { continue };
                if !value.is_empty() {
                    let message = format!("the value of `{name}` is too short to be redacted where it is recorded");
                    let warning = document.error(&format!("{pointer}/{list}/{index}"), message);
                    let hint = format!("give trials a secret of at least {SHORTEST_SECRET} bytes");
                    warnings.push(warning.with_hint(hint).as_warning());
                }
            }
        }
    }
    warnings
}

fn says_secret(name: &str) -> bool {
    name.split('_').any(|word| SECRET_WORDS.iter().any(|secret| word.eq_ignore_ascii_case(secret)))
}

/// The environments that a project file gives, with their places.
fn environments(file: &ProjectFile) -> Vec<(String, &WorkflowEnv)> {
    let mut found = Vec::new();
    for (name, workflow) in &file.workflows {
        let base = below("/workflows", name);
        found.extend(workflow.command.as_ref().map(|command| (format!("{base}/command/env"), &command.env)));
        found.extend(workflow.http.as_ref().map(|http| (format!("{base}/http/env"), &http.env)));
    }
    for (id, connector) in &file.connectors {
        let start = connector.upstream.start.as_ref();
        found.extend(start.map(|start| (format!("{}/upstream/start/env", below("/connectors", id)), &start.env)));
    }
    for (name, probe) in &file.probes {
        let command = probe.command.as_ref();
        found.extend(command.map(|command| (format!("{}/command/env", below("/probes", name)), &command.env)));
    }
    found
}
