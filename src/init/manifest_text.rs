//! The text of a manifest for a part that was found.

use crate::manifest::{schema_line, yaml_quoted, yaml_word};

use super::look::{FoundLine, FoundTool};
use super::parts::{FoundPart, Shows};

pub(super) fn text(part: &FoundPart<'_>) -> String {
    let mut lines = vec![
        schema_line("..", part.kind().name()),
        format!("kind: {}", part.kind().name()),
        format!("id: {}", yaml_word(&part.id)),
        "# Raise it with every change: answers and reports speak of the part at its version.".to_owned(),
        "version: \"1\"".to_owned(),
    ];
    lines.extend(match &part.shows {
        Shows::Prompt(files) => prompt(files),
        Shows::Source(files) => source(vec!["files:".to_owned()], files),
        Shows::SourceFolder(folder) => source(vec![format!("globs: [{}]", yaml_quoted(&format!("{folder}/**")))], &[]),
        Shows::Tool(tool) => self::tool(tool),
        Shows::Model(line) => model(line),
        Shows::Address(line) => connector(line),
    });
    lines.join("\n") + "\n"
}

fn listed(files: &[&str]) -> impl Iterator<Item = String> {
    files.iter().map(|file| format!("  - {}", yaml_quoted(file)))
}

fn prompt(files: &[&str]) -> Vec<String> {
    let opening = ["# In the order in which they are used.", "files:"].map(str::to_owned);
    opening.into_iter().chain(listed(files)).collect()
}

fn source(opening: Vec<String>, files: &[&str]) -> Vec<String> {
    let closing = [
        "# What a case about two sources that disagree needs to know:",
        "# effective: \"2026-01-01\"      # the day from which it holds",
        "# authority: primary           # primary, secondary, reference",
    ];
    opening.into_iter().chain(listed(files)).chain(closing.map(str::to_owned)).collect()
}

fn tool(tool: &FoundTool) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(description) = &tool.description {
        lines.push(format!("description: {}", yaml_quoted(description)));
    }
    lines.push(format!("files: [{}]", yaml_quoted(&tool.path)));
    lines.push(
        "# What a call can leave behind: create, update, delete, send. A tool that only reads has none.".to_owned(),
    );
    lines.push("# effects: [create]".to_owned());
    lines.push("# As the model is told. JSON is YAML.".to_owned());
    let schema = serde_json::Value::Object(tool.schema.clone());
    let schema = serde_json::to_string_pretty(&schema).unwrap_or_default();
    lines.push(format!("schema: {}", schema.replace('\n', "\n  ")));
    lines
}

fn model(line: &FoundLine) -> Vec<String> {
    vec![
        format!("# Named in {}, line {}.", line.path.escape_debug(), line.line),
        format!("name: {}", yaml_quoted(&line.name)),
        "# Who serves it; nothing in the repository says so for certain.".to_owned(),
        "provider: unstated".to_owned(),
        "# snapshot: \"2026-01-01\"       # where the name alone can come to mean another model".to_owned(),
        "# sampling: {temperature: 0}".to_owned(),
    ]
}

fn connector(line: &FoundLine) -> Vec<String> {
    vec![
        format!("# Its address is read from {}, in {}, line {}.", line.name, line.path.escape_debug(), line.line),
        "# The release of the target's own interface, as the target names it.".to_owned(),
        "release: unstated".to_owned(),
        "# One for each thing that can be asked of it. What the target promises of a request that it gets twice, and how".to_owned(),
        "# its calls look on the wire, stand here too: `holdpoint schema connector`.".to_owned(),
        "operations:".to_owned(),
        "  call:                        # name it after what is asked for, as in `order`".to_owned(),
        "    effect: update             # what it leaves behind: none, create, update, delete, send".to_owned(),
        "    # wire: {method: POST, path: /orders, intention: {body: /request}}    # which calls these are, and what each is about".to_owned(),
    ]
}
