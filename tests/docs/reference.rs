//! `docs/reference.md` is made from the code: the command line, exit codes, what files can say, expectations, faults.
//!
//! Where it has fallen behind, `UPDATE_DOCS=1 cargo test --test docs` writes it anew.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use holdpoint::manifest::{FileKind, json_schema};
use serde_json::Value;

#[test]
fn the_reference_says_what_the_code_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference.md");
    let made = reference();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let differing = made.lines().zip(kept.lines()).find(|(made, kept)| made != kept);
    assert!(
        made == kept,
        "docs/reference.md has fallen behind, first at {differing:?}: UPDATE_DOCS=1 cargo test --test docs"
    );
}

fn reference() -> String {
    let mut text = String::from(
        "# Reference\n\nMade from the code by the tests; edit the code instead. The JSON Schemas themselves: `holdpoint schema KIND`.\n",
    );
    command_line(&mut text);
    documents(&mut text);
    for kind in FileKind::ALL {
        let schema = json_schema(kind);
        write!(text, "\n## The {} file\n\n", kind.name()).unwrap();
        fields(schema, schema, &mut text);
    }
    let case = json_schema(FileKind::Case);
    definition(case, "Expectation", "Expectations", &mut text);
    definition(case, "FaultName", "Faults", &mut text);
    text
}

fn command_line(text: &mut String) {
    let general = help(&[]);
    text.push_str("\n## Command line\n\nEvery command takes `--project DIR`, `--color auto|always|never`, `--quiet` and `--verbose`, and ");
    text.push_str("says more of its options with `--help`.\n");
    for command in commands(&general) {
        let told = help(&[&command]);
        let below = commands(&told);
        section(&[&command], &told, text);
        for inner in below {
            section(&[&command, &inner], &help(&[&command, &inner]), text);
        }
    }
    let codes = general.split_once("Exit codes:").unwrap().1.split_whitespace().collect::<Vec<_>>().join(" ");
    write!(text, "\n## Exit codes\n\n").unwrap();
    for code in codes.trim_end_matches('.').split(", ") {
        let (number, meaning) = code.split_once(' ').unwrap();
        writeln!(text, "- {number}: {meaning}").unwrap();
    }
}

/// What there is a schema of, as the help of the command that prints them lists it.
fn documents(text: &mut String) {
    let output = Command::new(env!("CARGO_BIN_EXE_holdpoint")).args(["schema", "--help"]).env_clear().output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let of_kind = told.lines().take_while(|line| !line.starts_with("Options:"));
    let listed = of_kind.filter_map(|line| line.trim_start().strip_prefix("- ")?.split_once(':'));
    let listed: Vec<(&str, &str)> = listed.map(|(name, what)| (name, what.trim())).collect();
    assert!(listed.len() > FileKind::ALL.len(), "{told}");
    write!(text, "\n## Schemas\n\n`holdpoint schema KIND` prints the JSON Schema of each; in the repository they lie in `schemas/`.\n\n").unwrap();
    for (name, what) in listed {
        writeln!(text, "- `{name}`: {what}").unwrap();
    }
}

fn section(command: &[&str], told: &str, text: &mut String) {
    write!(text, "\n### holdpoint {}\n\n```\n{}\n```\n", command.join(" "), without_common_options(told)).unwrap();
}

/// What every command takes is said once, and left out of each one's help.
fn without_common_options(told: &str) -> String {
    const COMMON: [&str; 6] =
        ["--project <DIR>", "--color <WHEN>", "-q, --quiet", "-v, --verbose", "-h, --help", "-V, --version"];
    let mut kept: Vec<&str> = Vec::new();
    let mut leaves_out = false;
    for line in told.lines() {
        let is_continued = line.starts_with("          ") && !line.trim_start().starts_with('-');
        leaves_out = COMMON.iter().any(|option| line.trim_start().starts_with(option)) || leaves_out && is_continued;
        if !leaves_out {
            kept.push(line);
        }
    }
    kept.join("\n").trim_end().trim_end_matches("\nOptions:").trim_end().to_owned()
}

fn help(command: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_holdpoint"))
        .args(command)
        .arg("-h")
        .env_clear()
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn commands(help: &str) -> Vec<String> {
    let Some((_, rest)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let listed = rest.lines().take_while(|line| !line.is_empty());
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The fields of an object, with those that its definitions have below them named by their type.
fn fields(root: &Value, schema: &Value, text: &mut String) {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let mark = if required.contains(&name.as_str()) { " (required)" } else { "" };
        writeln!(text, "- `{name}`{mark}: {}", described(root, field)).unwrap();
    }
}

/// What a field says of itself, or what its type does.
fn described(root: &Value, field: &Value) -> String {
    let own = field["description"].as_str().map(str::to_owned);
    let referred = || {
        let name = field["$ref"].as_str()?.strip_prefix("#/$defs/")?;
        root["$defs"][name]["description"].as_str().map(str::to_owned)
    };
    let described = own.or_else(referred).unwrap_or_default();
    described.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn definition(root: &Value, name: &str, title: &str, text: &mut String) {
    let schema = &root["$defs"][name];
    assert!(schema.is_object(), "the case's schema has no `{name}`");
    write!(text, "\n## {title}\n\n").unwrap();
    let before = text.len();
    fields(root, schema, text);
    let variants = schema["oneOf"].as_array().into_iter().flatten();
    for variant in variants {
        let names = variant["const"].as_str().map(|name| vec![name]).unwrap_or_default();
        let listed = variant["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for name in names.into_iter().chain(listed) {
            writeln!(text, "- `{name}`: {}", described(root, variant)).unwrap();
        }
    }
    assert!(text.len() > before, "`{name}` lists nothing");
}
