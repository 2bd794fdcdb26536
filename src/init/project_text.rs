//! The text of the project file.

use crate::manifest::{schema_line, yaml_quoted, yaml_word};

use super::look::FoundLine;
use super::parts::{FoundPart, Shows};
use super::{Proposal, Start};

pub(super) fn text(proposal: &Proposal<'_>, workflow: &str, parts: &[FoundPart<'_>]) -> String {
    let mut lines = vec![
        schema_line("", "project"),
        "# What holdpoint runs and looks at. `holdpoint schema project` documents every key.".to_owned(),
        "schema: holdpoint.project/1".to_owned(),
        format!("name: {}", yaml_quoted(proposal.name)),
        String::new(),
        "workflows:".to_owned(),
        format!("  {}:", yaml_word(workflow)),
    ];
    lines.extend(start(proposal));
    lines.extend(used_parts(parts));
    lines.extend(code(proposal));
    lines.push("    timeout_s: 60".to_owned());
    lines.extend(connectors(parts));
    lines.extend(inert(proposal));
    lines.extend(
        [
            "",
            "gate:",
            "  # A change can put a risk at stake that no case shows. While there are few cases it is only reported; say",
            "  # true once there are more, and such a change ends the gate 11.",
            "  uncovered_is_inconclusive: false",
        ]
        .map(str::to_owned),
    );
    lines.join("\n") + "\n"
}

fn start(proposal: &Proposal<'_>) -> Vec<String> {
    let command = match &proposal.start {
        Start::Service(url) => {
            return vec![
                "    # It takes one JSON document (holdpoint.invoke/1) as a POST body.".to_owned(),
                "    http:".to_owned(),
                format!("      url: {}", yaml_quoted(url)),
                "      # It runs already, or holdpoint starts it for the run and waits until this answers:".to_owned(),
                "      # start: [PROGRAM, ARGUMENT]".to_owned(),
                format!("      # ready: {{url: {}}}", yaml_quoted(url)),
            ];
        }
        Start::Command(command) => command.clone(),
        Start::Adapter => proposal.found.language.adapter_command(),
    };
    let words: Vec<String> = command.iter().map(|word| yaml_quoted(word)).collect();
    let mut lines = vec![
        "    # It takes one JSON document (holdpoint.invoke/1) on standard input. No shell: a program and its arguments.".to_owned(),
        "    command:".to_owned(),
        format!("      run: [{}]", words.join(", ")),
        "      # PATH and HOLDPOINT_STATE_DIR are all that it finds in its environment, and what is passed on here.".to_owned(),
    ];
    let found = proposal.found;
    let keys: Vec<&str> = found.model_addresses.iter().chain(&found.keys).map(|key| key.name.as_str()).collect();
    let names = if keys.is_empty() { "HOME".to_owned() } else { keys.join(", ") };
    lines.push(format!("      # env: {{pass: [{names}]}}"));
    if proposal.start == Start::Adapter {
        lines.extend(SERVICE.map(str::to_owned));
    }
    lines
}

const SERVICE: [&str; 2] = [
    "    # A service that takes this document as a POST body needs no adapter; in place of `command`:",
    "    # http: {url: \"http://127.0.0.1:PORT/PATH\"}",
];

fn used_parts(parts: &[FoundPart<'_>]) -> Vec<String> {
    if parts.is_empty() {
        return vec![
            "    # What produces its answers beside its code, one manifest for each in manifests/: `holdpoint schema prompt`.".to_owned(),
            "    parts: []".to_owned(),
        ];
    }
    let opening = ["    # What produces its answers beside its code: the manifests in manifests/.", "    parts:"];
    let opening = opening.into_iter().map(str::to_owned);
    opening.chain(parts.iter().map(|part| format!("      - {}", yaml_word(&part.id)))).collect()
}

fn code(proposal: &Proposal<'_>) -> Vec<String> {
    let globs: Vec<String> = proposal.found.code.iter().map(|glob| yaml_quoted(glob)).collect();
    if globs.is_empty() {
        return Vec::new();
    }
    let mut lines = vec!["    # Its code: a change of it runs every case.".to_owned(), "    code:".to_owned()];
    lines.extend(globs.into_iter().map(|glob| format!("      - {glob}")));
    lines
}

/// How the calls to the addresses that were found would be seen; not switched on, since only a person knows what
/// stands behind them.
fn connectors(parts: &[FoundPart<'_>]) -> Vec<String> {
    let addresses = parts.iter().filter_map(|part| match part.shows {
        Shows::Address(line) => Some(connector(&part.id, line)),
        _ => None,
    });
    let entries: Vec<String> = addresses.collect();
    if entries.is_empty() {
        return Vec::new();
    }
    let opening = [
        "",
        "# With these, holdpoint stands between the workflow and its targets: it sees every call, can fail each, and",
        "# `holdpoint exercise` tries that for all of them. Name a service of your own that may be written to, and its",
        "# `operations` in the manifest.",
        "# connectors:",
    ];
    opening.into_iter().map(str::to_owned).chain(entries).collect()
}

/// The service that the code itself falls back on, where that is on this machine; else a place to write it down. A path
/// of its address is the one below which holdpoint listens, too.
fn connector(id: &str, line: &FoundLine) -> String {
    let default = line.default.as_deref().unwrap_or("http://127.0.0.1:PORT").trim_end_matches('/');
    let path_at = default.find("://").and_then(|at| default[at + 3..].find('/').map(|slash| at + 3 + slash));
    let (address, path) = default.split_at(path_at.unwrap_or(default.len()));
    let base_path = if path.is_empty() { String::new() } else { format!(", base_path: {}", yaml_quoted(path)) };
    let url = yaml_quoted(address);
    format!("#   {}: {{env: [{}], upstream: {{url: {url}}}{base_path}}}", yaml_word(id), line.name)
}

fn inert(proposal: &Proposal<'_>) -> Vec<String> {
    let mut paths: Vec<String> = proposal.found.inert.iter().map(|path| yaml_quoted(path)).collect();
    if !proposal.found.has_gitignore {
        paths.push(".gitignore".to_owned());
    }
    paths.extend(proposal.ci.iter().filter(|_| proposal.below.is_empty()).map(|system| yaml_quoted(system.path())));
    vec![
        String::new(),
        "# What cannot change what the workflow does. Any other path that nothing here knows runs every case."
            .to_owned(),
        format!("inert: [{}]", paths.join(", ")),
    ]
}
